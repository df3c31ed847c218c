// Operators whose row has a formula.
#include "relayopt/convert/onnx/formulas.h"

#include "builders.h"
#include "node.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// Numbers have the element type of the first input. In imports that keep NaN, so do the operators of Relay that do not.
class NodeFormulaEmitter : public FormulaEmitter {
 public:
  NodeFormulaEmitter(Node& node, DataType dtype) : node_(node), dtype_(dtype) {}

  auto Call(const OpDef* op, std::span<const ExprId> operands, std::span<const double> attributes) -> ExprId override {
    if (op == "nn.relu"_op) return Relu(node_, operands[0]);
    std::vector<AttrSetting> settings;
    settings.reserve(attributes.size());
    for (size_t i = 0; i < attributes.size(); ++i) settings.emplace_back(op->attrs->fields[i].name, attributes[i]);
    const ExprId made = node_.em().Call(op, operands, settings);
    return op == "clip"_op ? KeepNaN(node_, operands[0], made) : made;
  }
  auto Number(double value) -> ExprId override { return node_.em().Scalar(dtype_, value); }

 private:
  Node& node_;
  DataType dtype_;
};

}  // namespace

auto Relu(Node& n, ExprId x) -> ExprId {
  Emitter& em = n.em();
  if (!n.keeps_nan(x)) return em.Call("nn.relu"_op, {x});
  const ExprId zero = em.Scalar(em.dtype(x), 0);
  return Where(em, Less(em, x, zero), zero, x);
}

auto KeepNaN(Node& n, ExprId x, ExprId result) -> ExprId {
  return n.keeps_nan(x) ? Where(n.em(), IsNaN(n.em(), x), x, result) : result;
}

auto Computed(Node& n, const Formula& formula, std::span<const FormulaName> names) -> Exprs {
  const ExprId first = std::get<ExprId>(names.front().value);
  NodeFormulaEmitter to(n, n.em().dtype(first));
  return EmitFormula(to, formula, names);
}

auto ConvertFormula(Node& n) -> Results {
  std::vector<FormulaName> names;
  names.reserve(n.num_inputs());
  for (size_t i = 0; i < n.num_inputs(); ++i) names.push_back({InputNameOf(n.row(), i), n.in(i)});
  for (const std::string_view attribute : FloatAttributes(n.row())) names.push_back({attribute, n.Float(attribute)});
  return Computed(n, n.exact() && n.row().exact ? n.row().exact : n.row().formula, names);
}

auto OpFormulas() -> std::vector<OpFormula> {
  std::vector<OpFormula> formulas;
  for (const auto& family : AllOpFamilies()) {
    for (const OpRow& row : family) {
      if (!row.formula) continue;
      OpFormula& made = formulas.emplace_back(OpFormula{row.name, row.formula, row.exact, {}, FloatAttributes(row)});
      for (size_t i = 0; i < InputRangeOf(row).most; ++i) made.inputs.push_back(InputNameOf(row, i));
    }
  }
  return formulas;
}

}  // namespace relayopt::onnx
