// What each target could compute as one: the candidates among which CollagePartition chooses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "part.h"
#include "relayopt/relay/transforms/pass_callbacks.h"

namespace relayopt {

// A target, or (empty text) the host, which is left with what nobody has to compute.
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
  // What it costs, once somebody has asked.
  std::optional<double> cost = std::nullopt;
};

// What a search may still make: combinations are exponential in the depth.
class CollageBudget {
 public:
  explicit CollageBudget(size_t size) : left_(kBase + kForEach * size) {}

  // Returns false when nothing is left.
  auto Take() -> bool { return left_ != 0 && left_-- != 0; }
  auto is_spent() const -> bool { return left_ == 0; }

 private:
  static constexpr size_t kBase = size_t{1} << 16;
  static constexpr size_t kForEach = 64;
  size_t left_;
};

// Each returns the candidates of one kind of target; incomplete when the budget is spent.
auto HostCandidates(const CollageGraph& graph, const CollageTarget& host) -> std::vector<CollageCandidate>;
auto KernelCandidates(const CollageGraph& graph, const CollageTarget& target, CollageBudget& budget)
    -> std::vector<CollageCandidate>;
auto CompilerCandidates(const CollageGraph& graph, const CollageTarget& target,
                        const std::vector<CompositeMatch>& matches, CollageBudget& budget)
    -> std::vector<CollageCandidate>;

// Returns the candidates without those that a larger one of the same target contains, as long as the larger ones do not
// overlap; in the order of their places.
auto PrunedCandidates(std::vector<CollageCandidate> candidates) -> std::vector<CollageCandidate>;

// Returns candidates that cover the whole function at the least cost, from the last to the first; nothing when there
// are none, or when the budget is spent.
auto CheapestCover(const CollageGraph& graph, const std::vector<CollageCandidate>& candidates, CollageBudget& budget)
    -> std::optional<std::vector<CollageCandidate>>;

// Returns the candidates, with those of one target that touch as one.
auto Coalesced(const CollageGraph& graph, std::vector<CollageCandidate> chosen) -> std::vector<CollageCandidate>;

}  // namespace relayopt
