// Convolutions on tensors in canonical layouts.
#pragma once

#include <optional>
#include <string_view>

#include "correlate.h"
#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// A view of the attributes that all convolutions have. They must outlive it.
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

// Returns the numbers of a list attribute along the last `spatial` of three axes; `otherwise` along the axes before,
// and if the list is too short.
auto Spatial(const DimList& list, size_t spatial, int64_t otherwise) -> Triple;

// Whether every number of a list is a positive constant, as extents of windows and steps have to be.
auto ArePositive(const DimList& list) -> bool;

// The padding before and after each axis: the list has one number for all, one for both sides of each axis, or the
// amounts before all axes, then those after all axes.
struct PadPair {
  Triple before{0, 0, 0};
  Triple after{0, 0, 0};
};
auto PaddingOf(const DimList& padding, size_t spatial) -> PadPair;

// Returns the convolution (or transposed convolution) of data and weight in their layouts, computed in the element type
// of the result of the call; the tensor has the layout and type of that result. Returns nothing, with the error
// reported, if the sizes do not match.
auto Convolved(KernelContext& kernel, const ConvSpec& spec, const Tensor& data, const Tensor& weight)
    -> std::optional<Tensor>;
auto ConvolvedTransposed(KernelContext& kernel, const ConvSpec& spec, const Tensor& data, const Tensor& weight)
    -> std::optional<Tensor>;

}  // namespace relayopt
