// Reading the options of quantization.
#include "config.h"

#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

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

// The options, with those that are left at their defaults taken from the context.
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

// Reads texts into values; keeps the first error.
class OptionReader {
 public:
  auto error() -> std::optional<Diagnostic>& { return error_; }

  auto Bits(std::string_view name, int64_t value) -> int {
    constexpr int64_t kMost = 32;
    if (value < 2 || value > kMost) Refuse(name, "a number from 2 to 32", fmt::format("{}", value));
    return static_cast<int>(value);
  }

  auto Integers(std::string_view name, const std::string& text) -> DataType {
    const auto dtype = ParseDataType(text);
    if (!dtype || dtype->lanes != 1 || !dtype->is_int()) Refuse(name, "a type of signed integers", text);
    return dtype.value_or(DataType::Int(8));
  }

  template <typename T, size_t N>
  auto Word(std::string_view name, const std::string& text, const std::pair<std::string_view, T> (&words)[N]) -> T {
    std::string expected;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      expected += expected.empty() ? "" : " or ";
      expected += word;
    }
    Refuse(name, expected, text);
    return words[0].second;
  }

  auto Numbers(std::string_view name, const std::string& text) -> std::vector<int64_t> {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    std::vector<int64_t> numbers;
    bool ok = json.is_array();
    for (size_t i = 0; ok && i < json.size(); ++i) {
      ok = json[i].is_number_integer();
      if (ok) numbers.push_back(json[i].get<int64_t>());
    }
    if (!ok) Refuse(name, "a list of numbers", text);
    return numbers;
  }

  void Refuse(std::string_view name, std::string_view expected, std::string_view found) {
    if (!error_) error_ = MakeDiagnostic(diag::kBadOptionValue, {}, name, expected, found);
  }

 private:
  std::optional<Diagnostic> error_;
};

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

auto ReadQuantizeConfig(const QuantizeOptions& options, const PassContext& context) -> Result<QuantizeConfig> {
  const QuantizeOptions given = WithConfig(options, context);
  OptionReader read;
  QuantizeConfig config;
  config.nbit_input = read.Bits("nbit_input", given.nbit_input);
  config.nbit_weight = read.Bits("nbit_weight", given.nbit_weight);
  config.nbit_activation = read.Bits("nbit_activation", given.nbit_activation);
  config.dtype_input = read.Integers("dtype_input", given.dtype_input);
  config.dtype_weight = read.Integers("dtype_weight", given.dtype_weight);
  config.dtype_activation = read.Integers("dtype_activation", given.dtype_activation);
  config.calibrate_mode = read.Word<CalibrateMode>("calibrate_mode", given.calibrate_mode,
                                                   {{"global_scale", CalibrateMode::kGlobalScale},
                                                    {"kl_divergence", CalibrateMode::kKlDivergence},
                                                    {"percentile", CalibrateMode::kPercentile}});
  config.global_scale = given.global_scale;
  if (!(given.global_scale > 0)) {
    read.Refuse("global_scale", "a positive number", fmt::format("{}", given.global_scale));
  }
  config.weight_scale = read.Word<WeightScale>("weight_scale", given.weight_scale,
                                               {{"power2", WeightScale::kPower2}, {"max", WeightScale::kMax}});
  config.skip_dense_layer = given.skip_dense_layer;
  config.skip_conv_layers = read.Numbers("skip_conv_layers", given.skip_conv_layers.text);
  config.do_simulation = given.do_simulation;
  config.round_for_shift = given.round_for_shift;
  config.debug_enabled_ops = given.debug_enabled_ops;
  config.rounding = read.Word<RequantizeRounding>(
      "rounding", given.rounding,
      {{"UPWARD", RequantizeRounding::kUpward}, {"TONEAREST", RequantizeRounding::kToNearest}});
  if (given.calibrate_chunk_by < 1 && given.calibrate_chunk_by != -1) {
    read.Refuse("calibrate_chunk_by", "a positive number or -1", fmt::format("{}", given.calibrate_chunk_by));
  }
  config.calibrate_chunk_by = given.calibrate_chunk_by < 1 ? 0 : static_cast<size_t>(given.calibrate_chunk_by);
  config.partition_conversions =
      read.Word<PartitionConversions>("partition_conversions", given.partition_conversions,
                                      {{"disabled", PartitionConversions::kDisabled},
                                       {"enabled", PartitionConversions::kEnabled},
                                       {"fully_integral", PartitionConversions::kFullyIntegral}});
  config.dataset = given.dataset;
  config.params = given.params;
  config.seed = static_cast<uint64_t>(given.seed);
  if (read.error()) return std::move(*read.error());
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
