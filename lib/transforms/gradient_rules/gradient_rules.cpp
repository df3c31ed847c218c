// The table of gradient rules.
#include "gradient_rules.h"

#include "absl/container/flat_hash_map.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoGradientHere = {"unsupported-gradient", Severity::kError,
                                            "the gradient of this {} is not known: {}"};

}  // namespace

auto GradientContext::Unsupported(std::string_view reason) const -> Diagnostic {
  return MakeDiagnostic(kNoGradientHere, range_, to_.function().op(call_)->name, reason);
}

auto GradientContext::StaticShape(ExprId id) const -> Result<std::vector<int64_t>> {
  const Type* type = TensorType(id);
  if (type == nullptr) return Error("its operand is not a tensor of known type");
  std::vector<int64_t> shape;
  for (const Dim& dim : type->shape) {
    if (!dim.is_int()) return Error("the shape must be known");
    shape.push_back(dim.value());
  }
  return shape;
}

auto GradientContext::Scalar(ExprId like, double value) -> ExprId {
  const ExprId literal = EmitScalar(to_, ElementType(like), value);
  // The reference makes a constant for each rule, and prints those that are no literals by their identity.
  std::vector<std::byte> bytes = *to_.function().constant(literal).Bytes();
  const ExprId made = to_.Constant(context().AddConstant(Constant(ElementType(like), {}, std::move(bytes))));
  to_.SetType(made, to_.function().type(literal));
  return made;
}

auto FindGradientRule(const OpDef* op) -> GradientRule {
  static const auto rules = [] {
    absl::flat_hash_map<const OpDef*, GradientRule> table;
    for (const auto& family :
         {ArithmeticGradients(), CreationGradients(), ElementwiseGradients(), IndexingGradients(), NNGradients(),
          ProductGradients(), ReduceGradients(), ShapeGradients()}) {
      for (const GradientRow& row : family) table.emplace(row.op, row.rule);
    }
    return table;
  }();
  const auto found = rules.find(op);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace relayopt
