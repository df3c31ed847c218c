// Carries layouts forward through a function.
//
// A value may be available in a layout that its users do not expect: then it is a ValueWithLayout with both layouts,
// and only a user that does not accept the new one gets a layout_transform. The fields of a literal tuple keep their
// layouts.
//
// One walk upwards; for a call of an operator with a layout rule (RewriteCall):
// 1. The rule determines in which layouts the call reads its inputs and writes its results now ("before").
// 2. The pass chooses: another operator, other attributes, or nothing. The rule of its choice determines the layouts
//    that it wants, given those in which the inputs are available ("after").
// 3. Inputs are moved from where they are to where they are wanted (MoveInputs). One that the call reads in another
//    layout than its producer wrote is moved back first, as the program means.
// 4. The new call is kept if it has the type that the old one had, in the new layout, and if its result can be moved
//    back (AreOutputs). Otherwise the call is copied unchanged, with its inputs as they were (Keep).
//
//   %0 = nn.conv2d(%x, %w)     NHWC is wanted: %x and %w are transformed, %0 is a ValueWithLayout(NCHW, NHWC)
//   %1 = nn.relu(%0)           takes any layout: reads %0 in NHWC, %1 is one, too
//   reshape(%1, ...)           has no rule: %1 is transformed back
#include "layout_rewriter.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/transforms/effects.h"
#include "lib/relay/transforms/pass_remarks.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/pass_callbacks.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

// A new expression in layout `new_layout` for a value whose users expect `old_layout`; without layouts, just the value.
struct ValueWithLayout {
  ExprId expr;
  LayoutId old_layout;
  LayoutId new_layout;
  // For a literal tuple: its fields in the pool. `expr` is invalid until the tuple itself is needed.
  uint32_t first_field = 0;
  uint32_t num_fields = 0;
  bool is_literal = false;
  // The literal in the old function, if it exists there.
  ExprId literal;
};

// Whether every packed axis of `to` can be split off `shape`, which is in `from`, without padding.
auto FillsPacks(const Layout& from, const Layout& to, Shape shape) -> bool {
  if (from.rank() != shape.size()) return false;
  for (const LayoutAxis& axis : to.axes()) {
    const auto pack = axis.is_primal() ? to.FactorOf(axis.name) : std::nullopt;
    if (!pack) continue;
    const auto position = from.Find(axis.name);
    if (!position) return false;
    const Dim& dim = shape[*position];
    if (!dim.is_int()) continue;
    int64_t total = 0;
    if (__builtin_mul_overflow(dim.value(), from.FactorOf(axis.name).value_or(1), &total)) return false;
    if (total % *pack != 0) return false;
  }
  return true;
}

class LayoutRewriter {
 public:
  LayoutRewriter(const Function& function, SideTable<ExprId, bool> effects, const LayoutChooser& choose,
                 PassRemarks& remarks, const PassCallbacks* callbacks)
      : function_(function),
        context_(function.context()),
        choose_(choose),
        remarks_(remarks),
        callbacks_(callbacks),
        to_(function.context()),
        values_(function.size()),
        has_effect_(std::move(effects)) {
    to_.ReserveLike(function);
  }

  auto Run() -> Result<std::optional<Function>> {
    for (const ExprId id : function_.ids()) {
      to_.Replace(function_, id);
      switch (function_.kind(id)) {
        case ExprKind::kOpCall: {
          RELAYOPT_TRY(const bool rewritten, RewriteCall(id));
          if (!rewritten) {
            if (remarks_.is_wanted()) ReportKept(id);
            Keep(id);
          }
          break;
        }
        case ExprKind::kTuple: VisitTuple(id); break;
        case ExprKind::kTupleGetItem:
          if (!Project(id)) Keep(id);
          break;
        default: Keep(id); break;
      }
    }
    if (!changed_) return std::optional<Function>();
    return std::optional(Relayout(to_.Finish(values_[function_.root()].expr)));
  }

 private:
  // An input of a call, see LayoutRuleContext.
  struct Input {
    ExprId expr;
    LayoutId old_layout;
    LayoutId new_layout;
  };

  // Whether `expr` is a copy of an expression whose operands are such copies. As TVM: others have no type.
  auto IsOriginal(ExprId expr) const -> bool { return expr.value() < original_.size() && original_[expr.value()]; }
  void MarkOriginal(ExprId expr) {
    original_.resize(std::max<size_t>(original_.size(), expr.value() + 1));
    original_[expr.value()] = true;
  }

  auto Copy(ExprId id, std::span<const ExprId> operands) -> ExprId {
    const ExprId made = to_.Copy(function_, id, operands);
    if (std::all_of(operands.begin(), operands.end(), [this](ExprId operand) { return IsOriginal(operand); })) {
      MarkOriginal(made);
    }
    return made;
  }

  // The node with operands as they were.
  void Keep(ExprId id) {
    operands_.clear();
    for (const ExprId operand : function_.operands(id)) operands_.push_back(Realize(values_[operand]));
    values_[id] = ValueWithLayout{.expr = Copy(id, operands_)};
  }

  void VisitTuple(ExprId id) {
    ValueWithLayout tuple{.is_literal = true, .literal = id};
    tuple.first_field = static_cast<uint32_t>(fields_.size());
    for (const ExprId operand : function_.operands(id)) {
      // Literals inside literals are needed unchanged, so that nothing recurses into nested ones.
      if (values_[operand].is_literal) Realize(values_[operand]);
      fields_.push_back(values_[operand]);
    }
    tuple.num_fields = static_cast<uint32_t>(fields_.size()) - tuple.first_field;
    values_[id] = tuple;
  }

  // A projection of a literal is the field.
  auto Project(ExprId id) -> bool {
    const ValueWithLayout& tuple = values_[function_.operand(id, 0)];
    if (tuple.literal && has_effect_[tuple.literal]) return false;
    if (!tuple.is_literal || function_.index(id) >= tuple.num_fields) return false;
    values_[id] = fields_[tuple.first_field + function_.index(id)];
    changed_ = true;
    return true;
  }

  // Returns the value in the layout that its users expect.
  auto Realize(ValueWithLayout& value) -> ExprId {
    if (!value.is_literal) {
      if (value.old_layout == value.new_layout) return value.expr;
      const ExprId back = Transform(value.expr, value.new_layout, value.old_layout);
      RELAYOPT_CHECK(back.has_value(), "a layout was accepted that cannot be undone");
      return back;
    }
    if (value.expr) return value.expr;
    std::vector<ExprId> exprs;
    exprs.reserve(value.num_fields);
    for (uint32_t i = 0; i < value.num_fields; ++i) exprs.push_back(Realize(fields_[value.first_field + i]));
    value.expr = value.literal ? Copy(value.literal, exprs) : EmitTuple(to_, exprs);
    return value.expr;
  }

  // `expr` moved from one layout to another; returns none if that is impossible.
  auto Transform(ExprId expr, LayoutId from, LayoutId to) -> ExprId {
    if (from == to) return expr;
    if (!from || !to) return {};
    const auto [entry, is_new] = transforms_.try_emplace(std::tuple(expr, from, to));
    if (is_new) entry->second = EmitTransform(expr, from, to);
    return entry->second;
  }

  auto EmitTransform(ExprId expr, LayoutId from, LayoutId to) -> ExprId {
    const Layout& target = layouts_[to];
    if (layouts_[from].primal_rank() < target.primal_rank()) {
      // A scalar broadcasts in any layout.
      if (IsOriginal(expr) && HasOneElement(expr)) return expr;
      const auto added = static_cast<int64_t>(target.primal_rank() - layouts_[from].primal_rank());
      from = layouts_.Add(layouts_[from].ExpandPrimal(target));
      if (layouts_[from].primal_rank() != target.primal_rank()) return {};
      expr = EmitCallWith(to_, "expand_dims"_op, ExpandDimsAttrs{.axis = 0, .num_newaxis = added}, {expr});
      if (from == to) return expr;
    }
    const auto shape = ShapeOf(to_.function().type(expr));
    if (!shape || !layouts_[from].ConvertibleTo(target) || !FillsPacks(layouts_[from], target, *shape)) return {};
    const LayoutTransformAttrs attrs{.src_layout = layouts_[from].name(), .dst_layout = target.name()};
    const ExprId moved = EmitCallWith(to_, "layout_transform"_op, attrs, {expr});
    return to_.function().type(moved) ? moved : ExprId();
  }

  auto ShapeOf(TypeId type) const -> std::optional<Shape> {
    if (!type || !context_.type(type).is_tensor()) return std::nullopt;
    return context_.type(type).shape;
  }

  auto HasOneElement(ExprId expr) const -> bool {
    const auto shape = ShapeOf(to_.function().type(expr));
    return shape && std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim.is(1); });
  }

  // Rewrites a call. Returns false, without a change, if its layouts cannot be determined.
  auto RewriteCall(ExprId id) -> Result<bool> {
    const OpDef* op = function_.op(id);
    if (!MayHaveRule(*op) || !CollectInputs(id)) return false;
    LayoutRuleContext before(context_, layouts_, function_.attrs(id), types_, old_);
    if (!Infer(*op, before) || before.inputs().size() != inputs_.size()) return false;
    if (before.outputs().size() != NumOutputs(id)) return false;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!old_[i]) old_[i] = before.inputs()[i];
      if (!new_[i]) new_[i] = before.inputs()[i];
    }
    RELAYOPT_TRY(const LayoutChoice choice, choose_(id, before.attrs_id()));
    LayoutRuleContext after(context_, layouts_, choice.attrs, types_, old_, new_);
    if (!Infer(*choice.op, after) || after.inputs().size() != inputs_.size()) return false;
    if (after.outputs().size() != before.outputs().size()) return false;
    if (!MoveInputs(before, after) || !EmitRewritten(id, *choice.op, before, after)) return false;
    if (remarks_.is_wanted() && !before.outputs().empty()) ReportRewritten(id, choice, before, after);
    changed_ = true;
    return true;
  }

  // The rule of an operator: that of the program that embeds the library, or of its row.
  auto Infer(const OpDef& op, LayoutRuleContext& rule) const -> bool {
    if (callbacks_ != nullptr && callbacks_->infer_layout) {
      if (const auto answer = callbacks_->infer_layout(op, rule)) return *answer;
    }
    return op.layout != nullptr && op.layout(rule);
  }
  auto MayHaveRule(const OpDef& op) const -> bool {
    return op.layout != nullptr || (callbacks_ != nullptr && callbacks_->infer_layout);
  }

  // A call whose layouts cannot be determined. It is reported if data must be moved back for it.
  void ReportKept(ExprId id) {
    const bool moves = std::ranges::any_of(function_.operands(id), [this](ExprId operand) {
      return values_[operand].old_layout != values_[operand].new_layout;
    });
    if (!moves) return;
    remarks_.MissedOp("Kept", id,
                      function_.op(id)->layout == nullptr
                          ? "knows no layouts: its operands are moved back to the layout that they had"
                          : "cannot take its operands in their new layout: they are moved back");
  }

  // Remarks how a call with known layouts was rewritten.
  void ReportRewritten(ExprId id, const LayoutChoice& choice, const LayoutRuleContext& before,
                       const LayoutRuleContext& after) {
    const LayoutId from = before.outputs()[0];
    const LayoutId to = after.outputs()[0];
    if (choice.op != function_.op(id)) {
      remarks_.PassedOp("Altered", id,
                        fmt::format("becomes {}, {} becomes {}", choice.op->name, NameOf(from), NameOf(to)));
    } else if (from != to) {
      remarks_.PassedOp("Altered", id, fmt::format("has its result in {} instead of {}", NameOf(to), NameOf(from)));
    } else if (function_.op(id)->convert_layout != nullptr) {
      remarks_.MissedOp("Kept", id, fmt::format("stays in {}: nothing better is known or wanted for it", NameOf(from)));
    }
  }
  auto NameOf(LayoutId id) const -> std::string { return id ? layouts_[id].name() : "an unknown layout"; }

  // The inputs of a call, their layouts and types.
  auto CollectInputs(ExprId id) -> bool {
    inputs_.clear();
    old_.clear();
    new_.clear();
    types_.clear();
    for (const ExprId operand : function_.operands(id)) {
      ValueWithLayout& value = values_[operand];
      const TypeId type = function_.type(operand);
      if (!type) return false;
      if (!value.is_literal) {
        AddInput(value, type);
        continue;
      }
      const auto field_types = context_.type(type).args;
      if (field_types.size() != value.num_fields) return false;
      for (uint32_t i = 0; i < value.num_fields; ++i) {
        ValueWithLayout& field = fields_[value.first_field + i];
        AddInput(field.is_literal ? ValueWithLayout{.expr = Realize(field)} : field, field_types[i]);
      }
    }
    return true;
  }

  void AddInput(const ValueWithLayout& value, TypeId type) {
    inputs_.push_back({value.expr, value.old_layout, value.new_layout});
    old_.push_back(value.old_layout);
    new_.push_back(value.new_layout);
    types_.push_back(type);
  }

  auto NumOutputs(ExprId id) const -> size_t {
    const TypeId type = function_.type(id);
    if (!type) return 0;
    return context_.type(type).is_tuple() ? context_.type(type).args.size() : 1;
  }

  // Brings the inputs into the layouts that the call is to have them in.
  auto MoveInputs(const LayoutRuleContext& before, const LayoutRuleContext& after) -> bool {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Input& input = inputs_[i];
      const LayoutId old_wanted = before.inputs()[i];
      const LayoutId new_wanted = after.inputs()[i];
      if (old_wanted == input.old_layout) {
        input.expr = Transform(input.expr, input.new_layout, new_wanted);
      } else {
        // The call reads the data in a layout that differs from its producer's on purpose, so this is undone first.
        if (input.old_layout) input.expr = Transform(input.expr, input.new_layout, input.old_layout);
        if (input.expr) input.expr = Transform(input.expr, old_wanted, new_wanted);
      }
      if (!input.expr) return false;
    }
    return true;
  }

  // Returns the operands of the new call, from its inputs.
  auto NewArgs(ExprId id) -> std::vector<ExprId> {
    std::vector<ExprId> args;
    size_t next = 0;
    for (const ExprId operand : function_.operands(id)) {
      ValueWithLayout& value = values_[operand];
      if (!value.is_literal) {
        args.push_back(inputs_[next++].expr);
        continue;
      }
      std::vector<ExprId> exprs;
      bool same = true;
      for (uint32_t i = 0; i < value.num_fields; ++i) {
        const ValueWithLayout& field = fields_[value.first_field + i];
        same = same && !field.old_layout && inputs_[next].expr == field.expr;
        exprs.push_back(inputs_[next++].expr);
      }
      args.push_back(same ? Realize(value) : EmitTuple(to_, exprs));
    }
    return args;
  }

  auto EmitRewritten(ExprId id, const OpDef& op, const LayoutRuleContext& before, const LayoutRuleContext& after)
      -> bool {
    const std::vector<ExprId> args = NewArgs(id);
    const bool same_op = &op == function_.op(id) && after.attrs_id() == function_.attrs(id);
    const TypeId type = same_op && HaveOldTypes(id, args) ? function_.type(id) : TypeOf(op, after.attrs_id(), args);
    if (!type || !AreOutputs(function_.type(id), type, before.outputs(), after.outputs())) return false;
    const ExprId call =
        to_.OpCall(same_op ? function_.op_instance(id) : InternOpInstance(context_, {&op, after.attrs_id()}), args);
    to_.SetType(call, type);
    to_.SetRange(call, function_.range(id));
    if (!context_.type(type).is_tuple()) {
      to_.SetSpan(call, function_.span(id));
      values_[id] = ValueWithLayout{.expr = call, .old_layout = before.outputs()[0], .new_layout = after.outputs()[0]};
      return true;
    }
    ValueWithLayout tuple{.is_literal = true};
    tuple.first_field = static_cast<uint32_t>(fields_.size());
    tuple.num_fields = static_cast<uint32_t>(after.outputs().size());
    for (uint32_t i = 0; i < tuple.num_fields; ++i) {
      const ExprId field = EmitTupleGetItem(to_, call, i);
      fields_.push_back({.expr = field, .old_layout = before.outputs()[i], .new_layout = after.outputs()[i]});
    }
    values_[id] = tuple;
    return true;
  }

  auto HaveOldTypes(ExprId id, const std::vector<ExprId>& args) const -> bool {
    for (size_t i = 0; i < args.size(); ++i) {
      if (to_.function().type(args[i]) != function_.type(function_.operand(id, i))) return false;
    }
    return function_.type(id).has_value();
  }

  auto TypeOf(const OpDef& op, AttrsId attrs, const std::vector<ExprId>& args) -> TypeId {
    const auto types = MapToVector<TypeId>(args, [&](ExprId arg) { return to_.function().type(arg); });
    return TypeOfCall(context_, op, attrs, types);
  }

  // Whether a result of type `after` is one of type `before` in the new layouts.
  auto AreOutputs(TypeId before, TypeId after, const LayoutIds& old_layouts, const LayoutIds& new_layouts) -> bool {
    if (before == after && old_layouts == new_layouts) return true;
    const Type& old_type = context_.type(before);
    const Type& new_type = context_.type(after);
    if (old_type.is_tensor() && new_type.is_tensor()) {
      const auto [entry, is_new] = outputs_.try_emplace(std::tuple(before, after, old_layouts[0], new_layouts[0]));
      if (is_new) entry->second = IsOutput(before, after, old_layouts[0], new_layouts[0]);
      return entry->second;
    }
    if (!old_type.is_tuple() || !new_type.is_tuple() || old_type.args.size() != new_type.args.size()) return false;
    for (size_t i = 0; i < old_type.args.size(); ++i) {
      if (!IsOutput(old_type.args[i], new_type.args[i], old_layouts[i], new_layouts[i])) return false;
    }
    return true;
  }

  auto IsOutput(TypeId before_id, TypeId after_id, LayoutId old_layout, LayoutId new_layout) -> bool {
    const Type& before = context_.type(before_id);
    const Type& after = context_.type(after_id);
    if (!before.is_tensor() || !after.is_tensor() || before.dtype != after.dtype) return false;
    const auto same = [](Shape a, Shape b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const Dim& x, const Dim& y) { return SameExtent(x, y) || !x.is_int() || !y.is_int(); });
    };
    if (old_layout == new_layout) return same(before.shape, after.shape);
    const Layout& from = layouts_[old_layout];
    const Layout& to = layouts_[new_layout];
    if (!from.ConvertibleTo(to) || !FillsPacks(from, to, before.shape)) return false;
    if (!same(from.ForwardShape(context_, to, before.shape), after.shape)) return false;
    // The value in its original layout, for users that need it.
    const LayoutTransformAttrs back{.src_layout = to.name(), .dst_layout = from.name()};
    const AttrsId attrs = context_.InternAttrs(back);
    return FillsPacks(to, from, after.shape) &&
           TypeOfCall(context_, *"layout_transform"_op, attrs, {&after_id, 1}).has_value();
  }

  const Function& function_;
  Context& context_;
  const LayoutChooser& choose_;
  PassRemarks& remarks_;
  const PassCallbacks* const callbacks_;
  FunctionBuilder to_;
  LayoutTable layouts_;
  // The values that old expressions became, and the fields of literal tuples among them.
  SideTable<ExprId, ValueWithLayout> values_;
  SideTable<ExprId, bool> has_effect_;
  std::deque<ValueWithLayout> fields_;
  absl::flat_hash_map<std::tuple<ExprId, LayoutId, LayoutId>, ExprId> transforms_;
  // A cache for IsOutput.
  absl::flat_hash_map<std::tuple<TypeId, TypeId, LayoutId, LayoutId>, bool> outputs_;
  std::vector<bool> original_;
  bool changed_ = false;
  // For the current call.
  std::vector<ExprId> operands_;
  std::vector<Input> inputs_;
  LayoutIds old_;
  LayoutIds new_;
  std::vector<TypeId> types_;
};

}  // namespace

auto RewriteLayouts(const Module& module, const Function& function, PassContext& context, std::string_view pass,
                    const LayoutChooser& choose) -> Result<std::optional<Function>> {
  PassRemarks remarks(context, pass, module, function);
  return LayoutRewriter(function, FindEffects(module, function), choose, remarks, CallbacksOf(context)).Run();
}

}  // namespace relayopt
