// Buffers and what else statements speak of.
#include "relayopt/tir/ir/buffer.h"

#include <algorithm>
#include <array>

namespace relayopt::tir {

namespace {

constexpr std::array<std::string_view, 9> kIterTypeNames = {"DataPar",    "ThreadIndex",  "CommReduce",
                                                            "Ordered",    "Opaque",       "Unrolled",
                                                            "Vectorized", "Parallelized", "Tensorized"};

// TVM's classes, by RefKind.
constexpr std::array<std::string_view, 7> kRefKeys = {
    "", "tir.PrimExpr", "tir.Buffer", "tir.IterVar", "tir.CommReducer", "tir.IndexMap", "Target"};

}  // namespace

auto Name(IterType type) -> std::string_view { return kIterTypeNames[static_cast<size_t>(type)]; }

auto ParseIterType(std::string_view text) -> std::optional<IterType> {
  const auto found = std::find(kIterTypeNames.begin(), kIterTypeNames.end(), text);
  if (found == kIterTypeNames.end()) return std::nullopt;
  return static_cast<IterType>(found - kIterTypeNames.begin());
}

Tables::Tables(Context& context) : context_(context), terms_(&context.Part<Terms>()) {}

auto Tables::Add(Buffer buffer) -> BufferId {
  RELAYOPT_CHECK(terms_->is_var(buffer.data), "the data of a buffer is a variable");
  RELAYOPT_CHECK(buffer.strides.empty() || buffer.strides.size() == buffer.shape.size(),
                 "one stride for each dimension");
  if (!buffer.elem_offset) {
    const DataType index = buffer.shape.empty() ? DataType::Int(32) : terms_->dtype(buffer.shape[0]);
    buffer.elem_offset = terms_->IntImm(index, 0);
  }
  for (const PrimExpr field : {buffer.data, buffer.elem_offset}) terms_->MarkUsed(field);
  for (const auto* fields : {&buffer.shape, &buffer.strides}) {
    for (const PrimExpr field : *fields) terms_->MarkUsed(field);
  }
  const std::lock_guard lock(mutex_);
  return buffers_.Append(std::move(buffer));
}

auto Tables::Add(IterVar iter_var) -> IterVarId {
  const std::lock_guard lock(mutex_);
  return iter_vars_.Append(iter_var);
}

auto Tables::Add(CommReducer reducer) -> ReducerId {
  const std::lock_guard lock(mutex_);
  return reducers_.Append(std::move(reducer));
}

auto Tables::Add(IndexMap index_map) -> IndexMapId {
  const std::lock_guard lock(mutex_);
  return index_maps_.Append(std::move(index_map));
}

auto Tables::WithData(BufferId id, PrimExpr data) -> BufferId {
  Buffer copy = buffer(id);
  copy.data = data;
  return Add(std::move(copy));
}

auto Tables::Scope(BufferId id) const -> std::string_view { return ScopeOf(*terms_, context_, buffer(id).data); }

auto AddRef(Context& context, RefKind kind, uint32_t id) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kNode;
  object.type_key = context.Intern(kRefKeys[static_cast<size_t>(kind)]);
  object.integer = id;
  return context.Add(object);
}

auto RefKindOf(const Context& context, const Object& object) -> RefKind {
  if (object.kind != ObjectKind::kNode || !object.fields.empty()) return RefKind::kNone;
  const auto found = std::find(kRefKeys.begin() + 1, kRefKeys.end(), context.text(object.type_key));
  return found != kRefKeys.end() ? static_cast<RefKind>(found - kRefKeys.begin()) : RefKind::kNone;
}

auto AddTarget(Context& context, std::span<const ObjectId> items) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kNode;
  object.type_key = context.Intern(kRefKeys[static_cast<size_t>(RefKind::kTarget)]);
  object.items = items;
  return context.Add(object);
}

auto ScopeOf(const Terms& terms, const Context& context, PrimExpr pointer) -> std::string_view {
  const VarType& type = terms.var(pointer).type;
  if (type.kind != VarType::Kind::kPointer || !type.scope) return "global";
  const std::string_view scope = context.text(type.scope);
  return scope.empty() ? "global" : scope;
}

}  // namespace relayopt::tir
