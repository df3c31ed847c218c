// relayopt._core: what the Python package needs of the core.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "relayopt/graph/attrs_types.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt::python {

void Throw(const DiagnosticSink& sink, const SourceText* source) {
  std::string text;
  for (const Diagnostic& diagnostic : sink.diagnostics()) text += Render(diagnostic, source) + "\n";
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.kind->severity != Severity::kError) continue;
    SetError(diagnostic, text);
    throw nb::python_error();
  }
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  throw nb::python_error();
}

auto NodeOf(nb::handle value) -> Ref<Object> {
  Value converted;
  if (!FromPython(value.ptr(), converted)) throw nb::python_error();
  if (!converted.is_object()) throw nb::type_error("an object is expected");
  return converted.ref();
}

}  // namespace relayopt::python

NB_MODULE(_core, m) {
  using namespace relayopt;
  graph::TypeOf(graph::Node::kBaseExpr);
  graph::RegisterAttrsTypes();
  RegisterAllPasses();
  if (!python::AddObjectType(m.ptr())) throw nanobind::python_error();
  python::AddModules(m);
  python::AddPasses(m);
  python::AddExpressions(m);
  python::AddTypes(m);
  python::AddEvaluation(m);
}
