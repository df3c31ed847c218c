// Operators that make tensors from sizes and scalars, and those that ask for sizes.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct InitOpAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.InitOpAttrs";
  DimList shape = DimList::Null();
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&InitOpAttrs::shape>("shape", "shape of the result"),
        Field<&InitOpAttrs::dtype>("dtype", "element type of the result"),
    };
  }
};

struct ArangeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ArangeAttrs";
  ObjectId start;
  ObjectId stop;
  ObjectId step;
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&ArangeAttrs::start>("start", "the operand start once more"),
        Required<&ArangeAttrs::stop>("stop", "the operand end once more"),
        Required<&ArangeAttrs::step>("step", "the operand step once more"),
        Required<&ArangeAttrs::dtype>("dtype", "element type of the result"),
    };
  }
};

struct OneHotAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.OneHotAttrs";
  int64_t depth = 1;
  int64_t axis = -1;
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&OneHotAttrs::depth>("depth", "extent of the new axis"),
        Field<&OneHotAttrs::axis>("axis", "position of the new axis; -1: the end"),
        Field<&OneHotAttrs::dtype>("dtype", "element type of the result"),
    };
  }
};

struct ShapeOfAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ShapeOfAttrs";
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{Field<&ShapeOfAttrs::dtype>("dtype", "element type of the result")};
  }
};

struct NdarraySizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NdarraySizeAttrs";
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{Field<&NdarraySizeAttrs::dtype>("dtype", "element type of the result")};
  }
};

auto ArangeRule(RuleContext& rule) -> RuleStatus;
auto FullRule(RuleContext& rule) -> RuleStatus;
auto FullLikeRule(RuleContext& rule) -> RuleStatus;
auto InitRule(RuleContext& rule) -> RuleStatus;
auto NdarraySizeRule(RuleContext& rule) -> RuleStatus;
auto OneHotRule(RuleContext& rule) -> RuleStatus;
auto ShapeOfRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kCreationOps[] = {
    {.name = "arange",
     .inputs = "start, end, step",
     .attrs = &kSchema<ArangeAttrs>,
     .type = ArangeRule,
     .kernel = ArangeKernel,
     .fusion = Fusion::kOpaque,
     .variable_dimensions = true,
     .shape_function = "d",
     .precision = Precision::kNever,
     .doc = "start, start + step, ... below end"},
    {.name = "full",
     .inputs = "fill_value",
     .attrs = &kSchema<InitOpAttrs>,
     .type = FullRule,
     .kernel = FullKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "a scalar repeated to a shape"},
    {.name = "full_like",
     .inputs = "data, fill_value",
     .type = FullLikeRule,
     .kernel = FullLikeKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .doc = "a scalar repeated to the data's type"},
    {.name = "ndarray_size",
     .inputs = "data",
     .attrs = &kSchema<NdarraySizeAttrs>,
     .type = NdarraySizeRule,
     .kernel = NdarraySizeKernel,
     .fusion = Fusion::kInjective,
     .layout = ElementwiseLayout,
     .doc = "the number of elements"},
    {.name = "one_hot",
     .inputs = "indices, on_value, off_value",
     .attrs = &kSchema<OneHotAttrs>,
     .type = OneHotRule,
     .kernel = OneHotKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .shape_function = "s",
     .doc = "on_value at the position that each index names along a new axis, else off_value"},
    {.name = "ones",
     .attrs = &kSchema<InitOpAttrs>,
     .type = InitRule,
     .kernel = OnesKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .doc = "ones"},
    {.name = "shape_of",
     .inputs = "data",
     .attrs = &kSchema<ShapeOfAttrs>,
     .type = ShapeOfRule,
     .kernel = ShapeOfKernel,
     .fusion = Fusion::kOpaque,
     .precision = Precision::kFollow,
     .doc = "the extents as a tensor; of a scalar a scalar"},
    {.name = "vm.shape_of",
     .inputs = "tensor",
     .attrs = &kSchema<ShapeOfAttrs>,
     .type = ShapeOfRule,
     .kernel = ShapeOfKernel,
     .fusion = Fusion::kOpaque,
     .non_computational = true,
     .layout = ElementwiseLayout,
     .doc = "shape_of as an instruction of the virtual machine"},
    {.name = "zeros",
     .attrs = &kSchema<InitOpAttrs>,
     .type = InitRule,
     .kernel = ZerosKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "zeros"},
};

}  // namespace relayopt
