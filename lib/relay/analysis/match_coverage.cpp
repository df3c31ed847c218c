// Finds values that no clause handles: patterns start as `_` and are split along the patterns of the clauses, until
// each is handled or cannot be split further.
#include "relayopt/relay/analysis/match_coverage.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr size_t kMaxListed = 3;
// Nodes of candidates that may be looked at in all.
constexpr size_t kMaxEffort = 1'000'000;

enum class Outcome : uint8_t { kClash, kMatch, kUnspecified };

class Coverage {
 public:
  Coverage(const Module& module, const MatchInfo& info) : module_(module), info_(info) {
    for (size_t i = 0; i < info.clauses.size(); ++i) {
      const Pattern& pattern = info.patterns[info.clauses[i].pattern];
      (pattern.kind == PatternKind::kConstructor ? by_constructor_[pattern.ctor] : others_).push_back(i);
      // What follows a clause that takes everything is never reached.
      if (pattern.kind == PatternKind::kWildcard || pattern.kind == PatternKind::kVar) break;
    }
  }

  auto Run(size_t limit) -> std::vector<MatchCase> {
    std::vector<MatchCase> missing;
    work_.push_back({CaseNode()});
    while (!work_.empty() && effort_ < kMaxEffort && missing.size() < limit) {
      const MatchCase candidate = std::move(work_.back());
      work_.pop_back();
      if (!IsHandled(candidate)) missing.push_back(candidate);
    }
    return missing;
  }

 private:
  // Whether the candidate needs no listing: a clause takes it, or it was split and its parts are queued.
  auto IsHandled(const MatchCase& candidate) -> bool {
    // In order, but without the clauses for other constructors, which may be as many as there are candidates.
    if (candidate[0].kind != PatternKind::kConstructor)
      return IsHandledBy(candidate, std::views::iota(size_t{0}, info_.clauses.size()));
    const auto own = by_constructor_.find(candidate[0].ctor);
    if (own == by_constructor_.end()) return IsHandledBy(candidate, others_);
    std::vector<size_t> clauses;
    std::ranges::merge(own->second, others_, std::back_inserter(clauses));
    return IsHandledBy(candidate, clauses);
  }
  template <typename Clauses>
  auto IsHandledBy(const MatchCase& candidate, const Clauses& clauses) -> bool {
    for (const size_t i : clauses) {
      const uint32_t pattern = info_.clauses[i].pattern;
      uint32_t open = 0;
      uint32_t against = 0;
      switch (Compare(candidate, pattern, open, against)) {
        case Outcome::kClash: continue;
        case Outcome::kMatch: return true;
        case Outcome::kUnspecified: Split(candidate, open, info_.patterns[against]); return true;
      }
    }
    return false;
  }

  // For kUnspecified, `open` is a wildcard of the candidate that faces pattern `against`.
  auto Compare(const MatchCase& candidate, uint32_t pattern, uint32_t& open, uint32_t& against) -> Outcome {
    Outcome outcome = Outcome::kMatch;
    std::vector<std::pair<uint32_t, uint32_t>> stack = {{0, pattern}};
    while (!stack.empty()) {
      const auto [at, index] = stack.back();
      stack.pop_back();
      ++effort_;
      const CaseNode& node = candidate[at];
      const Pattern& wanted = info_.patterns[index];
      if (wanted.kind == PatternKind::kWildcard || wanted.kind == PatternKind::kVar) continue;
      if (node.kind == PatternKind::kWildcard) {
        if (outcome == Outcome::kMatch) {
          open = at;
          against = index;
        }
        outcome = Outcome::kUnspecified;
        continue;
      }
      if (node.kind != wanted.kind || node.ctor != wanted.ctor || node.children.size() != wanted.num_children) {
        return Outcome::kClash;
      }
      for (uint32_t i = wanted.num_children; i-- > 0;) {
        stack.emplace_back(node.children[i], info_.children[wanted.first_child + i]);
      }
    }
    return outcome;
  }

  void Split(const MatchCase& candidate, uint32_t open, const Pattern& against) {
    if (against.kind == PatternKind::kTuple) {
      Push(candidate, open, PatternKind::kTuple, {}, against.num_children);
      return;
    }
    const auto& siblings = module_.type_def(module_.constructor(against.ctor).type_def).constructors;
    for (size_t i = siblings.size(); i-- > 0;) {
      Push(candidate, open, PatternKind::kConstructor, siblings[i], module_.constructor(siblings[i]).inputs.size());
    }
  }

  void Push(MatchCase candidate, uint32_t open, PatternKind kind, CtorId ctor, size_t arity) {
    effort_ += candidate.size();
    candidate[open].kind = kind;
    candidate[open].ctor = ctor;
    for (size_t i = 0; i < arity; ++i) {
      candidate[open].children.push_back(static_cast<uint32_t>(candidate.size()));
      candidate.emplace_back();
    }
    work_.push_back(std::move(candidate));
  }

  const Module& module_;
  const MatchInfo& info_;
  // The clauses whose pattern is a constructor, and all others, in order.
  absl::flat_hash_map<CtorId, std::vector<size_t>> by_constructor_;
  std::vector<size_t> others_;
  std::vector<MatchCase> work_;
  size_t effort_ = 0;
};

auto ToText(const Module& module, const MatchCase& candidate) -> std::string {
  // Either a node to write, or text.
  struct Item {
    uint32_t node;
    const char* text;
  };
  std::string out;
  std::vector<Item> stack = {{0, nullptr}};
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    if (item.text != nullptr) {
      out += item.text;
      continue;
    }
    const CaseNode& node = candidate[item.node];
    if (node.kind == PatternKind::kWildcard) out += '_';
    if (node.kind == PatternKind::kConstructor) {
      out += module.context().text(module.constructor(node.ctor).name);
    }
    if (node.kind != PatternKind::kTuple && node.children.empty()) continue;
    out += '(';
    stack.push_back({0, ")"});
    for (size_t i = node.children.size(); i-- > 0;) {
      stack.push_back({node.children[i], nullptr});
      if (i != 0) stack.push_back({0, ", "});
    }
  }
  return out;
}
}  // namespace

auto FindUnmatchedCases(const Module& module, const Function& function, ExprId match, size_t limit)
    -> std::vector<MatchCase> {
  return Coverage(module, function.match(match)).Run(limit);
}

auto UnmatchedCases(const Module& module, const Function& function, ExprId match) -> std::vector<std::string> {
  return MapToVector<std::string>(FindUnmatchedCases(module, function, match, kMaxListed),
                                  [&](const MatchCase& each) { return ToText(module, each); });
}

}  // namespace relayopt
