// The parts of the extension module; each adds its functions.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "object_type.h"
#include "python_value.h"
#include "relayopt/graph/module_obj.h"
#include "relayopt/pass/pass.h"
#include "relayopt/relay/eval/tensor_file.h"

namespace relayopt::python {

namespace nb = nanobind;

void AddModules(nb::module_& m);
void AddPasses(nb::module_& m);
void AddPatterns(nb::module_& m);
void AddExpressions(nb::module_& m);
void AddTypes(nb::module_& m);
void AddEvaluation(nb::module_& m);
void AddFaults(nb::module_& m);
void AddGraphJsonReader(nb::module_& m);
void AddGraphJsonWriter(nb::module_& m);
void AddScalars(nb::module_& m);
void AddSession(nb::module_& m);
void AddTargets(nb::module_& m);

// A pass of the core, as Python holds it.
struct PassHandle {
  PassRef pass;
};
// A context without instruments, from what relayopt.ir.transform.PassContext makes for the core.
auto ContextOptionsOf(const nb::dict& context) -> PassContextOptions;

// Without the GIL, and with it, as long as they live. At the end of a program Python ends the threads that nobody waits
// for, daemons, when they want the GIL, and does not get through C++ functions alive: they stay here instead.
class Unlocked {
 public:
  Unlocked() : thread_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  auto operator=(const Unlocked&) -> Unlocked& = delete;

 private:
  PyThreadState* thread_;
};
class Locked {
 public:
  Locked();
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  auto operator=(const Locked&) -> Locked& = delete;

 private:
  PyGILState_STATE state_;
};
// Called by the thread that ends the program: from now on all others, if there are any, stay where they ask for the
// GIL.
void EndThreads(bool others);

// Raises the Python exception of a diagnostic.
[[noreturn]] inline void Throw(const Diagnostic& error) {
  SetError(error);
  throw nb::python_error();
}
// The same for all that a sink collected, rendered with their places in `source`, which may be null.
[[noreturn]] void Throw(const DiagnosticSink& sink, const SourceText* source);

template <typename T>
auto OrThrow(Result<T> result) -> T {
  if (!result) Throw(result.error());
  return std::move(*result);
}

// The result of a Python function that the core calls.
template <typename... Args>
auto CallPython(nb::handle function, Args&&... args) -> nb::object {
  const CallOfPython call;
  return function(std::forward<Args>(args)...);
}

inline auto Text(std::string_view text) -> nb::str { return nb::str(text.data(), text.size()); }
// Raises what a sink holds as an exception if there is an error, and as warnings of Python otherwise.
void ThrowOrWarn(const DiagnosticSink& sink, const SourceText* source);

inline auto Steal(PyObject* value) -> nb::object {
  if (value == nullptr) throw nb::python_error();
  return nb::steal(value);
}
inline auto ToObject(Object* object) -> nb::object { return Steal(Wrap(object)); }
inline auto ToObject(const Value& value) -> nb::object { return Steal(ToPython(value)); }

// The family of modules that a pass runs on in this thread, or null.
auto RunningLineage() -> graph::Lineage*;
// Returns the exception that a type rule in Python raised since the last call; SetError raises it again.
auto TakeRuleFailure() -> std::optional<Diagnostic>;
// Whether Python has registered type rules.
auto HasTypeFunctions() -> bool;

// The tensors of pairs of a name and an NDArray.
auto NamedTensorsOf(nb::handle pairs) -> std::vector<NamedTensor>;

auto ModuleOf(nb::handle module) -> graph::ModuleObj&;
// The module with the types of all expressions, which only the core's own module gets.
auto TypedCore(nb::handle module) -> Module;
// Adds the types of the constructors that an expression uses, with these constructors.
void DeclareConstructors(const Ref<Object>& expr, graph::ModuleObj& module);
// The module in another context, with inferred types: written in the binary form and read again. Structural comparison
// and modules that take over functions need one context.
auto InContext(const Module& module, const std::shared_ptr<Context>& context) -> Module;
auto NodeOf(nb::handle value) -> Ref<Object>;

}  // namespace relayopt::python
