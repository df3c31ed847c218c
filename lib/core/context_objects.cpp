// Attribute values of a context: making and comparing them.
#include <bit>

#include "relayopt/core/context.h"
#include "relayopt/core/same_tensor.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

namespace {

// Symbolic variables are equal only to themselves.
auto IsVar(const Context& context, const Object& object) -> bool {
  if (object.kind != ObjectKind::kNode || !object.type_key) return false;
  const std::string_view key = context.text(object.type_key);
  return key == "tir.Var" || key == "tir.SizeVar";
}

// Returns the hash of an object that is to have the id. Its children have theirs, so that each object is hashed once,
// however many hold it. The elements of constants do not count.
auto HashObject(const Context& context, const Object& object, uint32_t id) -> uint64_t {
  WordHash hash;
  const auto add_child = [&](ObjectId child) { hash.Add(child ? context.object(child).hash : 0); };
  hash.Add(static_cast<uint64_t>(object.kind) << 32 | std::bit_cast<uint32_t>(object.dtype));
  hash.Add(static_cast<uint64_t>(object.integer));
  hash.Add(std::bit_cast<uint64_t>(object.real));
  hash.Add(uint64_t{object.text.value()} << 32 | object.type_key.value());
  hash.Add(uint64_t{object.type.value()} << 32 | object.attrs.value());
  for (const ObjectId item : object.items) add_child(item);
  for (const ObjectField& field : object.fields) {
    hash.Add(uint64_t{field.name.value()} << 32 | field.literal.value());
    add_child(field.object);
  }
  if (IsVar(context, object)) hash.Add(id);
  return hash.value();
}

}  // namespace

auto Context::Add(const Object& object) -> ObjectId {
  const std::lock_guard lock(objects_mutex_);
  Object copy = object;
  copy.items = object_arena_.Copy(object.items);
  copy.fields = object_arena_.Copy(object.fields);
  copy.hash = HashObject(*this, object, objects_.size());
  return objects_.Append(copy);
}

auto Context::AddInt(int64_t value, DataType dtype) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kInt;
  object.dtype = dtype;
  object.integer = value;
  return Add(object);
}

auto Context::AddFloat(double value, DataType dtype) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kFloat;
  object.dtype = dtype;
  object.real = value;
  return Add(object);
}

auto Context::AddString(std::string_view text) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kString;
  object.text = Intern(text);
  return Add(object);
}

auto Context::AddArray(std::span<const ObjectId> items) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kArray;
  object.items = items;
  return Add(object);
}

auto Context::AddMap(std::span<const ObjectId> items) -> ObjectId {
  Object object;
  object.kind = ObjectKind::kMap;
  object.items = items;
  return Add(object);
}

auto Context::AddBinary(std::string_view type_key, DataType dtype, ObjectId a, ObjectId b) -> ObjectId {
  const ObjectField fields[] = {
      {Intern("dtype"), Intern(ToString(dtype)), {}},
      {Intern("a"), {}, a},
      {Intern("b"), {}, b},
      {Intern("span"), {}, {}},
  };
  Object object;
  object.kind = ObjectKind::kNode;
  object.type_key = Intern(type_key);
  object.dtype = dtype;
  object.fields = fields;
  return Add(object);
}

namespace {

// Whether the two objects agree apart from their children and constants.
auto EqualShallow(const Object& a, const Object& b) -> bool {
  if (a.hash != b.hash || a.kind != b.kind || a.dtype != b.dtype || a.integer != b.integer || a.text != b.text ||
      a.type_key != b.type_key || a.items.size() != b.items.size() || a.fields.size() != b.fields.size() ||
      a.type != b.type || a.attrs != b.attrs || std::bit_cast<uint64_t>(a.real) != std::bit_cast<uint64_t>(b.real)) {
    return false;
  }
  for (size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i].name != b.fields[i].name || a.fields[i].literal != b.fields[i].literal) return false;
  }
  return true;
}

// Whether objects of this kind are written out where they are used, and so have no identity.
auto IsPlain(ObjectKind kind) -> bool {
  return kind == ObjectKind::kInt || kind == ObjectKind::kFloat || kind == ObjectKind::kString ||
         kind == ObjectKind::kStringImm || kind == ObjectKind::kArray;
}

}  // namespace

auto Context::EqualObjects(ObjectId a, ObjectId b, ObjectEquality equality) const -> bool {
  std::vector<std::pair<ObjectId, ObjectId>> work = {{a, b}};
  absl::flat_hash_set<std::pair<ObjectId, ObjectId>> seen;
  while (!work.empty()) {
    const auto [x, y] = work.back();
    work.pop_back();
    if (x == y) continue;
    if (!x || !y) return false;
    const Object& left = objects_[x];
    const Object& right = objects_[y];
    if (!EqualShallow(left, right)) return false;
    if (equality == ObjectEquality::kIdentity && !IsPlain(left.kind)) return false;
    if (left.constant != right.constant &&
        !(left.constant && right.constant && SameTensor(constant(left.constant), constant(right.constant)))) {
      return false;
    }
    if (IsVar(*this, left)) return false;
    if (!seen.emplace(x, y).second) continue;
    for (size_t i = 0; i < left.items.size(); ++i) work.emplace_back(left.items[i], right.items[i]);
    for (size_t i = 0; i < left.fields.size(); ++i) work.emplace_back(left.fields[i].object, right.fields[i].object);
  }
  return true;
}

}  // namespace relayopt
