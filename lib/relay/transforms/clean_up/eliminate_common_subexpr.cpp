// EliminateCommonSubexpr: merges equal calls.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "expr_keys.h"
#include "relayopt/core/tensor_table.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/ir/layer_remark.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/pass_callbacks.h"

namespace relayopt {

namespace {

constexpr Statistic kMerged = {"EliminateCommonSubexpr", "merged", "expressions merged with an equal one", true};
constexpr Statistic kMergeCallsStatistics[] = {kMerged};

struct EliminateCommonSubexprOptions {
  bool tensors = false;
  static constexpr auto Fields() {
    return std::array{Option<&EliminateCommonSubexprOptions::tensors>(
        "constants of any shape count as the same argument when they are equal, which TVM does for scalars only")};
  }
};

// Merges on emission: before a call or projection is emitted, an equal one is looked up by kind, payload and final
// operand ids.
class Merger {
 public:
  Merger(const Module& module, GlobalId id, const Function& function, const EliminateCommonSubexprOptions& options,
         PassContext& context)
      : module_(module),
        id_(id),
        function_(function),
        looks_into_tensors_(options.tensors),
        context_(context),
        callbacks_(CallbacksOf(context)),
        rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    rebuild_.ForEach([this](ExprId id) { return Visit(id); });
    context_.Count(kMerged, merged_);
    if (merged_ == 0) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  auto IsSkipped(ExprId id) const -> bool {
    return callbacks_ != nullptr && callbacks_->skips && callbacks_->skips(function_, id).value_or(false);
  }

  auto Visit(ExprId id) -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kOpCall:
        if (function_.op(id)->stateful || function_.operands(id).empty() || IsSkipped(id)) break;
        return Merge(id);
      case ExprKind::kTupleGetItem:
        if (IsSkipped(id)) break;
        return Merge(id);
      default: break;
    }
    return rebuild_.Copy(id);
  }

  auto Merge(ExprId id) -> ExprId {
    const bool is_call = function_.kind(id) == ExprKind::kOpCall;
    // Two expressions are equal when they agree in kind, payload and the classes of their operands.
    key_.assign({static_cast<uint32_t>(function_.kind(id)), 0});
    for (const ExprId operand : rebuild_.NewOperands(id)) key_.push_back(is_call ? ClassOf(operand) : operand.value());
    key_[1] = is_call ? ClassOf(function_.op_instance(id), std::span(key_).subspan(2)).value() : function_.index(id);
    const ExprId found = seen_.Find(key_);
    if (found && context_.Allows(kMerged)) {
      ++merged_;
      if (context_.wants_remarks()) Remark(id);
      if (!rebuild_.to().function().span(found)) rebuild_.to().SetSpan(found, function_.span(id));
      return found;
    }
    const ExprId made = rebuild_.Copy(id);
    seen_.TryEmplace(key_, made);
    return made;
  }

  void Remark(ExprId id) {
    const bool is_call = function_.kind(id) == ExprKind::kOpCall;
    context_.Report(WithLayer(
        relayopt::Remark(RemarkKind::kPassed, kMerged.pass, "Merged", module_.name(id_), FindRange(function_, id))
            .Arg("Expression", is_call ? function_.op(id)->name : fmt::format(".{}", function_.index(id)))
            .Text(" merged with an equal one"),
        function_, id));
  }

  // Returns the first operator instance met with these arguments that is equal to this one. Nearly all are equal only
  // to themselves; those whose attributes hold objects (devices, maps) may have several equal ones.
  auto ClassOf(OpInstanceId id, std::span<const uint32_t> arguments) -> OpInstanceId {
    const Context& context = function_.context();
    const OpInstance& instance = GetOpInstance(context, id);
    if (!HoldsObjects(instance.attrs)) return id;
    std::vector<OpInstanceId>& classes = instances_[{instance.op, {arguments.begin(), arguments.end()}}];
    for (const OpInstanceId other : classes) {
      if (context.EqualAttrs(instance.attrs, GetOpInstance(context, other).attrs)) return other;
    }
    // Limits the work for the same arguments with ever other attributes.
    constexpr size_t kMostClasses = 64;
    if (classes.size() < kMostClasses) classes.push_back(id);
    return id;
  }

  auto HoldsObjects(AttrsId id) const -> bool {
    if (!id) return false;
    const AttrsSchema* schema = function_.context().attrs(id).schema;
    return schema == nullptr || std::any_of(schema->fields.begin(), schema->fields.end(),
                                            [](const FieldInfo& field) { return field.kind == FieldKind::kObject; });
  }

  // Arguments are interchangeable when they have one class: equal constants, tuples whose fields are (fields of tuples
  // are compared as nodes or constants only, one level deep), and otherwise only the identical expression.
  auto ClassOf(ExprId made) -> uint32_t {
    const Function& to = rebuild_.to().function();
    if (to.kind(made) != ExprKind::kTuple) return ConstantClassOf(made);
    std::vector<uint32_t> key = {static_cast<uint32_t>(ExprKind::kTuple)};
    for (const ExprId field : to.operands(made)) key.push_back(ConstantClassOf(field));
    return seen_.TryEmplace(key, made).value();
  }

  auto ConstantClassOf(ExprId made) -> uint32_t {
    const Function& to = rebuild_.to().function();
    if (to.kind(made) != ExprKind::kConstant) return made.value();
    // As TVM: tensors are the same argument only when they are the same constant.
    if (!to.constant(made).is_scalar() && !looks_into_tensors_) return made.value();
    // Literals are interned: most constants have been seen.
    const auto [known, is_new] = constants_.try_emplace(to.constant_id(made));
    if (is_new) known->second = FirstEqual(made);
    return known->second.value();
  }

  // Returns the first constant that is equal to this one.
  auto FirstEqual(ExprId made) -> ExprId {
    const Function& to = rebuild_.to().function();
    const Constant& constant = to.constant(made);
    if (!constant.is_scalar()) {
      const size_t number = tensors_.FindOrAdd(constant);
      if (number == first_tensors_.size()) first_tensors_.push_back(made);
      return first_tensors_[number];
    }
    std::vector<uint32_t> key = {static_cast<uint32_t>(ExprKind::kConstant),
                                 static_cast<uint32_t>(constant.dtype().code), constant.dtype().bits,
                                 constant.dtype().lanes};
    for (const std::byte byte : constant.Elements()) key.push_back(static_cast<uint32_t>(byte));
    return seen_.TryEmplace(key, made);
  }

  const Module& module_;
  GlobalId id_;
  const Function& function_;
  const bool looks_into_tensors_;
  PassContext& context_;
  const PassCallbacks* callbacks_;
  Rebuild rebuild_;
  ExprKeys seen_;
  // The class of each constant.
  absl::flat_hash_map<ConstantId, ExprId> constants_;
  // Different tensors, and the first expression that is each.
  TensorTable tensors_;
  std::vector<ExprId> first_tensors_;
  absl::flat_hash_map<std::pair<const OpDef*, std::vector<uint32_t>>, std::vector<OpInstanceId>> instances_;
  std::vector<uint32_t> key_;
  uint64_t merged_ = 0;
};

struct EliminateCommonSubexpr {
  using Options = EliminateCommonSubexprOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return Merger(module, id, function, options, context).Run();
  }
};

}  // namespace

constinit const PassDef kEliminateCommonSubexprPass = DescribePass<EliminateCommonSubexpr>({
    .name = "EliminateCommonSubexpr",
    .opt_level = 3,
    .required = "InferType",
    .summary = "merges equal operator calls and projections",
    .details =
        R"(Two calls of one operator with equal attributes and the same arguments become one expression with two users; so do
projections of one tuple. Scalar constants count as the same argument when they are equal, with tensors=true constants of any
shape, and so do tuples whose fields are.

  %0 = add(%x, 1f);
  %1 = add(%x, 1f);          =>    %0 = add(%x, 1f);
  multiply(%0, %1)                 multiply(%0, %0)

Operators are pure functions of their arguments, so one evaluation serves both users; the merged expression is evaluated in the
innermost scope that holds both. Left alone: stateful operators (nn.dropout), calls without arguments, calls of functions, reads of
references, and literal tuples and closures by themselves.)",
    .idempotent = true,
    .statistics = kMergeCallsStatistics,
});

}  // namespace relayopt
