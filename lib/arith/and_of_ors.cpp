// Conditions as a conjunction of disjunctions, with parts that are equal or contradict each other merged.
#include <algorithm>

#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

// A disjunction.
using Chunk = std::vector<PrimExpr>;

// Distributing disjunctions over conjunctions can double the number of chunks at each step. A condition with more
// chunks than this is left as it is.
constexpr size_t kMaxChunks = 256;

// Returns all ways to choose one part of each side.
auto Distribute(const std::vector<Chunk>& a, const std::vector<Chunk>& b) -> std::vector<Chunk> {
  std::vector<Chunk> out;
  for (const Chunk& x : a) {
    for (const Chunk& y : b) {
      out.push_back(x);
      out.back().insert(out.back().end(), y.begin(), y.end());
    }
  }
  return out;
}

// Returns the chunks of a condition, found from its leaves, or nothing if there are too many.
auto ChunksOf(const Terms& terms, PrimExpr e) -> std::optional<std::vector<Chunk>> {
  struct Task {
    PrimExpr e;
    bool joins = false;
  };
  std::vector<Task> tasks = {{e}};
  std::vector<std::vector<Chunk>> results;
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    const PrimKind kind = terms.kind(task.e);
    if (kind != kAnd && kind != kOr) {
      results.push_back({{task.e}});
    } else if (!task.joins) {
      tasks.push_back({task.e, true});
      tasks.push_back({terms.operand(task.e, 1)});
      tasks.push_back({terms.operand(task.e, 0)});
    } else {
      const std::vector<Chunk> b = std::move(results.back());
      results.pop_back();
      std::vector<Chunk>& a = results.back();
      if (kind == kAnd) {
        a.insert(a.end(), b.begin(), b.end());
      } else {
        if (a.size() * b.size() > kMaxChunks) return std::nullopt;
        a = Distribute(a, b);
      }
    }
    if (!results.empty() && results.back().size() > kMaxChunks) return std::nullopt;
  }
  std::vector<Chunk> out;
  for (Chunk& chunk : results.back()) {
    Chunk distinct;
    for (const PrimExpr part : chunk) {
      if (std::find(distinct.begin(), distinct.end(), part) == distinct.end()) distinct.push_back(part);
    }
    const auto same = [&](const Chunk& other) {
      return std::is_permutation(other.begin(), other.end(), distinct.begin(), distinct.end());
    };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(distinct));
  }
  return out;
}

// A chunk with true has no effect, false in a chunk adds nothing; an empty chunk makes all false.
void Clean(const Terms& terms, std::vector<Chunk>& chunks) {
  for (Chunk& chunk : chunks) {
    const bool holds = std::any_of(chunk.begin(), chunk.end(), [&](PrimExpr e) { return terms.IsInt(e, 1); });
    if (holds) {
      chunk = {*std::find_if(chunk.begin(), chunk.end(), [&](PrimExpr e) { return terms.IsInt(e, 1); })};
      continue;
    }
    std::erase_if(chunk, [&](PrimExpr e) { return terms.IsInt(e, 0); });
    if (chunk.empty()) {
      chunks = {{}};
      return;
    }
  }
  std::erase_if(chunks, [&](const Chunk& chunk) { return chunk.size() == 1 && terms.IsInt(chunk[0], 1); });
}

// The parts in which two chunks differ, when they differ in exactly one part each.
struct Distinct {
  size_t a, b;
};
auto OneDistinct(const Chunk& a, const Chunk& b) -> std::optional<Distinct> {
  if (a.size() != b.size()) return std::nullopt;
  const auto lacking = [](const Chunk& x, const Chunk& y) -> std::optional<size_t> {
    std::optional<size_t> found;
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::find(y.begin(), y.end(), x[i]) != y.end()) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  };
  const auto i = lacking(a, b);
  const auto j = lacking(b, a);
  if (!i || !j) return std::nullopt;
  return Distinct{*i, *j};
}

auto Contains(const Chunk& all, const Chunk& some) -> bool {
  return std::all_of(some.begin(), some.end(),
                     [&](PrimExpr e) { return std::find(all.begin(), all.end(), e) != all.end(); });
}

// Simplifies a conjunction of disjunctions by pairs: first two parts of one chunk, then two chunks.
class PairSimplifier {
 public:
  PairSimplifier(Terms& terms, Analyzer& analyzer)
      : terms_(terms), analyzer_(analyzer), yes_(terms.Bool(true)), no_(terms.Bool(false)) {}

  void SimplifyWithin(Chunk& chunk) {
    for (size_t i = 0; i < chunk.size(); ++i) {
      for (size_t j = i + 1; j < chunk.size(); ++j) Join(kOr, no_, chunk[i], chunk[j]);
    }
  }

  void SimplifyBetween(Chunk& a, Chunk& b) {
    if (a.size() == 1 && b.size() == 1) {
      Join(kAnd, yes_, a[0], b[0]);
    } else if (Contains(b, a)) {
      b = {yes_};
    } else if (Contains(a, b)) {
      a = {yes_};
    } else if (const auto distinct = OneDistinct(a, b)) {
      // If a shared part holds, so do both chunks: the differing parts matter only if no shared part holds.
      PrimExpr known = yes_;
      for (size_t k = 0; k < a.size(); ++k) {
        if (k != distinct->a) known = Fold(terms_, kAnd, known, analyzer_.Simplify(Not(terms_, a[k])));
      }
      const auto scope = analyzer_.Assume(known);
      Join(kAnd, yes_, a[distinct->a], b[distinct->b]);
    }
  }

  auto Conjunction(const std::vector<Chunk>& chunks) -> PrimExpr {
    PrimExpr out = yes_;
    for (const Chunk& chunk : chunks) {
      PrimExpr any = no_;
      for (const PrimExpr part : chunk) any = Fold(terms_, kOr, any, part);
      out = Fold(terms_, kAnd, out, any);
    }
    return out;
  }

 private:
  // Simplifies `a kind b` where that helps; a result of another kind becomes `b`, and `a` the neutral element.
  void Join(PrimKind kind, PrimExpr neutral, PrimExpr& a, PrimExpr& b) {
    const PrimExpr joint = Fold(terms_, kind, a, b);
    const PrimExpr t = analyzer_.RewriteSimplify(joint);
    if (t == joint) return;
    const bool is_kind = terms_.kind(t) == kind;
    a = is_kind ? terms_.operand(t, 0) : neutral;
    b = is_kind ? terms_.operand(t, 1) : t;
  }

  Terms& terms_;
  Analyzer& analyzer_;
  PrimExpr yes_;
  PrimExpr no_;
};

}  // namespace

auto RewriteSimplifier::SimplifyAsAndOfOrs(PrimExpr e) -> PrimExpr {
  const uint32_t all_flags = flags;
  flags &= ~uint32_t{kConvertBooleanToAndOfOrs};
  // Results found without the flag are not those of visits with it.
  PushLayer();
  PrimExpr result = analyzer_.Simplify(e);
  if (auto chunks = ChunksOf(terms_, result)) {
    PairSimplifier pairs(terms_, analyzer_);
    for (Chunk& chunk : *chunks) pairs.SimplifyWithin(chunk);
    Clean(terms_, *chunks);
    for (size_t i = 0; i < chunks->size(); ++i) {
      for (size_t j = i + 1; j < chunks->size(); ++j) pairs.SimplifyBetween((*chunks)[i], (*chunks)[j]);
    }
    Clean(terms_, *chunks);
    result = pairs.Conjunction(*chunks);
  }
  PopLayer();
  flags = all_flags;
  return result;
}

}  // namespace relayopt::arith
