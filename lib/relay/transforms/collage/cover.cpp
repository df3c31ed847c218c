// The search for candidates that cover a function at the least cost.
//
// A state is a set of covered expressions: all before some expression, and further ones behind it. From a state a
// candidate that contains the first uncovered expression leads to another. The cheapest state is next; of equally cheap
// ones, that in which fewer of the early expressions are covered.
#include <algorithm>
#include <queue>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "candidates.h"

namespace relayopt {

namespace {

// The covered expressions: those below `first`, which is not covered, and `more`, ascending.
struct Covered {
  uint32_t first = 0;
  std::vector<ExprId> more;

  friend auto operator==(const Covered&, const Covered&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H hash, const Covered& covered) -> H {
    hash = H::combine(std::move(hash), covered.first, covered.more.size());
    for (const ExprId id : covered.more) hash = H::combine(std::move(hash), id.value());
    return hash;
  }
  auto HasFewerEarlyThan(const Covered& other) const -> bool {
    return first != other.first ? first < other.first : HasFewerEarly(more, other.more);
  }
  // Returns nothing if the part overlaps what is covered.
  auto With(const CollagePart& part) const -> std::optional<Covered> {
    Covered result{.first = first, .more = {}};
    result.more.reserve(more.size() + part.inside().size());
    std::ranges::merge(more, part.inside(), std::back_inserter(result.more));
    if (std::ranges::adjacent_find(result.more) != result.more.end()) return std::nullopt;
    const auto end = std::ranges::find_if(result.more, [&](ExprId id) {
      if (id.value() != result.first) return true;
      ++result.first;
      return false;
    });
    result.more.erase(result.more.begin(), end);
    return result;
  }
};

// How a state is reached at the least cost.
struct Reached {
  double cost = 0;
  const Covered* before = nullptr;
  const CollageCandidate* candidate = nullptr;
  bool is_done = false;
};

struct Waiting {
  double cost;
  const Covered* state;
  // For a queue whose greatest element is next.
  friend auto operator<(const Waiting& a, const Waiting& b) -> bool {
    if (a.cost != b.cost) return a.cost > b.cost;
    return b.state->HasFewerEarlyThan(*a.state);
  }
};

}  // namespace

auto CheapestCover(const CollageGraph& graph, const std::vector<CollageCandidate>& candidates)
    -> std::optional<std::vector<CollageCandidate>> {
  const size_t size = graph.function().root().value() + 1;
  std::vector<std::vector<const CollageCandidate*>> at(size);
  for (const CollageCandidate& each : candidates) at[each.part->inside().front().value()].push_back(&each);
  // The addresses of the map's nodes are stable.
  absl::node_hash_map<Covered, Reached> states;
  std::priority_queue<Waiting> queue;
  queue.push({0, &states.try_emplace(Covered()).first->first});
  while (!queue.empty()) {
    const Covered& state = *queue.top().state;
    queue.pop();
    Reached& reached = states.at(state);
    if (std::exchange(reached.is_done, true)) continue;
    if (state.first == size) {
      std::vector<CollageCandidate> chosen;
      for (const Reached* step = &reached; step->candidate != nullptr; step = &states.at(*step->before)) {
        chosen.push_back(*step->candidate);
      }
      return chosen;
    }
    for (const CollageCandidate* const candidate : at[state.first]) {
      graph.budget().Take(1 + state.more.size() + candidate->part->inside().size());
      std::optional<Covered> next = state.With(*candidate->part);
      if (!next) continue;
      const double cost = reached.cost + candidate->cost.value();
      const auto [place, is_new] = states.try_emplace(*std::move(next));
      if (!is_new && cost >= place->second.cost) continue;
      if (graph.budget().is_spent()) return std::nullopt;
      place->second = {cost, &state, candidate, place->second.is_done};
      queue.push({cost, &place->first});
    }
  }
  return std::nullopt;
}

}  // namespace relayopt
