// What the functions of a module share: interned strings, types and attribute records, attribute values and constants,
// and whatever layers above keep for all of them.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/core/attrs.h"
#include "relayopt/core/constant.h"
#include "relayopt/core/object.h"
#include "relayopt/core/type.h"
#include "relayopt/support/append_table.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/source.h"
#include "relayopt/support/string_table.h"

namespace relayopt {

// A position in the original model, as a span comment gives it.
struct Span {
  StringId source;
  int32_t line = 0;
  int32_t column = 0;
  int32_t end_line = 0;
  int32_t end_column = 0;
  friend auto operator==(const Span&, const Span&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const Span& s) -> H {
    return H::combine(static_cast<H&&>(h), s.source, s.line, s.column, s.end_line, s.end_column);
  }
};

// How much of one thing a context holds.
struct MemoryUse {
  // For people, in the plural.
  std::string_view what;
  size_t count = 0;
  size_t bytes = 0;
};

enum class ObjectEquality : uint8_t {
  kStructural,  // by content, as StructuralEqual of the reference; symbolic variables are equal only to themselves
  kIdentity,    // the same, but what prints as metadata is equal only to itself
};

// Thread-safe: everything may be asked for and added from several threads. Ids stay valid as long as the context lives,
// and records never move.
class Context {
 public:
  Context();
  Context(const Context&) = delete;
  auto operator=(const Context&) -> Context& = delete;
  ~Context();

  // Strings.
  auto Intern(std::string_view text) -> StringId { return strings_.Intern(text); }
  auto text(StringId id) const -> std::string_view { return strings_[id]; }

  // Types. `type` of none is a programming error.
  auto type(TypeId id) const -> const Type& { return *types_[id]; }
  auto Tensor(Shape shape, DataType dtype) -> TypeId;
  auto Tensor(std::initializer_list<Dim> shape, DataType dtype) -> TypeId {
    return Tensor(Shape(shape.begin(), shape.size()), dtype);
  }
  auto Scalar(DataType dtype) -> TypeId { return Tensor(Shape(), dtype); }
  auto Tuple(std::span<const TypeId> fields) -> TypeId;
  // `result` may be none.
  auto FunctionType(std::span<const TypeId> params, TypeId result, std::span<const TypeId> type_params = {}) -> TypeId;
  // A type variable different from all others.
  auto FreshVar(StringId name) -> TypeId;
  // The algebraic data type `name` applied to `args`.
  auto TypeCall(StringId name, std::span<const TypeId> args) -> TypeId;
  auto RefType(TypeId content) -> TypeId;
  // An inference variable different from all others.
  auto FreshIncomplete() -> TypeId;
  auto NullType() -> TypeId;
  auto UnitType() -> TypeId { return Tuple({}); }

  // Attribute values; each call makes a new object.
  auto object(ObjectId id) const -> const Object& { return objects_[id]; }
  auto Add(const Object& object) -> ObjectId;
  auto AddInt(int64_t value, DataType dtype = DataType::Int(32)) -> ObjectId;
  auto AddFloat(double value, DataType dtype) -> ObjectId;
  auto AddString(std::string_view text) -> ObjectId;
  auto AddArray(std::span<const ObjectId> items) -> ObjectId;
  // Keys and values alternate.
  auto AddMap(std::span<const ObjectId> items) -> ObjectId;
  // A `tir` node of two operands, `tir.Add` and the like.
  auto AddBinary(std::string_view type_key, DataType dtype, ObjectId a, ObjectId b) -> ObjectId;
  auto EqualObjects(ObjectId a, ObjectId b, ObjectEquality equality = ObjectEquality::kStructural) const -> bool;
  // Whether two records are equal structurally. (Interned records are kept apart when they hold different objects.)
  auto EqualAttrs(AttrsId a, AttrsId b) const -> bool;

  // Constants.
  auto constant(ConstantId id) const -> const Constant& { return constants_[id]; }
  // A new constant with an identity of its own.
  auto AddConstant(Constant constant) -> ConstantId;
  // The scalar that a literal of this type and these bits stands for; equal literals share one constant.
  auto ScalarConstant(DataType dtype, uint64_t bits) -> ConstantId;

  // Attribute records.
  auto attrs(AttrsId id) const -> const AttrsRecord& { return attrs_[id]; }
  auto InternAttrs(AttrsBuilder builder) -> AttrsId;
  template <typename A>
  auto InternAttrs(const A& value) -> AttrsId {
    return InternAttrs(AttrsBuilder(kSchema<A>, &value));
  }
  // The record in which every field has its default.
  auto DefaultAttrs(const AttrsSchema& schema) -> AttrsId { return InternAttrs(AttrsBuilder(schema)); }
  // A record of a class without a schema.
  auto AddOpaqueAttrs(ObjectId object) -> AttrsId;
  // The record as its struct, or null when it is of another class.
  template <typename A>
  auto As(AttrsId id) const -> const A* {
    if (!id) return nullptr;
    const AttrsRecord& record = attrs_[id];
    return record.schema == &kSchema<A> ? static_cast<const A*>(record.data) : nullptr;
  }

  // Spans.
  auto span(SpanId id) const -> const Span& { return spans_[id]; }
  auto Intern(const Span& span) -> SpanId;

  // Keeps an input alive into which constants may point.
  void Keep(std::shared_ptr<const SourceText> source);

  // What the tables hold, a row each; those of layers above are left out. Not while others add to them.
  auto Memory() const -> std::vector<MemoryUse>;

  // The table that a layer above keeps here, such as the operator instances of Relay: made from the context when it is
  // asked for first, thread-safe by itself, and living as long as the context. Costs a few instructions; what is asked
  // for every expression is remembered by whoever asks.
  template <typename T>
  auto Part() -> T& {
    return const_cast<T&>(std::as_const(*this).Part<T>());
  }
  template <typename T>
  auto Part() const -> const T& {
    static const size_t slot = NewPartSlot();
    const void* part = parts_[slot].load(std::memory_order_acquire);
    if (part == nullptr) {
      part = AddPart(
          slot, [](Context& context) -> void* { return new T(context); },
          [](void* made) { delete static_cast<T*>(made); });
    }
    return *static_cast<const T*>(part);
  }

 private:
  // More than there are layers with a table of their own.
  static constexpr size_t kMaxParts = 16;
  struct OwnedPart {
    void* part;
    void (*destroy)(void* part);
  };

  // A number for a class of parts, the same in all contexts.
  static auto NewPartSlot() -> size_t;
  auto AddPart(size_t slot, void* (*make)(Context& context), void (*destroy)(void* part)) const -> const void*;

  struct TypeHash;
  struct TypeEqual;
  struct AttrsHash;
  struct AttrsEqual;

  auto InternType(const Type& type) -> TypeId;
  // A type that is equal only to itself.
  auto AddType(Type type) -> TypeId;

  StringTable strings_;

  std::mutex types_mutex_;
  Arena type_arena_;
  AppendTable<TypeId, const Type*> types_;
  struct TypeSet;
  std::unique_ptr<TypeSet> type_set_;

  std::mutex objects_mutex_;
  Arena object_arena_;
  AppendTable<ObjectId, Object> objects_;

  std::mutex constants_mutex_;
  AppendTable<ConstantId, Constant> constants_;
  absl::flat_hash_map<std::pair<DataType, uint64_t>, ConstantId> scalars_;

  std::mutex attrs_mutex_;
  AppendTable<AttrsId, AttrsRecord> attrs_;
  struct AttrsSet;
  std::unique_ptr<AttrsSet> attrs_set_;

  std::mutex spans_mutex_;
  AppendTable<SpanId, Span> spans_;
  absl::flat_hash_map<Span, SpanId> span_ids_;

  std::mutex sources_mutex_;
  std::vector<std::shared_ptr<const SourceText>> sources_;

  // Parts by slot, and in the order in which they were made. A part may ask for another one while it is made.
  mutable std::array<std::atomic<void*>, kMaxParts> parts_{};
  mutable std::recursive_mutex parts_mutex_;
  mutable std::vector<OwnedPart> owned_parts_;
};

// Equality and hash of attribute records by content; fields of doubles by their bits.
auto EqualFields(const Context& context, const AttrsSchema& schema, const void* a, const void* b) -> bool;
auto EqualField(const Context& context, const FieldInfo& field, const void* a, const void* b) -> bool;

}  // namespace relayopt
