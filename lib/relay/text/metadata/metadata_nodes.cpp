// Describes the nodes of a metadata section that represent data of the context.
#include "metadata_nodes.h"

#include <fmt/core.h>

#include "lib/relay/text/printer/printer_attrs.h"
#include "relayopt/relay/text/map_order.h"
#include "relayopt/relay/text/plain_strings.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

using Kind = NodeRef::Kind;

// Returns the node of an object. Objects that represent a constant or type get the node of that constant or type.
auto NodeOfObject(const Context& context, MetaIndex& meta, ObjectId id) -> NodeRef {
  if (!id) return {};
  const Object& object = context.object(id);
  if (object.kind == ObjectKind::kConstant) meta.NoteInnerConstant(object);
  const MetaRef ref = RefOf(context, id);
  switch (ref.kind) {
    case MetaRef::Kind::kConstant: return {Kind::kConstant, ref.id};
    case MetaRef::Kind::kType: return {Kind::kType, ref.id};
    default: return {Kind::kObject, id.value()};
  }
}

class Describer {
 public:
  Describer(const Context& context, MetaIndex& meta, NodeVisitor& visitor)
      : context_(context), meta_(meta), visitor_(visitor) {}

  void Describe(const NodeRef& ref) {
    switch (ref.kind) {
      case Kind::kNull: break;
      case Kind::kRoot: DescribeRoot(); break;
      case Kind::kList: DescribeList(meta_.lists()[ref.a]); break;
      case Kind::kObject: DescribeObject(context_.object(ObjectId(ref.a))); break;
      case Kind::kText: DescribeText(context_.text(StringId(ref.a))); break;
      case Kind::kEmptyText: DescribeText(""); break;
      case Kind::kConstant: DescribeConstant(ConstantId(ref.a)); break;
      case Kind::kOwnTensor: DescribeTensor(ref); break;
      case Kind::kOwnShape: DescribeShape(ref); break;
      case Kind::kOwnDim: DescribeDim(TypeOf(ref).shape[ref.b]); break;
      case Kind::kType: DescribeType(ref); break;
      case Kind::kTypeArgs: DescribeTypes(TypeOf(ref).args); break;
      case Kind::kTypeParams: DescribeTypes(TypeOf(ref).type_params); break;
      case Kind::kTypeHead:
        visitor_.TypeKey("GlobalTypeVar");
        visitor_.Child("name_hint", {Kind::kText, TypeOf(ref).name.value()});
        visitor_.Literal("kind", "5");
        break;
      case Kind::kEmptyArray: visitor_.TypeKey("Array"); break;
      case Kind::kAttrs: DescribeAttrs(ref); break;
      case Kind::kAttrsText: DescribeText(FieldOf(ref).Get<std::string>(RecordOf(ref).data)); break;
      case Kind::kAttrsList: DescribeAttrsList(ref); break;
      case Kind::kAttrsDim: DescribeDim(DimOf(ref)); break;
      case Kind::kAttrsFloat: DescribeFloat(FieldOf(ref).default_floats[ref.d], DataType::Float(32)); break;
      case Kind::kDevice:
        visitor_.TypeKey("VirtualDevice");
        visitor_.Literal("device_type_int", "-1");
        visitor_.Literal("virtual_device_id", "-1");
        visitor_.Child("target", {});
        visitor_.Child("memory_scope", {Kind::kEmptyText});
        break;
      case Kind::kSpan: DescribeSpan(context_.span(SpanId(ref.a))); break;
      case Kind::kSource:
        visitor_.TypeKey("SourceName");
        visitor_.Bytes(context_.text(StringId(ref.a)));
        break;
      case Kind::kOwn:
      case Kind::kOwnShared: break;
    }
  }

 private:
  static auto Part(const NodeRef& of, Kind kind) -> NodeRef { return {kind, of.a, of.b, of.c, of.d}; }
  auto OfType(TypeId id) const -> NodeRef {
    if (!id || context_.type(id).kind == TypeKind::kNull) return {};
    return {Kind::kType, id.value()};
  }

  auto TypeOf(const NodeRef& ref) const -> const Type& { return context_.type(TypeId(ref.a)); }
  auto RecordOf(const NodeRef& ref) const -> const AttrsRecord& { return context_.attrs(AttrsId(ref.a)); }
  auto FieldOf(const NodeRef& ref) const -> const FieldInfo& { return RecordOf(ref).schema->fields[ref.b]; }

  auto OfObject(ObjectId id) -> NodeRef { return NodeOfObject(context_, meta_, id); }

  void DescribeRoot() {
    visitor_.TypeKey("Map");
    const auto keys = MapToVector<std::string_view>(meta_.lists(), &MetaIndex::List::type_key);
    for (const size_t i : CollectedMapOrder(keys)) {
      visitor_.Key(keys[i]);
      visitor_.Item({Kind::kList, static_cast<uint32_t>(i)});
    }
  }

  void DescribeList(const MetaIndex::List& list) {
    visitor_.TypeKey("Array");
    for (const MetaRef& ref : list.objects) {
      switch (ref.kind) {
        case MetaRef::Kind::kObject: visitor_.Item(OfObject(ObjectId(ref.id))); break;
        case MetaRef::Kind::kConstant: visitor_.Item({Kind::kConstant, ref.id}); break;
        case MetaRef::Kind::kType: visitor_.Item({Kind::kType, ref.id}); break;
        case MetaRef::Kind::kAttrs: visitor_.Item({Kind::kAttrs, ref.id}); break;
      }
    }
  }

  void DescribeShape(const NodeRef& ref) {
    const Shape shape = TypeOf(ref).shape;
    visitor_.TypeKey("Array");
    for (uint32_t i = 0; i < shape.size(); ++i) visitor_.Item(OfDim(shape[i], {Kind::kOwnDim, ref.a, i}));
  }

  void DescribeTypes(std::span<const TypeId> types) {
    visitor_.TypeKey("Array");
    for (const TypeId type : types) visitor_.Item(OfType(type));
  }

  void DescribeText(std::string_view text) {
    visitor_.TypeKey("runtime.String");
    visitor_.Bytes(text);
  }

  void NoSpan() { visitor_.Child("span", {}); }

  void DescribeInt(int64_t value, DataType dtype) {
    visitor_.TypeKey("IntImm");
    visitor_.Literal("dtype", ToString(dtype));
    visitor_.Literal("value", fmt::format("{}", value));
    NoSpan();
  }

  void DescribeFloat(double value, DataType dtype) {
    visitor_.TypeKey("FloatImm");
    visitor_.Literal("dtype", ToString(dtype));
    visitor_.Literal("value", fmt::format("{:.17g}", value));
    NoSpan();
  }

  // Describes a dimension that is neither null nor symbolic.
  void DescribeDim(const Dim& dim) {
    if (dim.is_int()) {
      DescribeInt(dim.value(), dim.bits() == 1 ? DataType::Bool() : DataType::Int(dim.bits()));
      return;
    }
    visitor_.TypeKey("tir.Any");
    visitor_.Literal("dtype", "int32");
    NoSpan();
  }

  // Returns the node of the dimension that `part` represents.
  auto OfDim(const Dim& dim, const NodeRef& part) -> NodeRef {
    if (dim.is_null()) return {};
    return dim.is_expr() ? OfObject(dim.object()) : part;
  }

  void DescribeConstant(ConstantId id) {
    const ConstantUse use = meta_.use_of(id);
    visitor_.TypeKey("relay.Constant");
    visitor_.Tensor("data", id);
    visitor_.Child("virtual_device_", {Kind::kDevice});
    visitor_.Child("span", use.span ? NodeRef{Kind::kSpan, use.span.value()} : OfObject(use.read_span));
    const bool has_type = use.type && context_.type(use.type).is_tensor();
    visitor_.Child("_checked_type_", has_type ? NodeRef{Kind::kOwnTensor, use.type.value()} : NodeRef());
  }

  void DescribeSpan(const Span& span) {
    visitor_.TypeKey("Span");
    visitor_.Child("source_name", {Kind::kSource, span.source.value()});
    visitor_.Literal("line", fmt::format("{}", span.line));
    visitor_.Literal("column", fmt::format("{}", span.column));
    visitor_.Literal("end_line", fmt::format("{}", span.end_line));
    visitor_.Literal("end_column", fmt::format("{}", span.end_column));
  }

  void DescribeTensor(const NodeRef& ref) {
    visitor_.TypeKey("relay.TensorType");
    visitor_.Child("shape", Part(ref, Kind::kOwnShape));
    visitor_.Literal("dtype", ToString(TypeOf(ref).dtype));
    NoSpan();
  }

  void DescribeType(const NodeRef& ref) {
    const Type& type = TypeOf(ref);
    if (type.is_tensor()) return DescribeTensor(ref);
    visitor_.TypeKey(TypeKeyOf(context_, {MetaRef::Kind::kType, ref.a}));
    switch (type.kind) {
      case TypeKind::kTensor:
      case TypeKind::kNull: break;
      case TypeKind::kTuple: visitor_.Child("fields", Part(ref, Kind::kTypeArgs)); break;
      case TypeKind::kFunction:
        visitor_.Child("arg_types", Part(ref, Kind::kTypeArgs));
        visitor_.Child("ret_type", OfType(type.result));
        visitor_.Child("type_params", Part(ref, Kind::kTypeParams));
        visitor_.Child("type_constraints", {Kind::kEmptyArray});
        break;
      case TypeKind::kVar:
        visitor_.Child("name_hint", {Kind::kText, type.name.value()});
        visitor_.Literal("kind", "0");
        break;
      case TypeKind::kCall:
        visitor_.Child("func", Part(ref, Kind::kTypeHead));
        visitor_.Child("args", Part(ref, Kind::kTypeArgs));
        break;
      case TypeKind::kRef: visitor_.Child("value", OfType(type.result)); break;
      case TypeKind::kIncomplete: visitor_.Literal("kind", "0"); break;
    }
    NoSpan();
  }

  void DescribeAttrs(const NodeRef& ref) {
    const AttrsRecord& record = RecordOf(ref);
    if (record.schema == nullptr) return DescribeObject(context_.object(record.object));
    visitor_.TypeKey(record.schema->type_key);
    for (uint32_t i = 0; i < record.schema->fields.size(); ++i) DescribeField(ref.a, i);
  }

  void DescribeField(uint32_t attrs, uint32_t index) {
    const AttrsRecord& record = context_.attrs(AttrsId(attrs));
    const FieldInfo& field = record.schema->fields[index];
    const NodeRef list{Kind::kAttrsList, attrs, index};
    switch (field.kind) {
      case FieldKind::kInt: visitor_.Literal(field.name, fmt::format("{}", field.Get<int64_t>(record.data))); break;
      case FieldKind::kBool: visitor_.Literal(field.name, field.Get<bool>(record.data) ? "1" : "0"); break;
      case FieldKind::kDouble:
        visitor_.Literal(field.name, fmt::format("{:.17g}", field.Get<double>(record.data)));
        break;
      case FieldKind::kString:
        if (IsPlainString(record.schema->type_key, field.name)) {
          visitor_.Literal(field.name, field.Get<std::string>(record.data));
        } else {
          visitor_.Child(field.name, {Kind::kAttrsText, attrs, index});
        }
        break;
      case FieldKind::kDataType: visitor_.Literal(field.name, ToString(field.Get<DataType>(record.data))); break;
      case FieldKind::kDim:
        visitor_.Child(field.name, OfDim(field.Get<Dim>(record.data), {Kind::kAttrsDim, attrs, index}));
        break;
      case FieldKind::kDimList:
        visitor_.Child(field.name, field.Get<DimList>(record.data).null ? NodeRef() : list);
        break;
      case FieldKind::kDimLists:
        visitor_.Child(field.name, field.Get<DimLists>(record.data).null ? NodeRef() : list);
        break;
      case FieldKind::kObject: {
        const ObjectId object = field.Get<ObjectId>(record.data);
        visitor_.Child(field.name, !object && !field.default_floats.empty() ? list : OfObject(object));
        break;
      }
    }
  }

  void DescribeAttrsList(const NodeRef& ref) {
    const FieldInfo& field = FieldOf(ref);
    const void* record = RecordOf(ref).data;
    visitor_.TypeKey("Array");
    if (field.kind == FieldKind::kObject) {
      for (uint32_t i = 0; i < field.default_floats.size(); ++i) visitor_.Item({Kind::kAttrsFloat, ref.a, ref.b, 0, i});
      return;
    }
    if (field.kind == FieldKind::kDimLists && ref.c == 0) {
      const DimLists& lists = field.Get<DimLists>(record);
      for (uint32_t i = 0; i < lists.size(); ++i) {
        visitor_.Item(lists[i].null ? NodeRef() : NodeRef{Kind::kAttrsList, ref.a, ref.b, i + 1});
      }
      return;
    }
    const DimList& list =
        field.kind == FieldKind::kDimLists ? field.Get<DimLists>(record)[ref.c - 1] : field.Get<DimList>(record);
    for (uint32_t i = 0; i < list.size(); ++i) {
      visitor_.Item(OfDim(list[i], {Kind::kAttrsDim, ref.a, ref.b, ref.c, i}));
    }
  }

  auto DimOf(const NodeRef& ref) const -> const Dim& {
    const FieldInfo& field = FieldOf(ref);
    const void* record = RecordOf(ref).data;
    if (field.kind == FieldKind::kDim) return field.Get<Dim>(record);
    if (field.kind == FieldKind::kDimList) return field.Get<DimList>(record)[ref.d];
    return field.Get<DimLists>(record)[ref.c - 1][ref.d];
  }

  void DescribeObject(const Object& object) {
    switch (object.kind) {
      case ObjectKind::kInt: DescribeInt(object.integer, object.dtype); break;
      case ObjectKind::kFloat: DescribeFloat(object.real, object.dtype); break;
      case ObjectKind::kString: DescribeText(context_.text(object.text)); break;
      case ObjectKind::kStringImm:
        visitor_.TypeKey("tir.StringImm");
        visitor_.Literal("dtype", "handle");
        visitor_.Child("value", {Kind::kText, object.text.value()});
        NoSpan();
        break;
      case ObjectKind::kArray:
        visitor_.TypeKey("Array");
        for (const ObjectId item : object.items) visitor_.Item(OfObject(item));
        break;
      case ObjectKind::kMap: DescribeMap(object); break;
      case ObjectKind::kConstant: DescribeConstant(object.constant); break;
      case ObjectKind::kType: DescribeType({Kind::kType, object.type.value()}); break;
      case ObjectKind::kAttrs: DescribeAttrs({Kind::kAttrs, object.attrs.value()}); break;
      case ObjectKind::kGlobalVar:
        visitor_.TypeKey("GlobalVar");
        visitor_.Child("name_hint", {Kind::kText, object.text.value()});
        visitor_.Child("virtual_device_", {Kind::kDevice});
        NoSpan();
        visitor_.Child("_checked_type_", {});
        break;
      case ObjectKind::kOp:
        visitor_.TypeKey("Op");
        visitor_.Bytes(context_.text(object.text));
        break;
      case ObjectKind::kBytes:
        visitor_.TypeKey(context_.text(object.type_key));
        visitor_.Bytes(context_.text(object.text));
        break;
      case ObjectKind::kNode: DescribeFields(object); break;
    }
  }

  void DescribeMap(const Object& map) {
    visitor_.TypeKey("Map");
    bool only_strings = true;
    for (size_t i = 0; i < map.items.size(); i += 2) {
      only_strings &= map.items[i] && context_.object(map.items[i]).kind == ObjectKind::kString;
    }
    for (size_t i = 0; i < map.items.size(); ++i) {
      if (only_strings && i % 2 == 0) {
        visitor_.Key(context_.text(context_.object(map.items[i]).text));
      } else {
        visitor_.Item(OfObject(map.items[i]));
      }
    }
  }

  void DescribeFields(const Object& node) {
    const std::string_view key = context_.text(node.type_key);
    visitor_.TypeKey(key);
    // The body of a let, which may be long, is visited last.
    const std::string_view last = key == "relay.Let" ? "body" : "";
    const ObjectField* postponed = nullptr;
    for (const ObjectField& field : node.fields) {
      const std::string_view name = context_.text(field.name);
      if (field.literal) {
        visitor_.Literal(name, context_.text(field.literal));
      } else if (name == last) {
        postponed = &field;
      } else if (name == "virtual_device_" && field.object && IsUnconstrained(context_, field.object)) {
        // All expressions without a device share this one.
        visitor_.Child(name, {Kind::kDevice});
      } else {
        visitor_.Child(name, OfObject(field.object));
      }
    }
    if (postponed != nullptr) visitor_.Child(last, OfObject(postponed->object));
  }

  const Context& context_;
  MetaIndex& meta_;
  NodeVisitor& visitor_;
};

}  // namespace

void DescribeNode(const Context& context, MetaIndex& meta, const NodeRef& ref, NodeVisitor& visitor) {
  Describer(context, meta, visitor).Describe(ref);
}

class ValueNodes::Impl {
 public:
  explicit Impl(const Context& context) : context(context), meta(context) {}

  const Context& context;
  MetaIndex meta;
};

ValueNodes::ValueNodes(const Context& context) : impl_(std::make_unique<Impl>(context)) {}
ValueNodes::~ValueNodes() = default;

auto ValueNodes::NodeOf(ObjectId object) -> NodeRef { return NodeOfObject(impl_->context, impl_->meta, object); }

void ValueNodes::Describe(const NodeRef& ref, NodeVisitor& visitor) {
  DescribeNode(impl_->context, impl_->meta, ref, visitor);
}

}  // namespace relayopt
