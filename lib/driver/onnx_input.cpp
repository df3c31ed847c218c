// ONNX models: from flags to options, and from arrays to inputs.
#include "onnx_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "absl/container/flat_hash_map.h"
#include "answers.h"
#include "format_options.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/support/text_pieces.h"
#include "run.h"

namespace relayopt {

namespace {

struct OnnxFlags {
  std::vector<std::string> shapes = {};
  std::vector<std::string> dims = {};
  std::vector<std::string> dtypes = {};
  std::optional<int64_t> opset = {};
  std::optional<int64_t> write_opset = {};
  bool external = false;
  std::string bind = "";
  std::string batch_matmul = "nt";
  bool keep = false;
  bool expand = false;
  bool keep_nan = false;
  bool list_ops = false;
  bool no_freeze_params = false;
  bool freeze_defaults = false;
};

// `1x3x?`, `[1,3,?]` or nothing, for rank 0.
auto ParseShape(std::string_view text) -> std::optional<std::vector<std::optional<int64_t>>> {
  char separator = 'x';
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    separator = ',';
  }
  std::vector<std::optional<int64_t>> shape;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    const std::string_view extent = text.substr(0, end);
    const auto number = ParseNumber<int64_t>(extent);
    if (extent != "?" && (!number || *number < 0)) return std::nullopt;
    shape.push_back(extent == "?" ? std::nullopt : number);
    if (end + 1 == text.size()) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shape;
}

// Several settings in one value: commas separate them, but for those in brackets.
auto SplitSettings(const std::vector<std::string>& values) -> std::vector<std::string> {
  std::vector<std::string> settings;
  for (const std::string& value : values) {
    int depth = 0;
    std::string setting;
    for (const char c : value) {
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) {
        settings.push_back(std::move(setting));
        setting.clear();
      } else {
        setting += c;
      }
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

// `input_3.pb` of the folders in which ONNX keeps the data of its tests.
auto NumberOf(const std::filesystem::path& file) -> std::optional<int64_t> {
  const std::string stem = file.stem().string();
  if (file.extension() != ".pb" || !stem.starts_with("input_")) return std::nullopt;
  return ParseNumber<int64_t>(std::string_view(stem).substr(6));
}

auto ReadFolder(const std::string& folder, std::vector<NamedTensor>& tensors, Reporter& reporter) -> bool {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto number = NumberOf(entry.path());
    if (!number) continue;
    std::string error;
    const auto source = SourceText::Open(entry.path().string(), error);
    if (source == nullptr) {
      reporter.Error(fmt::format("cannot read '{}': {}", entry.path().string(), error));
      return false;
    }
    auto tensor = ReadOnnxTensor(source->text());
    if (!tensor) {
      reporter.Error(fmt::format("cannot read '{}': {}", entry.path().string(), tensor.error().text));
      return false;
    }
    // The names inside of these files are unreliable; their numbers are not.
    tensors.push_back({fmt::format("arr_{}", *number), tensor->tensor});
  }
  return true;
}

auto ReadBound(const std::string& path, std::vector<NamedTensor>& tensors, Reporter& reporter) -> bool {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? ReadFolder(path, tensors, reporter)
                                                    : ReadInto(path, tensors, reporter);
}

}  // namespace

namespace {

auto OnnxOptionsOf(const ToolOptions& options, Reporter& reporter) -> std::optional<OnnxOptions> {
  const auto& own = options.of_owners.Get<OnnxFlags>();
  OnnxOptions onnx;
  bool ok = true;
  const auto fail = [&](const char* flag, const std::string& given, const char* form) {
    reporter.Error(fmt::format("{}: '{}' is not {}", flag, given, form));
    ok = false;
  };
  for (const std::string& setting : SplitSettings(own.shapes)) {
    // Names may hold colons.
    const size_t colon = setting.rfind(':');
    auto shape = colon == std::string::npos ? std::nullopt : ParseShape(std::string_view(setting).substr(colon + 1));
    if (shape)
      onnx.shapes.emplace_back(setting.substr(0, colon), *std::move(shape));
    else
      fail("--onnx-shape", setting, "NAME:1x3x224x224, with ? for an extent that is not known");
  }
  for (const std::string& setting : SplitSettings(own.dims)) {
    const size_t equals = setting.rfind('=');
    const auto extent =
        equals == std::string::npos ? std::nullopt : ParseNumber<int64_t>(std::string_view(setting).substr(equals + 1));
    if (extent && *extent >= 0)
      onnx.dims.emplace_back(setting.substr(0, equals), *extent);
    else
      fail("--onnx-dim", setting, "SYMBOL=N");
  }
  for (const std::string& setting : SplitSettings(own.dtypes)) {
    const size_t colon = setting.rfind(':');
    const auto dtype =
        colon == std::string::npos ? std::nullopt : ParseDataType(std::string_view(setting).substr(colon + 1));
    if (dtype && !dtype->is_void())
      onnx.dtypes.emplace_back(setting.substr(0, colon), *dtype);
    else
      fail("--onnx-dtype", setting, "NAME:TYPE");
  }
  if (own.opset) onnx.opset = own.opset;
  onnx.freeze_params = !own.no_freeze_params;
  onnx.freeze_defaults = own.freeze_defaults;
  onnx.transposed_batch_matmul = own.batch_matmul != "nn";
  if (!own.bind.empty()) ok &= ReadBound(own.bind, onnx.bind, reporter);
  return ok ? std::optional(onnx) : std::nullopt;
}

}  // namespace

auto ExportOptionsOf(const ToolOptions& options, const PrintOptions& print) -> ExportOptions {
  const auto& own = options.of_owners.Get<OnnxFlags>();
  ExportOptions exports{.print = print, .external = own.external, .path = options.output == "-" ? "" : options.output};
  exports.formats.Edit<OnnxWriteOptions>().opset = own.write_opset;
  return exports;
}

namespace {

// Returns a table of the operators in a model: name with domain, version, number of nodes, which cannot be imported,
// and which nodes cannot be imported because something is not known. Nothing, with an error, when the input is not a
// model.
auto OnnxOperatorTable(const std::shared_ptr<const SourceText>& source, const ToolOptions& options, Reporter& reporter)
    -> std::optional<std::string> {
  const std::optional<OnnxOptions> onnx = OnnxOptionsOf(options, reporter);
  if (!onnx) return std::nullopt;
  DiagnosticSink sink;
  const auto operators = ListOnnxOperators(source, *onnx, sink);
  reporter.Report(sink, source.get());
  if (!operators) return std::nullopt;
  std::string table;
  for (const OnnxOperator& one : *operators) {
    const std::string name = one.domain.empty() ? one.name : fmt::format("{}::{}", one.domain, one.name);
    table += fmt::format("{:<32} version {:>2}  {:>5}{}\n", name, one.version, one.count,
                         one.is_supported ? "" : "  cannot be imported");
    for (const std::string& refusal : one.refusals) table += fmt::format("    {}\n", refusal);
  }
  return table;
}

}  // namespace

auto ImportOptionsOf(const ToolOptions& options, const FormatDef& output, Reporter& reporter)
    -> std::optional<ImportOptions> {
  std::optional<OnnxOptions> onnx = OnnxOptionsOf(options, reporter);
  if (!onnx) return std::nullopt;
  ImportOptions imports;
  imports.text.allow_unregistered_ops = options.allow_unregistered_ops;
  const auto& own = options.of_owners.Get<OnnxFlags>();
  const bool runs = EvaluationOf(options).run;
  // Evaluation uses Relay's operators; ONNX output has its own.
  const bool writes_onnx = !runs && (output.name == "onnx" || output.name == "onnx-text");
  onnx->keep = !own.expand && (own.keep || writes_onnx);
  onnx->exact = runs || output.name == "relax" || onnx->keep;
  onnx->keeps_nan = runs || own.keep_nan;
  onnx->steps_recurrent = runs;
  imports.formats.Edit<OnnxOptions>() = *std::move(onnx);
  if (runs && !EvaluationOf(options).inputs.empty()) {
    imports.values = [&]() -> std::optional<std::vector<NamedTensor>> {
      std::vector<NamedTensor> values;
      return ReadInto(EvaluationOf(options).inputs, values, reporter) ? std::optional(std::move(values)) : std::nullopt;
    };
  }
  return imports;
}

auto ForParameters(const OnnxModule& model, std::vector<NamedTensor> given) -> std::vector<NamedTensor> {
  absl::flat_hash_map<std::string, size_t> positions;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    positions.try_emplace(model.inputs[i].name, i);
    positions.try_emplace(fmt::format("arr_{}", i), i);
  }
  std::vector<NamedTensor> arguments;
  for (NamedTensor& tensor : given) {
    const auto found = positions.find(tensor.name);
    const OnnxValue* const input = found == positions.end() ? nullptr : &model.inputs[found->second];
    if (input == nullptr) {
      arguments.push_back(std::move(tensor));
    } else if (!input->parameter.empty()) {
      arguments.push_back({input->parameter, FromNumPy(tensor.tensor, input->element_type)});
    }
  }
  return arguments;
}

namespace flag_rows {

constexpr FlagDef kOnnxFlags[] = {
    {RELAYOPT_FIELD(OnnxFlags::shapes), .name = "onnx-shape", .group = kOnnx, .value = "NAME:1x3x224x224",
     .help = "shape of an input of an ONNX model; ? for an unknown extent", .rare = true, .reads_format = "onnx",
     .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::dims), .name = "onnx-dim", .group = kOnnx, .value = "SYMBOL=N",
     .help = "value of a symbolic extent of an ONNX model", .rare = true, .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::dtypes), .name = "onnx-dtype", .group = kOnnx, .value = "NAME:TYPE",
     .help = "element type of an input of an ONNX model", .rare = true, .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::opset), .name = "onnx-opset", .group = kOnnx, .value = "N",
     .help = "version of the operator set, which overrides the model's", .min = 1, .rare = true, .reads_format = "onnx",
     .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::write_opset), .name = "onnx-write-opset", .group = kOnnx, .value = "N",
     .help = "the version of the operators of the model that is written, 7 to 21; by default that of the ONNX model "
             "that was read, or 18, or a newer one where an operator needs it",
     .min = 1, .rare = true, .writes_format = "onnx onnx-text", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::external), .name = "onnx-external", .group = kOnnx,
     .help = "write the elements of large tensors into FILE.onnx.data beside -o FILE.onnx; done anyway if they are "
             "more than a model may hold",
     .rare = true, .writes_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::bind), .name = "onnx-bind", .group = kOnnx, .value = "FILE.npz|FOLDER", .kind = kFile,
     .help = "values for inputs of an ONNX model, which become constants", .rare = true, .reads_format = "onnx",
     .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::batch_matmul), .name = "onnx-batch-matmul", .group = kOnnx, .value = "FORM",
     .help = "nt: batched products have a transposed second matrix; nn: they do not", .words = "nt nn", .rare = true,
     .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::keep), .name = "onnx-keep", .group = kOnnx,
     .help = "keep nodes of an ONNX model as calls of ONNX's operators, as is done when ONNX is written", .rare = true,
     .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::expand), .name = "onnx-expand", .group = kOnnx,
     .help = "expand nodes of an ONNX model into operators of Relay even when ONNX is written", .rare = true,
     .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::keep_nan), .name = "onnx-keep-nan", .group = kOnnx,
     .help = "NaN goes through Relu, Clip, Sign, Max and others as in ONNX; without it they give what TVM gives, but "
             "with --run",
     .rare = true, .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::no_freeze_params), .name = "no-freeze-params", .group = kOnnx,
     .help = "weights of an ONNX model become parameters", .rare = true, .reads_format = "onnx", .effect = kNone},
    {RELAYOPT_FIELD(OnnxFlags::freeze_defaults), .name = "onnx-freeze", .group = kOnnx,
     .help = "inputs of an ONNX model that have default values become constants, as they do anyway where ONNX is not "
             "written",
     .rare = true, .reads_format = "onnx", .effect = kNone},
};

constexpr FlagDef kOnnxOperatorsFlags[] = {
    {RELAYOPT_FIELD(OnnxFlags::list_ops), .name = "onnx-list-ops", .group = kOnnx,
     .help = "list the operators of an ONNX model, which of them cannot be imported, and the nodes that need a known "
             "extent or value",
     .rare = true, .reads_format = "onnx", .effect = kNone},
};

}  // namespace flag_rows

auto OnnxFormatFlags() -> std::span<const FlagDef> { return FlagRows(flag_rows::kOnnxFlags); }

constinit const AnswerDef kOnnxOperatorsAnswer = {.flags = FlagRows(flag_rows::kOnnxOperatorsFlags),
                                                  .describe = OnnxOperatorTable};

}  // namespace relayopt
