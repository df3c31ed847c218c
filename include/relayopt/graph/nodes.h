// The node types of the object graph, which users of Relay build and inspect. One table (lib/graph/nodes.cpp) declares
// each type with its fields; the slots that C++ reads have their numbers here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "relayopt/object/containers.h"

namespace relayopt::graph {

using object::Object;
using object::Ref;
using object::SlotObj;
using object::Value;

// The node types, in the order of the table.
enum class Node : uint8_t {
  kBaseExpr,
  kPrimExpr,
  kIntImm,
  kFloatImm,
  kStringImm,
  kTirVar,
  kSizeVar,
  kTirAny,
  kTirBinary,  // the base of tir.Add and the like; not a type of TVM
  kTirCast,
  kRelayExpr,
  kConstant,
  kTuple,
  kVar,
  kGlobalVar,
  kCall,
  kLet,
  kIf,
  kTupleGetItem,
  kRefCreate,
  kRefRead,
  kRefWrite,
  kMatch,
  kConstructor,
  kOp,
  kBaseFunc,
  kFunction,
  kTempExpr,
  kId,
  kClause,
  kPattern,
  kPatternWildcard,
  kPatternVar,
  kPatternConstructor,
  kPatternTuple,
  kType,
  kTypeVar,
  kGlobalTypeVar,
  kTypeCall,
  kTypeData,
  kTensorType,
  kTupleType,
  kFuncType,
  kRefType,
  kIncompleteType,
  kTypeConstraint,
  kTypeRelation,
  kAttrs,
  kDictAttrs,
  kSourceName,
  kSpan,
  kSequentialSpan,
  kVirtualDevice,
  kIRModule,
  kCount,
};

// Returns the type index of a node type. The first call registers all node types.
auto TypeOf(Node node) -> object::TypeIndex;
auto Is(const Object* object, Node node) -> bool;
// Whether the object is of exactly this type, and not of a derived one.
inline auto IsExactly(const Object* object, Node node) -> bool {
  return object != nullptr && object->type_index() == TypeOf(node);
}

// Slot numbers. Expressions and types begin with these.
namespace slot {
enum : size_t { kSpan = 0, kCheckedType = 1, kVirtualDevice = 2, kFirst = 3 };
enum : size_t { kDtype = 1, kImmValue = 2, kTirName = 2, kOperandA = 2, kOperandB = 3 };
enum : size_t { kData = kFirst };
enum : size_t { kFields = kFirst };
enum : size_t { kVid = kFirst, kAnnotation };
enum : size_t { kNameHint = kFirst };
enum : size_t { kCallee = kFirst, kArgs, kAttrs, kTypeArgs };
enum : size_t { kLetVar = kFirst, kLetValue, kLetBody };
enum : size_t { kCond = kFirst, kThen, kElse };
enum : size_t { kTupleValue = kFirst, kIndex };
enum : size_t { kRefValue = kFirst, kRefContent };
enum : size_t { kMatchData = kFirst, kClauses, kComplete };
enum : size_t { kCtorName = kFirst, kCtorInputs, kCtorBelongsTo, kCtorTag };
enum : size_t { kFunctionAttrs = kFirst, kParams, kBody, kResultType, kTypeParams };
enum : size_t { kIdName = 0 };
enum : size_t { kLhs = 0, kRhs = 1 };
enum : size_t { kPatternSpan = 0, kPatternVariable = 1, kPatternCtor = 1, kCtorPatterns = 2, kTuplePatterns = 1 };
// Slots of types; slot 0 is the span.
enum : size_t { kTypeName = 1, kTypeKind = 2 };
enum : size_t { kTypeCallFunc = 1, kTypeCallArgs = 2 };
enum : size_t { kHeader = 1, kTypeVars = 2, kCtors = 3 };
enum : size_t { kShape = 1, kTensorDtype = 2 };
enum : size_t { kTypeFields = 1 };
enum : size_t { kArgTypes = 1, kRetType = 2, kFuncTypeParams = 3, kConstraints = 4 };
enum : size_t { kRefTypeValue = 1 };
enum : size_t { kIncompleteKind = 1 };
enum : size_t { kDict = 0 };
enum : size_t { kSourceNameText = 0 };
enum : size_t { kSourceNameOf = 0, kLine, kColumn, kEndLine, kEndColumn, kSpans };
enum : size_t { kDeviceType = 0, kDeviceId, kDeviceTarget, kMemoryScope };
}  // namespace slot

// Returns the slots of an object that is a node.
auto SlotsOf(const Object& object) -> std::span<const Value>;

// Returns an IntImm node with this value and type.
auto MakeInt(int64_t value, std::string_view dtype = "int32") -> Ref<SlotObj>;

}  // namespace relayopt::graph
