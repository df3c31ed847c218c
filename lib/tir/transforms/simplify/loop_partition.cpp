// LoopPartition: a loop becomes up to three, so that in the middle one conditions are known to hold.
//
// For a loop over i from min to max whose body has `likely(c)` with i in c, an interval of i is found in which c is
// true whatever the loops inside do (or false, if there is none). The loop is cut at its ends b and p; in the middle
// the conditions are literals, and the pieces are tried again:
//
//   for i in range(n):                      for i in range(T.min(m, n)):
//       if T.likely(i < m):        ->           if T.bool(True):
//           A[i] = 0                                A[i] = 0
//                                           for i in range(n - m):
//                                               if i + T.min(m, n) < m:
//                                                   A[i + T.min(m, n)] = 0
//
// A block index of threads cannot be cut; there a branch inside of the innermost thread
// replaces the pieces. In the end no `likely` remains. A loop with n known conditions and
// its pieces are cut n times at most: a piece that does not get simpler would be cut
// forever. Pieces are statements of the builder, which is walked with a stack of its own.
#include <algorithm>
#include <memory>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/partition_conditions.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/walk.h"
#include "relayopt/pass/growth.h"
#include "relayopt/pass/remarks.h"

namespace relayopt::tir {

namespace {

struct PartitionOptions {
  bool partition_const_loop = false;
  bool no_unroll_loop_with_extent_one = false;
  bool unroll_loop_with_partition_hint_no_interval = false;
  static constexpr std::string_view kConfigKey = "tir.LoopPartition";
  static constexpr auto Fields() {
    return std::array{
        Option<&PartitionOptions::partition_const_loop>("loops with literal bounds, too"),
        Option<&PartitionOptions::no_unroll_loop_with_extent_one>("keep loops of one iteration"),
        Option<&PartitionOptions::unroll_loop_with_partition_hint_no_interval>(
            "unroll a loop with pragma_loop_partition_hint that cannot be cut"),
    };
  }
};

class LoopPartitioner {
 public:
  LoopPartitioner(const PrimFunc& func, const PartitionOptions& options, int64_t limit)
      : func_(func),
        options_(options),
        context_(func.context()),
        terms_(func.terms()),
        tables_(func.tables()),
        builder_(context_),
        analyzer_(terms_),
        selector_(context_, options.partition_const_loop),
        limit_(static_cast<size_t>(limit)) {}

  // Where a loop was not cut because the result would have been too large.
  auto too_large() const -> std::optional<SourceRange> { return too_large_; }

  auto Run() -> PrimFunc {
    const StmtId root = builder_.CopyTree(func_.body());
    selector_.Visit(builder_.stmt(root));
    Start(root);
    while (!frames_.empty()) Step();
    return {func_.info(), builder_.Finish(done_.back())};
  }

 private:
  // A statement whose parts are being walked, or the pieces that a loop became.
  struct Frame {
    StmtId stmt;
    bool is_partition = false;
    uint32_t next = 0;
    uint32_t first_done = 0;
    std::vector<StmtId> pieces = {};
    // For each piece, whether it is partitioned further.
    std::vector<bool> walked = {};
    // For an unrolled loop: the end of its range.
    PrimExpr unrolled_extent = {};
  };
  // The replacement of a loop.
  struct Cut {
    std::vector<StmtId> pieces;
    std::vector<bool> walked;
    PrimExpr unrolled_extent = {};
  };
  // The bound between the middle piece of a loop and the piece before or after it, and that piece.
  struct Piece {
    PrimExpr bound;
    StmtId stmt = {};  // none if it has no iterations, or if the loop is a thread
    bool walked = true;
  };
  struct Loop {
    StmtId stmt;
    PrimExpr var;
    PrimExpr min;
    PrimExpr max;
    StmtId body;
    bool is_thread;
  };

  void Start(StmtId id);
  void Step();
  auto TryCut(const Loop& loop) -> std::optional<Cut>;
  auto Middle(std::span<const KnownCondition> known, const Loop& loop, bool value)
      -> std::optional<std::pair<arith::IntSet, VarMap>>;
  auto PieceBefore(const Loop& loop, const arith::IntSet& middle) -> Piece;
  auto PieceAfter(const Loop& loop, const arith::IntSet& middle, PrimExpr begin) -> Piece;
  auto Pieces(const Loop& loop, const arith::IntSet& middle, const VarMap& conditions) -> Cut;
  auto BranchInThreads(const Loop& loop, PrimExpr begin, PrimExpr end, const VarMap& conditions) -> StmtId;
  auto MakeLoop(For like, PrimExpr extent, StmtId body) -> StmtId;
  auto Shifted(StmtId body, PrimExpr var, PrimExpr by) -> StmtId {
    return Substitute(builder_, builder_.stmt(body), {{var, arith::Add(terms_, var, by)}});
  }
  auto One(PrimExpr like) -> PrimExpr { return terms_.IntImm(terms_.dtype(like), 1); }
  // [0, extent - 1] or the like.
  auto Interval(PrimExpr min, PrimExpr extent) -> arith::IntSet {
    return {min, arith::Sub(terms_, arith::Add(terms_, min, extent), One(extent))};
  }
  // Whether a number cannot be negative if its variables are not.
  auto IsNonNegativeInSizes(PrimExpr number) -> bool {
    arith::Analyzer sizes(terms_);
    for (const PrimExpr part : arith::PostOrder(terms_, number)) {
      if (terms_.is_var(part)) sizes.MarkGlobalNonNegative(part);
    }
    return sizes.CanProve(arith::Ge(terms_, number, terms_.IntImm(terms_.dtype(number), 0)));
  }
  // Numbers are compared directly: their difference may not fit in their type.
  auto AreNumbers(PrimExpr a, PrimExpr b) const -> bool { return terms_.AsInt(a) && terms_.AsInt(b); }
  auto Proves(PrimKind kind, PrimExpr a, PrimExpr b) -> bool {
    return analyzer_.CanProve(arith::Operate(terms_, kind, a, b));
  }

  const PrimFunc& func_;
  PartitionOptions options_;
  Context& context_;
  Terms& terms_;
  const Tables& tables_;
  StmtBuilder builder_;
  arith::Analyzer analyzer_;
  CandidateSelector selector_;
  PartitionSets hint_;
  PartitionSets relax_;
  // How often the loop that a piece comes from may still be cut.
  absl::flat_hash_map<StmtId, std::shared_ptr<size_t>> cuts_left_;
  size_t limit_;
  std::optional<SourceRange> too_large_;
  std::vector<Frame> frames_;
  std::vector<StmtId> done_;
};

void LoopPartitioner::Start(StmtId id) {
  const Stmt stmt = builder_.stmt(id);
  std::optional<Cut> cut;
  if (const auto loop = stmt.As<For>()) {
    // A scope, so that the knowledge about the variable ends with the loop.
    analyzer_.EnterConstraint(terms_.Bool(true));
    analyzer_.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    // Iterations of threads cannot be cut.
    if (selector_.IsCandidate(id) && loop->for_kind() != ForKind::kThreadBinding) {
      const PrimExpr max = Interval(loop->min(), loop->extent()).max;
      cut = TryCut({id, loop->loop_var(), loop->min(), max, loop->body().id(), false});
    }
    if (cut) {
      analyzer_.LeaveConstraint();
    } else {
      hint_.push_back({loop->loop_var(), Interval(loop->min(), loop->extent())});
    }
  } else if (const IterVar* thread = ThreadOf(tables_, stmt)) {
    const AttrStmt attr(stmt);
    const PrimExpr zero = terms_.IntImm(terms_.dtype(attr.value()), 0);
    const PrimExpr max = arith::Sub(terms_, attr.value(), One(attr.value()));
    if (selector_.IsCandidate(id)) cut = TryCut({id, thread->var, zero, max, attr.body().id(), true});
    // Threads of a block run side by side.
    PartitionSets& sets = context_.text(thread->thread_tag).starts_with("blockIdx") ? hint_ : relax_;
    if (!cut) sets.push_back({thread->var, {zero, max}});
  }
  Frame frame{.stmt = id, .first_done = static_cast<uint32_t>(done_.size())};
  if (cut) {
    frame.is_partition = true;
    frame.pieces = std::move(cut->pieces);
    frame.walked = std::move(cut->walked);
    frame.unrolled_extent = cut->unrolled_extent;
  }
  frames_.push_back(std::move(frame));
}

void LoopPartitioner::Step() {
  Frame& frame = frames_.back();
  const Stmt stmt = builder_.stmt(frame.stmt);
  const size_t parts = frame.is_partition ? frame.pieces.size() : stmt.num_parts();
  if (frame.next < parts) {
    const uint32_t i = frame.next++;
    if (!frame.is_partition) return Start(stmt.parts()[i]);
    const StmtId piece = frame.pieces[i];
    if (!frame.walked[i]) return done_.push_back(piece);
    selector_.Visit(builder_.stmt(piece));
    return Start(piece);
  }
  const std::vector<StmtId> made(done_.begin() + frame.first_done, done_.end());
  StmtId result = frame.stmt;
  if (frame.unrolled_extent) {
    const For loop(stmt);
    result = builder_.For(loop.loop_var(), loop.min(), frame.unrolled_extent, ForKind::kUnrolled, made[0]);
  } else if (frame.is_partition) {
    result = builder_.Seq(made);
  } else {
    if (stmt.is(StmtKind::kFor)) {
      hint_.pop_back();
      analyzer_.LeaveConstraint();
    }
    if (const IterVar* thread = ThreadOf(tables_, stmt)) {
      (context_.text(thread->thread_tag).starts_with("blockIdx") ? hint_ : relax_).pop_back();
    }
    if (!std::ranges::equal(made, stmt.parts())) {
      const std::vector<PrimExpr> exprs(stmt.exprs().begin(), stmt.exprs().end());
      result = builder_.Copy(stmt, made, exprs);
    }
  }
  done_.resize(frame.first_done);
  done_.push_back(result);
  frames_.pop_back();
}

// Returns the iterations in which all of these conditions have `value`, and the conditions.
auto LoopPartitioner::Middle(std::span<const KnownCondition> known, const Loop& loop, bool value)
    -> std::optional<std::pair<arith::IntSet, VarMap>> {
  std::vector<arith::IntSet> sets;
  VarMap conditions;
  const bool hinted = selector_.IsHinted(loop.var);
  for (const KnownCondition& entry : known) {
    if (entry.value != value) continue;
    const arith::IntSet both[] = {entry.set, {loop.min, loop.max}};
    if (arith::IsEmptySet(terms_, arith::IntersectSets(analyzer_, both))) continue;
    if (hinted && !sets.empty()) {
      std::vector<arith::IntSet> more = sets;
      more.push_back(entry.set);
      if (arith::IsEmptySet(terms_, arith::IntersectSets(analyzer_, more))) continue;
    }
    sets.push_back(entry.set);
    conditions[entry.condition] = terms_.Bool(value);
  }
  if (sets.empty()) return std::nullopt;
  const arith::IntSet middle = arith::IntersectSets(analyzer_, sets);
  if (arith::IsEmptySet(terms_, middle)) return std::nullopt;
  return std::pair(middle, std::move(conditions));
}

auto LoopPartitioner::TryCut(const Loop& loop) -> std::optional<Cut> {
  PartitionSets hint = hint_;
  hint.push_back({loop.var, {loop.min, loop.max}});
  const bool hinted = selector_.IsHinted(loop.var);
  const std::vector<KnownCondition> known =
      FindKnown(terms_, tables_, loop.var, std::move(hint), relax_, hinted, builder_.stmt(loop.body));
  if (known.empty()) return std::nullopt;
  std::shared_ptr<size_t>& left = cuts_left_[loop.stmt];
  if (left == nullptr) left = std::make_shared<size_t>(known.size());
  if (*left == 0) return std::nullopt;
  if (builder_.table().size() > limit_) {
    if (!too_large_) too_large_ = builder_.stmt(loop.stmt).range();
    return std::nullopt;
  }
  for (const bool value : {true, false}) {
    const auto middle = Middle(known, loop, value);
    if (!middle) continue;
    if (!MayRewrite(builder_.stmt(loop.stmt).range(), "a loop", "its parts")) return std::nullopt;
    --*left;
    return Pieces(loop, middle->first, middle->second);
  }
  // If conditions only hold outside of the loop, it stays unchanged, including its body.
  const bool outside = std::ranges::all_of(known, [&](const KnownCondition& entry) {
    return entry.set.is_point() &&
           (Proves(PrimKind::kLT, entry.set.min, loop.min) || Proves(PrimKind::kGT, entry.set.min, loop.max));
  });
  if (outside) return Cut{{loop.stmt}, {false}};
  if (!hinted || loop.is_thread || !options_.unroll_loop_with_partition_hint_no_interval) return std::nullopt;
  const PrimExpr last = arith::Sub(terms_, loop.max, loop.min);
  if (!Proves(PrimKind::kGT, last, terms_.IntImm(terms_.dtype(last), 0))) return std::nullopt;
  return Cut{{loop.body}, {true}, arith::Add(terms_, last, One(last))};
}

auto LoopPartitioner::PieceBefore(const Loop& loop, const arith::IntSet& middle) -> Piece {
  if (!arith::HasLower(terms_, middle)) return {.bound = loop.min};
  const PrimExpr past = arith::Add(terms_, loop.max, One(loop.max));
  PrimExpr begin = analyzer_.Simplify(middle.min);
  if (AreNumbers(begin, loop.min)) begin = arith::Max(terms_, begin, loop.min);
  if (AreNumbers(begin, past)) begin = arith::Min(terms_, begin, past);
  if (Proves(PrimKind::kEQ, begin, loop.min)) return {.bound = begin};
  Piece before;
  const PrimExpr zero = terms_.IntImm(terms_.dtype(loop.min), 0);
  const PrimExpr extent = analyzer_.Simplify(arith::Sub(terms_, begin, loop.min));
  if (!Proves(PrimKind::kGT, extent, zero)) {
    begin = arith::Max(terms_, begin, loop.min);
    before.walked = false;
  }
  // A beginning after the end would run iterations that the loop does not have.
  if (!Proves(PrimKind::kLE, begin, past)) begin = arith::Min(terms_, begin, past);
  if (!loop.is_thread && !Proves(PrimKind::kLE, extent, zero)) {
    before.stmt = MakeLoop(For(builder_.stmt(loop.stmt)), arith::Sub(terms_, begin, loop.min),
                           Shifted(loop.body, loop.var, loop.min));
  }
  before.bound = begin;
  return before;
}

auto LoopPartitioner::PieceAfter(const Loop& loop, const arith::IntSet& middle, PrimExpr begin) -> Piece {
  const PrimExpr past = arith::Add(terms_, loop.max, One(loop.max));
  if (!arith::HasUpper(terms_, middle)) return {.bound = past};
  PrimExpr last = analyzer_.Simplify(middle.max);
  if (AreNumbers(last, loop.max)) last = arith::Min(terms_, last, loop.max);
  PrimExpr end = analyzer_.Simplify(arith::Add(terms_, last, One(last)));
  if (Proves(PrimKind::kEQ, last, loop.max)) return {.bound = end};
  Piece after;
  const PrimExpr zero = terms_.IntImm(terms_.dtype(loop.min), 0);
  const auto left = [&] { return arith::Add(terms_, arith::Sub(terms_, loop.max, end), One(loop.max)); };
  PrimExpr extent = analyzer_.Simplify(left());
  if (!Proves(PrimKind::kGT, extent, zero)) {
    end = arith::Min(terms_, end, past);
    after.walked = false;
  }
  // An end before the beginning would run iterations that the loop does not have, or some twice. As TVM: where the
  // beginning is 0, variables are assumed not to be negative.
  const bool follows = (terms_.IsInt(begin, 0) && IsNonNegativeInSizes(end)) || Proves(PrimKind::kGE, end, begin);
  if (!follows) {
    end = arith::Max(terms_, end, begin);
    extent = analyzer_.Simplify(left());
  }
  if (!loop.is_thread && !Proves(PrimKind::kLE, extent, zero)) {
    after.stmt = MakeLoop(For(builder_.stmt(loop.stmt)), extent, Shifted(loop.body, loop.var, end));
  }
  after.bound = end;
  return after;
}

auto LoopPartitioner::Pieces(const Loop& loop, const arith::IntSet& middle, const VarMap& conditions) -> Cut {
  const Piece before = PieceBefore(loop, middle);
  const Piece after = PieceAfter(loop, middle, before.bound);
  const PrimExpr begin = before.bound;
  const PrimExpr end = after.bound;
  if (loop.is_thread) return {{BranchInThreads(loop, begin, end, conditions)}, {false}};
  Cut cut;
  const std::shared_ptr<size_t> left = cuts_left_.at(loop.stmt);
  const auto add = [&](StmtId piece, bool walked) {
    if (!piece) return;
    cuts_left_[piece] = left;
    cut.pieces.push_back(piece);
    cut.walked.push_back(walked);
  };
  const bool is_empty = Proves(PrimKind::kGE, begin, end);
  const bool again = !is_empty && (before.stmt || after.stmt);
  add(before.stmt, again && before.walked);
  if (!is_empty) {
    const StmtId known = Substitute(builder_, builder_.stmt(loop.body), conditions);
    const StmtId body = Shifted(known, loop.var, begin);
    add(MakeLoop(For(builder_.stmt(loop.stmt)), arith::Sub(terms_, end, begin), body), again);
  }
  add(after.stmt, again && after.walked);
  return cut;
}

// Returns the thread with a branch inside of the innermost thread in it.
auto LoopPartitioner::BranchInThreads(const Loop& loop, PrimExpr begin, PrimExpr end, const VarMap& conditions)
    -> StmtId {
  PrimExpr inside = terms_.Bool(true);
  const auto require = [&](PrimKind kind, PrimExpr bound) {
    inside = arith::And(terms_, inside, arith::Operate(terms_, kind, loop.var, bound));
  };
  const PrimExpr past = arith::Add(terms_, loop.max, One(loop.max));
  if (!Proves(PrimKind::kEQ, begin, loop.min)) require(PrimKind::kGE, begin);
  if (!Proves(PrimKind::kEQ, end, past)) require(PrimKind::kLT, end);
  std::vector<StmtId> done;
  // Whether the completed statement contains a thread.
  std::vector<bool> has_thread;
  Walk(
      builder_.stmt(loop.stmt), [&](Stmt) { return has_thread.push_back(false), true; },
      [&](Stmt stmt) {
        const bool thread = ThreadOf(tables_, stmt) != nullptr;
        const bool innermost = thread && !has_thread.back();
        const bool any = thread || has_thread.back();
        has_thread.pop_back();
        if (any && !has_thread.empty()) has_thread.back() = true;
        const size_t parts = stmt.num_parts();
        if (innermost) {
          const StmtId known = Substitute(builder_, builder_.stmt(done.back()), conditions);
          done.back() = builder_.If(inside, known, done.back());
        }
        const std::vector<PrimExpr> exprs(stmt.exprs().begin(), stmt.exprs().end());
        const StmtId made = builder_.Copy(stmt, std::span(done).last(parts), exprs);
        done.resize(done.size() - parts);
        done.push_back(made);
      });
  return done.back();
}

auto LoopPartitioner::MakeLoop(For like, PrimExpr extent, StmtId body) -> StmtId {
  const PrimExpr var = like.loop_var();
  const ObjectId notes = like.annotations();
  const bool annotated = notes && !context_.object(notes).items.empty();
  if (!options_.no_unroll_loop_with_extent_one && !annotated && Proves(PrimKind::kEQ, extent, One(extent))) {
    return Substitute(builder_, builder_.stmt(body), {{var, terms_.IntImm(terms_.dtype(var), 0)}});
  }
  const PrimExpr zero = terms_.IntImm(terms_.dtype(like.min()), 0);
  return builder_.For(var, zero, extent, like.for_kind(), body, like.thread_binding(), notes);
}

// Without `likely` and hints.
class HintRemover : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    return terms().IsCall(made, terms().ops().likely) ? terms().operand(made, 0) : made;
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == kPartitionHint ? parts.stmts[0] : Rewriter::Leave(stmt, parts);
  }
};

struct LoopPartition {
  using Options = PartitionOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const PrimFunc& given, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    const std::optional<PrimFunc> separate = SeparateScopes(given);
    const PrimFunc& func = separate ? *separate : given;
    LoopPartitioner partitioner(func, options, GrowthLimit(context));
    PrimFunc made = partitioner.Run();
    if (partitioner.too_large()) {
      context.Report(
          Remark(RemarkKind::kMissed, "tir.LoopPartition", "TooLarge", module.name(id), *partitioner.too_large())
              .Text("loops stay: their parts would be larger than --max-ops allows"));
    }
    if (std::optional<PrimFunc> clean = HintRemover(made).Run()) made = *std::move(clean);
    if (std::optional<PrimFunc> single = ConvertSSA(made)) made = *std::move(single);
    return Same(made, func) ? std::nullopt : std::optional(std::move(made));
  }
};

}  // namespace

constinit const PassDef kLoopPartitionPass = DescribePass<LoopPartition>({
    .name = "tir.LoopPartition",
    .summary = "Split loops such that likely conditions are always true in one part",
    .details = R"(  for i in range(n):                      for i in range(T.min(m, n)):
      if T.likely(i < m):        ->           if T.bool(True):
          A[i] = 0                                A[i] = 0
                                          for i in range(n - m):
                                              if i + T.min(m, n) < m:
                                                  A[i + T.min(m, n)] = 0

Loops whose bounds are no literals (all with partition_const_loop), and block indices of threads, which get a branch. In
the end no likely remains. As in TVM, the first piece is assumed to end at or before the last one.)",
    .aliases = "tir.transform.LoopPartition",
});

}  // namespace relayopt::tir
