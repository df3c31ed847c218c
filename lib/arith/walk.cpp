// Walks over terms.
#include "relayopt/arith/walk.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"

namespace relayopt::arith {

namespace {

// A set of terms that allocates nothing while it is small, as most terms are.
class SeenTerms {
 public:
  // Adds the term. Returns whether it was not in the set before.
  auto Insert(PrimExpr e) -> bool {
    if (many_.empty()) {
      if (std::ranges::find(few_, e) != few_.end()) return false;
      if (few_.size() < kFew) {
        few_.push_back(e);
        return true;
      }
      many_.insert(few_.begin(), few_.end());
    }
    return many_.insert(e).second;
  }

 private:
  static constexpr size_t kFew = 16;
  absl::InlinedVector<PrimExpr, kFew> few_;
  absl::flat_hash_set<PrimExpr> many_;
};

}  // namespace

auto PostOrder(const Terms& terms, std::span<const PrimExpr> roots) -> std::vector<PrimExpr> {
  struct Visit {
    PrimExpr e;
    uint32_t next;  // the operand to look at
  };
  std::vector<PrimExpr> out;
  out.reserve(8);
  absl::InlinedVector<Visit, 8> stack;
  SeenTerms seen;
  const auto enter = [&](PrimExpr e) {
    if (seen.Insert(e)) stack.push_back({e, 0});
  };
  for (const PrimExpr root : roots) {
    enter(root);
    while (!stack.empty()) {
      Visit& top = stack.back();
      const auto operands = terms.operands(top.e);
      if (top.next < operands.size()) {
        enter(operands[top.next++]);
      } else {
        out.push_back(top.e);
        stack.pop_back();
      }
    }
  }
  return out;
}

auto PostOrder(const Terms& terms, PrimExpr root) -> std::vector<PrimExpr> {
  return PostOrder(terms, std::span<const PrimExpr>(&root, 1));
}

auto UsesVar(const Terms& terms, PrimExpr e, const std::function<bool(PrimExpr)>& test) -> bool {
  for (const PrimExpr part : PostOrder(terms, e)) {
    if (terms.is_var(part) && test(part)) return true;
  }
  return false;
}

auto UsesVar(const Terms& terms, PrimExpr e, PrimExpr var) -> bool {
  return UsesVar(terms, e, [var](PrimExpr v) { return v == var; });
}

auto FreeVars(const Terms& terms, PrimExpr e) -> std::vector<PrimExpr> {
  const std::vector<PrimExpr> parts = PostOrder(terms, e);
  absl::flat_hash_set<PrimExpr> bound;
  for (const PrimExpr part : parts) {
    if (terms.kind(part) == PrimKind::kLet) bound.insert(terms.operand(part, 0));
  }
  std::vector<PrimExpr> out;
  for (const PrimExpr part : parts) {
    if (terms.is_var(part) && !bound.contains(part)) out.push_back(part);
  }
  return out;
}

auto Complexity(const Terms& terms, PrimExpr e) -> uint64_t {
  absl::flat_hash_map<PrimExpr, uint64_t> sizes;
  uint64_t size = 0;
  for (const PrimExpr part : PostOrder(terms, e)) {
    size = 1;
    for (const PrimExpr operand : terms.operands(part)) {
      if (__builtin_add_overflow(size, sizes[operand], &size)) size = std::numeric_limits<uint64_t>::max();
    }
    sizes[part] = size;
  }
  return size;
}

namespace {

// Rebuilds the terms below `root`, bottom-up, into `done`. For a term whose operands need no visit, `leave` returns its
// replacement.
template <typename Enter, typename Finish>
auto Rebuild(Terms& terms, PrimExpr root, absl::flat_hash_map<PrimExpr, PrimExpr>& done, Enter enter, Finish finish)
    -> PrimExpr {
  std::vector<PrimExpr> stack = {root};
  std::vector<PrimExpr> operands;
  while (!stack.empty()) {
    const PrimExpr e = stack.back();
    if (done.contains(e)) {
      stack.pop_back();
      continue;
    }
    if (const PrimExpr to = enter(e)) {
      done.emplace(e, to);
      stack.pop_back();
      continue;
    }
    const size_t pending = stack.size();
    const auto old = terms.operands(e);
    const size_t first = terms.kind(e) == PrimKind::kLet ? 1 : 0;  // the variable that a Let binds stays
    for (size_t i = old.size(); i-- > first;) {
      if (!done.contains(old[i])) stack.push_back(old[i]);
    }
    if (stack.size() != pending) continue;
    operands.assign(old.begin(), old.end());
    for (size_t i = first; i < operands.size(); ++i) operands[i] = done.find(operands[i])->second;
    const PrimExpr made = finish(terms.WithOperands(e, operands));
    done.emplace(e, made);
    stack.pop_back();
  }
  return done.find(root)->second;
}

}  // namespace

struct Substitution::Maps {
  absl::flat_hash_map<PrimExpr, PrimExpr> bound;
  absl::flat_hash_map<PrimExpr, PrimExpr> done;
};

Substitution::Substitution(Terms& terms) : terms_(terms), maps_(std::make_unique<Maps>()) {}
Substitution::~Substitution() = default;

void Substitution::Bind(PrimExpr from, PrimExpr to) {
  RELAYOPT_CHECK(terms_.dtype(from) == terms_.dtype(to), "a term is replaced by one of its type");
  maps_->bound[from] = to;
  maps_->done.clear();
}

auto Substitution::empty() const -> bool { return maps_->bound.empty(); }

auto Substitution::Apply(PrimExpr e) -> PrimExpr {
  if (maps_->bound.empty()) return e;
  const auto enter = [this](PrimExpr part) {
    const auto found = maps_->bound.find(part);
    return found == maps_->bound.end() ? PrimExpr() : found->second;
  };
  return Rebuild(terms_, e, maps_->done, enter, [](PrimExpr part) { return part; });
}

}  // namespace relayopt::arith
