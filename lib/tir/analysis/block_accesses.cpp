// The regions that a block reads and writes.

#include <optional>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/analysis/buffer_accesses.h"
#include "relayopt/tir/analysis/conditional_walk.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

using arith::IntSet;

// An analyzer that knows nothing of the program. Most blocks need none, and making one takes longer than they do.
class LazyAnalyzer {
 public:
  explicit LazyAnalyzer(Terms& terms) : terms_(terms) {}
  auto Get() -> arith::Analyzer& {
    if (!made_) made_.emplace(terms_);
    return *made_;
  }

 private:
  Terms& terms_;
  std::optional<arith::Analyzer> made_;
};

// Regions by buffer, in the order in which buffers first occur.
class Regions {
 public:
  struct Entry {
    BufferId buffer;
    std::vector<IntSet> sets;
  };

  void Add(LazyAnalyzer& analyzer, BufferId buffer, std::vector<IntSet> sets) {
    const auto [at, is_new] = positions_.try_emplace(buffer, entries_.size());
    if (is_new) {
      entries_.push_back({buffer, std::move(sets)});
      return;
    }
    std::vector<IntSet>& mine = entries_[at->second].sets;
    for (size_t i = 0; i < mine.size(); ++i) {
      const IntSet both[] = {mine[i], sets[i]};
      mine[i] = arith::UnionSets(analyzer.Get(), both);
    }
  }
  auto contains(BufferId buffer) const -> bool { return positions_.contains(buffer); }
  auto entries() const -> const std::vector<Entry>& { return entries_; }

 private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<BufferId, size_t> positions_;
};

class AccessDetector {
 public:
  AccessDetector(const Stmt& body, const BuffersByData& known)
      : tables_(body.context().Part<Tables>()),
        terms_(tables_.terms()),
        analyzer_(terms_),
        known_(known),
        loops_(terms_),
        conditions_(terms_, loops_) {}

  auto Run(Stmt body) -> BlockAccesses {
    const auto block = body.As<Block>();
    if (block) NoteMatches(*block);
    Visit(body);
    BlockAccesses result;
    Collect(reads_, result.reads, block && block->has_init());
    Collect(writes_, result.writes, false);
    for (const Regions::Entry& entry : opaque_.entries()) {
      result.reads.push_back(RegionOf(entry));
      result.writes.push_back(RegionOf(entry));
      result.opaque.push_back(entry.buffer);
    }
    return result;
  }

 private:
  auto Known(PrimExpr data) const -> BufferId {
    if (const auto found = views_.find(data); found != views_.end()) return found->second.buffer;
    const auto found = known_.find(data);
    return found == known_.end() ? BufferId() : found->second;
  }

  void NoteMatches(const Block& block) {
    for (const BlockMatch& match : block.match_buffers()) {
      if (!Known(tables_.buffer(match.source.buffer).data)) continue;
      View view{match.buffer, match.source.buffer, {}};
      const Bounds bounds = block.bounds(match.source);
      for (size_t i = 0; i + 1 < bounds.size(); i += 2) view.ranges.push_back({bounds[i], bounds[i + 1]});
      views_[tables_.buffer(match.buffer).data] = std::move(view);
    }
  }

  void Visit(Stmt body) {
    const auto open = [&](Stmt stmt) {
      if (const auto realize = stmt.As<BlockRealize>()) {
        VisitNested(*realize);
        return false;
      }
      if (const auto loop = stmt.As<For>()) {
        loops_.Set(loop->loop_var(), arith::SetFromRange(terms_, {loop->min(), loop->extent()}));
      }
      if (const auto store = stmt.As<BufferStore>()) {
        Add(writes_, store->buffer(), Points(store->indices()));
      }
      for (const PrimExpr expr : stmt.exprs()) VisitExpr(expr);
      return true;
    };
    WalkUnderConditions(body, terms_, conditions_, open, [&](Stmt stmt) {
      if (const auto loop = stmt.As<For>()) loops_.Erase(loop->loop_var());
    });
  }

  // A nested block counts by its declared regions, with its variables replaced.
  void VisitNested(const BlockRealize& realize) {
    const Block block = realize.block();
    VarMap values;
    for (size_t i = 0; i < block.axes().size() && i < realize.values().size(); ++i) {
      values[block.axes()[i].var] = realize.values()[i];
    }
    const auto add = [&](std::span<const BlockRegion> regions, Regions& to) {
      for (const BlockRegion& region : regions) {
        std::vector<IntSet> sets;
        const Bounds bounds = block.bounds(region);
        for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
          const PrimExpr min = Substitute(terms_, bounds[i], values);
          sets.push_back(loops_.Eval(Range{min, Substitute(terms_, bounds[i + 1], values)}));
        }
        Add(to, region.buffer, std::move(sets));
      }
    };
    add(block.reads(), reads_);
    add(block.writes(), writes_);
  }

  // By its name, since most blocks have no such call and need not look the operator up.
  auto IsAccessPtr(PrimExpr e) const -> bool {
    if (terms_.kind(e) != PrimKind::kCall) return false;
    return terms_.context().text(terms_.op(terms_.call_op(e)).name) == "tir.tvm_access_ptr"_intrin;
  }

  void VisitExpr(PrimExpr root) {
    if (terms_.kind(root) == PrimKind::kIntImm) return;
    const auto visit = [&](PrimExpr e) -> std::span<const PrimExpr> {
      const std::span<const PrimExpr> operands = terms_.operands(e);
      if (terms_.is_var(e)) VisitPointer(e, opaque_);
      if (IsAccessPtr(e) && VisitAccessPtr(operands)) return {};
      if (terms_.kind(e) == PrimKind::kBufferLoad) Add(reads_, terms_.buffer(e), Points(operands));
      return operands;
    };
    const auto bind = [&](PrimExpr let, bool open) {
      const PrimExpr var = terms_.operand(let, 0);
      open ? loops_.Set(var, arith::PointSet(terms_.operand(let, 1))) : loops_.Erase(var);
    };
    WalkUnderConditions(root, terms_, conditions_, visit, bind);
  }

  // Whether the pointer and the mask of the call determine everything.
  auto VisitAccessPtr(std::span<const PrimExpr> args) -> bool {
    const std::optional<int64_t> mask = args.size() == 5 ? terms_.AsInt(args[4]) : std::nullopt;
    if (!mask || !terms_.is_var(args[1])) return false;
    if ((*mask & 3) == 3) VisitPointer(args[1], opaque_);
    if ((*mask & 3) == 1) VisitPointer(args[1], reads_);
    if ((*mask & 3) == 2) VisitPointer(args[1], writes_);
    return true;
  }

  // The whole buffer that the pointer belongs to.
  void VisitPointer(PrimExpr data, Regions& to) {
    const BufferId id = Known(data);
    if (!id) return;
    auto sets = MapToVector<IntSet>(tables_.buffer(id).shape, [&](PrimExpr extent) {
      return loops_.Eval(Range{terms_.IntImm(terms_.dtype(extent), 0), extent});
    });
    Add(to, id, std::move(sets));
  }

  auto Points(std::span<const PrimExpr> indices) -> std::vector<IntSet> {
    std::vector<IntSet> sets;
    for (const PrimExpr index : indices) {
      if (terms_.lanes(index) == 1) {
        sets.push_back(loops_.Eval(index));
        continue;
      }
      // The lanes of a vector, then the loops.
      const IntSet lanes = arith::SetFromVector(analyzer_.Get(), index);
      const PrimExpr ends[] = {lanes.min, lanes.max};
      const auto vars = loops_.For(ends);
      sets.push_back({arith::EvalSet(terms_, lanes.min, vars).min, arith::EvalSet(terms_, lanes.max, vars).max});
    }
    return sets;
  }

  void Add(Regions& to, BufferId buffer, std::vector<IntSet> sets) {
    const PrimExpr data = tables_.buffer(buffer).data;
    if (!Known(data)) return;
    const auto found = views_.find(data);
    if (found == views_.end()) return to.Add(analyzer_, buffer, std::move(sets));
    // Counts as an access to the part of the buffer that it is a view of.
    const View& view = found->second;
    const size_t offset = view.ranges.size() - sets.size();
    std::vector<IntSet> source;
    for (size_t i = 0; i < view.ranges.size(); ++i) {
      Range range = view.ranges[i];
      if (i >= offset) {
        const PrimExpr extent = tables_.buffer(buffer).shape[i - offset];
        const Range whole = {terms_.IntImm(terms_.dtype(extent), 0), extent};
        const Range part = arith::CoverRange(analyzer_.Get(), sets[i - offset], whole);
        range = {arith::Add(terms_, range.min, part.min), part.extent};
      }
      source.push_back(loops_.Eval(range));
    }
    to.Add(analyzer_, view.source, std::move(source));
  }

  void Collect(const Regions& regions, std::vector<BufferRegion>& result, bool without_written) {
    for (const Regions::Entry& entry : regions.entries()) {
      if (opaque_.contains(entry.buffer) || (without_written && writes_.contains(entry.buffer))) continue;
      result.push_back(RegionOf(entry));
    }
  }

  auto RegionOf(const Regions::Entry& entry) -> BufferRegion {
    BufferRegion region{entry.buffer, {}};
    for (size_t i = 0; i < entry.sets.size(); ++i) {
      const IntSet& set = entry.sets[i];
      const bool finite = arith::HasLower(terms_, set) && arith::HasUpper(terms_, set);
      if (finite && (set.is_point() || analyzer_.Get().CanProveEqual(set.min, set.max))) {
        region.ranges.push_back({set.min, arith::MakeConst(terms_, terms_.dtype(set.min), 1)});
        continue;
      }
      // As TVM: the 0 is an int32 whatever the extent.
      const Range whole = {terms_.Int32(0), tables_.buffer(entry.buffer).shape[i]};
      region.ranges.push_back(arith::CoverRange(analyzer_.Get(), set, whole));
    }
    return region;
  }

  struct View {
    BufferId buffer;
    BufferId source;
    std::vector<Range> ranges;
  };

  Tables& tables_;
  Terms& terms_;
  LazyAnalyzer analyzer_;
  const BuffersByData& known_;
  VarSets loops_;
  ConditionBounds conditions_;
  // Views of the block itself, by data variable.
  absl::flat_hash_map<PrimExpr, View> views_;
  Regions reads_;
  Regions writes_;
  Regions opaque_;
};

}  // namespace

auto DetectBlockAccesses(Stmt body, const BuffersByData& known) -> BlockAccesses {
  return AccessDetector(body, known).Run(body);
}

}  // namespace relayopt::tir
