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

// The number of a registered type in this process. It may differ from run to run; type keys are the stable names.
using TypeIndex = uint32_t;

class Object;
class Value;

// What a field holds, for conversions and messages.
enum class FieldKind : uint8_t {
  kAny,
  kBool,
  kInt,
  kFloat,
  kString,
  kObject,
  kArray,
  kDataType,     // the text of a data type; of void when it is empty
  kExtent,       // an integer, or an expression that computes one
  kExtents,      // a list of extents; if optional, a single extent is a list with one element
  kExtentLists,  // a list of lists of extents
};

// How a field takes part in structural equality.
enum class FieldRole : uint8_t { kCompare, kIgnore };

// The description of a field of a reflected type.
struct Field {
  std::string name;
  FieldKind kind = FieldKind::kAny;
  FieldRole role = FieldRole::kCompare;
  // For kObject and kArray: the type that the value, or every element, must have.
  TypeIndex type = 0;
  // Whether the field may hold the null object.
  bool optional = false;
  // The default of a field that is missing when a node is read; if empty, the null object.
  std::shared_ptr<const Value> fallback = nullptr;
};

// The description of a type: its key, its ancestors, and its fields (those of the parent first).
struct TypeInfo {
  std::string key;
  TypeIndex index = 0;
  TypeIndex parent = 0;
  // The ancestors from the root down to the type itself.
  std::vector<TypeIndex> ancestors;
  std::vector<Field> fields;
  // The position of the first field that the type itself adds.
  size_t own_fields = 0;

  // Returns the position of a field, or -1.
  auto Find(std::string_view name) const -> int;
};

// Registers a type, or finds the one registered with this key before; the parent must exist. Thread-safe.
auto RegisterType(std::string_view key, TypeIndex parent, std::vector<Field> own_fields = {}) -> TypeIndex;
// Returns the description of a type. TVM stays valid for ever.
auto InfoOf(TypeIndex index) -> const TypeInfo&;
// Returns the type with this key, or null.
auto FindType(std::string_view key) -> const TypeInfo*;
// Whether `index` is `ancestor` or a type derived from it.
auto IsInstance(TypeIndex index, TypeIndex ancestor) -> bool;

// Returns the type index of a C++ class that has a kTypeKey and a Base.
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

// How objects are tied to wrappers in another language. While a wrapper exists, its reference count is the count of the
// object. The functions are null as long as no wrappers are created.
struct WrapperHooks {
  void (*retain)(void* wrapper) = nullptr;
  void (*release)(void* wrapper) = nullptr;
};
void SetWrapperHooks(WrapperHooks hooks);

// The base class of all objects. Objects are reference-counted, made by Make and deleted with their last Ref, without
// recursion however deep the graph is.
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
  auto GetTypeKey() const -> const std::string& { return type_key(); }
  auto IsInstance(TypeIndex ancestor) const -> bool { return type_ == ancestor || object::IsInstance(type_, ancestor); }
  template <typename T>
  auto IsInstance() const -> bool {
    return IsInstance(IndexOf<T>());
  }

  // Returns the value of the i-th field of info(); null in a class without reflection.
  virtual auto Get(size_t) const -> Value;
  // Whether exactly one Ref holds the object, and no wrapper does.
  auto unique() const -> bool { return state_.load(std::memory_order_relaxed) == (uintptr_t{1} << 1 | 1); }
  // Returns the number of holders. A wrapper counts as one, because its own count is not known here.
  auto use_count() const -> size_t { return wrapper() != nullptr ? 1 : state_.load(std::memory_order_relaxed) >> 1; }

  // For code that makes wrappers. SetWrapper hands the count over to the wrapper and returns it: the wrapper must be
  // retained that often. ClearWrapper leaves the object with a count of one.
  auto wrapper() const -> void*;
  auto SetWrapper(void* wrapper) -> size_t;
  void ClearWrapper();

  void Retain() const;
  void Release() const;

  // A mark that one walk at a time may leave on an object; `owner` identifies the walk.
  struct Mark {
    uint32_t owner = 0;
    uint32_t id = 0;
  };
  mutable Mark mark;

 protected:
  // Moves what the object holds to `out`. Called once, just before the object is deleted.
  virtual void TakeChildren(std::vector<Value>& out);

 private:
  static void Destroy(Object* object);

  // Either twice the count plus one, which is odd, or the pointer to the wrapper, which is even.
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
  // Returns the object as a U, or null if it is not one.
  template <typename U>
  auto as() const -> U* {
    return object_ != nullptr && object_->template IsInstance<U>() ? static_cast<U*>(object_) : nullptr;
  }
  auto same_as(const Ref<Object>& other) const -> bool { return object_ == other.get(); }
  // Gives up ownership without changing the count.
  auto Detach() -> T* { return std::exchange(object_, nullptr); }
  friend auto operator==(const Ref& a, const Ref& b) -> bool { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

// Makes an object.
template <typename T, typename... Args>
auto Make(Args&&... args) -> Ref<T> {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

// What fields hold and what packed functions take and return: null, an integer, a float or an object.
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
  // Accessors; the value must be of the kind asked for.
  auto integer() const -> int64_t { return integer_; }
  auto real() const -> double { return real_; }
  // Returns the object, or null if the value is something else.
  auto object() const -> Object* { return is_object() ? object_ : nullptr; }
  auto ref() const -> Ref<Object> { return Ref<Object>(object()); }
  template <typename T>
  auto as() const -> T* {
    return is_object() && object_->IsInstance<T>() ? static_cast<T*>(object_) : nullptr;
  }
  // Returns the text of a string object, or empty if the value is something else.
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
