// Type rules and rows of the operators that create tensors from sizes, and of size queries.
#include "relayopt/relay/ops/creation.h"

#include <cmath>
#include <limits>

#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

KernelFunction ArangeKernel, FullKernel, FullLikeKernel, NdarraySizeKernel, OneHotKernel, OnesKernel, ShapeOfKernel,
    ZerosKernel;

namespace {

// Reports a missing shape; extents are checked when the result type is computed.
auto NeedShape(RuleContext& rule, const InitOpAttrs& attrs) -> std::optional<RuleStatus> {
  if (!attrs.shape.null) return std::nullopt;
  return rule.Error("{}: shape must be given, found None", rule.op().name);
}

// Returns the constant number that an attribute holds, if it holds one.
auto ConstantNumber(Context& context, ObjectId id) -> std::optional<double> {
  if (!id || context.object(id).kind != ObjectKind::kConstant) return std::nullopt;
  return context.constant(context.object(id).constant).ScalarAsDouble();
}

auto ArangeRule(RuleContext& rule) -> RuleStatus {
  const auto& attrs = rule.attrs<ArangeAttrs>();
  const TypeId scalar = rule.context().Scalar(attrs.dtype);
  for (size_t i = 0; i < rule.size(); ++i) {
    if (!rule.AssignInput(i, scalar)) return RuleStatus::kFailed;
  }
  const auto start = ConstantNumber(rule.context(), attrs.start);
  const auto stop = ConstantNumber(rule.context(), attrs.stop);
  const auto step = ConstantNumber(rule.context(), attrs.step);
  if (!start || !stop || !step) return rule.Done(std::array{Dim::Any()}, attrs.dtype);
  const auto length = ArangeLength(*start, *stop, *step);
  if (!length) {
    return rule.Error("arange: the number of elements from {} to {} by {} must be between 1 and 2^31 - 1", *start,
                      *stop, *step);
  }
  return rule.Done(std::array{Dim(*length)}, attrs.dtype);
}

auto FullRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<InitOpAttrs>();
  if (const auto status = NeedRank(rule, 0, 0)) return *status;
  if (const auto status = NeedShape(rule, attrs)) return *status;
  return DoneShape(rule, attrs.shape.values, attrs.dtype.is_void() ? rule.type(0).dtype : attrs.dtype);
}

auto FullLikeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 1, 0)) return *status;
  return rule.Done(rule.type(0).shape, rule.type(0).dtype);
}

auto InitRule(RuleContext& rule) -> RuleStatus {
  const auto& attrs = rule.attrs<InitOpAttrs>();
  if (const auto status = NeedShape(rule, attrs)) return *status;
  return DoneShape(rule, attrs.shape.values, attrs.dtype);
}

auto NdarraySizeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return rule.Done(Shape(), rule.attrs<NdarraySizeAttrs>().dtype);
}

auto OneHotRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<OneHotAttrs>();
  const Shape indices = rule.type(0).shape;
  if (attrs.depth <= 0) return rule.Error("one_hot: depth must be positive, found {}", attrs.depth);
  // -1 is the only negative axis with a meaning.
  const auto rank = static_cast<int64_t>(indices.size());
  const int64_t axis = attrs.axis == -1 ? rank : attrs.axis;
  if (axis < 0 || axis > rank) {
    return rule.Error("one_hot: axis must be -1 or in [0, {}], found {}", rank, attrs.axis);
  }
  std::vector<Dim> shape(indices.begin(), indices.end());
  shape.insert(shape.begin() + axis, Dim(attrs.depth));
  return DoneShape(rule, shape, attrs.dtype);
}

auto ShapeOfRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const DataType dtype = rule.attrs<ShapeOfAttrs>().dtype;
  const size_t rank = rule.type(0).rank();
  if (rank == 0) return rule.Done(Shape(), dtype);
  return rule.Done(std::array{Dim(static_cast<int64_t>(rank))}, dtype);
}

}  // namespace

auto ConstantObject(Context& context, ConstantId constant) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kConstant;
  object.constant = constant;
  return context.Add(object);
}

auto ArangeLength(double start, double stop, double step) -> std::optional<int64_t> {
  const double count = std::ceil((stop - start) / step);
  // Written so that NaN fails.
  if (!(count > 0 && count <= std::numeric_limits<int32_t>::max())) return std::nullopt;
  return static_cast<int64_t>(count);
}

constinit const OpRows<OpFamily::kCreation> kCreationOps = NumberedRows<OpFamily::kCreation>({
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
});

}  // namespace relayopt
