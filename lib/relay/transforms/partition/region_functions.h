// Makes functions from annotated regions, for PartitionGraph.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler_annotations.h"

namespace relayopt {

// A region that becomes a function.
struct RegionFunction {
  // A value that enters.
  struct Input {
    std::string name;
    // The expression outside of the region, the operand of a begin.
    ExprId value;
    // Becomes part of the function instead of a parameter.
    bool is_bound = false;
  };
  RegionId region;
  // In the order in which they are found on the way from the results.
  std::vector<Input> inputs;
  // The values that leave, each once, in the order of the ends.
  std::vector<ExprId> outputs;
  // The value of the end that was found first.
  ExprId first_output;
};

// The regions of a function as functions. No annotation may be for the default compiler.
class RegionFunctions {
 public:
  // `regions` are those of `function`; both must outlive this. With `bind_constants` constants do not become
  // parameters.
  RegionFunctions(const Function& function, const AnnotatedRegions& regions, bool bind_constants);

  // A region comes after those that feed it.
  auto functions() const -> const std::vector<RegionFunction>& { return functions_; }
  // Returns the function of the region of an annotation, or null if it has none.
  auto Find(ExprId annotation) const -> const RegionFunction*;
  // Makes the function: parameters, and what lies between begins and ends.
  auto Build(const RegionFunction& region, std::vector<FunctionAttr> attrs) const -> Function;

 private:
  // A node whose operands are visited; or, with a region, the end that was found first while the outputs are.
  struct Frame {
    ExprId node;
    size_t next = 0;
    RegionId region;
  };

  void Walk();
  void Leave(ExprId node);
  void FindInput(ExprId begin);
  // For a begin between two parts of the same region, the value that it passes on; invalid for others.
  auto InnerValue(ExprId begin) const -> ExprId;
  auto Open(RegionId region) -> RegionFunction&;

  const Function& function_;
  const AnnotatedRegions& regions_;
  bool bind_constants_;
  std::vector<RegionFunction> functions_;
  // Keyed by the representative of a region: the function under construction, and one plus its index.
  absl::flat_hash_map<RegionId, RegionFunction> open_;
  SideTable<RegionId, uint32_t> place_;
  // Keyed by the representative of a region: whether an end was found.
  SideTable<RegionId, bool> started_;
  // For begins: the position among the begins of the region, and the input that it brings in.
  SideTable<ExprId, uint32_t> position_;
  SideTable<ExprId, uint32_t> input_of_;
  absl::flat_hash_map<std::pair<ExprId, RegionId>, uint32_t> inputs_;
  std::vector<Frame> stack_;
};

}  // namespace relayopt
