// Interns what the functions of a module share: types, records and instances.
#include "relayopt/core/context.h"

#include <bit>

#include "relayopt/support/text_hash.h"

namespace relayopt {

namespace {

template <typename T>
auto EqualSpans(std::span<const T> a, std::span<const T> b) -> bool {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

auto SmallType(TypeKind kind) -> Type {
  Type type;
  type.kind = kind;
  return type;
}

void AddDim(WordHash& hash, const Dim& d) {
  uint64_t value = 0;
  if (d.is_int()) {
    value = static_cast<uint64_t>(d.value());
  } else if (d.is_expr()) {
    value = d.object().value();
  }
  hash.Add(value * 8 + static_cast<uint64_t>(d.kind()) + static_cast<uint64_t>(d.bits()) * 1024);
}

void AddDims(WordHash& hash, const DimList& list) {
  hash.Add(list.null ? 0 : list.size() + 1);
  for (const Dim& d : list) AddDim(hash, d);
}

}  // namespace

struct Context::TypeHash {
  auto operator()(const Type* t) const -> size_t {
    // Types are hashed for every inferred operator: each has a few words.
    WordHash hash;
    hash.Add(static_cast<uint64_t>(t->kind) << 32 | std::bit_cast<uint32_t>(t->dtype));
    for (const Dim& d : t->shape) AddDim(hash, d);
    for (const TypeId id : t->args) hash.Add(id.value());
    for (const TypeId id : t->type_params) hash.Add(id.value());
    hash.Add(uint64_t{t->result.value()} << 32 | t->name.value());
    hash.Add(t->number);
    return hash.value();
  }
};

struct Context::TypeEqual {
  auto operator()(const Type* a, const Type* b) const -> bool {
    return a->kind == b->kind && a->dtype == b->dtype && EqualSpans(a->shape, b->shape) &&
           EqualSpans(a->args, b->args) && EqualSpans(a->type_params, b->type_params) && a->result == b->result &&
           a->name == b->name && a->number == b->number;
  }
};

struct Context::TypeSet {
  absl::flat_hash_map<const Type*, TypeId, TypeHash, TypeEqual> ids;
};

namespace {

// Whether an attribute value prints as metadata. Each such object has an index of its own, so records that hold
// different ones are different records, however equal the objects are.
auto HasIndex(const Object& object) -> bool {
  switch (object.kind) {
    case ObjectKind::kInt:
    case ObjectKind::kFloat:
    case ObjectKind::kString:
    case ObjectKind::kStringImm:
    case ObjectKind::kArray: return false;
    default: return true;
  }
}

void AddObject(WordHash& hash, const Context& context, ObjectId id) {
  if (!id) return hash.Add(0);
  const Object& object = context.object(id);
  hash.Add(object.hash);
  if (HasIndex(object)) hash.Add(id.value());
}

void AddField(WordHash& hash, const Context& context, const FieldInfo& field, const void* record) {
  switch (field.kind) {
    case FieldKind::kInt: return hash.Add(static_cast<uint64_t>(field.Get<int64_t>(record)));
    case FieldKind::kBool: return hash.Add(field.Get<bool>(record) ? 1 : 0);
    case FieldKind::kDouble: return hash.Add(std::bit_cast<uint64_t>(field.Get<double>(record)));
    case FieldKind::kString: return hash.Add(HashText(field.Get<std::string>(record)));
    case FieldKind::kDataType: return hash.Add(std::bit_cast<uint32_t>(field.Get<DataType>(record)));
    case FieldKind::kDim: return AddDim(hash, field.Get<Dim>(record));
    case FieldKind::kDimList: return AddDims(hash, field.Get<DimList>(record));
    case FieldKind::kDimLists:
      for (const DimList& list : field.Get<DimLists>(record).values) AddDims(hash, list);
      return;
    case FieldKind::kObject: return AddObject(hash, context, field.Get<ObjectId>(record));
  }
}

}  // namespace

struct Context::AttrsHash {
  const Context* context;
  auto operator()(const AttrsRecord& r) const -> size_t {
    WordHash hash;
    hash.Add(reinterpret_cast<uintptr_t>(r.schema));
    for (const FieldInfo& field : r.schema->fields) AddField(hash, *context, field, r.data);
    return hash.value();
  }
};

struct Context::AttrsEqual {
  const Context* context;
  auto operator()(const AttrsRecord& a, const AttrsRecord& b) const -> bool {
    return a.schema == b.schema && EqualFields(*context, *a.schema, a.data, b.data) && HoldSameObjects(a, b);
  }

 private:
  auto HoldSameObjects(const AttrsRecord& a, const AttrsRecord& b) const -> bool {
    for (const FieldInfo& field : a.schema->fields) {
      if (field.kind != FieldKind::kObject) continue;
      const auto id = field.Get<ObjectId>(a.data);
      if (id && id != field.Get<ObjectId>(b.data) && HasIndex(context->object(id))) return false;
    }
    return true;
  }
};

struct Context::AttrsSet {
  absl::flat_hash_map<AttrsRecord, AttrsId, AttrsHash, AttrsEqual> ids;
};

Context::Context()
    : type_set_(std::make_unique<TypeSet>()),
      attrs_set_(new AttrsSet{
          absl::flat_hash_map<AttrsRecord, AttrsId, AttrsHash, AttrsEqual>(0, AttrsHash{this}, AttrsEqual{this})}) {}

Context::~Context() {
  // The last first: a part may use those that were there before it.
  for (; !owned_parts_.empty(); owned_parts_.pop_back()) owned_parts_.back().destroy(owned_parts_.back().part);
  for (uint32_t i = 0; i < attrs_.size(); ++i) {
    const AttrsRecord& record = attrs_[AttrsId(i)];
    if (record.schema != nullptr) record.schema->destroy(record.data);
  }
}

auto Context::NewPartSlot() -> size_t {
  static std::atomic<size_t> next = 0;
  const size_t slot = next++;
  RELAYOPT_CHECK(slot < kMaxParts, "contexts have room for every class of parts");
  return slot;
}

auto Context::AddPart(size_t slot, void* (*make)(Context& context), void (*destroy)(void* part)) const -> const void* {
  const std::lock_guard lock(parts_mutex_);
  if (void* part = parts_[slot].load(std::memory_order_relaxed)) return part;
  // Making a part does not change the observable state, so a const context may do it.
  void* part = make(const_cast<Context&>(*this));
  owned_parts_.push_back({part, destroy});
  parts_[slot].store(part, std::memory_order_release);
  return part;
}

auto Context::InternType(const Type& type) -> TypeId {
  const std::lock_guard lock(types_mutex_);
  const auto& ids = type_set_->ids;
  if (const auto found = ids.find(&type); found != ids.end()) return found->second;
  return AddType(type);
}

auto Context::AddType(Type type) -> TypeId {
  type.shape = type_arena_.Copy(type.shape);
  type.args = type_arena_.Copy(type.args);
  type.type_params = type_arena_.Copy(type.type_params);
  type.has_incomplete = type.kind == TypeKind::kIncomplete;
  for (const TypeId arg : type.args) type.has_incomplete |= types_[arg]->has_incomplete;
  if (type.result) type.has_incomplete |= types_[type.result]->has_incomplete;
  const Type* copy = type_arena_.Copy(std::span<const Type>(&type, 1)).data();
  const TypeId id = types_.Append(copy);
  type_set_->ids.emplace(copy, id);
  return id;
}

auto Context::Tensor(Shape shape, DataType dtype) -> TypeId {
  Type type = SmallType(TypeKind::kTensor);
  type.shape = shape;
  type.dtype = dtype;
  return InternType(type);
}

auto Context::Tuple(std::span<const TypeId> fields) -> TypeId {
  Type type = SmallType(TypeKind::kTuple);
  type.args = fields;
  return InternType(type);
}

auto Context::FunctionType(std::span<const TypeId> params, TypeId result, std::span<const TypeId> type_params)
    -> TypeId {
  Type type = SmallType(TypeKind::kFunction);
  type.args = params;
  type.result = result;
  type.type_params = type_params;
  return InternType(type);
}

auto Context::FreshVar(StringId name) -> TypeId {
  const std::lock_guard lock(types_mutex_);
  Type type = SmallType(TypeKind::kVar);
  type.name = name;
  type.number = types_.size();
  return AddType(type);
}

auto Context::TypeCall(StringId name, std::span<const TypeId> args) -> TypeId {
  Type type = SmallType(TypeKind::kCall);
  type.name = name;
  type.args = args;
  return InternType(type);
}

auto Context::RefType(TypeId content) -> TypeId {
  Type type = SmallType(TypeKind::kRef);
  type.result = content;
  return InternType(type);
}

auto Context::FreshIncomplete() -> TypeId {
  const std::lock_guard lock(types_mutex_);
  Type type = SmallType(TypeKind::kIncomplete);
  type.number = types_.size();
  return AddType(type);
}

auto Context::NullType() -> TypeId { return InternType(SmallType(TypeKind::kNull)); }

auto Context::AddConstant(Constant constant) -> ConstantId {
  const std::lock_guard lock(constants_mutex_);
  return constants_.Append(std::move(constant));
}

auto Context::ScalarConstant(DataType dtype, uint64_t bits) -> ConstantId {
  const std::lock_guard lock(constants_mutex_);
  const auto [entry, is_new] = scalars_.try_emplace({dtype, bits});
  if (is_new) entry->second = constants_.Append(Constant::Scalar(dtype, bits));
  return entry->second;
}

namespace {

auto IsFloatArray(const Context& context, ObjectId id, std::span<const double> floats) -> bool {
  const Object& array = context.object(id);
  if (array.kind != ObjectKind::kArray || array.items.size() != floats.size()) return false;
  for (size_t i = 0; i < floats.size(); ++i) {
    if (!array.items[i]) return false;
    const Object& item = context.object(array.items[i]);
    if (item.kind != ObjectKind::kFloat || item.dtype != DataType::Float(32) || item.real != floats[i]) return false;
  }
  return true;
}

}  // namespace

auto Context::InternAttrs(AttrsBuilder builder) -> AttrsId {
  for (const FieldInfo& field : builder.schema().fields) {
    if (field.default_floats.empty()) continue;
    auto& object = field.Mutable<ObjectId>(builder.data());
    if (object && IsFloatArray(*this, object, field.default_floats)) object = ObjectId();
  }
  const std::lock_guard lock(attrs_mutex_);
  AttrsRecord record{&builder.schema(), builder.data(), {}};
  auto& ids = attrs_set_->ids;
  if (const auto found = ids.find(record); found != ids.end()) return found->second;
  builder.Release();
  const AttrsId id = attrs_.Append(record);
  ids.emplace(record, id);
  return id;
}

auto Context::EqualAttrs(AttrsId a, AttrsId b) const -> bool {
  if (a == b) return true;
  if (!a || !b) return false;
  const AttrsRecord& x = attrs_[a];
  const AttrsRecord& y = attrs_[b];
  if (x.schema != y.schema) return false;
  if (x.schema == nullptr) return EqualObjects(x.object, y.object);
  return EqualFields(*this, *x.schema, x.data, y.data);
}

auto Context::AddOpaqueAttrs(ObjectId object) -> AttrsId {
  const std::lock_guard lock(attrs_mutex_);
  return attrs_.Append(AttrsRecord{nullptr, nullptr, object});
}

auto Context::Intern(const Span& span) -> SpanId {
  const std::lock_guard lock(spans_mutex_);
  const auto [entry, is_new] = span_ids_.try_emplace(span);
  if (is_new) entry->second = spans_.Append(span);
  return entry->second;
}

void Context::Keep(std::shared_ptr<const SourceText> source) {
  const std::lock_guard lock(sources_mutex_);
  sources_.push_back(std::move(source));
}

auto Context::Memory() const -> std::vector<MemoryUse> {
  size_t elements = 0;
  for (uint32_t i = 0; i < constants_.size(); ++i) elements += constants_[ConstantId(i)].num_bytes();
  size_t sources = 0;
  for (const auto& source : sources_) sources += source->text().size();
  return {
      {"strings", strings_.size(), strings_.bytes()},
      {"types", types_.size(), types_.size() * sizeof(const Type*) + type_arena_.bytes()},
      {"attribute values", objects_.size(), objects_.size() * sizeof(Object) + object_arena_.bytes()},
      {"attribute records", attrs_.size(), attrs_.size() * sizeof(AttrsRecord)},
      {"spans", spans_.size(), spans_.size() * sizeof(Span)},
      {"constants", constants_.size(), constants_.size() * sizeof(Constant) + elements},
      {"texts that are kept", sources_.size(), sources},
  };
}

auto AttrsSchema::Find(std::string_view name) const -> const FieldInfo* {
  for (const FieldInfo& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

auto EqualField(const Context& context, const FieldInfo& field, const void* a, const void* b) -> bool {
  switch (field.kind) {
    case FieldKind::kInt: return field.Get<int64_t>(a) == field.Get<int64_t>(b);
    case FieldKind::kBool: return field.Get<bool>(a) == field.Get<bool>(b);
    case FieldKind::kDouble:
      return std::bit_cast<uint64_t>(field.Get<double>(a)) == std::bit_cast<uint64_t>(field.Get<double>(b));
    case FieldKind::kString: return field.Get<std::string>(a) == field.Get<std::string>(b);
    case FieldKind::kDataType: return field.Get<DataType>(a) == field.Get<DataType>(b);
    case FieldKind::kDim: return field.Get<Dim>(a) == field.Get<Dim>(b);
    case FieldKind::kDimList: return field.Get<DimList>(a) == field.Get<DimList>(b);
    case FieldKind::kDimLists: return field.Get<DimLists>(a) == field.Get<DimLists>(b);
    case FieldKind::kObject: return context.EqualObjects(field.Get<ObjectId>(a), field.Get<ObjectId>(b));
  }
  return false;
}

auto EqualFields(const Context& context, const AttrsSchema& schema, const void* a, const void* b) -> bool {
  for (const FieldInfo& field : schema.fields) {
    if (!EqualField(context, field, a, b)) return false;
  }
  return true;
}

}  // namespace relayopt
