// Attribute values: what may stand to the right of `key=`, and the nodes of a metadata section.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "relayopt/core/data_type.h"
#include "relayopt/support/ids.h"

namespace relayopt {

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

// A field of a kNode object, as the metadata section writes it.
struct ObjectField {
  StringId name;
  // A literal as text, or none when the field holds an object.
  StringId literal;
  // The object; none together with a missing literal is the null object.
  ObjectId object;
};

// An immutable attribute value. Objects have identity: each `meta[...]` entry is one object, and two equal objects get
// two entries. The null object is the id that names none.
struct Object {
  ObjectKind kind = ObjectKind::kNode;
  // kInt, kFloat: the type of the literal.
  DataType dtype;
  int64_t integer = 0;
  double real = 0;
  // kString, kStringImm, kGlobalVar, kOp, kBytes: the text; kNode, kBytes: see `type_key`.
  StringId text;
  // kNode, kBytes: the type key.
  StringId type_key;
  // kArray: elements; kMap: key, value, key, value, ...
  std::span<const ObjectId> items;
  // kNode: the fields, in the order in which the class visits them.
  std::span<const ObjectField> fields;
  ConstantId constant;
  TypeId type;
  AttrsId attrs;
};

// An entry of the attributes of a module or of a function, DictAttrs of the reference.
struct DictAttr {
  StringId key;
  ObjectId value;
};

}  // namespace relayopt
