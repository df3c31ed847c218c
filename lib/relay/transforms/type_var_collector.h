// Collects the type variables in a part of a program.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/core/context.h"

namespace relayopt {

// Collects the type variables of terms, each once, in the order in which they occur.
class TypeVarCollector {
 public:
  // Whether variables that a function type binds count.
  enum Bound : bool { kFreeOnes, kBoundOnesToo };

  explicit TypeVarCollector(const Context& context, Bound bound = kFreeOnes) : context_(context), bound_(bound) {}

  // Variables that are bound: they do not count.
  void Bind(std::span<const TypeId> vars) { seen_.insert(vars.begin(), vars.end()); }

  // Adds the variables of a term, which may be none.
  void Add(TypeId type) {
    if (!type) return;
    // Neighbours often have the same type.
    TypeId& recent = recent_[type.value() % recent_.size()];
    if (recent == type) return;
    recent = type;
    if (seen_.contains(type)) return;
    std::vector<TypeId> pending = {type};
    while (!pending.empty()) {
      const TypeId next = pending.back();
      pending.pop_back();
      if (!next || !seen_.insert(next).second) continue;
      const Type& term = context_.type(next);
      if (term.kind == TypeKind::kVar) found_.push_back(next);
      if (bound_ == kFreeOnes) Bind(term.type_params);
      if (term.result) pending.push_back(term.result);
      pending.insert(pending.end(), term.args.rbegin(), term.args.rend());
    }
  }

  auto found() const -> const std::vector<TypeId>& { return found_; }

 private:
  const Context& context_;
  Bound bound_;
  // Terms that were added, each in the slot that its number gives it.
  std::array<TypeId, 16> recent_;
  absl::flat_hash_set<TypeId> seen_;
  std::vector<TypeId> found_;
};

}  // namespace relayopt
