// Access to the nodes of a graph.
#include "nodes.h"

#include "relayopt/relay/ops/runtime.h"
#include "relayopt/relay/text/map_order.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// Whether a virtual device is unconstrained. In graphs of older versions the field is null.
auto IsOpen(const Context& context, const Object& device) -> bool {
  for (const ObjectField& field : device.fields) {
    if (field.literal && ParseNumber<int64_t>(context.text(field.literal)).value_or(0) > 0) return false;
    const bool is_text = field.object && context.object(field.object).kind == ObjectKind::kString;
    if (field.object && (!is_text || !context.text(context.object(field.object).text).empty())) return false;
  }
  return true;
}

}  // namespace

auto JsonNodes::Integer(uint32_t node, std::string_view field, int64_t& out) -> bool {
  const auto text = graph.literal(node, field);
  const auto value = text ? ParseNumber<int64_t>(*text) : std::nullopt;
  if (!value) return Wrong(node, field, "an integer of 64 bits");
  out = *value;
  return true;
}

auto JsonNodes::Object(uint32_t node, std::string_view field, ObjectId& out) -> bool {
  out = {};
  const auto child = graph.child(node, field);
  if (!child) return !graph.literal(node, field) || Wrong(node, field, "the number of a node");
  const auto made = graph.Object(*child);
  if (made) out = *made;
  return made.has_value();
}

auto JsonNodes::Text(uint32_t node, std::string_view field, StringId& out) -> bool {
  ObjectId object;
  if (!Object(node, field, object)) return false;
  if (!object || context.object(object).kind != ObjectKind::kString) return Wrong(node, field, "a string object");
  out = context.object(object).text;
  return true;
}

auto JsonNodes::Name(uint32_t node, NameOf what, StringId& out) -> bool {
  if (!Text(node, "name_hint", out)) return false;
  out = context.Intern(ReadableModuleName(context.text(out), what == NameOf::kGlobal));
  return true;
}

auto JsonNodes::TypeOf(uint32_t node, TypeId& out) -> bool {
  out = {};
  const auto made = graph.Object(node);
  if (!made || !*made) return made.has_value();
  const auto type = TypeOfObject(context, *made);
  if (!type) {
    sink.Report(diag::kTvmJsonItem, graph.range(node), "this", "a type", What(node));
    return false;
  }
  out = *type;
  return true;
}

auto JsonNodes::Type(uint32_t node, std::string_view field, TypeId& out) -> bool {
  out = {};
  const auto child = graph.child(node, field);
  return !child || TypeOf(*child, out);
}

auto JsonNodes::Types(uint32_t node, std::string_view field, std::vector<TypeId>& out) -> bool {
  std::span<const uint32_t> list;
  if (!List(node, field, list)) return false;
  for (const uint32_t item : list) {
    TypeId type;
    if (!TypeOf(item, type)) return false;
    out.push_back(type ? type : context.NullType());
  }
  return true;
}

auto JsonNodes::Dictionary(uint32_t node, std::string_view field, std::vector<DictAttr>& out) -> bool {
  ObjectId object;
  if (!Object(node, field, object)) return false;
  if (!object) return true;
  const relayopt::Object& record = context.object(object);
  const auto* attrs = record.kind == ObjectKind::kAttrs ? context.As<DictAttrs>(record.attrs) : nullptr;
  if (attrs == nullptr) return Wrong(node, field, "a DictAttrs");
  if (!attrs->dict) return true;
  const auto items = context.object(attrs->dict).items;
  std::vector<std::string_view> keys;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const relayopt::Object* key = items[i] ? &context.object(items[i]) : nullptr;
    if (key == nullptr || key->kind != ObjectKind::kString) return Wrong(node, field, "a map of strings");
    keys.push_back(context.text(key->text));
    // Text could not be read with others.
    if (!IsKey(keys.back())) return Wrong(node, field, "a map of names");
  }
  // As TVM: attributes print in the order of the hash table through which they are read.
  for (const size_t i : CollectedMapOrder(keys)) out.push_back({context.Intern(keys[i]), items[2 * i + 1]});
  return true;
}

auto JsonNodes::Device(uint32_t node, ObjectId& out) -> bool {
  ObjectId device;
  if (!Object(node, "virtual_device_", device)) return false;
  if (!device) return true;
  const relayopt::Object& record = context.object(device);
  if (!record.type_key || context.text(record.type_key) != "VirtualDevice")
    return Wrong(node, "virtual_device_", "a virtual device");
  if (!IsOpen(context, record)) out = device;
  return true;
}

auto JsonNodes::Span(uint32_t node) -> SpanId {
  auto span = graph.child(node, "span");
  if (span && graph.type_key(*span) == "SequentialSpan") {
    const auto spans = graph.child(*span, "spans");
    if (!spans || graph.items(*spans).empty()) return {};
    span = graph.items(*spans).front();
  }
  if (!span || graph.type_key(*span) != "Span") return {};
  const auto source = graph.child(*span, "source_name");
  const auto name = source ? graph.Object(*source) : std::nullopt;
  // The name of a source may be any object in a file.
  if (!name || !*name || !context.object(*name).text) return {};
  const auto number = [&](std::string_view field) {
    return static_cast<int32_t>(ParseNumber<int64_t>(graph.literal(*span, field).value_or("")).value_or(0));
  };
  return context.Intern(relayopt::Span{context.object(*name).text, number("line"), number("column"), number("end_line"),
                                       number("end_column")});
}

}  // namespace relayopt
