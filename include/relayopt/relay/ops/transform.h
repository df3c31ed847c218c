// Operators that convert element types, and that add, drop, permute or repeat axes and elements.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct CastAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CastAttrs";
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{Required<&CastAttrs::dtype>("dtype", "element type of the result")};
  }
};

struct ExpandDimsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ExpandDimsAttrs";
  int64_t axis = 0;
  int64_t num_newaxis = 1;
  static constexpr auto Fields() {
    return std::array{
        Required<&ExpandDimsAttrs::axis>("axis", "where to insert; negative counts from behind the last axis"),
        Field<&ExpandDimsAttrs::num_newaxis>("num_newaxis", "how many axes to insert"),
    };
  }
};

struct SqueezeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SqueezeAttrs";
  DimList axis = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Field<&SqueezeAttrs::axis>("axis", "axes to drop; None: all of extent 1")};
  }
};

struct TransposeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TransposeAttrs";
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&TransposeAttrs::axes>("axes", "the data's axis at each position; None: reversed")};
  }
};

struct ReverseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReverseAttrs";
  Dim axis;
  static constexpr auto Fields() { return std::array{Field<&ReverseAttrs::axis>("axis", "axis to reverse")}; }
};

struct ReverseSequenceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReverseSequenceAttrs";
  Dim seq_axis = 1;
  Dim batch_axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&ReverseSequenceAttrs::seq_axis>("seq_axis", "axis along which elements are reversed"),
        Field<&ReverseSequenceAttrs::batch_axis>("batch_axis", "axis along which lengths differ"),
    };
  }
};

struct RepeatAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.RepeatAttrs";
  Dim repeats;
  Dim axis;
  static constexpr auto Fields() {
    return std::array{
        Required<&RepeatAttrs::repeats>("repeats", "how often each element occurs"),
        Field<&RepeatAttrs::axis>("axis", "axis along which elements are repeated"),
    };
  }
};

struct TileAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TileAttrs";
  DimList reps = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&TileAttrs::reps>("reps", "how often the data occurs along each axis")};
  }
};

struct SlidingWindowAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SlidingWindowAttrs";
  int64_t axis = 0;
  DimList window_shape = DimList::Null();
  DimList strides = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Required<&SlidingWindowAttrs::axis>("axis", "first axis over which the window slides"),
        Required<&SlidingWindowAttrs::window_shape>("window_shape", "extent of the window along each axis from there"),
        Required<&SlidingWindowAttrs::strides>("strides", "distance of neighbouring windows along each of these axes"),
    };
  }
};

auto CastRule(RuleContext& rule) -> RuleStatus;
auto CastLikeRule(RuleContext& rule) -> RuleStatus;
auto ExpandDimsRule(RuleContext& rule) -> RuleStatus;
auto RepeatRule(RuleContext& rule) -> RuleStatus;
auto ReverseRule(RuleContext& rule) -> RuleStatus;
auto ReverseSequenceRule(RuleContext& rule) -> RuleStatus;
auto SlidingWindowRule(RuleContext& rule) -> RuleStatus;
auto SqueezeRule(RuleContext& rule) -> RuleStatus;
auto TileRule(RuleContext& rule) -> RuleStatus;
auto TransposeRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kTransformOps[] = {
    {.name = "cast",
     .inputs = "data",
     .attrs = &kSchema<CastAttrs>,
     .type = CastRule,
     .kernel = CastKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ElementwiseLayout,
     .doc = "converts elements to another type"},
    {.name = "cast_like",
     .inputs = "data, dtype_like",
     .type = CastLikeRule,
     .kernel = CastKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ElementwiseLayout,
     .doc = "converts elements to the type of another tensor's"},
    {.name = "expand_dims",
     .inputs = "data",
     .attrs = &kSchema<ExpandDimsAttrs>,
     .type = ExpandDimsRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kBroadcast,
     .reshape_only = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .doc = "inserts axes of extent 1"},
    {.name = "reinterpret",
     .inputs = "data",
     .attrs = &kSchema<CastAttrs>,
     .type = CastRule,
     .kernel = ReinterpretKernel,
     .fusion = Fusion::kElemWise,
     .layout = ElementwiseLayout,
     .doc = "reads the bits of each element as another type"},
    {.name = "repeat",
     .inputs = "data",
     .attrs = &kSchema<RepeatAttrs>,
     .type = RepeatRule,
     .kernel = RepeatKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .scale_rule = ScaleRule::kRearranges,
     .doc = "repeats each element along an axis"},
    {.name = "reverse",
     .inputs = "data",
     .attrs = &kSchema<ReverseAttrs>,
     .type = ReverseRule,
     .kernel = ReverseKernel,
     .fusion = Fusion::kInjective,
     .doc = "reverses the order of elements along an axis"},
    {.name = "reverse_sequence",
     .inputs = "data, seq_lengths",
     .attrs = &kSchema<ReverseSequenceAttrs>,
     .type = ReverseSequenceRule,
     .kernel = ReverseSequenceKernel,
     .fusion = Fusion::kInjective,
     .doc = "reverses the first elements along an axis, as many as seq_lengths says for each batch"},
    {.name = "sliding_window",
     .inputs = "data",
     .attrs = &kSchema<SlidingWindowAttrs>,
     .type = SlidingWindowRule,
     .kernel = SlidingWindowKernel,
     .fusion = Fusion::kOpaque,
     .doc = "all positions of a window, each as a block of new axes"},
    {.name = "squeeze",
     .inputs = "data",
     .attrs = &kSchema<SqueezeAttrs>,
     .type = SqueezeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .layout = SqueezeLayout,
     .doc = "drops axes of extent 1"},
    {.name = "tile",
     .inputs = "data",
     .attrs = &kSchema<TileAttrs>,
     .type = TileRule,
     .kernel = TileKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "repeats the whole data along each axis"},
    {.name = "transpose",
     .inputs = "data",
     .attrs = &kSchema<TransposeAttrs>,
     .type = TransposeRule,
     .kernel = TransposeKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .layout = TransposeLayout,
     .doc = "permutes axes"},
};

}  // namespace relayopt
