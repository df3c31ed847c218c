// Extents that are computed, as text of Relax.
//
// A shape that is a tensor becomes names, with which everything after it can be expressed:
//
//   dyn.full(1f, %s)   =>   lv0 = R.match_cast(R.tensor_to_shape(s), R.Shape([d0, d1]))
//                           lv1 = R.full(R.shape([d0, d1]), R.const(1.0, "float32"), dtype="float32")
//
// Where the shape follows from operands by more than that, it is computed as a tensor of int64 first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forms.h"

namespace relayopt::relax {

using Extents = std::vector<std::string>;

// Returns a value, or a number, as int64.
auto Wide(std::string_view value) -> std::string;
auto WideConst(int64_t value) -> std::string;

// Extents as a tensor of int64.
auto AsTensor(std::span<const std::string> extents) -> std::string;

// Names for the numbers of a tensor of int64 of rank 1.
auto Named(const RelaxCall& call, std::string_view tensor, size_t count) -> Extents;

// Names for the numbers of the i-th argument, a tensor of integers; returns nothing if their count is not known.
auto NamedArgument(const RelaxCall& call, size_t i) -> std::optional<Extents>;

auto Times(const std::string& a, const std::string& b) -> std::string;
auto Plus(const std::string& a, const std::string& b) -> std::string;

// Returns the result of the call, a value with these extents; the data reshaped to them.
auto Shaped(const RelaxCall& call, std::string value, Extents extents) -> Text;
auto Reshaped(const RelaxCall& call, std::string_view data, const Extents& extents) -> Text;
// The first argument broadcast to these extents. TVM takes an extent with another name for one that is equal, so that
// elements are taken along such an axis: all of them, or the single one again and again.
auto BroadcastTo(const RelaxCall& call, const Extents& extents) -> Text;

}  // namespace relayopt::relax
