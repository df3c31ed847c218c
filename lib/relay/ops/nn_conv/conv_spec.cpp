// Common parts of the type rules of convolutions.
#include "conv_spec.h"

namespace relayopt {

auto CanonicalDataLayout(size_t spatial) -> std::string_view {
  constexpr std::string_view kLayouts[] = {"NCW", "NCHW", "NCDHW"};
  return kLayouts[spatial - 1];
}

auto CanonicalKernelLayout(size_t spatial) -> std::string_view {
  constexpr std::string_view kLayouts[] = {"OIW", "OIHW", "OIDHW"};
  return kLayouts[spatial - 1];
}

auto CheckConvSpec(RuleContext& rule, const ConvSpec& spec) -> bool {
  return NeedPositive(rule, "groups", spec.groups) && NeedSteps(rule, "strides", spec.strides, spec.spatial) &&
         NeedLength(rule, "dilation", spec.dilation, spec.spatial);
}

auto KernelFromAttrs(RuleContext& rule, const ConvSpec& spec) -> std::optional<ConvKernel> {
  // As TVM: the one-dimensional rules read the first element and ignore others.
  const auto need = spec.spatial == 1 ? NeedLength : NeedExactLength;
  if (!need(rule, "kernel_size", spec.kernel_size, spec.spatial)) return std::nullopt;
  if (!need(rule, "dilation", spec.dilation, spec.spatial)) return std::nullopt;
  if (spec.channels.is_null()) {
    rule.Error("{}: channels is missing", rule.op().name);
    return std::nullopt;
  }
  const Dim* first = spec.kernel_size.values.data();
  return ConvKernel{spec.channels, SpatialDims(first, first + spec.spatial)};
}

auto CheckKernelSize(RuleContext& rule, const ConvSpec& spec, Shape weight, size_t skip) -> bool {
  if (spec.kernel_size.null) return true;
  if (!NeedLength(rule, "kernel_size", spec.kernel_size, spec.spatial)) return false;
  const Shape found = weight.subspan(skip, spec.spatial);
  for (size_t i = 0; i < spec.spatial; ++i) {
    if (!ProvablyDifferent(spec.kernel_size[i], found[i])) continue;
    rule.Error("{}: kernel_size is {}, the weight's spatial extents are {}", rule.op().name,
               ToString(spec.kernel_size.values), ToString(found));
    return false;
  }
  return true;
}

auto ConvResult(RuleContext& rule, const ConvSpec& spec, Shape data, const ConvKernel& kernel, Rounding rounding,
                bool any_safe) -> std::optional<std::vector<Dim>> {
  Context& context = rule.context();
  // As TVM: conv1d reads both elements, the other rules accept short forms.
  const bool both_sides = spec.spatial == 1;
  if (both_sides && !NeedLength(rule, "padding", spec.padding, 2)) return std::nullopt;
  const auto padding = both_sides ? SpatialDims{Add(context, spec.padding[0], spec.padding[1])}
                                  : PaddingSums(rule, spec.padding, spec.spatial);
  if (!padding) return std::nullopt;
  std::vector<Dim> shape = {data[0], kernel.channels};
  for (size_t i = 0; i < spec.spatial; ++i) {
    const Dim& extent = data[2 + i];
    if (any_safe && extent.is_any()) {
      shape.push_back(extent);
      continue;
    }
    const Dim window = DilatedExtent(context, kernel.extents[i], spec.dilation[i]);
    const Dim room = Sub(context, Add(context, extent, (*padding)[i]), window);
    const auto divide = rounding == Rounding::kFloor ? FloorDiv : TruncDiv;
    shape.push_back(Add(context, divide(context, room, spec.strides[i]), 1));
  }
  return shape;
}

auto DoneConv(RuleContext& rule, const ConvSpec& spec, Shape shape, DataType dtype) -> RuleStatus {
  if (const auto status = CheckExtents(rule, shape)) return *status;
  const auto out = ConvertShape(rule, "the result", CanonicalDataLayout(spec.spatial), spec.out_layout, shape);
  if (!out) return RuleStatus::kFailed;
  return DoneShape(rule, *out, OutType(spec.out_dtype, dtype));
}

}  // namespace relayopt
