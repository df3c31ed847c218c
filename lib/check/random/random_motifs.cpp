// Groups of calls that rewrites look for, which single calls rarely form by chance.
#include <array>

#include "function_generator.h"
#include "relayopt/convert/onnx/formulas.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/formula/emit.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr double kFloatMax = 3.4028234663852886e38;

auto DimsOf(std::initializer_list<int64_t> extents) -> DimList {
  DimList list;
  for (const int64_t extent : extents) list.values.emplace_back(extent);
  return list;
}

// The same padding before and after both spatial axes of NCHW.
auto SpatialPadding(int64_t size) -> PadAttrs {
  PadAttrs attrs;
  for (const int64_t n : {int64_t{0}, int64_t{0}, size, size}) attrs.pad_width.values.push_back(DimsOf({n, n}));
  return attrs;
}

}  // namespace

void FunctionGenerator::StepMotif() {
  using Motif = auto(FunctionGenerator::*)()->ExprId;
  constexpr std::array<Motif, 25> kMotifs = {
      &FunctionGenerator::CastsMotif,         &FunctionGenerator::ClipMotif,
      &FunctionGenerator::ConstantsMotif,     &FunctionGenerator::NeutralMotif,
      &FunctionGenerator::BinomialMotif,      &FunctionGenerator::ScaleMotif,
      &FunctionGenerator::PaddedConvMotif,    &FunctionGenerator::PaddedQnnConvMotif,
      &FunctionGenerator::QuantizedMotif,     &FunctionGenerator::ArgOfQuantizedMotif,
      &FunctionGenerator::BranchesMotif,      &FunctionGenerator::DenseBranchesMotif,
      &FunctionGenerator::NormalizationMotif, &FunctionGenerator::RearrangementMotif,
      &FunctionGenerator::HugeShapeMotif,     &FunctionGenerator::EffectMotif,
      &FunctionGenerator::FormulaMotif,       &FunctionGenerator::BatchBranchesMotif,
      &FunctionGenerator::AtrousMotif,        &FunctionGenerator::NeutralMotif,
      &FunctionGenerator::NeutralMotif,       &FunctionGenerator::SpecialMotif,
      &FunctionGenerator::AxisMotif,          &FunctionGenerator::AxisMotif,
      &FunctionGenerator::BroadcastMotif,
  };
  const ExprId made = (this->*kMotifs[random_.Below(kMotifs.size())])();
  if (made) Keep(made, TypeOf(made));
}

auto FunctionGenerator::Call(const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs) -> ExprId {
  for (const ExprId arg : args) {
    if (!arg) return {};
  }
  return TryCall(op, std::span(args.begin(), args.size()), attrs);
}

auto FunctionGenerator::Cast(ExprId x, DataType dtype) -> ExprId { return CallWith("cast"_op, CastAttrs{dtype}, {x}); }

auto FunctionGenerator::TensorValue(std::initializer_list<int64_t> shape, DataType dtype) -> ExprId {
  return ValueOf(context_.Tensor(DimsOf(shape).values, dtype));
}

auto FunctionGenerator::Image() -> ExprId {
  const DataType dtype = random_.Pick({DataType::Float(32), DataType::Float(32), DataType::Int(8), DataType::Int(32)});
  return TensorValue({1, random_.Pick<int64_t>({2, 4}), 4, 4}, dtype);
}

// Returns a number at the border of some type, or one that overflows when it meets another.
auto FunctionGenerator::OddScalar(DataType dtype) -> ExprId {
  if (!dtype.is_float()) {
    const bool is_end = random_.Chance(25);
    return EmitScalar(to_, dtype, is_end ? EndOf(dtype) : random_.Pick<int64_t>({0, 1, 2, 3, -1, 100, 127}));
  }
  const double border = dtype.bits == 16 ? 300 : 1e25;
  return EmitScalar(to_, dtype, random_.Pick({0.0, -0.0, 1.0, 0.3, 0.7, -1.0, border, 1 / border}));
}

// One type after another, with or without bounds before them.
auto FunctionGenerator::CastsMotif() -> ExprId {
  const auto dtype = [this] {
    return random_.Pick({DataType::Float(32), DataType::Float(16), DataType::Int(32), DataType::Int(64),
                         DataType::Int(8), DataType::UInt(8), DataType::Bool(), DataType::Float(64)});
  };
  const ExprId x = AnyTensor();
  const DataType original = ElementType(x);
  if (random_.Chance(50)) {
    const ExprId inner = Cast(x, dtype());
    return inner ? Cast(inner, random_.Chance(60) ? original : dtype()) : inner;
  }
  const ExprId large = Call("multiply"_op, {x, EmitScalar(to_, original, random_.Pick({1.5, 37.0, 3001.0}))});
  const bool is_small = random_.Chance(50);
  const ExprId clipped = large ? CallWith("clip"_op, ClipAttrs{0, is_small ? 255.0 : 60000.0}, {large}) : large;
  if (!clipped) return clipped;
  // The intermediate type represents clipped values up to rounding.
  const DataType through =
      original.is_float() ? (is_small ? DataType::UInt(8) : DataType::Int(32)) : DataType::Float(16);
  const ExprId inner = Cast(clipped, through);
  return inner ? Cast(inner, original) : inner;
}

// Bounds that keep every value, or nearly.
auto FunctionGenerator::ClipMotif() -> ExprId {
  const ExprId x = AnyTensor();
  const DataType dtype = ElementType(x);
  ClipAttrs bounds{0, 255};
  if (dtype == DataType::Int(8)) bounds = {-128, random_.Pick({127.0, 126.0})};
  if (dtype.is_float()) bounds = {-kFloatMax, random_.Pick({kFloatMax, 6.0})};
  return CallWith("clip"_op, bounds, {x});
}

// Constants that might be brought together.
auto FunctionGenerator::ConstantsMotif() -> ExprId {
  ExprId x = AnyTensor();
  const DataType dtype = ElementType(x);
  if (random_.Chance(40)) x = Call("abs"_op, {Call("multiply"_op, {x, OddScalar(dtype)})});
  const OpDef* first = random_.Pick({"multiply"_op, "multiply"_op, "add"_op});
  const OpDef* second = random_.Chance(70) ? first : random_.Pick({"multiply"_op, "add"_op});
  for (const OpDef* op : {first, second}) {
    if (!x) break;
    const ExprId constant = OddScalar(dtype);
    x = random_.Chance(70) ? Call(op, {x, constant}) : Call(op, {constant, x});
  }
  return x;
}

// Neutral elements, a sum with itself, a quotient by a root.
auto FunctionGenerator::NeutralMotif() -> ExprId {
  const ExprId x = random_.Chance(80) ? EdgeTensor() : TensorValue({2, 2}, DataType::Bool());
  const DataType dtype = ElementType(x);
  switch (random_.Below(dtype.is_bool() ? 2 : 6)) {
    case 0:
    case 1: return Call("add"_op, {x, x});
    case 2: {
      const ExprId y = Call("abs"_op, {x});
      return Call("divide"_op, {x, Call("sqrt"_op, {y ? Call("add"_op, {y, EmitScalar(to_, dtype, 1.0)}) : y})});
    }
    case 3: return Call(random_.Pick({"multiply"_op, "divide"_op}), {x, EmitScalar(to_, dtype, 1.0)});
    default: {
      const ExprId zero = EmitScalar(to_, dtype, random_.Pick({0.0, 0.0, -0.0}));
      return Call(random_.Pick({"add"_op, "add"_op, "subtract"_op}), {x, zero});
    }
  }
}

// a*x*x + b*x*y + c*y*y, the products in the order in which SimplifyExpr looks for them.
auto FunctionGenerator::BinomialMotif() -> ExprId {
  const ExprId x = AnyTensor();
  const ExprId y = NewValueOf(TypeOf(x));
  const DataType dtype = ElementType(x);
  const auto scaled = [&](ExprId product) {
    const auto factor = static_cast<double>(random_.Between(1, 4));
    return factor == 1 ? product : Call("multiply"_op, {EmitScalar(to_, dtype, factor), product});
  };
  const ExprId mixed = scaled(Call("multiply"_op, {x, y}));
  const ExprId sum = Call("add"_op, {mixed, scaled(Call("multiply"_op, {x, x}))});
  return Call("add"_op, {sum, scaled(Call("multiply"_op, {y, y}))});
}

// Returns an operator of ONNX as models spell it out.
auto FunctionGenerator::FormulaMotif() -> ExprId {
  static const std::vector<onnx::OpFormula> formulas = onnx::OpFormulas();
  const onnx::OpFormula& drawn = formulas[random_.Below(formulas.size())];
  const ExprId x = AnyTensor();
  if (!ElementType(x).is_float()) return {};
  std::vector<FormulaName> names;
  names.reserve(drawn.inputs.size() + drawn.parameters.size());
  for (const std::string_view input : drawn.inputs) {
    names.push_back({input, names.empty() ? x : NewValueOf(TypeOf(x))});
  }
  for (const std::string_view parameter : drawn.parameters) {
    names.push_back({parameter, random_.Pick({1.0, 0.5, -1.0, 0.2, 6.0})});
  }
  const bool is_exact = drawn.exact && random_.Chance(50);
  TypedFormulaEmitter emitter(to_, ElementType(x));
  const ExprId made = EmitFormula(emitter, is_exact ? drawn.exact : drawn.formula, names)[0];
  return TypeOf(made) ? made : ExprId();
}

// Returns a convolution with a scale for each channel before or after it.
auto FunctionGenerator::ScaleMotif() -> ExprId {
  ExprId x = Image();
  const DataType dtype = ElementType(x);
  const int64_t channels = context_.type(TypeOf(x)).shape[1].value();
  const auto scaled = [&](ExprId value, int64_t extent) {
    return value ? Call("multiply"_op, {value, TensorValue({extent, 1, 1}, dtype)}) : value;
  };
  const bool before = random_.Chance(50);
  if (before) x = scaled(x, channels);
  if (x && random_.Chance(40)) x = Call("nn.relu"_op, {x});
  Conv2DAttrs attrs{.channels = 2, .kernel_size = DimsOf({1, 1})};
  if (dtype.is_int()) attrs.out_dtype = DataType::Int(32);
  x = CallWith("nn.conv2d"_op, attrs, {x, TensorValue({2, channels, 1, 1}, dtype)});
  if (x && random_.Chance(30)) x = Call("nn.relu"_op, {x});
  if (before || !x || ElementType(x) != dtype) return x;
  return scaled(x, 2);
}

auto FunctionGenerator::PaddedConvMotif() -> ExprId {
  const ExprId x = Image();
  const DataType dtype = ElementType(x);
  const int64_t channels = context_.type(TypeOf(x)).shape[1].value();
  PadAttrs padding = SpatialPadding(random_.Between(0, 2));
  padding.pad_mode = random_.Pick({"constant", "constant", "edge", "reflect"});
  const ExprId padded =
      CallWith("nn.pad"_op, padding, {x, EmitScalar(to_, dtype, random_.Pick<int64_t>({0, 0, 0, 1}))});
  if (random_.Chance(30)) {
    return CallWith(random_.Pick({"nn.max_pool2d"_op, "nn.avg_pool2d"_op}), MaxPool2DAttrs{.pool_size = DimsOf({2, 2})},
                    {padded});
  }
  Conv2DAttrs attrs{.channels = 2, .kernel_size = DimsOf({3, 3})};
  return CallWith("nn.conv2d"_op, attrs, {padded, TensorValue({2, channels, 3, 3}, dtype)});
}

auto FunctionGenerator::PaddedQnnConvMotif() -> ExprId {
  const DataType int8 = DataType::Int(8);
  const DataType int32 = DataType::Int(32);
  PadAttrs padding = SpatialPadding(1);
  padding.pad_mode = random_.Pick({"constant", "constant", "edge", "reflect"});
  const int64_t zero_point = random_.Pick<int64_t>({0, 0, 3});
  const ExprId x = TensorValue({1, 2, 4, 4}, int8);
  const ExprId padded = CallWith("nn.pad"_op, padding, {x, EmitScalar(to_, int8, zero_point)});
  const Conv2DAttrs attrs{.channels = 2, .kernel_size = DimsOf({3, 3}), .out_dtype = int32};
  const ExprId scale = EmitScalar(to_, DataType::Float(32), 0.5);
  return CallWith("qnn.conv2d"_op, attrs,
                  {padded, TensorValue({2, 2, 3, 3}, int8), EmitScalar(to_, int32, zero_point),
                   EmitScalar(to_, int32, int64_t{0}), scale, scale});
}

// Scale and zero point: scalars, or a vector for an axis of this extent.
auto FunctionGenerator::Quantization(int64_t channels) -> std::pair<ExprId, ExprId> {
  const ExprId zero_point = EmitScalar(to_, DataType::Int(32), random_.Pick<int64_t>({0, 0, 5}));
  if (channels > 0 && random_.Chance(50))
    return {ConstantOf(context_.type(context_.Tensor({{Dim(channels)}}, DataType::Float(32)))), zero_point};
  return {EmitScalar(to_, DataType::Float(32), random_.Pick({0.5, 0.25, 0.1})), zero_point};
}

// Operators between dequantization and quantization.
auto FunctionGenerator::QuantizedMotif() -> ExprId {
  const DataType float32 = DataType::Float(32);
  const auto stored = [this] { return random_.Pick({DataType::Int(8), DataType::Int(8), DataType::UInt(8)}); };
  const auto dequantized = [&] {
    const auto [scale, zero_point] = Quantization(0);
    const ExprId x = TensorValue({1, 2, 4, 4}, stored());
    return CallWith("qnn.dequantize"_op, DequantizeAttrs{float32}, {x, scale, zero_point});
  };
  ExprId x = dequantized();
  for (int64_t n = random_.Between(0, 3); n != 0 && x; --n) {
    switch (random_.Below(9)) {
      case 0: x = Call("nn.relu"_op, {x}); break;
      case 1: x = CallWith("nn.max_pool2d"_op, MaxPool2DAttrs{.pool_size = DimsOf({1, 1})}, {x}); break;
      case 2: x = CallWith("clip"_op, ClipAttrs{random_.Pick({0.0, -1.0}), random_.Pick({6.0, 0.3})}, {x}); break;
      case 3: x = Call("add"_op, {x, x}); break;
      // Of another scale.
      case 4: x = Call(random_.Pick({"add"_op, "subtract"_op, "multiply"_op, "maximum"_op}), {x, dequantized()}); break;
      case 5: x = Call(random_.Pick({"sigmoid"_op, "tanh"_op, "abs"_op, "negative"_op}), {x}); break;
      case 6: x = CallWith("nn.avg_pool2d"_op, AvgPool2DAttrs{.pool_size = DimsOf({1, 1})}, {x}); break;
      case 7: x = CallWith("reshape"_op, ReshapeAttrs{DimsOf({1, 2, 4, 4})}, {x}); break;
      default: x = Call("minimum"_op, {x, EmitScalar(to_, float32, random_.Pick({0.5, 6.0}))});
    }
  }
  const auto [result_scale, result_zero_point] = Quantization(0);
  return CallWith("qnn.quantize"_op, QuantizeAttrs{stored()}, {x, result_scale, result_zero_point});
}

auto FunctionGenerator::ArgOfQuantizedMotif() -> ExprId {
  const ExprId x = TensorValue({2, 4}, DataType::Int(8));
  const auto [scale, zero_point] = Quantization(4);
  const ExprId values = CallWith("qnn.dequantize"_op, DequantizeAttrs{DataType::Float(32), 1}, {x, scale, zero_point});
  return CallWith(random_.Pick({"argmax"_op, "argmin"_op}), ArgReduceAttrs{.axis = DimsOf({1})}, {values});
}

// Convolutions of one tensor that might become one.
auto FunctionGenerator::BranchesMotif() -> ExprId {
  const ExprId x = Image();
  const DataType dtype = ElementType(x);
  const int64_t channels = context_.type(TypeOf(x)).shape[1].value();
  std::vector<ExprId> branches;
  for (size_t n = 2 + random_.Below(2); n != 0; --n) {
    const int64_t filters = random_.Pick<int64_t>({2, 2, 4});
    const Conv2DAttrs attrs{.channels = filters, .kernel_size = DimsOf({1, 1})};
    ExprId branch = CallWith("nn.conv2d"_op, attrs, {x, TensorValue({filters, channels, 1, 1}, dtype)});
    if (branch && random_.Chance(60)) branch = Call("add"_op, {branch, TensorValue({filters, 1, 1}, dtype)});
    if (branch && random_.Chance(40)) branch = Call("nn.relu"_op, {branch});
    if (!branch) return {};
    branches.push_back(branch);
  }
  return CallWith("concatenate"_op, ConcatenateAttrs{1}, {EmitTuple(to_, branches)});
}

auto FunctionGenerator::DenseBranchesMotif() -> ExprId {
  const DataType dtype = DataType::Float(32);
  const ExprId x = TensorValue({2, 4}, dtype);
  std::vector<ExprId> branches;
  for (size_t n = 2 + random_.Below(2); n != 0; --n) {
    const int64_t units = random_.Pick<int64_t>({4, 4, 2});
    ExprId branch = Call("nn.dense"_op, {x, TensorValue({units, 4}, dtype)});
    if (branch && random_.Chance(60)) branch = Call("add"_op, {branch, TensorValue({units}, dtype)});
    if (!branch) return {};
    branches.push_back(branch);
  }
  return CallWith("concatenate"_op, ConcatenateAttrs{1}, {EmitTuple(to_, branches)});
}

// Batched products of one operand, with the right operands of one type or of several.
auto FunctionGenerator::BatchBranchesMotif() -> ExprId {
  const DataType dtype = random_.Chance(80) ? DataType::Float(32) : DataType::Int(32);
  const ExprId x = TensorValue({2, 3, 4}, dtype);
  std::vector<ExprId> branches;
  for (size_t n = 2 + random_.Below(3); n != 0; --n) {
    const int64_t columns = random_.Pick<int64_t>({2, 2, 3});
    const BatchMatmulAttrs attrs{.out_dtype = dtype, .transpose_a = false, .transpose_b = true};
    ExprId branch = CallWith("nn.batch_matmul"_op, attrs, {x, TensorValue({2, columns, 4}, dtype)});
    if (branch && random_.Chance(40)) branch = Call("add"_op, {branch, TensorValue({columns}, dtype)});
    if (!branch) return {};
    branches.push_back(branch);
  }
  return CallWith("concatenate"_op, ConcatenateAttrs{2}, {EmitTuple(to_, branches)});
}

// A convolution on sub-images, with or without padding, which is cut off again or not.
auto FunctionGenerator::AtrousMotif() -> ExprId {
  const DataType dtype = DataType::Float(32);
  const int64_t padding = random_.Pick<int64_t>({0, 2, 2});
  const int64_t crop = padding == 0 ? 0 : random_.Pick<int64_t>({0, 0, 1, 2});
  SpaceToBatchNDAttrs parts{.block_shape = DimsOf({2, 2})};
  BatchToSpaceNDAttrs whole{.block_shape = DimsOf({2, 2})};
  for (int axis = 0; axis < 2; ++axis) {
    parts.paddings.values.push_back(DimsOf({padding, padding}));
    whole.crops.values.push_back(DimsOf({crop, crop}));
  }
  const Conv2DAttrs conv{.channels = 2, .kernel_size = DimsOf({3, 3}), .data_layout = "NHWC", .kernel_layout = "HWIO"};
  const ExprId weight = TensorValue({3, 3, 2, 2}, dtype);
  const ExprId images = CallWith("nn.space_to_batch_nd"_op, parts, {TensorValue({1, 6, 6, 2}, dtype)});
  return CallWith("nn.batch_to_space_nd"_op, whole, {CallWith("nn.conv2d"_op, conv, {images, weight})});
}

auto FunctionGenerator::NormalizationMotif() -> ExprId {
  const DataType dtype = DataType::Float(32);
  // Some passes need all parameters to be constants.
  const bool is_constant = random_.Chance(30);
  ExprId x = TensorValue({1, 2, 4, 4}, dtype);
  if (random_.Chance(50)) {
    const Conv2DAttrs attrs{.channels = 2, .kernel_size = DimsOf({1, 1})};
    x = CallWith("nn.conv2d"_op, attrs, {x, TensorValue({2, 2, 1, 1}, dtype)});
  }
  const auto vector = [&] {
    const Dim extents[] = {Dim(2)};
    return is_constant ? ConstantOf(context_.type(context_.Tensor(extents, dtype))) : TensorValue({2}, dtype);
  };
  const ExprId variance =
      is_constant ? vector() : Call("add"_op, {Call("abs"_op, {vector()}), EmitScalar(to_, dtype, 1.0)});
  const ExprId all = Call("nn.batch_norm"_op, {x, vector(), vector(), vector(), variance});
  return all ? EmitTupleGetItem(to_, all, 0) : all;
}

// Moves elements there and back.
auto FunctionGenerator::RearrangementMotif() -> ExprId {
  const ExprId x = Image();
  switch (random_.Below(3)) {
    case 0: {
      const ExprId moved = CallWith("transpose"_op, TransposeAttrs{DimsOf({0, 2, 3, 1})}, {x});
      const DimList back = random_.Chance(50) ? DimsOf({0, 3, 1, 2}) : DimsOf({0, 1, 3, 2});
      return CallWith("transpose"_op, TransposeAttrs{back}, {moved});
    }
    case 1: {
      const ExprId moved = CallWith("layout_transform"_op, LayoutTransformAttrs{"NCHW", "NHWC"}, {x});
      const char* back = random_.Pick({"NCHW", "NCHW2c"});
      return CallWith("layout_transform"_op, LayoutTransformAttrs{"NHWC", back}, {moved});
    }
    default: {
      const ExprId flat = CallWith("reshape"_op, ReshapeAttrs{DimsOf({0, -1})}, {x});
      return CallWith("reshape"_op, ReshapeAttrs{DimsOf({-1, random_.Pick<int64_t>({4, 8})})}, {flat});
    }
  }
}

// Extents beyond 32 bits of a tensor without elements.
auto FunctionGenerator::HugeShapeMotif() -> ExprId {
  constexpr int64_t kHuge = 3'000'000'000;
  const Dim extents[] = {Dim(kHuge), Dim(0)};
  const ExprId x = Param(context_.Tensor(extents, DataType::Int(8)));
  return CallWith("shape_of"_op, ShapeOfAttrs{random_.Pick({DataType::Int(64), DataType::Int(32)})}, {x});
}

// Returns a write whose result is dropped with the tuple that contains it.
auto FunctionGenerator::EffectMotif() -> ExprId {
  const ExprId ref = AnyValue([this](ExprId id) {
    return context_.type(TypeOf(id)).kind == TypeKind::kRef && to_.function().kind(id) == ExprKind::kVar;
  });
  if (!ref) {
    StepRef();
    return {};
  }
  const TypeId content = context_.type(TypeOf(ref)).result;
  const ExprId write = to_.RefWrite(ref, ValueOf(content));
  to_.SetType(write, context_.UnitType());
  const ExprId fields[] = {write, AnyTensor()};
  const ExprId projection = EmitTupleGetItem(to_, EmitTuple(to_, fields), 1);
  BindByLet(projection);
  const ExprId read = to_.RefRead(ref);
  to_.SetType(read, content);
  BindByLet(read);
  return {};
}

}  // namespace relayopt
