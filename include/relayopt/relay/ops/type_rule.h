// What a type rule sees and does.
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

// The solver behind a rule: unification of the types of one call. Implemented by the inference driver.
class RuleSolver {
 public:
  // Makes the type of input `i` equal to `type`; reports a mismatch and returns false.
  virtual auto UnifyInput(size_t i, TypeId type) -> bool = 0;
  // The same for the result.
  virtual auto UnifyResult(TypeId type) -> bool = 0;
  // Makes the result and input `i` one type: what is later learnt of one holds for the other.
  virtual auto MergeResultWithInput(size_t i) -> bool = 0;
  // Reports `text` at input `i`, or at the call when there is no such input.
  virtual void Report(std::optional<size_t> input, std::string text) = 0;
  // The constant that input `i` is, if it is one.
  virtual auto InputConstant(size_t i) const -> const Constant* = 0;

 protected:
  ~RuleSolver() = default;
};

// One application of a type rule. Input types are resolved as far as they are known now. Rules are pure functions of
// what this class offers: they may run several times for one call while types become known.
class RuleContext {
 public:
  RuleContext(Context& context, const OpDef& op, AttrsId attrs, std::span<const TypeId> inputs, TypeId result,
              RuleSolver& solver)
      : context_(context), op_(op), attrs_(attrs), inputs_(inputs), result_(result), solver_(solver) {}

  auto context() -> Context& { return context_; }
  auto op() const -> const OpDef& { return op_; }
  auto size() const -> size_t { return inputs_.size(); }

  // Types.
  auto input(size_t i) const -> TypeId { return inputs_[i]; }
  auto type(size_t i) const -> const Type& { return context_.type(inputs_[i]); }
  // Not known yet at all (a tuple of unknown fields is known).
  auto unknown(size_t i) const -> bool { return type(i).is_incomplete(); }
  // Input `i` when it is a tensor, else null; see Tensors() for the usual opening of a rule.
  auto tensor(size_t i) const -> const Type* {
    const Type& t = type(i);
    return t.is_tensor() ? &t : nullptr;
  }
  // The type that the result is already known to have (from an annotation, or an earlier run), or none.
  auto known_result() const -> TypeId { return result_; }

  // Attributes. `attrs<A>()` is for operators that always have a record of A; `attrs_if<A>()` is null for a call that
  // has none or one of another class.
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

  // The constant that input `i` is, or null.
  auto constant(size_t i) const -> const Constant* { return solver_.InputConstant(i); }

  // Outcomes. Each returns the status for `return rule.X(...)`.
  auto Done(TypeId result) -> RuleStatus {
    return solver_.UnifyResult(result) ? RuleStatus::kDone : RuleStatus::kFailed;
  }
  auto Done(Shape shape, DataType dtype) -> RuleStatus { return Done(context_.Tensor(shape, dtype)); }
  auto DoneTuple(std::span<const TypeId> fields) -> RuleStatus { return Done(context_.Tuple(fields)); }
  // The result is whatever input `i` is, known or not.
  auto DoneSameAs(size_t i) -> RuleStatus {
    return solver_.MergeResultWithInput(i) ? RuleStatus::kDone : RuleStatus::kFailed;
  }
  auto Wait() const -> RuleStatus { return RuleStatus::kWait; }
  // `Error("dense: weight has {} columns, data has {}", ...)`, shown at the call.
  template <typename... Args>
  auto Error(fmt::format_string<Args...> format, Args&&... args) -> RuleStatus {
    solver_.Report(std::nullopt, fmt::format(format, std::forward<Args>(args)...));
    return RuleStatus::kFailed;
  }
  // The same, shown at input `i`.
  template <typename... Args>
  auto ErrorAt(size_t i, fmt::format_string<Args...> format, Args&&... args) -> RuleStatus {
    solver_.Report(i, fmt::format(format, std::forward<Args>(args)...));
    return RuleStatus::kFailed;
  }

  // Learns that input `i` has this type (weights from data); reports a mismatch and returns false.
  auto AssignInput(size_t i, TypeId type) -> bool { return solver_.UnifyInput(i, type); }
  auto AssignInput(size_t i, Shape shape, DataType dtype) -> bool {
    return AssignInput(i, context_.Tensor(shape, dtype));
  }

  // Opens a rule on tensors: nothing when all of the inputs `first` to `last` (exclusive) are tensors, else the status
  // to return: kWait where one is unknown, kFailed with a diagnostic where one is of another kind.
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
