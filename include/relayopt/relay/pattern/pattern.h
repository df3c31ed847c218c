// The dataflow pattern language: what an expression looks like, wherever it is.
//
//   PatternTable table;
//   const DFPattern x = table.Wildcard();
//   const DFPattern conv = table.Op("nn.conv2d"_op)({x, table.Constant()});
//   const DFPattern pattern = table.Op("nn.relu"_op)({conv | table.Op("nn.bias_add"_op)({conv, table.Wildcard()})});
//
// Patterns have identity: one that occurs twice stands for the same expression both times.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

using PatternId = Index<struct PatternTag>;

// The kinds of pattern nodes, with the order of their children.
enum class DFPatternKind : uint8_t {
  kWildcard,      // anything; if redirected, what its child matches
  kVar,           // a variable, of this name when one is given
  kConstant,      // a constant tensor, with this value when one is given
  kOp,            // this operator
  kOneOf,         // one of these expressions of the function that is matched
  kGlobal,        // this global function
  kCall,          // children: callee, arguments
  kFunction,      // children: parameters, body
  kLet,           // children: variable, value, result; one step of a chain
  kIf,            // children: condition, then, else
  kTuple,         // children: fields
  kTupleGetItem,  // child: the tuple
  kAlt,           // children: one or else the other
  kType,          // child, of this type
  kDType,         // child, a tensor of this element type
  kShape,         // child, a tensor of this shape
  kAttrs,         // child, with these attributes
  kDominator,     // children: parent, path, child
};

// An attribute together with the value that it must have.
struct RequiredAttr {
  enum class Kind : uint8_t { kInt, kFloat, kString, kObject };
  std::string name;
  Kind kind = Kind::kInt;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  // For kObject: compared by content.
  ObjectId object;
};

// A node of a pattern. The comment of a field says what it means to leave it out.
struct DFPatternNode {
  DFPatternKind kind = DFPatternKind::kWildcard;
  // Whether a kCall matches with any arguments, a kTuple with any fields, a kFunction with any parameters.
  bool any_children = false;
  std::vector<PatternId> children = {};
  // The name of a kVar; empty for any.
  std::string name = {};
  // The operator of a kOp.
  const OpDef* op = nullptr;
  // The expressions of a kOneOf, in ascending order.
  std::vector<ExprId> exprs = {};
  // The global of a kGlobal.
  GlobalId global = {};
  // The value of a kConstant; invalid for any constant.
  ConstantId constant = {};
  // The index of a kTupleGetItem; -1 for any.
  int64_t index = -1;
  // The type of a kType.
  TypeId type = {};
  DataType dtype = {};
  std::vector<Dim> shape = {};
  std::vector<RequiredAttr> attrs = {};
};

class PatternTable;

// A pattern: a reference to a node of a table, which must outlive it.
class DFPattern {
 public:
  DFPattern() = default;
  DFPattern(PatternTable& table, PatternId id) : table_(&table), id_(id) {}

  auto table() const -> PatternTable& { return *table_; }
  auto id() const -> PatternId { return id_; }

  // Returns a call of an expression that matches this pattern, with these arguments or (Call) with any.
  auto operator()(std::initializer_list<DFPattern> args) const -> DFPattern;
  auto Call() const -> DFPattern;
  // Alternatives, tried in this order: when the first matches, the second is not tried.
  auto operator|(DFPattern other) const -> DFPattern;
  auto HasDType(DataType dtype) const -> DFPattern;
  auto HasShape(std::vector<Dim> shape) const -> DFPattern;
  // Requires attributes: for a call those of the call, for a function its own, for an operator `TOpPattern`.
  auto HasAttrs(std::vector<RequiredAttr> attrs) const -> DFPattern;
  // An expression that matches this pattern and is reached from `parent` only through expressions that match `path`.
  auto Dominates(DFPattern parent, DFPattern path) const -> DFPattern;

 private:
  PatternTable* table_ = nullptr;
  PatternId id_;
};

// Owns patterns. Children precede their users, except below a redirected wildcard.
class PatternTable {
 public:
  PatternTable() = default;
  PatternTable(const PatternTable&) = delete;
  auto operator=(const PatternTable&) -> PatternTable& = delete;

  auto size() const -> size_t { return nodes_.size(); }
  auto operator[](PatternId id) const -> const DFPatternNode& { return nodes_[id.value()]; }

  auto Wildcard() -> DFPattern { return Add({}); }
  auto Var(std::string_view name = {}) -> DFPattern;
  auto Constant() -> DFPattern { return Add({.kind = DFPatternKind::kConstant}); }
  // Returns a constant with this value.
  auto Constant(ConstantId constant) -> DFPattern;
  auto Op(const OpDef* op) -> DFPattern;
  auto Global(GlobalId global) -> DFPattern;
  auto Tuple(std::initializer_list<DFPattern> fields) -> DFPattern;
  auto AnyTuple() -> DFPattern { return Add({.kind = DFPatternKind::kTuple, .any_children = true}); }
  auto TupleGetItem(DFPattern tuple, int64_t index = -1) -> DFPattern;
  auto Function(std::initializer_list<DFPattern> params, DFPattern body) -> DFPattern;
  auto If(DFPattern condition, DFPattern then_value, DFPattern else_value) -> DFPattern;
  auto Let(DFPattern var, DFPattern value, DFPattern result) -> DFPattern;
  // Makes a wildcard stand for another pattern, for instance for one that contains it.
  void Redirect(DFPattern wildcard, DFPattern target);

  auto Add(DFPatternNode node) -> DFPattern;

 private:
  std::vector<DFPatternNode> nodes_;
};

// Calls of add, subtract, multiply and divide.
auto operator+(DFPattern a, DFPattern b) -> DFPattern;
auto operator-(DFPattern a, DFPattern b) -> DFPattern;
auto operator*(DFPattern a, DFPattern b) -> DFPattern;
auto operator/(DFPattern a, DFPattern b) -> DFPattern;

}  // namespace relayopt
