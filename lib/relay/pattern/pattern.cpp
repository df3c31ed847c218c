// Builds patterns.
#include "relayopt/relay/pattern/pattern.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

auto Ids(std::initializer_list<DFPattern> patterns) -> std::vector<PatternId> {
  return MapToVector<PatternId>(patterns, [&](const DFPattern& pattern) { return pattern.id(); });
}

auto Binary(const OpDef* op, DFPattern a, DFPattern b) -> DFPattern { return a.table().Op(op)({a, b}); }

}  // namespace

auto DFPattern::operator()(std::initializer_list<DFPattern> args) const -> DFPattern {
  DFPatternNode node{.kind = DFPatternKind::kCall, .children = Ids(args)};
  node.children.insert(node.children.begin(), id_);
  return table_->Add(std::move(node));
}

auto DFPattern::Call() const -> DFPattern {
  return table_->Add({.kind = DFPatternKind::kCall, .any_children = true, .children = {id_}});
}

auto DFPattern::operator|(DFPattern other) const -> DFPattern {
  return table_->Add({.kind = DFPatternKind::kAlt, .children = {id_, other.id()}});
}

auto DFPattern::HasDType(DataType dtype) const -> DFPattern {
  return table_->Add({.kind = DFPatternKind::kDType, .children = {id_}, .dtype = dtype});
}

auto DFPattern::HasShape(std::vector<Dim> shape) const -> DFPattern {
  return table_->Add({.kind = DFPatternKind::kShape, .children = {id_}, .shape = std::move(shape)});
}

auto DFPattern::HasAttrs(std::vector<RequiredAttr> attrs) const -> DFPattern {
  return table_->Add({.kind = DFPatternKind::kAttrs, .children = {id_}, .attrs = std::move(attrs)});
}

auto DFPattern::Dominates(DFPattern parent, DFPattern path) const -> DFPattern {
  return table_->Add({.kind = DFPatternKind::kDominator, .children = {parent.id(), path.id(), id_}});
}

auto PatternTable::Add(DFPatternNode node) -> DFPattern {
  nodes_.push_back(std::move(node));
  return {*this, PatternId(nodes_.size() - 1)};
}

auto PatternTable::Var(std::string_view name) -> DFPattern {
  return Add({.kind = DFPatternKind::kVar, .name = std::string(name)});
}

auto PatternTable::Constant(ConstantId constant) -> DFPattern {
  return Add({.kind = DFPatternKind::kConstant, .constant = constant});
}

auto PatternTable::Op(const OpDef* op) -> DFPattern { return Add({.kind = DFPatternKind::kOp, .op = op}); }

auto PatternTable::Global(GlobalId global) -> DFPattern {
  return Add({.kind = DFPatternKind::kGlobal, .global = global});
}

auto PatternTable::Tuple(std::initializer_list<DFPattern> fields) -> DFPattern {
  return Add({.kind = DFPatternKind::kTuple, .children = Ids(fields)});
}

auto PatternTable::TupleGetItem(DFPattern tuple, int64_t index) -> DFPattern {
  return Add({.kind = DFPatternKind::kTupleGetItem, .children = {tuple.id()}, .index = index});
}

auto PatternTable::Function(std::initializer_list<DFPattern> params, DFPattern body) -> DFPattern {
  DFPatternNode node{.kind = DFPatternKind::kFunction, .children = Ids(params)};
  node.children.push_back(body.id());
  return Add(std::move(node));
}

auto PatternTable::If(DFPattern condition, DFPattern then_value, DFPattern else_value) -> DFPattern {
  return Add({.kind = DFPatternKind::kIf, .children = Ids({condition, then_value, else_value})});
}

auto PatternTable::Let(DFPattern var, DFPattern value, DFPattern result) -> DFPattern {
  return Add({.kind = DFPatternKind::kLet, .children = Ids({var, value, result})});
}

void PatternTable::Redirect(DFPattern wildcard, DFPattern target) {
  nodes_[wildcard.id().value()].children = {target.id()};
}

auto operator+(DFPattern a, DFPattern b) -> DFPattern { return Binary("add"_op, a, b); }
auto operator-(DFPattern a, DFPattern b) -> DFPattern { return Binary("subtract"_op, a, b); }
auto operator*(DFPattern a, DFPattern b) -> DFPattern { return Binary("multiply"_op, a, b); }
auto operator/(DFPattern a, DFPattern b) -> DFPattern { return Binary("divide"_op, a, b); }

}  // namespace relayopt
