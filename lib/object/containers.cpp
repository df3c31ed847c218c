#include "relayopt/object/containers.h"

#include <bit>
#include <memory>

namespace relayopt::object {

auto SlotObj::Create(TypeIndex type, size_t count) -> Ref<SlotObj> {
  auto* const object = new (count) SlotObj(type, count);
  std::uninitialized_value_construct_n(object->data(), count);
  return Ref<SlotObj>(object);
}

auto SlotObj::Create(TypeIndex type, std::span<const Value> values) -> Ref<SlotObj> {
  auto* const object = new (values.size()) SlotObj(type, values.size());
  std::uninitialized_copy(values.begin(), values.end(), object->data());
  return Ref<SlotObj>(object);
}

SlotObj::~SlotObj() { std::destroy_n(data(), count_); }

void SlotObj::TakeChildren(std::vector<Value>& out) {
  for (size_t i = 0; i < count_; ++i) {
    if (data()[i].is_object()) out.push_back(std::move(data()[i]));
  }
}

auto MakeArray(std::span<const Value> items) -> Ref<SlotObj> { return SlotObj::Create(IndexOf<ArrayObj>(), items); }
auto MakeArray(size_t size) -> Ref<SlotObj> { return SlotObj::Create(IndexOf<ArrayObj>(), size); }

auto Items(const Value& array) -> std::span<const Value> {
  if (!IsArray(array.object())) return {};
  return static_cast<const SlotObj*>(array.object())->slots();
}

namespace {

// Returns the identity of a key that is not a string.
auto Bits(const Value& key) -> uint64_t {
  switch (key.tag()) {
    case Value::Tag::kInt: return static_cast<uint64_t>(key.integer());
    case Value::Tag::kFloat: return std::bit_cast<uint64_t>(key.real());
    case Value::Tag::kObject: return reinterpret_cast<uintptr_t>(key.object());
    case Value::Tag::kNull: break;
  }
  return 0;
}

}  // namespace

MapObj::MapObj(std::vector<std::pair<Value, Value>> entries) : Object(IndexOf<MapObj>()) {
  entries_.reserve(entries.size());
  for (auto& [key, value] : entries) {
    const auto [where, is_new] = key.as<StringObj>() != nullptr ? [&] {
      const auto [it, added] = by_text_.try_emplace(key.text(), entries_.size());
      return std::pair(it->second, added);
    }() : [&] {
      const auto [it, added] = by_bits_.try_emplace(Bits(key), entries_.size());
      return std::pair(it->second, added);
    }();
    if (is_new) {
      entries_.emplace_back(std::move(key), std::move(value));
    } else {
      entries_[where].second = std::move(value);
    }
  }
}

auto MapObj::Find(const Value& key) const -> const Value* {
  if (key.as<StringObj>() != nullptr) return Find(key.text());
  const auto found = by_bits_.find(Bits(key));
  return found == by_bits_.end() ? nullptr : &entries_[found->second].second;
}

auto MapObj::Find(std::string_view key) const -> const Value* {
  const auto found = by_text_.find(key);
  return found == by_text_.end() ? nullptr : &entries_[found->second].second;
}

void MapObj::TakeChildren(std::vector<Value>& out) {
  by_text_.clear();
  for (auto& [key, value] : entries_) {
    out.push_back(std::move(key));
    out.push_back(std::move(value));
  }
}

auto MakeNode(TypeIndex type, std::span<const Value> own_fields) -> Ref<SlotObj> {
  const TypeInfo& info = InfoOf(type);
  RELAYOPT_CHECK(info.own_fields + own_fields.size() <= info.fields.size(), "a node has the fields of its type");
  auto node = SlotObj::Create(type, info.fields.size());
  for (size_t i = 0; i < own_fields.size(); ++i) node->set(info.own_fields + i, own_fields[i]);
  return node;
}

}  // namespace relayopt::object
