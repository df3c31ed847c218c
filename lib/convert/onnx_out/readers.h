// Types and helpers of the readers of spelled-out operators.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "forms.h"
#include "relayopt/relay/ir/call_view.h"

namespace relayopt::onnx::out {

// A call in a function, or none; everything derived from none is none, too.
class Place {
 public:
  Place(const Function& function, ExprId id) : function_(&function), id_(id) {}

  auto function() const -> const Function& { return *function_; }
  auto id() const -> ExprId { return id_; }
  explicit operator bool() const { return id_.has_value(); }
  auto is(const OpDef* op) const -> bool {
    return id_.has_value() && function_->kind(id_) == ExprKind::kOpCall && function_->op(id_) == op;
  }
  auto Operand(size_t i) const -> Place { return {*function_, function_->operand(id_, i)}; }
  // For a call of `op` with a number as one operand: the other operand, and the number. `side`, when it matters, is the
  // operand that is the number.
  auto Beside(const OpDef* op, double& number, std::optional<size_t> side = {}) const -> Place {
    if (!is(op)) return None();
    for (const size_t i : {0, 1}) {
      if (side && *side != i) continue;
      if (const auto value = Operand(i).number()) {
        number = *value;
        return Operand(1 - i);
      }
    }
    return None();
  }
  auto number() const -> std::optional<double> {
    if (!id_.has_value() || function_->kind(id_) != ExprKind::kConstant) return std::nullopt;
    const Constant& constant = function_->constant(id_);
    return constant.num_elements() == 1 ? constant.ScalarAsDouble() : std::nullopt;
  }
  auto type() const -> const Type* { return id_.has_value() ? TensorType(*function_, id_) : nullptr; }
  template <typename A>
  auto attrs() const -> const A* {
    return function_->context().As<A>(function_->attrs(id_));
  }
  auto None() const -> Place { return {*function_, ExprId()}; }
  friend auto operator==(const Place& a, const Place& b) -> bool { return a.id_ == b.id_; }

 private:
  const Function* function_;
  ExprId id_;
};

inline auto IsNear(double a, double b) -> bool { return std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b)); }

// An ONNX operator that was recognized: its operands and attributes.
struct RestoredNode {
  std::string_view op_type;
  std::vector<ExprId> inputs;
  Attributes attributes = {};
  int64_t opset = 0;
};

// Most kernels of these operators are for float32 only.
inline auto IsSingle(const Place& place) -> bool {
  return place.type() != nullptr && place.type()->dtype == DataType::Float(32);
}

// Whether the result has the type of an operand: constants of a formula may have more axes, or longer ones.
inline auto KeepsType(const Place& root, const Place& x) -> bool {
  const TypeId type = root.function().type(root.id());
  return type && type == x.function().type(x.id());
}

// Recognizes an operator whose last expression is `root`; returns nothing if there is none.
using Reader = auto(*)(const Place& root) -> std::optional<RestoredNode>;

// Readers of restored.cpp's patterns, which match the expressions between the root and those that a reader looks for
// (layer_readers.cpp).
auto ReadLogSoftmax(const Place& root) -> std::optional<RestoredNode>;
// A sum of what `op_type` adds up, or the square root of one.
auto ReadReduction(std::string_view op_type, const Place& root) -> std::optional<RestoredNode>;
auto ReadLayerNorm(const Place& root) -> std::optional<RestoredNode>;
auto ReadGather(const Place& root) -> std::optional<RestoredNode>;
auto ReadGatherElements(const Place& root) -> std::optional<RestoredNode>;
auto ReadSoftmax(const Place& root) -> std::optional<RestoredNode>;
// A product of tensors of any rank, and the node that it becomes.
auto IsMatMul(const Function& function, ExprId root, const SymbolicShapes& shapes) -> bool;
auto WriteMatMul(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                 const std::function<Values(ExprId)>& value) -> CallOutputs;
auto ReadPRelu(const Place& root) -> std::optional<RestoredNode>;
auto ReadFloat8(const Place& root) -> std::optional<RestoredNode>;

}  // namespace relayopt::onnx::out
