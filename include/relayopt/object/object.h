// Reference-counted objects with a type known at run time: what users of the library hold, in C++ and in Python alike.
//
//   struct LeafObj : Object {
//     static constexpr std::string_view kTypeKey = "test.Leaf";
//     using Base = Object;
//     LeafObj() : Object(IndexOf<LeafObj>()) {}
//   };
//   Ref<Object> leaf = Make<LeafObj>();
//   leaf->IsInstance<LeafObj>();
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "relayopt/support/check.h"

namespace relayopt::object {

// Names a type for the life of the process. Which number a type gets differs from run to run: keys are the stable
// names.
using TypeIndex = uint32_t;

class Object;
class Value;

// What a field holds, for conversions and messages.
enum class FieldKind : uint8_t { kAny, kBool, kInt, kFloat, kString, kObject, kArray };

// How a field takes part in structural equality.
enum class FieldRole : uint8_t { kCompare, kIgnore };

// A field of a reflected type.
struct Field {
  std::string name;
  FieldKind kind = FieldKind::kAny;
  FieldRole role = FieldRole::kCompare;
  // kObject, kArray: the type that values or elements are of.
  TypeIndex type = 0;
  // The null object is allowed.
  bool optional = false;
  // What a node that is read without the field has in its place; none: the null object.
  std::shared_ptr<const Value> fallback = nullptr;
};

// A type: its name, its place below its parent, its fields (those of the parent first).
struct TypeInfo {
  std::string key;
  TypeIndex index = 0;
  TypeIndex parent = 0;
  // Ancestors from the root down to the type itself.
  std::vector<TypeIndex> ancestors;
  std::vector<Field> fields;
  // Where the fields start that the type itself adds.
  size_t own_fields = 0;

  // The position of a field, or -1.
  auto Find(std::string_view name) const -> int;
};

// Registers a type or finds the one that has this key already; the parent must exist. Thread-safe.
auto RegisterType(std::string_view key, TypeIndex parent, std::vector<Field> own_fields = {}) -> TypeIndex;
// The record of a type; never moves.
auto InfoOf(TypeIndex index) -> const TypeInfo&;
// The type of this key, or null.
auto FindType(std::string_view key) -> const TypeInfo*;
// Every type, in the order of registration.
auto AllTypes() -> std::vector<const TypeInfo*>;
// Whether `index` is `ancestor` or below it.
auto IsInstance(TypeIndex index, TypeIndex ancestor) -> bool;

// The index of a C++ class with a kTypeKey and a Base.
template <typename T>
auto IndexOf() -> TypeIndex {
  static const TypeIndex index = [] {
    if constexpr (std::is_same_v<T, Object>)
      return TypeIndex{0};
    else
      return RegisterType(T::kTypeKey, IndexOf<typename T::Base>());
  }();
  return index;
}

// How objects meet wrappers in another language: while a wrapper exists, its reference count is the count of the
// object. Null functions as long as nobody makes wrappers.
struct WrapperHooks {
  void (*retain)(void* wrapper) = nullptr;
  void (*release)(void* wrapper) = nullptr;
};
void SetWrapperHooks(WrapperHooks hooks);

// The base of all. Counted from zero; made by Make, deleted with the last Ref, without recursion however deep the
// graph.
class Object {
 public:
  static constexpr std::string_view kTypeKey = "runtime.Object";

  explicit Object(TypeIndex type) : type_(type) {}
  Object(const Object&) = delete;
  auto operator=(const Object&) -> Object& = delete;
  virtual ~Object() = default;

  auto type_index() const -> TypeIndex { return type_; }
  auto info() const -> const TypeInfo& { return InfoOf(type_); }
  auto type_key() const -> const std::string& { return info().key; }
  // The names that the reference has for these.
  static auto RuntimeTypeIndex() -> TypeIndex { return 0; }
  auto GetTypeKey() const -> const std::string& { return type_key(); }
  auto IsInstance(TypeIndex ancestor) const -> bool { return type_ == ancestor || object::IsInstance(type_, ancestor); }
  template <typename T>
  auto IsInstance() const -> bool {
    return IsInstance(IndexOf<T>());
  }

  // The value of the i-th field of info(); a field of a class without reflection is null.
  virtual auto Get(size_t) const -> Value;
  // Whether the object is held exactly once, and not by a wrapper.
  auto unique() const -> bool { return state_.load(std::memory_order_relaxed) == (uintptr_t{1} << 1 | 1); }
  // The number of holders, as far as it is known here.
  auto use_count() const -> size_t { return wrapper() != nullptr ? 1 : state_.load(std::memory_order_relaxed) >> 1; }

  // For those who make wrappers. SetWrapper hands the counts of C++ over to the wrapper: it has to be retained as often
  // as the object was held, which is what is returned. ClearWrapper leaves the object with a count of one.
  auto wrapper() const -> void*;
  auto SetWrapper(void* wrapper) -> size_t;
  void ClearWrapper();

  void Retain() const;
  void Release() const;

  // A place where one walk at a time notes what it knows of an object: `owner` tells walks apart.
  struct Mark {
    uint32_t owner = 0;
    uint32_t id = 0;
  };
  mutable Mark mark;

 protected:
  // Moves what the object holds to `out`: called once, before it is deleted.
  virtual void TakeChildren(std::vector<Value>& out);

 private:
  static void Destroy(Object* object);

  // An odd number: twice the count and one. Else the wrapper.
  mutable std::atomic<uintptr_t> state_{1};
  TypeIndex type_;
};

// A counted reference; may be null.
template <typename T = Object>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->Retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other) : Ref(static_cast<T*>(other.get())) {}
  template <typename U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U>&& other)
  noexcept : object_(other.Detach()) {}
  auto operator=(Ref other) noexcept -> Ref& {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Release();
  }

  auto get() const -> T* { return object_; }
  auto operator->() const -> T* { return object_; }
  auto operator*() const -> T& { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // The object as a U, or null when it is none.
  template <typename U>
  auto as() const -> U* {
    return object_ != nullptr && object_->template IsInstance<U>() ? static_cast<U*>(object_) : nullptr;
  }
  auto same_as(const Ref<Object>& other) const -> bool { return object_ == other.get(); }
  // Gives the count away.
  auto Detach() -> T* { return std::exchange(object_, nullptr); }
  friend auto operator==(const Ref& a, const Ref& b) -> bool { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Args>
auto Make(Args&&... args) -> Ref<T> {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

// Null, an integer, a float or an object: what fields hold and what functions take and give.
class Value {
 public:
  enum class Tag : uint8_t { kNull, kInt, kFloat, kObject };

  Value() = default;
  Value(std::nullptr_t) {}
  template <std::integral I>
  Value(I integer) : tag_(Tag::kInt) {
    integer_ = static_cast<int64_t>(integer);
  }
  Value(double real) : tag_(Tag::kFloat) { real_ = real; }
  Value(std::string_view text);
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  template <typename T>
  Value(Ref<T> object) : tag_(object ? Tag::kObject : Tag::kNull) {
    object_ = object.Detach();
  }
  Value(const Value& other) : tag_(other.tag_), integer_(other.integer_) {
    if (tag_ == Tag::kObject) object_->Retain();
  }
  Value(Value&& other) noexcept : tag_(std::exchange(other.tag_, Tag::kNull)), integer_(other.integer_) {}
  auto operator=(Value other) noexcept -> Value& {
    std::swap(tag_, other.tag_);
    std::swap(integer_, other.integer_);
    return *this;
  }
  ~Value() {
    if (tag_ == Tag::kObject) object_->Release();
  }

  auto tag() const -> Tag { return tag_; }
  auto is_null() const -> bool { return tag_ == Tag::kNull; }
  auto is_int() const -> bool { return tag_ == Tag::kInt; }
  auto is_float() const -> bool { return tag_ == Tag::kFloat; }
  auto is_object() const -> bool { return tag_ == Tag::kObject; }
  // Only of their kinds.
  auto integer() const -> int64_t { return integer_; }
  auto real() const -> double { return real_; }
  // The object; null for everything else.
  auto object() const -> Object* { return is_object() ? object_ : nullptr; }
  auto ref() const -> Ref<Object> { return Ref<Object>(object()); }
  template <typename T>
  auto as() const -> T* {
    return is_object() && object_->IsInstance<T>() ? static_cast<T*>(object_) : nullptr;
  }
  // The text of a string; empty for everything else.
  auto text() const -> std::string_view;

 private:
  Tag tag_ = Tag::kNull;
  union {
    int64_t integer_ = 0;
    double real_;
    Object* object_;
  };
};

}  // namespace relayopt::object
