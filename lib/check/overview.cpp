// The overview of a model before and after the passes.
#include "relayopt/check/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/support/json.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

auto Counted(int64_t count, std::string_view what) -> std::string {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// `nn.batch_norm -19, add +38`: the largest differences.
auto OperatorText(const std::map<std::string, int64_t>& operators) -> std::string {
  std::vector<std::pair<std::string, int64_t>> sorted;
  for (const auto& [name, delta] : operators) {
    if (delta != 0) sorted.emplace_back(name, delta);
  }
  std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& entry) { return std::abs(entry.second); });
  constexpr size_t kMost = 5;
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kMost); ++i) {
    text += fmt::format("{}{} {:+}", text.empty() ? "" : ", ", sorted[i].first, sorted[i].second);
  }
  if (sorted.size() > kMost)
    text += fmt::format(" and {}", Counted(static_cast<int64_t>(sorted.size() - kMost), "more operator"));
  return text;
}

auto CountOf(const ModelSummary& summary, std::string_view op) -> uint64_t {
  const auto found = summary.operators.find(std::string(op));
  return found == summary.operators.end() ? 0 : found->second;
}

// The layers whose weights take in scales and shifts.
auto CountWeighted(const ModelSummary& summary) -> uint64_t {
  uint64_t count = 0;
  for (const auto& [name, calls] : summary.operators) {
    if (name.starts_with("nn.conv") || name == "nn.dense") count += calls;
  }
  return count;
}

// What was achieved in words of the model that was read:
// `19 nn.batch_norm folded into weights; 72 -> 31 kernels; same result`.
auto Headline(const ModelSummary& before, const ModelSummary& after, bool agrees) -> std::string {
  std::vector<std::string> parts;
  constexpr std::string_view kNorm = "nn.batch_norm";
  const uint64_t norms = CountOf(before, kNorm);
  // A scale that could not be folded is still a product.
  const uint64_t products = CountOf(before, "multiply");
  const uint64_t left_over = std::max(CountOf(after, "multiply"), products) - products;
  const bool is_folded = CountOf(after, kNorm) == 0 && left_over < norms && CountWeighted(after) != 0;
  if (is_folded) {
    const std::string folded = left_over == 0 ? "" : fmt::format("{} of ", norms - left_over);
    parts.push_back(fmt::format("{}{} {} folded into weights", folded, norms, kNorm));
  }
  for (const auto& [name, calls] : before.operators) {
    const uint64_t left = CountOf(after, name);
    constexpr size_t kMostParts = 3;
    if (left >= calls || (is_folded && name == kNorm) || parts.size() == kMostParts) continue;
    parts.push_back(fmt::format("{} of {} {} gone", calls - left, calls, name));
  }
  // Before fusion each operator is a kernel, which says nothing about what will run.
  const bool is_fused = after.total.kernels < after.total.operators;
  if (is_fused && before.total.kernels != after.total.kernels) {
    parts.push_back(fmt::format("{} -> {} kernels", before.total.kernels, after.total.kernels));
  }
  parts.emplace_back(agrees ? "same result" : "OTHER RESULT");
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

auto OverviewInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (IsNumbered(info)) open_.push_back(module);
  return std::nullopt;
}

void OverviewInstrument::PassFailed(const Module&, const PassInfo& info, const Diagnostic&) {
  if (IsNumbered(info) && !open_.empty()) open_.pop_back();
}

auto OverviewInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  if (!IsNumbered(info) || open_.empty()) return std::nullopt;
  const Module before = std::move(open_.back());
  open_.pop_back();
  if (!changed) return std::nullopt;
  const ModelSummary then = Summarize(before);
  const ModelSummary now = Summarize(module);
  Effect& effect = EffectOf(info.name);
  ++effect.runs;
  for (const auto& [name, count] : AddedOperators(then, now)) effect.operators[name] += count;
  if (effect.runs == 1) effect.kernels_before = then.total.kernels;
  effect.kernels_after = now.total.kernels;
  if (now.operators == then.operators && now.total.kernels == then.total.kernels) {
    for (const ItemDiff& item : DiffModules(before, module).items) {
      effect.other_changes +=
          std::max<size_t>(1, static_cast<size_t>(std::ranges::count_if(
                                  item.exprs, [](const ExprDiff& expr) { return expr.kind != DiffKind::kSame; })));
    }
  }
  return std::nullopt;
}

auto OverviewInstrument::EffectOf(const std::string& pass) -> Effect& {
  const auto found = std::ranges::find(effects_, pass, &Effect::pass);
  if (found != effects_.end()) return *found;
  effects_.push_back({.pass = pass});
  return effects_.back();
}

auto OverviewInstrument::Lines() const -> std::string {
  size_t width = 0;
  for (const Effect& effect : effects_) width = std::max(width, effect.pass.size());
  std::string text;
  for (const Effect& effect : effects_) {
    std::vector<std::string> parts;
    // When operators are added or removed, the number of kernels changes, too.
    const bool only_kernels =
        std::ranges::all_of(effect.operators, [](const auto& entry) { return entry.second == 0; });
    if (only_kernels && effect.kernels_before != effect.kernels_after) {
      parts.push_back(fmt::format("kernels {} -> {}", effect.kernels_before, effect.kernels_after));
    }
    if (auto operators = OperatorText(effect.operators); !operators.empty()) parts.push_back(std::move(operators));
    if (effect.other_changes != 0) {
      parts.push_back(Counted(static_cast<int64_t>(effect.other_changes), "expression") + " written differently");
    }
    // No visible change, or two runs that undo each other.
    if (parts.empty()) continue;
    const std::string runs = effect.runs > 1 ? fmt::format(" ({} runs)", effect.runs) : "";
    text += fmt::format("  {:<{}}  {}{}\n", effect.pass, width, fmt::join(parts, "; "), runs);
  }
  return text;
}

namespace {

auto ToObject(const OverviewInstrument::Effect& effect) -> Json {
  Json operators = Json::object();
  for (const auto& [name, added] : effect.operators) {
    if (added != 0) operators[name] = added;
  }
  return {{"pass", effect.pass},
          {"runs", effect.runs},
          {"operators", std::move(operators)},
          {"kernels_before", effect.kernels_before},
          {"kernels_after", effect.kernels_after},
          {"other_changes", effect.other_changes}};
}

// How far the results agree.
struct Difference {
  double largest = 0;
  uint64_t elements = 0;
};

auto DifferenceOf(const Agreement& agreement) -> Difference {
  Difference difference;
  for (const OutputAgreement& output : agreement.outputs()) {
    difference.largest = std::max(difference.largest, output.max_absolute);
    difference.elements += output.elements;
  }
  return difference;
}

}  // namespace

auto OverviewJson(const Module& before, const Module& after, const OverviewInstrument& passes,
                  const Agreement& agreement) -> std::string {
  const ModelSummary then = SummarizeWithSymbols(before);
  const ModelSummary now = SummarizeWithSymbols(after);
  const Difference difference = DifferenceOf(agreement);
  Json json = {{"version", 1},
               {"headline", Headline(then, now, agreement.agrees())},
               {"same_result", agreement.agrees()},
               {"numbers", difference.elements},
               {"largest_difference", difference.largest},
               {"models", Json::parse(ToJson(then, now))}};
  json["passes"] = Json::array();
  for (const OverviewInstrument::Effect& effect : passes.effects()) json["passes"].push_back(ToObject(effect));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

auto OverviewText(const Module& before, const Module& after, const OverviewInstrument& passes,
                  const Agreement& agreement) -> std::string {
  const ModelSummary then = SummarizeWithSymbols(before);
  const ModelSummary now = SummarizeWithSymbols(after);
  const Difference difference = DifferenceOf(agreement);
  std::string text = Headline(then, now, agreement.agrees()) + "\n\n" + ToTable(then, now);
  text += fmt::format("{:<24}{:>24}   {} differ by {:.1e} at most, on made-up data\n", "same result",
                      agreement.agrees() ? "yes" : "NO", Counted(static_cast<int64_t>(difference.elements), "number"),
                      difference.largest);
  if (!agreement.agrees()) text += agreement.ToText();
  const std::string lines = passes.Lines();
  return text + (lines.empty() ? "\nNo pass changed anything.\n" : "\nWhat the passes did:\n" + lines);
}

}  // namespace relayopt
