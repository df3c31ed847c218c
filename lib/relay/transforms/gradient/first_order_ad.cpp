// Reverse-mode differentiation by evaluating the function on pairs of a variable, to which a value is bound, and its
// gradient so far.
#include "first_order_ad.h"
#include "diagnostics.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/transforms/gradient/rules/gradient_rules.h"
#include "lib/relay/transforms/let_list.h"
#include "lib/relay/transforms/tensor_tree.h"
#include "part_budget.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNotFirstOrder = {"not-first-order", Severity::kError,
                                           "first-order differentiation does not support {}"};
auto Describe(ExprKind kind) -> std::string_view {
  switch (kind) {
    case ExprKind::kGlobal: return "global functions: inline them first";
    case ExprKind::kConstructor: return "constructors";
    case ExprKind::kOp: return "operators as values";
    case ExprKind::kCall: return "calls of anything but function literals";
    case ExprKind::kFunction: return "functions as values";
    case ExprKind::kLet: return "let: use ToGraphNormalForm first, or Gradient";
    case ExprKind::kIf: return "if: use Gradient";
    case ExprKind::kMatch: return "match";
    default: return "references: use Gradient";
  }
}

class Differentiator {
 public:
  Differentiator(const Function& from, PassContext& context)
      : from_(from),
        to_(from.context()),
        lets_(to_, context),
        back_(to_, context),
        budget_(from),
        values_(from.size()) {}

  auto Run() -> Result<Function> {
    FindHomes();
    calls_.push_back({from_.root(), 0, {}});
    std::vector<ExprId> params;
    std::vector<uint32_t> args;
    for (const ExprId param : from_.params()) {
      params.push_back(to_.Copy(from_, param, {}));
      if (!from_.type(param)) return MakeDiagnostic(kNotDifferentiable, from_.range(param));
      to_.SetType(params.back(), from_.type(param));
      RELAYOPT_TRY(const uint32_t value, Bind(params.back(), from_.range(param)));
      values_[param] = value + 1;
      args.push_back(value);
    }
    RELAYOPT_TRY(const uint32_t result, Evaluate(from_.body()));
    const ExprId forward = duals_[result].forward;
    duals_[result].reverse = Filled(forward, "ones_like"_op, "ones"_op);
    for (size_t i = steps_.size(); i-- > 0;) {
      if (auto error = Propagate(steps_[i])) return *std::move(error);
    }
    const auto gradients = MapToVector<ExprId>(args, [&](uint32_t arg) { return duals_[arg].reverse; });
    const ExprId pair[] = {forward, back_.Close(EmitTuple(to_, gradients))};
    const ExprId body = lets_.Close(EmitTuple(to_, pair));
    FunctionInfo info = from_.info();
    info.result = to_.function().type(body);
    return Relayout(to_.Finish(to_.Lambda(std::move(info), params, body)));
  }

 private:
  // A value: the variable that it is bound to, and its gradient as far as it is known.
  struct Dual {
    ExprId forward;
    ExprId reverse;
  };
  // A step of the forward computation, to be differentiated: an operator, projection or tuple of `args`.
  struct Step {
    ExprId old;
    ExprId made;
    uint32_t result;
    std::vector<uint32_t> args;
  };
  // A call of a function literal, with the values of the expressions inside.
  struct Call {
    ExprId literal;
    // The call that contains the literal.
    uint32_t outer;
    absl::flat_hash_map<ExprId, uint32_t> values;
  };
  // An expression whose parts are being evaluated.
  struct Frame {
    ExprId expr;
    uint32_t call;
    uint32_t next = 0;
    // The values of the parts so far.
    std::vector<uint32_t> args = {};
  };

  // Which function literal an expression belongs to. Without let, if and match only functions open scopes.
  void FindHomes() {
    homes_ = SideTable<ExprId, ExprId>(from_.size(), from_.root());
    bool has_literals = false;
    for (const ExprId id : from_.ids_below_root()) has_literals = has_literals || from_.kind(id) == ExprKind::kFunction;
    if (!has_literals) return;
    const Scopes scopes = ComputeScopes(from_);
    for (const ExprId id : from_.ids_below_root()) {
      if (!scopes.of[id]) continue;
      const ExprId owner = scopes[scopes.of[id]].owner;
      if (owner && from_.kind(owner) == ExprKind::kFunction) homes_[id] = owner;
    }
  }

  // Returns the call, at or around `call`, in which the expression has its value.
  auto CallOf(ExprId id, uint32_t call) const -> uint32_t {
    while (calls_[call].literal != homes_[id] && call != 0) call = calls_[call].outer;
    return call;
  }
  auto Find(ExprId id, uint32_t call) const -> std::optional<uint32_t> {
    call = CallOf(id, call);
    if (call == 0) {
      if (values_[id] == 0) return std::nullopt;
      return values_[id] - 1;
    }
    const auto found = calls_[call].values.find(id);
    if (found == calls_[call].values.end()) return std::nullopt;
    return found->second;
  }
  void Remember(ExprId id, uint32_t call, uint32_t value) {
    call = CallOf(id, call);
    if (call == 0)
      values_[id] = value + 1;
    else
      calls_[call].values[id] = value;
  }

  // As TVM: arguments are evaluated from left to right, and the body of a function literal after its arguments.
  auto Evaluate(ExprId root) -> Result<uint32_t> {
    frames_.push_back({root, 0});
    while (true) {
      Frame& frame = frames_.back();
      const ExprId id = frame.expr;
      std::optional<uint32_t> value = Find(id, frame.call);
      if (!value) {
        if (frame.next == 0) {
          if (auto error = Check(id)) return *std::move(error);
        }
        const ExprId part = NextPart(frame);
        if (part) {
          frames_.push_back({part, frame.next <= NumOperands(id) ? frame.call : inner_call_});
          continue;
        }
        to_.Replace(from_, id);
        RELAYOPT_TRY(value, Complete(frame));
        Remember(id, frame.call, *value);
      }
      frames_.pop_back();
      if (frames_.empty()) return *value;
      frames_.back().args.push_back(*value);
    }
  }

  auto NumOperands(ExprId id) const -> size_t { return from_.operands(id).size(); }

  // Returns the next part to evaluate: an operand, then for a call the body of its literal, or invalid if all are done.
  auto NextPart(Frame& frame) -> ExprId {
    const bool is_call = from_.kind(frame.expr) == ExprKind::kCall;
    if (is_call && frame.next == 0) frame.next = 1;
    if (frame.next < NumOperands(frame.expr)) return from_.operand(frame.expr, frame.next++);
    if (!is_call || frame.next > NumOperands(frame.expr)) return {};
    ++frame.next;
    const ExprId literal = from_.operand(frame.expr, 0);
    inner_call_ = static_cast<uint32_t>(calls_.size());
    Call call{literal, CallOf(literal, frame.call), {}};
    const auto params = from_.params(literal);
    for (size_t i = 0; i < params.size() && i < frame.args.size(); ++i) call.values[params[i]] = frame.args[i];
    calls_.push_back(std::move(call));
    return from_.body(literal);
  }

  auto Check(ExprId id) const -> std::optional<Diagnostic> {
    switch (from_.kind(id)) {
      case ExprKind::kConstant:
      case ExprKind::kTuple:
      case ExprKind::kTupleGetItem: return std::nullopt;
      case ExprKind::kOpCall:
        if (FindGradientRule(from_.op(id)) != nullptr) return std::nullopt;
        return MakeDiagnostic(kNoGradient, from_.range(id), from_.op(id)->name);
      case ExprKind::kCall:
        if (from_.kind(from_.operand(id, 0)) == ExprKind::kFunction) return std::nullopt;
        break;
      default: break;
    }
    return MakeDiagnostic(kNotFirstOrder, from_.range(id), Describe(from_.kind(id)));
  }

  auto Complete(const Frame& frame) -> Result<uint32_t> {
    const ExprId id = frame.expr;
    if (from_.kind(id) == ExprKind::kCall) return frame.args.back();
    const auto operands = MapToVector<ExprId>(frame.args, [&](uint32_t arg) { return duals_[arg].forward; });
    const ExprId made = to_.Copy(from_, id, operands);
    RELAYOPT_TRY(const uint32_t value, Bind(made, from_.range(id)));
    if (from_.kind(id) != ExprKind::kConstant) steps_.push_back({id, made, value, frame.args});
    return value;
  }

  // Binds a value, and a gradient of zeros.
  auto Bind(ExprId made, SourceRange range) -> Result<uint32_t> {
    if (auto error = budget_.Charge(to_.function().type(made), range)) return *std::move(error);
    const ExprId forward = lets_.Push(made);
    const ExprId zeros = Filled(forward, "zeros_like"_op, "zeros"_op);
    if (!zeros) return MakeDiagnostic(kNotDifferentiable, range);
    duals_.push_back({forward, lets_.Push(zeros)});
    return static_cast<uint32_t>(duals_.size() - 1);
  }

  // Zeros or ones of the type of a variable; returns none if it holds anything but tensors.
  auto Filled(ExprId var, const OpDef* like, const OpDef* filled) -> ExprId {
    const Context& types = from_.context();
    const auto fill = [&](TypeId type, ExprId value) -> std::optional<ExprId> {
      if (!type || !types.type(type).is_tensor()) return std::nullopt;
      const Type& tensor = types.type(type);
      if (value == var || !AllKnown(tensor.shape)) return EmitCall(to_, like, {value});
      InitOpAttrs attrs{.shape = DimList(), .dtype = tensor.dtype};
      for (const Dim& dim : tensor.shape) attrs.shape.values.emplace_back(dim.value());
      return EmitCallWith(to_, filled, attrs, {});
    };
    const auto made = MapTensors<ExprId, ExprId>(
        types, to_.function().type(var), var, [&](ExprId tuple, uint32_t i) { return EmitTupleGetItem(to_, tuple, i); },
        fill, [&](const std::vector<ExprId>& parts) { return EmitTuple(to_, parts); });
    return made ? *made : ExprId();
  }

  // Returns the sum of two gradients of this type, bound by let.
  auto Sum(TypeId type, ExprId a, ExprId b) -> ExprId {
    struct Two {
      ExprId a;
      ExprId b;
    };
    const auto sum = MapTensors<Two, ExprId>(
        from_.context(), type, Two{a, b},
        [&](const Two& two, uint32_t i) {
          // As TVM: from the last to the first.
          const ExprId part_b = back_.Push(EmitTupleGetItem(to_, two.b, i));
          return Two{back_.Push(EmitTupleGetItem(to_, two.a, i)), part_b};
        },
        [&](TypeId, const Two& two) -> std::optional<ExprId> {
          return back_.Push(EmitCall(to_, "add"_op, {two.a, two.b}));
        },
        [&](const std::vector<ExprId>& parts) { return back_.Push(EmitTuple(to_, parts)); });
    return *sum;
  }

  auto TypeOf(uint32_t dual) const -> TypeId { return to_.function().type(duals_[dual].forward); }

  // Propagates the gradient of a step's result to the operands of the step.
  auto Propagate(const Step& step) -> std::optional<Diagnostic> {
    const ExprId gradient = duals_[step.result].reverse;
    for (const uint32_t arg : step.args) {
      if (auto error = budget_.Charge(TypeOf(arg), from_.range(step.old))) return error;
    }
    switch (from_.kind(step.old)) {
      case ExprKind::kTuple:
        for (uint32_t i = 0; i < step.args.size(); ++i) {
          Dual& field = duals_[step.args[i]];
          field.reverse = Sum(TypeOf(step.args[i]), field.reverse, EmitTupleGetItem(to_, gradient, i));
        }
        return std::nullopt;
      case ExprKind::kTupleGetItem: {
        Dual& tuple = duals_[step.args[0]];
        const auto types = from_.context().type(TypeOf(step.args[0])).args;
        std::vector<ExprId> fields;
        for (uint32_t i = 0; i < types.size(); ++i) {
          const ExprId before = EmitTupleGetItem(to_, tuple.reverse, i);
          fields.push_back(i == from_.index(step.old) ? Sum(types[i], before, gradient) : before);
        }
        tuple.reverse = back_.Push(EmitTuple(to_, fields));
        return std::nullopt;
      }
      default: break;
    }
    GradientContext rule(to_, step.made, gradient, from_.range(step.old));
    Gradients gradients = ApplyGradientRule(*FindGradientRule(from_.op(step.old)), rule);
    if (!gradients) return std::move(gradients).error();
    for (size_t i = 0; i < step.args.size() && i < gradients->size(); ++i) {
      Dual& arg = duals_[step.args[i]];
      arg.reverse = Sum(TypeOf(step.args[i]), arg.reverse, (*gradients)[i]);
    }
    return std::nullopt;
  }

  const Function& from_;
  FunctionBuilder to_;
  // The let steps of the forward and of the backward computation.
  LetList lets_;
  LetList back_;
  PartBudget budget_;
  std::vector<Dual> duals_;
  std::vector<Step> steps_;
  std::vector<Call> calls_;
  // The call whose body NextPart has just returned.
  uint32_t inner_call_ = 0;
  std::vector<Frame> frames_;
  SideTable<ExprId, ExprId> homes_;
  // Indices of values plus 1, for expressions outside of function literals.
  SideTable<ExprId, uint32_t> values_;
};

}  // namespace

auto DifferentiateFirstOrder(const Function& function, PassContext& context) -> Result<Function> {
  return Differentiator(function, context).Run();
}

}  // namespace relayopt
