// RuleContext: the interface between a type rule and type inference.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/arith/dim_arith.h"
#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The interface to the unification of the types of one call; implemented by type inference.
class RuleSolver {
 public:
  // Unifies the type of input `i` with `type`. Reports a mismatch and returns false.
  virtual auto UnifyInput(size_t i, TypeId type) -> bool = 0;
  // Unifies the type of the result with `type`, in the same way.
  virtual auto UnifyResult(TypeId type) -> bool = 0;
  // Unifies the types of the result and of input `i`, so that what is learned later about one holds for the other.
  virtual auto MergeResultWithInput(size_t i) -> bool = 0;
  // Reports `text` at input `i`, or at the call when there is no such input.
  virtual void Report(std::optional<size_t> input, std::string text) = 0;
  // Returns the constant that input `i` is, or null if it is not one.
  virtual auto InputConstant(size_t i) const -> const Constant* = 0;

 protected:
  ~RuleSolver() = default;
};

// One application of a type rule. Input types are resolved as far as they are known. Rules are pure functions of what
// this class offers: while types become known, a rule may run several times for the same call.
class RuleContext {
 public:
  RuleContext(Context& context, const OpDef& op, AttrsId attrs, std::span<const TypeId> inputs, TypeId result,
              RuleSolver& solver)
      : context_(context), op_(op), attrs_(attrs), inputs_(inputs), result_(result), solver_(solver) {}

  auto context() -> Context& { return context_; }
  auto op() const -> const OpDef& { return op_; }
  auto size() const -> size_t { return inputs_.size(); }

  // Returns the input types.
  auto input(size_t i) const -> TypeId { return inputs_[i]; }
  auto type(size_t i) const -> const Type& { return context_.type(inputs_[i]); }
  // Whether nothing is known about the type yet. (A tuple of unknown fields is known.)
  auto unknown(size_t i) const -> bool { return type(i).is_incomplete(); }
  // Returns the type of input `i` if it is a tensor, else null; most rules begin with Tensors() instead.
  auto tensor(size_t i) const -> const Type* {
    const Type& t = type(i);
    return t.is_tensor() ? &t : nullptr;
  }
  // Returns the type that the result is known to have, from an annotation or an earlier run, or invalid if unknown.
  auto known_result() const -> TypeId { return result_; }

  // Returns the attributes. `attrs<A>()` is for operators that always have a record of A; `attrs_if<A>()` returns null
  // if the call has none, or one of another class.
  template <typename A>
  auto attrs() const -> const A& {
    const A* record = context_.As<A>(attrs_);
    RELAYOPT_CHECK(record != nullptr, "the call has a record of another class");
    return *record;
  }
  template <typename A>
  auto attrs_if() const -> const A* {
    return context_.As<A>(attrs_);
  }
  auto attrs_id() const -> AttrsId { return attrs_; }

  // Returns the constant that input `i` is, or null.
  auto constant(size_t i) const -> const Constant* { return solver_.InputConstant(i); }

  // Outcomes. Each returns the status, for `return rule.X(...)`.
  auto Done(TypeId result) -> RuleStatus {
    return solver_.UnifyResult(result) ? RuleStatus::kDone : RuleStatus::kFailed;
  }
  auto Done(Shape shape, DataType dtype) -> RuleStatus { return Done(context_.Tensor(shape, dtype)); }
  auto DoneTuple(std::span<const TypeId> fields) -> RuleStatus { return Done(context_.Tuple(fields)); }
  // The result has the type of input `i`, whether or not that is known.
  auto DoneSameAs(size_t i) -> RuleStatus {
    return solver_.MergeResultWithInput(i) ? RuleStatus::kDone : RuleStatus::kFailed;
  }
  auto Wait() const -> RuleStatus { return RuleStatus::kWait; }
  // Reports an error at the call: `Error("dense: weight has {} columns, data has {}", ...)`.
  template <typename... Args>
  auto Error(fmt::format_string<Args...> format, Args&&... args) -> RuleStatus {
    solver_.Report(std::nullopt, fmt::format(format, std::forward<Args>(args)...));
    return RuleStatus::kFailed;
  }
  // Reports an error at input `i`.
  template <typename... Args>
  auto ErrorAt(size_t i, fmt::format_string<Args...> format, Args&&... args) -> RuleStatus {
    solver_.Report(i, fmt::format(format, std::forward<Args>(args)...));
    return RuleStatus::kFailed;
  }

  // Infers that input `i` has this type (such as that of a weight, from the data). Reports a mismatch and returns
  // false.
  auto AssignInput(size_t i, TypeId type) -> bool { return solver_.UnifyInput(i, type); }
  auto AssignInput(size_t i, Shape shape, DataType dtype) -> bool {
    return AssignInput(i, context_.Tensor(shape, dtype));
  }

  // For the beginning of a rule on tensors: nothing when the inputs from `first` up to but not including `last` are
  // tensors. Otherwise the status to return: kWait when one is unknown, or kFailed, with a diagnostic, when one is not
  // a tensor.
  auto NeedTensors(size_t first, size_t last) -> std::optional<RuleStatus> {
    for (size_t i = first; i < last; ++i) {
      if (unknown(i)) return RuleStatus::kWait;
      if (!type(i).is_tensor()) {
        return ErrorAt(i, "{}: {} must be a tensor, found {}", op_.name, InputName(op_, i), KindName(type(i).kind));
      }
    }
    return std::nullopt;
  }

 private:
  Context& context_;
  const OpDef& op_;
  AttrsId attrs_;
  std::span<const TypeId> inputs_;
  TypeId result_;
  RuleSolver& solver_;
};

}  // namespace relayopt
