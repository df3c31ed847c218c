// Container objects: strings, arrays, maps, nodes with named fields, tensors.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "relayopt/core/constant.h"
#include "relayopt/object/object.h"

namespace relayopt::object {

// A string object.
class StringObj final : public Object {
 public:
  static constexpr std::string_view kTypeKey = "runtime.String";
  using Base = Object;
  explicit StringObj(std::string_view value) : Object(IndexOf<StringObj>()), text(value) {}

  const std::string text;
};

// A fixed number of values, allocated together with the object. Only the code that makes the object writes to it.
class SlotObj : public Object {
 public:
  // Returns an object with `count` null values.
  static auto Create(TypeIndex type, size_t count) -> Ref<SlotObj>;
  static auto Create(TypeIndex type, std::span<const Value> values) -> Ref<SlotObj>;

  auto size() const -> size_t { return count_; }
  auto slots() const -> std::span<const Value> { return {data(), count_}; }
  auto slot(size_t i) const -> const Value& { return data()[i]; }
  void set(size_t i, Value value) { data()[i] = std::move(value); }
  auto Get(size_t field) const -> Value override { return data()[field]; }

  static void operator delete(void* memory) { ::operator delete(memory); }

 protected:
  SlotObj(TypeIndex type, size_t count) : Object(type), count_(count) {}
  ~SlotObj() override;
  void TakeChildren(std::vector<Value>& out) override;

 private:
  static_assert(alignof(Value) <= alignof(std::max_align_t));
  auto data() const -> Value* {
    return reinterpret_cast<Value*>(reinterpret_cast<std::byte*>(const_cast<SlotObj*>(this)) + sizeof(SlotObj));
  }
  static void* operator new(size_t size, size_t count) { return ::operator new(size + count * sizeof(Value)); }
  static void operator delete(void* memory, size_t) { ::operator delete(memory); }

  size_t count_;
};

// An array: a SlotObj of this type.
struct ArrayObj {
  static constexpr std::string_view kTypeKey = "Array";
  using Base = Object;
};
auto MakeArray(std::span<const Value> items) -> Ref<SlotObj>;
auto MakeArray(size_t size) -> Ref<SlotObj>;
inline auto IsArray(const Object* object) -> bool {
  return object != nullptr && object->type_index() == IndexOf<ArrayObj>();
}
// Returns the elements of an array, or empty for anything else.
auto Items(const Value& array) -> std::span<const Value>;

// A map in the order of insertion. Keys are strings (by content), integers, or objects (by identity).
class MapObj final : public Object {
 public:
  static constexpr std::string_view kTypeKey = "Map";
  using Base = Object;
  // A key that occurs twice keeps its first place and its last value.
  explicit MapObj(std::vector<std::pair<Value, Value>> entries);

  auto entries() const -> std::span<const std::pair<Value, Value>> { return entries_; }
  auto size() const -> size_t { return entries_.size(); }
  // Returns the value of a key, or null if there is none.
  auto Find(const Value& key) const -> const Value*;
  auto Find(std::string_view key) const -> const Value*;

 protected:
  void TakeChildren(std::vector<Value>& out) override;

 private:
  std::vector<std::pair<Value, Value>> entries_;
  std::unordered_map<std::string_view, size_t> by_text_;
  std::unordered_map<uint64_t, size_t> by_bits_;
};

// A tensor on the CPU. Its elements are shared with the constants made from it, which never change: writing to the
// tensor copies them first.
class TensorObj final : public Object {
 public:
  static constexpr std::string_view kTypeKey = "runtime.NDArray";
  using Base = Object;
  explicit TensorObj(Constant value) : Object(IndexOf<TensorObj>()), tensor(std::move(value)) {}

  Constant tensor;
};

// Returns a node of the type `node`, such as MakeNode("relay.TupleGetItem", {tuple, 0}). `own_fields` are those that
// the type adds to its parent's; fields that are not given are null.
auto MakeNode(TypeIndex type, std::span<const Value> own_fields) -> Ref<SlotObj>;

}  // namespace relayopt::object
