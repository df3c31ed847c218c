// The overview of a model before and after the passes.
#include "relayopt/check/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/text/module_diff.h"

namespace relayopt {

namespace {

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
  const auto differs = [](const auto& a, const auto& b) { return static_cast<int64_t>(a) - static_cast<int64_t>(b); };
  for (const auto& [name, count] : now.operators) effect.operators[name] += static_cast<int64_t>(count);
  for (const auto& [name, count] : then.operators) effect.operators[name] -= static_cast<int64_t>(count);
  effect.kernels += differs(now.total.kernels, then.total.kernels);
  effect.parameters += differs(now.total.parameters, then.total.parameters);
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
    if (only_kernels && effect.kernels != 0) parts.push_back(fmt::format("kernels {:+}", effect.kernels));
    if (auto operators = OperatorText(effect.operators); !operators.empty()) parts.push_back(std::move(operators));
    if (effect.parameters != 0) parts.push_back(fmt::format("parameters {:+}", effect.parameters));
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

auto OverviewText(const Module& before, const Module& after, const OverviewInstrument& passes,
                  const Agreement& agreement) -> std::string {
  std::string text = ToTable(Summarize(before), Summarize(after));
  double largest = 0;
  uint64_t elements = 0;
  for (const OutputAgreement& output : agreement.outputs()) {
    largest = std::max(largest, output.max_absolute);
    elements += output.elements;
  }
  text += fmt::format("{:<24}{:>24}   {} differ by {:.1e} at most, on made-up data\n", "same result",
                      agreement.agrees() ? "yes" : "NO", Counted(static_cast<int64_t>(elements), "number"), largest);
  if (!agreement.agrees()) text += agreement.ToText();
  const std::string lines = passes.Lines();
  return text + (lines.empty() ? "\nNo pass changed anything.\n" : "\nWhat the passes did:\n" + lines);
}

}  // namespace relayopt
