// Diagnostics as Python exceptions, and back.

#include <string>

#include "bindings.h"
#include "object_type.h"
#include "relayopt/graph/nodes.h"
#include "relayopt/support/check.h"
#include "relayopt/support/check_handler.h"
#include "relayopt/support/parallel.h"
#include "relayopt/support/severity.h"

namespace relayopt::python {
namespace {

PyObject* g_error_classes = nullptr;
PyObject* g_make_diagnostic = nullptr;

// set_error_classes(dict, make_diagnostic): the exceptions by id of diagnostics, "" for all others; and what makes the
// items of their `diagnostics`: f(severity, kind, text, file, (line, column), (line, column), notes).
auto SetErrorClasses(PyObject*, PyObject* args) -> PyObject* {
  PyObject* classes = nullptr;
  PyObject* make = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &classes, &make)) return nullptr;
  Py_INCREF(classes);
  Py_INCREF(make);
  g_error_classes = classes;
  g_make_diagnostic = make;
  Py_RETURN_NONE;
}

// fail_check(threads): a check that fails, in a worker where there is more than one thread. For tests.
auto FailCheck(PyObject*, PyObject* threads) -> PyObject* {
  const size_t count = PyLong_AsSize_t(threads);
  if (PyErr_Occurred() != nullptr) return nullptr;
  ParallelFor(8, count, [](size_t i) { RELAYOPT_CHECK(i != 7, "a check that always fails"); });
  Py_RETURN_NONE;
}

PyMethodDef g_functions[] = {
    Method<&SetErrorClasses>("set_error_classes", METH_VARARGS),
    Method<&FailCheck>("fail_check", METH_O),
    {nullptr, nullptr, 0, nullptr},
};

constexpr DiagnosticKind kCallbackFailed{"callback-failed", Severity::kError, "{}"};
thread_local PyObject* t_parked = nullptr;

// A str; bytes that are not UTF-8 are replaced.
auto TextOf(std::string_view text) -> nb::object {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

// Diagnostics as g_make_diagnostic makes them; invalid with a Python error set. Notes have no notes.
auto ToTuple(const std::vector<DiagnosticRecord>& records) -> nb::object {
  nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(records.size())));
  for (size_t i = 0; all.is_valid() && i < records.size(); ++i) {
    const DiagnosticRecord& record = records[i];
    const nb::object notes = ToTuple(record.notes);
    if (!notes.is_valid()) return notes;
    PyObject* const item = PyObject_CallFunction(
        g_make_diagnostic, "sNNN(nn)(nn)O", std::string(Name(record.severity)).c_str(),
        TextOf(record.id).release().ptr(), TextOf(record.text).release().ptr(), TextOf(record.file).release().ptr(),
        static_cast<Py_ssize_t>(record.begin.line), static_cast<Py_ssize_t>(record.begin.column),
        static_cast<Py_ssize_t>(record.end.line), static_cast<Py_ssize_t>(record.end.column), notes.ptr());
    if (item == nullptr) return {};
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), item);
  }
  return all;
}

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

void SetCurrentException() {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    const bool is_type = error.type() == nb::exception_type::type_error;
    const bool is_value = error.type() == nb::exception_type::value_error;
    PyErr_SetString(is_type ? PyExc_TypeError : is_value ? PyExc_ValueError : PyExc_RuntimeError, error.what());
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "a value has a wrong type");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const CheckError& error) {
    PyObject* const chosen = ErrorClass("internal");
    PyErr_SetString(chosen == nullptr ? PyExc_RuntimeError : chosen, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "a function failed with an unknown exception");
  }
}

auto ParkCurrentException() -> Diagnostic {
  SetCurrentException();
  return ParkPythonError();
}

void SetError(const Diagnostic& error, const std::string& rendered, const std::vector<DiagnosticRecord>& all) {
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
  if (chosen == nullptr) chosen = PyExc_RuntimeError;
  // Texts may hold any bytes of the input.
  const nb::object text = TextOf(rendered);
  const nb::object exception = nb::steal(PyObject_CallOneArg(chosen, text.ptr()));
  if (!exception.is_valid()) return;
  if (g_make_diagnostic != nullptr) {
    const nb::object diagnostics = ToTuple(all);
    if (!diagnostics.is_valid() || PyObject_SetAttrString(exception.ptr(), "diagnostics", diagnostics.ptr()) != 0)
      return;
  }
  PyErr_SetObject(chosen, exception.ptr());
}

void SetError(const Diagnostic& error) {
  std::string text = error.text;
  for (const DiagnosticNote& note : error.notes) text += "\n" + note.text;
  SetError(error, text, {MakeRecord(error, nullptr)});
}

auto ErrorClass(const char* id) -> PyObject* {
  return g_error_classes == nullptr ? nullptr : PyDict_GetItemString(g_error_classes, id);
}

auto AddErrors(PyObject* module) -> bool {
  // The interpreter outlives a fault of ours.
  SetCheckHandler([](const std::string& message) { throw CheckError(message); });
  nb::register_exception_translator(
      [](const std::exception_ptr& failure, void*) {
        try {
          std::rethrow_exception(failure);
        } catch (const CheckError&) {
          SetCurrentException();
        } catch (const std::bad_cast&) {
          SetCurrentException();
        }
      },
      nullptr);
  return PyModule_AddFunctions(module, g_functions) == 0;
}

}  // namespace relayopt::python
