// Writes a Relay module as a Python module in Relax.
#include <fmt/format.h>

#include "branches.h"
#include "diagnostics.h"
#include "forms.h"
#include "lib/convert/lower/large_tuples.h"
#include "lib/convert/lower/prepare.h"
#include "lib/convert/onnx/foreign.h"
#include "lib/convert/onnx_out/leaves.h"
#include "module_state.h"
#include "python.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/convert/onnx/result_names.h"
#include "relayopt/convert/relax.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace relax {
namespace {

// Describes the parameters in a comment: name, shape (None for unknown extents), type.
auto InputsText(const Function& function) -> std::string {
  std::string out = "INPUTS = [\n";
  for (const ExprId param : function.params()) {
    const Type& type = function.context().type(function.type(param));
    std::string shape;
    for (const Dim& dim : type.shape) shape += (dim.is_int() ? std::to_string(dim.value()) : "None") + ", ";
    out += fmt::format("    ({}, ({}), {}),\n", PythonString(function.context().text(function.var(param).name)), shape,
                       PythonString(ToString(type.dtype)));
  }
  return out + "]\n";
}

// Returns the names of the arrays that `run` returns: those of the outputs of an ONNX model.
auto OutputsText(const Function& function) -> std::string {
  const Context& context = function.context();
  const OnnxNames names = context.Part<OnnxInterface>().Get();
  const auto outputs = MapToVector<std::string_view>(names.outputs, &OnnxPort::name);
  const TypeId whole = function.type(function.body());
  const bool is_one = context.type(whole).kind != TypeKind::kTuple || outputs.size() == 1;
  ResultFields fields;
  for (const TypeId field : is_one ? std::span(&whole, 1) : std::span<const TypeId>(context.type(whole).args)) {
    const bool is_sequence = context.type(field).kind == TypeKind::kTuple;
    fields.push_back(is_sequence ? std::optional(onnx::out::LeavesOf(context, field).size()) : std::nullopt);
  }
  std::string out;
  for (const std::string& name : ResultNames(outputs, fields)) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", PythonString(name));
  }
  return "OUTPUTS = [" + out + "]\n";
}

// Returns the arrays that the text names C[i]. Types are written, because without them `const` makes 32 bits of 64.
auto ConstantsText(std::string_view archive, const std::vector<NamedTensor>& constants) -> std::string {
  if (constants.empty()) return "";
  std::string out = fmt::format(
      "_archive = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), {}))\n"
      "_arrays = [_archive[f\"c{{i}}\"] for i in range({})]\n"
      "C = [tvm.relax.const(array, str(array.dtype)) for array in _arrays]\n",
      PythonString(archive), constants.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    // NumPy archives store bfloat16 as float32.
    if (constants[i].tensor.dtype() == DataType::BFloat(16)) {
      out += fmt::format("C[{0}] = tvm.relax.const(_archive[\"c{0}\"].astype(\"bfloat16\"), \"bfloat16\")\n", i);
    }
  }
  return out + "\n";
}

constexpr std::string_view kRunner = R"(

def load(target="llvm"):
    """Compiles the module; a relax.VirtualMachine whose functions can be called."""
    executable = tvm.compile(Module, target=target)
    return tvm.relax.VirtualMachine(executable, tvm.cpu())


def run(inputs, target="llvm"):
    """Calls main with arrays by the names of its parameters; the arrays of its result."""
    arguments = [np.asarray(inputs[name], dtype=dtype) for name, _, dtype in INPUTS]
    result = load(target)["main"](*[tvm.runtime.tensor(argument) for argument in arguments])
    flat, pending = [], [result]
    while pending:
        value = pending.pop()
        if isinstance(value, tvm.runtime.Tensor):
            flat.append(value.numpy())
        else:
            pending.extend(reversed(list(value)))
    return flat


if __name__ == "__main__":
    import sys

    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} INPUTS.npz OUTPUTS.npz")
    outputs = run(np.load(sys.argv[1]))
    np.savez(sys.argv[2], **dict(zip(OUTPUTS, outputs)))
)";

void ReportMissing(const ModuleState& state) {
  for (const auto& [name, missing] : state.missing) {
    const std::string_view why =
        missing.has_row ? ": what Relax calls so lacks these types, attributes or unknown extents" : "";
    state.sink.Report(kNoForm, missing.first, name, missing.calls, missing.calls == 1 ? "" : "s", why);
  }
}

}  // namespace
}  // namespace relax

auto RelaxPipeline() -> std::string_view {
  return "Inline,DefuseOps,qnn.Legalize,qnn.CanonicalizeOps,DynamicToStatic,SimplifyShapes,DynamicToStatic,LambdaLift,"
         "LowerFor<target=relax>,"
         "FoldConstant,RemoveUnusedFunctions,ToANormalForm,DeadCodeElimination,InferType";
}

auto RelaxFormOf(std::string_view op) -> std::string {
  const OpDef* def = FindOp(op);
  const relax::RelaxForm* form = def == nullptr ? nullptr : relax::FindRelaxForm(def);
  return form == nullptr ? "" : "R." + std::string(form->name);
}

namespace relax {
namespace {

auto Prepared(const Module& module) -> Result<Module> {
  const std::string expansion = onnx::FirstNodeCall(module) ? "ExpandOnnx,InferType," : "";
  auto prepared = PrepareFor(module, expansion + std::string(RelaxPipeline()));
  if (!prepared) return prepared;
  return OutlineBranches(*prepared) ? PrepareFor(*prepared, "InferType") : std::move(prepared);
}

}  // namespace
}  // namespace relax

auto WriteRelax(const Module& module, std::string_view archive, DiagnosticSink& sink) -> std::optional<RelaxText> {
  auto prepared = relax::Prepared(module);
  if (!prepared) {
    sink.Report(relax::kNotPrepared, prepared.error().range, prepared.error().text);
    return std::nullopt;
  }
  const GlobalId main = prepared->FindGlobal("main");
  if (!main || prepared->function<Function>(main) == nullptr) {
    sink.Report(relax::kUnsupported, {}, "the module", "it has no function @main");
    return std::nullopt;
  }
  if (const auto large = FindLargeTuple(*prepared)) {
    sink.Report(relax::kUnsupported, *large, "this value", TooManyTensors());
    return std::nullopt;
  }
  relax::ModuleState state{*prepared, sink};
  std::string functions;
  for (const GlobalId id : prepared->SortedFunctions<Function>()) {
    functions += "\n" + relax::WriteFunction(state, id, *prepared->function<Function>(id));
  }
  relax::ReportMissing(state);
  if (sink.has_errors()) return std::nullopt;
  RelaxText out;
  out.text =
      "# Relax for apache-tvm 0.27, written by relayopt.\n"
      "import os\n\nimport numpy as np\nimport tvm\n"
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n" +
      relax::ConstantsText(archive, state.constants) + relax::InputsText(*prepared->function<Function>(main)) +
      relax::OutputsText(*prepared->function<Function>(main)) + "\n\n@I.ir_module\nclass Module:" + functions +
      std::string(relax::kRunner);
  out.constants = std::move(state.constants);
  return out;
}

}  // namespace relayopt
