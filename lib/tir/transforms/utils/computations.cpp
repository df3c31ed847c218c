// The computations of a function and where they are.
#include "lib/tir/transforms/utils/computations.h"

#include <algorithm>

#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

auto DividesRegions(Stmt stmt) -> bool {
  return stmt.is(StmtKind::kIf) || stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kWhile);
}

}  // namespace

auto ComputationFacts::Of(PrimExpr expr) -> const Facts& {
  if (const auto found = facts_.find(expr); found != facts_.end()) return found->second;
  std::vector<PrimExpr> stack = {expr};
  while (!stack.empty()) {
    const PrimExpr term = stack.back();
    const size_t before = stack.size();
    const auto operands = terms_.operands(term);
    for (size_t i = operands.size(); i-- > 0;) {
      if (!facts_.contains(operands[i])) stack.push_back(operands[i]);
    }
    if (stack.size() != before) continue;
    stack.pop_back();
    facts_.try_emplace(term, FromOperands(term));
  }
  return facts_.at(expr);
}

auto ComputationFacts::FromOperands(PrimExpr term) const -> Facts {
  Facts facts;
  facts.serial = static_cast<uint32_t>(facts_.size());
  const PrimKind kind = terms_.kind(term);
  facts.forbidden = kind == PrimKind::kCall || kind == PrimKind::kBufferLoad;
  facts.has_let = kind == PrimKind::kLet;
  if (kind == PrimKind::kDiv || kind == PrimKind::kMod || kind == PrimKind::kFloorDiv || kind == PrimKind::kFloorMod) {
    const PrimExpr divisor = terms_.operand(term, 1);
    const bool broadcast = terms_.kind(divisor) == PrimKind::kBroadcast;
    const auto literal = terms_.AsInt(broadcast ? terms_.operand(divisor, 0) : divisor);
    facts.may_trap = arith::IsInteger(terms_.dtype(term)) && literal.value_or(0) == 0;
  }
  for (const PrimExpr operand : terms_.operands(term)) {
    const Facts& part = facts_.at(operand);
    facts.may_trap = facts.may_trap || part.may_trap;
    facts.forbidden = facts.forbidden || part.forbidden;
    facts.has_let = facts.has_let || part.has_let;
    facts.complexity = std::min<uint64_t>(facts.complexity + part.complexity, UINT64_MAX / 4);
  }
  const bool atom = terms_.operands(term).empty();
  facts.eligible = !atom && !facts.forbidden && kind != PrimKind::kRamp && kind != PrimKind::kBroadcast;
  return facts;
}

void ComputationFacts::List(PrimExpr expr, bool parts_only, Computations& list) {
  std::vector<PrimExpr> stack = {expr};
  bool first = parts_only;
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    if (!first && Of(top).eligible) {
      list.Add(top, 1);
      continue;
    }
    first = false;
    const auto operands = terms_.operands(top);
    stack.insert(stack.end(), operands.rbegin(), operands.rend());
  }
}

auto ComputationFacts::Evaluates(PrimExpr expr, PrimExpr term) const -> bool {
  std::vector<PrimExpr> stack = {expr};
  absl::flat_hash_set<PrimExpr> seen;
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    if (top == term) return true;
    if (!seen.insert(top).second) continue;
    const PrimKind kind = terms_.kind(top);
    const bool lazy = kind == PrimKind::kAnd || kind == PrimKind::kOr || terms_.IsCall(top, terms_.ops().if_then_else);
    const auto operands = terms_.operands(top);
    stack.insert(stack.end(), operands.begin(), lazy ? operands.begin() + 1 : operands.end());
  }
  return false;
}

ComputationTable::ComputationTable(const PrimFunc& func, ComputationFacts& facts)
    : func_(func), terms_(func.terms()), facts_(facts) {
  MakeRegions();
  MakeGuards();
  MakeSlots();
}

void ComputationTable::MakeRegions() {
  regions_of_.resize(func_.size());
  regions_of_[func_.body().id().value()] = 0;
  regions_.emplace_back();
  // Parts have smaller ids than the statements that contain them.
  for (size_t id = func_.size(); id-- > 0;) {
    const Stmt stmt = func_.stmt(StmtId(static_cast<uint32_t>(id)));
    const bool divides = DividesRegions(stmt);
    if (divides) dividers_.push_back({regions_of_[id], {}});
    for (const StmtId part : stmt.parts()) {
      regions_of_[part.value()] = divides ? static_cast<uint32_t>(regions_.size()) : regions_of_[id];
      if (divides) regions_.push_back({static_cast<uint32_t>(dividers_.size() - 1), {}});
    }
  }
}

void ComputationTable::MakeGuards() {
  guards_.resize(func_.size());
  // Statements have larger ids than their parts.
  for (size_t id = func_.size(); id-- > 0;) {
    const Stmt stmt = func_.stmt(StmtId(static_cast<uint32_t>(id)));
    bool guards = stmt.is(StmtKind::kIf) || stmt.is(StmtKind::kWhile);
    if (const auto loop = stmt.As<For>()) guards = terms_.AsInt(loop->extent()).value_or(0) < 1;
    if (const auto realize = stmt.As<BlockRealize>()) guards = !terms_.IsInt(realize->predicate(), 1);
    for (const StmtId part : stmt.parts()) guards_[part.value()] = guards ? part : guards_[id];
  }
}

auto ComputationTable::Evaluates(StmtId stmt, PrimExpr term) const -> bool {
  for (const Slot slot : SlotsWith(stmt, {&term, 1})) {
    const StmtId guard = guards_[slots_[slot].owner.value()];
    const bool is_guarded = guard && guard != stmt && func_.stmts().Contains(stmt, guard);
    if (!is_guarded && facts_.Evaluates(slots_[slot].expr, term)) return true;
  }
  return false;
}

void ComputationTable::MakeSlots() {
  first_slots_.resize(func_.size());
  const auto enter = [&](Stmt stmt) {
    const uint32_t region = regions_of_[stmt.id().value()];
    first_slots_[stmt.id().value()] = static_cast<Slot>(slots_.size());
    const bool divides = DividesRegions(stmt);
    for (const PrimExpr expr : stmt.exprs()) {
      if (divides) regions_.push_back({regions_[regions_of_[stmt.part(0).id().value()]].divider, {}});
      AddSlot(expr, stmt.id(), divides ? static_cast<uint32_t>(regions_.size() - 1) : region);
    }
    return true;
  };
  Walk(func_.body(), enter, [](Stmt) {});
}

auto ComputationTable::AddSlot(PrimExpr expr, StmtId owner, uint32_t region) -> Slot {
  const Slot slot = static_cast<Slot>(slots_.size());
  slots_.push_back({{}, owner, region, false, {}});
  Set(slot, expr);
  return slot;
}

auto ComputationTable::AddLet(StmtId stmt, PrimExpr value) -> Slot {
  return AddSlot(value, stmt, regions_of_[stmt.value()]);
}

void ComputationTable::Set(Slot slot, PrimExpr expr) {
  slots_[slot].expr = expr;
  Computations list;
  facts_.List(expr, false, list);
  // Unchanged computations keep their entry.
  std::vector<uint32_t> kept;
  absl::flat_hash_set<PrimExpr> known;
  for (const uint32_t entry : slots_[slot].entries) {
    const uint64_t count = list.CountOf(entries_[entry].expr);
    SetCount(entry, static_cast<uint32_t>(count));
    if (count == 0) continue;
    kept.push_back(entry);
    known.insert(entries_[entry].expr);
  }
  slots_[slot].entries = std::move(kept);
  for (const Computations::Entry& computation : list.entries()) {
    if (!known.contains(computation.expr)) AddEntry(slot, computation);
  }
}

void ComputationTable::AddEntry(Slot slot, const Computations::Entry& computation) {
  const auto entry = static_cast<uint32_t>(entries_.size());
  entries_.push_back({computation.expr, slot, 0});
  slots_[slot].entries.push_back(entry);
  SetCount(entry, static_cast<uint32_t>(computation.count));
  for (const PrimExpr term : arith::PostOrder(terms_, computation.expr)) {
    if (terms_.is_var(term) || facts_.Of(term).eligible) {
      index_[term].insert(uint64_t{slots_[slot].owner.value()} << 32 | entry);
    }
  }
}

void ComputationTable::SetCount(uint32_t entry, uint32_t count) {
  Entry& e = entries_[entry];
  const int delta = static_cast<int>(count) - static_cast<int>(e.count);
  e.count = count;
  if (delta != 0) Count(slots_[e.slot].region, e.expr, delta);
}

// Outer regions change only if a computation becomes shared or stops being shared.
void ComputationTable::Count(uint32_t region, PrimExpr expr, int delta) {
  for (;;) {
    Region& in = regions_[region];
    const auto count = in.counts.try_emplace(expr, 0).first;
    const bool before = count->second > 0;
    count->second += static_cast<uint32_t>(delta);
    const bool after = count->second > 0;
    if (!after) in.counts.erase(count);
    if (before == after || in.divider == kNone) return;
    Divider& divider = dividers_[in.divider];
    const auto holders = divider.holders.try_emplace(expr, 0).first;
    const bool shared_before = holders->second >= 2;
    holders->second += after ? 1 : -1;
    const bool shared_after = holders->second >= 2;
    if (holders->second == 0) divider.holders.erase(holders);
    if (shared_before == shared_after) return;
    region = divider.region;
    delta = shared_after ? 2 : -2;
  }
}

auto ComputationTable::OfRegion(StmtId stmt) const -> Computations {
  Computations list;
  for (const auto& [expr, count] : regions_[regions_of_[stmt.value()]].counts) list.Add(expr, count);
  return list;
}

auto ComputationTable::EntriesWith(StmtId stmt, std::span<const PrimExpr> terms) const -> std::vector<uint32_t> {
  const uint64_t first = uint64_t{func_.stmts().first(stmt).value()} << 32;
  const uint64_t end = uint64_t{stmt.value() + 1} << 32;
  std::vector<uint32_t> entries;
  for (const PrimExpr term : terms) {
    const auto found = index_.find(term);
    if (found == index_.end()) continue;
    for (auto it = found->second.lower_bound(first); it != found->second.end() && *it < end; ++it) {
      const auto entry = static_cast<uint32_t>(*it);
      if (entries_[entry].count > 0 && !slots_[entries_[entry].slot].released) entries.push_back(entry);
    }
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

auto ComputationTable::SlotsWith(StmtId stmt, std::span<const PrimExpr> terms) const -> std::vector<Slot> {
  auto slots = MapToVector<Slot>(EntriesWith(stmt, terms), [&](uint32_t entry) { return entries_[entry].slot; });
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

auto ComputationTable::With(StmtId stmt, std::span<const PrimExpr> terms) const -> Computations {
  const uint32_t outer = regions_of_[stmt.value()];
  Computations list;
  for (const uint32_t i : EntriesWith(stmt, terms)) {
    const Entry& entry = entries_[i];
    uint32_t region = slots_[entry.slot].region;
    const bool inside = region != outer;
    while (region != outer) {
      const Divider& divider = dividers_[regions_[region].divider];
      const auto holders = divider.holders.find(entry.expr);
      if (holders == divider.holders.end() || holders->second < 2) break;
      region = divider.region;
    }
    if (region == outer) list.Add(entry.expr, inside ? 2 : entry.count);
  }
  return list;
}

}  // namespace relayopt::tir
