// relayopt._core: what the Python package needs of the core.
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings.h"
#include "python_value.h"
#include "relayopt/driver/session.h"
#include "relayopt/graph/attrs_types.h"

namespace relayopt::python {

namespace {

// The thread that ends the program, once there is one.
std::atomic<std::thread::id> g_ending{};
// Threads that have asked for the GIL and do not have it yet.
std::atomic<int> g_asking{0};

// Whether another thread ends the program.
auto IsLeftBehind() -> bool {
  const auto ending = g_ending.load();
  return ending != std::thread::id() && ending != std::this_thread::get_id();
}

[[noreturn]] void StayHere() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Calls `take`, which waits for the GIL; never returns at the end of a program.
template <typename Take>
void Ask(Take&& take) {
  ++g_asking;
  if (IsLeftBehind()) {
    --g_asking;
    StayHere();
  }
  take();
  --g_asking;
}

}  // namespace

Unlocked::~Unlocked() {
  Ask([this] { PyEval_RestoreThread(thread_); });
}
Locked::Locked() {
  Ask([this] { state_ = PyGILState_Ensure(); });
}

CallOfPython::~CallOfPython() {
  if (IsLeftBehind() && PyGILState_Check() == 0) StayHere();
}

void EndThreads(bool others) {
  g_ending = std::this_thread::get_id();
  // Resources of such threads are never released.
  if (others) nb::set_leak_warnings(false);
  // Those that wait for the GIL already get it now.
  PyThreadState* const thread = PyEval_SaveThread();
  for (int i = 0; i < 1000 && g_asking > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(thread);
}

void Throw(const DiagnosticSink& sink, const SourceText* source) {
  std::string text;
  std::vector<DiagnosticRecord> records;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    text += Render(diagnostic, source) + "\n";
    records.push_back(MakeRecord(diagnostic, source));
  }
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.kind->severity != Severity::kError) continue;
    SetError(diagnostic, text, records);
    throw nb::python_error();
  }
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  throw nb::python_error();
}

void ThrowOrWarn(const DiagnosticSink& sink, const SourceText* source) {
  if (sink.has_errors()) Throw(sink, source);
  for (const Diagnostic& each : sink.diagnostics()) {
    if (each.kind->severity == Severity::kWarning && PyErr_WarnEx(PyExc_UserWarning, Render(each, source).c_str(), 1)) {
      throw nb::python_error();
    }
  }
}

auto NodeOf(nb::handle value) -> Ref<Object> {
  Value converted;
  if (!FromPython(value.ptr(), converted)) throw nb::python_error();
  if (!converted.is_object()) {
    throw nb::type_error(("an object is expected, not " + std::string(nb::repr(value).c_str())).c_str());
  }
  return converted.ref();
}

}  // namespace relayopt::python

NB_MODULE(_core, m) {
  // Wrappers of objects are those of one interpreter, and so is the state of nanobind.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    throw nanobind::import_error("relayopt works in the main interpreter, not in a subinterpreter");
  }
  using namespace relayopt;
  graph::TypeOf(graph::Node::kBaseExpr);
  graph::RegisterAttrsTypes();
  RegisterBuiltins();
  if (!python::AddObjectType(m.ptr())) throw nanobind::python_error();
  m.def("end_threads", &python::EndThreads);
  python::AddModules(m);
  python::AddGraphJsonReader(m);
  python::AddGraphJsonWriter(m);
  python::AddSession(m);
  python::AddScalars(m);
  python::AddTargets(m);
  python::AddPasses(m);
  python::AddPatterns(m);
  python::AddExpressions(m);
  python::AddTypes(m);
  python::AddEvaluation(m);
  python::AddFaults(m);
}
