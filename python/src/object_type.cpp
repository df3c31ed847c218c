// The Python type of objects: wrappers, classes by type, fields as properties.
#include "object_type.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "relayopt/graph/module_obj.h"
#include "relayopt/graph/nodes.h"
#include "relayopt/graph/table_face.h"
#include "relayopt/object/packed_func.h"

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
  if (PyType_IS_GC(type) != 0) PyObject_GC_UnTrack(self);
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

}  // namespace

auto IsMadeOfFields(const TypeInfo& info) -> bool {
  static const TypeIndex kOthers[] = {object::IndexOf<object::StringObj>(),  object::IndexOf<object::MapObj>(),
                                      object::IndexOf<object::TensorObj>(),  object::IndexOf<object::PackedFuncObj>(),
                                      object::IndexOf<graph::ModuleObj>(),   object::IndexOf<graph::PrimFuncObj>(),
                                      object::IndexOf<graph::TableFaceObj>()};
  return std::ranges::none_of(kOthers, [&](TypeIndex other) { return object::IsInstance(info.index, other); });
}

auto MissingField(const object::SlotObj& node) -> const char* {
  if (!graph::IsExactly(&node, graph::Node::kFunction)) return nullptr;
  if (node.slot(graph::slot::kParams).is_null()) return "params";
  return node.slot(graph::slot::kBody).is_null() ? "body" : nullptr;
}

namespace {

// Makes a node without fields. Returns null, with an exception, for classes whose objects are not fields.
auto CreateNode(const TypeInfo& info) -> Ref<object::SlotObj> {
  if (!IsMadeOfFields(info)) {
    PyErr_Format(PyExc_TypeError, "an object of type %s is not made from its fields", info.key.c_str());
    return {};
  }
  // A function has a slot for its table after its fields.
  const bool is_function = info.index == graph::TypeOf(graph::Node::kFunction);
  return object::SlotObj::Create(info.index, info.fields.size() + (is_function ? 1 : 0));
}

// Object._init(*own_fields): makes the node of a wrapper that has none. Fields that are not given are null.
auto Init(PyObject* self, PyObject* const* args, Py_ssize_t count) -> PyObject* {
  const TypeInfo& info = object::InfoOf(IndexOfClass(Py_TYPE(self)));
  if (AsWrapper(self)->node != nullptr) Py_RETURN_NONE;
  if (info.own_fields + static_cast<size_t>(count) > info.fields.size()) {
    PyErr_Format(PyExc_TypeError, "%s has %zu fields", info.key.c_str(), info.fields.size() - info.own_fields);
    return nullptr;
  }
  auto node = CreateNode(info);
  if (node == nullptr) return nullptr;
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
  if (!ConvertIfGiven(info, info.fields[at], args[1], value)) return nullptr;
  static_cast<void>(graph::SlotsOf(*node));
  static_cast<object::SlotObj*>(node)->set(at, std::move(value));
  Py_RETURN_NONE;
}

PyMethodDef g_methods[] = {
    Method<&Init>("_init", METH_FASTCALL),
    Method<&SetSlot>("_set", METH_FASTCALL),
    Method<&SameAs>("same_as", METH_O, "Whether the two are one object."),
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Wrapper, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Wrapper, weaklist), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef g_getset[] = {
    {"type_key", &Guarded<&GetTypeKey>::Call, nullptr, "The stable name of the object's type.", nullptr},
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

// Packed functions hold Python functions, which may hold them in turn: the collector of cycles has to see that. Nodes
// are not for it: there may be millions, and they refer to each other in one direction only.

auto TraverseCallable(PyObject* self, visitproc visit, void* arg) -> int {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(AsWrapper(self)->dict);
  // The count of the wrapper is that of the object, so that what the object holds, the wrapper holds.
  Py_VISIT(CallableOf(AsWrapper(self)->node));
  return 0;
}

auto ClearCallable(PyObject* self) -> int {
  Py_CLEAR(AsWrapper(self)->dict);
  if (Object* const node = AsWrapper(self)->node) DropCallable(node);
  return 0;
}

PyType_Slot g_callable_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&TraverseCallable)},
    {Py_tp_clear, reinterpret_cast<void*>(&ClearCallable)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&Dealloc)},
    {Py_tp_free, reinterpret_cast<void*>(&PyObject_GC_Del)},
    {Py_tp_doc, const_cast<char*>("The base of objects that hold functions of Python.")},
    {0, nullptr},
};

PyType_Spec g_callable_spec = {"relayopt._core.CallableObject", sizeof(Wrapper), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, g_callable_slots};

// Fields as properties.

auto GetField(PyObject* self, void* closure) -> PyObject* {
  const Object* const node = AsWrapper(self)->node;
  if (node == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "the object was not initialised: its class must call super().__init__");
    return nullptr;
  }
  const auto slot = reinterpret_cast<uintptr_t>(closure);
  return ToPython(graph::SlotsOf(*node)[slot >> 4], static_cast<FieldKind>(slot & 15));
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
      const uintptr_t slot = i << 4 | static_cast<uintptr_t>(field.kind);
      // Lives as long as the process, as the type does.
      auto* const def = new PyGetSetDef{strdup(field.name.c_str()), &Guarded<&GetField>::Call, &SetField, nullptr,
                                        reinterpret_cast<void*>(slot)};
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
constexpr std::array<std::string_view, 11> kKindNames = {"any",   "bool",  "int",    "float",   "str",         "object",
                                                         "array", "dtype", "extent", "extents", "extent_lists"};

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

// new_node(class, dict): a node with all its fields by name, whatever the constructor of the class does.
auto NewNode(PyObject*, PyObject* args) -> PyObject* {
  PyObject* key = nullptr;
  PyObject* values = nullptr;
  if (!PyArg_ParseTuple(args, "UO!", &key, &PyDict_Type, &values)) return nullptr;
  const TypeInfo* const info = object::FindType(PyUnicode_AsUTF8(key));
  if (info == nullptr) return PyErr_Format(PyExc_ValueError, "unknown type key %U", key);
  auto node = CreateNode(*info);
  if (node == nullptr) return nullptr;
  PyObject* name = nullptr;
  PyObject* given = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(values, &at, &name, &given) != 0) {
    const int slot = info->Find(PyUnicode_AsUTF8(name));
    if (slot < 0) return PyErr_Format(PyExc_AttributeError, "%U has no field %U", key, name);
    Value value;
    if (!ConvertIfGiven(*info, info->fields[slot], given, value)) return nullptr;
    node->set(slot, std::move(value));
  }
  if (const char* missing = MissingField(*node))
    return PyErr_Format(PyExc_ValueError, "%U: %s is missing", key, missing);
  return Wrap(node.get());
}

PyMethodDef g_functions[] = {
    Method<&RegisterClass>("register_class", METH_VARARGS),
    Method<&FieldNames>("field_names", METH_O),
    Method<&NewNode>("new_node", METH_VARARGS),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

auto AddObjectType(PyObject* module) -> bool {
  object::SetWrapperHooks({.retain = [](void* wrapper) { Py_INCREF(static_cast<PyObject*>(wrapper)); },
                           .release = [](void* wrapper) { Py_DECREF(static_cast<PyObject*>(wrapper)); }});
  g_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&g_spec));
  if (g_type == nullptr) return false;
  g_indices[g_type] = 0;
  Py_INCREF(g_type);
  if (PyModule_AddObject(module, "Object", reinterpret_cast<PyObject*>(g_type)) != 0) return false;
  // Python 3.9 takes no single base.
  PyObject* const bases = PyTuple_Pack(1, reinterpret_cast<PyObject*>(g_type));
  if (bases == nullptr) return false;
  PyObject* const callable = PyType_FromSpecWithBases(&g_callable_spec, bases);
  Py_DECREF(bases);
  if (callable == nullptr || PyModule_AddObject(module, "CallableObject", callable) != 0) return false;
  return PyModule_AddFunctions(module, g_functions) == 0 && AddNodeFunctions(module) && AddConversions(module) &&
         AddErrors(module) && AddPackedFunctions(module);
}

auto IsWrapper(PyObject* value) -> bool { return PyType_IsSubtype(Py_TYPE(value), g_type) != 0; }

auto Unwrap(PyObject* value) -> Object* {
  return value == nullptr || !IsWrapper(value) ? nullptr : AsWrapper(value)->node;
}

auto Adopt(PyObject* self, Object* node) -> bool {
  if (!IsWrapper(self)) return PyErr_Format(PyExc_TypeError, "an object of relayopt is expected") != nullptr;
  Attach(AsWrapper(self), node);
  return true;
}

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

}  // namespace relayopt::python
