// Remarks about models that are written larger than they were read.
#include "growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace relayopt {

namespace {

constexpr DiagnosticKind kMoreNodes = {"more-nodes", Severity::kRemark,
                                       "the written model has {} nodes instead of {}: {}"};

// Returns the kinds that have become more, those with most nodes first: "Add +2, Mul +1".
auto AddedKinds(const GraphCounts& before, const GraphCounts& after) -> std::string {
  std::vector<std::pair<uint64_t, std::string_view>> added;
  for (const auto& [kind, count] : after.kinds) {
    const auto found = before.kinds.find(kind);
    const uint64_t old = found == before.kinds.end() ? 0 : found->second;
    if (count > old) added.emplace_back(count - old, kind);
  }
  std::ranges::stable_sort(added, std::greater<>(), [](const auto& kind) { return kind.first; });
  constexpr size_t kMost = 6;
  std::string text;
  for (size_t i = 0; i < std::min(added.size(), kMost); ++i) {
    text += fmt::format("{}{} +{}", i == 0 ? "" : ", ", added[i].second, added[i].first);
  }
  return text + (added.size() > kMost ? ", ..." : "");
}

}  // namespace

void RemarkGrowth(const NodeCounts& nodes, DiagnosticSink& sink) {
  if (!nodes.before || nodes.after.nodes <= nodes.before->nodes) return;
  sink.Report(kMoreNodes, {}, nodes.after.nodes, nodes.before->nodes, AddedKinds(*nodes.before, nodes.after));
}

}  // namespace relayopt
