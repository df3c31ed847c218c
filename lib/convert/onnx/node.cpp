// Attributes and values of a node.
#include "node.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "importer.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt::onnx {

auto Node::exact() const -> bool { return importer_.options().exact; }

auto Node::keeps_nan(ExprId x) const -> bool { return importer_.options().keeps_nan && em_.dtype(x).is_float(); }

auto Node::ins() const -> Exprs {
  Exprs exprs;
  for (const Value& value : inputs_) exprs.push_back(value.expr);
  return exprs;
}

auto Node::InputText(size_t i) const -> std::string {
  const std::string_view role = InputNameOf(row_, i);
  const std::string_view name = i < proto_.inputs.size() ? proto_.inputs[i] : std::string_view();
  return name.empty() ? fmt::format("input {}", role) : fmt::format("input {} ('{}')", role, name);
}

auto Node::Find(std::string_view name) const -> const AttributeProto* {
  for (const AttributeProto& attribute : proto_.attributes) {
    if (attribute.name != name) continue;
    if (attribute.reference.empty()) return &attribute;
    return frame_ != nullptr ? frame_->Find(attribute.reference) : nullptr;
  }
  return nullptr;
}

auto Node::OfType(std::string_view name, AttributeType type) -> const AttributeProto* {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr || attribute->type == type) return attribute;
  Fail(kWrongAttributeType, name);
  return nullptr;
}

auto Node::Int(std::string_view name) -> int64_t {
  if (const AttributeProto* attribute = OfType(name, AttributeType::kInt)) return attribute->i;
  const auto declared = FindAttribute(row_, name);
  if (!declared || declared->default_text.empty()) {
    Fail("attribute '{}' is missing", name);
    return 0;
  }
  int64_t value = 0;
  std::from_chars(declared->default_text.data(), declared->default_text.data() + declared->default_text.size(), value);
  return value;
}

auto Node::Float(std::string_view name) -> double {
  if (const AttributeProto* attribute = OfType(name, AttributeType::kFloat)) return attribute->f;
  const auto declared = FindAttribute(row_, name);
  if (!declared || declared->default_text.empty()) {
    Fail("attribute '{}' is missing", name);
    return 0;
  }
  return std::strtod(std::string(declared->default_text).c_str(), nullptr);
}

auto Node::Decimal(std::string_view name) -> double {
  const AttributeProto* attribute = Find(name);
  const double value = Float(name);
  if (attribute == nullptr || !std::isfinite(value)) return value;
  return std::strtod(FloatDigits(value, 32).c_str(), nullptr);
}

auto Node::Text(std::string_view name) -> std::string {
  if (const AttributeProto* attribute = OfType(name, AttributeType::kString)) return std::string(attribute->s);
  const auto declared = FindAttribute(row_, name);
  if (!declared || declared->default_text.empty()) {
    Fail("attribute '{}' is missing", name);
    return "";
  }
  return std::string(declared->default_text);
}

auto Node::Choice(std::string_view name, std::string_view choices) -> std::string {
  std::string text = Text(name);
  for (std::string_view rest = choices; !rest.empty();) {
    const size_t end = rest.find(',');
    if (rest.substr(0, end) == text) return text;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  if (!failed()) Fail("attribute '{}': '{}' is not one of {}", name, text, choices);
  return text;
}

auto Node::IntList(std::string_view name) -> std::optional<Ints> {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr) return std::nullopt;
  // A single number is a list of one element, as some exporters write it.
  if (attribute->type == AttributeType::kInt) return Ints{attribute->i};
  attribute = OfType(name, AttributeType::kInts);
  return attribute == nullptr ? std::nullopt : std::optional(attribute->ints);
}

auto Node::FloatList(std::string_view name) -> std::optional<std::vector<double>> {
  const AttributeProto* attribute = OfType(name, AttributeType::kFloats);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<double>(attribute->floats.begin(), attribute->floats.end());
}

auto Node::TextList(std::string_view name) -> std::optional<std::vector<std::string>> {
  const AttributeProto* attribute = OfType(name, AttributeType::kStrings);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<std::string>(attribute->strings.begin(), attribute->strings.end());
}

auto Node::Graph(std::string_view name) -> const GraphProto* {
  const AttributeProto* attribute = OfType(name, AttributeType::kGraph);
  if (attribute == nullptr && !failed()) Fail("attribute '{}' is missing", name);
  return attribute == nullptr ? nullptr : attribute->graph;
}

auto Node::TensorConstant(const AttributeProto& attribute) -> Value {
  if (failed()) return {};
  auto constant =
      attribute.sparse != nullptr ? importer_.ConstantOf(*attribute.sparse) : importer_.ConstantOf(*attribute.tensor);
  if (!constant) return Fail("attribute '{}': {}", attribute.name, constant.error().text);
  const TypeId type = [&] {
    const std::vector<Dim> dims(constant->shape().begin(), constant->shape().end());
    return importer_.context().Tensor(dims, constant->dtype());
  }();
  Value value(em_.to().Constant(importer_.context().AddConstant(*std::move(constant))));
  em_.to().SetType(value.expr, type);
  value.element_type =
      attribute.sparse != nullptr ? attribute.sparse->values.element_type : attribute.tensor->element_type;
  return value;
}

auto Node::Known(size_t i) -> ExprId {
  const ExprId weight = em_.is_var(in(i)) ? importer_.ValueOfWeight(in(i)) : ExprId();
  return weight ? weight : in(i);
}

auto Node::NeedInts(size_t i) -> std::optional<Ints> {
  if (failed()) return std::nullopt;
  if (auto values = em_.IntsOf(Known(i))) return values;
  if (!in(i))
    Fail("{} is missing", InputText(i));
  else
    NeedsValue(InputText(i));
  return std::nullopt;
}

auto Node::NeedInt(size_t i) -> std::optional<int64_t> {
  const auto values = NeedInts(i);
  if (!values) return std::nullopt;
  if (values->size() == 1) return values->front();
  Fail("{} has {} elements instead of one", InputText(i), values->size());
  return std::nullopt;
}

auto Node::NeedDoubles(size_t i) -> std::optional<std::vector<double>> {
  if (failed()) return std::nullopt;
  if (auto values = em_.DoublesOf(Known(i))) return values;
  if (!in(i))
    Fail("{} is missing", InputText(i));
  else
    NeedsValue(InputText(i));
  return std::nullopt;
}

auto Node::NeedShape(ExprId id, std::string_view what) -> std::optional<Ints> {
  if (failed()) return std::nullopt;
  if (auto shape = em_.StaticShape(id)) return shape;
  remedy_ = importer_.RemedyOfExtents(id);
  NeedsValue(fmt::format("the shape of {}, which is {},", what, em_.TypeText(id)));
  return std::nullopt;
}

auto Node::NeedExtent(ExprId id, int64_t axis, std::string_view what) -> int64_t {
  if (failed()) return 0;
  if (const auto extent = em_.Extent(id, axis)) return *extent;
  remedy_ = importer_.RemedyOfExtents(id);
  NeedsValue(fmt::format("axis {} of {}, which is {},", axis, what, em_.TypeText(id)));
  return 0;
}

auto Node::Elements(std::span<const int64_t> shape) -> std::optional<size_t> {
  constexpr int64_t kMost = int64_t{1} << 25;
  if (failed()) return std::nullopt;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > kMost) {
      Fail("a constant of shape ({}) is too large", fmt::join(shape, ", "));
      return std::nullopt;
    }
  }
  return static_cast<size_t>(count);
}

auto Node::Axis(int64_t axis, int64_t rank) -> int64_t {
  const int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank) {
    if (!failed()) Fail("axis {} lies outside of rank {}", axis, rank);
    return 0;
  }
  return positive;
}

auto Node::NeedsValue(std::string_view what) -> ExprId {
  if (failed()) return {};
  needs_value_ = true;
  return em_.Fail(std::string(what));
}

void Node::WarnNeedsValue(std::string text) {
  needs_value_ = true;
  Warn(std::move(text));
}

void Node::Warn(std::string text) { importer_.Warn(row_.name, std::move(text)); }

}  // namespace relayopt::onnx
