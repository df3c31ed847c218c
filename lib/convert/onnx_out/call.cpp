// The functions with which forms are written.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "forms.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt::onnx::out {

auto ModelBuilder::Unique(std::string_view name) -> Name {
  Name unique = names_.Intern(name);
  for (size_t i = 1; IsGenerated(unique) || !used_.insert(unique); ++i) {
    unique = names_.Intern(fmt::format("{}_{}", name, i));
  }
  return unique;
}

auto ModelBuilder::IsGenerated(Name name) const -> bool {
  if (!name.is_numbered()) return false;
  const auto number = ParseNumber<size_t>(name.text().substr(1));
  return number && *number < next_ && !reserved_.contains(name);
}

auto ModelBuilder::NewName() -> Name {
  while (true) {
    const Name name = names_.Numbered(next_++);
    if (!reserved_.contains(name) && !used_.contains(name)) return name;
  }
}

auto ToTensorData(const Constant& constant) -> TensorData {
  TensorData tensor;
  tensor.element_type = ElementTypeOf(constant.dtype());
  tensor.dims.assign(constant.shape().begin(), constant.shape().end());
  tensor.bytes = constant.Elements();
  return tensor;
}

auto ModelBuilder::Initializer(const Constant& constant, std::string_view name) -> Name {
  const size_t number = contents_.FindOrAdd(constant);
  if (number < initializers_.size()) return initializers_[number].name;
  TensorData tensor = ToTensorData(constant);
  // Values without a name are numbered at the end. Until then they have names that models do not use.
  tensor.name = Unique(name.empty() ? "constant/" + std::to_string(initializers_.size()) : std::string(name));
  tensor.is_named = !name.empty();
  initializers_.push_back(std::move(tensor));
  return initializers_.back().name;
}

void ModelBuilder::NoteOrigin(Name initializer, const Function& function, ExprId constant) {
  // The initializer was either added last or has its origin already.
  TensorData& last = initializers_.back();
  if (last.name != initializer || last.is_named || last.source || !last.base.empty()) return;
  const auto& names = function.context().Part<ConstantNames>();
  const ConstantId id = function.constant_id(constant);
  const ConstantOrigin origin = names.OriginOf(id);
  last.source = origin.source;
  last.base = names.Find(id).value_or(names.Find(origin.base).value_or(""));
}

auto ModelBuilder::AddNode(Graph& graph, std::string_view op_type, Names inputs, Attributes attributes, size_t outputs)
    -> Values {
  Node& node = graph.nodes.emplace_back();
  node.op_type = op_type;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(NewName());
  return node.outputs;
}

auto ModelBuilder::AddCall(Graph& graph, std::string_view op_type, Names inputs, Attributes attributes, size_t outputs)
    -> Values {
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  if (!std::ranges::is_sorted(attributes, {}, &Attribute::name)) std::ranges::sort(attributes, {}, &Attribute::name);
  constexpr std::string_view kIndexMakers[] = {"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
  constexpr std::string_view kMovers[] = {"Transpose", "Squeeze", "Unsqueeze", "Reshape"};
  // The operand of a call that could not be written has no name.
  const bool is_mover = std::ranges::find(kMovers, op_type) != std::end(kMovers) && !inputs.empty();
  const bool moves_index = is_mover && IsIndex(inputs[0]);
  const bool makes_index = std::ranges::find(kIndexMakers, op_type) != std::end(kIndexMakers);
  Values values = AddNode(graph, op_type, std::move(inputs), std::move(attributes), outputs);
  if (moves_index || makes_index) NoteIndex(values[0]);
  if (op_type == "TopK") NoteIndex(values[1]);
  return values;
}

auto OnnxCall::AddMany(std::string_view op_type, Names inputs, Attributes attributes, size_t outputs) -> Values {
  return model_.AddCall(graph_, op_type, std::move(inputs), std::move(attributes), outputs);
}

auto OnnxCall::Add(std::string_view op_type, Names inputs, Attributes attributes) -> Name {
  return AddMany(op_type, std::move(inputs), std::move(attributes), 1)[0];
}

auto OnnxCall::List(std::span<const int64_t> values) -> Name {
  Tensor tensor(kIndexType, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutable_data<int64_t>());
  const auto bytes = tensor.bytes();
  return model_.Initializer(
      {kIndexType, {static_cast<int64_t>(values.size())}, std::vector<std::byte>(bytes.begin(), bytes.end())});
}

auto OnnxCall::Index(int64_t value) -> Name {
  return model_.Initializer(Constant::Scalar(kIndexType, static_cast<uint64_t>(value)));
}

auto OnnxCall::Number(double value, DataType dtype) -> Name {
  FunctionBuilder scratch(context());
  return model_.Initializer(scratch.function().constant(EmitScalar(scratch, dtype, value)));
}

auto OnnxCall::CastTo(Name value, int32_t element_type) -> Name {
  if (const auto source = model_.SourceOfCast(value, element_type)) return *source;
  const Name result = Add("Cast", {value}, {Int("to", element_type)});
  if (element_type == kInt32 && model_.IsIndex(value)) model_.NoteCast(result, value, kInt64);
  return result;
}

auto OnnxCall::Cast(Name value, DataType dtype) -> Name { return CastTo(value, ElementTypeOf(dtype)); }

auto OnnxCall::Transpose(Name value, std::span<const int64_t> axes) -> Name {
  // Two consecutive transposes become one, or none.
  std::vector<int64_t> order(axes.begin(), axes.end());
  if (const auto* before = model_.SourceOfTranspose(value); before != nullptr) {
    for (int64_t& axis : order) axis = before->second[static_cast<size_t>(axis)];
    value = before->first;
  }
  if (std::ranges::is_sorted(order)) return value;
  const Name result = Add("Transpose", {value}, {Ints("perm", order)});
  model_.NoteTranspose(result, value, std::move(order));
  return result;
}

auto OnnxCall::Reshape(Name value, std::span<const int64_t> shape) -> Name {
  const bool is_plain = std::ranges::all_of(shape, [](int64_t extent) { return extent >= 0; });
  const auto zeros = std::ranges::count(shape, 0);
  if (zeros == 1 && is_plain) {
    // The extent 0 follows from the others, in all versions.
    std::vector<int64_t> inferred(shape.begin(), shape.end());
    *std::ranges::find(inferred, 0) = -1;
    return Add("Reshape", {value, List(inferred)});
  }
  return Add("Reshape", {value, List(shape)}, zeros != 0 ? Attributes{Int("allowzero", 1)} : Attributes());
}

auto OnnxCall::Extents(Name value, int64_t begin, int64_t end) -> Name {
  // The first version of Shape that gives a part.
  constexpr int64_t kParts = 15;
  if (model_.target() < kParts) {
    return Add("Slice", {Add("Shape", {value}), List({begin}), List({end}), List({0}), List({1})});
  }
  Attributes part = {Int("end", end)};
  if (begin != 0) part.push_back(Int("start", begin));
  return Add("Shape", {value}, std::move(part));
}

auto OnnxCall::Unsqueeze(Name value, std::span<const int64_t> axes) -> Name {
  return axes.empty() ? value : Add("Unsqueeze", {value, List(axes)});
}

auto OnnxCall::AsColumn(Name vector, size_t count) -> Name {
  std::vector<int64_t> behind(count);
  std::iota(behind.begin(), behind.end(), 1);
  return Unsqueeze(vector, behind);
}

auto OnnxCall::As(size_t i, DataType dtype) -> Name {
  const Type* type = input(i);
  return type != nullptr && type->dtype == dtype ? arg(i) : Cast(arg(i), dtype);
}

auto NumbersOf(const Constant* constant) -> std::optional<std::vector<int64_t>> {
  if (constant == nullptr || constant->dtype().is_float()) return std::nullopt;
  const Tensor tensor(*constant);
  std::vector<int64_t> values;
  const auto add = [&]<typename T>(T) {
    for (const T value : tensor.elements<T>()) values.push_back(static_cast<int64_t>(value));
  };
  const DataType dtype = constant->dtype();
  if (dtype == kIndexType) {
    add(int64_t());
  } else if (dtype == DataType::Int(32)) {
    add(int32_t());
  } else if (dtype == DataType::Int(8)) {
    add(int8_t());
  } else if (dtype == DataType::UInt(8)) {
    add(uint8_t());
  } else {
    return std::nullopt;
  }
  return values;
}

}  // namespace relayopt::onnx::out
