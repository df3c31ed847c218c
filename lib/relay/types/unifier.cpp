// Unification of type terms on explicit stacks.
#include "relayopt/relay/types/unifier.h"

#include <fmt/core.h>

#include <algorithm>

#include "relayopt/arith/dim_arith.h"
#include "relayopt/arith/expr_object.h"
#include "relayopt/relay/types/substitution.h"

namespace relayopt {

namespace {

// Returns the parts of a type in the order in which RewriteType and Unifier treat them: result first, then arguments.
auto NumParts(const Type& type) -> size_t { return type.args.size() + (type.result ? 1 : 0); }

auto Part(const Type& type, size_t i) -> TypeId {
  if (type.result) return i == 0 ? type.result : type.args[i - 1];
  return type.args[i];
}

// Returns a type like `type` with other parts.
auto WithParts(Context& context, const Type& type, std::span<const TypeId> parts) -> TypeId {
  const TypeId result = type.result ? parts.front() : TypeId();
  const std::span<const TypeId> args = type.result ? parts.subspan(1) : parts;
  switch (type.kind) {
    case TypeKind::kTuple: return context.Tuple(args);
    case TypeKind::kFunction: return context.FunctionType(args, result, type.type_params);
    case TypeKind::kCall: return context.TypeCall(type.name, args);
    case TypeKind::kRef: return context.RefType(result);
    case TypeKind::kTensor:
    case TypeKind::kVar:
    case TypeKind::kIncomplete:
    case TypeKind::kNull: break;
  }
  RELAYOPT_CHECK(false, "a leaf type has no parts");
}

}  // namespace

auto RewriteType(Context& context, TypeId type, const std::function<TypeId(TypeId)>& leaf,
                 const std::function<Dim(const Dim&)>& dim) -> TypeId {
  absl::flat_hash_map<TypeId, TypeId> done;
  std::vector<TypeId> stack = {type};
  std::vector<TypeId> parts;
  while (!stack.empty()) {
    const TypeId id = stack.back();
    const Type& term = context.type(id);
    if (done.contains(id)) {
      stack.pop_back();
      continue;
    }
    if (term.kind == TypeKind::kVar || term.kind == TypeKind::kIncomplete) {
      done[id] = leaf(id);
    } else if (term.is_tensor()) {
      std::vector<Dim> shape(term.shape.begin(), term.shape.end());
      for (Dim& d : shape) d = dim(d);
      done[id] = context.Tensor(shape, term.dtype);
    } else {
      const size_t pending = stack.size();
      for (size_t i = 0; i < NumParts(term); ++i) {
        if (!done.contains(Part(term, i))) stack.push_back(Part(term, i));
      }
      if (stack.size() != pending) continue;
      parts.clear();
      for (size_t i = 0; i < NumParts(term); ++i) parts.push_back(done[Part(term, i)]);
      done[id] = parts.empty() ? id : WithParts(context, term, parts);
    }
    stack.pop_back();
  }
  return done[type];
}

auto Unifier::HeadOfIncomplete(TypeId type) -> TypeId {
  TypeId at = type;
  while (context_.type(at).is_incomplete()) {
    const auto found = bindings_.find(at);
    if (found == bindings_.end()) break;
    at = found->second;
  }
  // Chains of bindings are shortened, so that following them stays cheap.
  while (type != at && context_.type(type).is_incomplete()) {
    TypeId& next = bindings_[type];
    type = std::exchange(next, at);
  }
  return at;
}

auto Unifier::ResolveDim(const Dim& dim) -> Dim {
  if (!dim.is_expr()) return dim;
  const auto found = dims_.find(dim.object());
  return found == dims_.end() ? dim : found->second;
}

auto Unifier::Resolve(TypeId type) -> TypeId {
  if (!context_.type(type).has_incomplete && dims_.empty()) return type;
  // A binding may lead to a term with further incomplete types: rewrite until nothing is left to replace.
  while (true) {
    const TypeId next = RewriteType(
        context_, type, [this](TypeId id) { return context_.type(id).is_incomplete() ? Head(id) : id; },
        [this](const Dim& d) { return ResolveDim(d); });
    if (next == type) return type;
    type = next;
  }
}

auto Unifier::Fail(std::string reason) -> std::optional<TypeId> {
  mismatch_ = std::move(reason);
  return std::nullopt;
}

auto Unifier::Occurs(TypeId incomplete, TypeId type) -> bool {
  if (!context_.type(type).has_incomplete) return false;
  bool found = false;
  RewriteType(
      context_, Resolve(type),
      [&](TypeId id) {
        found |= id == incomplete;
        return id;
      },
      [](const Dim& d) { return d; });
  return found;
}

auto Unifier::Bind(TypeId incomplete, TypeId type) -> std::optional<TypeId> {
  if (Occurs(incomplete, type)) return Fail("the type would contain itself");
  bindings_[incomplete] = type;
  bound_.push_back(incomplete);
  return type;
}

auto Unifier::UnifyDims(const Dim& a, const Dim& b) -> std::optional<Dim> {
  const Dim x = ResolveDim(a);
  const Dim y = ResolveDim(b);
  if (x == y) return x;
  if (x.is_any() || y.is_any()) return Dim::Any();
  if (x.is_int() && y.is_int()) {
    if (x.value() != y.value()) return std::nullopt;
    return x;
  }
  if (x.is_expr() && y.is_expr() && ProvablyEqual(context_, x, y)) {
    // Rules create a new object for the same expression in each call; from here on both are treated as one.
    if (merges_extents_) dims_[y.object()] = x;
    return x;
  }
  const auto is_variable = [this](const Dim& d) {
    const auto kind = d.is_expr() ? arith::KindOf(context_, d.object()) : std::nullopt;
    return kind && arith::IsVarKind(*kind);
  };
  // A symbolic expression that contains `?` unifies with anything else like `?`.
  const auto contains_any = [this](const Dim& d) {
    if (!d.is_expr()) return false;
    std::vector<ObjectId> stack = {d.object()};
    while (!stack.empty()) {
      const ObjectId top = stack.back();
      stack.pop_back();
      if (arith::KindOf(context_, top) == arith::PrimKind::kAny) return true;
      for (const ObjectField& field : context_.object(top).fields) {
        if (field.object) stack.push_back(field.object);
      }
    }
    return false;
  };
  if (contains_any(x) || contains_any(y)) return Dim::Any();
  if (is_variable(x) && y.is_int()) {
    dims_[x.object()] = y;
    return y;
  }
  if (is_variable(y) && x.is_int()) {
    dims_[y.object()] = x;
    return x;
  }
  return std::nullopt;
}

namespace {

// A handle without axes is a value whose type is not known, such as the result of a node of ONNX.
auto IsUnknownValue(const Type& type) -> bool { return type.rank() == 0 && type.dtype.code == TypeCode::kHandle; }

}  // namespace

auto Unifier::UnifyTensors(const Type& a, const Type& b) -> std::optional<TypeId> {
  // When its type becomes known, so do the types that it is part of.
  if (IsUnknownValue(a)) return context_.Tensor(b.shape, b.dtype);
  if (IsUnknownValue(b)) return context_.Tensor(a.shape, a.dtype);
  if (a.rank() != b.rank()) {
    return Fail(fmt::format("a tensor of rank {} is not one of rank {}", a.rank(), b.rank()));
  }
  if (a.dtype != b.dtype) {
    return Fail(fmt::format("element type {} is not {}", ToString(a.dtype), ToString(b.dtype)));
  }
  std::vector<Dim> shape;
  shape.reserve(a.rank());
  for (size_t i = 0; i < a.rank(); ++i) {
    const auto dim = UnifyDims(a.shape[i], b.shape[i]);
    if (!dim) {
      return Fail(fmt::format("dimension {} is {} on one side and {} on the other", i, ToString(a.shape[i]),
                              ToString(b.shape[i])));
    }
    shape.push_back(*dim);
  }
  return context_.Tensor(shape, a.dtype);
}

void Unifier::AlignTypeParams(TypeId& a, TypeId& b) {
  const Type& x = context_.type(a);
  const Type& y = context_.type(b);
  if (std::ranges::equal(x.type_params, y.type_params)) return;
  const size_t common = std::min(x.type_params.size(), y.type_params.size());
  const auto kept = x.type_params.first(common);
  const auto align = [&](const Type& type) {
    std::vector<TypeId> by(kept.begin(), kept.end());
    while (by.size() < type.type_params.size()) by.push_back(Fresh());
    const TypeId plain = context_.FunctionType(type.args, type.result);
    const Type& aligned = context_.type(Substitute(context_, plain, type.type_params, by));
    return context_.FunctionType(aligned.args, aligned.result, kept);
  };
  a = align(x);
  b = align(y);
}

auto Unifier::Start(TypeId a, TypeId b, std::vector<Frame>& stack, std::optional<TypeId>& settled) -> bool {
  a = Head(a);
  b = Head(b);
  const Type& x = context_.type(a);
  const Type& y = context_.type(b);
  if (a == b) {
    settled = a;
    return true;
  }
  if (x.is_incomplete() || y.is_incomplete()) {
    settled = x.is_incomplete() ? Bind(a, b) : Bind(b, a);
    return settled.has_value();
  }
  if (x.kind != y.kind) {
    Fail(fmt::format("{} is not {}", KindName(x.kind), KindName(y.kind)));
    return false;
  }
  if (x.is_tensor()) {
    settled = UnifyTensors(x, y);
    return settled.has_value();
  }
  if (x.kind == TypeKind::kVar || x.kind == TypeKind::kNull) {
    Fail(x.kind == TypeKind::kVar
             ? fmt::format("type parameter {} is not {}", context_.text(x.name), context_.text(y.name))
             : "no type");
    return false;
  }
  if (x.kind == TypeKind::kCall && x.name != y.name) {
    Fail(fmt::format("type {} is not {}", context_.text(x.name), context_.text(y.name)));
    return false;
  }
  if (x.is_function()) AlignTypeParams(a, b);
  if (context_.type(a).args.size() != context_.type(b).args.size() ||
      context_.type(a).result.has_value() != context_.type(b).result.has_value()) {
    Fail(fmt::format("{} with {} parts is not one with {}", KindName(x.kind), x.args.size(), y.args.size()));
    return false;
  }
  if (NumParts(context_.type(a)) == 0) {
    settled = a;
    return true;
  }
  stack.push_back({a, b, {}});
  return true;
}

auto Unifier::Rebuild(const Frame& frame) -> TypeId { return WithParts(context_, context_.type(frame.a), frame.parts); }

auto Unifier::Unify(TypeId a, TypeId b) -> std::optional<TypeId> {
  if (a == b) return a;
  std::vector<Frame> stack;
  std::optional<TypeId> settled;
  if (!Start(a, b, stack, settled)) return std::nullopt;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (settled) frame.parts.push_back(*std::exchange(settled, std::nullopt));
    const size_t next = frame.parts.size();
    if (next == NumParts(context_.type(frame.a))) {
      settled = Rebuild(frame);
      stack.pop_back();
    } else if (!Start(Part(context_.type(frame.a), next), Part(context_.type(frame.b), next), stack, settled)) {
      return std::nullopt;
    }
  }
  return settled;
}

auto Unifier::UnifyArgument(TypeId arg, TypeId param) -> std::optional<TypeId> {
  merges_extents_ = false;
  auto unified = Unify(arg, param);
  merges_extents_ = true;
  return unified;
}

}  // namespace relayopt
