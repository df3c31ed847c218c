// Packed functions in Python, and Python functions as packed functions.

#include <string>
#include <vector>

#include "python_value.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::python {
namespace {

// Set when the interpreter has ended.
bool g_has_ended = false;

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
      : PackedFuncObj([this](object::PackedArgs args) -> Result<Value> {
          if (callable == nullptr) return object::CallError("the Python function has been collected");
          return Invoke(callable, args);
        }),
        callable(f) {
    Py_INCREF(f);
  }
  ~PyCallableObj() override {
    if (callable != nullptr) GiveUp(callable);
  }
  static auto Invoke(PyObject* function, object::PackedArgs args) -> Result<Value> {
    PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(args.size()));
    for (size_t i = 0; i < args.size(); ++i) {
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), ToPython(args.values()[i]));
    }
    PyObject* result = nullptr;
    {
      const CallOfPython call;
      result = PyObject_CallObject(function, tuple);
    }
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

// The registry is the core's: functions of C++ and of Python are found by both.

// register_global(name, function, override): whether the name was free or may be taken.
auto RegisterGlobal(PyObject*, PyObject* args) -> PyObject* {
  const char* name = nullptr;
  PyObject* given = nullptr;
  int override = 0;
  if (PyArg_ParseTuple(args, "sOp", &name, &given, &override) == 0) return nullptr;
  auto* const function = UnwrapAs<object::PackedFuncObj>(given);
  if (function == nullptr) return PyErr_Format(PyExc_TypeError, "a PackedFunc is expected");
  return PyBool_FromLong(object::Registry::Register(name, object::PackedFunc(function), override != 0) ? 1 : 0);
}
auto GetGlobal(PyObject*, PyObject* name) -> PyObject* {
  const char* const text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  const object::PackedFunc found = object::Registry::Get(text);
  if (!found) Py_RETURN_NONE;
  return Wrap(found.get());
}
auto RemoveGlobal(PyObject*, PyObject* name) -> PyObject* {
  const char* const text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  return PyBool_FromLong(object::Registry::Remove(text) ? 1 : 0);
}
auto ListGlobals(PyObject*, PyObject*) -> PyObject* {
  const std::vector<std::string> names = object::Registry::List();
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(names.size()));
  for (size_t i = 0; list != nullptr && i < names.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i),
                    PyUnicode_FromStringAndSize(names[i].data(), static_cast<Py_ssize_t>(names[i].size())));
  }
  return list;
}
// Functions of Python do not outlive the interpreter.
auto ForgetPythonFunctions(PyObject*, PyObject*) -> PyObject* {
  for (const std::string& name : object::Registry::List()) {
    const object::PackedFunc found = object::Registry::Get(name);
    if (found && dynamic_cast<PyCallableObj*>(found.get()) != nullptr) object::Registry::Remove(name);
  }
  Py_RETURN_NONE;
}

PyMethodDef g_functions[] = {
    Method<&RegisterGlobal>("register_global", METH_VARARGS),
    Method<&GetGlobal>("get_global", METH_O),
    Method<&RemoveGlobal>("remove_global", METH_O),
    Method<&ListGlobals>("list_globals", METH_NOARGS),
    Method<&ForgetPythonFunctions>("forget_python_functions", METH_NOARGS),
    Method<&MakePackedFunc>("make_packed_func", METH_O),
    Method<&CallPacked>("call_packed", METH_VARARGS),
    Method<&BoxValue>("box_value", METH_O),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

auto CallableOf(const Object* node) -> PyObject* {
  const auto* const function = dynamic_cast<const PyCallableObj*>(node);
  return function == nullptr ? nullptr : function->callable;
}

void DropCallable(Object* node) {
  if (auto* const function = dynamic_cast<PyCallableObj*>(node)) Py_CLEAR(function->callable);
}

void GiveUp(PyObject* held) {
  // While the interpreter ends there is one thread, which holds the GIL.
  if (g_has_ended) return;
  if (Py_IsInitialized() == 0) return Py_DECREF(held);
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(held);
  PyGILState_Release(state);
}

auto AddPackedFunctions(PyObject* module) -> bool {
  Py_AtExit([] { g_has_ended = true; });
  return PyModule_AddFunctions(module, g_functions) == 0;
}

}  // namespace relayopt::python
