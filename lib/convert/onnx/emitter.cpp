// Calls by attribute name, folding, and what is known of expressions.
#include "emitter.h"

#include "builders.h"

#include <fmt/format.h>

#include <cmath>

#include "relayopt/core/extents.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/transforms/fold_constant.h"

namespace relayopt::onnx {

namespace {

// Element `i` as a double, or as an integer if it is one.
auto ElementAsDouble(const Constant& constant, const std::byte* data, size_t i) -> double {
  const DataType dtype = constant.dtype();
  uint64_t bits = 0;
  std::memcpy(&bits, data + i * dtype.bytes(), std::min(dtype.bytes(), sizeof bits));
  return Constant::Scalar(dtype, bits).ScalarAsDouble().value_or(0);
}

template <typename T>
void PutNumber(void* record, const FieldInfo& field, T value) {
  switch (field.kind) {
    case FieldKind::kInt: field.Mutable<int64_t>(record) = static_cast<int64_t>(value); break;
    case FieldKind::kBool: field.Mutable<bool>(record) = value != 0; break;
    case FieldKind::kDouble: field.Mutable<double>(record) = static_cast<double>(value); break;
    case FieldKind::kDim: field.Mutable<Dim>(record) = Dim(static_cast<int64_t>(value)); break;
    default: RELAYOPT_CHECK(false, "a number is given to a field that holds one");
  }
}

template <typename T>
void Put(void* record, const FieldInfo& field, const T& value) {
  RELAYOPT_CHECK(field.kind == FieldKindOf<T>(), "an attribute is given what it holds");
  field.Mutable<T>(record) = value;
}

}  // namespace

AttrSetting::AttrSetting(std::string_view n, const Ints& v) : name(n), value(PlainDims(v)) {}

auto WideDims(std::span<const int64_t> values) -> DimList {
  DimList dims;
  for (const int64_t value : values) dims.values.emplace_back(value, 64);
  return dims;
}

auto PlainDims(std::span<const int64_t> values) -> DimList {
  DimList dims;
  for (const int64_t value : values) dims.values.emplace_back(value);
  return dims;
}

auto Emitter::RecordOf(const OpDef* op, std::span<const AttrSetting> attrs) -> AttrsId {
  if (op->attrs == nullptr) return {};
  AttrsBuilder builder(*op->attrs);
  for (const AttrSetting& setting : attrs) {
    const FieldInfo* field = op->attrs->Find(setting.name);
    RELAYOPT_CHECK(field != nullptr, "an attribute has a name that the operator knows");
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) {
            PutNumber(builder.data(), *field, value);
          } else if constexpr (std::is_same_v<T, bool>) {
            // Boxed truth values are integers of one bit.
            if (field->kind == FieldKind::kDim)
              field->Mutable<Dim>(builder.data()) = Dim(value ? 1 : 0, 1);
            else
              PutNumber(builder.data(), *field, static_cast<int64_t>(value));
          } else {
            Put(builder.data(), *field, value);
          }
        },
        setting.value);
  }
  return context().InternAttrs(std::move(builder));
}

auto Emitter::HasUnknownLength(ExprId arg) const -> bool {
  return is_tensor(arg) && rank(arg) == 1 && dtype(arg).is_int() && !Extent(arg, 0);
}

auto Emitter::Emit(const OpDef* op, std::span<const ExprId> args, AttrsId attrs) -> ExprId {
  if (failed()) return {};
  for (const ExprId arg : args) {
    if (!arg) return Fail(fmt::format("an operand of {} is missing", op->name));
  }
  const ExprId call = EmitCall(to_, op, args, attrs);
  if (!to_.function().type(call)) {
    for (const ExprId arg : args) {
      if (!op->name.starts_with("dyn.") || !HasUnknownLength(arg) || failed()) continue;
      needs_length_ = true;
      return Fail(fmt::format("the number of elements of an operand of {}, which is {},", op->name, TypeText(arg)));
    }
    std::string types;
    for (const ExprId arg : args) types += (types.empty() ? "" : ", ") + TypeText(arg);
    return Fail(fmt::format("the Relay operator {} does not take ({})", op->name, types));
  }
  // Calls with larger results are not folded; the limit applies to single constants and to their sum.
  constexpr int64_t kMostFolded = int64_t{1} << 30;
  const auto shape = StaticShape(call);
  const int64_t elements = shape ? Product(*shape) : 0;
  if (elements > most_elements_ || folded_ > kMostFolded) return call;
  const ExprId result = FoldCall(to_, call);
  if (result != call) folded_ += elements;
  return result;
}

auto Emitter::Call(const OpDef* op, std::span<const ExprId> args, std::span<const AttrSetting> attrs) -> ExprId {
  return Emit(op, args, RecordOf(op, attrs));
}

auto Emitter::CallBare(const OpDef* op, std::initializer_list<ExprId> args) -> ExprId {
  return Emit(op, std::span(args.begin(), args.size()), {});
}

auto Emitter::Tuple(std::span<const ExprId> fields) -> ExprId {
  if (failed()) return {};
  for (const ExprId field : fields) {
    if (!field) return Fail("a field of a tuple is missing");
  }
  return EmitTuple(to_, fields);
}

auto Emitter::Get(ExprId tuple, size_t index) -> ExprId {
  if (failed() || !tuple) return {};
  const Function& function = to_.function();
  if (function.kind(tuple) == ExprKind::kTuple) return function.operand(tuple, index);
  return EmitTupleGetItem(to_, tuple, static_cast<uint32_t>(index));
}

auto Emitter::Const(const Tensor& tensor) -> ExprId { return failed() ? ExprId() : EmitConstant(to_, tensor); }

auto Emitter::Scalar(DataType dtype, double value) -> ExprId {
  return failed() || dtype.is_void() ? ExprId() : EmitScalar(to_, dtype, value);
}

auto Emitter::Scalar(DataType dtype, int64_t value) -> ExprId {
  return failed() || dtype.is_void() ? ExprId() : EmitScalar(to_, dtype, value);
}

auto Emitter::Vector(std::span<const int64_t> values, DataType dtype) -> ExprId {
  const std::vector<double> numbers(values.begin(), values.end());
  if (dtype != DataType::Int(64)) return Array(numbers, {static_cast<int64_t>(values.size())}, dtype);
  Tensor tensor(dtype, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<int64_t>());
  return Const(tensor);
}

auto Emitter::Array(std::span<const double> values, const Ints& shape, DataType dtype) -> ExprId {
  if (failed()) return {};
  if (Product(shape) != static_cast<int64_t>(values.size()))
    return Fail(fmt::format("{} numbers are given where there are {}", values.size(), Product(shape)));
  Tensor doubles(DataType::Float(64), shape);
  std::copy(values.begin(), values.end(), doubles.mutable_data<double>());
  if (dtype == DataType::Float(64)) return Const(doubles);
  const KernelInput input = {std::span(&doubles, 1), false};
  auto cast = RunKernel(context(), {"cast"_op, context().InternAttrs(CastAttrs{dtype})}, std::span(&input, 1), {});
  if (!cast) return Fail(fmt::format("a constant of element type {} cannot be made", ToString(dtype)));
  return Const(cast->tensors.front());
}

auto Emitter::is_tensor(ExprId id) const -> bool {
  return id && to_.function().type(id) && to_.context().type(to_.function().type(id)).is_tensor();
}

auto Emitter::dtype(ExprId id) const -> DataType {
  return is_tensor(id) ? to_.context().type(to_.function().type(id)).dtype : DataType::Void();
}

auto Emitter::dims(ExprId id) const -> Shape {
  return is_tensor(id) ? to_.context().type(to_.function().type(id)).shape : Shape();
}

auto Emitter::StaticShape(ExprId id) const -> std::optional<Ints> {
  return is_tensor(id) ? KnownExtents(dims(id)) : std::nullopt;
}

auto Emitter::Extent(ExprId id, int64_t axis) const -> std::optional<int64_t> {
  const Shape shape = dims(id);
  axis = NormalizedAxis(axis, shape.size());
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size())) return std::nullopt;
  const Dim& dim = shape[static_cast<size_t>(axis)];
  return dim.is_int() ? std::optional(dim.value()) : std::nullopt;
}

auto Emitter::IntsOf(ExprId id) const -> std::optional<Ints> {
  if (!is_constant(id)) return std::nullopt;
  const Constant& constant = to_.function().constant(id);
  const ElementBytes elements = constant.Elements();
  Ints values;
  for (size_t i = 0; i < constant.num_elements(); ++i) {
    if (constant.dtype() == DataType::Int(64)) {
      values.push_back(elements.At<int64_t>(i));
      continue;
    }
    const double value = ElementAsDouble(constant, elements.data(), i);
    constexpr double kLargest = 9.2e18;
    if (!(std::fabs(value) < kLargest)) return std::nullopt;
    values.push_back(static_cast<int64_t>(value));
  }
  return values;
}

auto Emitter::IntOf(ExprId id) const -> std::optional<int64_t> {
  if (!is_constant(id) || to_.function().constant(id).num_elements() != 1) return std::nullopt;
  const auto values = IntsOf(id);
  return values ? std::optional(values->front()) : std::nullopt;
}

auto Emitter::DoublesOf(ExprId id) const -> std::optional<std::vector<double>> {
  if (!is_constant(id)) return std::nullopt;
  const Constant& constant = to_.function().constant(id);
  const ElementBytes elements = constant.Elements();
  std::vector<double> values;
  values.reserve(constant.num_elements());
  for (size_t i = 0; i < constant.num_elements(); ++i) values.push_back(ElementAsDouble(constant, elements.data(), i));
  return values;
}

namespace {

// Whether none of the elements has all bits of the exponent set. Goes through them in blocks, each without a branch:
// they may be all weights of a model.
template <typename Bits>
auto AreFinite(const ElementBytes& elements, Bits exponent) -> bool {
  constexpr size_t kBlock = 1024;
  const size_t count = elements.size() / sizeof(Bits);
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t end = std::min(count, first + kBlock);
    bool all = true;
    for (size_t i = first; i < end; ++i) all &= (elements.At<Bits>(i) & exponent) != exponent;
    if (!all) return false;
  }
  return true;
}

}  // namespace

auto Emitter::IsFinite(ExprId id) const -> bool {
  const Constant& constant = to_.function().constant(id);
  const DataType dtype = constant.dtype();
  if (!dtype.is_float()) return true;
  if (dtype == DataType::Float(32)) return AreFinite<uint32_t>(constant.Elements(), 0x7f800000);
  if (dtype == DataType::Float(64)) return AreFinite<uint64_t>(constant.Elements(), 0x7ff0000000000000);
  if (dtype == DataType::Float(16)) return AreFinite<uint16_t>(constant.Elements(), 0x7c00);
  return std::ranges::all_of(*DoublesOf(id), [](double number) { return std::isfinite(number); });
}

auto Emitter::TypeText(ExprId id) const -> std::string {
  return id && to_.function().type(id) ? TypeToString(to_.context(), to_.function().type(id)) : "?";
}

auto Emitter::CheckIterations(int64_t count) -> bool {
  if (count > kMostIterations)
    Fail(fmt::format("expanding it needs {} steps, the limit is {}", count, kMostIterations));
  return !failed();
}

auto Emitter::CheckItems(size_t count) -> bool {
  items_ += static_cast<int64_t>(count);
  if (items_ > kMostItems) Fail(fmt::format("the sequences have more than {} items together", kMostItems));
  return !failed();
}

auto Emitter::ShapeOf(ExprId id, DataType dtype) -> ExprId {
  if (const auto shape = StaticShape(id)) return Vector(*shape, dtype);
  return Call("shape_of"_op, {id}, {{"dtype", dtype}});
}

}  // namespace relayopt::onnx
