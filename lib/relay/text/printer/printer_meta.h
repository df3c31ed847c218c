// Assigns `meta[KEY][i]` to objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"

namespace relayopt {

// An object that metadata can hold. Two references with equal members are the same object.
struct MetaRef {
  enum class Kind : uint8_t {
    kObject,    // an attribute value: ObjectId
    kConstant,  // a constant tensor: ConstantId
    kType,      // a type: TypeId
    kAttrs,     // the attributes of one call: AttrsId, and a number for the call, which has a record of its own
  };
  Kind kind = Kind::kObject;
  uint32_t id = 0;
  uint64_t call = 0;

  friend auto operator==(const MetaRef&, const MetaRef&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const MetaRef& ref) -> H {
    return H::combine(static_cast<H&&>(h), ref.kind, ref.id, ref.call);
  }
};

// The reference to an object. Constants and type variables are the same object wherever they are referenced.
auto RefOf(const Context& context, ObjectId id) -> MetaRef;

// Returns the type key of the object that `ref` refers to, as `meta[...]` and the metadata section write it.
auto TypeKeyOf(const Context& context, const MetaRef& ref) -> std::string_view;

// Identifies an occurrence of a constant in the metadata section, together with the constant itself.
struct ConstantUse {
  // The inferred type, or none.
  TypeId type;
  SpanId span;
  // For a constant in attributes: the span it was read with, or invalid.
  ObjectId read_span = {};
};

// Assigns indices to objects, in the order in which they are first requested.
class MetaIndex {
 public:
  struct List {
    std::string_view type_key;
    std::vector<MetaRef> objects;
  };

  explicit MetaIndex(const Context& context) : context_(context) {}

  // Returns the index of the object among those of its type key.
  auto IndexOf(const MetaRef& ref) -> uint32_t;
  // `meta[KEY][i]`.
  void Append(std::string& out, const MetaRef& ref);
  // Records an expression or an attribute value that is the constant. Its first type and first span are used.
  void NoteConstant(ConstantId id, const ConstantUse& use);
  // The same for a constant inside another object. Called once the lists are complete: then only new constants are
  // recorded.
  void NoteInnerConstant(const Object& constant) {
    constants_.try_emplace(constant.constant, ConstantUse{constant.type, {}, SpanIn(constant)});
  }
  // Returns the span of a constant that was read, as an object, or none if it has none.
  static auto SpanIn(const Object& constant) -> ObjectId {
    return constant.fields.empty() ? ObjectId() : constant.fields.front().object;
  }

  // Returns the lists, in the order in which their keys were first used.
  auto lists() const -> const std::vector<List>& { return lists_; }
  auto use_of(ConstantId id) const -> ConstantUse {
    const auto found = constants_.find(id);
    return found == constants_.end() ? ConstantUse() : found->second;
  }

 private:
  const Context& context_;
  std::vector<List> lists_;
  absl::flat_hash_map<std::string_view, uint32_t> list_of_key_;
  absl::flat_hash_map<MetaRef, uint32_t> index_of_;
  absl::flat_hash_map<ConstantId, ConstantUse> constants_;
};

}  // namespace relayopt
