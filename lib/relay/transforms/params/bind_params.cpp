// BindParams: replaces parameters by values from a file.
#include "relayopt/relay/transforms/bind_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/transforms/root_params.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kUnusedTensor = {"unused-tensor", Severity::kWarning,
                                          "'{}' has {} for which @main has no parameter: {}"};
constexpr DiagnosticKind kBoundParams = {"bound-params", Severity::kRemark,
                                         "{} of {} parameters of @main are bound{}{}"};
constexpr DiagnosticKind kNoMain = {"no-main", Severity::kError, "there is no function @main of Relay to bind '{}' to"};

// Returns the first few names, and how many more there are.
auto FirstOf(const std::vector<std::string>& names) -> std::string {
  constexpr size_t kMost = 5;
  const size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Finds the value of each parameter; null for parameters without one.
class ParamValues {
 public:
  explicit ParamValues(const Function& function) : function_(function), values_(function.size()) {}

  auto Find(std::span<const NamedTensor> tensors, BoundParams& names) -> std::optional<Diagnostic> {
    struct Entry {
      const Tensor* tensor;
      bool is_used;
    };
    Context& context = function_.context();
    absl::flat_hash_map<std::string_view, Entry> by_name;
    for (const NamedTensor& named : tensors) by_name[named.name] = {&named.tensor, false};
    for (const ExprId param : function_.params()) {
      const std::string_view name = context.text(function_.var(param).name);
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        names.unbound.emplace_back(name);
        continue;
      }
      Entry& entry = found->second;
      if (entry.is_used) {
        return MakeDiagnostic(diag::kBadInput, function_.range(param), name, "another parameter has the same name");
      }
      const TypeId type = function_.var(param).annotation;
      const auto misfit = type ? Misfit(context, type, *entry.tensor) : std::nullopt;
      if (misfit) return MakeDiagnostic(diag::kBadInput, function_.range(param), name, *misfit);
      entry.is_used = true;
      values_[param] = entry.tensor;
      ++names.bound;
    }
    for (const NamedTensor& named : tensors) {
      if (!by_name.at(named.name).is_used) names.unused.push_back(named.name);
    }
    return std::nullopt;
  }

  auto of(ExprId id) const -> const Tensor* { return values_[id]; }

 private:
  const Function& function_;
  SideTable<ExprId, const Tensor*> values_;
};

struct BindParamsPass {
  struct Options {
    std::string file;
    static constexpr auto Fields() {
      return std::array{RequiredOption<&Options::file>("the values: an .npz, .safetensors or parameter file")};
    }
  } options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    const GlobalId main = module.FindGlobal("main");
    if (!main || module.function<Function>(main) == nullptr) return MakeDiagnostic(kNoMain, {}, options.file);
    RELAYOPT_TRY(const std::vector<NamedTensor> tensors, ReadTensorFile(options.file));
    BoundParams names;
    RELAYOPT_TRY(auto bound, BindParams(*module.function<Function>(main), tensors, names));
    ReportNames(names, options.file, context.diagnostics());
    if (!bound) return std::nullopt;
    Module result = module;
    result.SetFunction(main, std::make_shared<const Function>(*std::move(bound)));
    return result;
  }
};

}  // namespace

auto BindParams(const Function& function, std::span<const NamedTensor> tensors, BoundParams& names)
    -> Result<std::optional<Function>> {
  ParamValues values(function);
  if (auto error = values.Find(tensors, names)) return *std::move(error);
  if (names.bound == 0) return std::nullopt;
  Context& context = function.context();
  Rebuild rebuild(function);
  rebuild.ForEach([&](ExprId id) {
    if (values.of(id) != nullptr) {
      const ExprId made = EmitConstant(rebuild.to(), *values.of(id));
      const Function& to = rebuild.to().function();
      context.Part<ConstantNames>().Set(to.constant_id(made), context.text(function.var(id).name));
      return made;
    }
    if (id != function.root()) return rebuild.Copy(id);
    return EmitRootWith(rebuild, [&](ExprId param) { return values.of(param) == nullptr; });
  });
  return rebuild.Finish();
}

void ReportNames(const BoundParams& names, std::string_view file, DiagnosticSink& sink) {
  if (!names.unused.empty()) {
    const std::vector<std::string_view> near(names.unbound.begin(), names.unbound.end());
    const auto unused = MapToVector<std::string>(
        names.unused, [&](const std::string& name) { return "'" + name + "'" + DidYouMean(name, near); });
    const std::string count = unused.size() == 1 ? "a tensor" : fmt::format("{} tensors", unused.size());
    sink.Report(kUnusedTensor, {}, file, count, FirstOf(unused));
  }
  if (names.unbound.empty()) return;
  const auto unbound = MapToVector<std::string>(names.unbound, [&](const std::string& name) { return "%" + name; });
  sink.Report(kBoundParams, {}, names.bound, names.bound + unbound.size(),
              unbound.empty() ? "" : "; unbound: ", FirstOf(unbound));
}

auto MakeUpWeights(const Module& module, const Function& function, uint64_t seed) -> Result<std::vector<NamedTensor>> {
  InputOptions inputs;
  inputs.seed = seed;
  RELAYOPT_TRY(const std::vector<Value> values, MakeArguments(function, {}, inputs));
  std::vector<NamedTensor> weights;
  const auto params = function.params();
  // In the order of the parameters.
  size_t position = 0;
  for (const ExprId weight : FindWeights(module, function)) {
    while (params[position] != weight) ++position;
    const Value& value = values[position];
    if (!value.is_tensor()) continue;
    weights.push_back({std::string(function.context().text(function.var(weight).name)), value.tensor()});
  }
  return weights;
}

constinit const PassDef kBindParamsPass = DescribePass<BindParamsPass>({
    .name = "BindParams",
    .opt_level = 0,
    .summary = "replaces parameters of @main by constants with values from a file",
    .details =
        R"(Every parameter of @main that the file has a tensor for, by name, becomes that tensor:

  def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) { nn.dense(%x, %w, units=None) }
    =>
  def @main(%x: Tensor[(2, 3), float32]) { nn.dense(%x, meta[relay.Constant][0], units=None) }

The file is an .npz, a .safetensors or a parameter file of TVM (save_param_dict), recognized by its contents. A tensor must have the
type of its parameter. Tensors that belong to no parameter are a warning; the parameters that stay are named. The flag
--bind-params does the same before any pass.)",
    .exactness = Exactness::kChanges,
});

}  // namespace relayopt
