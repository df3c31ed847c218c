// qnn.CanonicalizeOps: lowers quantized operators to integer arithmetic.
#include "lowering.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct CanonicalizeQnnOps {
  struct Options {
    std::string rounding = "UPWARD";
    std::string compute_dtype = "int64";
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::rounding>("UPWARD or TONEAREST, where a requantization does not say",
                                     {.words = "UPWARD TONEAREST"}),
          Option<&Options::compute_dtype>("int64, float32 or float64, where a requantization does not say",
                                          {.words = "int64 float32 float64"}),
      };
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const auto rounding = ParseRounding(options.rounding);
    const auto compute_dtype = ParseComputeType(options.compute_dtype);
    if (!HasQnnCalls(function)) return std::nullopt;
    const RequantizeMode mode = {*rounding, *compute_dtype};
    Rebuild rebuild(function);
    QnnEmitter emit(rebuild.to());
    std::vector<ExprId> args;
    return rebuild.Rewrite([&](ExprId id) {
      const QnnRule rule = function.kind(id) == ExprKind::kOpCall ? FindQnnLowering(function.op(id)) : nullptr;
      if (rule == nullptr) return ExprId();
      const auto operands = rebuild.NewOperands(id);
      args.assign(operands.begin(), operands.end());
      QnnCall call{{function, id}, emit, args, mode};
      const ExprId lowered = rule(call);
      if (lowered) rebuild.to().SetType(lowered, function.type(id));
      return lowered;
    });
  }

 private:
  static auto HasQnnCalls(const Function& function) -> bool {
    for (const ExprId id : function.ids()) {
      if (function.kind(id) == ExprKind::kOpCall && FindQnnLowering(function.op(id)) != nullptr) return true;
    }
    return false;
  }
};

}  // namespace

constinit const PassDef kQnnCanonicalizeOpsPass = DescribePass<CanonicalizeQnnOps>({
    .name = "qnn.CanonicalizeOps",
    .info_name = "QnnCanonicalize",
    .opt_level = 1,
    .required = "InferType",
    .summary = "lowers quantized operators to integer arithmetic",
    .details =
        R"(A quantized tensor holds integers q that stand for scale * (q - zero_point). Operators on such tensors become
ordinary operators on the integers:

  qnn.quantize(x, s, z)         =>   cast(clip(round(x / s) + z))
  qnn.dequantize(q, s, z)       =>   cast(q - z) * s
  qnn.requantize                =>   fixed_point_multiply(q - z1, s1 / s2) + z2, clipped and cast
  qnn.add, qnn.subtract         =>   both operands requantized to the result's scale, then the sum or difference
  qnn.mul                       =>   the product of q - z, requantized from the product of the scales
  qnn.dense, qnn.batch_matmul, qnn.conv2d
                                =>   the operator on the integers, minus what the zero points add to it:
                                     (x - a)(w - b) = xw - b*sum(x) - a*sum(w) + a*b*n
  qnn.concatenate, qnn.avg_pool2d
                                =>   operands requantized to the result's scale
  qnn.tanh, exp, sqrt, rsqrt, erf, sigmoid, hardswish, log, abs
                                =>   dequantized, computed on real numbers, quantized
  qnn.softmax, qnn.leaky_relu   =>   integer arithmetic only

Factors are computed with 31 bits and products with 64, or in floats when compute_dtype says so. Terms whose zero
point is 0 are left out. A dilated or grouped convolution, for which sums over windows cannot be had from pooling,
subtracts the zero points from its operands instead.

Left alone: operators whose scales are no constants where a factor has to be made of them, convolutions in other
layouts than NCHW and NHWC or whose channels are not known, qnn.conv2d_transpose (see qnn.Legalize) and the simulated
operators.)",
    .aliases = "QnnCanonicalizeOps",
    .exactness = Exactness::kApproximate,
    .idempotent = true,
});

}  // namespace relayopt
