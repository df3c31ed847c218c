// Stores whose element is overwritten before it is read.
//
// One walk against the order of execution, with the boxes of elements that are overwritten before they are read:
//
//   for i in range(16):            A[0..15], so the store is one of those
//       A[i] = 100
//   for i in range(16):            before the loop: the point A[i] moves with i, so A[0..15]
//       A[i] = 42                  before the store: A[i]
//
// A load ends all boxes that it may read. An effect, an assertion, a thread, a block and a while loop end all boxes.
// Before a branch, what is overwritten in both cases is.
#include "lib/tir/transforms/utils/overwritten_stores.h"

#include <algorithm>
#include <vector>

#include "lib/tir/transforms/utils/buffer_boxes.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr size_t kMostBoxes = 32;

class BackwardWalker {
 public:
  explicit BackwardWalker(const PrimFunc& func)
      : func_(func),
        terms_(func.terms()),
        tables_(func.tables()),
        accesses_(func),
        analyzer_(func.terms()),
        prover_(func.terms(), analyzer_) {}

  auto Run() && -> absl::flat_hash_set<StmtId> {
    // Parts come before their statement in the table, in order.
    for (uint32_t i = static_cast<uint32_t>(func_.size()); i-- > 0;) {
      const StmtId id(i);
      while (!open_.empty() && id < func_.stmts().first(open_.back().stmt)) Close();
      if (!open_.empty()) EnterPart();
      Open(func_.stmt(id));
    }
    while (!open_.empty()) Close();
    return std::move(found_);
  }

 private:
  using Boxes = std::vector<BufferBox>;
  struct Frame {
    StmtId stmt;
    // Parts that have been entered.
    size_t parts = 0;
    // The elements that are overwritten after the statement; for a branch also before its second case.
    Boxes after;
    Boxes before_else;
  };

  void Open(Stmt stmt) {
    open_.push_back({.stmt = stmt.id(), .after = now_});
    switch (stmt.kind()) {
      case StmtKind::kFor: {
        const For loop(stmt);
        if (!IsPlain(loop) || accesses_.HasEffectIn(loop)) return now_.clear();
        analyzer_.Bind(loop.loop_var(), Range{loop.min(), loop.extent()});
        // Later iterations must not read them.
        std::erase_if(now_, [&](const BufferBox& box) { return !accesses_.LoadsIn(loop, DataOf(box)).empty(); });
        return;
      }
      case StmtKind::kAttr:
        if (AttrStmt(stmt).launched_thread()) now_.clear();
        return;
      case StmtKind::kWhile:
      case StmtKind::kBlock:
      case StmtKind::kBlockRealize: return now_.clear();
      case StmtKind::kStore: {
        const BufferStore store(stmt);
        const auto covers = [&](const BufferBox& box) {
          return box.buffer == store.buffer() && prover_.Contains(box, store.indices());
        };
        if (std::ranges::any_of(now_, covers)) found_.insert(stmt.id());
        Add(store);
        return;
      }
      default: return;
    }
  }

  // Called before a part of the innermost statement, the last one first.
  void EnterPart() {
    Frame& frame = open_.back();
    const Stmt stmt = func_.stmt(frame.stmt);
    if (stmt.is(StmtKind::kBlock)) now_.clear();
    if (stmt.is(StmtKind::kIf) && frame.parts == 1) frame.before_else = std::exchange(now_, frame.after);
    ++frame.parts;
  }

  void Close() {
    const Frame frame = std::move(open_.back());
    open_.pop_back();
    const Stmt stmt = func_.stmt(frame.stmt);
    switch (stmt.kind()) {
      case StmtKind::kFor: CloseLoop(For(stmt), frame); break;
      case StmtKind::kIf: now_ = InBoth(now_, stmt.num_parts() == 2 ? frame.before_else : frame.after); break;
      case StmtKind::kLet: DropMentions(LetStmt(stmt).var()); break;
      case StmtKind::kAttr:
        if (AttrStmt(stmt).launched_thread()) now_.clear();
        break;
      case StmtKind::kAssert:
      case StmtKind::kWhile:
      case StmtKind::kBlock:
      case StmtKind::kBlockRealize: now_.clear(); break;
      default: break;
    }
    for (const PrimExpr expr : stmt.exprs()) Read(expr);
  }

  // Computes the boxes before the loop: what every iteration overwrites before reading it, and what is overwritten
  // after the loop and not read in it.
  void CloseLoop(For loop, const Frame& frame) {
    if (!IsPlain(loop) || accesses_.HasEffectIn(loop)) return now_.clear();
    Boxes before;
    for (const BufferBox& box : frame.after) {
      if (accesses_.LoadsIn(loop, DataOf(box)).empty()) before.push_back(box);
    }
    for (BufferBox& box : now_) {
      const auto axis = prover_.MovingAxis(box, loop.loop_var());
      if (!axis || !ReadsOwnElements(loop, box, *axis)) continue;
      box.axes[*axis] = prover_.Swept(box, *axis, loop);
      if (before.size() < kMostBoxes) before.push_back(std::move(box));
    }
    now_ = std::move(before);
    analyzer_.EndLoop(loop.loop_var());
    DropMentions(loop.loop_var());
  }

  // Whether each iteration reads along the axis only the element that it overwrites itself.
  auto ReadsOwnElements(For loop, const BufferBox& box, size_t axis) -> bool {
    const PrimExpr offset = prover_.Offset(box.axes[axis].min, loop.loop_var());
    return std::ranges::all_of(accesses_.LoadsIn(loop, DataOf(box)), [&](const MemoryAccesses::Access& load) {
      return load.buffer == box.buffer && axis < load.indices.size() && terms_.lanes(load.indices[axis]) == 1 &&
             prover_.Offset(load.indices[axis], loop.loop_var()) == offset;
    });
  }

  void Add(BufferStore store) {
    const auto has_load = [&](PrimExpr e) { return terms_.effect(e) > arith::CallEffect::kPure; };
    auto box = BoxProver::Point(terms_, store.buffer(), store.indices());
    if (!box || std::ranges::any_of(store.indices(), has_load)) return;
    if (accesses_.Escapes(tables_.buffer(store.buffer()).data)) return;
    if (now_.size() == kMostBoxes) now_.erase(now_.begin());
    now_.push_back(*std::move(box));
  }

  void Read(PrimExpr expr) {
    if (terms_.effect(expr) > arith::CallEffect::kReadState && !IsAssumption(terms_, expr)) return now_.clear();
    for (const PrimExpr term : arith::PostOrder(terms_, expr)) {
      if (terms_.kind(term) != PrimKind::kBufferLoad) continue;
      const BufferId buffer = terms_.buffer(term);
      std::erase_if(now_, [&](const BufferBox& box) {
        if (DataOf(box) != tables_.buffer(buffer).data) return false;
        return box.buffer != buffer || !prover_.IsOutside(box, terms_.operands(term));
      });
    }
  }

  auto IsPlain(For loop) const -> bool {
    const auto has_load = [&](PrimExpr e) { return terms_.effect(e) > arith::CallEffect::kPure; };
    return loop.for_kind() != ForKind::kThreadBinding && !has_load(loop.min()) && !has_load(loop.extent());
  }
  auto DataOf(const BufferBox& box) const -> PrimExpr { return tables_.buffer(box.buffer).data; }

  auto InBoth(const Boxes& a, const Boxes& b) -> Boxes {
    Boxes both;
    for (const BufferBox& box : a) {
      if (std::ranges::any_of(b, [&](const BufferBox& other) { return prover_.IsSame(box, other); }))
        both.push_back(box);
    }
    return both;
  }

  void DropMentions(PrimExpr var) {
    std::erase_if(now_, [&](const BufferBox& box) { return prover_.Mentions(box, var); });
  }

  const PrimFunc& func_;
  Terms& terms_;
  const Tables& tables_;
  MemoryAccesses accesses_;
  arith::Analyzer analyzer_;
  BoxProver prover_;
  Boxes now_;
  std::vector<Frame> open_;
  absl::flat_hash_set<StmtId> found_;
};

}  // namespace

auto FindOverwrittenStores(const PrimFunc& func) -> absl::flat_hash_set<StmtId> {
  return HasUniqueVars(func) ? BackwardWalker(func).Run() : absl::flat_hash_set<StmtId>();
}

}  // namespace relayopt::tir
