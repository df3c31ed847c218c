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

// What a type rule found out.
enum class RuleStatus : uint8_t {
  kDone,    // the result type is set
  kWait,    // an input type is not known yet; run again when it is
  kFailed,  // an error was reported
};

// Computes the result type from the input types and the attributes; see type_rule.h. Functions are declared beside the
// rows that name them: `TypeRuleFunction AddRule;`.
using TypeRuleFunction = auto(RuleContext& rule) -> RuleStatus;
using TypeRule = TypeRuleFunction*;

// What a kernel did.
enum class KernelStatus : uint8_t {
  kDone,    // the result is set
  kFailed,  // an error was reported
};

// Computes the result from the values of the inputs and the attributes; see kernel.h.
using KernelFunction = auto(KernelContext& kernel) -> KernelStatus;
using Kernel = KernelFunction*;

// Finds the layouts of a call's inputs and results; false when they cannot be told. See layout_rule.h.
using LayoutRuleFunction = auto(LayoutRuleContext& rule) -> bool;
using LayoutRule = LayoutRuleFunction*;

// Puts a call's attributes into the layouts that the user wants; false after an error. See layout_rule.h.
using LayoutConverterFunction = auto(LayoutConversion& conversion) -> bool;
using LayoutConverter = LayoutConverterFunction*;

// How an operator takes part in fusion; the numbers are those of the reference's TOpPattern.
enum class Fusion : uint8_t {
  kElemWise = 0,
  kBroadcast = 1,
  kInjective = 2,
  kCommReduce = 3,
  kOutEWiseFusable = 4,
  kTuple = 7,
  kOpaque = 8,
  // None registered: FuseOps refuses the operator, other passes must lower it first.
  kNone = 255,
};

// How an operator takes part in mixed precision.
enum class Precision : uint8_t {
  kMissing,  // nobody has thought about it: follows, and is reported
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

// Which inputs the shape of the result depends on by value, with one letter for all inputs or one per input.
using ShapeFunction = std::string_view;

// On which element types an operator computes, with one letter for all inputs or one per input: `f` floating point, `i`
// integers of either sign, `n` both of these, `b` truth values, `x` integers and truth values, `*` all. Says nothing
// about which of several inputs must have the same type: that is the type rule's.
using ElementTypes = std::string_view;

// Fields with defaults keep rows short, and a missing field means what its comment says.
struct OpDef {
  // Of a row in no table.
  static constexpr uint16_t kNoNumber = UINT16_MAX;

  // As in Relay text.
  std::string_view name;
  // Its place among all operators, for tables with an entry for each (op_rules.h). Never written in a row: NumberedRows
  // and RegisterOp fill it in.
  uint16_t number = kNoNumber;
  // Argument names, comma-separated: their number is the arity.
  std::string_view inputs = "";
  // The class of the attributes; null when the operator has none.
  const AttrsSchema* attrs = nullptr;
  // Never null in a table.
  TypeRule type = nullptr;
  // Null: the operator cannot be evaluated.
  Kernel kernel = nullptr;
  Fusion fusion = Fusion::kNone;
  // The reference's builders attach `attrs` although the operator never declared the class: text names it with
  // `attrs_type_key=` or `meta[...]`, and without either the call has no attributes.
  bool attrs_undeclared = false;
  // Takes any number of arguments of any type; only operators outside the table, see
  // ReadOptions::allow_unregistered_ops.
  bool variadic = false;
  // Must not be duplicated, merged or dropped.
  bool stateful = false;
  // Moves or annotates data without computing.
  bool non_computational = false;
  // Changes the shape only; the elements and their order stay.
  bool reshape_only = false;
  // Code generation of the reference adapts the kernel to dynamic dimensions (AnyCodegenStrategy).
  bool variable_dimensions = false;
  // "s": the result's shape follows from input shapes; "d": from values; "": there is no shape function.
  ShapeFunction shape_function = "";
  // The kernel reports other element types as an error; type rules let them pass where the reference does.
  ElementTypes element_types = "*";
  Precision precision = Precision::kMissing;
  ScaleRule scale_rule = ScaleRule::kNone;
  // Null: layout passes convert back around the operator.
  LayoutRule layout = nullptr;
  // Null: ConvertLayout cannot be asked for a layout of this operator.
  LayoutConverter convert_layout = nullptr;
  // One line for help.
  std::string_view doc = "";

  // The same row with other element types, precision or scale rule, where a family makes its rows by a function.
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

// Whether the operator computes on elements of this type in input `i`, as its row says.
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

// Number of names in `inputs`.
constexpr auto Arity(const OpDef& op) -> size_t {
  if (op.inputs.empty()) return 0;
  size_t count = 1;
  for (const char c : op.inputs) count += c == ',' ? 1 : 0;
  return count;
}

// The i-th name in `inputs`.
constexpr auto InputName(const OpDef& op, size_t i) -> std::string_view {
  std::string_view rest = op.inputs;
  for (; i != 0; --i) rest.remove_prefix(rest.find(',') + 1);
  rest = rest.substr(0, rest.find(','));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest;
}

}  // namespace relayopt
