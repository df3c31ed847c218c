// The value of an expression of TVMScript while it is read.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/support/source.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

struct Builtin;

enum class ValueKind : uint8_t {
  kError,      // already reported; everything computed from it is an error that is not reported
  kNone,       // None
  kBool,       // a Python bool: `integer`
  kInt,        // a Python int: `integer`; `flag`: it is above 2^63 - 1, and the bits are those of an uint64
  kFloat,      // a Python float: `real`
  kString,     // a Python str: `id` names a StringId
  kTuple,      // `id`: first element in Values, `size`
  kList,       // the same
  kDict,       // the same: keys and values alternate
  kSlice,      // three values from `id` on: lower, upper, step; missing ones are kNone
  kExpr,       // a PrimExpr
  kBuffer,     // a buffer
  kRegion,     // `id` names a RegionValue
  kIterVar,    // an iteration variable
  kRange,      // two expressions from `id` on: minimum and extent
  kReducer,    // a combiner
  kIndexMap,   // a map of indices
  kObject,     // a target or an object of the metadata section: an ObjectId
  kGlobal,     // a function of the module: its name
  kModule,     // the class of the module
  kFrame,      // a statement that waits to be opened: `id` names a PendingFrame
  kBuiltin,    // a function of T or I
  kIntrinsic,  // a row of the intrinsics
  kDType,      // `T.int32` that is not called: `dtype`
  kNamespace,  // T, I, T.axis, ...: `id` names a Namespace
  kMetadata,   // a class of objects of the metadata section: the value at `id` is its type key
  kMethod,     // a method of the value at `id`: `size` names a Method
  kLambda,     // `id` names a lambda whose body was passed over
  kMeta,       // `T.meta_var(value)`: the value at `id`, which a name may stand for
  kTarget,     // the left side of an assignment, `A[...]`: buffer and indices from `id` on
};

// For messages.
auto Name(ValueKind kind) -> std::string_view;

struct Value {
  ValueKind kind = ValueKind::kNone;
  bool flag = false;
  union {
    DataType dtype;
    uint32_t size;
  };
  union {
    int64_t integer;
    double real;
    const Builtin* builtin;
    const arith::IntrinsicRow* intrinsic;
  };
  SourceRange range;

  Value() : size(0), integer(0) {}
  // Field by field, as values are made: a processor that reads as a whole what it has just written in parts waits for
  // the parts.
  Value(const Value& other)
      : kind(other.kind), flag(other.flag), size(other.size), integer(other.integer), range(other.range) {}
  auto operator=(const Value& other) -> Value& {
    kind = other.kind;
    flag = other.flag;
    size = other.size;
    integer = other.integer;
    range = other.range;
    return *this;
  }
  static auto Of(ValueKind kind, uint32_t id, uint32_t size = 0) -> Value {
    Value value;
    value.kind = kind;
    value.integer = id;
    value.size = size;
    return value;
  }
  static auto Error() -> Value { return Of(ValueKind::kError, 0); }
  static auto Bool(bool b) -> Value {
    Value value;
    value.kind = ValueKind::kBool;
    value.integer = b ? 1 : 0;
    return value;
  }
  static auto Int(int64_t integer) -> Value {
    Value value;
    value.kind = ValueKind::kInt;
    value.integer = integer;
    return value;
  }
  static auto Float(double real) -> Value {
    Value value;
    value.kind = ValueKind::kFloat;
    value.real = real;
    return value;
  }
  static auto String(StringId text) -> Value { return Of(ValueKind::kString, text.value()); }
  static auto Expr(PrimExpr expr) -> Value { return Of(ValueKind::kExpr, expr.value()); }
  static auto Buffer(BufferId buffer) -> Value { return Of(ValueKind::kBuffer, buffer.value()); }
  static auto DType(DataType dtype) -> Value {
    Value value;
    value.kind = ValueKind::kDType;
    value.dtype = dtype;
    return value;
  }
  static auto Function(const Builtin& builtin) -> Value {
    Value value;
    value.kind = ValueKind::kBuiltin;
    value.builtin = &builtin;
    return value;
  }

  auto is(ValueKind k) const -> bool { return kind == k; }
  auto is_error() const -> bool { return kind == ValueKind::kError; }
  auto is_none() const -> bool { return kind == ValueKind::kNone; }
  // A value of Python, which operators of Python take.
  auto is_python_number() const -> bool {
    return kind == ValueKind::kInt || kind == ValueKind::kBool || kind == ValueKind::kFloat;
  }
  auto is_sequence() const -> bool { return kind == ValueKind::kTuple || kind == ValueKind::kList; }
  auto id() const -> uint32_t { return static_cast<uint32_t>(integer); }
  auto expr() const -> PrimExpr { return PrimExpr(id()); }
  auto buffer() const -> BufferId { return BufferId(id()); }
  auto text() const -> StringId { return StringId(id()); }
};

using ValueList = absl::InlinedVector<Value, 8>;

// A region of a buffer: minimum and extent for each dimension.
struct RegionValue {
  BufferId buffer;
  absl::InlinedVector<PrimExpr, 8> bounds;
};

}  // namespace relayopt::tir
