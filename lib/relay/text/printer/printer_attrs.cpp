// Prints attributes.
#include "printer_attrs.h"

#include <algorithm>
#include <utility>

#include "printer_literals.h"
#include "printer_types.h"
#include "relayopt/arith/expr_object.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/text/map_order.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/quoted.h"

namespace relayopt {

namespace {

void AppendSeparator(std::string& out, size_t start) {
  if (out.size() != start) out += ", ";
}

// Whether TVM prints the record of a call as an object rather than as `key=value`.
auto IsForeign(const OpDef& op, const AttrsRecord& record) -> bool {
  return record.schema == nullptr || record.schema != op.attrs || op.attrs_undeclared;
}

}  // namespace

// Work left to do on a value: an object, or a text.
struct AttrPrinter::Piece {
  ObjectId object;
  bool is_text = false;
  std::string text = {};

  static auto Text(std::string text) -> Piece { return {ObjectId(), true, std::move(text)}; }
};

auto FindField(const Context& context, const Object& node, std::string_view name) -> const ObjectField* {
  for (const ObjectField& field : node.fields) {
    if (context.text(field.name) == name) return &field;
  }
  return nullptr;
}

auto IsUnconstrained(const Context& context, ObjectId device) -> bool {
  if (!device) return true;
  const Object& node = context.object(device);
  if (node.kind != ObjectKind::kNode || context.text(node.type_key) != "VirtualDevice") return false;
  for (const ObjectField& field : node.fields) {
    if (field.literal && context.text(field.literal) != "-1") return false;
    if (field.object) {
      const Object& value = context.object(field.object);
      if (value.kind != ObjectKind::kString || !context.text(value.text).empty()) return false;
    }
  }
  return true;
}

void AttrPrinter::AppendOpCall(std::string& out, OpInstanceId op, uint64_t call) {
  if (const auto text = OpCallText(op))
    out += *text;
  else
    meta_.Append(out, {MetaRef::Kind::kAttrs, GetOpInstance(context_, op).attrs.value(), call});
}

auto AttrPrinter::OpCallText(OpInstanceId op) -> std::optional<std::string_view> {
  Remembered& slot = texts_[op.value() % kSlots];
  if (slot.op == op) return slot.text;
  const OpInstance& instance = GetOpInstance(context_, op);
  if (!instance.attrs) {
    slot = {op, {}};
    return slot.text;
  }
  if (with_metadata_ && IsForeign(*instance.op, context_.attrs(instance.attrs))) return std::nullopt;
  slot = {op, {}};
  AppendFields(slot.text, instance.attrs);
  return slot.text;
}

void AttrPrinter::AppendCall(std::string& out, AttrsId attrs) {
  if (!attrs) return;
  const size_t start = out.size();
  AppendFields(out, attrs);
  AppendSeparator(out, start);
  out += "attrs_type_key=";
  AppendQuoted(out, TypeKeyOf(context_, {MetaRef::Kind::kAttrs, attrs.value()}));
}

void AttrPrinter::AppendFunction(std::string& out, const FunctionInfo& info) {
  const size_t start = out.size();
  // Passes append attributes, while TVM and modules that are read keep them in the order of a map.
  const auto keys =
      MapToVector<std::string_view>(info.attrs, [&](const FunctionAttr& attr) { return context_.text(attr.key); });
  for (const size_t i : ReadMapOrder(keys)) {
    const FunctionAttr& attr = info.attrs[i];
    AppendSeparator(out, start);
    out += context_.text(attr.key);
    out += '=';
    AppendValue(out, attr.value);
  }
  if (IsUnconstrained(context_, info.virtual_device)) return;
  AppendSeparator(out, start);
  out += "virtual_device=";
  AppendValue(out, info.virtual_device);
}

auto AttrPrinter::DefaultsOf(const AttrsSchema& schema) -> const void* {
  return defaults_.try_emplace(&schema, schema).first->second.data();
}

void AttrPrinter::AppendFields(std::string& out, AttrsId attrs) {
  std::vector<Piece> work;
  PushFields(attrs, work);
  Drain(out, work);
}

auto AttrPrinter::Fields(AttrsId attrs) -> std::vector<std::pair<std::string, std::string>> {
  const AttrsRecord& record = context_.attrs(attrs);
  std::vector<std::pair<std::string, std::string>> fields;
  const auto add = [&](std::string_view name) -> std::string& {
    return fields.emplace_back(std::string(name), std::string()).second;
  };
  if (record.schema == nullptr) {
    for (const ObjectField& field : context_.object(record.object).fields) {
      std::string& text = add(context_.text(field.name));
      if (field.literal) {
        text = context_.text(field.literal);
      } else {
        AppendValue(text, field.object);
      }
    }
    return fields;
  }
  const void* defaults = DefaultsOf(*record.schema);
  for (const FieldInfo& field : record.schema->fields) {
    if (!field.required && EqualField(context_, field, record.data, defaults)) continue;
    std::string& text = add(field.name);
    if (field.kind == FieldKind::kObject) {
      AppendValue(text, field.Get<ObjectId>(record.data));
    } else {
      AppendField(text, field, record.data);
    }
  }
  return fields;
}

void AttrPrinter::PushFields(AttrsId attrs, std::vector<Piece>& work) {
  const AttrsRecord& record = context_.attrs(attrs);
  const size_t start = work.size();
  std::string text;
  const auto push_object = [&](ObjectId value) {
    work.push_back(Piece::Text(std::exchange(text, {})));
    work.push_back({value});
  };
  const auto begin_field = [&](std::string_view name) {
    if (work.size() != start || !text.empty()) text += ", ";
    text += name;
    text += '=';
  };
  if (record.schema == nullptr) {
    // A record of an unknown class: it is unknown which fields have their default, so all are printed.
    for (const ObjectField& field : context_.object(record.object).fields) {
      begin_field(context_.text(field.name));
      if (field.literal) {
        text += context_.text(field.literal);
      } else {
        push_object(field.object);
      }
    }
  } else {
    const void* defaults = DefaultsOf(*record.schema);
    for (const FieldInfo& field : record.schema->fields) {
      if (!field.required && EqualField(context_, field, record.data, defaults)) continue;
      begin_field(field.name);
      if (field.kind == FieldKind::kObject) {
        push_object(field.Get<ObjectId>(record.data));
      } else {
        AppendField(text, field, record.data);
      }
    }
  }
  work.push_back(Piece::Text(std::move(text)));
  std::reverse(work.begin() + static_cast<std::ptrdiff_t>(start), work.end());
}

void AttrPrinter::AppendField(std::string& out, const FieldInfo& field, const void* record) {
  switch (field.kind) {
    case FieldKind::kInt: AppendInt(out, field.Get<int64_t>(record)); break;
    case FieldKind::kBool: out += field.Get<bool>(record) ? "True" : "False"; break;
    case FieldKind::kDouble:
      AppendFloatDigits(out, field.Get<double>(record), 64);
      out += 'f';
      break;
    case FieldKind::kString: AppendQuoted(out, field.Get<std::string>(record)); break;
    case FieldKind::kDataType: AppendQuoted(out, ToString(field.Get<DataType>(record))); break;
    case FieldKind::kDim: AppendDim(out, context_, field.Get<Dim>(record), meta_); break;
    case FieldKind::kDimList: AppendDims(out, field.Get<DimList>(record)); break;
    case FieldKind::kDimLists: {
      const auto& lists = field.Get<DimLists>(record);
      if (lists.null) {
        out += "None";
        break;
      }
      out += '[';
      for (size_t i = 0; i < lists.size(); ++i) {
        if (i != 0) out += ", ";
        AppendDims(out, lists[i]);
      }
      out += ']';
      break;
    }
    case FieldKind::kObject: break;
  }
}

void AttrPrinter::AppendDims(std::string& out, const DimList& list) {
  if (list.null) {
    out += "None";
    return;
  }
  out += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out += ", ";
    AppendDim(out, context_, list[i], meta_);
  }
  out += ']';
}

void AttrPrinter::AppendValue(std::string& out, ObjectId value) {
  std::vector<Piece> work;
  Expand(out, value, work);
  Drain(out, work);
}

void AttrPrinter::Drain(std::string& out, std::vector<Piece>& work) {
  while (!work.empty()) {
    const Piece piece = std::move(work.back());
    work.pop_back();
    if (piece.is_text) {
      out += piece.text;
    } else {
      Expand(out, piece.object, work);
    }
  }
}

// Writes the head of a value and pushes the rest as work.
void AttrPrinter::Expand(std::string& out, ObjectId value, std::vector<Piece>& work) {
  if (!value) {
    out += "None";
    return;
  }
  const Object& object = context_.object(value);
  switch (object.kind) {
    case ObjectKind::kInt: AppendTypedInt(out, object.integer, object.dtype); return;
    case ObjectKind::kFloat: AppendTypedFloat(out, object.real, object.dtype); return;
    case ObjectKind::kString:
    case ObjectKind::kStringImm: AppendQuoted(out, context_.text(object.text)); return;
    case ObjectKind::kArray:
      out += '[';
      work.push_back(Piece::Text("]"));
      for (size_t i = object.items.size(); i-- != 0;) {
        work.push_back({object.items[i]});
        if (i != 0) work.push_back(Piece::Text(", "));
      }
      return;
    default: break;
  }
  if (arith::KindOf(context_, value) == arith::PrimKind::kAny) {
    out += '?';
  } else if (with_metadata_ || !ExpandReadably(out, object, work)) {
    if (object.kind == ObjectKind::kConstant) {
      meta_.NoteConstant(object.constant, {.type = object.type, .span = {}, .read_span = MetaIndex::SpanIn(object)});
    }
    meta_.Append(out, RefOf(context_, value));
  }
}

auto AttrPrinter::ExpandReadably(std::string& out, const Object& object, std::vector<Piece>& work) -> bool {
  if (object.kind == ObjectKind::kMap) {
    out += '{';
    work.push_back(Piece::Text("}"));
    for (size_t i = object.items.size() / 2; i-- != 0;) {
      work.push_back({object.items[2 * i + 1]});
      work.push_back(Piece::Text("="));
      work.push_back({object.items[2 * i]});
      if (i != 0) work.push_back(Piece::Text(", "));
    }
    return true;
  }
  if (object.kind == ObjectKind::kGlobalVar) {
    out += '\'';
    out += context_.text(object.text);
    out += '\'';
    return true;
  }
  if (object.kind == ObjectKind::kAttrs) {
    out += '{';
    work.push_back(Piece::Text("}"));
    PushFields(object.attrs, work);
    return true;
  }
  if (object.kind == ObjectKind::kNode && context_.text(object.type_key) == "VirtualDevice") {
    AppendDevice(out, object);
    return true;
  }
  return false;
}

// Unset parts are left out; a target is printed as its kind.
void AttrPrinter::AppendDevice(std::string& out, const Object& device) {
  out += "VirtualDevice(";
  const size_t start = out.size();
  const auto append_int = [&](std::string_view field_name, std::string_view label) {
    const ObjectField* field = FindField(context_, device, field_name);
    if (field == nullptr || !field->literal || context_.text(field->literal) == "-1") return;
    AppendSeparator(out, start);
    out += label;
    out += context_.text(field->literal);
  };
  const auto object_of = [&](const Object& node, std::string_view field_name) -> const Object* {
    const ObjectField* field = FindField(context_, node, field_name);
    return field == nullptr || !field->object ? nullptr : &context_.object(field->object);
  };
  append_int("device_type_int", "device_type=");
  append_int("virtual_device_id", "virtual_device_id=");
  if (const Object* target = object_of(device, "target")) {
    const Object* kind = object_of(*target, "kind");
    const Object* name = kind == nullptr ? nullptr : object_of(*kind, "name");
    AppendSeparator(out, start);
    out += "target=";
    out += name == nullptr || !name->text ? "?" : context_.text(name->text);
  }
  if (const Object* scope = object_of(device, "memory_scope");
      scope != nullptr && !context_.text(scope->text).empty()) {
    AppendSeparator(out, start);
    out += "memory_scope='";
    out += context_.text(scope->text);
    out += '\'';
  }
  if (out.size() == start) out += '?';
  out += ')';
}

}  // namespace relayopt
