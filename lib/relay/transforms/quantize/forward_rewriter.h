// Rewrites a function along its data flow. A rule may mark the result of a call, and the rules of its users see the
// mark.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "lib/relay/transforms/effects.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

// What an expression became: an expression of the new function; a marked expression; or a tuple with marked fields.
struct ForwardedValue {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  // Invalid for a tuple.
  ExprId expr;
  uint32_t mark = kNone;
  uint32_t tuple = kNone;

  auto is_marked() const -> bool { return mark != kNone; }
};

// Walks from operands to users. A call whose operator has a rule is shown to it with its arguments as they are;
// everything else, and calls whose rule returns nothing, get arguments without marks: "realized". `Derived` has
//
//   Rewrite(id, args) -> std::optional<ForwardedValue>    the rule of a call, or nothing
//   Realize(expr, mark) -> ExprId                         the marked expression without its mark, emitted
//   ForManyUses(value) -> ForwardedValue                  what users see of a marked value with several users
//   Root(function) -> ExprId                              the new function, emitted; what becomes the result
//
// Projections of literal tuples become the fields, unless evaluating the tuple has an effect.
template <typename Derived, typename Mark>
class ForwardRewriter {
 public:
  // Returns nothing if everything stayed as it was.
  auto Run() -> std::optional<Function> {
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id)) ++uses_[operand];
    }
    for (const ExprId id : function_.ids()) {
      builder_.Replace(function_, id);
      values_[id] = Visit(id);
    }
    if (!changed_) return std::nullopt;
    return Relayout(builder_.Finish(derived().Root(Realized(values_[function_.root()]))));
  }

 protected:
  using Value = ForwardedValue;

  auto function() const -> const Function& { return function_; }
  auto to() -> FunctionBuilder& { return builder_; }
  auto made() const -> const Function& { return builder_.function(); }

  auto Plain(ExprId expr) const -> Value { return {.expr = expr}; }
  auto Marked(ExprId expr, const Mark& mark) -> Value {
    marks_.push_back({mark, ExprId()});
    return {.expr = expr, .mark = static_cast<uint32_t>(marks_.size() - 1)};
  }
  // Null of a value without a mark.
  auto MarkOf(const Value& value) const -> const Mark* {
    return value.is_marked() ? &marks_[value.mark].mark : nullptr;
  }
  // Returns the value that users of an old expression get.
  auto Use(ExprId old) -> Value {
    const Value& value = values_[old];
    return value.is_marked() && uses_[old] > 1 ? derived().ForManyUses(value) : value;
  }
  auto ForManyUses(const Value& value) -> Value { return value; }
  auto Root(ExprId function) -> ExprId { return function; }
  // Returns the fields of a literal tuple in which something is marked; none of any other value.
  auto Fields(const Value& value) const -> std::span<const Value> {
    return value.tuple == Value::kNone ? std::span<const Value>() : tuples_[value.tuple].fields;
  }
  // Returns the value without marks; emitted once.
  auto Realized(const Value& value) -> ExprId {
    if (value.is_marked()) {
      if (!marks_[value.mark].realized) {
        const ExprId realized = derived().Realize(value.expr, marks_[value.mark].mark);
        marks_[value.mark].realized = realized;
      }
      return marks_[value.mark].realized;
    }
    if (value.tuple == Value::kNone) return value.expr;
    Tuple& tuple = tuples_[value.tuple];
    if (!tuple.realized) {
      const auto fields = MapToVector<ExprId>(tuple.fields, [&](const Value& field) { return Realized(field); });
      tuple.realized = builder_.Copy(function_, tuple.id, fields);
    }
    return tuple.realized;
  }
  // Returns the old call on other arguments.
  auto Forward(ExprId id, std::initializer_list<ExprId> args) -> ExprId {
    return builder_.Copy(function_, id, std::span(args.begin(), args.size()));
  }

 private:
  friend Derived;

  explicit ForwardRewriter(const Function& function)
      : function_(function),
        builder_(function.context()),
        values_(function.size()),
        uses_(function.size()),
        has_effect_(FindLocalEffects(function)) {
    builder_.ReserveLike(function);
  }

  struct MarkRecord {
    Mark mark;
    ExprId realized;
  };
  struct Tuple {
    // The old function.
    ExprId id;
    std::vector<Value> fields;
    ExprId realized;
  };

  auto derived() -> Derived& { return static_cast<Derived&>(*this); }

  auto Visit(ExprId id) -> Value {
    switch (function_.kind(id)) {
      case ExprKind::kTuple: return VisitTuple(id);
      case ExprKind::kTupleGetItem: return VisitProjection(id);
      case ExprKind::kOpCall:
      case ExprKind::kCall: return VisitCall(id);
      default: break;
    }
    operands_.clear();
    for (const ExprId operand : function_.operands(id)) operands_.push_back(Realized(values_[operand]));
    return Plain(builder_.Copy(function_, id, operands_));
  }

  auto VisitCall(ExprId id) -> Value {
    args_.clear();
    for (const ExprId operand : function_.operands(id)) args_.push_back(Use(operand));
    if (function_.kind(id) == ExprKind::kOpCall) {
      if (const auto value = derived().Rewrite(id, args_)) {
        changed_ = true;
        return *value;
      }
    }
    operands_.clear();
    for (const Value& arg : args_) operands_.push_back(Realized(arg));
    return Plain(builder_.Copy(function_, id, operands_));
  }

  auto VisitTuple(ExprId id) -> Value {
    args_.clear();
    bool has_marks = false;
    for (const ExprId operand : function_.operands(id)) {
      args_.push_back(Use(operand));
      has_marks = has_marks || args_.back().is_marked() || args_.back().tuple != Value::kNone;
      // Inner tuples are realized first, so that realizing does not go deep.
      if (args_.back().tuple != Value::kNone) Realized(args_.back());
    }
    if (has_marks) {
      tuples_.push_back({id, args_, ExprId()});
      return {.tuple = static_cast<uint32_t>(tuples_.size() - 1)};
    }
    operands_.clear();
    for (const Value& field : args_) operands_.push_back(field.expr);
    return Plain(builder_.Copy(function_, id, operands_));
  }

  auto Field(const Value& tuple, uint32_t index) const -> std::optional<Value> {
    if (tuple.tuple != Value::kNone) return tuples_[tuple.tuple].fields[index];
    if (tuple.is_marked() || made().kind(tuple.expr) != ExprKind::kTuple) return std::nullopt;
    return Plain(made().operand(tuple.expr, index));
  }

  auto VisitProjection(ExprId id) -> Value {
    const ExprId old_tuple = function_.operand(id, 0);
    const Value tuple = Use(old_tuple);
    const auto field = has_effect_[old_tuple] ? std::nullopt : Field(tuple, function_.index(id));
    if (field) {
      changed_ = true;
      return *field;
    }
    const ExprId operand = Realized(tuple);
    return Plain(builder_.Copy(function_, id, {&operand, 1}));
  }

  const Function& function_;
  FunctionBuilder builder_;
  SideTable<ExprId, Value> values_;
  SideTable<ExprId, uint32_t> uses_;
  SideTable<ExprId, bool> has_effect_;
  std::vector<MarkRecord> marks_;
  std::vector<Tuple> tuples_;
  // Scratch storage.
  std::vector<Value> args_;
  std::vector<ExprId> operands_;
  bool changed_ = false;
};

}  // namespace relayopt
