// Attribute values: what may be to the right of `key=` in the text, and the nodes of a metadata section.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "relayopt/core/data_type.h"
#include "relayopt/support/ids.h"

namespace relayopt {

// The kinds of attribute values, with TVM's class where it has one.
enum class ObjectKind : uint8_t {
  kInt,        // IntImm
  kFloat,      // FloatImm
  kString,     // runtime.String
  kStringImm,  // tir.StringImm
  kArray,
  kMap,        // keys and values alternate in `items`
  kConstant,   // relay.Constant
  kType,       // a type term
  kAttrs,      // a typed attribute record
  kGlobalVar,  // `@name`
  kOp,         // an operator as a value
  kNode,       // any other reflected object: a type key and named fields
  kBytes,      // any other object that has a byte form (repr_str)
};

// A field of a kNode object, as the metadata section writes it. Exactly one of the two members is set, or none for the
// null object.
struct ObjectField {
  StringId name;
  // A literal, as its text.
  StringId literal;
  // Another object.
  ObjectId object;
};

// An immutable attribute value. Objects have identity: each `meta[...]` entry is one object, and two equal objects get
// two entries. An invalid ObjectId stands for the null object.
struct Object {
  ObjectKind kind = ObjectKind::kNode;
  // The type of the literal of a kInt or kFloat.
  DataType dtype;
  int64_t integer = 0;
  double real = 0;
  // The text of a kString, kStringImm, kGlobalVar, kOp or kBytes; for kNode and kBytes see also `type_key`.
  StringId text;
  // The type key of a kNode or kBytes.
  StringId type_key;
  // The elements of a kArray; the keys and values of a kMap, alternating.
  std::span<const ObjectId> items;
  // The fields of a kNode, in the order in which TVM's class visits them.
  std::span<const ObjectField> fields;
  ConstantId constant;
  TypeId type;
  AttrsId attrs;
  // Equal for objects that are structurally equal. It is set when the object is added to a context.
  uint64_t hash = 0;
};

// One entry of the attributes of a module or a function (TVM's DictAttrs).
struct DictAttr {
  StringId key;
  ObjectId value;
};

}  // namespace relayopt
