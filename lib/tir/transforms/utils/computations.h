// The computations of a function and where they are, for the pass that makes common ones variables.
#pragma once

#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Computations with their numbers, in order of discovery.
class Computations {
 public:
  struct Entry {
    PrimExpr expr;
    uint64_t count;
  };
  auto entries() const -> const std::vector<Entry>& { return entries_; }
  auto CountOf(PrimExpr expr) const -> uint64_t {
    const auto found = places_.find(expr);
    return found == places_.end() ? 0 : entries_[found->second].count;
  }
  void Add(PrimExpr expr, uint64_t count) {
    const auto [found, is_new] = places_.try_emplace(expr, entries_.size());
    if (is_new)
      entries_.push_back({expr, count});
    else
      entries_[found->second].count += count;
  }

 private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<PrimExpr, size_t> places_;
};

// Properties of terms that matter to the pass.
class ComputationFacts {
 public:
  struct Facts {
    // Contains a load or call.
    bool forbidden = false;
    // Is a computation itself.
    bool eligible = false;
    // Contains a Let.
    bool has_let = false;
    // Contains a division whose divisor may be 0: it must not be evaluated where the program would not.
    bool may_trap = false;
    uint64_t complexity = 1;
    // The order in which terms were met; unlike ids, it depends only on the function.
    uint32_t serial = 0;
  };
  explicit ComputationFacts(const Terms& terms) : terms_(terms) {}
  auto Of(PrimExpr expr) -> const Facts&;
  // The computations of an expression: itself, or those of its parts. `parts_only`: of its parts in any case.
  void List(PrimExpr expr, bool parts_only, Computations& list);
  // Whether evaluating the expression always evaluates the term: conditionals, `and` and `or` evaluate their later
  // operands only where they have to.
  auto Evaluates(PrimExpr expr, PrimExpr term) const -> bool;

 private:
  // Returns the facts of a term, computed from those of its operands.
  auto FromOperands(PrimExpr term) const -> Facts;

  const Terms& terms_;
  absl::flat_hash_map<PrimExpr, Facts> facts_;
};

// The expressions of a function while it changes. Each has a slot: those of a statement, and the value of each variable
// that was created around a statement.
//
// What is in only one part of an `if`, `for` or `while` counts in that part alone. So these statements divide the
// function into regions: each of their expressions and bodies is one, which ends where the next such statement begins.
// A region records its computations: those of its slots, and those that two parts of such a statement in it share.
class ComputationTable {
 public:
  using Slot = uint32_t;

  ComputationTable(const PrimFunc& func, ComputationFacts& facts);

  auto expr(Slot slot) const -> PrimExpr { return slots_[slot].expr; }
  // Returns the slot of an expression of a statement.
  auto SlotOf(StmtId stmt, size_t i) const -> Slot { return first_slots_[stmt.value()] + static_cast<Slot>(i); }
  // Returns a slot for the value of a new variable, directly around a statement; the statement has it until Release.
  auto AddLet(StmtId stmt, PrimExpr value) -> Slot;
  void Release(Slot slot) { slots_[slot].released = true; }
  void Set(Slot slot, PrimExpr expr);

  // Returns the computations of the region of a statement.
  auto OfRegion(StmtId stmt) const -> Computations;
  // Returns the computations in the statement that contain one of the terms.
  auto With(StmtId stmt, std::span<const PrimExpr> terms) const -> Computations;
  // Returns the slots of a statement and its parts whose computations contain one of the terms, in order.
  auto SlotsWith(StmtId stmt, std::span<const PrimExpr> terms) const -> std::vector<Slot>;
  // Whether executing the statement always evaluates the computation.
  auto Evaluates(StmtId stmt, PrimExpr term) const -> bool;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct SlotInfo {
    PrimExpr expr;
    StmtId owner;
    uint32_t region;
    bool released = false;
    // Its computations, as indices in `entries_`.
    std::vector<uint32_t> entries;
  };
  // A computation of a slot.
  struct Entry {
    PrimExpr expr;
    Slot slot;
    // 0 if it no longer exists.
    uint32_t count;
  };
  struct Region {
    // The statement of which it is a part.
    uint32_t divider = kNone;
    // May be an arbitrary number above one if the exact count is unknown.
    absl::flat_hash_map<PrimExpr, uint32_t> counts;
  };
  struct Divider {
    uint32_t region;
    // The number of its parts that have a computation.
    absl::flat_hash_map<PrimExpr, uint32_t> holders;
  };

  void MakeRegions();
  void MakeGuards();
  void MakeSlots();
  auto AddSlot(PrimExpr expr, StmtId owner, uint32_t region) -> Slot;
  void AddEntry(Slot slot, const Computations::Entry& computation);
  void SetCount(uint32_t entry, uint32_t count);
  void Count(uint32_t region, PrimExpr expr, int delta);
  auto EntriesWith(StmtId stmt, std::span<const PrimExpr> terms) const -> std::vector<uint32_t>;

  const PrimFunc& func_;
  const Terms& terms_;
  ComputationFacts& facts_;
  // The region that contains each statement.
  std::vector<uint32_t> regions_of_;
  std::vector<Region> regions_;
  std::vector<Divider> dividers_;
  // The outermost statement around each one, itself included, that is executed whenever it is: a part of a branch or of
  // a loop that may not run. Invalid if that is the whole body.
  std::vector<StmtId> guards_;
  // Indexed by statement.
  std::vector<Slot> first_slots_;
  std::vector<SlotInfo> slots_;
  std::vector<Entry> entries_;
  // The computations where a variable or computation occurs: the statement and the index in `entries_`.
  absl::flat_hash_map<PrimExpr, absl::btree_set<uint64_t>> index_;
};

}  // namespace relayopt::tir
