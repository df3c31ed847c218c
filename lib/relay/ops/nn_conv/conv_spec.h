// Common parts of the type rules of convolutions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/relay/ops/nn_conv/convolve.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"

namespace relayopt {

// Returns the layouts in which rules compute: batch, channels, then space; output channels, input channels, then space.
auto CanonicalDataLayout(size_t spatial) -> std::string_view;
auto CanonicalKernelLayout(size_t spatial) -> std::string_view;

// What a type rule knows about the kernel of a convolution.
struct ConvKernel {
  // Output channels.
  Dim channels;
  // Extents along the spatial axes.
  SpatialDims extents;
};

// Whether groups and strides are positive and strides and dilation have an element per axis; reports an error if not.
auto CheckConvSpec(RuleContext& rule, const ConvSpec& spec) -> bool;

// `channels` and `kernel_size` of the attributes. Reports and returns nothing if they do not describe a kernel.
auto KernelFromAttrs(RuleContext& rule, const ConvSpec& spec) -> std::optional<ConvKernel>;

// Whether `kernel_size`, if given, agrees with the spatial extents that follow the first `skip` of the weight's shape.
auto CheckKernelSize(RuleContext& rule, const ConvSpec& spec, Shape weight, size_t skip) -> bool;

// How the number of window positions is rounded.
enum class Rounding : uint8_t { kFloor, kTowardZero };

// Returns the shape of a convolution's result in the canonical layout, from the data's. An unknown extent of the data
// stays unknown if `any_safe`, else it becomes a symbolic expression.
auto ConvResult(RuleContext& rule, const ConvSpec& spec, Shape data, const ConvKernel& kernel, Rounding rounding,
                bool any_safe) -> std::optional<std::vector<Dim>>;

// Ends a rule with `shape`, which is in the canonical layout.
auto DoneConv(RuleContext& rule, const ConvSpec& spec, Shape shape, DataType dtype) -> RuleStatus;

// Returns the shape that the rows of convolutions share.
constexpr auto Convolution(std::string_view name, const AttrsSchema& attrs, TypeRule type, Kernel kernel,
                           std::string_view doc, LayoutConverter convert_layout = nullptr) -> OpDef {
  return {.name = name,
          .inputs = "data, weight",
          .attrs = &attrs,
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kOutEWiseFusable,
          .layout = ConvolutionLayout,
          .convert_layout = convert_layout,
          .doc = doc};
}

}  // namespace relayopt
