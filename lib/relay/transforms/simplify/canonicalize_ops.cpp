// CanonicalizeOps: replaces bias_add by add.
#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Rank of the data of a bias_add, or nothing if its type is not known.
auto RankOf(const Function& function, ExprId data) -> std::optional<size_t> {
  if (!function.type(data)) return std::nullopt;
  const Type& type = function.context().type(function.type(data));
  if (!type.is_tensor()) return std::nullopt;
  return type.rank();
}

struct CanonicalizeOps {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
      if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "nn.bias_add"_op) return ExprId();
      const auto* attrs = function.context().As<BiasAddAttrs>(function.attrs(id));
      const auto rank = RankOf(function, function.operand(id, 0));
      if (attrs == nullptr || !rank) return ExprId();
      const ExprId data = rebuild.New(function.operand(id, 0));
      const ExprId bias = rebuild.New(function.operand(id, 1));
      const int64_t axis = NormalizedAxis(attrs->axis, *rank);
      const ExprId sum = EmitCall(rebuild.to(), "add"_op, {data, ExpandBias(rebuild.to(), bias, *rank, axis)});
      rebuild.to().SetType(sum, function.type(id));
      return sum;
    });
  }
};

}  // namespace

constinit const PassDef kCanonicalizeOpsPass = DescribePass<CanonicalizeOps>({
    .name = "CanonicalizeOps",
    .opt_level = 3,
    .required = "InferType",
    .summary = "writes nn.bias_add as add",
    .details = R"(nn.bias_add becomes an add whose second operand is expanded so that it lies along the axis:

  nn.bias_add(%x, %b)          =>    %0 = expand_dims(%b, axis=1, num_newaxis=2);
                                     add(%x, %0)

for %x of rank 4 and the default axis 1. A bias along the last axis needs no expand_dims. Passes that know add then
handle biases as well. Every other operator stays.)",
    .idempotent = true,
});

}  // namespace relayopt
