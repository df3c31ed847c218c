// Converts the values of fields that constructors are given.

#include <string>

#include "object_type.h"
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
    default: return object::InfoOf(field.type).key;
  }
}

// The exception for wrong fields: the one that TVM raises, or else the one that Python would.
auto FieldError() -> PyObject* {
  PyObject* const found = ErrorClass("field");
  return found == nullptr ? PyExc_TypeError : found;
}

auto Mismatch(const TypeInfo& info, const Field& field, PyObject* given) -> bool {
  PyErr_Format(FieldError(), "%s: %s must be %s, not %.100s", info.key.c_str(), field.name.c_str(),
               Expected(field).c_str(), Py_TYPE(given)->tp_name);
  return false;
}

}  // namespace

auto ConvertField(const TypeInfo& info, const Field& field, PyObject* given, Value& out) -> bool {
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kInt:
      if (!FromPython(given, out)) return false;
      if (out.is_object() && graph::IsExactly(out.object(), graph::Node::kIntImm)) {
        out = Value(graph::SlotsOf(*out.object())[graph::slot::kImmValue]);
      }
      if (!out.is_int()) return Mismatch(info, field, given);
      if (field.kind == FieldKind::kBool) out = out.integer() != 0;
      return true;
    case FieldKind::kFloat:
      if (!FromPython(given, out)) return false;
      if (out.is_int()) out = static_cast<double>(out.integer());
      return out.is_float() || Mismatch(info, field, given);
    case FieldKind::kString:
      if (!FromPython(given, out)) return false;
      return out.as<object::StringObj>() != nullptr || (out.is_null() && field.optional) ||
             Mismatch(info, field, given);
    case FieldKind::kObject:
      if (!FromPython(given, out, true)) return false;
      if (out.is_null() ? !field.optional : !out.object()->IsInstance(field.type)) return Mismatch(info, field, given);
      return true;
    case FieldKind::kArray: {
      if (given == Py_None) {
        out = object::MakeArray(size_t{0});
        return true;
      }
      if (!FromPython(given, out, true)) return false;
      if (!object::IsArray(out.object())) return Mismatch(info, field, given);
      for (const Value& item : object::Items(out)) {
        if (item.is_null() || item.object()->IsInstance(field.type)) continue;
        PyErr_Format(FieldError(), "%s: %s must be %s, but one is %s", info.key.c_str(), field.name.c_str(),
                     Expected(field).c_str(), item.object()->type_key().c_str());
        return false;
      }
      return true;
    }
    case FieldKind::kAny: return FromPython(given, out);
  }
  return false;
}

}  // namespace relayopt::python
