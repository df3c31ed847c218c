// Boxes of elements of buffers.
#include "lib/tir/transforms/utils/buffer_boxes.h"

#include <algorithm>
#include <string_view>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

auto IsCallOf(const Terms& terms, PrimExpr e, std::string_view name) -> bool {
  return terms.kind(e) == PrimKind::kCall && terms.context().text(terms.op(terms.call_op(e)).name) == name;
}

}  // namespace

auto IsAssumption(const Terms& terms, PrimExpr value) -> bool { return IsCallOf(terms, value, "tir.assume"); }

auto HasUniqueVars(const PrimFunc& func) -> bool {
  absl::flat_hash_set<PrimExpr> seen;
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    if (const auto loop = stmt.As<For>(); loop && !seen.insert(loop->loop_var()).second) return false;
    if (const auto let = stmt.As<LetStmt>(); let && !seen.insert(let->var()).second) return false;
  }
  return true;
}

auto BoxProver::Point(const Terms& terms, BufferId buffer, std::span<const PrimExpr> indices)
    -> std::optional<BufferBox> {
  BufferBox box{buffer, {}};
  for (const PrimExpr index : indices) {
    if (terms.lanes(index) != 1) return std::nullopt;
    box.axes.push_back({index, index});
  }
  return box;
}

auto BoxProver::CanProveLessEqual(PrimExpr a, PrimExpr b) -> bool {
  if (a == b) return true;
  if (terms_.lanes(a) != 1 || terms_.lanes(b) != 1) return false;
  return analyzer_.CanProve(arith::Le(terms_, a, b));
}

auto BoxProver::Contains(const BufferBox& box, std::span<const PrimExpr> indices) -> bool {
  if (box.axes.size() != indices.size()) return false;
  for (size_t k = 0; k < indices.size(); ++k) {
    if (!CanProveLessEqual(box.axes[k].min, indices[k]) || !CanProveLessEqual(indices[k], box.axes[k].max))
      return false;
  }
  return true;
}

auto BoxProver::IsOutside(const BufferBox& box, std::span<const PrimExpr> indices) -> bool {
  if (box.axes.size() != indices.size()) return false;
  for (size_t k = 0; k < indices.size(); ++k) {
    if (terms_.lanes(indices[k]) != 1) continue;
    if (analyzer_.CanProve(arith::Lt(terms_, indices[k], box.axes[k].min)) ||
        analyzer_.CanProve(arith::Lt(terms_, box.axes[k].max, indices[k]))) {
      return true;
    }
  }
  return false;
}

auto BoxProver::Offset(PrimExpr index, PrimExpr var) -> PrimExpr {
  if (terms_.dtype(index) != terms_.dtype(var)) return {};
  const PrimExpr offset = analyzer_.Simplify(arith::Sub(terms_, index, var));
  return arith::UsesVar(terms_, offset, var) ? PrimExpr() : offset;
}

auto BoxProver::Mentions(const BufferBox& box, PrimExpr var) const -> bool {
  return std::ranges::any_of(box.axes, [&](const arith::IntSet& axis) {
    return arith::UsesVar(terms_, axis.min, var) || arith::UsesVar(terms_, axis.max, var);
  });
}

auto BoxProver::MovingAxis(const BufferBox& box, PrimExpr var) -> std::optional<size_t> {
  std::optional<size_t> found;
  for (size_t k = 0; k < box.axes.size(); ++k) {
    const auto& [min, max] = box.axes[k];
    if (!arith::UsesVar(terms_, min, var) && !arith::UsesVar(terms_, max, var)) continue;
    if (found || min != max || !Offset(min, var)) return std::nullopt;
    found = k;
  }
  return found;
}

auto BoxProver::Swept(const BufferBox& box, size_t axis, For loop) -> arith::IntSet {
  const PrimExpr offset = Offset(box.axes[axis].min, loop.loop_var());
  const PrimExpr first = arith::Add(terms_, loop.min(), offset);
  const PrimExpr one = terms_.IntImm(terms_.dtype(loop.extent()), 1);
  const PrimExpr last = arith::Sub(terms_, arith::Add(terms_, first, loop.extent()), one);
  return {analyzer_.Simplify(first), analyzer_.Simplify(last)};
}

auto BoxProver::IsSame(const BufferBox& a, const BufferBox& b) -> bool {
  return a.buffer == b.buffer && std::ranges::equal(a.axes, b.axes, [&](const auto& x, const auto& y) {
           return CanProveEqual(x.min, y.min) && CanProveEqual(x.max, y.max);
         });
}

MemoryAccesses::MemoryAccesses(const PrimFunc& func) {
  const Terms& terms = func.terms();
  const Tables& tables = func.tables();
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    if (const auto store = stmt.As<BufferStore>())
      stores_[tables.buffer(store->buffer()).data].push_back({id, store->buffer(), store->indices()});
    bool has_effect = stmt.is(StmtKind::kBlock) || stmt.is(StmtKind::kPrefetch);
    for (const PrimExpr term : arith::PostOrder(terms, stmt.exprs())) {
      if (terms.kind(term) == PrimKind::kBufferLoad) {
        loads_[tables.buffer(terms.buffer(term)).data].push_back({id, terms.buffer(term), terms.operands(term)});
      } else if (arith::IsVarKind(terms.kind(term)) && arith::IsHandle(terms.dtype(term))) {
        escaped_.insert(term);
      } else if (IsCallOf(terms, term, "tir.address_of")) {
        for (const PrimExpr load : terms.operands(term)) {
          if (terms.kind(load) == PrimKind::kBufferLoad) escaped_.insert(tables.buffer(terms.buffer(load)).data);
        }
      }
      has_effect = has_effect || (terms.effect(term) > arith::CallEffect::kReadState && !IsAssumption(terms, term));
    }
    if (const auto let = stmt.As<LetStmt>()) escaped_.insert(let->var());
    if (has_effect) effects_.push_back(id);
  }
}

auto MemoryAccesses::In(const ByData& accesses, Stmt stmt, PrimExpr data) -> std::span<const Access> {
  const auto found = accesses.find(data);
  if (found == accesses.end()) return {};
  const std::vector<Access>& all = found->second;
  const StmtId first = stmt.table().first(stmt.id());
  const auto begin = std::ranges::lower_bound(all, first, {}, &Access::stmt);
  const auto end = std::ranges::upper_bound(all, stmt.id(), {}, &Access::stmt);
  return {begin, end};
}

auto MemoryAccesses::StoresIn(Stmt stmt, PrimExpr data) const -> std::span<const Access> {
  return In(stores_, stmt, data);
}
auto MemoryAccesses::LoadsIn(Stmt stmt, PrimExpr data) const -> std::span<const Access> {
  return In(loads_, stmt, data);
}

auto MemoryAccesses::HasEffectIn(Stmt stmt) const -> bool {
  const auto found = std::ranges::lower_bound(effects_, stmt.table().first(stmt.id()));
  return found != effects_.end() && *found <= stmt.id();
}

}  // namespace relayopt::tir
