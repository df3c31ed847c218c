#include "object_type.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "relayopt/graph/nodes.h"

namespace relayopt::python {
namespace {

using object::Field;
using object::FieldKind;
using object::TypeIndex;
using object::TypeInfo;

// A wrapper. It lives as long as its object: its reference count is the count of the object.
struct Wrapper {
  PyObject_HEAD;
  Object* node;
  PyObject* dict;
  PyObject* weaklist;
};

PyTypeObject* g_type = nullptr;
// By type index; filled from registrations, and from ancestors when a type is met first.
std::vector<PyTypeObject*> g_classes;
std::unordered_map<PyTypeObject*, TypeIndex> g_indices;
PyObject* g_error_classes = nullptr;
PyObject* g_converter = nullptr;

auto AsWrapper(PyObject* value) -> Wrapper* { return reinterpret_cast<Wrapper*>(value); }

auto ClassOf(TypeIndex index) -> PyTypeObject* {
  if (index < g_classes.size() && g_classes[index] != nullptr) return g_classes[index];
  const TypeInfo& info = object::InfoOf(index);
  PyTypeObject* found = g_type;
  for (const TypeIndex ancestor : info.ancestors) {
    if (ancestor < g_classes.size() && g_classes[ancestor] != nullptr) found = g_classes[ancestor];
  }
  return found;
}

// The type index that a Python class stands for, its own or that of the nearest base.
auto IndexOfClass(PyTypeObject* type) -> TypeIndex {
  for (PyTypeObject* at = type; at != nullptr; at = at->tp_base) {
    const auto found = g_indices.find(at);
    if (found != g_indices.end()) return found->second;
  }
  return 0;
}

void Attach(Wrapper* wrapper, Object* node) {
  const size_t count = node->SetWrapper(wrapper);
  wrapper->node = node;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(wrapper),
                Py_REFCNT(reinterpret_cast<PyObject*>(wrapper)) + static_cast<Py_ssize_t>(count));
}

// Type slots.

void Dealloc(PyObject* self) {
  Wrapper* const wrapper = AsWrapper(self);
  PyTypeObject* const type = Py_TYPE(self);
  if (wrapper->weaklist != nullptr) PyObject_ClearWeakRefs(self);
  Py_CLEAR(wrapper->dict);
  Object* const node = std::exchange(wrapper->node, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
  if (node == nullptr) return;
  node->ClearWrapper();
  node->Release();
}

auto GetTypeKey(PyObject* self, void*) -> PyObject* {
  const Object* const node = AsWrapper(self)->node;
  const std::string& key = node == nullptr ? object::InfoOf(IndexOfClass(Py_TYPE(self))).key : node->type_key();
  return PyUnicode_FromStringAndSize(key.data(), static_cast<Py_ssize_t>(key.size()));
}

auto SameAs(PyObject* self, PyObject* other) -> PyObject* { return PyBool_FromLong(self == other ? 1 : 0); }

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

// The exception of wrong fields: what TVM raises and what Python would.
auto FieldError() -> PyObject* {
  PyObject* const found = g_error_classes == nullptr ? nullptr : PyDict_GetItemString(g_error_classes, "field");
  return found == nullptr ? PyExc_TypeError : found;
}

auto Mismatch(const TypeInfo& info, const Field& field, PyObject* given) -> bool {
  PyErr_Format(FieldError(), "%s: %s must be %s, not %.100s", info.key.c_str(), field.name.c_str(),
               Expected(field).c_str(), Py_TYPE(given)->tp_name);
  return false;
}

// Converts what a constructor was given for a field.
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

// Object._init(*own_fields): makes the node of a wrapper that has none. Fields that are not given are null.
auto Init(PyObject* self, PyObject* const* args, Py_ssize_t count) -> PyObject* {
  const TypeInfo& info = object::InfoOf(IndexOfClass(Py_TYPE(self)));
  if (AsWrapper(self)->node != nullptr) Py_RETURN_NONE;
  if (info.own_fields + static_cast<size_t>(count) > info.fields.size()) {
    PyErr_Format(PyExc_TypeError, "%s has %zu fields", info.key.c_str(), info.fields.size() - info.own_fields);
    return nullptr;
  }
  // A function has a slot for its table behind its fields.
  const bool is_function = info.index == graph::TypeOf(graph::Node::kFunction);
  auto node = object::SlotObj::Create(info.index, info.fields.size() + (is_function ? 1 : 0));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Field& field = info.fields[info.own_fields + i];
    Value value;
    if (!ConvertField(info, field, args[i], value)) return nullptr;
    node->set(info.own_fields + i, std::move(value));
  }
  for (size_t i = info.own_fields + count; i < info.fields.size(); ++i) {
    if (info.fields[i].kind == FieldKind::kArray) node->set(i, object::MakeArray(size_t{0}));
  }
  Attach(AsWrapper(self), node.get());
  Py_RETURN_NONE;
}

// Object._set(field, value): for those who build a node, before anybody else has seen it.
auto SetSlot(PyObject* self, PyObject* const* args, Py_ssize_t count) -> PyObject* {
  Object* const node = AsWrapper(self)->node;
  if (count != 2 || node == nullptr || !PyUnicode_Check(args[0])) {
    PyErr_SetString(PyExc_TypeError, "_set takes a field and a value");
    return nullptr;
  }
  const TypeInfo& info = node->info();
  const int at = info.Find(PyUnicode_AsUTF8(args[0]));
  if (at < 0) {
    PyErr_Format(PyExc_AttributeError, "%s has no field %U", info.key.c_str(), args[0]);
    return nullptr;
  }
  Value value;
  if (args[1] != Py_None && !ConvertField(info, info.fields[at], args[1], value)) return nullptr;
  static_cast<void>(graph::SlotsOf(*node));
  static_cast<object::SlotObj*>(node)->set(at, std::move(value));
  Py_RETURN_NONE;
}

PyMethodDef g_methods[] = {
    {"_init", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Init)), METH_FASTCALL, nullptr},
    {"_set", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&SetSlot)), METH_FASTCALL, nullptr},
    {"same_as", &SameAs, METH_O, "Whether the two are one object."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Wrapper, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Wrapper, weaklist), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef g_getset[] = {
    {"type_key", &GetTypeKey, nullptr, "The stable name of the object's type.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot g_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(&Dealloc)},
    {Py_tp_methods, g_methods},
    {Py_tp_members, g_members},
    {Py_tp_getset, g_getset},
    {Py_tp_new, reinterpret_cast<void*>(&PyType_GenericNew)},
    {Py_tp_doc, const_cast<char*>("A reference-counted object of the core.")},
    {0, nullptr},
};

PyType_Spec g_spec = {"relayopt._core.Object", sizeof(Wrapper), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, g_slots};

// Fields as properties.

auto GetField(PyObject* self, void* closure) -> PyObject* {
  const Object* const node = AsWrapper(self)->node;
  if (node == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "the object was not initialised: its class must call super().__init__");
    return nullptr;
  }
  const auto slot = reinterpret_cast<uintptr_t>(closure);
  return ToPython(graph::SlotsOf(*node)[slot >> 3], static_cast<FieldKind>(slot & 7));
}

auto SetField(PyObject* self, PyObject*, void*) -> int {
  PyErr_Format(PyExc_AttributeError, "fields of %s objects cannot be changed", Py_TYPE(self)->tp_name);
  return -1;
}

auto AddFieldProperties(PyTypeObject* type, const TypeInfo& info) -> bool {
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const Field& field = info.fields[i];
    // A class may say itself what its attribute shows; fields of parents come from the classes of these, mostly.
    PyObject* const key = PyUnicode_InternFromString(field.name.c_str());
    const int own = i < info.own_fields ? PyObject_HasAttr(reinterpret_cast<PyObject*>(type), key)
                                        : PyDict_Contains(type->tp_dict, key);
    if (own == 0) {
      const uintptr_t slot = i << 3 | static_cast<uintptr_t>(field.kind);
      // Lives as long as the process, as the type does.
      auto* const def =
          new PyGetSetDef{strdup(field.name.c_str()), &GetField, &SetField, nullptr, reinterpret_cast<void*>(slot)};
      PyObject* const property = PyDescr_NewGetSet(type, def);
      if (property == nullptr || PyDict_SetItem(type->tp_dict, key, property) != 0) return false;
      Py_DECREF(property);
    }
    Py_DECREF(key);
  }
  PyType_Modified(type);
  return true;
}

// Functions of the module.

// The kinds of fields by name, in the order of FieldKind.
constexpr std::array<std::string_view, 7> kKindNames = {"any", "bool", "int", "float", "str", "object", "array"};

// A field as a class declares it: its name, or (name, kind, what nodes have that are read without it).
auto DeclareField(PyObject* declared, std::vector<Field>& own) -> bool {
  const char* name = PyUnicode_Check(declared) ? PyUnicode_AsUTF8(declared) : nullptr;
  if (name != nullptr) {
    own.push_back({.name = name, .optional = true});
    return true;
  }
  const char* kind = nullptr;
  PyObject* fallback = nullptr;
  if (!PyTuple_Check(declared) || !PyArg_ParseTuple(declared, "ssO", &name, &kind, &fallback)) {
    if (PyErr_Occurred() == nullptr) PyErr_Format(PyExc_TypeError, "a field is a name or (name, kind, default)");
    return false;
  }
  const auto* const found = std::find(kKindNames.begin(), kKindNames.end(), kind);
  if (found == kKindNames.end()) return PyErr_Format(PyExc_ValueError, "unknown kind of field %s", kind) != nullptr;
  Field field{.name = name, .kind = static_cast<FieldKind>(found - kKindNames.begin()), .optional = true};
  Value value;
  if (fallback != Py_None && !FromPython(fallback, value, field.kind == FieldKind::kAny)) return false;
  if (!value.is_null()) field.fallback = std::make_shared<const Value>(std::move(value));
  own.push_back(std::move(field));
  return true;
}

// register_class(type_key, class, fields, parent_key) -> index
auto RegisterClass(PyObject*, PyObject* args) -> PyObject* {
  const char* key = nullptr;
  PyObject* type = nullptr;
  PyObject* fields = nullptr;
  const char* parent = nullptr;
  if (!PyArg_ParseTuple(args, "sO!|Oz", &key, &PyType_Type, &type, &fields, &parent)) return nullptr;
  graph::TypeOf(graph::Node::kBaseExpr);
  const TypeInfo* info = object::FindType(key);
  if (info == nullptr) {
    TypeIndex above = IndexOfClass(reinterpret_cast<PyTypeObject*>(type)->tp_base);
    if (parent != nullptr) {
      const TypeInfo* const parent_info = object::FindType(parent);
      if (parent_info == nullptr) return PyErr_Format(PyExc_ValueError, "unknown type key %s", parent);
      above = parent_info->index;
    }
    std::vector<Field> own;
    if (fields != nullptr && fields != Py_None) {
      PyObject* const sequence = PySequence_Fast(fields, "fields must be a sequence");
      if (sequence == nullptr) return nullptr;
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
        if (!DeclareField(PySequence_Fast_GET_ITEM(sequence, i), own)) return nullptr;
      }
      Py_DECREF(sequence);
    }
    info = &object::InfoOf(object::RegisterType(key, above, std::move(own)));
  }
  if (g_classes.size() <= info->index) g_classes.resize(info->index + 1);
  Py_INCREF(type);
  g_classes[info->index] = reinterpret_cast<PyTypeObject*>(type);
  g_indices[reinterpret_cast<PyTypeObject*>(type)] = info->index;
  if (!AddFieldProperties(reinterpret_cast<PyTypeObject*>(type), *info)) return nullptr;
  return PyLong_FromUnsignedLong(info->index);
}

// Fields of parents that have no class of their own.
auto FieldNames(PyObject*, PyObject* key) -> PyObject* {
  const char* const text = PyUnicode_AsUTF8(key);
  if (text == nullptr) return nullptr;
  const TypeInfo* const info = object::FindType(text);
  if (info == nullptr) Py_RETURN_NONE;
  PyObject* const list = PyList_New(0);
  for (const Field& field : info->fields) {
    PyObject* const name = PyUnicode_FromString(field.name.c_str());
    PyList_Append(list, name);
    Py_DECREF(name);
  }
  return list;
}

// field_kinds(type_key) -> [(name, kind)] or None
auto FieldKinds(PyObject*, PyObject* key) -> PyObject* {
  const char* const text = PyUnicode_AsUTF8(key);
  if (text == nullptr) return nullptr;
  const TypeInfo* const info = object::FindType(text);
  if (info == nullptr) Py_RETURN_NONE;
  PyObject* const list = PyList_New(0);
  for (const Field& field : info->fields) {
    PyObject* const pair =
        Py_BuildValue("(ss)", field.name.c_str(), kKindNames[static_cast<size_t>(field.kind)].data());
    PyList_Append(list, pair);
    Py_DECREF(pair);
  }
  return list;
}

// new_node(class, dict): a node with all its fields by name, whatever the constructor of the class does.
auto NewNode(PyObject*, PyObject* args) -> PyObject* {
  PyObject* key = nullptr;
  PyObject* values = nullptr;
  if (!PyArg_ParseTuple(args, "UO!", &key, &PyDict_Type, &values)) return nullptr;
  const TypeInfo* const info = object::FindType(PyUnicode_AsUTF8(key));
  if (info == nullptr) return PyErr_Format(PyExc_ValueError, "unknown type key %U", key);
  const bool is_function = info->index == graph::TypeOf(graph::Node::kFunction);
  auto node = object::SlotObj::Create(info->index, info->fields.size() + (is_function ? 1 : 0));
  PyObject* name = nullptr;
  PyObject* given = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(values, &at, &name, &given) != 0) {
    const int slot = info->Find(PyUnicode_AsUTF8(name));
    if (slot < 0) return PyErr_Format(PyExc_AttributeError, "%U has no field %U", key, name);
    Value value;
    if (given != Py_None && !ConvertField(*info, info->fields[slot], given, value)) return nullptr;
    node->set(slot, std::move(value));
  }
  return Wrap(node.get());
}

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
  // Most calls have no type arguments: they share the array that says so.
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
      if (given != Py_None && !ConvertField(info, info.fields[i], given, value)) return nullptr;
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

// What a dict has for an object, or the object; null after an error.
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
  if (!changed) return Py_NewRef(value);
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
  PyObject* const fast = PySequence_Fast(sequence, "a sequence is expected");
  if (fast == nullptr) return nullptr;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(fast);
  auto array = object::MakeArray(static_cast<size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    Value item;
    if (!FromPython(PySequence_Fast_GET_ITEM(fast, i), item, true)) {
      Py_DECREF(fast);
      return nullptr;
    }
    array->set(static_cast<size_t>(i), std::move(item));
  }
  Py_DECREF(fast);
  return Wrap(array.get());
}

auto MapFromDict(PyObject* dict, Value& out) -> bool {
  std::vector<std::pair<Value, Value>> entries;
  PyObject* key = nullptr;
  PyObject* item = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &key, &item) != 0) {
    auto& entry = entries.emplace_back();
    if (!FromPython(key, entry.first, true) || !FromPython(item, entry.second, true)) return false;
    if (entry.first.is_null()) {
      PyErr_SetString(PyExc_ValueError, "key of map must already been a container type");
      return false;
    }
  }
  out = object::Make<object::MapObj>(std::move(entries));
  return true;
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

auto SetErrorClasses(PyObject*, PyObject* dict) -> PyObject* {
  Py_INCREF(dict);
  g_error_classes = dict;
  Py_RETURN_NONE;
}
auto SetConverter(PyObject*, PyObject* function) -> PyObject* {
  Py_INCREF(function);
  g_converter = function;
  Py_RETURN_NONE;
}

// Set when the interpreter has ended.
bool g_has_ended = false;

// Gives a reference up in whatever thread. While the interpreter ends there is one thread, which holds the GIL.
void GiveUp(PyObject* held) {
  if (g_has_ended) return;
  if (Py_IsInitialized() == 0) return Py_DECREF(held);
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(held);
  PyGILState_Release(state);
}

// A value of Python that the core knows nothing of, on its way through the core: a target, a pass, a device.
struct PyValueObj final : Object {
  static constexpr std::string_view kTypeKey = "python.Value";
  using Base = Object;
  explicit PyValueObj(PyObject* given) : Object(object::IndexOf<PyValueObj>()), value(given) { Py_INCREF(given); }
  ~PyValueObj() override { GiveUp(value); }
  PyObject* value;
};

auto BoxValue(PyObject*, PyObject* given) -> PyObject* { return Wrap(object::Make<PyValueObj>(given).get()); }

// Bytes become a bytearray in a box.
auto BoxBytes(PyObject* given, Value& out) -> bool {
  PyObject* const copy = PyByteArray_FromObject(given);
  if (copy == nullptr) return false;
  out = Value(Ref<Object>(object::Make<PyValueObj>(copy)));
  Py_DECREF(copy);
  return true;
}
auto AreBytes(PyObject* given) -> bool { return PyBytes_Check(given) || PyByteArray_Check(given); }

// A Python callable as a function object.
struct PyCallableObj final : object::PackedFuncObj {
  explicit PyCallableObj(PyObject* f)
      : PackedFuncObj([f](object::PackedArgs args) { return Invoke(f, args); }), callable(f) {
    Py_INCREF(f);
  }
  ~PyCallableObj() override { GiveUp(callable); }
  static auto Invoke(PyObject* function, object::PackedArgs args) -> Result<Value> {
    PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(args.size()));
    for (size_t i = 0; i < args.size(); ++i) {
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), ToPython(args.values()[i]));
    }
    PyObject* const result = PyObject_CallObject(function, tuple);
    Py_DECREF(tuple);
    if (result == nullptr) return ParkPythonError();
    Value value;
    bool ok = true;
    if (PyTuple_Check(result)) {
      PyErr_SetString(PyExc_ValueError, "PackedFunction can only support one return value");
      ok = false;
    } else {
      ok = AreBytes(result) ? BoxBytes(result, value) : FromPython(result, value);
    }
    Py_DECREF(result);
    if (!ok) return ParkPythonError();
    return value;
  }
  PyObject* callable;
};

auto MakePackedFunc(PyObject*, PyObject* callable) -> PyObject* {
  return Wrap(object::Make<PyCallableObj>(callable).get());
}

auto CallPacked(PyObject*, PyObject* args) -> PyObject* {
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  auto* const function = count == 0 ? nullptr : UnwrapAs<object::PackedFuncObj>(PyTuple_GET_ITEM(args, 0));
  if (function == nullptr) return PyErr_Format(PyExc_TypeError, "a PackedFunc is expected");
  // Functions of Python get bytes as such, those of C++ as text.
  const bool is_python = dynamic_cast<PyCallableObj*>(function) != nullptr;
  std::vector<Value> values(static_cast<size_t>(count - 1));
  for (Py_ssize_t i = 1; i < count; ++i) {
    PyObject* const given = PyTuple_GET_ITEM(args, i);
    Value& value = values[static_cast<size_t>(i - 1)];
    if (!(is_python && AreBytes(given) ? BoxBytes(given, value) : FromPython(given, value))) return nullptr;
  }
  auto result = function->Call(values);
  if (!result) {
    SetError(result.error());
    return nullptr;
  }
  return ToPython(*result);
}

PyMethodDef g_functions[] = {
    {"register_class", &RegisterClass, METH_VARARGS, nullptr},
    {"field_names", &FieldNames, METH_O, nullptr},
    {"field_kinds", &FieldKinds, METH_O, nullptr},
    {"new_node", &NewNode, METH_VARARGS, nullptr},
    {"make_call", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&MakeCall)), METH_FASTCALL, nullptr},
    {"operands", &Operands, METH_O, nullptr},
    {"rebuild_call", &RebuildCall, METH_VARARGS, nullptr},
    {"node_map", &NodeMap, METH_VARARGS, nullptr},
    {"fields", &Fields, METH_O, nullptr},
    {"make_array", &MakeArray, METH_O, nullptr},
    {"make_map", &MakeMap, METH_O, nullptr},
    {"items", &ItemsOf, METH_O, nullptr},
    {"size", &ArraySize, METH_O, nullptr},
    {"array_item", &ArrayItem, METH_VARARGS, nullptr},
    {"map_get", &MapGet, METH_VARARGS, nullptr},
    {"make_packed_func", &MakePackedFunc, METH_O, nullptr},
    {"call_packed", &CallPacked, METH_VARARGS, nullptr},
    {"box_value", &BoxValue, METH_O, nullptr},
    {"set_error_classes", &SetErrorClasses, METH_O, nullptr},
    {"set_converter", &SetConverter, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

auto AddObjectType(PyObject* module) -> bool {
  object::SetWrapperHooks({.retain = [](void* wrapper) { Py_INCREF(static_cast<PyObject*>(wrapper)); },
                           .release = [](void* wrapper) { Py_DECREF(static_cast<PyObject*>(wrapper)); }});
  Py_AtExit([] { g_has_ended = true; });
  g_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&g_spec));
  if (g_type == nullptr) return false;
  g_indices[g_type] = 0;
  Py_INCREF(g_type);
  if (PyModule_AddObject(module, "Object", reinterpret_cast<PyObject*>(g_type)) != 0) return false;
  return PyModule_AddFunctions(module, g_functions) == 0;
}

auto Unwrap(PyObject* value) -> Object* {
  if (value == nullptr || PyType_IsSubtype(Py_TYPE(value), g_type) == 0) return nullptr;
  return AsWrapper(value)->node;
}

void Adopt(PyObject* self, Object* node) { Attach(AsWrapper(self), node); }

auto Wrap(Object* object) -> PyObject* {
  if (auto* const wrapper = static_cast<PyObject*>(object->wrapper())) {
    Py_INCREF(wrapper);
    return wrapper;
  }
  PyTypeObject* const type = ClassOf(object->type_index());
  PyObject* const made = type->tp_alloc(type, 0);
  if (made != nullptr) Attach(AsWrapper(made), object);
  return made;
}

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

auto SequenceFromPython(PyObject* given, Value& out) -> bool {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(given);
  auto array = object::MakeArray(static_cast<size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    Value item;
    if (!FromPython(PySequence_Fast_GET_ITEM(given, i), item, true)) return false;
    array->set(static_cast<size_t>(i), std::move(item));
  }
  out = array;
  return true;
}

}  // namespace

auto FromPython(PyObject* given, Value& out, bool boxed) -> bool {
  if (given == Py_None) {
    out = Value();
    return true;
  }
  if (PyType_IsSubtype(Py_TYPE(given), g_type) != 0) {
    Object* const object = AsWrapper(given)->node;
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
    if (number == nullptr) return false;
    const long long integer = PyLong_AsLongLong(number);
    Py_DECREF(number);
    if (integer == -1 && PyErr_Occurred() != nullptr) return false;
    const bool narrow = integer == static_cast<int32_t>(integer);
    out = boxed ? Value(graph::MakeInt(integer, narrow ? "int32" : "int64")) : Value(static_cast<int64_t>(integer));
    return true;
  }
  // Whatever Python itself knows to convert: see relayopt.runtime.convert.
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

// Errors.

namespace {

constexpr DiagnosticKind kCallbackFailed{"callback-failed", Severity::kError, "{}"};
thread_local PyObject* t_parked = nullptr;

}  // namespace

auto ParkPythonError() -> Diagnostic {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  std::string text = "a Python function failed";
  if (PyObject* const shown = value == nullptr ? nullptr : PyObject_Str(value)) {
    if (const char* const utf8 = PyUnicode_AsUTF8(shown)) text = utf8;
    Py_DECREF(shown);
  }
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  Py_XDECREF(t_parked);
  t_parked = value;
  return MakeDiagnostic(kCallbackFailed, {}, text);
}

void SetError(const Diagnostic& error, const std::string& rendered) {
  if (error.kind == &kCallbackFailed && t_parked != nullptr) {
    PyObject* const exception = std::exchange(t_parked, nullptr);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
    Py_DECREF(exception);
    return;
  }
  PyObject* chosen = nullptr;
  if (g_error_classes != nullptr) {
    chosen = PyDict_GetItemString(g_error_classes, std::string(error.kind->id).c_str());
    if (chosen == nullptr) chosen = PyDict_GetItemString(g_error_classes, "");
  }
  PyErr_SetString(chosen == nullptr ? PyExc_RuntimeError : chosen, rendered.c_str());
}

void SetError(const Diagnostic& error) {
  std::string text = error.text;
  for (const DiagnosticNote& note : error.notes) text += "\n" + note.text;
  SetError(error, text);
}

}  // namespace relayopt::python
