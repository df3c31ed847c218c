// Checks of scales and zero points, which the type rules of the qnn operators share.
#pragma once

#include <initializer_list>
#include <optional>

#include "lib/relay/ops/rule_helpers.h"

namespace relayopt {

inline constexpr DataType kScaleType = DataType::Float(32);
inline constexpr DataType kZeroPointType = DataType::Int(32);

// Returns nothing if input `i` is a scalar of this element type, else the status to return.
auto NeedScalar(RuleContext& rule, size_t i, DataType dtype) -> std::optional<RuleStatus>;

// The quantization of several inputs: the indices of a scale and of the zero point that follows it, for each.
struct QuantizationInputs {
  size_t scale = 0;
  size_t zero_point = 0;
};
auto NeedScalars(RuleContext& rule, std::initializer_list<QuantizationInputs> inputs) -> std::optional<RuleStatus>;

// Returns nothing if input `i` is a scalar of this element type, or a vector of `length` elements of it, else the
// status to return.
auto NeedScalarOrVector(RuleContext& rule, size_t i, DataType dtype, const Dim& length) -> std::optional<RuleStatus>;

// Returns nothing if none of the inputs `first` to `last` (exclusive) is unknown.
auto NeedKnown(RuleContext& rule, size_t first, size_t last) -> std::optional<RuleStatus>;

// Returns the extent of tensor input `i` along the axis in attribute `field`; reports an error and returns nothing if
// there is no such axis. A scalar has extent 1 along axis 0 and along every negative axis.
auto ChannelsAlong(RuleContext& rule, size_t i, std::string_view field, int64_t axis) -> std::optional<Dim>;

}  // namespace relayopt
