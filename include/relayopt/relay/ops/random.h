// Random numbers from an explicit key, which each operator takes and returns advanced.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `random.threefry_generate`.
struct ThreefryGenerateAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ThreefryGenerateAttrs";
  DimList out_shape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&ThreefryGenerateAttrs::out_shape>("shape of the numbers")};
  }
};

// The attributes of `random.uniform`.
struct UniformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.UniformAttrs";
  DimList out_shape = DimList::Null();
  DataType out_dtype = {};
  static constexpr auto Fields() {
    return std::array{
        Required<&UniformAttrs::out_shape>("shape of the numbers"),
        Field<&UniformAttrs::out_dtype>("their type, float32 or float64"),
    };
  }
};

// The attributes of `random.normal`.
struct NormalAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NormalAttrs";
  DimList out_shape = DimList::Null();
  DataType out_dtype = {};
  static constexpr auto Fields() {
    return std::array{
        Required<&NormalAttrs::out_shape>("shape of the numbers"),
        Field<&NormalAttrs::out_dtype>("their type, float32 or float64"),
    };
  }
};

// The attributes of `random.multinomial`.
struct MultinomialAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MultinomialAttrs";
  Dim num_samples = 1;
  static constexpr auto Fields() { return std::array{Field<&MultinomialAttrs::num_samples>("how often to draw")}; }
};

}  // namespace relayopt
