// Typed attribute records: a struct described once by its member pointers.
//
//   struct SoftmaxAttrs {
//     static constexpr std::string_view kTypeKey = "relay.attrs.SoftmaxAttrs";
//     int64_t axis = -1;
//     static constexpr auto Fields() { return std::array{Field<&SoftmaxAttrs::axis>("axis to normalise")}; }
//   };
//
// Parsing, printing, defaults, equality, hash and help come from the description. A member's initializer is the
// declared default; `Required` marks a field without one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "relayopt/core/data_type.h"
#include "relayopt/core/dim.h"
#include "relayopt/support/ids.h"
#include "relayopt/support/member.h"

namespace relayopt {

// A list of boxed integers: `Array<Integer>`, `Array<IndexExpr>`. May be null, which is not the empty list.
struct DimList {
  std::vector<Dim> values;
  bool null = false;

  DimList() = default;
  DimList(std::initializer_list<Dim> list) : values(list) {}
  explicit DimList(std::vector<Dim> list) : values(std::move(list)) {}
  static auto Null() -> DimList {
    DimList list;
    list.null = true;
    return list;
  }

  auto size() const -> size_t { return values.size(); }
  auto empty() const -> bool { return values.empty(); }
  auto operator[](size_t i) const -> const Dim& { return values[i]; }
  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }
  friend auto operator==(const DimList&, const DimList&) -> bool = default;
};

// A list of lists, such as `pad_width`.
struct DimLists {
  std::vector<DimList> values;
  bool null = false;

  auto size() const -> size_t { return values.size(); }
  auto operator[](size_t i) const -> const DimList& { return values[i]; }
  friend auto operator==(const DimLists&, const DimLists&) -> bool = default;
};

// The type of a field, from the C++ type of the member.
enum class FieldKind : uint8_t {
  kInt,       // int64_t: prints without suffix
  kBool,      // bool
  kDouble,    // double
  kString,    // std::string
  kDataType,  // DataType: written as a string
  kDim,       // Dim: a boxed integer, may be null
  kDimList,   // DimList
  kDimLists,  // DimLists
  kObject,    // ObjectId: any value
};

template <typename T>
constexpr auto FieldKindOf() -> FieldKind {
  if constexpr (std::is_same_v<T, bool>)
    return FieldKind::kBool;
  else if constexpr (std::is_same_v<T, int64_t>)
    return FieldKind::kInt;
  else if constexpr (std::is_same_v<T, double>)
    return FieldKind::kDouble;
  else if constexpr (std::is_same_v<T, std::string>)
    return FieldKind::kString;
  else if constexpr (std::is_same_v<T, DataType>)
    return FieldKind::kDataType;
  else if constexpr (std::is_same_v<T, Dim>)
    return FieldKind::kDim;
  else if constexpr (std::is_same_v<T, DimList>)
    return FieldKind::kDimList;
  else if constexpr (std::is_same_v<T, DimLists>)
    return FieldKind::kDimLists;
  else {
    static_assert(std::is_same_v<T, ObjectId>, "not a field type; see FieldKind");
    return FieldKind::kObject;
  }
}

// The description of one field of a record.
struct FieldInfo {
  std::string_view name;
  FieldKind kind;
  // Whether the field has no default: it must be given in text, and is always printed.
  bool required;
  std::string_view doc;
  // The address of the member inside a record.
  void* (*address)(void* record);
  // Only for kObject: when not empty, the declared default is an array of these float32 numbers. Records hold the null
  // object in its place: interning turns an array of exactly these numbers into null.
  std::span<const double> default_floats = {};

  template <typename T>
  auto Get(const void* record) const -> const T& {
    return *static_cast<const T*>(address(const_cast<void*>(record)));
  }
  template <typename T>
  auto Mutable(void* record) const -> T& {
    return *static_cast<T*>(address(record));
  }
};

namespace attrs_internal {
template <auto kMember>
constexpr auto Describe(std::string_view name, bool required, std::string_view doc) -> FieldInfo {
  return {name, FieldKindOf<MemberType<kMember>>(), required, doc, &MemberAddress<kMember>};
}
}  // namespace attrs_internal

// Returns a field with the name of its member.
template <auto kMember>
constexpr auto Field(std::string_view doc) -> FieldInfo {
  return attrs_internal::Describe<kMember>(kMemberName<kMember>, false, doc);
}
// Returns a field whose name is not that of its member.
template <auto kMember>
consteval auto Field(std::string_view name, std::string_view doc) -> FieldInfo {
  if (name == kMemberName<kMember>) throw "the name is that of the member: leave it out";
  return attrs_internal::Describe<kMember>(name, false, doc);
}
// Returns a field whose default is an array of float32 numbers.
template <auto kMember>
constexpr auto FloatsField(std::string_view doc, std::span<const double> floats) -> FieldInfo {
  FieldInfo field = Field<kMember>(doc);
  field.default_floats = floats;
  return field;
}
template <auto kMember>
constexpr auto Required(std::string_view doc) -> FieldInfo {
  return attrs_internal::Describe<kMember>(kMemberName<kMember>, true, doc);
}

// The type-erased description of one attribute struct.
struct AttrsSchema {
  std::string_view type_key;
  std::span<const FieldInfo> fields;
  // Allocates a record in which every field has its default.
  void* (*create)();
  void* (*clone)(const void* record);
  void (*destroy)(void* record);

  auto Find(std::string_view name) const -> const FieldInfo*;
};

namespace attrs_internal {
template <typename A>
inline constexpr auto kFields = A::Fields();
template <typename A>
auto Create() -> void* {
  return new A();
}
template <typename A>
auto Clone(const void* record) -> void* {
  return new A(*static_cast<const A*>(record));
}
template <typename A>
void Destroy(void* record) {
  delete static_cast<A*>(record);
}
}  // namespace attrs_internal

// The schema of the attribute struct A. Its address identifies the type of record.
template <typename A>
inline constexpr AttrsSchema kSchema = {A::kTypeKey, attrs_internal::kFields<A>, &attrs_internal::Create<A>,
                                        &attrs_internal::Clone<A>, &attrs_internal::Destroy<A>};

// An interned attribute record. A record of a class that relayopt does not know has no schema, and keeps the object it
// was read from.
struct AttrsRecord {
  const AttrsSchema* schema = nullptr;
  void* data = nullptr;
  ObjectId object;
};

// A record under construction, owned.
class AttrsBuilder {
 public:
  explicit AttrsBuilder(const AttrsSchema& schema) : schema_(&schema), data_(schema.create()) {}
  AttrsBuilder(const AttrsSchema& schema, const void* from) : schema_(&schema), data_(schema.clone(from)) {}
  AttrsBuilder(AttrsBuilder&& other) noexcept : schema_(other.schema_), data_(std::exchange(other.data_, nullptr)) {}
  auto operator=(AttrsBuilder&&) -> AttrsBuilder& = delete;
  ~AttrsBuilder() {
    if (data_ != nullptr) schema_->destroy(data_);
  }

  auto schema() const -> const AttrsSchema& { return *schema_; }
  auto data() const -> void* { return data_; }
  auto Release() -> void* { return std::exchange(data_, nullptr); }

 private:
  const AttrsSchema* schema_;
  void* data_;
};

}  // namespace relayopt
