// CollagePartition: each operator goes to the target that computes it, alone or with its neighbours, at the least cost.
//
// 1. Candidates: what each target could compute as one. For targets of TVM that is what FuseOps could make a kernel of,
//    for external compilers what their patterns match, and several of those. The host may be left with what needs no
//    kernel. (candidates.h)
// 2. Costs: each candidate becomes a module, whose cost is estimated; equal ones once. (costs.h)
// 3. The cheapest candidates that cover the function. (cover.cpp)
// 4. Those on external compilers become functions; what touches on one compiler becomes one. (part_writer.h)
//
//   abs(sqrt(nn.relu(%x)))      dnnl has nn.relu and abs, llvm costs 2 an operator and dnnl 1
//
//   1  llvm: relu, sqrt, abs, relu+sqrt, sqrt+abs, all; dnnl: relu, abs
//   2  llvm: 2, 3.8, 5.42 for 1, 2, 3 operators; dnnl: 1
//   3  relu on dnnl, sqrt on llvm, abs on dnnl: 4
//   4  @collage_dnnl_abs(sqrt(@collage_dnnl_nn_relu(%x)))
#include <fmt/format.h>

#include <algorithm>

#include "costs.h"
#include "lib/relay/transforms/partition/pattern_tables.h"
#include "part_writer.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/pattern/matcher.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/option_checks.h"
#include "relayopt/support/json.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoTargets = {
    "collage-no-targets", Severity::kError,
    "CollagePartition needs targets and what operators cost on them: costs={{\"llvm\": 2, \"dnnl\": 1}}"};
constexpr DiagnosticKind kNoCost = {"collage-no-cost", Severity::kError,
                                    "CollagePartition: `costs` does not say what an operator costs on '{}'"};
constexpr DiagnosticKind kNoDepth = {"collage-no-depth", Severity::kError,
                                     "CollagePartition: config option '{}' must be set to a positive number"};
constexpr DiagnosticKind kNoStyle = {
    "collage-no-style", Severity::kError,
    "relay.collage.byoc_fusion_style: '{}' names no style; there are NoFusion, TVMFusion and MaxDepthFusion"};
constexpr DiagnosticKind kNoPatterns = {"collage-no-patterns", Severity::kError,
                                        "CollagePartition: there are no patterns for the external compiler '{}'"};
constexpr DiagnosticKind kNotComputed = {"collage-not-computed", Severity::kError,
                                         "CollagePartition: no target computes {}"};
constexpr DiagnosticKind kTooMany = {
    "collage-too-many", Severity::kError,
    "CollagePartition: too many parts of @{} could be computed as one; lower relay.collage.tvm_max_depth and "
    "relay.collage.byoc_max_depth"};

constexpr Statistic kFunctions = {"CollagePartition", "functions", "functions for external compilers that were made"};
constexpr Statistic kCandidates = {"CollagePartition", "candidates", "parts of functions whose cost was looked at"};
constexpr Statistic kCollageStatistics[] = {kFunctions, kCandidates};

// Returns what an operator costs by target, in the order of the text.
auto ParseCosts(const JsonText& text) -> std::optional<std::vector<std::pair<std::string, double>>> {
  const auto json = ParseJson(text.text);
  if (!json.is_object()) return std::nullopt;
  std::vector<std::pair<std::string, double>> costs;
  for (const auto& [target, cost] : json.items()) {
    if (!cost.is_number() || cost.get<double>() < 0) return std::nullopt;
    costs.emplace_back(target, cost.get<double>());
  }
  return costs;
}

auto CheckCosts(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& text = std::get<JsonText>(value);
  if (ParseCosts(text)) return std::nullopt;
  return OptionFault{"costs by target such as {\"llvm\": 2, \"dnnl\": 1}", text.text};
}

struct CollagePartitionOptions {
  std::vector<std::string> targets;
  JsonText costs = {"{}"};
  StringListMap table;
  static constexpr auto Fields() {
    using Self = CollagePartitionOptions;
    return std::array{
        Option<&Self::targets>("targets and external compilers; by default those of `costs`"),
        Option<&Self::costs>("what an operator costs on each target; every further operator of a function "
                             "costs nine tenths of the one before",
                             {.check = CheckCosts}),
        Option<&Self::table>("further patterns by the name of the composite, which begins with the compiler",
                             {.check = CheckPatterns}),
    };
  }
};

// Returns how an external compiler fuses unless the context says otherwise.
auto DefaultStyle(std::string_view compiler) -> CollageTarget::Style {
  if (compiler == "cutlass" || compiler == "cublas" || compiler == "cudnn") return CollageTarget::Style::kNoFusion;
  return compiler == "tensorrt" ? CollageTarget::Style::kTVMFusion : CollageTarget::Style::kMaxDepthFusion;
}

auto StyleOf(std::string_view compiler, const PassContext& context) -> Result<CollageTarget::Style> {
  using Style = CollageTarget::Style;
  const auto& config = context.options().config;
  const auto found = config.find("relay.collage.byoc_fusion_style");
  if (found == config.end()) return DefaultStyle(compiler);
  for (const std::string& entry : std::get<std::vector<std::string>>(found->second)) {
    const size_t dot = std::min(entry.find('.'), entry.size());
    if (entry.substr(0, dot) != compiler) continue;
    const std::string style = entry.substr(std::min(dot + 1, entry.size()));
    if (style == "NoFusion") return Style::kNoFusion;
    if (style == "TVMFusion") return Style::kTVMFusion;
    if (style == "MaxDepthFusion") return Style::kMaxDepthFusion;
    return MakeDiagnostic(kNoStyle, {}, entry);
  }
  return Style::kNoFusion;
}

auto ReadDepth(const PassContext& context, std::string_view key) -> Result<size_t> {
  const int64_t depth = context.IsConfigured(key) ? context.ConfigInt(key) : 0;
  if (depth <= 0) return MakeDiagnostic(kNoDepth, {}, key);
  return static_cast<size_t>(depth);
}

// The patterns of external compilers: those of the table, then those that are known.
class CollagePatterns {
 public:
  CollagePatterns(const StringListMap& table, const PassCallbacks* callbacks) : callbacks_(callbacks) {
    for (const auto& [name, texts] : table) {
      std::vector<CompositePattern>& patterns = tables_[name.substr(0, name.find('.'))];
      for (const std::string& text : texts) patterns.push_back({name, text});
    }
  }

  // Whether there are patterns of a compiler, besides those of callbacks.
  auto Has(const std::string& compiler) const -> bool {
    return tables_.contains(compiler) || !PatternsOf(compiler).empty();
  }

  // Returns the places in a function that the patterns of a compiler match.
  auto Match(const std::string& compiler, const Function& function) const -> Result<std::vector<CompositeMatch>> {
    if (callbacks_ != nullptr && callbacks_->composite_matches) {
      if (auto matches = callbacks_->composite_matches(compiler, function)) return *std::move(matches);
    }
    std::vector<CompositePattern> patterns;
    if (const auto found = tables_.find(compiler); found != tables_.end()) patterns = found->second;
    std::ranges::move(PatternsOf(compiler), std::back_inserter(patterns));
    if (patterns.empty()) return MakeDiagnostic(kNoPatterns, {}, compiler);
    std::vector<CompositeMatch> matches;
    for (const CompositePattern& pattern : patterns) {
      if (auto error = MatchOne(pattern, function, matches)) return *std::move(error);
    }
    return matches;
  }

 private:
  static auto MatchOne(const CompositePattern& pattern, const Function& function, std::vector<CompositeMatch>& matches)
      -> std::optional<Diagnostic> {
    PatternTable table;
    auto parsed = ParsePattern(function.context(), table, pattern.pattern);
    if (!parsed) return std::move(parsed).error();
    DFPatternMatcher matcher(function, table);
    for (const ExprId id : function.ids_to_root()) {
      if (!matcher.Match(parsed->id(), id) || (pattern.check != nullptr && !pattern.check(function, id))) continue;
      CompositeMatch& match = matches.emplace_back(CompositeMatch{pattern.name, {}});
      for (uint32_t i = 0; i < table.size(); ++i) {
        if (table[PatternId(i)].kind == DFPatternKind::kWildcard) continue;
        for (const Subject& subject : matcher.matched(PatternId(i))) {
          if (!subject.is_callee()) match.inside.push_back(subject.id);
        }
      }
    }
    return std::nullopt;
  }

  const PassCallbacks* callbacks_;
  absl::flat_hash_map<std::string, std::vector<CompositePattern>> tables_;
};

// One run of the pass.
class Collage {
 public:
  Collage(const Module& module, PassContext& context, const CollagePartitionOptions& options)
      : context_(context),
        costs_(ParseCosts(options.costs).value()),
        callbacks_(CallbacksOf(context)),
        patterns_(options.table, callbacks_),
        functions_(module, context,
                   [this](const Module& alone, const CollageTarget& target) { return Estimate(alone, target); }) {}

  auto Run(const Module& module, const std::vector<std::string>& targets) -> Result<std::optional<Module>> {
    if (auto error = ReadTargets(targets)) return *std::move(error);
    Module result = module;
    bool changed = false;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function& function = *module.function<Function>(id);
      if (IsSkippedByFunctionPasses(function)) continue;
      RELAYOPT_TRY(auto made, Partition(function, module.name(id)));
      if (!made) continue;
      result.SetFunction(id, std::make_shared<const Function>(*std::move(made)));
      changed = true;
    }
    for (const GlobalId id : result.SortedFunctions<Function>()) {
      if (auto made = functions_.Outline(result, *result.function<Function>(id))) {
        result.SetFunction(id, std::make_shared<const Function>(*std::move(made)));
        changed = true;
      }
    }
    if (!changed) return std::nullopt;
    context_.Count(kFunctions, result.SortedFunctions().size() - module.SortedFunctions().size());
    if (!InferTypes(result, context_.diagnostics())) {
      return MakeDiagnostic(diag::kPassFailed, {}, "CollagePartition");
    }
    return std::optional(std::move(result));
  }

 private:
  auto ReadTargets(std::vector<std::string> texts) -> std::optional<Diagnostic> {
    if (texts.empty()) {
      for (const auto& [text, cost] : costs_) texts.push_back(text);
    }
    if (texts.empty()) return MakeDiagnostic(kNoTargets, {});
    for (const std::string& text : texts) {
      auto target = ReadTarget(text);
      if (!target) return std::move(target).error();
      targets_.push_back(*std::move(target));
    }
    return std::nullopt;
  }

  auto ReadTarget(const std::string& text) -> Result<CollageTarget> {
    CollageTarget target{.text = text};
    if (patterns_.Has(text)) {
      target.compiler = text;
    } else {
      RELAYOPT_TRY(const Target parsed, Target::Parse(text));
      RELAYOPT_TRY(const TargetKindInfo kind, InfoOfTargetKind(parsed.kind()));
      if (kind.is_external) target.compiler = parsed.kind();
    }
    if (target.compiler.empty()) {
      RELAYOPT_TRY(target.max_depth, ReadDepth(context_, "relay.collage.tvm_max_depth"));
      return target;
    }
    RELAYOPT_TRY(target.style, StyleOf(target.compiler, context_));
    RELAYOPT_TRY(target.max_depth, ReadDepth(context_, "relay.collage.byoc_max_depth"));
    return target;
  }

  auto Estimate(const Module& module, const CollageTarget& target) const -> Result<double> {
    if (callbacks_ != nullptr && callbacks_->estimate_cost) {
      if (const auto cost = callbacks_->estimate_cost(module, target.text)) return *cost;
    }
    const std::string kind = target.text.substr(0, target.text.find(' '));
    for (const std::string& name : {target.text, kind}) {
      const auto found = std::ranges::find(costs_, name, &std::pair<std::string, double>::first);
      if (found != costs_.end()) return CostByCounting(module, found->second);
    }
    return MakeDiagnostic(kNoCost, {}, target.text);
  }

  auto Candidates(const CollageGraph& graph) -> Result<std::vector<CollageCandidate>> {
    std::vector<CollageCandidate> all;
    for (const CollageTarget& target : targets_) {
      if (target.compiler.empty()) {
        std::ranges::move(KernelCandidates(graph, target), std::back_inserter(all));
        continue;
      }
      RELAYOPT_TRY(const auto matches, patterns_.Match(target.compiler, graph.function()));
      std::ranges::move(CompilerCandidates(graph, target, matches), std::back_inserter(all));
    }
    std::ranges::move(HostCandidates(graph, host_), std::back_inserter(all));
    return all;
  }

  // Returns the first expression that no candidate contains; the root when there is none.
  static auto FirstLeftOut(const CollageGraph& graph, const std::vector<CollageCandidate>& candidates) -> ExprId {
    SideTable<ExprId, bool> covered(graph.function().size());
    for (const CollageCandidate& each : candidates) {
      for (const ExprId id : each.part->inside()) covered[id] = true;
    }
    for (const ExprId id : graph.function().ids_to_root()) {
      if (!covered[id]) return id;
    }
    return graph.function().root();
  }

  // Returns nothing if everything stays with the targets of TVM.
  auto Partition(const Function& function, std::string_view name) -> Result<std::optional<Function>> {
    const CollageGraph graph(function);
    const auto too_many = [&] { return MakeDiagnostic(kTooMany, function.range(function.root()), name); };
    RELAYOPT_TRY(std::vector<CollageCandidate> candidates, Candidates(graph));
    candidates = PrunedCandidates(graph, std::move(candidates));
    if (graph.budget().is_spent()) return too_many();
    context_.Count(kCandidates, candidates.size());
    for (CollageCandidate& each : candidates) {
      if (each.cost) continue;
      RELAYOPT_TRY(each.cost, functions_.CostOf(graph, each));
    }
    auto cover = CheapestCover(graph, candidates);
    if (!cover && graph.budget().is_spent()) return too_many();
    if (!cover) {
      const ExprId left_out = FirstLeftOut(graph, candidates);
      return MakeDiagnostic(kNotComputed, function.range(left_out), graph.LabelOf(left_out));
    }
    std::erase_if(*cover, [](const CollageCandidate& each) { return each.target->compiler.empty(); });
    std::vector<NestedPart> parts;
    for (const CollageCandidate& each : Coalesced(graph, *std::move(cover))) {
      parts.insert(parts.end(), each.part->nested().begin(), each.part->nested().end());
    }
    if (parts.empty()) return std::nullopt;
    FunctionBuilder to(function.context());
    return std::optional(Relayout(to.Finish(PartWriter(graph, to).WriteFunction(parts))));
  }

  PassContext& context_;
  std::vector<std::pair<std::string, double>> costs_;
  const PassCallbacks* callbacks_;
  CollagePatterns patterns_;
  CollageFunctions functions_;
  std::vector<CollageTarget> targets_;
  CollageTarget host_;
};

struct CollagePartition {
  using Options = CollagePartitionOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    return Collage(module, context, options).Run(module, options.targets);
  }
};

}  // namespace

auto CostByCounting(const Module& module, double cost) -> double {
  double sum = 0;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    double next = cost;
    for (const ExprId expr : function.ids()) {
      if (function.kind(expr) != ExprKind::kOpCall) continue;
      sum += next;
      next *= 0.9;
    }
  }
  return sum;
}

constinit const PassDef kCollagePartitionPass = DescribePass<CollagePartition>({
    .name = "CollagePartition",
    .opt_level = 0,
    .required = "InferType",
    .summary = "gives each operator to the target that computes it at the least cost",
    .details =
        R"(Candidates are the groups of operators that FuseOps could make a kernel of, up to relay.collage.tvm_max_depth operators deep, and what
the patterns of external compilers match, fused as relay.collage.byoc_fusion_style says (COMPILER.STYLE; NoFusion, TVMFusion or
MaxDepthFusion) up to relay.collage.byoc_max_depth. The cheapest candidates that cover a function are chosen. Those on external compilers
become global functions. Work is limited in proportion to the function: too many candidates are an error, and parts of one compiler that
touch stay apart once the limit is reached.

  CollagePartition<costs={"llvm": 2, "dnnl": 1}>   with both depths set to 4

  nn.relu(nn.conv2d(%x, %w))   =>   @collage_dnnl_nn_conv2d_nn_relu(%x, %w)

A program that embeds the library can give patterns and estimate costs itself.)",
    .statistics = kCollageStatistics,
});

}  // namespace relayopt
