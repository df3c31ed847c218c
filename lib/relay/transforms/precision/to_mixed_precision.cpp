// ToMixedPrecision: computes convolutions and matrix products, and operators around them, in a 16-bit float type.
#include <optional>

#include "lib/relay/transforms/named_globals.h"
#include "reduce_precision.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/option_checks.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoPrecision = {"no-precision-category", Severity::kWarning,
                                         "{} has no precision category and follows its operands (calls: {})"};
constexpr DiagnosticKind kNoPrecisionError = {"missing-precision-category", Severity::kError,
                                              "{} has no precision category (calls: {}) and missing_op_mode is 0"};

constexpr DiagnosticKind kLostConstant = {"constant-out-of-range", Severity::kWarning,
                                          "the constant {} of {} becomes {} in float32"};

struct ToMixedPrecision {
  struct Options {
    std::string mixed_precision_type = "float16";
    int64_t missing_op_mode = 1;
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::mixed_precision_type>("the reduced type: float16, bfloat16, ...", {.check = CheckFloatType}),
          Option<&Options::missing_op_mode>("operators without a category: 0 is an error, 1 warns, 2 says nothing",
                                            {.min = 0, .max = 2}),
      };
    }
  };
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    const auto reduced = ParseDataType(options.mixed_precision_type);
    const bool keeps_result = context.ConfigBool("relay.ToMixedPrecision.keep_orig_output_dtype") ||
                              module.Analysis<NamedGlobals>().contains(id);
    PassRemarks remarks(context, "ToMixedPrecision", module, function);
    ReducedFunction made = ReducePrecision(function, *reduced, keeps_result, remarks);
    for (const ReducedFunction::Lost& lost : made.lost) {
      const std::string_view what = lost.element.is_infinite ? "infinite" : "zero";
      context.diagnostics().Report(kLostConstant, lost.range, fmt::format("{:g}", lost.element.value), lost.op, what);
    }
    if (options.missing_op_mode != 2) {
      using Kind = KindFor<std::string_view, size_t>;
      const auto kind = options.missing_op_mode == 0 ? Kind(kNoPrecisionError) : Kind(kNoPrecision);
      for (const auto& [name, count] : made.missing) context.diagnostics().Report(kind, {}, name, count);
    }
    return std::move(made.function);
  }
};

}  // namespace

constinit const PassDef kToMixedPrecisionPass = DescribePass<ToMixedPrecision>({
    .name = "ToMixedPrecision",
    .required = "InferType",
    .summary = "computes in float16 or bfloat16 where this is faster and precise enough",
    .details = R"(Each operator has a precision category (see --help-op):

  always   convolutions and matrix products: operands are cast to the reduced type, and out_dtype becomes it
  follow   reduced when every float operand is reduced already, or is a variable or a constant; else computed in float32
  never    computed in float32: exp, softmax, sums, norms and others that need range or digits

  nn.softmax(nn.relu(nn.conv2d(%x, %w)))
    =>  %0 = cast(%x, dtype="float16");  %1 = cast(%w, dtype="float16");
        %2 = nn.conv2d(%0, %1, out_dtype="float16");  %3 = nn.relu(%2);
        %4 = cast(%3, dtype="float32");  nn.softmax(%4)

An operator without a category follows, and a warning counts its calls (missing_op_mode). clip follows only when its
bounds exist in the reduced type. An operator with a constant that would become infinite or zero in the reduced type
stays in float32: a mask times 100000, an epsilon of 1e-8. An expression is cast to one type once, and casting back gives the expression itself.
float64 is computed in float32 or less as well; a warning names constants that float32 cannot hold.

Parameters keep their types. The result of the function changes its type, unless the function is called by name or
the configuration says relay.ToMixedPrecision.keep_orig_output_dtype. A closure that is only called where it stands may
return reduced values; generic and other closures, references, matches and arguments of algebraic data types keep
their types.)",
    .exactness = Exactness::kNarrows,
});

}  // namespace relayopt
