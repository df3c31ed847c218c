// Products of bytes, and quantization by the extremes of the tensor itself.
//
// Relay has no operators for these: reading a model widens bytes before it multiplies, and computes scale and zero
// point. Folded constants are wide then, four times as large as they were.
//
//   MatMul(Sub(Cast<INT32>(a), Cast<INT32>(z)), w)   =>   MatMulInteger(a, narrow w, z)
//
// Sums of 32 bits are the same to the last bit.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "known_values.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::onnx::out {

namespace {

// -- products --

// A factor of bytes; `zero` is empty if the zero point is 0.
struct NarrowFactor {
  Name bytes;
  Name zero;
};

struct ByteRange {
  int32_t element_type;
  int32_t least;
  int32_t most;
};
constexpr std::array kByteRanges = {ByteRange{kInt8, -128, 127}, ByteRange{kUint8, 0, 255}};

auto RangeOfBytes(int32_t element_type) -> const ByteRange* {
  const auto found = std::ranges::find(kByteRanges, element_type, &ByteRange::element_type);
  return found == kByteRanges.end() ? nullptr : &*found;
}

auto IntsOf(const TensorData& tensor) -> std::vector<int32_t> { return tensor.bytes.ToVector<int32_t>(); }

auto AddBytes(KnownValues& known, int32_t element_type, std::vector<int64_t> dims, std::vector<std::byte> bytes)
    -> Name {
  return known.AddConstant({{}, element_type, std::move(dims), std::move(bytes)});
}

// Returns the initializer with these elements, which must be in the range of that type.
auto AddNarrow(KnownValues& known, const TensorData& wide, int32_t element_type) -> Name {
  auto bytes = MapToVector<std::byte>(IntsOf(wide), [&](int32_t element) { return static_cast<std::byte>(element); });
  return AddBytes(known, element_type, wide.dims, std::move(bytes));
}

// Elements in `columns` columns, each with a zero point of its own.
auto NarrowColumns(KnownValues& known, const TensorData& wide, size_t columns) -> std::optional<NarrowFactor> {
  const auto elements = IntsOf(wide);
  std::vector<int32_t> zeros(columns);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] < -255 || elements[i] > 255) return std::nullopt;
    zeros[i % columns] = std::max(zeros[i % columns], -elements[i]);
  }
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < elements.size(); ++i) {
    const int32_t shifted = elements[i] + zeros[i % columns];
    if (shifted > 255) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(shifted));
  }
  auto points = MapToVector<std::byte>(zeros, [&](int32_t zero) { return static_cast<std::byte>(zero); });
  std::vector<int64_t> dims;
  if (columns > 1) dims.push_back(static_cast<int64_t>(columns));
  const Name narrow = AddBytes(known, kUint8, wide.dims, std::move(bytes));
  return NarrowFactor{narrow, AddBytes(known, kUint8, std::move(dims), std::move(points))};
}

// A constant of bytes minus their zero points. The original type of the bytes does not matter.
auto NarrowConstant(KnownValues& known, const TensorData& wide, bool is_right) -> std::optional<NarrowFactor> {
  if (wide.element_type != kInt32 || wide.dims.size() < 2 || wide.bytes.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(IntsOf(wide));
  for (const ByteRange& range : kByteRanges) {
    if (least >= range.least && most <= range.most) return NarrowFactor{AddNarrow(known, wide, range.element_type), {}};
  }
  if (auto narrow = NarrowColumns(known, wide, 1)) return narrow;
  const bool is_matrix = is_right && wide.dims.size() == 2;
  return is_matrix ? NarrowColumns(known, wide, static_cast<size_t>(wide.dims.back())) : std::nullopt;
}

// Returns the zero point of this type for a 32-bit value.
auto NarrowPoint(KnownValues& known, Name value, const ByteRange& range) -> std::optional<Name> {
  if (const Node* cast = known.Maker(value, "Cast")) {
    const bool fits = known.ElementTypeOf(cast->inputs[0]) == range.element_type;
    return fits ? std::optional(cast->inputs[0]) : std::nullopt;
  }
  const TensorData* constant = known.ConstantOf(value);
  if (constant == nullptr || constant->element_type != kInt32) return std::nullopt;
  const auto is_inside = [&](int32_t number) { return number >= range.least && number <= range.most; };
  if (!std::ranges::all_of(IntsOf(*constant), is_inside)) return std::nullopt;
  return AddNarrow(known, TensorData(*constant), range.element_type);
}

// One zero point for all elements, or one for each column of the second factor.
auto IsPointOf(const KnownValues& known, Name point, Name matrix, bool is_right) -> bool {
  const auto* extents = known.ExtentsOf(point);
  if (extents == nullptr) return false;
  if (extents->empty()) return true;
  const auto* columns = known.ExtentsOf(matrix);
  const bool is_matrix = is_right && columns != nullptr && columns->size() == 2 && extents->size() == 1;
  return is_matrix && (*extents)[0].has_value() && (*extents)[0] == columns->back();
}

auto ReadNarrow(KnownValues& known, Name value, bool is_right) -> std::optional<NarrowFactor> {
  if (const TensorData* constant = known.ConstantOf(value))
    return NarrowConstant(known, TensorData(*constant), is_right);
  const Node* shifted = known.Maker(value, "Sub");
  const Node* cast = known.Maker(shifted == nullptr ? value : shifted->inputs[0], "Cast");
  if (cast == nullptr || IntOf(*cast, "to", 0) != kInt32) return std::nullopt;
  const ByteRange* range = RangeOfBytes(known.ElementTypeOf(cast->inputs[0]));
  if (range == nullptr) return std::nullopt;
  if (shifted == nullptr) return NarrowFactor{cast->inputs[0], {}};
  if (!IsPointOf(known, shifted->inputs[1], cast->inputs[0], is_right)) return std::nullopt;
  auto zero = NarrowPoint(known, shifted->inputs[1], *range);
  if (!zero) return std::nullopt;
  return NarrowFactor{cast->inputs[0], *std::move(zero)};
}

}  // namespace

void SimplifyProduct(Node& node, KnownValues& known) {
  if (node.op_type != "MatMul") return;
  // The cheaper check comes first, because checking constants reads all their elements.
  const bool is_left_constant = known.ConstantOf(node.inputs[0]) != nullptr;
  std::array<NarrowFactor, 2> factors;
  for (const size_t i : is_left_constant ? std::array{1, 0} : std::array{0, 1}) {
    auto narrow = ReadNarrow(known, node.inputs[i], i == 1);
    if (!narrow) return;
    factors[i] = *std::move(narrow);
  }
  node.op_type = "MatMulInteger";
  node.inputs = {factors[0].bytes, factors[1].bytes, factors[0].zero, factors[1].zero};
  while (node.inputs.back().empty()) node.inputs.pop_back();
}

// -- quantization --

namespace {

// Returns the inputs of the node that makes a value, if it is of this operator; otherwise null.
auto InputsOf(const KnownValues& known, Name value, std::string_view op) -> const Names* {
  const Node* node = known.Maker(value, op);
  return node == nullptr ? nullptr : &node->inputs;
}

auto IsFloat(const KnownValues& known, Name value, float number) -> bool {
  const TensorData* tensor = known.ConstantOf(value);
  return tensor != nullptr && tensor->element_type == kFloat && tensor->bytes.size() == sizeof(float) &&
         tensor->bytes.At<float>(0) == number;
}

// Whether the value is the greatest or least element of x.
auto IsReduced(const KnownValues& known, Name value, std::string_view op, Name x) -> bool {
  const Node* node = known.Maker(value, op);
  if (node == nullptr || node->inputs[0] != x || IntOf(*node, "keepdims", 1) != 0) return false;
  const Attribute* axes = AttributeOf(*node, "axes");
  if (node->inputs.size() == 1 && axes == nullptr) return true;
  const auto rank = known.RankOf(x);
  if (node->inputs.size() == 1) return axes->ints.size() == rank;
  const auto numbers = known.NumbersOf(node->inputs[1]);
  return numbers && numbers->size() == rank;
}

// Whether the value is this element, or 0 if that lies beyond it: max(max(x), 0) or min(min(x), 0).
auto IsReducedWithZero(const KnownValues& known, Name value, std::string_view op, std::string_view reduce, Name x)
    -> bool {
  const auto* parts = InputsOf(known, value, op);
  if (parts == nullptr || parts->size() != 2) return false;
  return std::ranges::any_of(std::array<size_t, 2>{0, 1}, [&](size_t i) {
    return IsFloat(known, (*parts)[i], 0) && IsReduced(known, (*parts)[1 - i], reduce, x);
  });
}

// Returns the operand of Relay's rounding: sign(c) * (floor(|c|) + (|c| - floor(|c|) >= 0.5)).
auto RoundedValue(const KnownValues& known, Name value) -> std::optional<Name> {
  const auto* product = InputsOf(known, value, "Mul");
  const auto* sign = product == nullptr ? nullptr : InputsOf(known, (*product)[0], "Sign");
  const auto* sum = product == nullptr ? nullptr : InputsOf(known, (*product)[1], "Add");
  const auto* floor = sum == nullptr ? nullptr : InputsOf(known, (*sum)[0], "Floor");
  const auto* above = sum == nullptr ? nullptr : InputsOf(known, (*sum)[1], "Cast");
  const auto* compared = above == nullptr ? nullptr : InputsOf(known, (*above)[0], "GreaterOrEqual");
  const auto* rest = compared == nullptr ? nullptr : InputsOf(known, (*compared)[0], "Sub");
  if (sign == nullptr || floor == nullptr || rest == nullptr || !IsFloat(known, (*compared)[1], 0.5F)) return {};
  const auto* magnitude = InputsOf(known, (*floor)[0], "Abs");
  const bool fits =
      magnitude != nullptr && (*magnitude)[0] == (*sign)[0] && (*rest)[0] == (*floor)[0] && (*rest)[1] == (*sum)[0];
  return fits ? std::optional((*sign)[0]) : std::nullopt;
}

// clip(0 - min(x) / scale, 0, 255)
auto IsPointBefore(const KnownValues& known, Name value, Name x, Name scale) -> bool {
  const auto* clip = InputsOf(known, value, "Clip");
  if (clip == nullptr || clip->size() != 3) return false;
  const auto* difference = InputsOf(known, (*clip)[0], "Sub");
  const auto* quotient = difference == nullptr ? nullptr : InputsOf(known, (*difference)[1], "Div");
  if (quotient == nullptr || (*quotient)[1] != scale) return false;
  return IsFloat(known, (*clip)[1], 0) && IsFloat(known, (*clip)[2], 255) && IsFloat(known, (*difference)[0], 0) &&
         (IsReduced(known, (*quotient)[0], "ReduceMin", x) ||
          IsReducedWithZero(known, (*quotient)[0], "Min", "ReduceMin", x));
}

}  // namespace

void RestoreDynamicQuantization(Node& quantize, Node& scale, Node& point, KnownValues& known) {
  if (scale.op_type != "Div" || point.op_type != "Cast" || IntOf(point, "to", 0) != kUint8) return;
  const Name x = quantize.inputs[0];
  const auto* spread = InputsOf(known, scale.inputs[0], "Sub");
  if (spread == nullptr || !IsFloat(known, scale.inputs[1], 255)) return;
  const auto rounded = RoundedValue(known, point.inputs[0]);
  const bool fits = rounded && IsReducedWithZero(known, (*spread)[0], "Max", "ReduceMax", x) &&
                    IsReducedWithZero(known, (*spread)[1], "Min", "ReduceMin", x) &&
                    IsPointBefore(known, *rounded, x, scale.outputs[0]);
  if (!fits) return;
  scale.op_type = "DynamicQuantizeLinear";
  scale.inputs = {x};
  scale.attributes.clear();
  scale.outputs = {quantize.outputs[0], scale.outputs[0], point.outputs[0]};
  quantize.outputs = {known.NewName()};
  point.outputs = {known.NewName()};
  known.NoteNode(scale);
}

}  // namespace relayopt::onnx::out
