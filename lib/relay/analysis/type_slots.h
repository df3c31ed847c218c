// Type slots: what is known of the types of expressions during inference.
#pragma once

#include <utility>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/types/unifier.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Every expression has a slot; slots of expressions that must have one type are merged (union-find).
class TypeSlots {
 public:
  TypeSlots(Unifier& unifier, size_t size) : unifier_(unifier), parents_(size), values_(size) {}

  // Returns the known type of an expression; an incomplete type if it is unknown.
  auto TypeOf(ExprId id) -> TypeId {
    TypeId& value = At(id);
    if (!value) value = unifier_.Fresh();
    return unifier_.Head(value);
  }
  // Returns the slot, or none if its type is unknown.
  auto At(ExprId id) -> TypeId& { return values_[Find(id)]; }
  // Sets the first knowledge about an expression that has a slot of its own.
  void Set(ExprId id, TypeId type) { values_[id] = type; }

  // Makes the slot's type equal to `type`; returns false if they conflict.
  auto Constrain(ExprId id, TypeId type) -> bool {
    TypeId& value = At(id);
    if (!value) {
      value = type;
      return true;
    }
    const auto unified = unifier_.Unify(value, type);
    if (unified) value = *unified;
    return unified.has_value();
  }

  // Makes the slots of both one; returns false if they conflict.
  auto Merge(ExprId a, ExprId b) -> bool {
    const ExprId x = Find(a);
    const ExprId y = Find(b);
    if (x == y) return true;
    if (!values_[y]) {
      values_[y] = values_[x];
    } else if (values_[x]) {
      const auto unified = unifier_.Unify(values_[x], values_[y]);
      if (!unified) return false;
      values_[y] = *unified;
    }
    parents_[x] = y;
    return true;
  }

 private:
  auto Find(ExprId id) -> ExprId { return parents_[id] ? FindMerged(id) : id; }
  auto FindMerged(ExprId id) -> ExprId {
    ExprId root = id;
    while (parents_[root]) root = parents_[root];
    while (id != root) id = std::exchange(parents_[id], root);
    return root;
  }

  Unifier& unifier_;
  // The parent in the union-find forest; invalid for the representative of a slot.
  SideTable<ExprId, ExprId> parents_;
  SideTable<ExprId, TypeId> values_;
};

}  // namespace relayopt
