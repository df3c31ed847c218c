// The row of an operator: everything that relayopt knows about it.
#pragma once

#include <cstdint>
#include <string_view>

#include "relayopt/core/attrs.h"

namespace relayopt {

class LayoutConversion;
class LayoutRuleContext;
class KernelContext;
class RuleContext;

// The outcome of a type rule.
enum class RuleStatus : uint8_t {
  kDone,    // the result type is set
  kWait,    // an input type is not known yet; run again when it is
  kFailed,  // an error was reported
};

// A type rule: computes the result type from the input types and the attributes; see type_rule.h. Rules are declared
// beside the rows that use them: `TypeRuleFunction AddRule;`.
using TypeRuleFunction = auto(RuleContext& rule) -> RuleStatus;
using TypeRule = TypeRuleFunction*;

// The outcome of a kernel.
enum class KernelStatus : uint8_t {
  kDone,    // the result is set
  kFailed,  // an error was reported
};

// A kernel: computes the result from the values of the inputs and the attributes; see kernel.h.
using KernelFunction = auto(KernelContext& kernel) -> KernelStatus;
using Kernel = KernelFunction*;

// A layout rule: determines the layouts of a call's inputs and results; false if it cannot. See layout_rule.h.
using LayoutRuleFunction = auto(LayoutRuleContext& rule) -> bool;
using LayoutRule = LayoutRuleFunction*;

// A layout converter: changes a call's attributes to the layouts that the user requested; false after an error. See
// layout_rule.h.
using LayoutConverterFunction = auto(LayoutConversion& conversion) -> bool;
using LayoutConverter = LayoutConverterFunction*;

// How an operator takes part in fusion. The numbers are those of TVM's TOpPattern.
enum class Fusion : uint8_t {
  kElemWise = 0,
  kBroadcast = 1,
  kInjective = 2,
  kCommReduce = 3,
  kOutEWiseFusable = 4,
  kTuple = 7,
  kOpaque = 8,
  // No pattern is registered: FuseOps rejects the operator, so other passes must lower it first.
  kNone = 255,
};

// How an operator takes part in mixed precision.
enum class Precision : uint8_t {
  kMissing,  // not decided yet: follows, and is reported
  kAlways,   // is computed in the reduced type: much faster and safe
  kFollow,   // is computed in the reduced type when its operands already are
  kNever,    // needs the range or the digits of float32
};

// How a scale along the channels of a tensor moves through an operator; see FoldScaleAxis.
enum class ScaleRule : uint8_t {
  kNone,         // it does not
  kScale,        // the operator makes one, when an operand lies along the channels
  kThrough,      // commutes with positive scales
  kSum,          // a scale of the result is one of both operands
  kBias,         // the same, where the second operand is a vector along the channels
  kConvolution,  // a scale of the data or of the result can be one of the weight instead
  kDense,        // the same
  kRearranges,   // the result consists of elements of the data, so what is known of all of them stays known
};

// The inputs whose values the shape of the result depends on: one letter for all inputs, or one for each.
using ShapeFunction = std::string_view;

// The element types that an operator computes on: one letter for all inputs, or one for each. `f` floating point, `i`
// signed and unsigned integers, `n` both of these, `b` booleans, `x` integers and booleans, `*` all. Which inputs must
// have the same type is up to the type rule.
using ElementTypes = std::string_view;

// The row of an operator. Most fields have defaults, which keeps rows short; the comment of a field says what it means
// to leave it out.
struct OpDef {
  // The number of a row that is in no table.
  static constexpr uint16_t kNoNumber = UINT16_MAX;

  // The name in Relay text.
  std::string_view name;
  // The number among all operators, for tables with an entry for each (op_rules.h). Not written in rows: NumberedRows
  // and RegisterOp set it.
  uint16_t number = kNoNumber;
  // The names of the arguments, comma-separated; their number is the arity.
  std::string_view inputs = "";
  // The class of the attributes; null if the operator has none.
  const AttrsSchema* attrs = nullptr;
  // Never null in a table.
  TypeRule type = nullptr;
  // Null if the operator cannot be evaluated.
  Kernel kernel = nullptr;
  Fusion fusion = Fusion::kNone;
  // Whether TVM's builders attach `attrs` although the operator does not declare this class. In text the
  // class is then given by `attrs_type_key=` or `meta[...]`; without either, the call has no attributes.
  bool attrs_undeclared = false;
  // Whether it takes any number of arguments of any type. Only for operators outside of the table; see
  // ReadOptions::allow_unregistered_ops.
  bool variadic = false;
  // Whether calls must not be duplicated, merged or removed.
  bool stateful = false;
  // Whether it only moves or annotates data.
  bool non_computational = false;
  // Whether it changes only the shape, and preserves the elements and their order.
  bool reshape_only = false;
  // Whether TVM's code generation adapts the kernel to dynamic dimensions (AnyCodegenStrategy).
  bool variable_dimensions = false;
  // "s" when the result's shape depends on input shapes only, "d" when it depends on values, "" when there is no shape
  // function.
  ShapeFunction shape_function = "";
  // The kernel reports an error for other element types. Type rules accept them where TVM's rules do.
  ElementTypes element_types = "*";
  Precision precision = Precision::kMissing;
  ScaleRule scale_rule = ScaleRule::kNone;
  // Null: layout passes convert back to the original layout around the operator.
  LayoutRule layout = nullptr;
  // Null: the user cannot request a layout for this operator in ConvertLayout.
  LayoutConverter convert_layout = nullptr;
  // One line for help texts.
  std::string_view doc = "";

  // The same row with other element types, precision or scale rule, for families whose rows a function creates.
  constexpr auto On(ElementTypes value) const -> OpDef {
    OpDef row = *this;
    row.element_types = value;
    return row;
  }
  constexpr auto With(Precision value) const -> OpDef {
    OpDef row = *this;
    row.precision = value;
    return row;
  }
  constexpr auto With(ScaleRule value) const -> OpDef {
    OpDef row = *this;
    row.scale_rule = value;
    return row;
  }
};

// Whether the operator, according to its row, computes on elements of this type in input `i`.
constexpr auto Accepts(const OpDef& op, size_t i, DataType dtype) -> bool {
  const char letter = op.element_types.size() == 1 ? op.element_types[0] : op.element_types[i];
  switch (letter) {
    case 'f': return dtype.is_float();
    case 'i': return (dtype.is_int() || dtype.is_uint()) && !dtype.is_bool();
    case 'n': return !dtype.is_bool();
    case 'b': return dtype.is_bool();
    case 'x': return dtype.is_int() || dtype.is_uint();
    default: return true;
  }
}

// Returns the number of names in `inputs`.
constexpr auto Arity(const OpDef& op) -> size_t {
  if (op.inputs.empty()) return 0;
  size_t count = 1;
  for (const char c : op.inputs) count += c == ',' ? 1 : 0;
  return count;
}

// Returns the i-th name in `inputs`.
constexpr auto InputName(const OpDef& op, size_t i) -> std::string_view {
  std::string_view rest = op.inputs;
  for (; i != 0; --i) rest.remove_prefix(rest.find(',') + 1);
  rest = rest.substr(0, rest.find(','));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest;
}

}  // namespace relayopt
