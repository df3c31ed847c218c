// Rewrites types from their leaves to their root, without recursion.
#pragma once

#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"

namespace relayopt {

// Maps the terms of a type: `rule` gets a term whose parts have been mapped already and returns what it becomes. A term
// that occurs twice, in one type or in several, is mapped once.
class TypeMap {
 public:
  // `args` are the mapped fields of a tuple, parameters of a function or arguments of an algebraic data type; `result`
  // the mapped result of a function or content of a reference, or none.
  using Rule = std::function<TypeId(TypeId term, std::span<const TypeId> args, TypeId result)>;

  TypeMap(Context& context, Rule rule) : context_(context), rule_(std::move(rule)) {}

  // Maps none to none.
  auto operator()(TypeId type) -> TypeId {
    if (!type) return type;
    // Neighbours often have the same type.
    if (type != last_) {
      last_result_ = Map(type);
      last_ = type;
    }
    return last_result_;
  }

 private:
  auto Map(TypeId type) -> TypeId {
    if (const auto known = done_.find(type); known != done_.end()) return known->second;
    std::vector<TypeId> stack = {type};
    std::vector<TypeId> args;
    while (!stack.empty()) {
      const TypeId id = stack.back();
      const Type& term = context_.type(id);
      const size_t pending = stack.size();
      for (const TypeId arg : term.args) Push(arg, stack);
      if (term.result) Push(term.result, stack);
      if (stack.size() != pending) continue;
      stack.pop_back();
      if (done_.contains(id)) continue;
      args.clear();
      for (const TypeId arg : term.args) args.push_back(done_[arg]);
      done_[id] = rule_(id, args, term.result ? done_[term.result] : TypeId());
    }
    return done_[type];
  }

  void Push(TypeId part, std::vector<TypeId>& stack) const {
    if (!done_.contains(part)) stack.push_back(part);
  }

  Context& context_;
  Rule rule_;
  absl::flat_hash_map<TypeId, TypeId> done_;
  // The type that was mapped last.
  TypeId last_;
  TypeId last_result_;
};

// Returns the term with other parts.
inline auto WithParts(Context& context, TypeId id, std::span<const TypeId> args, TypeId result) -> TypeId {
  const Type& term = context.type(id);
  switch (term.kind) {
    case TypeKind::kTuple: return context.Tuple(args);
    case TypeKind::kFunction: return context.FunctionType(args, result, term.type_params);
    case TypeKind::kCall: return context.TypeCall(term.name, args);
    case TypeKind::kRef: return context.RefType(result);
    case TypeKind::kTensor:
    case TypeKind::kVar:
    case TypeKind::kIncomplete:
    case TypeKind::kNull: break;
  }
  return id;
}

}  // namespace relayopt
