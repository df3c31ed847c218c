// The options of quantization.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/relay/transforms/qnn/requantize.h"
#include "relayopt/pass/option_checks.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ops/annotation.h"
#include "relayopt/relay/transforms/option_checks.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Every pass takes all of them, so that one text serves the whole sequence. An option that has its default gets the
// value of the config key `relay.quantize.<option>`, when that is set.
struct QuantizeOptions {
  int64_t nbit_input = 8;
  int64_t nbit_weight = 8;
  int64_t nbit_activation = 32;
  std::string dtype_input = "int8";
  std::string dtype_weight = "int8";
  std::string dtype_activation = "int32";
  std::string calibrate_mode = "global_scale";
  double global_scale = 8;
  std::string weight_scale = "power2";
  bool skip_dense_layer = true;
  JsonText skip_conv_layers = {"[0]"};
  bool do_simulation = false;
  bool round_for_shift = true;
  std::vector<std::string> debug_enabled_ops;
  std::string rounding = "UPWARD";
  int64_t calibrate_chunk_by = -1;
  std::string partition_conversions = "disabled";
  // Relayopt's own, where TVM has Python objects.
  std::vector<std::string> dataset;
  std::string params;
  int64_t seed = 0;

  static constexpr OptionValues kBits = {.min = 2, .max = 32};
  static constexpr OptionValues kIntegers = {.check = CheckIntType};
  static auto CheckChunk(const OptionValue& value) -> std::optional<OptionFault>;
  static auto CheckNumbers(const OptionValue& value) -> std::optional<OptionFault>;

  static constexpr auto Fields() {
    return std::array{
        Option<&QuantizeOptions::nbit_input>("bits of inputs of operators", kBits),
        Option<&QuantizeOptions::nbit_weight>("bits of weights", kBits),
        Option<&QuantizeOptions::nbit_activation>("bits of sums of products", kBits),
        Option<&QuantizeOptions::dtype_input>("element type of inputs of operators", kIntegers),
        Option<&QuantizeOptions::dtype_weight>("element type of weights", kIntegers),
        Option<&QuantizeOptions::dtype_activation>("element type of sums of products", kIntegers),
        Option<&QuantizeOptions::calibrate_mode>(
            "where scales come from: global_scale, or data by kl_divergence or percentile",
            {.words = "global_scale kl_divergence percentile"}),
        Option<&QuantizeOptions::global_scale>("the largest magnitude, for global_scale", {.check = CheckPositive}),
        Option<&QuantizeOptions::weight_scale>(
            "the largest magnitude of a weight: max, or power2 for the next power of two", {.words = "power2 max"}),
        Option<&QuantizeOptions::skip_dense_layer>("leave nn.dense in floats"),
        Option<&QuantizeOptions::skip_conv_layers>("numbers of the nn.conv2d to leave in floats, from 0",
                                                   {.check = CheckNumbers}),
        Option<&QuantizeOptions::do_simulation>("keep computing on floats"),
        Option<&QuantizeOptions::round_for_shift>("round where a shift drops bits"),
        Option<&QuantizeOptions::debug_enabled_ops>("quantize these operators only",
                                                    {.choices = OperatorNames, .check = CheckOperators}),
        Option<&QuantizeOptions::rounding>("of products with a factor: UPWARD or TONEAREST",
                                           {.words = "UPWARD TONEAREST"}),
        Option<&QuantizeOptions::calibrate_chunk_by>("how many values to collect in one run over the data; -1: all",
                                                     {.check = CheckChunk}),
        Option<&QuantizeOptions::partition_conversions>(
            "functions for conversions apart: disabled, enabled or fully_integral",
            {.words = "disabled enabled fully_integral"}),
        Option<&QuantizeOptions::dataset>("files of arguments to calibrate with (.npz); made up without any"),
        Option<&QuantizeOptions::params>("file of parameters that become constants first (Quantize only)"),
        Option<&QuantizeOptions::seed>("of arguments that are made up"),
    };
  }
};

// In the order of the words of their rows.
enum class CalibrateMode : uint8_t { kGlobalScale, kKlDivergence, kPercentile };
enum class WeightScale : uint8_t { kPower2, kMax };
enum class PartitionConversions : uint8_t { kDisabled, kEnabled, kFullyIntegral };

// The options, read.
struct QuantizeConfig {
  int nbit_input = 8;
  int nbit_weight = 8;
  int nbit_activation = 32;
  DataType dtype_input;
  DataType dtype_weight;
  DataType dtype_activation;
  CalibrateMode calibrate_mode = CalibrateMode::kGlobalScale;
  double global_scale = 8;
  WeightScale weight_scale = WeightScale::kPower2;
  bool skip_dense_layer = true;
  std::vector<int64_t> skip_conv_layers;
  bool do_simulation = false;
  bool round_for_shift = true;
  std::vector<std::string> debug_enabled_ops;
  RequantizeRounding rounding = RequantizeRounding::kUpward;
  // 0: all.
  size_t calibrate_chunk_by = 0;
  PartitionConversions partition_conversions = PartitionConversions::kDisabled;
  std::vector<std::string> dataset;
  std::string params;
  uint64_t seed = 0;

  // Returns the number of bits; kIdentity has none.
  auto nbit(QuantizedKind kind) const -> int;
};

// An error names the option that has a bad value.
auto ReadQuantizeConfig(const QuantizeOptions& options, const PassContext& context) -> Result<QuantizeConfig>;

// Declares the config keys.
void RegisterQuantizeConfigOptions();

}  // namespace relayopt
