// What attribute structs share that differ only in the number of spatial axes.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "relayopt/core/attrs.h"

namespace relayopt {

// Returns the name for 1, 2 or 3 spatial axes.
template <size_t kSpatial>
constexpr auto BySpatial(const char* one, const char* two, const char* three) -> const char* {
  static_assert(kSpatial >= 1 && kSpatial <= 3);
  return kSpatial == 1 ? one : kSpatial == 2 ? two : three;
}

template <size_t kSpatial>
inline constexpr const char* kChannelsFirst = BySpatial<kSpatial>("NCW", "NCHW", "NCDHW");

// Returns a list with `value` for each spatial axis.
template <size_t kSpatial>
auto EachAxis(int64_t value) -> DimList {
  return DimList(std::vector<Dim>(kSpatial, Dim(value)));
}

// Returns lists of fields as one.
template <size_t... kSizes>
constexpr auto JoinFields(const std::array<FieldInfo, kSizes>&... lists) -> std::array<FieldInfo, (kSizes + ...)> {
  std::array<FieldInfo, (kSizes + ...)> all{};
  auto end = all.begin();
  ((end = std::ranges::copy(lists, end).out), ...);
  return all;
}

// The fields of the window of a convolution, and all others; A is the struct with the members.
template <typename A>
constexpr auto ConvWindowFields() {
  return std::array{
      Field<&A::strides>("step of the window along each spatial axis"),
      Field<&A::padding>("zeros added before and after each spatial axis"),
      Field<&A::dilation>("distance of neighbouring kernel elements"),
  };
}
template <typename A>
constexpr auto ConvKernelFields() {
  return std::array{
      Field<&A::groups>("number of groups of channels"),
      Field<&A::channels>("number of output channels; None: from the weight"),
      Field<&A::kernel_size>("spatial extents of the kernel; None: from the weight"),
      Field<&A::data_layout>("layout of the data"),
      Field<&A::kernel_layout>("layout of the weight"),
      Field<&A::out_layout>("layout of the result; empty: that of the data"),
      Field<&A::out_dtype>("element type of the result; empty: that of the data"),
  };
}

}  // namespace relayopt
