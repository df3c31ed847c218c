// Context: what the functions of a module share. It interns strings, types and attribute records, owns attribute values
// and constants, and keeps what the layers above store for a whole module.
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

// How much memory a context uses for one kind of thing.
struct MemoryUse {
  // What is counted, in the plural, for people to read.
  std::string_view what;
  size_t count = 0;
  size_t bytes = 0;
};

// When attribute values that are objects count as equal.
enum class ObjectEquality : uint8_t {
  kStructural,  // by content, as StructuralEqual of TVM; symbolic variables are equal only to themselves
  kIdentity,    // the same, but what prints as metadata is equal only to itself
};

// Owns and interns the data that the functions of a module share. Thread-safe: several threads may look things up and
// add them at the same time. Ids stay valid as long as the context lives, and records never move.
class Context {
 public:
  Context();
  Context(const Context&) = delete;
  auto operator=(const Context&) -> Context& = delete;
  ~Context();

  // Strings.
  auto Intern(std::string_view text) -> StringId { return strings_.Intern(text); }
  auto text(StringId id) const -> std::string_view { return strings_[id]; }

  // Types. Looking up the id that names no type is a programming error.
  auto type(TypeId id) const -> const Type& { return *types_[id]; }
  auto Tensor(Shape shape, DataType dtype) -> TypeId;
  auto Tensor(std::initializer_list<Dim> shape, DataType dtype) -> TypeId {
    return Tensor(Shape(shape.begin(), shape.size()), dtype);
  }
  auto Scalar(DataType dtype) -> TypeId { return Tensor(Shape(), dtype); }
  auto Tuple(std::span<const TypeId> fields) -> TypeId;
  // Returns a function type. `result` may be invalid: the result type is not given.
  auto FunctionType(std::span<const TypeId> params, TypeId result, std::span<const TypeId> type_params = {}) -> TypeId;
  // Returns a new type variable, different from all others.
  auto FreshVar(StringId name) -> TypeId;
  // Returns the algebraic data type `name` applied to `args`.
  auto TypeCall(StringId name, std::span<const TypeId> args) -> TypeId;
  auto RefType(TypeId content) -> TypeId;
  // Returns a new inference variable, different from all others.
  auto FreshIncomplete() -> TypeId;
  auto NullType() -> TypeId;
  auto UnitType() -> TypeId { return Tuple({}); }

  // Attribute values. Each call makes a new object.
  auto object(ObjectId id) const -> const Object& { return objects_[id]; }
  auto Add(const Object& object) -> ObjectId;
  auto AddInt(int64_t value, DataType dtype = DataType::Int(32)) -> ObjectId;
  auto AddFloat(double value, DataType dtype) -> ObjectId;
  auto AddString(std::string_view text) -> ObjectId;
  auto AddArray(std::span<const ObjectId> items) -> ObjectId;
  // Returns a map; keys and values alternate in `items`.
  auto AddMap(std::span<const ObjectId> items) -> ObjectId;
  // Returns a `tir` node with two operands, such as `tir.Add`.
  auto AddBinary(std::string_view type_key, DataType dtype, ObjectId a, ObjectId b) -> ObjectId;
  auto EqualObjects(ObjectId a, ObjectId b, ObjectEquality equality = ObjectEquality::kStructural) const -> bool;
  // Whether two records are structurally equal. (Records that hold different objects are interned separately, even when
  // the objects are equal.)
  auto EqualAttrs(AttrsId a, AttrsId b) const -> bool;

  // Constants.
  auto constant(ConstantId id) const -> const Constant& { return constants_[id]; }
  // Adds a constant with an identity of its own.
  auto AddConstant(Constant constant) -> ConstantId;
  // Returns the constant of a scalar literal with this type and these bits; equal literals share one constant.
  auto ScalarConstant(DataType dtype, uint64_t bits) -> ConstantId;

  // Attribute records.
  auto attrs(AttrsId id) const -> const AttrsRecord& { return attrs_[id]; }
  auto InternAttrs(AttrsBuilder builder) -> AttrsId;
  template <typename A>
  auto InternAttrs(const A& value) -> AttrsId {
    return InternAttrs(AttrsBuilder(kSchema<A>, &value));
  }
  // Returns the record in which every field has its default.
  auto DefaultAttrs(const AttrsSchema& schema) -> AttrsId { return InternAttrs(AttrsBuilder(schema)); }
  // Returns a record of a class without a schema.
  auto AddOpaqueAttrs(ObjectId object) -> AttrsId;
  // Returns the record as its struct, or null if it is of another class.
  template <typename A>
  auto As(AttrsId id) const -> const A* {
    if (!id) return nullptr;
    const AttrsRecord& record = attrs_[id];
    return record.schema == &kSchema<A> ? static_cast<const A*>(record.data) : nullptr;
  }

  // Spans.
  auto span(SpanId id) const -> const Span& { return spans_[id]; }
  auto Intern(const Span& span) -> SpanId;

  // Keeps an input alive, because constants may be views of it.
  void Keep(std::shared_ptr<const SourceText> source);

  // Returns the memory used by the tables of the context, one row for each; tables of layers above are not included.
  // Must not run while others add to the tables.
  auto Memory() const -> std::vector<MemoryUse>;

  // Returns the table that a layer above keeps in this context, such as the operator instances of Relay. It is
  // constructed from the context on first use, lives as long as the context, and must be thread-safe by itself. Costs a
  // few instructions; code that needs it for every expression should remember it.
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
  // At least as many as there are layers with a table of their own.
  static constexpr size_t kMaxParts = 16;
  struct OwnedPart {
    void* part;
    void (*destroy)(void* part);
  };

  // Allocates the slot of a class of parts; it is the same in all contexts.
  static auto NewPartSlot() -> size_t;
  auto AddPart(size_t slot, void* (*make)(Context& context), void (*destroy)(void* part)) const -> const void*;

  struct TypeHash;
  struct TypeEqual;
  struct AttrsHash;
  struct AttrsEqual;

  auto InternType(const Type& type) -> TypeId;
  // Adds a type that is equal only to itself.
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

  // Parts by slot, and in the order of construction. The constructor of a part may ask for another part.
  mutable std::array<std::atomic<void*>, kMaxParts> parts_{};
  mutable std::recursive_mutex parts_mutex_;
  mutable std::vector<OwnedPart> owned_parts_;
};

// Equality and hash of attribute records by content; double fields are compared by their bits.
auto EqualFields(const Context& context, const AttrsSchema& schema, const void* a, const void* b) -> bool;
auto EqualField(const Context& context, const FieldInfo& field, const void* a, const void* b) -> bool;

}  // namespace relayopt
