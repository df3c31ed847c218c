// Makes functions of parts, for CollagePartition.
#pragma once

#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "part.h"

namespace relayopt {

// Writes expressions of a function anew, with calls of function literals in the place of parts.
class PartWriter {
 public:
  PartWriter(const CollageGraph& graph, FunctionBuilder& to) : graph_(graph), to_(to) {}

  // Returns the whole function with calls in the place of parts, which do not overlap.
  auto WriteFunction(std::span<const NestedPart> parts) -> ExprId;
  // Returns a function of a part, with calls in the place of the parts nested in it. A parameter that is a tuple
  // becomes one for each field.
  auto WritePart(const CollagePart& part) -> ExprId;

 private:
  using Made = absl::flat_hash_map<ExprId, ExprId>;
  // The inputs and outputs of the function of a part: expressions of the old function.
  struct Border {
    std::vector<ExprId> args;
    std::vector<ExprId> results;
  };
  // A part on the way to its call.
  struct Group {
    const NestedPart* part;
    Border border;
  };
  enum class TupleParams : uint8_t { kWhole, kByField };

  // `results` are those of the function around the part.
  auto FindBorder(const CollagePart& part, const absl::flat_hash_set<ExprId>& results) const -> Border;
  auto IsCopied(ExprId id) const -> bool;
  // Writes expressions and what they need, unless that has been made already.
  void Write(std::span<const ExprId> roots, std::span<const NestedPart> parts, Made& made);
  void WriteCall(const Group& group, Made& made);
  auto WriteLiteral(const CollagePart& part, const Border& border, std::vector<FunctionAttr> attrs, TupleParams params)
      -> ExprId;
  auto Param(std::string_view name, TypeId type) -> ExprId;

  const CollageGraph& graph_;
  FunctionBuilder& to_;
};

}  // namespace relayopt
