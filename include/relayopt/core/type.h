// Type terms of Relay.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "relayopt/core/data_type.h"
#include "relayopt/core/dim.h"
#include "relayopt/support/ids.h"

namespace relayopt {

// The kinds of type terms.
enum class TypeKind : uint8_t {
  kTensor,      // `Tensor[(shape), dtype]`; a scalar has rank 0
  kTuple,       // `(T1, T2)`
  kFunction,    // `fn [A](T1, T2) -> R`
  kVar,         // a type parameter
  kCall,        // an algebraic data type with its arguments, `List[int32]`
  kRef,         // `ref(T)`
  kIncomplete,  // not known yet: an inference variable
  kNull,        // `_` inside another type
};

// Returns the kind's name with its article, for messages: "a tensor".
auto KindName(TypeKind kind) -> std::string_view;

// A type term. Terms are interned by the context: equal terms have equal ids. Type variables and incomplete types are
// equal only to themselves; symbolic dimensions are equal when they are the same object.
struct Type {
  TypeKind kind = TypeKind::kNull;
  // Whether an incomplete type occurs in the term.
  bool has_incomplete = false;
  // The element type of a kTensor.
  DataType dtype;
  // The extents of a kTensor.
  Shape shape;
  // The fields of a kTuple, the parameter types of a kFunction, or the arguments of a kCall.
  std::span<const TypeId> args;
  // The type parameters of a kFunction, each of kind kVar.
  std::span<const TypeId> type_params;
  // The result type of a kFunction, invalid when it is not given; the content type of a kRef.
  TypeId result;
  // The name of a kVar; the name of the type definition of a kCall.
  StringId name;
  // For kVar and kIncomplete: distinguishes variables of the same name.
  uint32_t number = 0;

  auto is_tensor() const -> bool { return kind == TypeKind::kTensor; }
  auto is_scalar() const -> bool { return is_tensor() && shape.empty(); }
  auto is_tuple() const -> bool { return kind == TypeKind::kTuple; }
  auto is_function() const -> bool { return kind == TypeKind::kFunction; }
  auto is_incomplete() const -> bool { return kind == TypeKind::kIncomplete; }
  auto rank() const -> size_t { return shape.size(); }
};

}  // namespace relayopt
