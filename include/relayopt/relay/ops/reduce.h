// Reductions along axes.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `all`, `any`, `max` and 4 more operators.
struct ReduceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReduceAttrs";
  DimList axis = DimList::Null();
  bool keepdims = false;
  bool exclude = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&ReduceAttrs::axis>("axes to reduce; None or empty: all"),
        Field<&ReduceAttrs::keepdims>("keep reduced axes with extent 1"),
        Field<&ReduceAttrs::exclude>("reduce all axes but those given"),
    };
  }
};

// The attributes of `argmax` and `argmin`.
struct ArgReduceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ArgReduceAttrs";
  DimList axis = DimList::Null();
  bool keepdims = false;
  bool select_last_index = false;
  bool exclude = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&ArgReduceAttrs::axis>("axes to reduce; None or empty: all"),
        Field<&ArgReduceAttrs::keepdims>("keep reduced axes with extent 1"),
        Field<&ArgReduceAttrs::select_last_index>("the last of equal elements, not the first"),
        Field<&ArgReduceAttrs::exclude>("reduce all axes but those given"),
    };
  }
};

// The attributes of `variance`.
struct VarianceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.VarianceAttrs";
  DimList axis = DimList::Null();
  bool keepdims = false;
  bool exclude = false;
  bool unbiased = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&VarianceAttrs::axis>("axes to reduce; None or empty: all"),
        Field<&VarianceAttrs::keepdims>("keep reduced axes with extent 1"),
        Field<&VarianceAttrs::exclude>("reduce all axes but those given"),
        Field<&VarianceAttrs::unbiased>("divide by the count less one"),
    };
  }
};

// Returns the axes that a reduction with these attributes reduces, ascending, for data with `rank` axes. Returns
// nothing, with a diagnostic, if an entry is not an axis or occurs twice.
auto ReducedAxes(RuleContext& rule, const DimList& axis, bool exclude, size_t rank)
    -> std::optional<std::vector<size_t>>;

}  // namespace relayopt
