// Unification of type terms.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"

namespace relayopt {

// Rebuilds a type with its leaves replaced: `leaf` is called for every type variable and incomplete type, `dim` for
// every symbolic dimension; both may return their argument. Works without recursion and visits a shared subterm once.
auto RewriteType(Context& context, TypeId type, const std::function<TypeId(TypeId)>& leaf,
                 const std::function<Dim(const Dim&)>& dim) -> TypeId;

// The state of one inference problem: the types that incomplete types, and the dimensions that shape variables, are
// bound to.
class Unifier {
 public:
  explicit Unifier(Context& context) : context_(context) {}

  auto context() -> Context& { return context_; }
  auto Fresh() -> TypeId { return context_.FreshIncomplete(); }

  // Returns the type with the bindings of incomplete types applied: at its head only, or throughout.
  auto Head(TypeId type) -> TypeId { return context_.type(type).is_incomplete() ? HeadOfIncomplete(type) : type; }
  auto Resolve(TypeId type) -> TypeId;

  // Makes the two types equal and returns the type that both now are; returns nothing if they conflict, with the reason
  // in `mismatch()`. As TVM: where either side has a dimension `?` the result has `?`, even if the other is known.
  // Symbolic extents that are equal but not the same object become the one of `a`, everywhere.
  auto Unify(TypeId a, TypeId b) -> std::optional<TypeId>;
  // Unifies an argument of a call with its parameter. Unlike in Unify, equal symbolic extents stay as they are on both
  // sides.
  auto UnifyArgument(TypeId arg, TypeId param) -> std::optional<TypeId>;

  // Why the last call failed, as a clause: "dimension 1 is 3 but should be 4".
  auto mismatch() const -> const std::string& { return mismatch_; }

  // Returns the incomplete types that were bound since the last call, in order.
  auto TakeBound() -> std::vector<TypeId> { return std::exchange(bound_, {}); }
  auto has_bound() const -> bool { return !bound_.empty(); }

 private:
  auto HeadOfIncomplete(TypeId type) -> TypeId;
  auto Fail(std::string reason) -> std::optional<TypeId>;
  auto Bind(TypeId incomplete, TypeId type) -> std::optional<TypeId>;
  auto UnifyTensors(const Type& a, const Type& b) -> std::optional<TypeId>;
  auto UnifyDims(const Dim& a, const Dim& b) -> std::optional<Dim>;
  auto Occurs(TypeId incomplete, TypeId type) -> bool;
  auto ResolveDim(const Dim& dim) -> Dim;

  // A pair of terms whose parts are being unified.
  struct Frame {
    TypeId a;
    TypeId b;
    std::vector<TypeId> parts;
  };
  // Gives two function types the same type parameters, which are identified with each other in order. Surplus ones may
  // be anything, and the result has none for them.
  void AlignTypeParams(TypeId& a, TypeId& b);
  // Either finishes the pair at once, in `settled`, or pushes a frame for its parts.
  auto Start(TypeId a, TypeId b, std::vector<Frame>& stack, std::optional<TypeId>& settled) -> bool;
  auto Rebuild(const Frame& frame) -> TypeId;

  Context& context_;
  absl::flat_hash_map<TypeId, TypeId> bindings_;
  absl::flat_hash_map<ObjectId, Dim> dims_;
  std::vector<TypeId> bound_;
  bool merges_extents_ = true;
  std::string mismatch_;
};

}  // namespace relayopt
