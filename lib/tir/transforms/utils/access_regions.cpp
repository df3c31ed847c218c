// The region of each buffer that is accessed during its lifetime.
//
// The statements are walked with the loops and threads around each position. An access is evaluated with the loops
// inside of the buffer's definition running through their ranges, those outside fixed; but threads that share the
// memory run, too. Conditions narrow the ranges (ConditionBounds).
//
//   for i in range(16):
//       B = T.alloc_buffer((16, 16))
//       for j in range(4, 8):
//           B[i, j] = ...            B: i in [i, i + 1), j in [4, 8)
#include "lib/tir/transforms/utils/access_regions.h"

#include <algorithm>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/iter_map.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/analysis/conditional_walk.h"
#include "relayopt/tir/analysis/storage_scope.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

using arith::IntSet;

constexpr DiagnosticKind kCompactNotOpaque{"compact-buffer-block", Severity::kError,
                                           "tir.CompactBufferAllocation: a block still has {}: run {} first"};
constexpr DiagnosticKind kNotAccessed{"compact-buffer-unused", Severity::kError,
                                      "buffer {} is allocated but not accessed"};
constexpr DiagnosticKind kAliased{"compact-buffer-alias", Severity::kError,
                                  "buffer {}, which a block allocates, shares its memory with another one"};
constexpr DiagnosticKind kAllocatedTwice{"compact-buffer-twice", Severity::kError, "buffer {} is allocated twice"};

// If there are more loops around than this, only those that an access mentions are considered.
constexpr size_t kManyLoops = 64;

class RegionCollector {
 public:
  RegionCollector(const PrimFunc& func, bool is_strict)
      : func_(func),
        tables_(func.tables()),
        terms_(func.terms()),
        analyzer_(terms_),
        is_strict_(is_strict),
        domains_(terms_),
        conditions_(terms_, domains_) {
    CollectBuffers();
  }

  auto Run() -> Result<AccessedRegions> {
    const auto open = [this](Stmt stmt) {
      if (!fault_) Open(stmt);
      return !fault_.has_value();
    };
    const auto close = [this](Stmt stmt) {
      if (!fault_) Close(stmt);
    };
    WalkUnderConditions(func_.body(), terms_, conditions_, open, close);
    if (fault_) return *std::move(fault_);
    return std::move(result_);
  }

 private:
  // A loop or a thread that is open.
  struct Iteration {
    PrimExpr var;
    // For a thread.
    std::optional<ThreadScope> thread;
    // The previous set of its variable.
    std::optional<IntSet> before;
  };
  // The regions that a block declares to access.
  struct Annotation {
    StmtId block;
    std::vector<std::vector<Range>> regions;
  };

  void Fault(KindFor<std::string_view> kind, Stmt stmt, BufferId buffer) {
    if (!fault_) {
      fault_ = MakeDiagnostic(kind, stmt.range(), func_.context().text(tables_.buffer(buffer).name));
    }
  }

  // Collects the buffers of each data variable, in the order of first occurrence.
  void CollectBuffers() {
    absl::flat_hash_set<BufferId> seen;
    const auto add = [&](BufferId buffer) {
      if (seen.insert(buffer).second) buffers_[tables_.buffer(buffer).data].push_back(buffer);
    };
    TermVisitor visitor(terms_);
    for (StmtId id(0U); id.value() < func_.size(); ++id) {
      const Stmt stmt = func_.stmt(id);
      if (const auto store = stmt.As<BufferStore>()) {
        add(store->buffer());
        written_.insert(tables_.buffer(store->buffer()).data);
      }
      if (const auto decl = stmt.As<DeclBuffer>()) add(decl->buffer());
      if (const auto block = stmt.As<Block>()) {
        for (const BufferId buffer : block->alloc_buffers()) add(buffer);
        for (const BlockMatch& match : block->match_buffers()) {
          add(match.buffer);
          add(match.source.buffer);
        }
      }
      for (const PrimExpr expr : stmt.exprs()) {
        visitor.Visit(expr, [&](PrimExpr part) {
          if (terms_.kind(part) == PrimKind::kBufferLoad) add(terms_.buffer(part));
          if (terms_.is_var(part)) written_.insert(part);
        });
      }
    }
  }

  void Open(Stmt stmt) {
    switch (stmt.kind()) {
      case StmtKind::kFor: {
        const For loop(stmt);
        const Range range = {loop.min(), loop.extent()};
        std::optional<ThreadScope> thread;
        if (loop.for_kind() == ForKind::kThreadBinding) thread = ThreadOf(loop.thread_binding());
        OpenIteration(loop.loop_var(), range, thread);
        break;
      }
      case StmtKind::kAttr: OpenThread(AttrStmt(stmt)); break;
      case StmtKind::kStore: {
        // As TVM: loads in its indices are ignored.
        const BufferStore store(stmt);
        Access(store.buffer(), PointRegion(store.buffer(), store.indices()));
        VisitExpr(store.value());
        return;
      }
      case StmtKind::kBlockRealize: conditions_.Enter(BlockRealize(stmt).predicate()); break;
      case StmtKind::kBlock: OpenBlock(Block(stmt)); break;
      case StmtKind::kAllocate:
        if (const BufferId buffer = OnlyBuffer(Allocate(stmt))) return Define(stmt, buffer);
        break;
      default: break;
    }
    for (const PrimExpr expr : stmt.exprs()) VisitExpr(expr);
    if (const auto let = stmt.As<LetStmt>()) BindLet(let->var(), let->value());
  }

  void Close(Stmt stmt) {
    switch (stmt.kind()) {
      case StmtKind::kFor: CloseIteration(); break;
      case StmtKind::kAttr:
        if (AttrStmt(stmt).launched_thread()) CloseIteration();
        break;
      case StmtKind::kLet: domains_.Erase(LetStmt(stmt).var()); break;
      case StmtKind::kBlockRealize: conditions_.Leave(); break;
      case StmtKind::kBlock: CloseBlock(Block(stmt)); break;
      case StmtKind::kAllocate:
        if (const BufferId buffer = OnlyBuffer(Allocate(stmt))) Finish(stmt, buffer);
        break;
      default: break;
    }
  }

  auto ThreadOf(IterVarId iter) const -> std::optional<ThreadScope> {
    return ParseThreadScope(func_.context().text(tables_.iter_var(iter).thread_tag));
  }

  void OpenThread(AttrStmt attr) {
    if (!attr.launched_thread()) return;
    const IterVar& iter = tables_.iter_var(attr.node().iter_var());
    Range range = iter.domain;
    if (!range.extent) range = {arith::MakeZero(terms_, terms_.dtype(attr.value())), attr.value()};
    OpenIteration(iter.var, range,
                  iter.type == IterType::kThreadIndex ? ThreadOf(attr.node().iter_var()) : std::nullopt);
  }

  void OpenIteration(PrimExpr var, const Range& range, std::optional<ThreadScope> thread) {
    const IntSet* before = domains_.Find(var);
    depths_[var] = iterations_.size();
    iterations_.push_back({var, thread, before != nullptr ? std::optional(*before) : std::nullopt});
    analyzer_.Bind(var, range);
    domains_.Set(var, arith::SetFromRange(terms_, range));
  }

  void CloseIteration() {
    const Iteration iteration = iterations_.back();
    iterations_.pop_back();
    depths_.erase(iteration.var);
    iteration.before ? domains_.Set(iteration.var, *iteration.before) : domains_.Erase(iteration.var);
  }

  void BindLet(PrimExpr var, PrimExpr value) {
    if (!arith::IsIndexType(terms_.dtype(value))) return;
    analyzer_.BindLet(var, value);
    domains_.Set(var, arith::PointSet(value));
  }

  // Returns the only buffer on the allocated variable, if it is of the type that is allocated.
  auto OnlyBuffer(Allocate alloc) const -> BufferId {
    const auto found = buffers_.find(alloc.buffer_var());
    if (found == buffers_.end() || found->second.size() != 1) return {};
    const BufferId buffer = found->second[0];
    return tables_.buffer(buffer).dtype == alloc.dtype() ? buffer : BufferId();
  }

  void OpenBlock(Block block) {
    if (block.has_init() && !fault_) {
      fault_ = MakeDiagnostic(kCompactNotOpaque, block.range(), "an initialisation", "tir.LowerInitBlock");
    }
    if (!block.axes().empty() && !fault_) {
      fault_ = MakeDiagnostic(kCompactNotOpaque, block.range(), "iteration variables", "tir.ConvertBlocksToOpaque");
    }
    for (const auto regions : {block.reads(), block.writes()}) {
      for (const BlockRegion& region : regions) {
        std::vector<Annotation>& list = annotations_[region.buffer];
        if (list.empty() || list.back().block != block.id()) list.push_back({block.id(), {}});
        list.back().regions.push_back(RangesOf(block, region));
      }
    }
    for (const BufferId buffer : block.alloc_buffers()) {
      if (buffers_.at(tables_.buffer(buffer).data).size() != 1) Fault(kAliased, block, buffer);
      Define(block, buffer);
    }
    for (const BlockMatch& match : block.match_buffers()) Access(match.source.buffer, RangesOf(block, match.source));
  }

  void CloseBlock(Block block) {
    for (const auto regions : {block.reads(), block.writes()}) {
      for (const BlockRegion& region : regions) {
        std::vector<Annotation>& list = annotations_[region.buffer];
        if (!list.empty() && list.back().block == block.id()) list.pop_back();
      }
    }
    for (const BufferId buffer : block.alloc_buffers()) Finish(block, buffer);
  }

  static auto RangesOf(const Block& block, const BlockRegion& region) -> std::vector<Range> {
    std::vector<Range> ranges;
    const Bounds bounds = block.bounds(region);
    for (size_t i = 0; i + 1 < bounds.size(); i += 2) ranges.push_back({bounds[i], bounds[i + 1]});
    return ranges;
  }

  void Define(Stmt stmt, BufferId buffer) {
    const bool is_new = definitions_.try_emplace(tables_.buffer(buffer).data, iterations_.size()).second;
    if (!is_new) Fault(kAllocatedTwice, stmt, buffer);
  }

  void VisitExpr(PrimExpr root) {
    const auto visit = [&](PrimExpr e) -> std::span<const PrimExpr> {
      const std::span<const PrimExpr> operands = terms_.operands(e);
      if (terms_.is_var(e)) AccessPointer(e);
      if (terms_.IsCall(e, address_of_) && terms_.kind(operands[0]) == PrimKind::kBufferLoad) {
        // Accesses through an address are unknown here.
        AccessPointer(tables_.buffer(terms_.buffer(operands[0])).data);
        return terms_.operands(operands[0]);
      }
      if (terms_.kind(e) == PrimKind::kBufferLoad) Access(terms_.buffer(e), PointRegion(terms_.buffer(e), operands));
      return operands;
    };
    const auto bind = [&](PrimExpr let, bool open) {
      const PrimExpr var = terms_.operand(let, 0);
      open ? BindLet(var, terms_.operand(let, 1)) : domains_.Erase(var);
    };
    WalkUnderConditions(root, terms_, conditions_, visit, bind);
  }

  auto WholeRegion(BufferId buffer) const -> std::vector<Range> {
    return MapToVector<Range>(tables_.buffer(buffer).shape, [&](PrimExpr extent) {
      return Range{arith::MakeZero(terms_, terms_.dtype(extent)), extent};
    });
  }

  // One element, or those of a ramp.
  auto PointRegion(BufferId buffer, std::span<const PrimExpr> indices) const -> std::vector<Range> {
    std::vector<Range> ranges = WholeRegion(buffer);
    for (size_t i = 0; i < indices.size(); ++i) {
      const PrimExpr index = indices[i];
      if (terms_.kind(index) == PrimKind::kRamp) {
        const PrimExpr stride = terms_.operand(index, 1);
        const PrimExpr lanes = arith::MakeConst(terms_, terms_.dtype(stride), terms_.lanes(index));
        ranges[i] = {terms_.operand(index, 0), arith::Mul(terms_, stride, lanes)};
      } else if (terms_.lanes(index) == 1) {
        ranges[i] = {index, arith::MakeConst(terms_, terms_.dtype(index), 1)};
      }
    }
    return ranges;
  }

  // The pointer is used: what the innermost block declares, else all of the buffer.
  void AccessPointer(PrimExpr var) {
    const auto found = buffers_.find(var);
    if (found == buffers_.end()) return;
    for (const BufferId buffer : found->second) {
      const auto list = annotations_.find(buffer);
      if (list == annotations_.end() || list->second.empty()) {
        Access(buffer, WholeRegion(buffer));
        continue;
      }
      for (const std::vector<Range>& region : list->second.back().regions) Access(buffer, region);
    }
  }

  // Whether the variable runs during the lifetime of the buffer that is defined at this depth.
  auto IsRelaxed(PrimExpr var, size_t depth, const StorageScope& scope) const -> bool {
    const auto found = depths_.find(var);
    if (found == depths_.end() || found->second >= depth) return true;
    const std::optional<ThreadScope>& thread = iterations_[found->second].thread;
    if (!thread) return false;
    // The first dimension of threads is the position in the warp.
    if (scope.rank == StorageRank::kWarp) return thread->rank == 1 && thread->dimension == 0;
    return static_cast<int>(scope.rank) <= thread->rank;
  }

  // Returns the variables that run, with their ranges.
  auto RelaxedVars(BufferId buffer, size_t depth, std::span<const Range> region) -> std::vector<arith::IterRange> {
    const StorageScope scope = ParseStorageScope(tables_.Scope(buffer)).value_or(StorageScope());
    std::vector<PrimExpr> exprs;
    for (const Range& range : region) exprs.insert(exprs.end(), {range.min, range.extent});
    std::vector<arith::IterRange> vars;
    absl::flat_hash_set<PrimExpr> seen;
    const auto add = [&](PrimExpr var, const IntSet& set) {
      if (!seen.insert(var).second || !IsRelaxed(var, depth, scope)) return;
      const Range none = {terms_.Int32(0), terms_.Int32(0)};
      vars.push_back({var, arith::CoverRange(analyzer_, set, none)});
    };
    for (const PrimExpr condition : conditions_.pending()) exprs.push_back(condition);
    for (const auto& [var, set] : domains_.For(exprs)) add(var, set);
    // As TVM: whether iteration maps can be used depends on all loops around.
    if (iterations_.size() <= kManyLoops) {
      for (const Iteration& iteration : iterations_) add(iteration.var, *domains_.Find(iteration.var));
    }
    return vars;
  }

  // Whether the value of a term may differ at another access: it was loaded from what the function writes.
  auto Varies(PrimExpr e) const -> bool {
    return std::ranges::any_of(arith::PostOrder(terms_, e), [&](PrimExpr part) {
      return terms_.kind(part) == PrimKind::kBufferLoad && written_.contains(tables_.buffer(terms_.buffer(part)).data);
    });
  }

  void Access(BufferId buffer, std::vector<Range> region) {
    const auto definition = definitions_.find(tables_.buffer(buffer).data);
    if (definition == definitions_.end()) return;
    for (size_t i = 0; i < region.size(); ++i) {
      if (Varies(region[i].min) || Varies(region[i].extent)) region[i] = WholeRegion(buffer)[i];
    }
    PrimExpr predicate = terms_.Bool(true);
    for (PrimExpr condition : conditions_.pending()) {
      if (!arith::IsBool(terms_.dtype(condition))) {
        condition = arith::Ne(terms_, condition, arith::MakeZero(terms_, terms_.dtype(condition)));
      }
      predicate = arith::And(terms_, predicate, condition);
    }
    predicate = analyzer_.Simplify(predicate);
    const std::vector<arith::IterRange> vars = RelaxedVars(buffer, definition->second, region);
    std::vector<IntSet> sets = arith::EstimateRegionUpperBound(analyzer_, region, vars, predicate);
    const auto [at, is_new] = accessed_.try_emplace(buffer, sets);
    if (is_new) return;
    for (size_t i = 0; i < sets.size(); ++i) {
      const IntSet both[] = {at->second[i], sets[i]};
      at->second[i] = arith::UnionSets(analyzer_, both);
    }
  }

  // The buffer's definition ends.
  void Finish(Stmt stmt, BufferId id) {
    const auto found = accessed_.find(id);
    if (found == accessed_.end()) return Fault(kNotAccessed, stmt, id);
    const Buffer& buffer = tables_.buffer(id);
    AccessedRegion region{id, {}};
    for (size_t i = 0; i < found->second.size(); ++i) {
      region.ranges.push_back(FinalRange(found->second[i], buffer.shape[i]));
    }
    result_[buffer.data] = std::move(region);
  }

  auto FinalRange(const IntSet& set, PrimExpr extent) -> Range {
    const Range whole = {arith::MakeZero(terms_, terms_.dtype(extent)), extent};
    Range range = arith::CoverRange(analyzer_, set, whole);
    if (is_strict_) {
      range.min = arith::Max(terms_, terms_.Int32(0), range.min);
      if (!analyzer_.CanProveLessEqualThanSymbolicShapeValue(range.extent, extent)) {
        range.extent = arith::Min(terms_, extent, range.extent);
      }
    }
    range = {analyzer_.Simplify(range.min), analyzer_.Simplify(range.extent)};
    if (terms_.effect(range.extent) > arith::CallEffect::kPure) return whole;
    const bool varies = arith::UsesVar(terms_, range.extent, [&](PrimExpr var) { return depths_.contains(var); });
    if (!varies) return range;
    const int64_t bound = analyzer_.Bound(range.extent).max;
    if (bound == arith::ConstBound::kPosInf) return whole;
    return {range.min, arith::MakeConst(terms_, terms_.dtype(range.extent), bound)};
  }

  const PrimFunc& func_;
  Tables& tables_;
  Terms& terms_;
  arith::CallOpId address_of_ = terms_.Intrinsic("tir.address_of"_intrin);
  // Knows the ranges of loops.
  arith::Analyzer analyzer_;
  bool is_strict_;
  VarSets domains_;
  ConditionBounds conditions_;
  absl::flat_hash_map<PrimExpr, std::vector<BufferId>> buffers_;
  // Data variables of buffers that are stored to, or whose pointer is used otherwise.
  absl::flat_hash_set<PrimExpr> written_;
  std::vector<Iteration> iterations_;
  // The positions of open iterations in `iterations_`, by variable.
  absl::flat_hash_map<PrimExpr, size_t> depths_;
  // The number of open iterations where a data variable was defined.
  absl::flat_hash_map<PrimExpr, size_t> definitions_;
  absl::flat_hash_map<BufferId, std::vector<Annotation>> annotations_;
  absl::flat_hash_map<BufferId, std::vector<IntSet>> accessed_;
  AccessedRegions result_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

auto CollectAccessedRegions(const PrimFunc& func, bool is_strict) -> Result<AccessedRegions> {
  return RegionCollector(func, is_strict).Run();
}

}  // namespace relayopt::tir
