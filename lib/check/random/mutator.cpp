// Programs near a given one.
//
// A change looks at one expression and emits something else instead, while everything else is copied:
//
//   %0 = nn.relu(%x);          %0 = tanh(%x);              another operator of its kind
//   add(%0, %y)                add(%0, negative(%y))       an operator in front of an operand
//
// What breaks a rule of the IR, such as an operand from outside of its scope, is undone; most changes are valid.
#include "relayopt/check/mutator.h"

#include <algorithm>
#include <vector>

#include "prim_func_mutator.h"
#include "random.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/tir/analysis/verifier.h"

namespace relayopt {

namespace {

constexpr const OpDef* kUnary[] = {"nn.relu"_op, "tanh"_op,     "sigmoid"_op, "exp"_op,  "sqrt"_op,
                                   "abs"_op,     "negative"_op, "copy"_op,    "round"_op};
constexpr const OpDef* kBinary[] = {"add"_op,     "subtract"_op, "multiply"_op, "divide"_op,
                                    "maximum"_op, "minimum"_op,  "power"_op};

auto IsOneOf(const OpDef* op, std::span<const OpDef* const> list) -> bool {
  return std::ranges::find(list, op) != list.end();
}

// One change of one function.
class Mutation {
 public:
  Mutation(const Function& function, Random& random) : function_(function), random_(random) {}

  // Returns nothing if the drawn expression does not allow the drawn change.
  auto Run() -> std::optional<Function> {
    if (function_.size() == 0) return std::nullopt;
    chosen_ = ExprId(random_.Below(function_.size()));
    change_ = static_cast<Change>(random_.Below(static_cast<size_t>(Change::kCount)));
    std::optional<Function> result = Rewrite(
        function_, [this](Rebuild& rebuild, ExprId id) { return id == Target() ? Changed(rebuild, id) : ExprId(); });
    // Written by inference, and possibly outdated.
    if (result) result->set_result(result->root(), TypeId());
    return result;
  }

 private:
  enum class Change : uint8_t { kOperator, kOperand, kWrap, kNumber, kAttribute, kSecondResult, kCount };

  // Returns the expression that is emitted again.
  auto Target() const -> ExprId { return change_ == Change::kSecondResult ? function_.root() : chosen_; }

  auto Changed(Rebuild& rebuild, ExprId id) -> ExprId {
    switch (change_) {
      case Change::kOperator: return OtherOperator(rebuild, id);
      case Change::kOperand: return OtherOperand(rebuild, id);
      case Change::kWrap: return WrapOperand(rebuild, id);
      case Change::kNumber: return OtherNumber(rebuild, id);
      case Change::kAttribute: return OtherAttribute(rebuild, id);
      case Change::kSecondResult: return SecondResult(rebuild, id);
      case Change::kCount: break;
    }
    return {};
  }

  auto OtherOperator(Rebuild& rebuild, ExprId id) -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall) return {};
    const OpDef* op = function_.op(id);
    using List = std::span<const OpDef* const>;
    for (const List list : {List(kUnary), List(kBinary)}) {
      if (!IsOneOf(op, list)) continue;
      const OpDef* other = random_.Pick(list);
      if (other == op) return {};
      const auto operands = rebuild.NewOperands(id);
      return EmitCall(rebuild.to(), other, std::vector<ExprId>(operands.begin(), operands.end()));
    }
    return {};
  }

  // Returns the old operands, or empty if the expression is not a call.
  auto OperandsOf(Rebuild& rebuild, ExprId id) const -> std::vector<ExprId> {
    const ExprKind kind = function_.kind(id);
    if ((kind != ExprKind::kOpCall && kind != ExprKind::kTuple) || function_.operands(id).empty()) return {};
    const auto operands = rebuild.NewOperands(id);
    return {operands.begin(), operands.end()};
  }

  auto OtherOperand(Rebuild& rebuild, ExprId id) -> ExprId {
    std::vector<ExprId> operands = OperandsOf(rebuild, id);
    if (operands.empty()) return {};
    const size_t i = random_.Below(operands.size());
    const TypeId type = function_.type(function_.operand(id, i));
    std::vector<ExprId> others;
    for (const ExprId other : function_.ids()) {
      if (other == id) break;
      if (function_.type(other) == type && rebuild.New(other) != operands[i]) others.push_back(other);
    }
    if (!type.has_value() || others.empty()) return {};
    operands[i] = rebuild.New(random_.Pick(std::span<const ExprId>(others)));
    return rebuild.to().Copy(function_, id, operands);
  }

  auto WrapOperand(Rebuild& rebuild, ExprId id) -> ExprId {
    std::vector<ExprId> operands = OperandsOf(rebuild, id);
    if (operands.empty()) return {};
    const size_t i = random_.Below(operands.size());
    const TypeId type = function_.type(function_.operand(id, i));
    if (!type.has_value() || !function_.context().type(type).is_tensor()) return {};
    operands[i] = EmitCall(rebuild.to(), random_.Pick(std::span<const OpDef* const>(kUnary)), {operands[i]});
    return rebuild.to().Copy(function_, id, operands);
  }

  auto OtherNumber(Rebuild& rebuild, ExprId id) -> ExprId {
    if (function_.kind(id) != ExprKind::kConstant || !function_.constant(id).is_scalar()) return {};
    const DataType dtype = function_.constant(id).dtype();
    if (dtype.is_bool()) return EmitScalar(rebuild.to(), dtype, static_cast<int64_t>(random_.Below(2)));
    if (dtype.is_float()) return EmitScalar(rebuild.to(), dtype, random_.Pick({0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 1e4}));
    return EmitScalar(rebuild.to(), dtype, random_.Pick<int64_t>({0, 1, 2, 3, -1, 7}));
  }

  auto OtherAttribute(Rebuild& rebuild, ExprId id) -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall || !function_.attrs(id).has_value()) return {};
    Context& context = function_.context();
    const AttrsRecord& record = context.attrs(function_.attrs(id));
    if (record.schema == nullptr || record.schema->fields.empty()) return {};
    AttrsBuilder builder(*record.schema, record.data);
    const FieldInfo& field = random_.Pick(record.schema->fields);
    const int64_t step = random_.Chance(50) ? 1 : -1;
    const auto near = [&](Dim& dim) { dim = dim.is_int() ? Dim(dim.value() + step, dim.bits()) : dim; };
    switch (field.kind) {
      case FieldKind::kInt: field.Mutable<int64_t>(builder.data()) += step; break;
      case FieldKind::kBool: field.Mutable<bool>(builder.data()) ^= true; break;
      case FieldKind::kDouble: field.Mutable<double>(builder.data()) *= step > 0 ? 2 : -1; break;
      case FieldKind::kDim: near(field.Mutable<Dim>(builder.data())); break;
      case FieldKind::kDimList: {
        auto& list = field.Mutable<DimList>(builder.data());
        if (list.empty()) return {};
        near(list.values[random_.Below(list.size())]);
        break;
      }
      default: return {};
    }
    const AttrsId attrs = context.InternAttrs(std::move(builder));
    const auto operands = rebuild.NewOperands(id);
    return rebuild.to().OpCall(InternOpInstance(context, {function_.op(id), attrs}),
                               std::vector<ExprId>(operands.begin(), operands.end()));
  }

  // Adds the chosen expression to the result, so that an expression used once is used twice.
  auto SecondResult(Rebuild& rebuild, ExprId root) -> ExprId {
    const ExprKind kind = function_.kind(chosen_);
    if (kind != ExprKind::kOpCall && kind != ExprKind::kTupleGetItem) return {};
    if (function_.kind(function_.body()) == ExprKind::kLet) return {};
    std::vector<ExprId> operands(rebuild.NewOperands(root).begin(), rebuild.NewOperands(root).end());
    operands.back() = rebuild.to().Tuple(std::vector<ExprId>{operands.back(), rebuild.New(chosen_)});
    const ExprId made = rebuild.to().Copy(function_, root, operands);
    rebuild.to().SetType(made, TypeId());
    return made;
  }

  const Function& function_;
  Random& random_;
  ExprId chosen_;
  Change change_ = Change::kOperator;
};

// Returns the function with one change, of either kind. Returns nothing if no change applies, or if it breaks a rule,
// such as one about variables and scopes.
auto Mutate(const Module& module, GlobalId id, Random& random) -> GlobalFunctionRef {
  if (const auto* func = module.function<tir::PrimFunc>(id)) {
    std::optional<tir::PrimFunc> changed = MutatePrimFunc(*func, random);
    if (!changed || tir::Verify(*changed)) return nullptr;
    return std::make_shared<const tir::PrimFunc>(*std::move(changed));
  }
  std::optional<Function> changed = Mutation(*module.function<Function>(id), random).Run();
  if (!changed || Verify(module, *changed)) return nullptr;
  return std::make_shared<const Function>(*std::move(changed));
}

}  // namespace

auto MutateProgram(const Module& module, uint64_t seed) -> std::optional<Module> {
  constexpr int kTries = 40;
  Random random(seed);
  Module result = module;
  std::vector<GlobalId> functions = module.SortedFunctions<Function>();
  for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) functions.push_back(id);
  if (functions.empty()) return std::nullopt;
  const int64_t wanted = random.Between(1, 4);
  int64_t made = 0;
  for (int tries = 0; tries < kTries && made < wanted; ++tries) {
    const GlobalId id = random.Pick(std::span<const GlobalId>(functions));
    GlobalFunctionRef changed = Mutate(result, id, random);
    if (changed == nullptr) continue;
    result.SetFunction(id, std::move(changed));
    ++made;
  }
  return made == 0 ? std::nullopt : std::optional(std::move(result));
}

}  // namespace relayopt
