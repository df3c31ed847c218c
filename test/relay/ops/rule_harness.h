// Runs one type rule on given input types, without a module around it.
#pragma once

#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "relayopt/relay/ops/type_rule.h"

namespace relayopt {

inline const Dim kAny = Dim::Any();
inline constexpr int64_t kHuge = INT64_MAX;

// Whether the result of a rule, as RuleHarness prints it, is an error.
inline auto IsError(const std::string& text) -> bool { return text.starts_with("error: "); }

// Stands in for inference: learns the result, and reports into a string.
class RuleHarness final : public RuleSolver {
 public:
  Context context;

  // A float32 tensor by default.
  auto T(std::initializer_list<Dim> shape, DataType dtype = DataType::Float(32)) -> TypeId {
    return context.Tensor(shape, dtype);
  }
  auto Tuple(std::initializer_list<TypeId> fields) -> TypeId { return context.Tuple(std::vector<TypeId>(fields)); }
  auto Integers(std::initializer_list<int64_t> values) -> ObjectId {
    std::vector<ObjectId> items;
    for (const int64_t value : values) items.push_back(context.AddInt(value));
    return context.AddArray(items);
  }
  auto Scalar(double value) -> ObjectId {
    Object object;
    object.kind = ObjectKind::kConstant;
    object.constant = context.AddConstant(Constant::Scalar(DataType::Float(64), std::bit_cast<uint64_t>(value)));
    return context.Add(object);
  }

  // A symbolic variable, different from all others.
  auto AddVar() -> ObjectId {
    Object object;
    object.type_key = context.Intern("tir.Var");
    object.dtype = DataType::Int(32);
    return context.Add(object);
  }

  // The result as text: `(2, 3) float32`, tuples in brackets; `error: ...`, or `wait`.
  template <typename A>
  auto Run(const OpDef* op, std::initializer_list<TypeId> inputs, const A& attrs) -> std::string {
    return Run(op, inputs, context.InternAttrs(attrs));
  }
  auto Run(const OpDef* op, std::initializer_list<TypeId> inputs, AttrsId attrs = {}) -> std::string {
    inputs_ = inputs;
    result_ = {};
    error_.clear();
    RuleContext rule(context, *op, attrs, inputs_, {}, *this);
    switch (op->type(rule)) {
      case RuleStatus::kDone: return Text(result_);
      case RuleStatus::kWait: return "wait";
      case RuleStatus::kFailed: break;
    }
    return "error: " + error_;
  }

  // An input whose type is not known, and the type that the last run learnt of input `i`.
  auto Unknown() -> TypeId { return context.FreshIncomplete(); }
  auto Learnt(size_t i) const -> std::string { return Text(inputs_[i]); }

  auto UnifyInput(size_t i, TypeId type) -> bool override {
    if (inputs_[i] == type) return true;
    if (context.type(inputs_[i]).is_incomplete()) {
      inputs_[i] = type;
      return true;
    }
    error_ = "input";
    return false;
  }
  auto UnifyResult(TypeId type) -> bool override {
    result_ = type;
    return true;
  }
  auto MergeResultWithInput(size_t i) -> bool override { return UnifyResult(inputs_[i]); }
  void Report(std::optional<size_t>, std::string text) override { error_ = std::move(text); }
  auto InputConstant(size_t) const -> const Constant* override { return nullptr; }

 private:
  auto Text(TypeId id) const -> std::string {
    const Type& type = context.type(id);
    if (type.is_tensor()) return ToString(type.shape) + " " + ToString(type.dtype);
    std::string out = "[";
    for (const TypeId field : type.args) out += (out.size() == 1 ? "" : "; ") + Text(field);
    return out + "]";
  }

  std::vector<TypeId> inputs_;
  TypeId result_;
  std::string error_;
};

}  // namespace relayopt
