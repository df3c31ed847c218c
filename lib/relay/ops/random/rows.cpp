// Type rules and rows of the random number operators.
#include "relayopt/relay/ops/random.h"

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction MultinomialKernel, NormalKernel, ThreefryGenerateKernel, ThreefrySplitKernel, UniformKernel;

namespace {

// Returns the state of a generator: key, path and counter in words of 64 bits.
auto KeyType(RuleContext& rule) -> TypeId { return rule.context().Tensor({10}, DataType::UInt(64)); }

// Result: the advanced key, and numbers of a given shape.
auto DoneWithKey(RuleContext& rule, Shape shape, DataType dtype) -> RuleStatus {
  return rule.DoneTuple(std::array{KeyType(rule), rule.context().Tensor(shape, dtype)});
}

auto ThreefryGenerate(RuleContext& rule, const ThreefryGenerateAttrs& attrs) -> RuleStatus {
  const auto shape = ShapeOf(rule, "out_shape", attrs.out_shape);
  if (!shape || !rule.AssignInput(0, KeyType(rule))) return RuleStatus::kFailed;
  return DoneWithKey(rule, *shape, DataType::UInt(64));
}

// Checks that both parameters are scalars of the result's type.
template <typename A>
auto Distribution(RuleContext& rule, const A& attrs) -> RuleStatus {
  if (!NeedElementType(rule, "out_dtype", attrs.out_dtype, {DataType::Float(32), DataType::Float(64)})) {
    return RuleStatus::kFailed;
  }
  const auto shape = ShapeOf(rule, "out_shape", attrs.out_shape);
  if (!shape || !rule.AssignInput(0, KeyType(rule))) return RuleStatus::kFailed;
  for (const size_t i : {1, 2}) {
    if (!rule.AssignInput(i, Shape(), attrs.out_dtype)) return RuleStatus::kFailed;
  }
  return DoneWithKey(rule, *shape, attrs.out_dtype);
}

auto Multinomial(RuleContext& rule, const MultinomialAttrs& attrs) -> RuleStatus {
  if (!rule.AssignInput(0, KeyType(rule))) return RuleStatus::kFailed;
  if (const auto status = rule.NeedTensors(1, 2)) return *status;
  const Shape probs = rule.type(1).shape;
  if (probs.empty()) return rule.ErrorAt(1, "random.multinomial: probs must have an axis, found a scalar");
  std::vector<Dim> shape(probs.begin(), probs.end());
  shape.back() = attrs.num_samples;
  if (const auto status = CheckExtents(rule, shape)) return *status;
  return DoneWithKey(rule, shape, DataType::Int(32));
}

auto MultinomialRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Multinomial); }
auto NormalRule(RuleContext& rule) -> RuleStatus { return WithAttrs<NormalAttrs>(rule, Distribution); }
auto ThreefryGenerateRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ThreefryGenerate); }
auto UniformRule(RuleContext& rule) -> RuleStatus { return WithAttrs<UniformAttrs>(rule, Distribution); }

auto ThreefrySplitRule(RuleContext& rule) -> RuleStatus {
  if (!rule.AssignInput(0, KeyType(rule))) return RuleStatus::kFailed;
  return rule.DoneTuple(std::array{KeyType(rule), KeyType(rule)});
}

}  // namespace

constinit const OpRows<OpFamily::kRandom> kRandomOps = NumberedRows<OpFamily::kRandom>({
    {.name = "random.multinomial",
     .inputs = "key, probs",
     .attrs = &kSchema<MultinomialAttrs>,
     .type = MultinomialRule,
     .kernel = MultinomialKernel,
     .fusion = Fusion::kOpaque,
     .doc = "positions drawn with the given probabilities"},
    {.name = "random.normal",
     .inputs = "key, mean, scale",
     .attrs = &kSchema<NormalAttrs>,
     .type = NormalRule,
     .kernel = NormalKernel,
     .fusion = Fusion::kOpaque,
     .doc = "normally distributed numbers"},
    {.name = "random.threefry_generate",
     .inputs = "key",
     .attrs = &kSchema<ThreefryGenerateAttrs>,
     .type = ThreefryGenerateRule,
     .kernel = ThreefryGenerateKernel,
     .fusion = Fusion::kOpaque,
     .doc = "random words"},
    {.name = "random.threefry_split",
     .inputs = "key",
     .type = ThreefrySplitRule,
     .kernel = ThreefrySplitKernel,
     .fusion = Fusion::kOpaque,
     .doc = "two independent keys from one"},
    {.name = "random.uniform",
     .inputs = "key, low, high",
     .attrs = &kSchema<UniformAttrs>,
     .type = UniformRule,
     .kernel = UniformKernel,
     .fusion = Fusion::kOpaque,
     .doc = "numbers distributed evenly between two bounds"},
});

}  // namespace relayopt
