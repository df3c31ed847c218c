// Functions that make, inspect and rebuild nodes and containers without going through their Python classes.

#include <utility>
#include <vector>

#include "object_type.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::python {
namespace {

using object::TypeIndex;
using object::TypeInfo;

// make_call(operator, (input, ...), attributes or None, (value, ...)): a call with attributes of the class of those
// given, from values in the order of its fields; None when an input is no expression, which the caller explains.
auto MakeCall(PyObject*, PyObject* const* args, Py_ssize_t count) -> PyObject* {
  Value op;
  if (count != 4 || !FromPython(args[0], op, true) || !op.is_object() || !PyTuple_CheckExact(args[1]) ||
      !PyTuple_CheckExact(args[3])) {
    return PyErr_Format(PyExc_TypeError, "make_call takes an operator, inputs, attributes and values");
  }
  const TypeIndex expr = graph::TypeOf(graph::Node::kRelayExpr);
  const auto size = static_cast<size_t>(PyTuple_GET_SIZE(args[1]));
  auto inputs = object::MakeArray(size);
  for (size_t i = 0; i < size; ++i) {
    Value input;
    if (!FromPython(PyTuple_GET_ITEM(args[1], static_cast<Py_ssize_t>(i)), input, true)) return nullptr;
    if (!input.is_object() || !input.object()->IsInstance(expr)) Py_RETURN_NONE;
    inputs->set(i, std::move(input));
  }
  auto call = object::SlotObj::Create(graph::TypeOf(graph::Node::kCall), graph::slot::kTypeArgs + 1);
  call->set(graph::slot::kCallee, std::move(op));
  call->set(graph::slot::kArgs, inputs);
  // Most calls have no type arguments: they share one empty array.
  static const auto* const none = new Value(object::MakeArray(size_t{0}));
  call->set(graph::slot::kTypeArgs, *none);
  if (const Object* const like = Unwrap(args[2])) {
    const TypeInfo& info = like->info();
    if (static_cast<size_t>(PyTuple_GET_SIZE(args[3])) != info.fields.size()) {
      return PyErr_Format(PyExc_TypeError, "%s has %zu fields", info.key.c_str(), info.fields.size());
    }
    auto attrs = object::SlotObj::Create(info.index, info.fields.size());
    for (size_t i = 0; i < info.fields.size(); ++i) {
      PyObject* const given = PyTuple_GET_ITEM(args[3], static_cast<Py_ssize_t>(i));
      Value value;
      if (!ConvertIfGiven(info, info.fields[i], given, value)) return nullptr;
      attrs->set(i, std::move(value));
    }
    call->set(graph::slot::kAttrs, attrs);
  }
  return Wrap(call.get());
}

auto UnwrapCall(PyObject* value) -> const object::SlotObj* {
  const Object* const node = Unwrap(value);
  if (node != nullptr && graph::IsExactly(node, graph::Node::kCall)) return static_cast<const object::SlotObj*>(node);
  PyErr_SetString(PyExc_TypeError, "a call is expected");
  return nullptr;
}

// operands(call) -> [operator, argument, ...]
auto Operands(PyObject*, PyObject* value) -> PyObject* {
  const auto* const call = UnwrapCall(value);
  if (call == nullptr) return nullptr;
  const auto args = object::Items(graph::SlotsOf(*call)[graph::slot::kArgs]);
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(args.size()) + 1);
  if (list == nullptr) return nullptr;
  for (size_t i = 0; i <= args.size(); ++i) {
    PyObject* const item = ToPython(i == 0 ? graph::SlotsOf(*call)[graph::slot::kCallee] : args[i - 1]);
    if (item == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), item);
  }
  return list;
}

// Returns the entry of a dict for an object, or the object; null after an error.
auto Replacement(PyObject* memo, const Value& old, bool& changed) -> Value {
  PyObject* const key = ToPython(old);
  PyObject* const found = key == nullptr ? nullptr : PyDict_GetItemWithError(memo, key);
  Py_XDECREF(key);
  Value made = old;
  if (found != nullptr && found != key && !FromPython(found, made, true)) return {};
  changed = changed || (found != nullptr && found != key);
  return PyErr_Occurred() != nullptr ? Value() : made;
}

// rebuild_call(call, dict): the call with what the dict has for its operands; itself when that is nothing else.
auto RebuildCall(PyObject*, PyObject* args) -> PyObject* {
  PyObject* value = nullptr;
  PyObject* memo = nullptr;
  if (!PyArg_ParseTuple(args, "OO!", &value, &PyDict_Type, &memo)) return nullptr;
  const auto* const call = UnwrapCall(value);
  if (call == nullptr) return nullptr;
  const auto& slots = graph::SlotsOf(*call);
  bool changed = false;
  Value op = Replacement(memo, slots[graph::slot::kCallee], changed);
  if (op.is_null()) return nullptr;
  const auto old = object::Items(slots[graph::slot::kArgs]);
  std::vector<Value> made;
  made.reserve(old.size());
  for (const Value& arg : old) {
    if (made.emplace_back(Replacement(memo, arg, changed)).is_null()) return nullptr;
  }
  if (!changed) {
    Py_INCREF(value);
    return value;
  }
  auto copy = object::SlotObj::Create(call->type_index(), graph::slot::kTypeArgs + 1);
  copy->set(graph::slot::kCallee, std::move(op));
  copy->set(graph::slot::kArgs, object::MakeArray(made));
  copy->set(graph::slot::kAttrs, slots[graph::slot::kAttrs]);
  copy->set(graph::slot::kTypeArgs, slots[graph::slot::kTypeArgs]);
  copy->set(graph::slot::kSpan, slots[graph::slot::kSpan]);
  return Wrap(copy.get());
}

// node_map({pattern: [expression]}, dict) -> Map of patterns to Arrays, of what the dict has for the expressions.
auto NodeMap(PyObject*, PyObject* args) -> PyObject* {
  PyObject* matched = nullptr;
  PyObject* memo = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &matched, &PyDict_Type, &memo)) return nullptr;
  std::vector<std::pair<Value, Value>> entries;
  PyObject* pattern = nullptr;
  PyObject* found = nullptr;
  Py_ssize_t at = 0;
  bool changed = false;
  while (PyDict_Next(matched, &at, &pattern, &found) != 0) {
    if (!PyList_CheckExact(found)) return PyErr_Format(PyExc_TypeError, "lists of expressions are expected");
    auto array = object::MakeArray(static_cast<size_t>(PyList_GET_SIZE(found)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found); ++i) {
      Value old;
      if (!FromPython(PyList_GET_ITEM(found, i), old, true)) return nullptr;
      Value made = Replacement(memo, old, changed);
      if (made.is_null()) return nullptr;
      array->set(static_cast<size_t>(i), std::move(made));
    }
    auto& entry = entries.emplace_back();
    if (!FromPython(pattern, entry.first, true)) return nullptr;
    entry.second = array;
  }
  return ToPython(object::Make<object::MapObj>(std::move(entries)));
}

// fields(object) -> [(name, value)]
auto Fields(PyObject*, PyObject* value) -> PyObject* {
  const Object* const node = Unwrap(value);
  if (node == nullptr) return PyErr_Format(PyExc_TypeError, "an object is expected");
  PyObject* const list = PyList_New(0);
  if (node->IsInstance<object::StringObj>() || node->IsInstance<object::MapObj>() || object::IsArray(node)) return list;
  const auto& fields = node->info().fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    PyObject* const item = ToPython(graph::SlotsOf(*node)[i], fields[i].kind);
    PyObject* const pair = Py_BuildValue("(sN)", fields[i].name.c_str(), item);
    PyList_Append(list, pair);
    Py_DECREF(pair);
  }
  return list;
}

// make_array(sequence): an Array of whatever, boxed.
auto MakeArray(PyObject*, PyObject* sequence) -> PyObject* {
  PyObject* const items = PySequence_Tuple(sequence);
  if (items == nullptr) return nullptr;
  Value array;
  const bool ok = FromPython(items, array, true);
  Py_DECREF(items);
  return ok ? ToPython(array) : nullptr;
}

auto MakeMap(PyObject*, PyObject* dict) -> PyObject* {
  Value map;
  if (!PyDict_Check(dict)) return PyErr_Format(PyExc_TypeError, "a dict is expected");
  return MapFromDict(dict, map) ? ToPython(map) : nullptr;
}

// items(array or map) -> list
auto ItemsOf(PyObject*, PyObject* value) -> PyObject* {
  const Object* const node = Unwrap(value);
  PyObject* const list = PyList_New(0);
  const auto add = [&](PyObject* item) {
    PyList_Append(list, item);
    Py_DECREF(item);
  };
  if (object::IsArray(node)) {
    for (const Value& item : static_cast<const object::SlotObj*>(node)->slots()) add(ToPython(item));
  } else if (node != nullptr && node->IsInstance<object::MapObj>()) {
    for (const auto& [key, item] : static_cast<const object::MapObj*>(node)->entries()) {
      add(Py_BuildValue("(NN)", ToPython(key), ToPython(item)));
    }
  }
  return list;
}

auto ArraySize(PyObject*, PyObject* value) -> PyObject* {
  const Object* const node = Unwrap(value);
  if (object::IsArray(node)) return PyLong_FromSize_t(static_cast<const object::SlotObj*>(node)->size());
  if (node != nullptr && node->IsInstance<object::MapObj>()) {
    return PyLong_FromSize_t(static_cast<const object::MapObj*>(node)->size());
  }
  return PyErr_Format(PyExc_TypeError, "an Array or a Map is expected");
}

auto ArrayItem(PyObject*, PyObject* args) -> PyObject* {
  PyObject* array = nullptr;
  Py_ssize_t at = 0;
  if (!PyArg_ParseTuple(args, "On", &array, &at)) return nullptr;
  const Object* const node = Unwrap(array);
  if (!object::IsArray(node)) return PyErr_Format(PyExc_TypeError, "an Array is expected");
  const auto slots = static_cast<const object::SlotObj*>(node)->slots();
  const auto size = static_cast<Py_ssize_t>(slots.size());
  if (at < -size || at >= size) {
    return PyErr_Format(PyExc_IndexError, "Index out of range. size: %zd, got index %zd", size, at);
  }
  return ToPython(slots[static_cast<size_t>(at < 0 ? at + size : at)]);
}

// map_get(map, key, default)
auto MapGet(PyObject*, PyObject* args) -> PyObject* {
  PyObject* map = nullptr;
  PyObject* key = nullptr;
  PyObject* other = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &map, &key, &other)) return nullptr;
  const auto* const node = UnwrapAs<object::MapObj>(map);
  if (node == nullptr) return PyErr_Format(PyExc_TypeError, "a Map is expected");
  Value wanted;
  if (!FromPython(key, wanted)) return nullptr;
  const Value* found = node->Find(wanted);
  if (found == nullptr && wanted.is_int()) {
    // Integers are keys by value, boxed or not.
    for (const auto& [each, item] : node->entries()) {
      if (graph::IsExactly(each.object(), graph::Node::kIntImm) &&
          graph::SlotsOf(*each.object())[graph::slot::kImmValue].integer() == wanted.integer()) {
        found = &item;
      }
    }
  }
  if (found != nullptr) return ToPython(*found);
  Py_INCREF(other);
  return other;
}

PyMethodDef g_functions[] = {
    Method<&MakeCall>("make_call", METH_FASTCALL),
    Method<&Operands>("operands", METH_O),
    Method<&RebuildCall>("rebuild_call", METH_VARARGS),
    Method<&NodeMap>("node_map", METH_VARARGS),
    Method<&Fields>("fields", METH_O),
    Method<&MakeArray>("make_array", METH_O),
    Method<&MakeMap>("make_map", METH_O),
    Method<&ItemsOf>("items", METH_O),
    Method<&ArraySize>("size", METH_O),
    Method<&ArrayItem>("array_item", METH_VARARGS),
    Method<&MapGet>("map_get", METH_VARARGS),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

auto AddNodeFunctions(PyObject* module) -> bool { return PyModule_AddFunctions(module, g_functions) == 0; }

}  // namespace relayopt::python
