// Accesses of allocated memory in the order in which they happen.
//
//   A = T.allocate([4])              sequence             touched
//   for i in range(4):               begin of the loop
//       A[i] = 1                     (nothing: A is not of this scope)
//   B[0] = A[3]                      end of the loop      A
//                                    the store            A
//
// An access is recorded at the statement that is directly in the scope of the allocation, so that liveness is a matter
// of that scope alone: memory that a loop uses is used by all of the loop.
#include "lib/tir/transforms/utils/linear_accesses.h"

#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kLoadPlace{"storage-load-place", Severity::kError,
                                    "{} is used here, between the statements that its allocation covers"};
constexpr DiagnosticKind kDimensions{"storage-dimensions", Severity::kError,
                                     "buffer {} has {} physical dimensions, and its allocation has {}"};

class Linearizer {
 public:
  Linearizer(const PrimFunc& func, const LinearOptions& options)
      : func_(func), tables_(func.tables()), terms_(func.terms()), options_(options) {}

  auto Run(std::optional<Diagnostic>& fault) -> LinearAccesses {
    Open(func_.body());
    while (!frames_.empty() && !fault_) {
      Frame& frame = frames_.back();
      const Stmt stmt = func_.stmt(frame.stmt);
      if (frame.next < stmt.num_parts()) {
        Open(stmt.part(frame.next++));
        continue;
      }
      Close(frame);
      frames_.pop_back();
    }
    fault = std::move(fault_);
    return std::move(result_);
  }

 private:
  struct Frame {
    StmtId stmt;
    uint32_t next = 0;
    bool scope = false;
    bool outermost_thread = false;
    size_t begin = 0;
  };

  auto OpensScope(Stmt stmt, bool& outermost_thread) const -> bool {
    switch (stmt.kind()) {
      case StmtKind::kFor:
      case StmtKind::kIf:
      case StmtKind::kWhile:
      case StmtKind::kAssert: return true;
      case StmtKind::kLet: return options_.let_scopes;
      case StmtKind::kAttr: {
        const std::string_view key = AttrStmt(stmt).key_text();
        outermost_thread = key == "thread_extent" && !in_thread_;
        return outermost_thread || key == "extern_scope" || key == "virtual_thread";
      }
      default: return false;
    }
  }

  void Open(Stmt stmt) {
    Frame frame{stmt.id()};
    frame.scope = OpensScope(stmt, frame.outermost_thread);
    if (frame.outermost_thread) in_thread_ = true;
    if (frame.scope) {
      frame.begin = result_.sequence.size();
      result_.sequence.push_back({stmt.id(), 0, {}});
      scopes_.emplace_back();
    }
    if (const auto alloc = stmt.As<Allocate>(); alloc && (!options_.follows || options_.follows(*alloc))) {
      result_.allocations[alloc->buffer_var()] = {stmt.id(), scopes_.size()};
    }
    // What a let that is no scope binds is computed in front of its body, as by a statement.
    const bool leaf =
        stmt.is(StmtKind::kStore) || stmt.is(StmtKind::kEvaluate) || (stmt.is(StmtKind::kLet) && !frame.scope);
    if (leaf) scopes_.emplace_back();
    for (const PrimExpr expr : stmt.exprs()) VisitExpr(stmt, expr);
    if (const auto store = stmt.As<BufferStore>()) AccessBuffer(stmt, store->buffer());
    if (leaf) {
      if (!scopes_.back().empty()) result_.sequence.push_back({stmt.id(), 0, std::move(scopes_.back())});
      scopes_.pop_back();
    }
    frames_.push_back(frame);
  }

  void Close(const Frame& frame) {
    if (frame.outermost_thread) in_thread_ = false;
    if (!frame.scope) return;
    const auto length = static_cast<int64_t>(result_.sequence.size() - frame.begin);
    result_.sequence.push_back({frame.stmt, -length, std::move(scopes_.back())});
    scopes_.pop_back();
    result_.sequence[frame.begin].pair_offset = length;
  }

  void VisitExpr(Stmt stmt, PrimExpr root) {
    for (const PrimExpr part : arith::PostOrder(terms_, root)) {
      if (terms_.kind(part) == PrimKind::kBufferLoad) {
        AccessBuffer(stmt, terms_.buffer(part));
      } else if (terms_.is_var(part)) {
        Touch(stmt, part);
      }
    }
  }

  void AccessBuffer(Stmt stmt, BufferId id) {
    result_.accessed.insert(id);
    const Buffer& buffer = tables_.buffer(id);
    const auto found = result_.allocations.find(buffer.data);
    if (found == result_.allocations.end()) return;
    const size_t dimensions = Allocate(func_.stmt(found->second.stmt)).extents().size();
    if (buffer.axis_separators.size() + 1 != dimensions && !fault_) {
      fault_ = MakeDiagnostic(kDimensions, stmt.range(), func_.context().text(buffer.name),
                              buffer.axis_separators.size() + 1, dimensions);
    }
    Touch(stmt, buffer.data);
  }

  void Touch(Stmt stmt, PrimExpr var) {
    const auto found = result_.allocations.find(var);
    if (found == result_.allocations.end()) return;
    if (found->second.level < scopes_.size()) {
      scopes_[found->second.level].push_back(var);
    } else if (!fault_) {
      fault_ = MakeDiagnostic(kLoadPlace, stmt.range(), func_.context().text(terms_.var(var).name));
    }
  }

  const PrimFunc& func_;
  Tables& tables_;
  Terms& terms_;
  const LinearOptions& options_;
  LinearAccesses result_;
  std::vector<Frame> frames_;
  // The variables that each open scope, and the current leaf, accesses.
  std::vector<std::vector<PrimExpr>> scopes_;
  bool in_thread_ = false;
  std::optional<Diagnostic> fault_;
};

}  // namespace

auto LinearizeAccesses(const PrimFunc& func, const LinearOptions& options, std::optional<Diagnostic>& fault)
    -> LinearAccesses {
  return Linearizer(func, options).Run(fault);
}

auto AnalyzeLiveness(const LinearAccesses& accesses) -> Liveness {
  Liveness liveness;
  absl::flat_hash_set<PrimExpr> seen;
  for (size_t i = accesses.sequence.size(); i-- > 0;) {
    const AccessEntry& entry = accesses.sequence[i];
    for (const PrimExpr var : entry.touched) {
      if (seen.insert(var).second) liveness[entry.stmt].ends.push_back(var);
    }
  }
  seen.clear();
  for (size_t i = 0; i < accesses.sequence.size(); ++i) {
    const int64_t offset = accesses.sequence[i].pair_offset;
    if (offset < 0) continue;
    // The entry of a scope's beginning has the same variables as that of its end.
    const AccessEntry& entry = accesses.sequence[i + static_cast<size_t>(offset)];
    for (const PrimExpr var : entry.touched) {
      if (seen.insert(var).second) liveness[entry.stmt].begins.push_back(var);
    }
  }
  return liveness;
}

auto ConstantBits(const Terms& terms, const Allocate& alloc) -> uint64_t {
  uint64_t bits = uint64_t{alloc.dtype().bits} * alloc.dtype().lanes;
  for (const PrimExpr extent : alloc.extents()) {
    const auto literal = terms.AsInt(extent);
    if (!literal || *literal < 0 || __builtin_mul_overflow(bits, static_cast<uint64_t>(*literal), &bits)) return 0;
  }
  return bits;
}

}  // namespace relayopt::tir
