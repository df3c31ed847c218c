// The table of gradient rules.
#include "gradient_rules.h"

#include "relayopt/core/extents.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/call_view.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoGradientHere = {"unsupported-gradient", Severity::kError,
                                            "the gradient of this {} is not known: {}"};

// Numbers have the element type of the first argument.
class GradientEmitter : public TypedFormulaEmitter {
 public:
  explicit GradientEmitter(GradientContext& context)
      : TypedFormulaEmitter(context.to(), context.ElementType(context.arg(0))), context_(context) {}
  auto Number(double value) -> ExprId override { return context_.Scalar(context_.arg(0), value); }

 private:
  GradientContext& context_;
};

auto EmitGradients(GradientContext& context, const Formula& formula) -> std::vector<ExprId> {
  std::vector<FormulaName> names = {{"g", context.gradient()}, {"result", context.call()}};
  constexpr std::string_view kArguments[] = {"x", "y", "z"};
  for (size_t i = 0; i < context.num_args() && i < std::size(kArguments); ++i) {
    names.push_back({kArguments[i], context.arg(i)});
  }
  const Function& function = context.to().function();
  if (const AttrsId attrs = function.attrs(context.call())) {
    const AttrsRecord& record = context.context().attrs(attrs);
    for (const FieldInfo& field : record.schema == nullptr ? std::span<const FieldInfo>() : record.schema->fields) {
      if (field.kind == FieldKind::kDouble) names.push_back({field.name, field.Get<double>(record.data)});
    }
  }
  GradientEmitter to(context);
  return EmitFormula(to, formula, names);
}

// Whether gradients of type `made` can be added up for a value of type `wanted`.
auto Fits(const Context& context, TypeId made, TypeId wanted) -> bool {
  std::vector<std::pair<TypeId, TypeId>> stack = {{made, wanted}};
  while (!stack.empty()) {
    const auto [made_id, wanted_id] = stack.back();
    stack.pop_back();
    if (made_id == wanted_id) continue;
    const Type& part = context.type(made_id);
    const Type& like = context.type(wanted_id);
    if (part.is_tensor() && like.is_tensor()) {
      if (part.dtype != like.dtype || !MayBroadcastTo(part.shape, like.shape)) return false;
    } else {
      if (!part.is_tuple() || !like.is_tuple() || part.args.size() != like.args.size()) return false;
      for (size_t i = 0; i < part.args.size(); ++i) stack.emplace_back(part.args[i], like.args[i]);
    }
  }
  return true;
}

}  // namespace

auto GradientContext::Unsupported(std::string_view reason) const -> Diagnostic {
  return MakeDiagnostic(kNoGradientHere, range_, to().function().op(call_)->name, reason);
}

auto GradientContext::StaticShape(ExprId id) const -> Result<std::vector<int64_t>> {
  const Type* type = tensor(id);
  if (type == nullptr) return Error("its operand is not a tensor of known type");
  auto shape = KnownExtents(type->shape);
  if (!shape) return Error("the shape must be known");
  return *std::move(shape);
}

auto GradientContext::Scalar(ExprId like, double value) -> ExprId {
  const ExprId literal = EmitScalar(to(), ElementType(like), value);
  // As TVM: each rule creates its own constant, because constants that are not literals are printed by identity.
  const ElementBytes bytes = to().function().constant(literal).Elements();
  const ExprId made =
      to().Constant(context().AddConstant(Constant(ElementType(like), {}, bytes.ToVector<std::byte>())));
  to().SetType(made, to().function().type(literal));
  return made;
}

auto ApplyGradientRule(const GradientRule& rule, GradientContext& context) -> Gradients {
  RELAYOPT_TRY(std::vector<ExprId> gradients,
               rule.formula ? Gradients(EmitGradients(context, rule.formula)) : rule.function(context));
  const Function& function = context.to().function();
  for (size_t i = 0; i < gradients.size() && i < context.num_args(); ++i) {
    const TypeId wanted = function.type(context.arg(i));
    const TypeId made = function.type(gradients[i]);
    if (!wanted) continue;
    if (!made) return context.Error("its rule does not take operands of these types");
    if (!Fits(context.context(), made, wanted)) {
      return context.Error("argument {} is {} and its gradient would be {}", i, TypeName(context.context(), wanted),
                           TypeName(context.context(), made));
    }
  }
  return gradients;
}

auto FindGradientRule(const OpDef* op) -> const GradientRule* {
  static const OpRules<GradientRule> rules = {
      ArithmeticGradients(), ConvGradients(),    CreationGradients(), ElementwiseGradients(), IndexingGradients(),
      NNGradients(),         ProductGradients(), ReduceGradients(),   ShapeGradients(),
  };
  return rules.Find(op);
}

}  // namespace relayopt
