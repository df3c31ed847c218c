// Records the inputs of simulated quantizations while the program runs.
#include "activations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/root_params.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/ops/op_table.h"
#include "thresholds.h"

namespace relayopt {

namespace {

constexpr const OpDef* kSimulatedQuantize = "relay.op.annotation.simulated_quantize"_op;

// Returns the function with simulated quantizations that return their input. The scale of those to record is set to
// their number.
auto Unquantized(const Function& function, std::span<const ExprId> watched, std::span<const ExprId> unbound)
    -> Function {
  absl::flat_hash_map<ExprId, size_t> numbers;
  for (size_t i = 0; i < watched.size(); ++i) numbers.emplace(watched[i], i);
  const absl::flat_hash_set<ExprId> dropped(unbound.begin(), unbound.end());
  Rebuild rebuild(function);
  rebuild.ForEach([&](ExprId id) {
    FunctionBuilder& to = rebuild.to();
    if (dropped.contains(id)) return EmitScalar(to, DataType::Float(32), 0.0);
    if (id == function.root()) {
      return EmitRootWith(rebuild, [&](ExprId param) { return !dropped.contains(param); });
    }
    if (function.kind(id) != ExprKind::kOpCall || function.op(id) != kSimulatedQuantize) return rebuild.Copy(id);
    const auto found = numbers.find(id);
    const double number = found == numbers.end() ? -1.0 : static_cast<double>(found->second);
    const ExprId scale = EmitScalar(to, DataType::Float(32), number);
    const QuantizationAttrs attrs{.kind = static_cast<int64_t>(QuantizedKind::kIdentity)};
    return EmitCallWith(to, kSimulatedQuantize, attrs, {rebuild.New(function.operand(id, 0)), scale, scale, scale});
  });
  return rebuild.Finish();
}

// The arguments of each run.
auto ReadDataset(const Function& function, bool has_names, const QuantizeConfig& config)
    -> Result<std::vector<std::vector<Value>>> {
  const InputOptions inputs{.seed = config.seed};
  std::vector<std::vector<Value>> runs;
  for (const std::string& path : config.dataset) {
    if (!has_names) break;
    RELAYOPT_TRY(const std::vector<NamedTensor> tensors, ReadTensorFile(path));
    RELAYOPT_TRY(std::vector<Value> arguments, MakeArguments(function, tensors, inputs));
    runs.push_back(std::move(arguments));
  }
  if (runs.empty()) {
    RELAYOPT_TRY(std::vector<Value> arguments, MakeArguments(function, {}, inputs));
    runs.push_back(std::move(arguments));
  }
  return runs;
}

}  // namespace

auto CollectActivations(const Module& module, GlobalId id, std::span<const ExprId> quantizations,
                        std::span<const ExprId> unbound, const QuantizeConfig& config)
    -> Result<std::vector<std::vector<float>>> {
  std::vector<std::vector<float>> seen(quantizations.size());
  const auto function =
      std::make_shared<const Function>(Unquantized(*module.function<Function>(id), quantizations, unbound));
  Module program = module;
  program.SetFunction(id, function);
  // The files are about @main.
  RELAYOPT_TRY(const auto runs, ReadDataset(*function, module.name(id) == "main", config));
  const size_t chunk = config.calibrate_chunk_by == 0 ? quantizations.size() : config.calibrate_chunk_by;
  for (size_t first = 0; first < quantizations.size(); first += chunk) {
    Evaluator evaluator(program);
    evaluator.set_observer([&](const OpDef& op, std::span<const Value> args) {
      if (&op != kSimulatedQuantize || !args[0].is_tensor() || !args[1].is_tensor()) return;
      const float number = *args[1].tensor().data<float>();
      if (number < static_cast<float>(first) || number >= static_cast<float>(first + chunk)) return;
      const auto values = FloatsOf(args[0].tensor());
      if (!values) return;
      auto& to = seen[static_cast<size_t>(number)];
      std::ranges::copy_if(*values, std::back_inserter(to), [](float value) { return std::isfinite(value); });
    });
    for (const std::vector<Value>& arguments : runs) {
      RELAYOPT_TRY(const Value result, evaluator.Call(id, arguments));
      static_cast<void>(result);
    }
  }
  return seen;
}

}  // namespace relayopt
