// The attributes that all convolutions have, and common parts of their type rules.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"

namespace relayopt {

// A view of a convolution's attributes, which must outlive it.
struct ConvSpec {
  // Number of spatial axes, 1 to 3.
  size_t spatial;
  const DimList& strides;
  const DimList& padding;
  const DimList& dilation;
  int64_t groups;
  const Dim& channels;
  const DimList& kernel_size;
  std::string_view data_layout;
  std::string_view kernel_layout;
  // Never empty: the layout of the data if the attribute is empty.
  std::string_view out_layout;
  DataType out_dtype;
};

template <typename A>
auto SpecOf(const A& attrs, size_t spatial) -> ConvSpec {
  return {.spatial = spatial,
          .strides = attrs.strides,
          .padding = attrs.padding,
          .dilation = attrs.dilation,
          .groups = attrs.groups,
          .channels = attrs.channels,
          .kernel_size = attrs.kernel_size,
          .data_layout = attrs.data_layout,
          .kernel_layout = attrs.kernel_layout,
          .out_layout = attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout,
          .out_dtype = attrs.out_dtype};
}

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
