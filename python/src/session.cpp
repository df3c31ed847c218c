// Modules in files of every format, pipelines over them, and what they cost: what the tool does, through the same
// session and the same table of formats.
#include "relayopt/driver/session.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "bindings.h"
#include "lib/driver/checks.h"
#include "relayopt/check/agreement.h"
#include "relayopt/check/overview.h"
#include "relayopt/check/prim_func_judge.h"
#include "relayopt/convert/compression.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/object/containers.h"
#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/text/graph.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/report/report.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;

auto Bytes(std::string_view bytes) -> nb::bytes { return nb::bytes(bytes.data(), bytes.size()); }

// The options of ONNX models in a dict: shapes, in which None stands for an unknown extent, dims, dtypes, opset,
// freeze_params, keep, transposed_batch_matmul.
void SetOnnxOptions(const nb::dict& given, OnnxOptions& options) {
  for (const auto& [name, shape] : nb::cast<nb::dict>(given["shapes"])) {
    auto& [key, extents] = options.shapes.emplace_back();
    key = nb::cast<std::string>(name);
    for (const nb::handle extent : shape) {
      extents.push_back(extent.is_none() ? std::nullopt : std::optional(nb::cast<int64_t>(extent)));
    }
  }
  for (const auto& [name, dtype] : nb::cast<nb::dict>(given["dtypes"])) {
    const auto text = nb::cast<std::string>(dtype);
    const auto type = ParseDataType(text);
    if (!type) throw nb::value_error(("'" + text + "' is not a data type").c_str());
    options.dtypes.emplace_back(nb::cast<std::string>(name), *type);
  }
  for (const auto& [name, extent] : nb::cast<nb::dict>(given["dims"])) {
    options.dims.emplace_back(nb::cast<std::string>(name), nb::cast<int64_t>(extent));
  }
  options.opset = nb::cast<std::optional<int64_t>>(given["opset"]);
  options.freeze_params = nb::cast<bool>(given["freeze_params"]);
  options.keep = nb::cast<bool>(given["keep"]);
  options.transposed_batch_matmul = nb::cast<bool>(given["transposed_batch_matmul"]);
  // As the tool imports what becomes ONNX again.
  options.exact = options.keep;
}

// Reads a source with inferred types: the module, and of an ONNX model the weights that did not become constants, by
// name, else None. `format` is the name of a row of the table of formats; empty: recognize it.
auto ReadSource(std::shared_ptr<const SourceText> source, const std::string& format, const nb::dict& onnx)
    -> nb::object {
  const auto lineage = std::make_shared<graph::Lineage>(std::make_shared<Context>());
  SessionOptions options;
  options.input_format = format;
  options.imports.context = lineage->shared_context();
  SetOnnxOptions(onnx, options.imports.formats.Edit<OnnxOptions>());
  DiagnosticSink sink;
  std::optional<ImportedModule> imported;
  {
    const Unlocked unlocked;
    Session session(std::move(options));
    if (auto text = AsText(source, sink)) source = std::move(text);
    if (!sink.has_errors()) imported = session.Import(source, sink);
    if (imported && !session.Prepare(imported->module, sink)) imported.reset();
  }
  ThrowOrWarn(sink, source.get());
  nb::dict params;
  for (const NamedTensor& param : imported->onnx ? imported->onnx->params : std::vector<NamedTensor>()) {
    params[Text(param.name)] = ToObject(object::Make<object::TensorObj>(param.tensor.ToConstant()).get());
  }
  return nb::make_tuple(ToObject(ModuleObj::FromCore(lineage, std::move(imported->module), nullptr).get()),
                        imported->onnx ? nb::object(params) : nb::none());
}

auto ReadPath(const std::string& path, const std::string& format, const nb::dict& onnx) -> nb::object {
  std::string error;
  auto source = SourceText::Open(path, error);
  if (source == nullptr) {
    PyErr_SetString(PyExc_OSError, ("cannot read '" + path + "': " + error).c_str());
    throw nb::python_error();
  }
  return ReadSource(std::move(source), format, onnx);
}

// The row of a format that can be written: by its name, else by the ending of a path.
auto WriterOf(const std::string& format, const std::string& path) -> const FormatDef& {
  const FormatDef* const def = format.empty() ? FormatOfEnding(WithoutCompression(path)) : FindFormat(format);
  if (def != nullptr && def->write != nullptr) return *def;
  std::string known;
  for (const std::string_view name : WritableFormats()) known += (known.empty() ? "" : ", ") + std::string(name);
  const std::string what =
      format.empty() ? "the ending of '" + path + "' is not that of a format" : "there is no format '" + format + "'";
  throw nb::value_error((what + " that can be written; give one of: " + known).c_str());
}

// (bytes, [(path, bytes) of files beside it], whether the bytes are text)
auto WriteModule(nb::handle module, const std::string& format, const std::string& path, std::optional<int64_t> opset,
                 bool external, bool types) -> nb::object {
  const Module core = OrThrow(ModuleOf(module).Core());
  const FormatDef& def = WriterOf(format, path);
  ExportOptions options;
  options.path = path;
  options.external = external;
  options.formats.Edit<OnnxWriteOptions>().opset = opset;
  options.print.types = types ? TypePrinting::kAll : TypePrinting::kNone;
  StringSink text;
  DiagnosticSink problems;
  Export out{text, problems};
  {
    const Unlocked unlocked;
    Module typed = core;
    // Formats but text need all types, which a module that was built from objects may lack.
    Session session{SessionOptions{}};
    if (!def.may_refuse || session.Prepare(typed, problems)) def.write(typed, options, out);
  }
  ThrowOrWarn(problems, core.source().get());
  if (const auto error = CompressFor(path, text.text())) {
    throw nb::value_error(("cannot write '" + path + "': " + *error).c_str());
  }
  nb::list companions;
  for (const CompanionFile& file : out.companions) {
    StringSink bytes;
    file.write(bytes);
    companions.append(nb::make_tuple(file.path, Bytes(bytes.text())));
  }
  return nb::make_tuple(Bytes(text.text()), companions, !def.is_binary);
}

// [(name, title, endings, can be read, can be written)] of all formats.
auto FormatTable() -> nb::list {
  nb::list all;
  for (const FormatDef& def : Formats()) {
    all.append(
        nb::make_tuple(Text(def.name), Text(def.title), Text(def.endings), def.read != nullptr, def.write != nullptr));
  }
  return all;
}

auto SummaryTable(nb::handle module) -> std::string { return ToTable(Summarize(TypedCore(module))); }
auto SummaryJson(nb::handle module) -> std::string { return ToJson(Summarize(TypedCore(module))); }

auto DiffOf(nb::handle before, nb::handle after) -> ModuleDiff {
  const Module old = TypedCore(before);
  return DiffModules(old, InContext(TypedCore(after), old.shared_context()));
}
auto DiffText(nb::handle before, nb::handle after) -> std::string { return ToText(DiffOf(before, after)); }
auto DiffJson(nb::handle before, nb::handle after) -> std::string { return ToJson(DiffOf(before, after)); }

auto MainOf(const Module& module) -> const Function& {
  const GlobalId id = module.FindGlobal("main");
  const Function* const main = id ? module.function<Function>(id) : nullptr;
  if (main == nullptr) throw nb::value_error("the module has no function main to evaluate");
  return *main;
}

// How far two modules agree on `sets` sets of arguments; those that are not given (pairs of names and arrays) are
// generated. Both modules have their types.
auto AgreementOf(const Module& expected, const Module& got, const nb::list& given, uint64_t seed, uint64_t sets,
                 AgreementOptions options) -> Agreement {
  if (MainOf(expected).params().size() != MainOf(got).params().size()) {
    throw nb::value_error("the functions main of the two modules have different numbers of parameters");
  }
  const std::vector<NamedTensor> tensors = NamedTensorsOf(given);
  Agreement agreement(options);
  std::optional<Diagnostic> error;
  {
    const Unlocked unlocked;
    const auto run = [&](const Module& module, const std::vector<relayopt::Value>& arguments) {
      return Evaluator(module).Call(module.FindGlobal("main"), arguments);
    };
    for (uint64_t set = 0; set < sets && !error; ++set) {
      const auto arguments = MakeArguments(MainOf(expected), tensors, {.seed = seed + set});
      if (!arguments) {
        error = arguments.error();
        break;
      }
      // They fit the first program; the second may have other types.
      if ((error = CheckArguments(MainOf(got), "main", *arguments))) break;
      const auto left = run(expected, *arguments);
      const auto right = run(got, *arguments);
      if (!left || !right) {
        error = left ? right.error() : left.error();
        break;
      }
      agreement.Add(*left, *right);
    }
  }
  if (error) Throw(*error);
  return agreement;
}

auto ToTuple(const Agreement& agreement) -> nb::object {
  nb::list outputs;
  for (const OutputAgreement& output : agreement.outputs()) {
    nb::dict row;
    row["type"] = output.type;
    row["form"] = output.form;
    row["elements"] = output.elements;
    row["apart"] = output.apart;
    row["max_absolute"] = output.max_absolute;
    row["max_relative"] = output.max_relative;
    row["max_ulps"] = output.max_ulps;
    row["worst"] = output.worst;
    outputs.append(row);
  }
  return nb::make_tuple(agreement.agrees(), agreement.ToText(), outputs);
}

// (agrees, text, [outputs]): for tensor programs, which are compared function by function, without outputs.
auto Equiv(nb::handle before, nb::handle after, const nb::list& given, uint64_t seed, uint64_t sets,
           std::optional<double> rtol, std::optional<double> atol) -> nb::object {
  const Module old = TypedCore(before);
  const Module made = InContext(TypedCore(after), old.shared_context());
  if (!old.SortedFunctions<Function>().empty() || !made.SortedFunctions<Function>().empty()) {
    return ToTuple(AgreementOf(old, made, given, seed, sets, {.rtol = rtol, .atol = atol}));
  }
  PrimFuncJudge::Options options;
  options.arguments.seed = seed;
  options.tolerance = {.exact = false, .rtol = rtol.value_or(-1), .atol = atol.value_or(-1)};
  const PrimFuncJudge::Verdict verdict = PrimFuncJudge(std::move(options)).Judge(old, made);
  if (verdict.kind == PrimFuncJudge::Verdict::Kind::kNotRun) {
    throw nb::value_error(("the programs cannot be compared: " + verdict.text).c_str());
  }
  return nb::make_tuple(verdict.kind == PrimFuncJudge::Verdict::Kind::kAgrees, verdict.text, nb::list());
}

// (agrees, text, JSON of the summaries, agreement): what the passes that `passes` has observed did to a module.
auto OverviewOf(nb::handle before, nb::handle after, const OverviewInstrument& passes, uint64_t seed) -> nb::object {
  const Module old = TypedCore(before);
  const Module made = InContext(TypedCore(after), old.shared_context());
  const Agreement agreement = AgreementOf(old, made, {}, seed, 1, {});
  return nb::make_tuple(agreement.agrees(), OverviewText(old, made, passes, agreement),
                        ToJson(Summarize(old), Summarize(made)), ToTuple(agreement));
}

// The JSON of a report: what the passes that `recorder` and `log` observed did to a module.
auto ReportOf(nb::handle input, const RunRecorder& recorder, RemarkLog& log, const std::string& command,
              const std::string& name, const std::string& pipeline) -> std::string {
  const Module module = TypedCore(input);
  // A pass in Python may have made its module elsewhere.
  std::vector<ReportStep> steps = recorder.steps();
  for (ReportStep& step : steps) step.after = InContext(step.after, module.shared_context());
  return MakeReport({.command = command,
                     .input_name = name,
                     .pipeline = pipeline,
                     .input = module,
                     .steps = steps,
                     .remarks = log.Take()});
}

// The graph of a module; `format` is svg, dot, mermaid or json. `whole`: with constants and inside of kernels.
auto GraphText(nb::handle module, const std::string& format, bool whole) -> std::string {
  static const std::map<std::string, GraphFormat, std::less<>> kFormats = {{"svg", GraphFormat::kSvg},
                                                                           {"dot", GraphFormat::kDot},
                                                                           {"mermaid", GraphFormat::kMermaid},
                                                                           {"json", GraphFormat::kJson}};
  const auto found = kFormats.find(format);
  if (found == kFormats.end()) throw nb::value_error("graphs are svg, dot, mermaid or json");
  const Graph graph = MakeGraph(TypedCore(module));
  StringSink text;
  PrintGraph(whole ? graph : CondenseGraph(graph), found->second, text);
  return std::string(text.text());
}

}  // namespace

auto TypedCore(nb::handle module) -> Module {
  Module core = OrThrow(ModuleOf(module).Core());
  DiagnosticSink sink;
  Session session{SessionOptions{}};
  if (!session.Prepare(core, sink)) Throw(sink, core.source().get());
  return core;
}

auto InContext(const Module& module, const std::shared_ptr<Context>& context) -> Module {
  if (module.shared_context() == context) return module;
  StringSink bytes;
  DiagnosticSink sink;
  Export out{bytes, sink};
  FindFormat("bin")->write(module, {}, out);
  SessionOptions options;
  options.imports.context = context;
  Session session(std::move(options));
  const auto source = SourceText::FromString("module.rlyb", std::string(bytes.text()));
  auto imported = session.Import(source, sink);
  if (!imported || !session.Prepare(imported->module, sink)) Throw(sink, source.get());
  return std::move(imported->module);
}

void AddSession(nb::module_& m) {
  m.def("read_path", &ReadPath, nb::arg("path"), nb::arg("format"), nb::arg("onnx"));
  m.def(
      "read_bytes",
      [](const nb::bytes& bytes, const std::string& name, const std::string& format, const nb::dict& onnx) {
        return ReadSource(SourceText::FromString(name, std::string(bytes.c_str(), bytes.size())), format, onnx);
      },
      nb::arg("bytes"), nb::arg("name"), nb::arg("format"), nb::arg("onnx"));
  m.def("write_module", &WriteModule, nb::arg("module"), nb::arg("format"), nb::arg("path"), nb::arg("opset").none(),
        nb::arg("external"), nb::arg("types"));
  m.def("format_table", &FormatTable);
  m.def("summary_table", &SummaryTable);
  m.def("summary_json", &SummaryJson);
  m.def("diff_text", &DiffText);
  m.def("diff_json", &DiffJson);
  m.def("equiv", &Equiv, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("overview", &OverviewOf);
  m.def("report_json", &ReportOf);
  m.def("report_page", [](const std::string& json) { return ReportPage(json); });
  m.def("graph_text", &GraphText);
  m.def("check_function_names", [](const std::string& what, const std::vector<std::string>& names, nb::handle before,
                                   nb::handle after) {
    DiagnosticSink sink;
    CheckFunctionNames(what.c_str(), names, OrThrow(ModuleOf(before).Core()), OrThrow(ModuleOf(after).Core()), sink);
    if (sink.has_errors()) Throw(sink, nullptr);
  });
  m.def("is_prim_func", [](nb::handle value) { return UnwrapAs<graph::PrimFuncObj>(value.ptr()) != nullptr; });
  m.def("prim_func_script", [](nb::handle function) {
    const auto* const prim_func = UnwrapAs<graph::PrimFuncObj>(function.ptr());
    if (prim_func == nullptr) throw nb::type_error("a tensor program is expected");
    StringSink text;
    DefOf(prim_func->function()->function_kind()).print_function(*prim_func->module, prim_func->id, {}, text);
    return std::string(text.text());
  });
}

}  // namespace relayopt::python
