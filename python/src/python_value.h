// Python values as objects.
#pragma once

#include <Python.h>

#include <string_view>

#include "object_type.h"

namespace relayopt::python {

// Stands around a call of Python. At the end of a program Python ends the threads that nobody waits for, daemons, when
// a function of theirs wants the GIL back, by unwinding their stacks: such a thread stays here, because what lies
// further up needs the GIL to be destroyed.
class CallOfPython {
 public:
  CallOfPython() = default;
  ~CallOfPython();
  CallOfPython(const CallOfPython&) = delete;
  auto operator=(const CallOfPython&) -> CallOfPython& = delete;
};

// Releases a reference in any thread; does nothing after the interpreter has ended.
void GiveUp(PyObject* held);

// A Python value that the core does not know (a target, a pass, a device), as an object that can be passed through it.
struct PyValueObj final : Object {
  static constexpr std::string_view kTypeKey = "python.Value";
  using Base = Object;
  explicit PyValueObj(PyObject* given) : Object(object::IndexOf<PyValueObj>()), value(given) { Py_INCREF(given); }
  ~PyValueObj() override { GiveUp(value); }
  PyObject* value;
};

}  // namespace relayopt::python
