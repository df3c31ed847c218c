// The table of Relax forms: how each Relay operator is written as Relax.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_rules.h"

namespace relayopt::relax {

// The functions of the writer that a form may use.
class RelaxLines {
 public:
  virtual ~RelaxLines() = default;
  // Returns the text of an operand: a name, a constant, or a tuple of these.
  virtual auto TextOf(ExprId operand) -> std::string = 0;
  // Returns the constant that an operand is (through a variable that is bound to it), or null.
  virtual auto ConstantOf(ExprId operand) const -> const Constant* = 0;
  // Returns the fields of a tuple that is created in this function, or empty for other values.
  virtual auto FieldsOf(ExprId tuple) const -> std::vector<ExprId> = 0;
  // Returns the extents of an operand: numbers, names, or sums and products of them.
  virtual auto ExtentsOf(ExprId operand) -> std::vector<std::string> = 0;
  // Gives an operand these extents, for the call that is being written: what differs is cast, which is checked when the
  // program runs.
  virtual void Recast(ExprId operand, const std::vector<std::string>& extents) = 0;
  // Writes a line that binds the value to a name, which it returns.
  virtual auto Bind(std::string_view value) -> std::string = 0;
  // Returns a new name for an extent.
  virtual auto NewExtent() -> std::string = 0;
  // Sets the extents of the call's result if its type does not contain all of them. Otherwise unknown extents get new
  // names.
  virtual void SetExtents(std::vector<std::string> extents) = 0;
};

// A call that is being written.
class RelaxCall : public CallView {
 public:
  RelaxCall(const Function& function, ExprId id, std::vector<std::string> args, RelaxLines& lines)
      : CallView(function, id), args(std::move(args)), lines_(&lines) {}

  // Returns the name in the row of the operator.
  auto name() const -> std::string_view;
  auto num_inputs() const -> size_t { return args.size(); }
  // Also finds the constant that is bound to a variable.
  auto constant(size_t i) const -> const Constant* { return lines_->ConstantOf(operand(i)); }
  auto extents(size_t i) const -> std::vector<std::string> { return lines_->ExtentsOf(operand(i)); }
  auto lines() const -> RelaxLines& { return *lines_; }

  // `R.NAME(a, b, axis=1)`: the arguments and those attributes that `attrs` names, `relay_name` or
  // `relay_name=relax_name`, separated by blanks. Attributes that are null or empty are left out.
  auto Write(std::string_view attrs) const -> std::string;
  // The same with the attributes in the row of the operator.
  auto Write() const -> std::string;

  // The arguments as they are written in the text. A tuple is `(a, b)`.
  std::vector<std::string> args;

 private:
  RelaxLines* lines_;
};

// The text of a call, or nothing if it cannot be written (an unknown extent, or an attribute that Relax lacks).
using Text = std::optional<std::string>;
using RelaxWriter = auto(*)(const RelaxCall& call) -> Text;

struct RelaxForm {
  // The name under `R.`; of a form with several operators, that of the main one.
  std::string_view name;
  // See RelaxCall::Write.
  std::string_view attrs;
  // For operators that do not correspond one to one.
  RelaxWriter write = nullptr;
};

// Returns null if the operator has none.
auto FindRelaxForm(const OpDef* op) -> const RelaxForm*;

// Returns the operators whose form is a call of the same name with the same operands and no attributes.
auto Namesakes() -> std::span<const OpDef* const>;
// Returns the rows of each family.
auto ElementForms() -> std::span<const OpRule<RelaxForm>>;
auto ShapeForms() -> std::span<const OpRule<RelaxForm>>;
auto NetworkForms() -> std::span<const OpRule<RelaxForm>>;
auto DynamicShapeForms() -> std::span<const OpRule<RelaxForm>>;
auto DynamicPlaceForms() -> std::span<const OpRule<RelaxForm>>;

// Helpers for writing forms. A type as a Python string.
auto DtypeText(DataType dtype) -> std::string;
// Returns the value in the type of the call's result.
auto AsResult(const RelaxCall& call, std::string_view value) -> Text;
// Returns the extents of the call's result as a tuple, or nothing if one is not known.
auto ResultExtents(const RelaxCall& call) -> Text;
// Returns zeros of the shape and type of the call's result, or nothing if an extent is not known.
auto ZerosOfResult(const RelaxCall& call) -> Text;
// `R.shape([n, 3])`.
auto ShapeText(std::span<const std::string> extents) -> std::string;

}  // namespace relayopt::relax
