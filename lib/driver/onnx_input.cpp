// ONNX models: from flags to options, and from arrays to inputs.
#include "onnx_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "run.h"

namespace relayopt {

namespace {

auto ParseInt(std::string_view text) -> std::optional<int64_t> {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end && !text.empty() ? std::optional(value) : std::nullopt;
}

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
    const auto number = ParseInt(extent);
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
  return ParseInt(std::string_view(stem).substr(6));
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
  OnnxOptions onnx;
  bool ok = true;
  const auto fail = [&](const char* flag, const std::string& given, const char* form) {
    reporter.Error(fmt::format("{}: '{}' is not {}", flag, given, form));
    ok = false;
  };
  for (const std::string& setting : SplitSettings(options.onnx_shapes)) {
    // Names may hold colons.
    const size_t colon = setting.rfind(':');
    auto shape = colon == std::string::npos ? std::nullopt : ParseShape(std::string_view(setting).substr(colon + 1));
    if (shape)
      onnx.shapes.emplace_back(setting.substr(0, colon), *std::move(shape));
    else
      fail("--onnx-shape", setting, "NAME:1x3x224x224, with ? for an extent that is not known");
  }
  for (const std::string& setting : SplitSettings(options.onnx_dims)) {
    const size_t equals = setting.rfind('=');
    const auto extent =
        equals == std::string::npos ? std::nullopt : ParseInt(std::string_view(setting).substr(equals + 1));
    if (extent && *extent >= 0)
      onnx.dims.emplace_back(setting.substr(0, equals), *extent);
    else
      fail("--onnx-dim", setting, "SYMBOL=N");
  }
  for (const std::string& setting : SplitSettings(options.onnx_dtypes)) {
    const size_t colon = setting.rfind(':');
    const auto dtype =
        colon == std::string::npos ? std::nullopt : ParseDataType(std::string_view(setting).substr(colon + 1));
    if (dtype && !dtype->is_void())
      onnx.dtypes.emplace_back(setting.substr(0, colon), *dtype);
    else
      fail("--onnx-dtype", setting, "NAME:TYPE");
  }
  if (options.onnx_opset) onnx.opset = *options.onnx_opset;
  onnx.freeze_params = !options.no_freeze_params;
  onnx.transposed_batch_matmul = options.onnx_batch_matmul != "nn";
  if (!options.onnx_bind.empty()) ok &= ReadBound(options.onnx_bind, onnx.bind, reporter);
  return ok ? std::optional(onnx) : std::nullopt;
}

}  // namespace

auto OnnxOperatorTable(const SourceText& source, DiagnosticSink& sink) -> std::optional<std::string> {
  const auto operators = ListOnnxOperators(source, sink);
  if (!operators) return std::nullopt;
  std::string table;
  for (const OnnxOperator& one : *operators) {
    const std::string name = one.domain.empty() ? one.name : fmt::format("{}::{}", one.domain, one.name);
    table += fmt::format("{:<32} version {:>2}  {:>5}{}\n", name, one.version, one.count,
                         one.is_supported ? "" : "  cannot be imported");
  }
  return table;
}

auto ImportOptionsOf(const ToolOptions& options, const FormatDef& output, Reporter& reporter)
    -> std::optional<ImportOptions> {
  std::optional<OnnxOptions> onnx = OnnxOptionsOf(options, reporter);
  if (!onnx) return std::nullopt;
  ImportOptions imports;
  imports.text.allow_unregistered_ops = options.allow_unregistered_ops;
  imports.onnx = *std::move(onnx);
  // Evaluation uses Relay's operators; ONNX output has its own.
  const bool writes_onnx = !options.run && (output.name == "onnx" || output.name == "onnx-text");
  imports.onnx.keep = !options.onnx_expand && (options.onnx_keep || writes_onnx);
  imports.onnx.exact = options.run || output.name == "relax" || imports.onnx.keep;
  imports.onnx.keeps_nan = options.run;
  imports.onnx.steps_recurrent = options.run;
  if (options.run && !options.inputs.empty()) {
    imports.values = [&]() -> std::optional<std::vector<NamedTensor>> {
      std::vector<NamedTensor> values;
      return ReadInto(options.inputs, values, reporter) ? std::optional(std::move(values)) : std::nullopt;
    };
  }
  return imports;
}

auto ForParameters(const OnnxModule& model, std::vector<NamedTensor> given) -> std::vector<NamedTensor> {
  std::vector<NamedTensor> arguments;
  for (NamedTensor& tensor : given) {
    size_t position = 0;
    const auto input = std::ranges::find_if(model.inputs, [&](const OnnxValue& value) {
      return value.name == tensor.name || fmt::format("arr_{}", position++) == tensor.name;
    });
    if (input == model.inputs.end()) {
      arguments.push_back(std::move(tensor));
    } else if (!input->parameter.empty()) {
      arguments.push_back({input->parameter, FromNumPy(tensor.tensor, input->element_type)});
    }
  }
  return arguments;
}

}  // namespace relayopt
