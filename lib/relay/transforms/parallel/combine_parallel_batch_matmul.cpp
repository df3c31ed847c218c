// CombineParallelBatchMatmul: merges batched matrix products with the same left operand.
#include <algorithm>

#include "parallel_branches.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

class BatchMatmulRules final : public ParallelRules {
 public:
  auto op() const -> const OpDef* override { return "nn.batch_matmul"_op; }

  auto Key(const Function& function, ExprId call) const -> std::optional<ParallelKey> override {
    Context& context = function.context();
    const auto* attrs = context.As<BatchMatmulAttrs>(function.attrs(call));
    if (attrs == nullptr || attrs->transpose_a || !attrs->transpose_b || !Width(function, call)) return std::nullopt;
    const Type& right = context.type(function.type(function.operand(call, 1)));
    return ParallelKey{function.attrs(call), context.Tensor(right.shape.first(1), right.dtype)};
  }

  auto JoinFirst(const JoinSite& site) const -> ExprId override {
    const ExprId first = site.group.branches[0][0];
    const auto rights = MapToVector<ExprId>(
        site.group.branches, [&](const auto& branch) { return site.made(site.from.operand(branch[0], 1)); });
    const ExprId right = site.Concatenate(rights, 1);
    return EmitCall(site.to, op(), {site.made(site.from.operand(first, 0)), right}, site.from.attrs(first));
  }

  auto JoinArgument(const JoinSite& site, size_t level, size_t i, size_t) const -> ExprId override {
    const Type* first = TensorType(site.from, site.from.operand(site.group.branches[0][level], i));
    std::vector<ExprId> args;
    for (const auto& branch : site.group.branches) {
      const ExprId arg = site.from.operand(branch[level], i);
      const Type* type = TensorType(site.from, arg);
      if (first == nullptr || type == nullptr || type->rank() == 0) return {};
      // Every column must have an element of its own.
      if (type->dtype != first->dtype || type->rank() != first->rank()) return {};
      if (!type->shape.back().is(*Width(site.from, branch[0]))) return {};
      if (!std::ranges::equal(type->shape.first(type->rank() - 1), first->shape.first(first->rank() - 1))) return {};
      args.push_back(site.made(arg));
    }
    return site.Concatenate(args, -1);
  }

  auto Split(const JoinSite& site, ExprId joined, size_t) const -> std::vector<ExprId> override {
    const auto widths =
        MapToVector<int64_t>(site.group.branches, [&](const auto& branch) { return *Width(site.from, branch[0]); });
    return site.Slices(joined, 2, 3, widths);
  }

 private:
  // Number of columns of the result.
  static auto Width(const Function& function, ExprId call) -> std::optional<int64_t> {
    const TypeId id = function.operands(call).size() == 2 ? function.type(function.operand(call, 1)) : TypeId();
    if (!id || !function.context().type(id).is_tensor()) return std::nullopt;
    const Type& right = function.context().type(id);
    if (right.rank() != 3 || !right.shape[1].is_int()) return std::nullopt;
    return right.shape[1].value();
  }
};

struct CombineParallelBatchMatmul {
  struct Options {
    int64_t min_num_branches = 3;
    static constexpr auto Fields() {
      return std::array{Option<&Options::min_num_branches>("fewer products stay apart", {.min = 0})};
    }
  } options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return JoinParallelBranches(function, BatchMatmulRules(), static_cast<uint64_t>(options.min_num_branches));
  }
};

}  // namespace

constinit const PassDef kCombineParallelBatchMatmulPass = DescribePass<CombineParallelBatchMatmul>({
    .name = "CombineParallelBatchMatmul",
    .opt_level = 4,
    .required = "InferType",
    .summary = "merges batched products with the same left operand into one product",
    .details =
        R"(Batched products (nn.batch_matmul, the right operand transposed) of one left operand become one, with
the right operands one after the other; the results are slices of its result:

  %0 = nn.batch_matmul(%x, %y);          %0 = (%y, %z);
  %1 = nn.batch_matmul(%x, %z);   =>     %1 = concatenate(%0, axis=1);
                                         %2 = nn.batch_matmul(%x, %1);
                                         %3 = strided_slice(%2, begin=[0, 0, 0], end=[-1, -1, 8], slice_mode="size");
                                         ...

Elementwise and broadcasting operators behind them are joined as well as long as all branches have the same ones
and their other arguments have an element for each column. Every element is computed from the same numbers as
before. A value inside a branch that is also in a tuple or a result is computed twice.

Left alone: fewer than min_num_branches products, other transpositions, operands of other type or batch,
branches that depend on each other, and operands that are not known where the first result is needed.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
