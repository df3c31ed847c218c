// Parses the options of quantization.
#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "lib/relay/transforms/number_list.h"
#include "relayopt/pass/diagnostics.h"

namespace relayopt {

namespace {

constexpr std::string_view kKeyPrefix = "relay.quantize.";

template <typename Visit>
void WithType(OptionKind kind, Visit&& visit) {
  switch (kind) {
    case OptionKind::kBool: return visit.template operator()<bool>();
    case OptionKind::kInt: return visit.template operator()<int64_t>();
    case OptionKind::kDouble: return visit.template operator()<double>();
    case OptionKind::kString: return visit.template operator()<std::string>();
    case OptionKind::kStringList: return visit.template operator()<std::vector<std::string>>();
    case OptionKind::kStringListMap: return visit.template operator()<StringListMap>();
    case OptionKind::kJson: return visit.template operator()<JsonText>();
  }
}

// Returns the options, with those that are left at their defaults taken from the context.
auto WithConfig(const QuantizeOptions& options, const PassContext& context) -> QuantizeOptions {
  QuantizeOptions merged = options;
  QuantizeOptions defaults;
  for (const OptionInfo& option : kOptionsSchema<QuantizeOptions>.fields) {
    const auto configured = context.options().config.find(std::string(kKeyPrefix) + std::string(option.name));
    if (configured == context.options().config.end()) continue;
    WithType(option.kind, [&]<typename T>() {
      T& member = *static_cast<T*>(option.address(&merged));
      const T* value = std::get_if<T>(&configured->second);
      if (value != nullptr && member == *static_cast<T*>(option.address(&defaults))) member = *value;
    });
  }
  return merged;
}

// Checks the configuration with the same restrictions as the options.
auto CheckValues(QuantizeOptions& options) -> std::optional<Diagnostic> {
  for (const OptionInfo& option : kOptionsSchema<QuantizeOptions>.fields) {
    OptionValue value;
    WithType(option.kind, [&]<typename T>() { value = *static_cast<T*>(option.address(&options)); });
    if (const auto fault = FaultOf(option, value)) {
      return MakeDiagnostic(diag::kBadOptionValue, {}, option.name, fault->expected, fault->found, fault->more);
    }
  }
  return std::nullopt;
}

// The words of an option are in the order of its enumeration.
template <typename T>
auto Word(std::string_view name, const std::string& text) -> T {
  const std::vector<std::string_view> words = WordsOf(*kOptionsSchema<QuantizeOptions>.Find(name));
  return static_cast<T>(std::ranges::find(words, text) - words.begin());
}

}  // namespace

auto QuantizeConfig::nbit(QuantizedKind kind) const -> int {
  switch (kind) {
    case QuantizedKind::kInput: return nbit_input;
    case QuantizedKind::kWeight: return nbit_weight;
    case QuantizedKind::kActivation: return nbit_activation;
    case QuantizedKind::kIdentity: break;
  }
  return 0;
}

auto QuantizeOptions::CheckChunk(const OptionValue& value) -> std::optional<OptionFault> {
  const int64_t number = std::get<int64_t>(value);
  if (number >= 1 || number == -1) return std::nullopt;
  return OptionFault{"a positive number or -1", fmt::format("{}", number)};
}

auto QuantizeOptions::CheckNumbers(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& list = std::get<JsonText>(value);
  if (ParseNumbers(list)) return std::nullopt;
  return OptionFault{"a list of numbers", list.text};
}

auto ReadQuantizeConfig(const QuantizeOptions& options, const PassContext& context) -> Result<QuantizeConfig> {
  QuantizeOptions given = WithConfig(options, context);
  if (auto error = CheckValues(given)) return *std::move(error);
  QuantizeConfig config;
  config.nbit_input = static_cast<int>(given.nbit_input);
  config.nbit_weight = static_cast<int>(given.nbit_weight);
  config.nbit_activation = static_cast<int>(given.nbit_activation);
  config.dtype_input = *ParseDataType(given.dtype_input);
  config.dtype_weight = *ParseDataType(given.dtype_weight);
  config.dtype_activation = *ParseDataType(given.dtype_activation);
  config.calibrate_mode = Word<CalibrateMode>("calibrate_mode", given.calibrate_mode);
  config.global_scale = given.global_scale;
  config.weight_scale = Word<WeightScale>("weight_scale", given.weight_scale);
  config.skip_dense_layer = given.skip_dense_layer;
  config.skip_conv_layers = ParseNumbers(given.skip_conv_layers).value();
  config.do_simulation = given.do_simulation;
  config.round_for_shift = given.round_for_shift;
  config.debug_enabled_ops = given.debug_enabled_ops;
  config.rounding = Word<RequantizeRounding>("rounding", given.rounding);
  config.calibrate_chunk_by = given.calibrate_chunk_by < 1 ? 0 : static_cast<size_t>(given.calibrate_chunk_by);
  config.partition_conversions = Word<PartitionConversions>("partition_conversions", given.partition_conversions);
  config.dataset = given.dataset;
  config.params = given.params;
  config.seed = static_cast<uint64_t>(given.seed);
  return config;
}

void RegisterQuantizeConfigOptions() {
  static const std::deque<std::string> keys = [] {
    std::deque<std::string> made;
    for (const OptionInfo& option : kOptionsSchema<QuantizeOptions>.fields) {
      made.push_back(std::string(kKeyPrefix) + std::string(option.name));
      RegisterConfigOption({made.back(), option.kind, "", option.doc});
    }
    return made;
  }();
}

}  // namespace relayopt
