// The rows of formats.
#include "relayopt/convert/format.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "lib/convert/loop_nests.h"
#include "lib/convert/lower/prepare.h"
#include "lib/convert/onnx/foreign.h"
#include "relayopt/convert/binary.h"
#include "relayopt/convert/compression.h"
#include "relayopt/convert/coverage.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/convert/relax.h"
#include "relayopt/convert/tvm_json/tvm_json.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotRead = {"unsupported-format", Severity::kError,
                                        "this is {}, which relayopt does not read{}"};
constexpr DiagnosticKind kUtf16 = {"utf-16", Severity::kError, "this text is UTF-16; relayopt reads UTF-8"};
constexpr DiagnosticKind kEmptyFile = {"empty-file", Severity::kError, "the file is empty"};
constexpr DiagnosticKind kTextAsOnnx = {
    "text-as-onnx", Severity::kError,
    "this is text, and not an ONNX model, which is binary; --input-format=text reads "
    "text whatever the name"};
constexpr DiagnosticKind kForeignJson = {"foreign-json", Severity::kError, "this JSON is {}, and not a module: {}"};
constexpr DiagnosticKind kOnlyPrograms = {
    "no-relay", Severity::kError,
    "the module holds tensor programs only; ONNX holds models, which are functions of Relay"};
constexpr DiagnosticKind kOnlyOnnxHas = {"no-json-form", Severity::kError,
                                         "Relay has nothing that means {}, and TVM reads no other operators"};
constexpr DiagnosticKind kBinary = {
    "no-text", Severity::kError,
    "this is not text: byte {} is {:#04x}, and no format that relayopt reads begins like this file"};

auto BeginsWith(std::string_view bytes, std::string_view magic, size_t at = 0) -> bool {
  return bytes.size() >= at && bytes.substr(at).starts_with(magic);
}

// Returns the first line that is neither empty nor a comment (`//`).
auto FirstLine(std::string_view text) -> std::string_view {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && !line.substr(begin).starts_with("//")) return line.substr(begin);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

auto ReadText(const std::shared_ptr<const SourceText>& source, const ImportOptions& options, DiagnosticSink& sink)
    -> std::optional<ImportedModule> {
  std::optional<Module> module = ReadModuleText(source, sink, options.text, options.context);
  if (!module) return std::nullopt;
  return ImportedModule{*std::move(module)};
}

// Returns the names of inputs that became constants because the model gives them values.
auto DefaultsOf(const OnnxModule& model) -> absl::flat_hash_set<std::string> {
  absl::flat_hash_set<std::string> names;
  for (const OnnxValue& input : model.inputs) {
    if (input.parameter.empty()) names.insert(input.name);
  }
  return names;
}

auto ReadOnnx(const std::shared_ptr<const SourceText>& source, const ImportOptions& options, DiagnosticSink& sink)
    -> std::optional<ImportedModule> {
  const auto imported = [](std::optional<OnnxModule> model) -> std::optional<ImportedModule> {
    if (!model) return std::nullopt;
    Module module = model->module;
    return ImportedModule{std::move(module), std::move(model)};
  };
  OnnxOptions onnx = options.formats.Get<OnnxOptions>();
  onnx.context = options.context;
  if (!options.values) return imported(ImportOnnx(source, onnx, sink));
  // Errors of the first attempt are dropped when the values resolve them.
  DiagnosticSink first;
  bool needs_values = false;
  std::optional<OnnxModule> model = ImportOnnx(source, onnx, first, &needs_values);
  if (needs_values) {
    std::optional<std::vector<NamedTensor>> values = options.values();
    if (!values) return std::nullopt;
    for (NamedTensor& value : *values) onnx.bind.push_back(std::move(value));
    return imported(ImportOnnx(source, onnx, sink));
  }
  if (const auto defaults = model ? DefaultsOf(*model) : absl::flat_hash_set<std::string>(); !defaults.empty()) {
    std::optional<std::vector<NamedTensor>> values = options.values();
    if (!values) return std::nullopt;
    const size_t bound = onnx.bind.size();
    for (NamedTensor& value : *values) {
      if (defaults.contains(value.name)) onnx.bind.push_back(std::move(value));
    }
    if (onnx.bind.size() != bound) return imported(ImportOnnx(source, onnx, sink));
  }
  for (const Diagnostic& diagnostic : first.diagnostics()) sink.Report(diagnostic);
  return imported(std::move(model));
}

template <GraphFormat kFormat>
void WriteGraph(const Module& module, const ExportOptions&, Export& out) {
  Graph graph = MakeGraph(module);
  AddLoopNests(module, graph);
  PrintGraph(graph, kFormat, out.text);
}

void WriteText(const Module& module, const ExportOptions& options, Export& out) {
  PrintModule(module, options.print, out.text);
}

void WriteJson(const Module& module, const ExportOptions& options, Export& out) {
  // TVM reads operators of Relay only.
  const Result<Module> expanded =
      onnx::FirstNodeCall(module) ? PrepareFor(module, "ExpandOnnx,InferType") : Result<Module>(module);
  if (!expanded) {
    out.problems.Report(expanded.error());
    return;
  }
  if (const auto call = onnx::FirstNodeCall(*expanded)) {
    out.problems.Report(kOnlyOnnxHas, call->range, call->op);
    return;
  }
  if (auto error = PrintTvmJson(*expanded, options.print, out.text)) out.problems.Report(*std::move(error));
}

// JSON without nodes, or with those of another kind of graph, was written by another tool.
auto IsForeignJson(std::string_view text, DiagnosticSink& sink) -> bool {
  const auto holds = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
  if (holds("\"arg_nodes\"") && holds("\"node_row_ptr\"")) {
    sink.Report(kForeignJson, {}, "a graph for TVM's graph executor", "give the module that it was built from");
    return true;
  }
  const bool is_object = text.find_first_not_of(" \t\r\n") == text.find_first_of('{');
  if (!is_object || holds("\"nodes\"")) return false;
  sink.Report(kForeignJson, {}, "of another tool", "tvm.ir.save_json writes `root` and `nodes`");
  return true;
}

auto ReadJson(const std::shared_ptr<const SourceText>& source, const ImportOptions& options, DiagnosticSink& sink)
    -> std::optional<ImportedModule> {
  if (IsForeignJson(source->text(), sink)) return std::nullopt;
  std::optional<Module> module = ReadTvmJson(source, sink, options.text.constants, options.context);
  if (!module) return std::nullopt;
  return ImportedModule{*std::move(module)};
}

auto ReadBytes(const std::shared_ptr<const SourceText>& source, const ImportOptions& options, DiagnosticSink& sink)
    -> std::optional<ImportedModule> {
  std::optional<Module> module = ReadBinary(source, sink, options.text, options.context);
  if (!module) return std::nullopt;
  return ImportedModule{*std::move(module)};
}

void WriteBytes(const Module& module, const ExportOptions& options, Export& out) {
  WriteBinary(module, options.print, out.text);
}

constexpr DiagnosticKind kNeedsFile = {"relax-constants", Severity::kError,
                                       "{} constants are too large for the text; -o FILE.py writes them beside it"};

// Modules with nothing but tensor programs print as Python, so for them the ending .py selects the text format.
auto HoldsTensorProgramsOnly(const Module& module) -> bool {
  bool programs = false;
  for (const GlobalId id : module.ids()) {
    if (module.function(id) == nullptr) continue;
    if (module.function<tir::PrimFunc>(id) == nullptr) return false;
    programs = true;
  }
  return programs;
}

void WriteRelaxModule(const Module& module, const ExportOptions& options, Export& out) {
  if (HoldsTensorProgramsOnly(module)) return WriteText(module, options, out);
  constexpr std::string_view kEnding = ".py";
  const std::string_view path = options.path;
  const std::string stem(path.ends_with(kEnding) ? path.substr(0, path.size() - kEnding.size()) : path);
  const std::string archive = stem + ".npz";
  std::optional<RelaxText> relax = WriteRelax(module, archive.substr(archive.rfind('/') + 1), out.problems);
  if (!relax) return;
  if (!relax->constants.empty()) {
    auto bytes = WriteNpz(relax->constants);
    if (!bytes) {
      out.problems.Report(std::move(bytes).error());
      return;
    }
    if (stem.empty()) {
      out.problems.Report(kNeedsFile, {}, relax->constants.size());
      return;
    }
    out.companions.push_back({archive, [bytes = *std::move(bytes)](TextSink& sink) { sink.Write(bytes); }});
  }
  out.text.Write(relax->text);
}

// Messages of the wire format hold at most 2 GiB.
constexpr size_t kMostInside = size_t{3} << 29;

// Returns false, with a report, if the module contains nothing that ONNX can express.
auto HoldsModel(const Module& module, DiagnosticSink& problems) -> bool {
  if (!HoldsTensorProgramsOnly(module)) return true;
  problems.Report(kOnlyPrograms, {});
  return false;
}

// Returns the bytes of all constants of a module.
auto ConstantBytes(const Module& module) -> size_t {
  size_t bytes = 0;
  absl::flat_hash_set<ConstantId> seen;
  for (const GlobalId global : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(global);
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kConstant || !seen.insert(function.constant_id(id)).second) continue;
      bytes += function.constant(id).num_bytes();
    }
  }
  return bytes;
}

void WriteOnnxModel(const Module& module, const ExportOptions& options, Export& out) {
  if (!HoldsModel(module, out.problems)) return;
  OnnxWriteOptions write = options.formats.Get<OnnxWriteOptions>();
  const std::string data = options.path.substr(options.path.rfind('/') + 1) + ".data";
  // Large output is not built in memory first.
  const bool is_external = options.external || ConstantBytes(module) > kMostInside;
  if (is_external && !options.path.empty()) write.external = data;
  std::optional<OnnxFile> file = WriteOnnx(module, write, out.problems);
  if (!file) return;
  if (file->model.size() > kMostInside && write.external.empty() && !options.path.empty()) {
    write.external = data;
    DiagnosticSink again;
    file = WriteOnnx(module, write, again);
    if (!file) return;
  }
  if (!file->external.empty()) {
    out.companions.push_back({options.path + ".data", [tensors = std::move(file->external)](TextSink& sink) {
                                uint64_t end = 0;
                                for (const OnnxTensorBytes& tensor : tensors) {
                                  sink.Write(std::string(tensor.offset - end, '\0'));
                                  sink.Write(tensor.bytes.text());
                                  end = tensor.offset + tensor.bytes.size();
                                }
                              }});
  }
  out.text.Write(file->model);
}

auto CountNodes(const SourceText& source) -> std::optional<GraphCounts> {
  auto counts = CountOnnxNodes(source);
  return counts ? std::optional(GraphCounts{counts->nodes, counts->opset, std::move(counts->kinds)}) : std::nullopt;
}

void WriteOnnxLines(const Module& module, const ExportOptions& options, Export& out) {
  if (!HoldsModel(module, out.problems)) return;
  if (const auto text = WriteOnnxText(module, options.formats.Get<OnnxWriteOptions>(), out.problems))
    out.text.Write(*text);
}

void WriteOnnxCoverage(const Module& module, const ExportOptions& options, Export& out) {
  bool complete = true;
  const auto write = [&](DiagnosticSink& sink) {
    (void)WriteOnnx(module, options.formats.Get<OnnxWriteOptions>(), sink);
  };
  out.text.Write(CoverageReport(module, "ONNX", write, complete));
  out.failed = !complete;
}

void WriteRelaxCoverage(const Module& module, const ExportOptions&, Export& out) {
  bool complete = true;
  const auto write = [&](DiagnosticSink& sink) { (void)WriteRelax(module, "constants.npz", sink); };
  out.text.Write(CoverageReport(module, "Relax of apache-tvm 0.27", write, complete));
  out.failed = !complete;
}

constexpr std::string_view kExportOnnx = "export the model as ONNX";

constexpr FormatDef kFormats[] = {
    {.name = "text",
     .title = "text of Relay and TIR",
     .endings = ".relay .rly .tir .txt",
     .read = ReadText,
     .write = WriteText},
    {.name = "onnx",
     .title = "an ONNX model",
     .endings = ".onnx",
     .begins = LooksLikeOnnx,
     .read = ReadOnnx,
     .write = WriteOnnxModel,
     .count = CountNodes,
     .may_refuse = true,
     .is_binary = true},
    {.name = "tvm-json",
     .title = "a module in TVM's JSON",
     .endings = ".json",
     .begins = LooksLikeTvmJson,
     .read = ReadJson,
     .write = WriteJson,
     .may_refuse = true},
    {.name = "bin",
     .title = "text with the elements of constants as bytes",
     .endings = ".rlyb",
     .begins = LooksLikeBinary,
     .read = ReadBytes,
     .write = WriteBytes,
     .is_binary = true},
    {.name = "relax",
     .title = "a Python module in Relax, for apache-tvm 0.27",
     .endings = ".py",
     .write = WriteRelaxModule,
     .may_refuse = true},
    {.name = "onnx-text",
     .title = "the nodes of an ONNX model, for people",
     .write = WriteOnnxLines,
     .may_refuse = true},
    {.name = "onnx-coverage",
     .title = "what of a module ONNX cannot say",
     .write = WriteOnnxCoverage,
     .may_refuse = true},
    {.name = "relax-coverage",
     .title = "what of a module Relax cannot say",
     .write = WriteRelaxCoverage,
     .may_refuse = true},
    {.name = "dot", .title = "a graph for Graphviz", .endings = ".dot .gv", .write = WriteGraph<GraphFormat::kDot>},
    {.name = "mermaid",
     .title = "a flowchart of Mermaid",
     .endings = ".mmd .mermaid",
     .write = WriteGraph<GraphFormat::kMermaid>},
    {.name = "svg", .title = "a picture of the graph", .endings = ".svg", .write = WriteGraph<GraphFormat::kSvg>},
    {.name = "json", .title = "a graph as JSON", .endings = ".graph.json", .write = WriteGraph<GraphFormat::kJson>},

    // Formats that users may pass or ask for by mistake.
    {.name = "png",
     .title = "a picture",
     .endings = ".png .jpg .jpeg .pdf",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "\x89PNG") || BeginsWith(bytes, "%PDF-"); },
     .instead = kExportOnnx,
     .write_instead =
         "-o FILE.svg draws the graph; -o FILE.dot writes it for Graphviz, whose `dot -Tpng` makes a picture"},
    {.name = "html",
     .title = "HTML",
     .endings = ".html .htm",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "<!DOCTYPE html") || BeginsWith(bytes, "<html"); },
     .instead = kExportOnnx,
     .write_instead = "--report=FILE.html shows what the passes did, -o FILE.svg draws the graph"},
    {.name = "hdf5",
     .title = "an HDF5 file, as of Keras",
     .endings = ".h5 .hdf5",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "\x89HDF\r\n"); },
     .instead = kExportOnnx},
    {.name = "tflite",
     .title = "a TensorFlow Lite model",
     .endings = ".tflite",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "TFL3", 4); },
     .instead = kExportOnnx},
    {.name = "ort",
     .title = "a model in the format of ONNX Runtime",
     .endings = ".ort",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "ORTM", 4); },
     .instead = "give the ONNX model that it was made from"},
    {.name = "git-lfs",
     .title = "a pointer of Git LFS",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "version https://git-lfs.github.com/spec/"); },
     .instead = "`git lfs pull` fetches the file that it stands for"},
    {.name = "npz",
     .title = "a ZIP archive, as .npz, .keras and PyTorch's files are",
     .endings = ".npz .pt .pth .keras",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "PK\x03\x04"); },
     .instead = "arrays are given to --params or --inputs, and a model of another framework is exported as ONNX"},
    {.name = "npy",
     .title = "a NumPy array",
     .endings = ".npy",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "\x93NUMPY"); },
     .instead = "an .npz is given to --inputs or --params"},
    {.name = "params",
     .title = "a parameter file of TVM",
     .endings = ".params",
     .begins =
         [](std::string_view bytes) {
           return BeginsWith(bytes, {"\xB7\x9C\x04\x05\x4F\x8D\xE5\xF7", 8});
         },
     .instead = "it is given to --params"},
    {.name = "safetensors",
     .title = "a safetensors file",
     .endings = ".safetensors",
     .begins =
         [](std::string_view bytes) {
           return bytes.size() > 10 && bytes.substr(3, 5) == std::string_view("\0\0\0\0\0", 5) &&
                  bytes.substr(8, 2) == "{\"";
         },
     .instead = "it holds weights without a model"},
    {.name = "mlir",
     .title = "text of MLIR",
     .endings = ".mlir",
     .begins =
         [](std::string_view bytes) {
           const std::string_view line = FirstLine(bytes);
           return line.starts_with("module {") || line.starts_with("module @") ||
                  line.starts_with("module attributes") || line.starts_with("func.func") ||
                  line.starts_with("builtin.module");
         },
     .instead = kExportOnnx},
    {.name = "mlir-bytecode",
     .title = "bytecode of MLIR",
     .endings = ".mlirbc",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "ML\xEFR"); },
     .instead = kExportOnnx},
    {.name = "llvm",
     .title = "LLVM IR",
     .endings = ".ll .bc",
     .begins =
         [](std::string_view bytes) {
           return BeginsWith(bytes, "BC\xC0\xDE") || BeginsWith(bytes, "; ModuleID") ||
                  BeginsWith(bytes, "target datalayout");
         }},
    {.name = "elf",
     .title = "a program or a library",
     .endings = ".so .o .a .dll .dylib .exe",
     .begins =
         [](std::string_view bytes) {
           return BeginsWith(bytes,
                             "\x7F"
                             "ELF");
         },
     .instead = "passes in a library are loaded with --load-pass-plugin"},
    {.name = "tar",
     .title = "an archive of a compiled model",
     .endings = ".tar",
     .begins = [](std::string_view bytes) { return BeginsWith(bytes, "ustar", 257); },
     .instead = kExportOnnx},
};

auto IsReadable(const FormatDef& format) -> bool { return format.read != nullptr; }

// Returns the position at which bytes prove to be binary: the first zero, or the first control character when there are
// many; npos when they may be text.
auto FindNoText(std::string_view bytes) -> size_t {
  constexpr size_t kLooked = 4096;
  constexpr size_t kTolerated = 20;
  bytes = bytes.substr(0, kLooked);
  if (const size_t zero = bytes.find('\0'); zero != std::string_view::npos) return zero;
  const auto is_control = [](char c) { return (c >= 1 && c <= 8) || (c >= 14 && c <= 31); };
  const auto controls = static_cast<size_t>(std::ranges::count_if(bytes, is_control));
  return controls * kTolerated > bytes.size()
             ? static_cast<size_t>(std::ranges::find_if(bytes, is_control) - bytes.begin())
             : std::string_view::npos;
}

// Whether the first bytes are printable characters and white space.
auto IsPlainText(std::string_view bytes) -> bool {
  constexpr size_t kLooked = 256;
  return std::ranges::all_of(bytes.substr(0, kLooked),
                             [](char c) { return (c >= 32 && c < 127) || (c >= 9 && c <= 13); });
}

auto IsUtf16(std::string_view bytes) -> bool {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return true;
  // Without a mark: every other byte of plain text is zero.
  return bytes.size() >= 4 && ((bytes[0] == 0 && bytes[1] != 0 && bytes[2] == 0 && bytes[3] != 0) ||
                               (bytes[0] != 0 && bytes[1] == 0 && bytes[2] != 0 && bytes[3] == 0));
}

}  // namespace

auto Formats() -> std::span<const FormatDef> { return kFormats; }

auto FindFormat(std::string_view name) -> const FormatDef* {
  const auto found = std::ranges::find(kFormats, name, &FormatDef::name);
  return found == std::end(kFormats) ? nullptr : found;
}

auto ReadableFormats() -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const FormatDef& format : kFormats) {
    if (IsReadable(format)) names.push_back(format.name);
  }
  return names;
}

auto WritableFormats() -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const FormatDef& format : kFormats) {
    if (format.write != nullptr) names.push_back(format.name);
  }
  return names;
}

auto FormatOfEnding(std::string_view path) -> const FormatDef* {
  const FormatDef* found = nullptr;
  // The longest wins: .graph.json is more than .json.
  size_t longest = 0;
  for (const FormatDef& format : kFormats) {
    for (std::string_view rest = format.endings; !rest.empty();) {
      const std::string_view ending = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(ending.size() + 1, rest.size()));
      if (!path.ends_with(ending) || path.size() == ending.size() || ending.size() <= longest) continue;
      longest = ending.size();
      found = &format;
    }
  }
  return found;
}

auto RecognizeFormat(const SourceText& source) -> const FormatDef& {
  for (const FormatDef& format : kFormats) {
    if (format.begins != nullptr && format.begins(source.text())) return format;
  }
  // A foreign ending does not make a foreign format of a text.
  const FormatDef* by_ending = FormatOfEnding(WithoutCompression(source.name()));
  return by_ending != nullptr && IsReadable(*by_ending) ? *by_ending : kFormats[0];
}

auto ReadFormat(const FormatDef& format, const std::shared_ptr<const SourceText>& source, const ImportOptions& options,
                DiagnosticSink& sink) -> std::optional<ImportedModule> {
  if (!IsReadable(format)) {
    sink.Report(kCannotRead, {}, format.title, format.instead.empty() ? "" : fmt::format(": {}", format.instead));
    return std::nullopt;
  }
  if (source->text().empty() && format.read != ReadText) {
    sink.Report(kEmptyFile, {});
    return std::nullopt;
  }
  if (format.read == ReadOnnx && !LooksLikeOnnx(source->text()) && IsPlainText(source->text())) {
    sink.Report(kTextAsOnnx, {});
    return std::nullopt;
  }
  if (format.read == ReadText) {
    if (IsUtf16(source->text())) {
      sink.Report(kUtf16, {});
      return std::nullopt;
    }
    if (const size_t at = FindNoText(source->text()); at != std::string_view::npos) {
      sink.Report(kBinary, {}, at, static_cast<unsigned char>(source->text()[at]));
      return std::nullopt;
    }
  }
  std::optional<ImportedModule> imported = format.read(source, options, sink);
  if (imported) imported->format = format.name;
  return imported;
}

}  // namespace relayopt
