// Conversions between Python and C++ values.

#include <string_view>
#include <utility>
#include <vector>

#include "python_value.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::python {
namespace {

using object::FieldKind;

PyObject* g_converter = nullptr;

// set_converter(function): converts the values that the core does not know.
auto SetConverter(PyObject*, PyObject* function) -> PyObject* {
  Py_INCREF(function);
  g_converter = function;
  Py_RETURN_NONE;
}

PyMethodDef g_functions[] = {
    Method<&SetConverter>("set_converter", METH_O),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

auto ToPython(const Value& value, FieldKind kind) -> PyObject* {
  switch (value.tag()) {
    case Value::Tag::kNull: Py_RETURN_NONE;
    case Value::Tag::kInt:
      return kind == FieldKind::kBool ? PyBool_FromLong(value.integer() != 0) : PyLong_FromLongLong(value.integer());
    case Value::Tag::kFloat: return PyFloat_FromDouble(value.real());
    case Value::Tag::kObject: break;
  }
  if (const auto* string = value.as<object::StringObj>()) {
    return PyUnicode_FromStringAndSize(string->text.data(), static_cast<Py_ssize_t>(string->text.size()));
  }
  if (const auto* box = value.as<PyValueObj>()) {
    Py_INCREF(box->value);
    return box->value;
  }
  return Wrap(value.object());
}

namespace {

auto MakeFloat(double real, const char* dtype) -> Value {
  auto node = object::SlotObj::Create(graph::TypeOf(graph::Node::kFloatImm), 3);
  node->set(graph::slot::kDtype, dtype);
  node->set(graph::slot::kImmValue, real);
  return node;
}

auto MakeInteger(int64_t integer) -> Value {
  const bool narrow = integer == static_cast<int32_t>(integer);
  return graph::MakeInt(integer, narrow ? "int32" : "int64");
}

auto SequenceFromPython(PyObject* given, Value& out) -> bool {
  const NestingGuard nesting;
  if (!nesting) return false;
  // Converting an item may run Python code, which may change a list.
  PyObject* const items = PySequence_Tuple(given);
  if (items == nullptr) return false;
  const Py_ssize_t size = PyTuple_GET_SIZE(items);
  auto array = object::MakeArray(static_cast<size_t>(size));
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < size; ++i) {
    Value item;
    ok = FromPython(PyTuple_GET_ITEM(items, i), item, true);
    array->set(static_cast<size_t>(i), std::move(item));
  }
  Py_DECREF(items);
  out = array;
  return ok;
}

// Converts what only relayopt.runtime.convert knows to convert.
auto ConvertByPython(PyObject* given, Value& out, bool boxed) -> bool {
  if (g_converter != nullptr) {
    PyObject* const converted = PyObject_CallOneArg(g_converter, given);
    if (converted == nullptr) return false;
    const bool same = converted == given;
    const bool ok = !same && FromPython(converted, out, boxed);
    Py_DECREF(converted);
    if (ok || PyErr_Occurred() != nullptr) return ok;
  }
  PyErr_Format(PyExc_TypeError, "Don't know how to handle type %R", Py_TYPE(given));
  return false;
}

}  // namespace

auto Boxed(const Value& value) -> Value {
  if (value.is_int()) return MakeInteger(value.integer());
  return value.is_float() ? MakeFloat(value.real(), "float32") : value;
}

auto FromPython(PyObject* given, Value& out, bool boxed) -> bool {
  if (given == Py_None) {
    out = Value();
    return true;
  }
  if (IsWrapper(given)) {
    Object* const object = Unwrap(given);
    if (object == nullptr) {
      PyErr_Format(PyExc_ValueError, "a %s that was not initialised", Py_TYPE(given)->tp_name);
      return false;
    }
    out = Value(Ref<Object>(object));
    return true;
  }
  if (PyBool_Check(given)) {
    const bool truth = given == Py_True;
    out = boxed ? Value(graph::MakeInt(truth ? 1 : 0, "bool")) : Value(truth);
    return true;
  }
  if (PyFloat_Check(given)) {
    out = boxed ? MakeFloat(PyFloat_AS_DOUBLE(given), "float32") : Value(PyFloat_AS_DOUBLE(given));
    return true;
  }
  if (PyUnicode_Check(given)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(given, &size);
    if (text == nullptr) return false;
    out = Value(std::string_view(text, static_cast<size_t>(size)));
    return true;
  }
  if (PyList_Check(given) || PyTuple_Check(given)) return SequenceFromPython(given, out);
  if (PyDict_Check(given)) return MapFromDict(given, out);
  if (PyLong_Check(given) || PyIndex_Check(given)) {
    PyObject* const number = PyNumber_Index(given);
    if (number == nullptr) {
      // Arrays are numbers where they have one element.
      if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
      PyErr_Clear();
      return ConvertByPython(given, out, boxed);
    }
    const long long integer = PyLong_AsLongLong(number);
    Py_DECREF(number);
    if (integer == -1 && PyErr_Occurred() != nullptr) return false;
    out = boxed ? MakeInteger(integer) : Value(static_cast<int64_t>(integer));
    return true;
  }
  return ConvertByPython(given, out, boxed);
}

auto MapFromDict(PyObject* dict, Value& out) -> bool {
  const NestingGuard nesting;
  if (!nesting) return false;
  std::vector<std::pair<Value, Value>> entries;
  // A list of its own: converting an item may run Python code, which may change the dict.
  PyObject* const items = PyDict_Items(dict);
  if (items == nullptr) return false;
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < PyList_GET_SIZE(items); ++i) {
    PyObject* const pair = PyList_GET_ITEM(items, i);
    auto& entry = entries.emplace_back();
    ok = FromPython(PyTuple_GET_ITEM(pair, 0), entry.first, true) &&
         FromPython(PyTuple_GET_ITEM(pair, 1), entry.second, true);
    if (ok && entry.first.is_null()) {
      PyErr_SetString(PyExc_ValueError, "key of map must already been a container type");
      ok = false;
    }
  }
  Py_DECREF(items);
  if (ok) out = object::Make<object::MapObj>(std::move(entries));
  return ok;
}

auto AddConversions(PyObject* module) -> bool { return PyModule_AddFunctions(module, g_functions) == 0; }

}  // namespace relayopt::python
