// Rebuild: the way every pass rewrites a function. It walks the old ids in ascending order, emits into a new table, and
// remembers which new id an old one became.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "relayopt/pass/rewrite_gate.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// A function under reconstruction. The usual pass is
//
//   return Rewrite(function, [&](Rebuild& to, ExprId id) { return IsSpecial(id) ? Special(to, id) : ExprId(); });
//
// What a visit leaves alone is copied when something asks for the new function, so that a pass that changes nothing
// copies nothing.
class Rebuild {
 public:
  explicit Rebuild(const Function& from);

  auto from() const -> const Function& { return *from_; }
  auto to() -> FunctionBuilder& {
    CatchUp();
    return builder_;
  }

  // Returns the new id of an old node, or invalid if it has none yet.
  auto New(ExprId old) -> ExprId {
    CatchUp();
    return map_[old];
  }
  void Set(ExprId old, ExprId made) {
    CatchUp();
    map_[old] = made;
  }
  // Returns the new operands of an old node. The span is valid until the next call.
  auto NewOperands(ExprId old) -> std::span<const ExprId>;
  // Emits a copy of the old node with its new operands.
  auto Copy(ExprId old) -> ExprId { return builder_.Copy(*from_, old, NewOperands(old)); }
  // Announces that what is emitted from now on replaces the old expression, so that its origin is known
  // (provenance.h). For passes that do not use ForEach.
  void BeginVisit(ExprId old) {
    if (!from_->tracks_origins()) return;
    builder_.Replace(*from_, old);
    visits_.emplace_back(static_cast<uint32_t>(builder_.function().size()), old);
  }
  // Calls `visit(id) -> ExprId` for every old id in ascending order, and records the returned id as the new one.
  template <typename Visit>
  void ForEach(Visit&& visit) {
    for (const ExprId id : from_->ids()) {
      BeginVisit(id);
      Set(id, visit(id));
    }
  }
  // Calls `visit(id) -> ExprId` for every old id in ascending order; where it returns an invalid id, the node is
  // copied. Returns the new function, or nothing if all nodes were copied. Every expression that `visit` replaces
  // counts as one independent rewrite, which debug counters may suppress by copying the node instead (RewriteGate). A
  // call of an operator without a range or a span gets that of the expression that it replaces.
  template <typename Visit>
  auto Rewrite(Visit&& visit) -> std::optional<Function> {
    bool changed = false;
    RewriteGate* const gate = RewriteGate::Current();
    for (const ExprId id : from_->ids()) {
      next_ = id;
      if (from_->tracks_origins()) {
        CatchUp();
        BeginVisit(id);
      }
      ExprId made = visit(id);
      if (gate != nullptr && made.has_value()) made = Watched(*gate, id, made);
      if (!made.has_value()) continue;
      changed = true;
      Replace(id, made);
    }
    if (!changed) return std::nullopt;
    next_ = ExprId(from_->size());
    return Finish();
  }

  // Returns the new function, laid out again.
  auto Finish() -> Function {
    if (from_->tracks_origins()) SettleOrigins();
    return Relayout(builder_.Finish(New(from_->root())));
  }

 private:
  // Copies the expressions before the visited one that are not copied yet.
  void CatchUp() {
    if (copied_ != next_) CopyPending();
  }
  void CopyPending();
  // Makes the visited expression another one.
  void Replace(ExprId old, ExprId made);

  // Returns the result of a rewrite, subject to the gate, or invalid if the gate suppresses it.
  auto Watched(RewriteGate& gate, ExprId old, ExprId made) -> ExprId;

  // Gives the origins of old expressions that are not in the result to those that replace them.
  void SettleOrigins();

  const Function* from_;
  FunctionBuilder builder_;
  SideTable<ExprId, ExprId> map_;
  // Rewrite has dealt with the expressions before `next_`; those from `copied_` on remain to be copied.
  ExprId copied_{0U};
  ExprId next_{0U};
  // The visited old expressions, each with the size of the new table before its visit. Empty if origins are not
  // tracked.
  std::vector<std::pair<uint32_t, ExprId>> visits_;
  std::vector<ExprId> operands_;
};

// Returns a whole pass that replaces expressions one by one: `visit(rebuild, id) -> ExprId` returns what the old
// expression becomes, or an invalid id to copy it.
template <typename Visit>
auto Rewrite(const Function& function, Visit&& visit) -> std::optional<Function> {
  Rebuild rebuild(function);
  return rebuild.Rewrite([&](ExprId id) { return visit(rebuild, id); });
}

}  // namespace relayopt
