#include "relayopt/graph/nodes.h"

#include <vector>

#include "relayopt/graph/table_face.h"

namespace relayopt::graph {
namespace {

using object::Field;
using object::FieldKind;
using object::FieldRole;

// A node type: key, the key of its parent, its own fields. A field is `name`, or `name:kind` where the kind is bool,
// int, float, str, a type key, or a type key in brackets for an array; `?` after it allows null, `-` before the name
// leaves the field out of structural equality.
struct Row {
  Node node;
  std::string_view key;
  std::string_view parent;
  std::string_view fields;
};

// Every type comes after the types that it refers to.
constexpr Row kRows[] = {
    {Node::kBaseExpr, "BaseExpr", "runtime.Object", "-span"},
    {Node::kPrimExpr, "PrimExpr", "BaseExpr", "dtype:str"},
    {Node::kIntImm, "IntImm", "PrimExpr", "value:int"},
    {Node::kFloatImm, "FloatImm", "PrimExpr", "value:float"},
    {Node::kStringImm, "tir.StringImm", "PrimExpr", "value:str"},
    {Node::kTirVar, "tir.Var", "PrimExpr", "name:str type_annotation"},
    {Node::kSizeVar, "tir.SizeVar", "tir.Var", ""},
    {Node::kTirAny, "tir.Any", "PrimExpr", ""},
    {Node::kTirBinary, "tir.BinaryOp", "PrimExpr", "a:PrimExpr b:PrimExpr"},
    {Node::kTirCast, "tir.Cast", "PrimExpr", "value:PrimExpr"},
    {Node::kRelayExpr, "RelayExpr", "BaseExpr", "-_checked_type_ virtual_device_"},
    {Node::kConstant, "relay.Constant", "RelayExpr", "data"},
    {Node::kTuple, "relay.Tuple", "RelayExpr", "fields:[RelayExpr]"},
    {Node::kType, "Type", "runtime.Object", "-span"},
    {Node::kVar, "relay.Var", "RelayExpr", "vid type_annotation:Type?"},
    {Node::kGlobalVar, "GlobalVar", "RelayExpr", "name_hint:str"},
    {Node::kAttrs, "Attrs", "runtime.Object", ""},
    {Node::kCall, "relay.Call", "RelayExpr", "op:RelayExpr args:[RelayExpr] attrs:Attrs? type_args:[Type]"},
    {Node::kLet, "relay.Let", "RelayExpr", "var:relay.Var value:RelayExpr body:RelayExpr"},
    {Node::kIf, "relay.If", "RelayExpr", "cond:RelayExpr true_branch:RelayExpr false_branch:RelayExpr"},
    {Node::kTupleGetItem, "relay.TupleGetItem", "RelayExpr", "tuple_value:RelayExpr index:int"},
    {Node::kRefCreate, "relay.RefCreate", "RelayExpr", "value:RelayExpr"},
    {Node::kRefRead, "relay.RefRead", "RelayExpr", "ref:RelayExpr"},
    {Node::kRefWrite, "relay.RefWrite", "RelayExpr", "ref:RelayExpr value:RelayExpr"},
    {Node::kPattern, "relay.Pattern", "runtime.Object", "-span"},
    {Node::kClause, "relay.Clause", "runtime.Object", "lhs:relay.Pattern rhs:RelayExpr"},
    {Node::kMatch, "relay.Match", "RelayExpr", "data:RelayExpr clauses:[relay.Clause] complete:bool"},
    {Node::kConstructor, "relay.Constructor", "RelayExpr", "name_hint:str inputs:[Type] belong_to -tag:int"},
    {Node::kOp, "Op", "RelayExpr", "name:str"},
    {Node::kDictAttrs, "DictAttrs", "Attrs", "__dict__"},
    {Node::kBaseFunc, "BaseFunc", "RelayExpr", "attrs:DictAttrs?"},
    {Node::kTypeVar, "TypeVar", "Type", "name_hint:str kind:int"},
    {Node::kFunction, "relay.Function", "BaseFunc",
     "params:[relay.Var] body:RelayExpr ret_type:Type? type_params:[TypeVar]"},
    {Node::kTempExpr, "relay.TempExpr", "RelayExpr", ""},
    {Node::kId, "relay.Id", "runtime.Object", "name_hint:str"},
    {Node::kPatternWildcard, "relay.PatternWildcard", "relay.Pattern", ""},
    {Node::kPatternVar, "relay.PatternVar", "relay.Pattern", "var:relay.Var"},
    {Node::kPatternConstructor, "relay.PatternConstructor", "relay.Pattern",
     "constructor:relay.Constructor patterns:[relay.Pattern]"},
    {Node::kPatternTuple, "relay.PatternTuple", "relay.Pattern", "patterns:[relay.Pattern]"},
    {Node::kGlobalTypeVar, "GlobalTypeVar", "Type", "name_hint:str kind:int"},
    {Node::kTypeCall, "TypeCall", "Type", "func:Type args:[Type]"},
    {Node::kTypeData, "relay.TypeData", "Type",
     "header:GlobalTypeVar type_vars:[TypeVar] constructors:[relay.Constructor]"},
    {Node::kTensorType, "relay.TensorType", "Type", "shape:extents dtype:dtype"},
    {Node::kTupleType, "TupleType", "Type", "fields:[Type]"},
    {Node::kTypeConstraint, "TypeConstraint", "Type", ""},
    {Node::kFuncType, "FuncType", "Type",
     "arg_types:[Type] ret_type:Type? type_params:[TypeVar] type_constraints:[TypeConstraint]"},
    {Node::kRefType, "relay.RefType", "Type", "value:Type"},
    {Node::kIncompleteType, "IncompleteType", "Type", "kind:int"},
    {Node::kTypeRelation, "TypeRelation", "TypeConstraint", "func args:[Type] num_inputs:int attrs:Attrs?"},
    {Node::kSourceName, "SourceName", "runtime.Object", "name:str"},
    {Node::kSpan, "Span", "runtime.Object", "source_name:SourceName? line:int column:int end_line:int end_column:int"},
    {Node::kSequentialSpan, "SequentialSpan", "Span", "spans:[Span]"},
    {Node::kVirtualDevice, "VirtualDevice", "Attrs",
     "device_type_int:int virtual_device_id:int target memory_scope:str"},
    {Node::kIRModule, "IRModule", "runtime.Object", ""},
};
static_assert(std::size(kRows) == static_cast<size_t>(Node::kCount));

// Node types that C++ knows only by their fields.
struct PlainRow {
  std::string_view key;
  std::string_view parent;
  std::string_view fields;
};
constexpr PlainRow kPlainRows[] = {
    {"tir.Add", "tir.BinaryOp", ""},
    {"tir.Sub", "tir.BinaryOp", ""},
    {"tir.Mul", "tir.BinaryOp", ""},
    {"tir.Div", "tir.BinaryOp", ""},
    {"tir.Mod", "tir.BinaryOp", ""},
    {"tir.FloorDiv", "tir.BinaryOp", ""},
    {"tir.FloorMod", "tir.BinaryOp", ""},
    {"tir.Min", "tir.BinaryOp", ""},
    {"tir.Max", "tir.BinaryOp", ""},
    {"tir.EQ", "tir.BinaryOp", ""},
    {"tir.NE", "tir.BinaryOp", ""},
    {"tir.LT", "tir.BinaryOp", ""},
    {"tir.LE", "tir.BinaryOp", ""},
    {"tir.GT", "tir.BinaryOp", ""},
    {"tir.GE", "tir.BinaryOp", ""},
    {"tir.And", "tir.BinaryOp", ""},
    {"tir.Or", "tir.BinaryOp", ""},
    {"tir.Not", "PrimExpr", "a:PrimExpr"},
    {"tir.Select", "PrimExpr", "condition:PrimExpr true_value:PrimExpr false_value:PrimExpr"},
    {"tir.Call", "PrimExpr", "op args"},
    {"PrimType", "Type", "dtype:str"},
    {"PointerType", "Type", "element_type:Type storage_scope:str"},
    {"EnvFunc", "runtime.Object", "name:str"},
    {"runtime.ADT", "runtime.Object", "tag:int fields"},
    {"runtime.ShapeTuple", "runtime.Object", "values"},
    {"relay.ConstructorValue", "runtime.Object", "tag:int fields constructor"},
    {"relay.RefValue", "runtime.Object", "value"},
};

auto ParseField(std::string_view text) -> Field {
  Field field;
  if (text.starts_with('-')) {
    field.role = FieldRole::kIgnore;
    text.remove_prefix(1);
  }
  const size_t colon = text.find(':');
  field.name = text.substr(0, colon);
  if (colon == std::string_view::npos) {
    field.optional = true;
    return field;
  }
  std::string_view kind = text.substr(colon + 1);
  if (kind.ends_with('?')) {
    field.optional = true;
    kind.remove_suffix(1);
  }
  if (kind == "bool") {
    field.kind = FieldKind::kBool;
  } else if (kind == "int") {
    field.kind = FieldKind::kInt;
  } else if (kind == "float") {
    field.kind = FieldKind::kFloat;
  } else if (kind == "str") {
    field.kind = FieldKind::kString;
  } else if (kind == "dtype") {
    field.kind = FieldKind::kDataType;
  } else if (kind == "extents") {
    field.kind = FieldKind::kExtents;
  } else {
    field.kind = kind.starts_with('[') ? FieldKind::kArray : FieldKind::kObject;
    if (field.kind == FieldKind::kArray) kind = kind.substr(1, kind.size() - 2);
    const object::TypeInfo* const info = object::FindType(kind);
    RELAYOPT_CHECK(info != nullptr, "a type is declared before fields name it");
    field.type = info->index;
  }
  return field;
}

auto Declare(std::string_view key, std::string_view parent, std::string_view fields) -> object::TypeIndex {
  std::vector<Field> own;
  while (!fields.empty()) {
    const size_t end = std::min(fields.find(' '), fields.size());
    own.push_back(ParseField(fields.substr(0, end)));
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  return object::RegisterType(key, object::FindType(parent)->index, std::move(own));
}

auto DeclareAll() -> std::array<object::TypeIndex, static_cast<size_t>(Node::kCount)> {
  std::array<object::TypeIndex, static_cast<size_t>(Node::kCount)> types{};
  for (const Row& row : kRows) types[static_cast<size_t>(row.node)] = Declare(row.key, row.parent, row.fields);
  for (const PlainRow& row : kPlainRows) Declare(row.key, row.parent, row.fields);
  return types;
}

}  // namespace

auto TypeOf(Node node) -> object::TypeIndex {
  static const auto types = DeclareAll();
  return types[static_cast<size_t>(node)];
}

auto Is(const Object* object, Node node) -> bool { return object != nullptr && object->IsInstance(TypeOf(node)); }

auto SlotsOf(const Object& object) -> std::span<const Value> {
  const auto& node = static_cast<const SlotObj&>(object);
  if (IsExactly(&object, Node::kFunction) && node.slot(slot::kBody).is_null()) Thaw(const_cast<SlotObj&>(node));
  return node.slots();
}

auto MakeInt(int64_t value, std::string_view dtype) -> Ref<SlotObj> {
  auto node = SlotObj::Create(TypeOf(Node::kIntImm), 3);
  node->set(slot::kDtype, dtype);
  node->set(slot::kImmValue, value);
  return node;
}

}  // namespace relayopt::graph
