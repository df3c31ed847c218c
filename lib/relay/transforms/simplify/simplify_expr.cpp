// SimplifyExpr and SimplifyExprPostAlterOp: algebraic rules on operators.
#include <algorithm>

#include "lib/relay/transforms/simplify/expr/rules.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoSuchRule = {"simplify-expr-no-such-rule", Severity::kError, "there is no rule '{}'{}"};

// How often each rule was applied, in the order of the rules.
template <bool post_alter_op>
constexpr auto kSimplifyExprStatistics = [] {
  std::array<Statistic, std::size(kSimplifyRules)> statistics;
  for (size_t i = 0; i < statistics.size(); ++i) {
    statistics[i] = {post_alter_op ? "SimplifyExprPostAlterOp" : "SimplifyExpr", kSimplifyRules[i].name,
                     kSimplifyRules[i].doc};
  }
  return statistics;
}();

// Each run simplifies the result of the one before; more runs would help only if users kept disappearing.
constexpr int kMaxRuns = 8;

auto RuleNames() -> std::vector<std::string_view> {
  return MapToVector<std::string_view>(kSimplifyRules, &SimplifyRule::name);
}

struct SimplifyExprOptions {
  std::vector<std::string> disable;
  static constexpr auto Fields() {
    return std::array{
        Option<&SimplifyExprOptions::disable>("names of rules that are left out", {.choices = RuleNames}),
    };
  }
};

auto SelectRules(const SimplifyExprOptions& options, bool post_alter_op, bool strict_fp) -> Result<RuleSet> {
  std::vector<const SimplifyRule*> rules;
  std::vector<std::string_view> names;
  for (const SimplifyRule& rule : kSimplifyRules) {
    if (post_alter_op && !rule.Is(kForPostAlterOp)) continue;
    names.push_back(rule.name);
    if (std::ranges::find(options.disable, rule.name) == options.disable.end()) rules.push_back(&rule);
  }
  for (const std::string& name : options.disable) {
    if (std::ranges::find(names, name) == names.end()) {
      return MakeDiagnostic(kNoSuchRule, {}, name, DidYouMean(name, names));
    }
  }
  return RuleSet(std::move(rules), strict_fp);
}

// The purity of function calls; nothing when there are none, so that ordinary networks do not pay for the analysis.
auto PurityOfCalls(const Module& module, const Function& function) -> std::optional<SideTable<ExprId, Purity>> {
  for (const ExprId id : function.ids()) {
    if (function.kind(id) == ExprKind::kCall) return module.Analysis<PurityAnalysis>().Analyze(function);
  }
  return std::nullopt;
}

template <bool post_alter_op>
auto Simplify(const Module& module, const Function& function, const SimplifyExprOptions& options, PassContext& context)
    -> Result<std::optional<Function>> {
  RELAYOPT_TRY(RuleSet rules, SelectRules(options, post_alter_op, context.strict_fp()));
  const auto purity = PurityOfCalls(module, function);
  std::vector<std::pair<size_t, SourceRange>> places;
  if (context.wants_remarks()) rules.RecordPlaces(places);
  std::optional<Function> result;
  for (int run = 0; run < kMaxRuns; ++run) {
    // The purity is that of the first table; later ones take every call to have effects.
    Simplifier simplifier(result ? *result : function, rules, purity && run == 0 ? &*purity : nullptr);
    auto made = simplifier.Run();
    if (!made) break;
    result = std::move(made);
    if (!simplifier.blocked()) break;
  }
  for (const auto& [i, range] : places) {
    const SimplifyRule& rule = *rules.rules()[i];
    context.Report(Remark(RemarkKind::kPassed, post_alter_op ? "SimplifyExprPostAlterOp" : "SimplifyExpr", "Simplified",
                          module.name(PassContext::CurrentFunction()), range)
                       .Text("rule ")
                       .Arg("Rule", rule.name)
                       .Text(": ")
                       .Arg("Doc", rule.doc));
  }
  for (size_t i = 0; i < rules.rules().size(); ++i) {
    const auto rule = static_cast<size_t>(rules.rules()[i] - std::begin(kSimplifyRules));
    context.Count(kSimplifyExprStatistics<post_alter_op>[rule], rules.count(i));
  }
  return result;
}

struct SimplifyExpr {
  using Options = SimplifyExprOptions;
  Options options;

  auto Run(const Module& module, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return Simplify<false>(module, function, options, context);
  }
};

struct SimplifyExprPostAlterOp {
  using Options = SimplifyExprOptions;
  Options options;

  auto Run(const Module& module, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return Simplify<true>(module, function, options, context);
  }
};

constexpr std::string_view kIntroduction =
    R"(Replaces calls by cheaper ones that compute the same. The rules, in the order in which they are tried:

)";

constexpr std::string_view kConclusion = R"(
Arguments are simplified before the calls that use them, so chains of any length become one operator. A rule that takes
an intermediate result apart applies only when nothing else uses that result. disable=[SimplifyReshape,...] leaves rules out.

What changes: signs of zeros (x + 0), and the rounding of floats where constants are brought together and where division becomes
multiplication; never the value of an integer.

Left alone: constants whose sum or product overflows or underflows; casts that lose values on the way (float to integer to float);
shapes that are not known; dequantization with a scale for each channel; whatever would no longer run an effect; functions
that a pattern made (PartitionedFromPattern).)";

// The text of --help-pass, with the rows of the table.
template <bool kPostAlterOp, typename Append>
constexpr void Describe(Append append) {
  append(kIntroduction);
  for (const SimplifyRule& rule : kSimplifyRules) {
    if (kPostAlterOp && !rule.Is(kForPostAlterOp)) continue;
    append("  ");
    append(rule.name);
    append("\n    ");
    append(rule.doc);
    append("\n");
  }
  append(kConclusion);
}

template <bool kPostAlterOp>
constexpr auto kDetails = [] {
  constexpr size_t kSize = [] {
    size_t size = 0;
    Describe<kPostAlterOp>([&size](std::string_view text) { size += text.size(); });
    return size;
  }();
  std::array<char, kSize> details{};
  size_t at = 0;
  Describe<kPostAlterOp>([&](std::string_view text) {
    for (const char c : text) details[at++] = c;
  });
  return details;
}();

}  // namespace

constinit const PassDef kSimplifyExprPass = DescribePass<SimplifyExpr>({
    .name = "SimplifyExpr",
    .opt_level = 0,
    .required = "InferType",
    .summary = "algebraic simplification of operators",
    .details = {kDetails<false>.data(), kDetails<false>.size()},
    .exactness = Exactness::kApproximate,
    .obeys_strict_fp = true,
    .idempotent = true,
    .statistics = kSimplifyExprStatistics<false>,
});

constinit const PassDef kSimplifyExprPostAlterOpPass = DescribePass<SimplifyExprPostAlterOp>({
    .name = "SimplifyExprPostAlterOp",
    .opt_level = 0,
    .required = "InferType",
    .summary = "the rules of SimplifyExpr that apply after AlterOpLayout",
    .details = {kDetails<true>.data(), kDetails<true>.size()},
    .exactness = Exactness::kApproximate,
    .obeys_strict_fp = true,
    .idempotent = true,
    .statistics = kSimplifyExprStatistics<true>,
});

}  // namespace relayopt
