// ConvertLayout: converts operators to the layouts that the user requests.
#include <algorithm>

#include "layout_rewriter.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/option_checks.h"
#include "relayopt/relay/transforms/pass_callbacks.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotConvert = {"cannot-convert-layout", Severity::kError, "{}"};

struct ConvertLayoutOptions {
  StringListMap desired_layouts;
  static constexpr auto Fields() {
    return std::array{RequiredOption<&ConvertLayoutOptions::desired_layouts>(
        R"(for each operator its layouts, as {"nn.conv2d": ["NHWC", "default"], "nn.max_pool2d": ["NHWC"]})",
        {.check = CheckLayouts})};
  }
};

struct ConvertLayout {
  using Options = ConvertLayoutOptions;
  Options options;

  auto Run(const Module& module, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return RewriteLayouts(module, function, context, "ConvertLayout",
                          [&, callbacks = CallbacksOf(context)](ExprId id, AttrsId attrs) {
                            return Choose(callbacks, function, id, attrs);
                          });
  }

  auto Choose(const PassCallbacks* callbacks, const Function& function, ExprId id, AttrsId attrs) const
      -> Result<LayoutChoice> {
    const OpDef* op = function.op(id);
    const LayoutChoice unchanged{op, attrs};
    if (callbacks != nullptr && callbacks->choose_layout) {
      if (const auto answer = callbacks->choose_layout(function, id, attrs)) {
        return LayoutChoice{answer->op, answer->attrs};
      }
    }
    Context& context = function.context();
    if (op->convert_layout == nullptr || !attrs || context.attrs(attrs).schema != op->attrs) return unchanged;
    const auto entry = std::find_if(options.desired_layouts.begin(), options.desired_layouts.end(),
                                    [&](const auto& row) { return row.first == op->name; });
    if (entry == options.desired_layouts.end()) return unchanged;
    const auto types =
        MapToVector<TypeId>(function.operands(id), [&](ExprId operand) { return function.type(operand); });
    LayoutConversion conversion(context, *op, attrs, types, entry->second);
    if (!op->convert_layout(conversion)) return MakeDiagnostic(kCannotConvert, function.range(id), conversion.error());
    return LayoutChoice{conversion.op(), conversion.TakeAttrs()};
  }
};

}  // namespace

constinit const PassDef kConvertLayoutPass = DescribePass<ConvertLayout>({
    .name = "ConvertLayout",
    .opt_level = 3,
    .required = "InferType,CanonicalizeOps",
    .summary = "converts operators to the requested layouts",
    .details = R"(The operators that desired_layouts names run in the layouts given for them; "default" for a kernel
stands for the layout that usually goes with the data's. With {"nn.conv2d": ["NHWC", "default"]}:

  %0 = nn.conv2d(%x, %w, ...);       %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
  nn.relu(%0)                        %1 = layout_transform(%w, src_layout="OIHW", dst_layout="HWIO");
                               =>    %2 = nn.conv2d(%0, %1, data_layout="NHWC", kernel_layout="HWIO", ...);
                                     %3 = nn.relu(%2);
                                     layout_transform(%3, src_layout="NHWC", dst_layout="NCHW")

Layouts are carried forward: operators that work in any layout (element-wise ones, broadcasts, pooling, reductions,
concatenations, slices, ...) take the new one, with axes and lists in their attributes changed to match, and a vector
that broadcasts to converted data is expanded to its rank. Data is converted back in front of operators that cannot
(reshape, nn.softmax, nn.batch_flatten, ...), at function results, and at whatever is bound by let, chosen by if or
passed to a function. One conversion serves all who need it.

Moving elements changes no value, but sums over several axes are summed up in another order. What the program computes is checked at each
call: one that would not have the type it had, in the new layout, stays as it was.

Left alone: operators that are not named keep the layouts of their attributes, but follow their operands. A projection
of a literal tuple becomes the field. Layouts that an operator does not know are an error.)",
    .exactness = Exactness::kApproximate,
    // A second run writes further conversions, which cancel each other.
    .idempotent = false,
});

}  // namespace relayopt
