// FastMath: replaces transcendental functions by approximations.
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr Statistic kReplaced = {"FastMath", "replaced", "calls replaced by a fast approximation", true};
constexpr Statistic kFastMathStatistics[] = {kReplaced};

// Returns the approximation of an operator, or null if there is none.
auto FastVersion(const OpDef* op) -> const OpDef* {
  if (op == "exp"_op) return "fast_exp"_op;
  if (op == "erf"_op) return "fast_erf"_op;
  if (op == "tanh"_op) return "fast_tanh"_op;
  if (op == "nn.softmax"_op) return "nn.fast_softmax"_op;
  return nullptr;
}

struct FastMath {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    uint64_t replaced = 0;
    auto result = Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
      const OpDef* fast = function.kind(id) == ExprKind::kOpCall ? FastVersion(function.op(id)) : nullptr;
      if (fast == nullptr || !context.Allows(kReplaced)) return ExprId();
      ++replaced;
      return EmitCall(rebuild.to(), fast, rebuild.NewOperands(id), function.attrs(id));
    });
    context.Count(kReplaced, replaced);
    return result;
  }
};

}  // namespace

constinit const PassDef kFastMathPass = DescribePass<FastMath>({
    .name = "FastMath",
    .opt_level = 4,
    .required = "InferType",
    .summary = "replaces exp, erf, tanh and softmax by their fast approximations",
    .details =
        R"(Calls of exp, erf, tanh and nn.softmax become calls of fast_exp, fast_erf, fast_tanh and nn.fast_softmax
with the same arguments and attributes:

  exp(%x)                      =>    fast_exp(%x)
  nn.softmax(%x, axis=1)       =>    nn.fast_softmax(%x, axis=1)

The fast versions are polynomials with a relative error of about 1e-5 on float32, so results change slightly. Calls
inside closures and kernels are replaced too. Everything else stays, sigmoid and nn.log_softmax among it.)",
    .exactness = Exactness::kApproximate,
    .idempotent = true,
    .statistics = kFastMathStatistics,
});

}  // namespace relayopt
