// Makes the object of graph JSON, whose text the core parses.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>

#include "bindings.h"
#include "graph_json.h"
#include "lib/relay/text/metadata/metadata_raw.h"
#include "lib/relay/text/metadata/metadata_tensors.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/base64.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt::python {
namespace {

using object::Field;
using object::MapObj;
using object::SlotObj;
using object::StringObj;
using object::TensorObj;
using object::TypeInfo;
using Kind = object::FieldKind;

constexpr DiagnosticKind kUnknownClass = {"metadata-class", Severity::kError, "metadata: unknown type key {}"};
constexpr DiagnosticKind kUnknownOperator = {"metadata-operator", Severity::kError, "metadata: unknown operator {}"};

// Makes the objects of a text: each after those that it refers to, on an explicit stack.
class ObjectReader {
 public:
  explicit ObjectReader(const SourceText& source)
      : json_(source, {0, static_cast<uint32_t>(source.text().size())}, sink_) {}

  auto sink() const -> const DiagnosticSink& { return sink_; }

  // Returns nothing after an error, which the sink has.
  auto Read() -> std::optional<Value> {
    auto raw = ParseMetadata(json_, sink_);
    if (!raw) return std::nullopt;
    raw_ = *std::move(raw);
    if (raw_.root >= raw_.nodes.size()) {
      sink_.Report(diag::kMetaNode, {raw_.root_begin, raw_.root_begin + 1}, raw_.root, raw_.nodes.size());
      return std::nullopt;
    }
    for (const RawNode& node : raw_.nodes) {
      if (!Resolve(node)) return std::nullopt;
    }
    made_.resize(raw_.nodes.size());
    return MakeAll() ? std::optional(made_[raw_.root].value) : std::nullopt;
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kMade };
  struct Made {
    Value value;
    State state = State::kNew;
  };

  auto Fields(const RawNode& node) -> std::span<RawField> {
    return std::span(raw_.fields).subspan(node.fields.first, node.fields.count);
  }
  auto Items(const RawNode& node) const -> std::span<const uint32_t> {
    return std::span(raw_.items).subspan(node.items.first, node.items.count);
  }
  auto KeyOf(const RawNode& node) const -> std::string_view { return json_.text(node.type_key); }

  auto Wrong(const RawNode& node, std::string_view field, std::string_view what) -> bool {
    sink_.Report(diag::kMetaField, {node.begin, node.begin + 1}, Printable(field), Printable(KeyOf(node)), what);
    return false;
  }

  // Returns the class of a node, or null. Where two classes have the same key, fields tell them apart.
  auto ClassOf(const RawNode& node) -> const TypeInfo* {
    const std::string key(KeyOf(node));
    const TypeInfo* const info = object::FindType(key);
    if (info == nullptr) return nullptr;
    const bool is_first = std::ranges::all_of(
        Fields(node), [&](const RawField& field) { return info->Find(json_.text(field.name)) >= 0; });
    const TypeInfo* const second = is_first ? nullptr : object::FindType(key + "#2");
    return second == nullptr ? info : second;
  }

  auto IsReference(const TypeInfo* info, std::string_view key, std::string_view name, std::string_view text) const
      -> bool {
    if (key == "IRModule" || key == "SourceMap" || key == "Source" || IsWrittenAsName(key)) return true;
    if ((key == "relay.Constant" && name == "data") || key == "runtime.NDArray") return false;
    const int slot = info == nullptr ? -1 : info->Find(name);
    if (slot < 0) return false;
    switch (info->fields[static_cast<size_t>(slot)].kind) {
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kFloat: return false;
      case Kind::kString: return !IsPlainText(*info, name);
      default: return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    }
  }

  // Determines which fields refer to nodes. Returns false if one of these nodes does not exist.
  auto Resolve(const RawNode& node) -> bool {
    const TypeInfo* const info = ClassOf(node);
    for (RawField& field : Fields(node)) {
      const std::string_view text = json_.text(field.value);
      if (!IsReference(info, KeyOf(node), json_.text(field.name), text)) continue;
      const auto child = ParseNumber<uint32_t>(text);
      if (!child || *child >= raw_.nodes.size()) {
        sink_.Report(diag::kMetaNode, field.value.range(), Printable(text), raw_.nodes.size());
        return false;
      }
      field.child = *child;
    }
    for (const uint32_t item : Items(node)) {
      if (item < raw_.nodes.size()) continue;
      sink_.Report(diag::kMetaNode, {node.data_begin, node.data_begin + 1}, item, raw_.nodes.size());
      return false;
    }
    return true;
  }

  auto MakeAll() -> bool {
    std::vector<uint32_t> work = {raw_.root};
    while (!work.empty()) {
      const uint32_t at = work.back();
      if (made_[at].state == State::kMade) {
        work.pop_back();
      } else if (made_[at].state == State::kOpen) {
        if (!Make(raw_.nodes[at], made_[at].value)) return false;
        made_[at].state = State::kMade;
        work.pop_back();
      } else {
        made_[at].state = State::kOpen;
        const auto push = [&](uint32_t child) {
          if (made_[child].state == State::kOpen) return false;
          if (made_[child].state == State::kNew) work.push_back(child);
          return true;
        };
        const RawNode& node = raw_.nodes[at];
        bool ok = std::ranges::all_of(Items(node), push);
        for (const RawField& field : Fields(node)) ok = ok && (field.child == RawField::kNoChild || push(field.child));
        if (!ok) {
          sink_.Report(diag::kMetaCycle, {node.begin, node.begin + 1}, at);
          return false;
        }
      }
    }
    return true;
  }

  auto Make(const RawNode& node, Value& out) -> bool {
    const std::string_view key = KeyOf(node);
    if (key.empty()) return true;
    if (key == "runtime.String" || key == "StringImm") return TextOf(node, out);
    if (IsWrittenAsName(key)) return MakeName(node, out);
    if (key == "Array") {
      std::vector<Value> items;
      for (const uint32_t item : Items(node)) items.push_back(made_[item].value);
      out = object::MakeArray(items);
      return true;
    }
    if (key == "Map" || key == "StrMap") return MakeMap(node, out);
    if (key == "runtime.NDArray") return TensorOf(node, "ndarray", out);
    if (key == "Source" || key == "SourceMap" || key == "IRModule") return MakePython(node, out);
    return MakeNode(node, out);
  }

  auto TextOf(const RawNode& node, Value& out) -> bool {
    std::string storage;
    const auto text = json_.Unescape(node.bytes, storage);
    if (!text) return false;
    if (node.bytes_kind != RawNode::Bytes::kBase64) {
      out = *text;
      return true;
    }
    // The number of bytes comes first.
    constexpr size_t kHead = sizeof(uint64_t);
    const auto size = Base64Size(*text);
    std::string bytes(size.value_or(0), '\0');
    if (bytes.size() < kHead || !DecodeBase64(*text, 0, std::as_writable_bytes(std::span(bytes)))) {
      return Wrong(node, "repr_b64", "base64");
    }
    out = std::string_view(bytes).substr(kHead);
    return true;
  }

  // The value of the field `name`, or null.
  auto ChildOf(const RawNode& node, std::string_view name) -> Value {
    for (const RawField& field : Fields(node)) {
      if (json_.text(field.name) == name && field.child != RawField::kNoChild) return made_[field.child].value;
    }
    return {};
  }

  auto MakeName(const RawNode& node, Value& out) -> bool {
    Value name = ChildOf(node, "name");
    if (name.is_null() && !TextOf(node, name)) return false;
    if (name.as<StringObj>() == nullptr) return Wrong(node, "name", "a text");
    if (KeyOf(node) != "Op") {
      out = object::MakeNode(object::FindType(KeyOf(node))->index, std::span(&name, 1));
      return true;
    }
    if (FindOp(name.text()) == nullptr) {
      sink_.Report(kUnknownOperator, {node.begin, node.begin + 1}, Printable(name.text()));
      return false;
    }
    out = graph::OpObject(name.text());
    return true;
  }

  auto MakeMap(const RawNode& node, Value& out) -> bool {
    const auto items = Items(node);
    const bool named = node.keys.count != 0;
    if (named ? node.keys.count != items.size() : items.size() % 2 != 0) {
      sink_.Report(diag::kMetaMap, {node.begin, node.begin + 1});
      return false;
    }
    std::vector<std::pair<Value, Value>> entries;
    for (size_t i = 0; named && i < items.size(); ++i) {
      std::string storage;
      const auto key = json_.Unescape(raw_.keys[node.keys.first + i], storage);
      if (!key) return false;
      entries.emplace_back(*key, made_[items[i]].value);
    }
    for (size_t i = 0; !named && i < items.size(); i += 2) {
      entries.emplace_back(made_[items[i]].value, made_[items[i + 1]].value);
    }
    out = object::Make<MapObj>(std::move(entries));
    return true;
  }

  auto TensorOf(const RawNode& node, std::string_view field, Value& out) -> bool {
    const auto found =
        std::ranges::find_if(Fields(node), [&](const RawField& each) { return json_.text(each.name) == field; });
    const std::string_view text = found == Fields(node).end() ? "" : json_.text(found->value);
    size_t at = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
    if (error != std::errc() || at >= raw_.tensors.size()) {
      sink_.Report(diag::kMetaTensorIndex, {node.begin, node.begin + 1}, Printable(text), raw_.tensors.size());
      return false;
    }
    tensors_.resize(raw_.tensors.size());
    if (tensors_[at].is_null()) {
      const auto read = ReadTensor(json_.text(raw_.tensors[at]));
      if (const auto* fault = std::get_if<TensorFault>(&read)) {
        const uint32_t begin = raw_.tensors[at].begin;
        sink_.Report(diag::kMetaTensor,
                     {begin + static_cast<uint32_t>(fault->begin), begin + static_cast<uint32_t>(fault->end)},
                     fault->what);
        return false;
      }
      const Constant& encoded = std::get<Constant>(read);
      // Of its own: the text does not live longer than this reader.
      const auto shape = encoded.shape();
      tensors_[at] = object::Make<TensorObj>(Constant(encoded.dtype(), {shape.begin(), shape.end()}, encoded.Bytes()));
    }
    out = tensors_[at];
    return true;
  }

  // Modules and the texts that they were read from, which are classes of Python.
  auto MakePython(const RawNode& node, Value& out) -> bool {
    const auto argument = [&](std::string_view name) { return ToObject(ChildOf(node, name)); };
    const nb::object base = nb::module_::import_("relayopt.ir.base");
    nb::object made;
    if (KeyOf(node) == "Source") {
      made = base.attr("Source")(argument("source_name"), argument("source"));
    } else if (KeyOf(node) == "SourceMap") {
      nb::dict entries;
      const Value map = ChildOf(node, "source_map");
      if (const auto* found = map.as<MapObj>()) {
        for (const auto& [name, source] : found->entries()) entries[ToObject(name)] = ToObject(source);
      }
      made = base.attr("SourceMap")(entries);
    } else {
      made = nb::module_::import_("relayopt.ir.module")
                 .attr("IRModule")(argument("functions"), argument("type_definitions"), argument("attrs"));
      made.attr("_source_map") = argument("source_map");
    }
    if (Object* const object = Unwrap(made.ptr())) {
      out = Ref<Object>(object);
    } else {
      out = object::Make<PyValueObj>(made.ptr());
    }
    return true;
  }

  auto MakeNode(const RawNode& node, Value& out) -> bool {
    const TypeInfo* const info = ClassOf(node);
    if (info == nullptr || !IsMadeOfFields(*info)) {
      sink_.Report(kUnknownClass, node.type_key.range(), Printable(KeyOf(node)));
      return false;
    }
    const bool is_function = info->index == graph::TypeOf(graph::Node::kFunction);
    auto made = SlotObj::Create(info->index, info->fields.size() + (is_function ? 1 : 0));
    if (info->key == "relay.Constructor") made->set(graph::slot::kCtorTag, -1);
    for (const RawField& raw : Fields(node)) {
      const std::string_view name = json_.text(raw.name);
      const int slot = info->Find(name);
      if (slot < 0) continue;
      Value value;
      const Field& field = info->fields[static_cast<size_t>(slot)];
      const bool is_tensor = info->key == "relay.Constant" && name == "data";
      if (is_tensor ? !TensorOf(node, name, value) : !FieldOf(node, field, raw, value)) return false;
      made->set(static_cast<size_t>(slot), std::move(value));
    }
    // Attributes of nothing are an empty map.
    if (info->key == "DictAttrs" && made->slot(graph::slot::kDict).is_null()) {
      made->set(graph::slot::kDict, object::Make<MapObj>(std::vector<std::pair<Value, Value>>()));
    }
    if (const char* missing = MissingField(*made)) return Wrong(node, missing, "given");
    out = made;
    return true;
  }

  auto FieldOf(const RawNode& node, const Field& field, const RawField& raw, Value& out) -> bool {
    std::string storage;
    if (raw.child != RawField::kNoChild) {
      out = made_[raw.child].value;
    } else {
      const auto text = json_.Unescape(raw.value, storage);
      if (!text) return false;
      const bool is_number = field.kind == Kind::kInt || field.kind == Kind::kFloat;
      if (field.kind == Kind::kBool) {
        out = *text != "0" && *text != "false";
      } else if (!is_number) {
        out = *text;
      } else if (!NumberOf(*text, field.kind == Kind::kInt, out)) {
        return Wrong(node, field.name, "a number");
      }
    }
    const auto misfit = FitField(field, out);
    return !misfit || Wrong(node, field.name, misfit->expected);
  }

  static auto NumberOf(std::string_view text, bool is_int, Value& out) -> bool {
    const auto take = [&](const auto& number) {
      if (number) out = *number;
      return number.has_value();
    };
    return is_int ? take(ParseNumber<int64_t>(text)) : take(ParseNumber<double>(text));
  }

  DiagnosticSink sink_;
  JsonScanner json_;
  RawMetadata raw_;
  std::vector<Made> made_;
  std::vector<Value> tensors_;
};

auto Load(const std::string& text) -> nb::object {
  const auto source = SourceText::FromString("<json>", text);
  ObjectReader reader(*source);
  const auto made = reader.Read();
  if (!made) Throw(reader.sink(), source.get());
  return ToObject(*made);
}

}  // namespace

void AddGraphJsonReader(nb::module_& m) { m.def("load_json", &Load); }

}  // namespace relayopt::python
