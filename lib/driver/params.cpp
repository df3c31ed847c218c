// Weights in files beside the text.
#include "params.h"

#include <fmt/format.h>

#include <algorithm>

#include "output.h"
#include "relayopt/relay/transforms/bind_params.h"
#include "run.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoMain = {"no-main", Severity::kError,
                                    "--bind-params: there is no function @main of Relay to bind parameters of"};

// `.npz, .safetensors or .params`.
auto Endings() -> std::string {
  std::string text;
  const auto formats = TensorFormats();
  for (size_t i = 0; i < formats.size(); ++i) {
    text += i == 0 ? "" : i + 1 == formats.size() ? " or " : ", ";
    text += formats[i].ending;
  }
  return text;
}

}  // namespace

auto BoundFile::Open(Reporter& reporter) -> bool {
  if (is_read_ || options_.bind_params.empty() || is_random()) return true;
  auto tensors = ReadTensorFile(options_.bind_params);
  if (!tensors) {
    reporter.Report(tensors.error(), nullptr);
    return false;
  }
  tensors_ = *std::move(tensors);
  is_read_ = true;
  return true;
}

auto BoundFile::Constants() -> ExternalConstants {
  used_.clear();
  absl::flat_hash_map<std::string_view, const Tensor*> tensors;
  for (const NamedTensor& named : tensors_) tensors.try_emplace(named.name, &named.tensor);
  return [this, tensors = std::move(tensors)](const std::string& name) -> std::optional<Constant> {
    const auto found = tensors.find(name);
    if (found == tensors.end()) return std::nullopt;
    used_.insert(name);
    return found->second->ToConstant();
  };
}

auto BoundFile::Bind(Module& module, DiagnosticSink& sink) -> bool {
  if (options_.bind_params.empty()) return true;
  const GlobalId main = module.FindGlobal("main");
  const Function* function = main ? module.function<Function>(main) : nullptr;
  std::vector<NamedTensor> left;
  std::ranges::copy_if(tensors_, std::back_inserter(left),
                       [&](const NamedTensor& named) { return !used_.contains(named.name); });
  // The text used all tensors.
  if (!is_random() && left.empty() && !tensors_.empty()) return true;
  if (function == nullptr) {
    sink.Report(kNoMain, {});
    return false;
  }
  if (is_random()) {
    auto made = MakeUpWeights(module, *function, static_cast<uint64_t>(EvaluationOf(options_).seed));
    if (!made) {
      sink.Report(made.error());
      return false;
    }
    left = *std::move(made);
  }
  BoundParams names;
  auto bound = BindParams(*function, left, names);
  if (!bound) {
    sink.Report(bound.error());
    return false;
  }
  ReportNames(names, options_.bind_params, sink);
  if (*bound) module.SetFunction(main, std::make_shared<const Function>(**std::move(bound)));
  return true;
}

auto PrintWithParams(const Module& module, const ToolOptions& options, PrintOptions print, Reporter& reporter)
    -> std::optional<TextAndParams> {
  const TensorFormat* format = TensorFormatOf(options.write_params);
  if (format == nullptr) {
    reporter.Error(fmt::format("--write-params: '{}' must end in {}", options.write_params, Endings()));
    return std::nullopt;
  }
  std::vector<ExternalConstant> constants;
  print.elide_constants_if_larger.reset();
  print.external_constants = &constants;
  StringSink text;
  PrintModule(module, print, text);
  std::vector<NamedTensor> tensors;
  for (ExternalConstant& constant : constants) {
    const Constant& value = module.context().constant(constant.constant);
    if (value.dtype() == DataType::BFloat(16) && format->ending == ".npz") {
      reporter.Error(fmt::format("--write-params: NumPy has no bfloat16, which '{}' is: write .safetensors or .params",
                                 constant.name));
      return std::nullopt;
    }
    tensors.push_back({std::move(constant.name), Tensor(value)});
  }
  auto bytes = format->write(tensors);
  if (!bytes) {
    reporter.Report(bytes.error(), nullptr);
    return std::nullopt;
  }
  if (tensors.empty()) return TextAndParams{std::move(text.text()), *std::move(bytes)};
  return TextAndParams{
      fmt::format("// The {} constants of this text are in a file of tensors: --bind-params brings them back.\n{}",
                  tensors.size(), text.text()),
      *std::move(bytes)};
}

}  // namespace relayopt
