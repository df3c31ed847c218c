// Converts the values of fields that constructors are given.

#include <algorithm>
#include <string>

#include "object_type.h"
#include "relayopt/core/data_type.h"
#include "relayopt/graph/attrs_types.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::python {
namespace {

using object::Field;
using object::FieldKind;
using object::TypeInfo;

auto Expected(const Field& field) -> std::string {
  switch (field.kind) {
    case FieldKind::kBool: return "a bool";
    case FieldKind::kInt: return "an int";
    case FieldKind::kFloat: return "a float";
    case FieldKind::kString: return "a str";
    case FieldKind::kArray: return "a sequence of " + object::InfoOf(field.type).key;
    case FieldKind::kDataType: return "a data type";
    case FieldKind::kExtent: return "an integer";
    case FieldKind::kExtents: return "a list of integers";
    case FieldKind::kExtentLists: return "a list of lists of integers";
    default: return object::InfoOf(field.type).key;
  }
}

// Whether a value is an integer, or an expression that may compute one.
auto IsExtent(const Value& value) -> bool {
  if (value.is_null() || value.is_int()) return true;
  const Object* const object = value.object();
  return object != nullptr && object->IsInstance(graph::TypeOf(graph::Node::kPrimExpr)) &&
         !graph::IsExactly(object, graph::Node::kFloatImm) && object->type_key() != "tir.StringImm";
}

// The same for a list of them, or one for a list of one; `item` is an element that is none.
auto AreExtents(const Value& value, const Object*& item) -> bool {
  if (!object::IsArray(value.object())) return IsExtent(value);
  for (const Value& each : object::Items(value)) {
    if (IsExtent(each)) continue;
    item = each.object();
    return false;
  }
  return true;
}

// The exception for wrong fields: the one that TVM raises, or else the one that Python would.
auto FieldError() -> PyObject* {
  PyObject* const found = ErrorClass("field");
  return found == nullptr ? PyExc_TypeError : found;
}

// Sets the error of a value, or of an element of an array, that its field cannot hold. Returns false.
auto Mismatch(const TypeInfo& info, const Field& field, const FieldMisfit& misfit, PyObject* given) -> bool {
  if (misfit.item != nullptr) {
    PyErr_Format(FieldError(), "%s: %s must be %s, but one is %s", info.key.c_str(), field.name.c_str(),
                 misfit.expected.c_str(), misfit.item->type_key().c_str());
  } else if (field.kind >= FieldKind::kDataType) {
    PyErr_Format(FieldError(), "%s: %s must be %s, not %.100R", info.key.c_str(), field.name.c_str(),
                 misfit.expected.c_str(), given);
  } else {
    PyErr_Format(FieldError(), "%s: %s must be %s, not %.100s", info.key.c_str(), field.name.c_str(),
                 misfit.expected.c_str(), Py_TYPE(given)->tp_name);
  }
  return false;
}

// Whether a field of this kind may hold the value, which is converted where that loses nothing; `item` is the element
// of an array that does not fit.
auto Fits(const Field& field, Value& value, const Object*& item) -> bool {
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kInt:
      if (graph::IsExactly(value.object(), graph::Node::kIntImm)) {
        value = Value(graph::SlotsOf(*value.object())[graph::slot::kImmValue]);
      }
      if (!value.is_int()) return false;
      if (field.kind == FieldKind::kBool) value = value.integer() != 0;
      return true;
    case FieldKind::kFloat:
      if (value.is_int()) value = static_cast<double>(value.integer());
      return value.is_float();
    case FieldKind::kString: return value.as<object::StringObj>() != nullptr || (value.is_null() && field.optional);
    case FieldKind::kObject:
      return value.is_null() ? field.optional : value.is_object() && value.object()->IsInstance(field.type);
    case FieldKind::kArray: {
      if (value.is_null()) value = object::MakeArray(size_t{0});
      if (!object::IsArray(value.object())) return false;
      for (const Value& each : object::Items(value)) {
        if (each.is_null() || (each.is_object() && each.object()->IsInstance(field.type))) continue;
        item = each.object();
        return false;
      }
      return true;
    }
    case FieldKind::kDataType:
      return value.is_null() || (value.as<object::StringObj>() != nullptr && ParseDataType(value.text()).has_value());
    case FieldKind::kExtent: return IsExtent(value);
    case FieldKind::kExtents:
      if (value.is_null() && !field.optional) value = object::MakeArray(size_t{0});
      return AreExtents(value, item) && (field.optional || object::IsArray(value.object()));
    case FieldKind::kExtentLists: {
      if (value.is_null()) return true;
      if (!object::IsArray(value.object())) return false;
      return std::ranges::all_of(object::Items(value), [&](const Value& each) { return AreExtents(each, item); });
    }
    case FieldKind::kAny: return true;
  }
  return false;
}

}  // namespace

auto FitField(const Field& field, Value& value) -> std::optional<FieldMisfit> {
  const Object* item = nullptr;
  if (Fits(field, value, item)) return std::nullopt;
  return FieldMisfit{Expected(field), item};
}

auto ConvertField(const TypeInfo& info, const Field& field, PyObject* given, Value& out) -> bool {
  const bool boxed =
      field.kind == FieldKind::kObject || field.kind == FieldKind::kArray || field.kind == FieldKind::kExtent;
  if (!FromPython(given, out, boxed)) return false;
  const auto misfit = FitField(field, out);
  return !misfit || Mismatch(info, field, *misfit, given);
}

auto ConvertIfGiven(const TypeInfo& info, const Field& field, PyObject* given, Value& out) -> bool {
  if (given != Py_None) return ConvertField(info, field, given, out);
  const bool is_number =
      field.kind == FieldKind::kBool || field.kind == FieldKind::kInt || field.kind == FieldKind::kFloat;
  // Attributes that are numbers have no null value.
  if (!is_number || graph::SchemaOf(info.index) == nullptr) return true;
  return Mismatch(info, field, {Expected(field), nullptr}, given);
}

}  // namespace relayopt::python
