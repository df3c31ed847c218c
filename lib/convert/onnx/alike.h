// What nodes become, by their operators, attributes and types: most nodes of a model are like others of it.
//
// The conversion of an operator whose row is `by_types` asks for nothing else, and neither does the type of its call if
// the node stays one. So what the first of nodes that are alike became is emitted again for the others:
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
class Emission {
 public:
  // Those from `first` on. Nothing if they depend on more than the inputs.
  static auto Of(const Function& function, ExprId first, const std::vector<Value>& inputs,
                 const std::vector<Value>& results) -> std::optional<Emission>;

  // Emits them for other inputs and returns the results.
  auto Emit(FunctionBuilder& to, const std::vector<Value>& inputs) const -> std::vector<Value>;

 private:
  // An input of the node by its place, or an expression by its place behind all inputs.
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

  std::vector<Step> steps_;
  std::vector<Result> results_;
};

class AlikeNodes {
 public:
  // Returns what nodes like this one became, or null if there was none, or it is not known what they have in common.
  auto Find(const Function& function, const NodeProto& node, const std::vector<Value>& inputs) -> const Emission*;
  // Records what the node became for which Find was called last: the expressions from `first` on.
  void Note(const Function& function, ExprId first, const std::vector<Value>& inputs,
            const std::vector<Value>& results);

 private:
  auto SetKey(const Function& function, const NodeProto& node, const std::vector<Value>& inputs) -> bool;

  // By operators, attributes and types as bytes.
  TextMap<Emission> emissions_;
  // That of the last node; empty if it has none.
  std::string key_;
};

}  // namespace relayopt::onnx
