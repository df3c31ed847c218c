// Loops that carry values.
#include "lib/tir/transforms/utils/carried_values.h"

#include <algorithm>

#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

// The bits of the mask of T.tvm_access_ptr.
constexpr int64_t kReadMask = 1;
constexpr int64_t kWriteMask = 2;

auto IsSequential(Stmt stmt) -> bool {
  if (stmt.is(StmtKind::kWhile)) return true;
  const auto loop = stmt.As<For>();
  return loop && (loop->for_kind() == ForKind::kSerial || loop->for_kind() == ForKind::kUnrolled);
}

auto IsScope(Stmt stmt) -> bool { return stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kBlock); }

}  // namespace

CarriedValues::CarriedValues(const PrimFunc& func)
    : func_(func), terms_(func.terms()), outer_(func.size()), depth_(func.size(), 0) {
  std::vector<uint32_t> guards;
  Walk(
      func.body(),
      [&](Stmt stmt) {
        guards.push_back(guard_);
        Enter(stmt);
        return true;
      },
      [&](Stmt stmt) {
        // A store happens after everything that it reads.
        if (const auto store = stmt.As<BufferStore>()) Add(func_.tables().buffer(store->buffer()).data, stmt, true);
        if (IsScope(stmt)) scopes_.pop_back();
        if (stmt.is(StmtKind::kBlock)) blocks_.pop_back();
        if (IsSequential(stmt)) --loops_;
        guard_ = guards.back();
        guards.pop_back();
      });
}

void CarriedValues::Enter(Stmt stmt) {
  if (IsSequential(stmt)) ++loops_;
  if (IsScope(stmt)) {
    outer_[stmt.id().value()] = scopes_.empty() ? StmtId() : scopes_.back();
    depth_[stmt.id().value()] = loops_;
    scopes_.push_back(stmt.id());
  }
  if (const auto loop = stmt.As<For>()) {
    origins_[loop->loop_var()] = {stmt.id(), stmt.id(), loop->for_kind() == ForKind::kThreadBinding};
  }
  if (const auto attr = stmt.As<AttrStmt>(); attr && attr->launched_thread()) {
    origins_[func_.tables().iter_var(attr->launched_thread()).var] = {{}, {}, true};
  }
  if (const auto let = stmt.As<LetStmt>()) origins_[let->var()] = OriginOf(let->value());
  if (stmt.is(StmtKind::kBlock)) {
    blocks_.push_back(stmt.id());
    for (const BlockMatch& match : Block(stmt).match_buffers()) {
      AddPointer(stmt, func_.tables().buffer(match.source.buffer).data);
    }
    // The regions are not evaluated.
    return;
  }
  EnterExprs(stmt);
  if (stmt.is(StmtKind::kBlockRealize)) EnterRealize(stmt);
  if (stmt.is(StmtKind::kIf)) EnterGuard(stmt, stmt.exprs()[0]);
}

void CarriedValues::EnterRealize(Stmt stmt) {
  const BlockRealize realize(stmt);
  const std::span<const BlockAxis> axes = realize.block().axes();
  for (size_t i = 0; i < realize.values().size(); ++i) origins_[axes[i].var] = OriginOf(realize.values()[i]);
  if (!terms_.IsInt(realize.predicate(), 1)) EnterGuard(stmt, realize.predicate());
}

void CarriedValues::EnterGuard(Stmt stmt, PrimExpr condition) {
  const Origin origin = OriginOf(condition);
  guards_.push_back({stmt.id(), origin.loop, EquationLoop(condition), origin.is_thread, guard_});
  guard_ = static_cast<uint32_t>(guards_.size() - 1);
}

void CarriedValues::EnterExprs(Stmt stmt) {
  const arith::CallOpId access_ptr = terms_.Intrinsic("tir.tvm_access_ptr"_intrin);
  const arith::CallOpId address_of = terms_.Intrinsic("tir.address_of"_intrin);
  // Pointers whose use is known, and elements that calls get as places.
  absl::flat_hash_map<PrimExpr, int64_t> masks;
  absl::flat_hash_set<PrimExpr> places;
  for (const PrimExpr expr : stmt.exprs()) {
    if (terms_.operands(expr).empty() && !terms_.is_var(expr)) continue;
    const std::vector<PrimExpr> parts = arith::PostOrder(terms_, expr);
    for (const PrimExpr part : parts) {
      const bool has_places = terms_.kind(part) == PrimKind::kCall &&
                              (terms_.IsCall(part, address_of) || terms_.effect(part) > arith::CallEffect::kReadState);
      if (has_places) places.insert(terms_.operands(part).begin(), terms_.operands(part).end());
      if (!terms_.IsCall(part, access_ptr) || terms_.num_operands(part) != 5) continue;
      if (const auto mask = terms_.AsInt(terms_.operand(part, 4))) masks[terms_.operand(part, 1)] |= *mask;
    }
    for (const PrimExpr part : parts) {
      if (terms_.kind(part) == PrimKind::kBufferLoad) {
        const PrimExpr data = func_.tables().buffer(terms_.buffer(part)).data;
        if (places.contains(part)) {
          AddPointer(stmt, data);
        } else {
          Add(data, stmt, false);
        }
      } else if (terms_.is_var(part) && terms_.var(part).type.kind == arith::VarType::Kind::kPointer) {
        const auto mask = masks.find(part);
        if (mask == masks.end()) {
          AddPointer(stmt, part);
          continue;
        }
        if ((mask->second & kReadMask) != 0) Add(part, stmt, false);
        if ((mask->second & kWriteMask) != 0) Add(part, stmt, true);
      }
    }
  }
}

// A use that is described only by the declared regions of the block around it.
void CarriedValues::AddPointer(Stmt stmt, PrimExpr data) {
  bool reads = blocks_.empty();
  bool writes = blocks_.empty();
  if (!blocks_.empty()) {
    const Block block(func_.stmt(blocks_.back()));
    const auto names = [&](const BlockRegion& region) { return func_.tables().buffer(region.buffer).data == data; };
    reads = std::ranges::any_of(block.reads(), names);
    writes = std::ranges::any_of(block.writes(), names);
  }
  if (reads) Add(data, stmt, false);
  if (writes) Add(data, stmt, true);
}

void CarriedValues::Add(PrimExpr data, Stmt stmt, bool is_write) {
  accesses_[data].push_back({stmt.id(), is_write, guard_});
}

auto CarriedValues::OriginOf(PrimExpr e) const -> Origin {
  Origin origin;
  for (const PrimExpr var : arith::FreeVars(terms_, e)) {
    const auto found = origins_.find(var);
    if (found == origins_.end()) continue;
    origin.is_thread = origin.is_thread || found->second.is_thread;
    const StmtId loop = found->second.loop;
    if (loop && (!origin.loop || func_.stmts().Contains(origin.loop, loop))) origin.loop = loop;
    const StmtId outermost = found->second.outermost;
    if (outermost && (!origin.outermost || func_.stmts().Contains(outermost, origin.outermost)))
      origin.outermost = outermost;
  }
  return origin;
}

auto CarriedValues::EquationLoop(PrimExpr condition) const -> StmtId {
  StmtId outermost;
  for (const PrimExpr term : arith::ExtractConstraints(terms_, condition)) {
    if (terms_.kind(term) != PrimKind::kEQ) continue;
    const StmtId loop = OriginOf(term).outermost;
    if (loop && (!outermost || func_.stmts().Contains(loop, outermost))) outermost = loop;
  }
  return outermost;
}

// Whether one run of the statements in the scope may read what another one has written.
auto CarriedValues::Carries(PrimExpr data, StmtId scope) const -> bool {
  const auto found = accesses_.find(data);
  if (found == accesses_.end()) return false;
  const auto inside = [&](StmtId stmt) { return func_.stmts().Contains(scope, stmt) && stmt != scope; };
  bool reads = false;
  for (const Access& access : found->second) {
    if (!func_.stmts().Contains(scope, access.stmt)) continue;
    if (!access.is_write) {
      reads = true;
      continue;
    }
    // A buffer that is not written carries no value.
    if (reads) return true;
    bool always = true;
    for (uint32_t g = access.guard; always && g != kNoGuard && inside(guards_[g].stmt); g = guards_[g].outer) {
      const Guard& guard = guards_[g];
      always = guard.depends_on_thread ||
               (guard.loop && inside(guard.loop) && (!guard.equation_loop || inside(guard.equation_loop)));
    }
    if (always) return false;
  }
  return false;
}

auto CarriedValues::PlaceFor(PrimExpr data, StmtId scope, StmtId home) const -> StmtId {
  while (scope != home && depth_[scope.value()] > depth_[home.value()] && Carries(data, scope)) {
    scope = outer_[scope.value()];
  }
  return scope;
}

}  // namespace relayopt::tir
