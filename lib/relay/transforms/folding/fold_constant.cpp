// FoldConstant: evaluates what is known at compile time.
//
// One walk upwards keeps for every expression what is known of its value: nothing, a tensor, or a tuple of tensors.
// - A call of an operator that may be folded, on operands of which all are known, is computed at once; so are queries
//   of the extents of operands whose types contain them (shape_of and its like), whatever the operands are.
// - A variable that is bound to a known tensor, a projection of a known tuple and an `if` with a known condition are
//   aliases from then on: `alias_` holds of what, Resolve follows it.
// - Everything else is kept: it is copied with what its operands became.
//
// What was computed gets a constant in the new function only when something that is kept uses it
// (Materialize), so that the steps of a long computation leave nothing behind, and a function in
// which nothing was folded is not rebuilt. Effects stay and keep their order: where the function
// may have any, fields of tuples and steps of chains are left out only when they are pure. What
// is inside of kernels stays, too: what a kernel calls is for code generation to compute.
//
//   let %a = add(1, 2);          values_[%a's value] = 3; alias_[%a] = that value
//   let %b = multiply(%a, %x);   kept: Materialize makes the constant 3 for its operand
//   %b                           the step for %a goes
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/relay/ir/call_view.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/effects.h"
#include "lib/relay/transforms/fusion/primitive_scopes.h"
#include "lib/relay/transforms/pass_remarks.h"
#include "may_fold.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/plural.h"
#include "shrinking_calls.h"

namespace relayopt {

namespace {

constexpr std::string_view kTooLarge = "of constants stays: its result is undefined, or too large (max_bytes)";

struct FoldConstantOptions {
  bool fold_qnn = false;
  int64_t max_bytes = FoldOptions::kMaxBytes;
  static constexpr auto Fields() {
    return std::array{
        Option<&FoldConstantOptions::fold_qnn>("fold quantized operators too"),
        Option<&FoldConstantOptions::max_bytes>("leave calls whose result takes more bytes than this", {.min = 0}),
    };
  }
};

// A known tensor: a constant of the function, or a computed tensor, which becomes a node only when it is needed.
struct KnownTensor {
  // Invalid for computed tensors.
  ConstantId constant;
  Tensor tensor;
  // The node in the new function, or none.
  ExprId node;
  // Of computed tensors.
  ConstantOrigin origin;
};

// The known value of an expression: nothing, a tensor, or a tuple of tensors, as a range of Folder::parts_.
struct KnownValue {
  uint32_t first = 0;
  uint32_t count = 0;
  enum class Kind : uint8_t { kNothing, kTensor, kTuple } kind = Kind::kNothing;

  auto is_known() const -> bool { return kind != Kind::kNothing; }
  auto is_tensor() const -> bool { return kind == Kind::kTensor; }
};

// One run over a function. Folded expressions have no node until an expression that stays uses them, so that the steps
// of a long computation leave no nodes.
class Folder {
 public:
  Folder(const Module& module, const Function& function, const FoldOptions& options, PassContext& pass_context)
      : module_(module),
        function_(function),
        context_(function.context()),
        options_(options),
        remarks_(pass_context, "FoldConstant", module, function),
        lets_(function),
        rebuild_(function),
        values_(function.size()),
        alias_(function.size()),
        primitives_(function) {
    for (const ExprId id : function.ids()) may_have_effects_ |= HasOwnEffect(function, id);
    if (context_.Part<FoldingLimit>().is_set()) shrinking_ = ShrinkingCalls(function, options);
  }

  auto Run() -> std::optional<Function> {
    for (const ExprId id : function_.ids()) {
      rebuild_.BeginVisit(id);
      Visit(id);
      BindSteps(id);
    }
    if (remarks_.is_wanted()) ReportOpen();
    if (!changed_) return std::nullopt;
    Materialize(function_.root());
    return rebuild_.Finish();
  }

 private:
  using Kind = KnownValue::Kind;

  void Visit(ExprId id) {
    switch (function_.kind(id)) {
      case ExprKind::kConstant:
        values_[id] = Remember(KnownTensor{.constant = function_.constant_id(id), .node = rebuild_.Copy(id)});
        return rebuild_.Set(id, known_.back().node);
      case ExprKind::kOpCall:
        if (!primitives_.Contains(id) && FoldOpCall(id)) {
          changed_ = true;
          return;
        }
        return Keep(id);
      case ExprKind::kTuple: return VisitTuple(id);
      case ExprKind::kTupleGetItem: return VisitProjection(id);
      case ExprKind::kIf: return VisitIf(id);
      case ExprKind::kLet: return VisitLet(id);
      default: return Keep(id);
    }
  }

  // The expression that `id` is equal to: the bound constant for a variable, the field for a projection, and so on.
  auto Resolve(ExprId id) const -> ExprId { return alias_[id] ? alias_[id] : id; }
  auto ValueOf(ExprId id) const -> const KnownValue& { return values_[Resolve(id)]; }
  void Replace(ExprId id, ExprId by) {
    alias_[id] = Resolve(by);
    changed_ = true;
  }

  auto Remember(KnownTensor known) -> KnownValue {
    parts_.push_back(static_cast<uint32_t>(known_.size()));
    known_.push_back(std::move(known));
    return {static_cast<uint32_t>(parts_.size() - 1), 1, Kind::kTensor};
  }
  // Returns the tensor of a known one, or of field `i`.
  auto TensorOf(const KnownValue& value, uint32_t i = 0) const -> Tensor {
    const KnownTensor& known = known_[parts_[value.first + i]];
    return known.constant ? Tensor::View(context_.constant(known.constant)) : known.tensor;
  }

  // Returns the bytes of known operands, of a tensor that is there several times once.
  auto BytesOf(std::span<const ExprId> operands) const -> size_t {
    absl::flat_hash_set<uint32_t> counted;
    size_t bytes = 0;
    for (const ExprId operand : operands) {
      const KnownValue& value = ValueOf(operand);
      for (uint32_t i = 0; i < value.count; ++i) {
        const uint32_t part = parts_[value.first + i];
        if (!counted.insert(part).second) continue;
        const KnownTensor& known = known_[part];
        bytes += known.constant ? context_.constant(known.constant).num_bytes() : known.tensor.num_bytes();
      }
    }
    return bytes;
  }

  // Returns the node of an expression in the new function.
  auto Materialize(ExprId id) -> ExprId {
    const ExprId source = Resolve(id);
    if (!rebuild_.New(source)) {
      rebuild_.BeginVisit(source);
      const KnownValue value = values_[source];
      if (function_.kind(source) == ExprKind::kTuple) {
        for (const ExprId field : function_.operands(source)) MaterializeTensor(field);
        rebuild_.Set(source, rebuild_.Copy(source));
      } else {
        rebuild_.Set(source, value.is_tensor() ? NodeOf(value, 0) : TupleOf(value));
      }
    }
    rebuild_.Set(id, rebuild_.New(source));
    return rebuild_.New(source);
  }
  // The same for a field of a known tuple, which is a tensor.
  void MaterializeTensor(ExprId id) {
    const ExprId source = Resolve(id);
    if (!rebuild_.New(source)) {
      rebuild_.BeginVisit(source);
      rebuild_.Set(source, NodeOf(values_[source], 0));
    }
    rebuild_.Set(id, rebuild_.New(source));
  }
  auto NodeOf(const KnownValue& value, uint32_t i) -> ExprId {
    KnownTensor& known = known_[parts_[value.first + i]];
    if (!known.node) {
      known.node = EmitConstant(rebuild_.to(), known.tensor);
      context_.Part<ConstantNames>().SetOrigin(rebuild_.to().function().constant_id(known.node), known.origin);
    }
    return known.node;
  }
  auto TupleOf(const KnownValue& value) -> ExprId {
    std::vector<ExprId> fields;
    fields.reserve(value.count);
    for (uint32_t i = 0; i < value.count; ++i) fields.push_back(NodeOf(value, i));
    return EmitTuple(rebuild_.to(), fields);
  }
  void Keep(ExprId id) {
    for (const ExprId operand : function_.operands(id)) Materialize(operand);
    rebuild_.Set(id, rebuild_.Copy(id));
  }

  // Variables that are bound to a known tensor, directly or through other variables, are replaced by it.
  void BindSteps(ExprId id) {
    if (lets_.empty() || !ValueOf(id).is_tensor()) return;
    pending_ = {id};
    while (!pending_.empty()) {
      const ExprId value = pending_.back();
      pending_.pop_back();
      for (const LetStep& step : lets_.StepsOf(value)) {
        if (alias_[step.var]) continue;
        alias_[step.var] = Resolve(id);
        pending_.push_back(step.var);
      }
    }
  }

  void VisitTuple(ExprId id) {
    const auto fields = function_.operands(id);
    if (!std::all_of(fields.begin(), fields.end(), [&](ExprId field) { return ValueOf(field).is_tensor(); })) {
      return Keep(id);
    }
    const auto first = static_cast<uint32_t>(parts_.size());
    for (const ExprId field : fields) parts_.push_back(parts_[ValueOf(field).first]);
    values_[id] = {first, static_cast<uint32_t>(fields.size()), Kind::kTuple};
  }

  void VisitProjection(ExprId id) {
    const ExprId tuple = Resolve(function_.operand(id, 0));
    const uint32_t index = function_.index(id);
    if (function_.kind(tuple) == ExprKind::kTuple) {
      if (!OthersArePure(tuple, index)) return Keep(id);
      return Replace(id, function_.operand(tuple, index));
    }
    if (const KnownValue& value = values_[tuple]; value.kind == Kind::kTuple && !IsOnDevice(tuple)) {
      values_[id] = {value.first + index, 1, Kind::kTensor};
      changed_ = true;
      return;
    }
    if (!IsOnDevice(tuple)) return Keep(id);
    // on_device around a literal tuple is moved to the field.
    const ExprId inner = Resolve(function_.operand(tuple, 0));
    if (function_.kind(inner) != ExprKind::kTuple || !OthersArePure(inner, index)) return Keep(id);
    const ExprId field = function_.operand(inner, index);
    const ExprId made = Materialize(field);
    rebuild_.Set(id, EmitCall(rebuild_.to(), "on_device"_op, {made}, function_.attrs(tuple)));
    if (ValueOf(field).is_tensor() && !IsOnDevice(Resolve(field))) values_[id] = ValueOf(field);
    changed_ = true;
  }

  void VisitIf(ExprId id) {
    const KnownValue& condition = ValueOf(function_.operand(id, 0));
    if (!condition.is_tensor()) return Keep(id);
    // As TVM: an integer in a function without types will do.
    const auto number = TensorOf(condition).ToConstant().ScalarAsInt();
    if (!number) return Keep(id);
    Replace(id, function_.operand(id, *number != 0 ? 1 : 2));
  }

  void VisitLet(ExprId id) {
    std::vector<ExprId> steps;
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      const ExprId var = function_.let_var(id, i);
      if (alias_[var]) continue;
      steps.push_back(rebuild_.New(var));
      steps.push_back(Materialize(function_.let_value(id, i)));
    }
    if (steps.size() + 1 == function_.operands(id).size()) return Keep(id);
    if (steps.empty()) return Replace(id, function_.let_result(id));
    changed_ = true;
    const ExprId made = rebuild_.to().Let(steps, Materialize(function_.let_result(id)));
    rebuild_.to().SetType(made, function_.type(id));
    rebuild_.to().SetSpan(made, function_.span(id));
    rebuild_.to().SetRange(made, function_.range(id));
    rebuild_.Set(id, made);
  }

  // Whether the call was folded; sets its value.
  auto FoldOpCall(ExprId id) -> bool {
    const OpDef* op = function_.op(id);
    const auto operands = function_.operands(id);
    if (operands.empty()) return false;
    if (IsShapeQuery(*op)) return FoldShape(id);
    if (IsOnDevice(id)) {
      MarkOnDevice(id);
      return false;
    }
    const bool is_foldable = IsFoldable(*op, options_);
    if (!is_foldable && !remarks_.is_wanted()) return false;
    if (!std::all_of(operands.begin(), operands.end(), [&](ExprId arg) { return ValueOf(arg).is_known(); }))
      return false;
    if (!is_foldable) {
      remarks_.MissedOp("Kept", id,
                        op->stateful            ? "of constants stays: it has state"
                        : op->kernel == nullptr ? "of constants stays: there is no kernel that computes it"
                        : op->non_computational ? "of constants stays: it only marks them"
                                                : "of constants stays: the options leave such operators out");
      return false;
    }
    FoldOptions options = options_;
    options.ignores_limit = !shrinking_.empty() && shrinking_[id];
    if (IsTooLargeToFold(context_, *op, BytesOf(operands), function_.type(id), options)) {
      remarks_.MissedOp("Kept", id, kTooLarge);
      return false;
    }
    std::vector<Tensor> tensors;
    for (const ExprId arg : operands) {
      const KnownValue& value = ValueOf(arg);
      for (uint32_t i = 0; i < value.count; ++i) tensors.push_back(TensorOf(value, i));
    }
    std::vector<KernelInput> inputs;
    size_t first = 0;
    for (const ExprId arg : operands) {
      const KnownValue& value = ValueOf(arg);
      inputs.push_back({std::span<const Tensor>(tensors).subspan(first, value.count), !value.is_tensor()});
      first += value.count;
    }
    auto result = EvaluateForFolding(context_, function_.instance(id), inputs, function_.type(id), options);
    if (!result) {
      remarks_.MissedOp("Kept", id, kTooLarge);
      return false;
    }
    remarks_.PassedOp("Folded", id, "of constants is computed");
    values_[id] = {static_cast<uint32_t>(parts_.size()), static_cast<uint32_t>(result->tensors.size()),
                   result->is_tuple ? Kind::kTuple : Kind::kTensor};
    const ConstantOrigin origin = OriginOf(id);
    for (Tensor& tensor : result->tensors) Remember(KnownTensor{.tensor = std::move(tensor), .origin = origin});
    return true;
  }

  // Returns the origin of the result of a call: of its operands the first with the most elements is its base.
  auto OriginOf(ExprId id) const -> ConstantOrigin {
    const KnownTensor* largest = nullptr;
    int64_t most = 0;
    for (const ExprId operand : function_.operands(id)) {
      const KnownValue& value = ValueOf(operand);
      for (uint32_t i = 0; i < value.count; ++i) {
        const KnownTensor& known = known_[parts_[value.first + i]];
        const auto elements = known.constant ? static_cast<int64_t>(context_.constant(known.constant).num_elements())
                                             : known.tensor.size();
        if (elements <= most) continue;
        most = elements;
        largest = &known;
      }
    }
    ConstantOrigin origin;
    if (largest != nullptr) origin.base = largest->constant ? largest->constant : largest->origin.base;
    if (const SpanId span = function_.span(id)) origin.source = context_.span(span).source;
    return origin;
  }

  // Remarks why other calls are not folded.
  void ReportOpen() {
    size_t calls = 0;
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) == ExprKind::kOpCall && !values_[id].is_known()) ++calls;
    }
    if (calls == 0) return;
    remarks_.Analysis("Open", function_.root(),
                      fmt::format("{} of operators {} on parameters, which are not constants", Counted(calls, "call"),
                                  calls == 1 ? "depends" : "depend"));
  }

  // shape_of and ndarray_size need the type of the operand only.
  auto FoldShape(ExprId id) -> bool {
    const ExprId operand = function_.operand(id, 0);
    std::vector<int64_t> extents;
    if (const KnownValue& value = ValueOf(operand); value.is_tensor()) {
      const Tensor tensor = TensorOf(value);
      extents.assign(tensor.shape().begin(), tensor.shape().end());
    } else {
      const Type* type = TensorType(function_, operand);
      const auto known = type == nullptr ? std::nullopt : KnownExtents(type->shape);
      if (!known || !IsPure(operand)) return false;
      extents = *known;
    }
    auto result = EvaluateShapeQuery(context_, function_.instance(id), extents);
    if (!result) return false;
    remarks_.PassedOp("Folded", id, "is known from the type of its operand");
    values_[id] = Remember(KnownTensor{.tensor = *std::move(result)});
    return true;
  }

  // on_device around a constant, or around a tuple of them, stays but counts as the constant.
  auto IsOnDevice(ExprId id) const -> bool {
    return function_.kind(id) == ExprKind::kOpCall && function_.op(id) == "on_device"_op;
  }
  void MarkOnDevice(ExprId id) {
    const ExprId operand = Resolve(function_.operand(id, 0));
    if (!IsOnDevice(operand)) values_[id] = values_[operand];
  }

  // Whether the fields of a tuple other than `index` may be left out.
  auto OthersArePure(ExprId tuple, uint32_t index) -> bool {
    if (!may_have_effects_) return true;
    const auto fields = function_.operands(tuple);
    const auto [impure, is_new] = impure_fields_.try_emplace(tuple);
    if (is_new) impure->second = std::ranges::count_if(fields, [this](ExprId field) { return !IsPure(field); });
    return impure->second == (IsPure(fields[index]) ? 0 : 1);
  }
  auto IsPure(ExprId id) -> bool {
    if (!may_have_effects_) return true;
    if (purity_.empty()) purity_ = module_.Analysis<PurityAnalysis>().Analyze(function_);
    return purity_[id].eval;
  }

  const Module& module_;
  const Function& function_;
  Context& context_;
  const FoldOptions options_;
  PassRemarks remarks_;
  LetIndex lets_;
  Rebuild rebuild_;
  std::vector<KnownTensor> known_;
  // Indices into known_.
  std::vector<uint32_t> parts_;
  SideTable<ExprId, KnownValue> values_;
  SideTable<ExprId, ExprId> alias_;
  std::vector<ExprId> pending_;
  bool changed_ = false;
  bool may_have_effects_ = false;
  SideTable<ExprId, Purity> purity_;
  // How many fields of a tuple are not pure.
  absl::flat_hash_map<ExprId, ptrdiff_t> impure_fields_;
  // The kernels of the function. The callees of kernel calls are not replaced.
  PrimitiveScopes primitives_;
  // Empty where constants may grow.
  SideTable<ExprId, bool> shrinking_;
};

struct FoldConstant {
  using Options = FoldConstantOptions;
  Options options;
  auto Run(const Module& module, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    const FoldOptions fold = {.fold_qnn = options.fold_qnn,
                              .max_bytes = static_cast<size_t>(std::max<int64_t>(options.max_bytes, 0))};
    return FoldConstants(module, function, fold, context);
  }
};

}  // namespace

auto FoldConstants(const Module& module, const Function& function, const FoldOptions& options, PassContext& context)
    -> std::optional<Function> {
  // Remarks say also why something is not folded.
  if (!context.wants_remarks() && !MayFold(function)) return std::nullopt;
  return Folder(module, function, options, context).Run();
}

constinit const PassDef kFoldConstantPass = DescribePass<FoldConstant>({
    .name = "FoldConstant",
    .opt_level = 2,
    .summary = "computes what does not depend on inputs",
    .details =
        R"(A call of an operator on constants, or on tuples of them, becomes its result:

  %0 = add(1f, 2f);
  multiply(%x, %0)                       =>    multiply(%x, 3f)

So do shape_of and ndarray_size of tensors whose type says their shape. A field of a literal tuple is taken from the
tuple, constant or not. An if whose condition is constant becomes the branch that it chooses; a let variable that
is bound to a constant tensor is replaced by it. Each operator is computed as the program would compute it: in the
element types that the program says, rounded after every operator, so that the results of a program stay what they were.

It leaves alone: operators without operands (zeros, ones), operators with state, markers such as on_device, quantized
operators (unless fold_qnn), whatever is inside a function marked Primitive, operators without a kernel, results
that take more than max_bytes bytes, and what has no defined result: integer division by zero, shifts by the width or more, floats
that the integer type cannot hold. A tuple stays when projecting it would drop an effect of another field.)",
    .idempotent = true,
});

}  // namespace relayopt
