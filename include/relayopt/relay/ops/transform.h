// Operators that convert element types, and that add, drop, permute or repeat axes and elements.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `cast` and `reinterpret`.
struct CastAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CastAttrs";
  DataType dtype;
  static constexpr auto Fields() { return std::array{Required<&CastAttrs::dtype>("element type of the result")}; }
};

// The attributes of `expand_dims`.
struct ExpandDimsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ExpandDimsAttrs";
  int64_t axis = 0;
  int64_t num_newaxis = 1;
  static constexpr auto Fields() {
    return std::array{
        Required<&ExpandDimsAttrs::axis>("where to insert; negative counts from behind the last axis"),
        Field<&ExpandDimsAttrs::num_newaxis>("how many axes to insert"),
    };
  }
};

// The attributes of `dyn.squeeze` and `squeeze`.
struct SqueezeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SqueezeAttrs";
  DimList axis = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Field<&SqueezeAttrs::axis>("axes to drop; None: all of extent 1")};
  }
};

// The attributes of `transpose`.
struct TransposeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TransposeAttrs";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&TransposeAttrs::axes>("the data's axis at each position; None: reversed")};
  }
};

// The attributes of `reverse`.
struct ReverseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReverseAttrs";
  Dim axis;
  static constexpr auto Fields() { return std::array{Field<&ReverseAttrs::axis>("axis to reverse")}; }
};

// The attributes of `reverse_sequence`.
struct ReverseSequenceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReverseSequenceAttrs";
  Dim seq_axis = 1;
  Dim batch_axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&ReverseSequenceAttrs::seq_axis>("axis along which elements are reversed"),
        Field<&ReverseSequenceAttrs::batch_axis>("axis along which lengths differ"),
    };
  }
};

// The attributes of `repeat`.
struct RepeatAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.RepeatAttrs";
  Dim repeats;
  Dim axis;
  static constexpr auto Fields() {
    return std::array{
        Required<&RepeatAttrs::repeats>("how often each element occurs"),
        Field<&RepeatAttrs::axis>("axis along which elements are repeated"),
    };
  }
};

// The attributes of `dyn.tile` and `tile`.
struct TileAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TileAttrs";
  DimList reps = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&TileAttrs::reps>("how often the data occurs along each axis")};
  }
};

// The attributes of `sliding_window`.
struct SlidingWindowAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SlidingWindowAttrs";
  int64_t axis = 0;
  DimList window_shape = DimList::Null();
  DimList strides = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Required<&SlidingWindowAttrs::axis>("first axis over which the window slides"),
        Required<&SlidingWindowAttrs::window_shape>("extent of the window along each axis from there"),
        Required<&SlidingWindowAttrs::strides>("distance of neighbouring windows along each of these axes"),
    };
  }
};

}  // namespace relayopt
