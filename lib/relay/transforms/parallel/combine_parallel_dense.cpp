// CombineParallelDense: merges dense layers with the same input into one product.
#include <algorithm>
#include <numeric>

#include "parallel_branches.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Returns the weight of a dense layer, or null if its type is not known.
auto WeightOf(const Function& function, ExprId call) -> const Type* {
  const TypeId id = function.operands(call).size() == 2 ? function.type(function.operand(call, 1)) : TypeId();
  if (!id) return nullptr;
  const Type& weight = function.context().type(id);
  return weight.is_tensor() && weight.rank() == 2 ? &weight : nullptr;
}

auto AttrsOf(const Function& function, ExprId call) -> const DenseAttrs& {
  return *function.context().As<DenseAttrs>(function.attrs(call));
}

// The key on which dense layers must agree; `units` and `inputs` are the extents of the weight that must be equal.
auto KeyOf(const Function& function, ExprId call, const Type& weight, Shape extents) -> ParallelKey {
  DenseAttrs shared = AttrsOf(function, call);
  shared.units = Dim();
  return {function.context().InternAttrs(shared), function.context().Tensor(extents, weight.dtype)};
}

// Joins layers of equal shape along a new first axis.
class BatchRules final : public ParallelRules {
 public:
  auto op() const -> const OpDef* override { return "nn.dense"_op; }

  auto Key(const Function& function, ExprId call) const -> std::optional<ParallelKey> override {
    const Type* weight = WeightOf(function, call);
    if (weight == nullptr || function.context().As<DenseAttrs>(function.attrs(call)) == nullptr) return std::nullopt;
    return KeyOf(function, call, *weight, weight->shape);
  }

  auto JoinFirst(const JoinSite& site) const -> ExprId override {
    const BatchMatmulAttrs attrs{.out_dtype = AttrsOf(site.from, site.group.branches[0][0]).out_dtype,
                                 .transpose_b = true};
    return EmitCallWith(site.to, "nn.batch_matmul"_op, attrs, {Stack(site, 0, 0), Stack(site, 0, 1)});
  }

  auto JoinArgument(const JoinSite& site, size_t level, size_t i, size_t parent) const -> ExprId override {
    const ExprId call = site.group.branches[0][level];
    const Type* first = TensorType(site.from, site.from.operand(call, i));
    const Type* previous = TensorType(site.from, site.from.operand(call, parent));
    // Without an axis, or with more of them than the previous result, an argument would be aligned with its new axis.
    if (first == nullptr || previous == nullptr || first->rank() == 0 || first->rank() > previous->rank()) return {};
    for (const auto& branch : site.group.branches) {
      const Type* type = TensorType(site.from, site.from.operand(branch[level], i));
      if (type == nullptr || type->dtype != first->dtype || !std::ranges::equal(type->shape, first->shape)) return {};
    }
    return Stack(site, level, i);
  }

  auto Split(const JoinSite& site, ExprId joined, size_t level) const -> std::vector<ExprId> override {
    if (NamesAxis(site.from, site.group.branches[0][level], level)) return {};
    SplitAttrs attrs;
    const size_t count = site.group.branches.size();
    attrs.indices_or_sections = site.to.context().AddInt(static_cast<int64_t>(count));
    const ExprId parts = EmitCallWith(site.to, "split"_op, attrs, {joined});
    std::vector<ExprId> results;
    for (uint32_t k = 0; k < count; ++k) {
      const ExprId part = EmitTupleGetItem(site.to, parts, k);
      results.push_back(EmitCallWith(site.to, "squeeze"_op, SqueezeAttrs{.axis = {0}}, {part}));
    }
    return results;
  }

 private:
  static auto Stack(const JoinSite& site, size_t level, size_t i) -> ExprId {
    std::vector<ExprId> args;
    for (const auto& branch : site.group.branches) {
      const ExprId old = site.from.operand(branch[level], i);
      ExprId arg = site.made(old);
      // Broadcasting aligns axes at the end: the axis after the new one must exist.
      if (TensorType(site.from, old)->rank() == 1) {
        arg = EmitCallWith(site.to, "expand_dims"_op, ExpandDimsAttrs{.axis = 0}, {arg});
      }
      args.push_back(arg);
    }
    return EmitCallWith(site.to, "stack"_op, StackAttrs{.axis = 0}, {EmitTuple(site.to, args)});
  }

  // Whether an operator after the layer counts axes from the front, where the new one is.
  static auto NamesAxis(const Function& function, ExprId call, size_t level) -> bool {
    const AttrsId attrs = level == 0 ? AttrsId() : function.attrs(call);
    if (!attrs) return false;
    const AttrsRecord& record = function.context().attrs(attrs);
    const FieldInfo* axis = record.schema == nullptr ? nullptr : record.schema->Find("axis");
    if (axis == nullptr) return false;
    if (axis->kind == FieldKind::kInt) return axis->Get<int64_t>(record.data) >= 0;
    return axis->kind != FieldKind::kDim || !axis->Get<Dim>(record.data).is_int() ||
           axis->Get<Dim>(record.data).value() >= 0;
  }
};

// Joins layers of any width along the last axis.
class WideRules final : public ParallelRules {
 public:
  auto op() const -> const OpDef* override { return "nn.dense"_op; }

  auto Key(const Function& function, ExprId call) const -> std::optional<ParallelKey> override {
    const Type* weight = WeightOf(function, call);
    if (weight == nullptr || !weight->shape[0].is_int()) return std::nullopt;
    if (function.context().As<DenseAttrs>(function.attrs(call)) == nullptr) return std::nullopt;
    return KeyOf(function, call, *weight, weight->shape.subspan(1));
  }

  auto JoinFirst(const JoinSite& site) const -> ExprId override {
    const ExprId first = site.group.branches[0][0];
    DenseAttrs attrs = AttrsOf(site.from, first);
    const std::vector<int64_t> widths = Widths(site);
    attrs.units = std::reduce(widths.begin(), widths.end());
    const auto weights = MapToVector<ExprId>(
        site.group.branches, [&](const auto& branch) { return site.made(site.from.operand(branch[0], 1)); });
    const ExprId weight = site.Concatenate(weights, 0);
    return EmitCallWith(site.to, op(), attrs, {site.made(site.from.operand(first, 0)), weight});
  }

  auto JoinArgument(const JoinSite& site, size_t level, size_t i, size_t parent) const -> ExprId override {
    const Type* first = TensorType(site.from, site.from.operand(site.group.branches[0][level], i));
    std::vector<ExprId> args;
    for (const auto& branch : site.group.branches) {
      const ExprId old = site.from.operand(branch[level], i);
      const Type* type = TensorType(site.from, old);
      const Type* result = TensorType(site.from, branch[level]);
      const Type* previous = TensorType(site.from, site.from.operand(branch[level], parent));
      if (first == nullptr || type == nullptr || result == nullptr || previous == nullptr || previous->rank() == 0)
        return {};
      if (type->dtype != first->dtype || type->rank() != first->rank() || type->rank() > result->rank()) return {};
      for (size_t k = 0; k + 1 < type->rank(); ++k) {
        if (type->shape[k] != first->shape[k]) return {};
      }
      const ExprId arg = Widen(site, site.made(old), *type, previous->shape.back());
      if (!arg) return {};
      args.push_back(arg);
    }
    return site.Concatenate(args, first->rank() == 0 ? 0 : static_cast<int64_t>(first->rank()) - 1);
  }

  auto Split(const JoinSite& site, ExprId joined, size_t level) const -> std::vector<ExprId> override {
    const std::vector<int64_t> widths = Widths(site);
    const auto axis = CutAxis(site, joined, level, widths);
    if (!axis) return {};
    return site.Slices(joined, *axis, site.to.context().type(site.MadeType(joined)).rank(), widths);
  }

 private:
  static auto Widths(const JoinSite& site) -> std::vector<int64_t> {
    return MapToVector<int64_t>(site.group.branches,
                                [&](const auto& branch) { return WeightOf(site.from, branch[0])->shape[0].value(); });
  }

  // `arg` with an element for each of `width` columns; returns none if the width is not known.
  static auto Widen(const JoinSite& site, ExprId arg, const Type& type, const Dim& width) -> ExprId {
    if (!width.is_int() || (type.rank() != 0 && !type.shape.back().is_int())) return {};
    if (type.rank() == 0) arg = EmitCallWith(site.to, "expand_dims"_op, ExpandDimsAttrs{.axis = -1}, {arg});
    const bool one_for_all = type.rank() == 0 || (type.shape.back().is(1) && width.value() > 1);
    if (!one_for_all) return arg;
    const int64_t last = type.rank() == 0 ? 0 : static_cast<int64_t>(type.rank()) - 1;
    return EmitCallWith(site.to, "repeat"_op, RepeatAttrs{.repeats = width, .axis = last}, {arg});
  }

  // Returns the axis along which the results follow each other: the last one in which the joined result differs from
  // the first branch's, or, when there is one branch only, the last one of its width.
  static auto CutAxis(const JoinSite& site, ExprId joined, size_t level, std::span<const int64_t> widths)
      -> std::optional<size_t> {
    const TypeId id = site.MadeType(joined);
    const Type* part = TensorType(site.from, site.group.branches[0][level]);
    if (!id || part == nullptr) return std::nullopt;
    const Type& whole = site.to.context().type(id);
    if (!whole.is_tensor() || whole.rank() != part->rank()) return std::nullopt;
    const int64_t total = std::reduce(widths.begin(), widths.end());
    for (size_t axis = whole.rank(); axis-- > 0;) {
      if (whole.shape[axis].is(total) && part->shape[axis].is(widths[0])) return axis;
    }
    return std::nullopt;
  }
};

struct CombineParallelDense {
  struct Options {
    int64_t min_num_branches = 3;
    bool to_batch = true;
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::min_num_branches>("fewer layers stay apart", {.min = 0}),
          Option<&Options::to_batch>("true: one nn.batch_matmul; false: one wide nn.dense"),
      };
    }
  } options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const auto min = static_cast<uint64_t>(options.min_num_branches);
    return options.to_batch ? JoinParallelBranches(function, BatchRules(), min)
                            : JoinParallelBranches(function, WideRules(), min);
  }
};

}  // namespace

constinit const PassDef kCombineParallelDensePass = DescribePass<CombineParallelDense>({
    .name = "CombineParallelDense",
    .opt_level = 4,
    .required = "InferType",
    .summary = "merges dense layers on the same input into one product",
    .details =
        R"(Dense layers (nn.dense) on one input become one product. With to_batch they must have weights of one
shape, and input and weights are stacked:

  %0 = nn.dense(%x, %w1);           %4 = nn.batch_matmul(stack((%x, %x)), stack((%w1, %w2)));
  %1 = nn.dense(%x, %w2);   =>      %5 = split(%4, indices_or_sections=2);
                                    squeeze(%5.0, axis=[0]), squeeze(%5.1, axis=[0])

Without it they may have different widths, and the weights follow each other in one nn.dense of which the
results are slices. Elementwise and broadcasting operators behind the layers are joined as well as long as all
branches have the same ones and their other arguments can be joined the same way. Every element is computed from
the same numbers as before. A value inside a branch that is also in a tuple or a result is computed twice.

Left alone: fewer than min_num_branches layers, branches that depend on each other, weights that are not known
where the first result is needed, and operators that the new axis or the greater width would change.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
