// Diagnostics as Python exceptions, and back.

#include <string>

#include "bindings.h"
#include "object_type.h"
#include "relayopt/graph/nodes.h"

namespace relayopt::python {
namespace {

PyObject* g_error_classes = nullptr;

// set_error_classes(dict): the exceptions by id of diagnostics; "" is for all others.
auto SetErrorClasses(PyObject*, PyObject* dict) -> PyObject* {
  Py_INCREF(dict);
  g_error_classes = dict;
  Py_RETURN_NONE;
}

PyMethodDef g_functions[] = {
    {"set_error_classes", &SetErrorClasses, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

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

auto ParkCurrentException() -> Diagnostic {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    const bool is_type = error.type() == nb::exception_type::type_error;
    const bool is_value = error.type() == nb::exception_type::value_error;
    PyErr_SetString(is_type ? PyExc_TypeError : is_value ? PyExc_ValueError : PyExc_RuntimeError, error.what());
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "a Python function returned a value of a wrong type");
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "a function failed with an unknown exception");
  }
  return ParkPythonError();
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

auto ErrorClass(const char* id) -> PyObject* {
  return g_error_classes == nullptr ? nullptr : PyDict_GetItemString(g_error_classes, id);
}

auto AddErrors(PyObject* module) -> bool { return PyModule_AddFunctions(module, g_functions) == 0; }

}  // namespace relayopt::python
