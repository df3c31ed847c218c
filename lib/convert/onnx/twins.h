// What nodes become, by their operators, attributes and types: most nodes of a model are like others of it.
//
// The conversion of an operator whose row is `by_types` asks for nothing else, so that it is tried for the first of
// nodes that are alike, and what it emitted is emitted again for the others:
//
//   y = Relu(x)   with x: (1, 8), float32   ->   nn.relu(#0): (1, 8), float32        z = Relu(y)   =>   nn.relu(%y)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model_proto.h"
#include "node.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx {

// The expressions that a node became.
class Twin {
 public:
  // Of a node that has none.
  Twin() = default;
  // Of the expressions from `first` on. Nothing if they depend on more than the inputs that they have in common.
  static auto Of(const Function& function, ExprId first, const std::vector<Value>& inputs,
                 const std::vector<Value>& results) -> std::optional<Twin>;

  auto exists() const -> bool { return exists_; }
  // Emits it for other inputs and returns the results.
  auto Emit(FunctionBuilder& to, const std::vector<Value>& inputs) const -> std::vector<Value>;

 private:
  // An input of the node by its place, or an expression of the twin by its place behind all inputs.
  using Place = uint32_t;
  static constexpr Place kAbsent = UINT32_MAX;
  struct Step {
    ExprKind kind;
    uint32_t payload;
    TypeId type;
    std::vector<Place> operands;
  };
  struct Result {
    Place place;
    int32_t element_type;
  };

  static auto Again(FunctionBuilder& to, const Step& step, std::span<const ExprId> operands) -> ExprId;

  bool exists_ = false;
  std::vector<Step> steps_;
  std::vector<Result> results_;
};

class Twins {
 public:
  // Returns what nodes like this one became, or null if there was none, or it is not known what they have in common.
  auto Find(const Emitter& em, const NodeProto& node, const std::vector<Value>& inputs) -> const Twin*;
  // Records what the node became for which Find was called last: no twin if there are no results.
  void Note(const Function& function, ExprId first, const std::vector<Value>& inputs,
            const std::optional<std::vector<Value>>& results);

 private:
  auto SetKey(const Emitter& em, const NodeProto& node, const std::vector<Value>& inputs) -> bool;

  // By operators, attributes and types as bytes.
  TextMap<Twin> twins_;
  // That of the last node; empty if it has none.
  std::string key_;
};

}  // namespace relayopt::onnx
