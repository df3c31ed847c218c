// The Python type of objects, and conversions between Python and C++ values. All of it needs the GIL.
#pragma once

#include <Python.h>

#include <optional>
#include <string>
#include <vector>

#include "relayopt/driver/diagnostic_record.h"
#include "relayopt/object/packed_func.h"
#include "relayopt/support/result.h"

namespace relayopt::python {

using object::Object;
using object::Ref;
using object::Value;

// Adds the type `Object` and its helpers to the module; false with a Python error set.
auto AddObjectType(PyObject* module) -> bool;

// The functions of single files, which AddObjectType adds.
auto AddNodeFunctions(PyObject* module) -> bool;
auto AddConversions(PyObject* module) -> bool;
auto AddErrors(PyObject* module) -> bool;
auto AddPackedFunctions(PyObject* module) -> bool;

// Whether a Python value is a wrapper of an object, even one that was never initialized.
auto IsWrapper(PyObject* value) -> bool;
// The object of a wrapper; null when the value is not a wrapper, or was never initialized.
auto Unwrap(PyObject* value) -> Object*;
template <typename T>
auto UnwrapAs(PyObject* value) -> T* {
  Object* const object = Unwrap(value);
  return object != nullptr && object->IsInstance<T>() ? static_cast<T*>(object) : nullptr;
}
// Makes `node` the object of a wrapper that has none.
auto Adopt(PyObject* self, Object* node) -> bool;
// New references; null with a Python error set when memory ends.
auto Wrap(Object* object) -> PyObject*;
auto ToPython(const Value& value, object::FieldKind kind = object::FieldKind::kAny) -> PyObject*;

// Converts a Python value; with `boxed`, numbers become IntImm and FloatImm, as inside of containers. False with a
// Python error set.
auto FromPython(PyObject* value, Value& out, bool boxed = false) -> bool;

// Whether objects of a type are their fields, and not a class of C++ with something else in it.
auto IsMadeOfFields(const object::TypeInfo& info) -> bool;
// Returns the field that a node has to have and lacks, or null. Functions are tables, and every table has both.
auto MissingField(const object::SlotObj& node) -> const char*;

// A level of containers in each other, which may hold themselves. False, with a RecursionError, if there are too many.
class NestingGuard {
 public:
  NestingGuard() : ok_(Py_EnterRecursiveCall(" in a value for relayopt") == 0) {}
  NestingGuard(const NestingGuard&) = delete;
  auto operator=(const NestingGuard&) -> NestingGuard& = delete;
  ~NestingGuard() {
    if (ok_) Py_LeaveRecursiveCall();
  }
  explicit operator bool() const { return ok_; }

 private:
  bool ok_;
};
// The same for a dict, which becomes a Map.
auto MapFromDict(PyObject* dict, Value& out) -> bool;
// Returns the value as containers hold it: numbers become IntImm and FloatImm.
auto Boxed(const Value& value) -> Value;
// Describes what a field must hold, for an error: `item` is the element of an array that does not fit, or null.
struct FieldMisfit {
  std::string expected;
  const Object* item = nullptr;
};
// Converts a value to the kind of a field. Returns nullopt if the field may hold it.
auto FitField(const object::Field& field, Value& value) -> std::optional<FieldMisfit>;
// Converts the value that a constructor is given for a field. False with a Python error set.
auto ConvertField(const object::TypeInfo& info, const object::Field& field, PyObject* given, Value& out) -> bool;
// The same for fields that are null where None is given.
auto ConvertIfGiven(const object::TypeInfo& info, const object::Field& field, PyObject* given, Value& out) -> bool;

// The Python callable that a packed function holds; null for one of C++, for one that was dropped, and for other
// objects. Borrowed.
auto CallableOf(const Object* node) -> PyObject*;
// Lets go of it: calls are errors from then on.
void DropCallable(Object* node);

// The exception class for diagnostics with this id, or null. Borrowed.
auto ErrorClass(const char* id) -> PyObject*;
// Sets the Python error that a diagnostic stands for. `rendered` is its text with its place, `all` what the exception
// has as `diagnostics`: those that were reported before, and it.
void SetError(const Diagnostic& error, const std::string& rendered, const std::vector<DiagnosticRecord>& all);
void SetError(const Diagnostic& error);
// Sets the Python error for the C++ exception that is being handled, whatever it is.
void SetCurrentException();
// Keeps the Python error that is set now, and stands for it in the core; SetError of that raises the same exception
// again.
auto ParkPythonError() -> Diagnostic;
// The same for the C++ exception that is being handled, whatever it is.
auto ParkCurrentException() -> Diagnostic;

// A C function around one of C++: no exception passes it. `function` returns null, or -1, with a Python error set.
template <auto function>
struct Guarded;
template <typename R, typename... Args, R (*function)(Args...)>
struct Guarded<function> {
  static auto Call(Args... args) noexcept -> R {
    try {
      return function(args...);
    } catch (...) {
      SetCurrentException();
      if constexpr (std::is_pointer_v<R>) {
        return nullptr;
      } else {
        return R{-1};
      }
    }
  }
};

// A row of a table of functions: `flags` are METH_O, METH_VARARGS or METH_FASTCALL.
template <auto function>
auto Method(const char* name, int flags, const char* doc = nullptr) -> PyMethodDef {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Guarded<function>::Call)), flags, doc};
}

}  // namespace relayopt::python
