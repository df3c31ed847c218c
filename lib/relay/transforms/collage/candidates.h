// The candidates among which CollagePartition chooses: what each target could compute as one function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "part.h"
#include "relayopt/relay/transforms/pass_callbacks.h"

namespace relayopt {

// A target, or (empty text) the host, which computes what no target takes.
struct CollageTarget {
  std::string text = {};
  // The external compiler that it is; empty for targets that TVM generates code for.
  std::string compiler = {};
  // The rules by which operators become one function.
  enum class Style : uint8_t { kNoFusion, kTVMFusion, kMaxDepthFusion };
  Style style = Style::kTVMFusion;
  size_t max_depth = 0;
};

// A part of the function on a target.
struct CollageCandidate {
  // Names the rule that made it; orders candidates for the same expressions.
  std::string rule;
  CollagePartRef part;
  const CollageTarget* target = nullptr;
  // Its cost, computed on demand.
  std::optional<double> cost = std::nullopt;
};

// Each returns the candidates of one kind of target; incomplete when the budget of the graph is spent.
auto HostCandidates(const CollageGraph& graph, const CollageTarget& host) -> std::vector<CollageCandidate>;
auto KernelCandidates(const CollageGraph& graph, const CollageTarget& target) -> std::vector<CollageCandidate>;
auto CompilerCandidates(const CollageGraph& graph, const CollageTarget& target,
                        const std::vector<CompositeMatch>& matches) -> std::vector<CollageCandidate>;

// Returns the candidates without those that a larger one of the same target contains, as long as the larger ones do not
// overlap; in the order of their places.
// Incomplete when the budget of the graph is spent.
auto PrunedCandidates(const CollageGraph& graph, std::vector<CollageCandidate> candidates)
    -> std::vector<CollageCandidate>;

// Returns candidates that cover the whole function at the least cost, from the last to the first; nothing when there
// are none, or when the budget of the graph is spent.
auto CheapestCover(const CollageGraph& graph, const std::vector<CollageCandidate>& candidates)
    -> std::optional<std::vector<CollageCandidate>>;

// Returns the candidates, with those of one target that touch as one. When the budget of the graph is spent, the others
// stay apart.
auto Coalesced(const CollageGraph& graph, std::vector<CollageCandidate> chosen) -> std::vector<CollageCandidate>;

}  // namespace relayopt
