// DivToMul: replaces division by a constant by multiplication with its inverse.
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Returns the inverses of elements of type T, or nothing if one has none that is finite.
template <typename T, typename Invert>
auto InvertElements(const Constant& constant, Invert&& invert) -> std::optional<Constant> {
  const ElementBytes elements = constant.Elements();
  std::vector<std::byte> inverses(elements.size());
  for (size_t offset = 0; offset < elements.size(); offset += sizeof(T)) {
    T element{};
    std::memcpy(&element, elements.data() + offset, sizeof element);
    const std::optional<T> inverse = invert(element);
    if (!inverse) return std::nullopt;
    std::memcpy(inverses.data() + offset, &*inverse, sizeof(T));
  }
  return Constant(constant.dtype(), {constant.shape().begin(), constant.shape().end()}, std::move(inverses));
}

// The inverse of zero and of the smallest denormals is infinite, which would turn a finite quotient into an infinite
// product.
template <typename T>
auto InverseOf(T element) -> std::optional<T> {
  const T inverse = T{1} / element;
  if (std::isinf(inverse)) return std::nullopt;
  return inverse;
}

auto Inverse(const Constant& constant) -> std::optional<Constant> {
  if (constant.dtype() == DataType::Float(64)) return InvertElements<double>(constant, InverseOf<double>);
  if (constant.dtype() == DataType::Float(32)) return InvertElements<float>(constant, InverseOf<float>);
  if (constant.dtype() != DataType::Float(16)) return std::nullopt;
  return InvertElements<uint16_t>(constant, [](uint16_t element) -> std::optional<uint16_t> {
    const auto inverse = InverseOf(HalfToFloat(element));
    if (!inverse) return std::nullopt;
    const uint16_t rounded = DoubleToHalf(*inverse);
    if (std::isinf(HalfToFloat(rounded))) return std::nullopt;
    return rounded;
  });
}

struct DivToMul {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
      if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "divide"_op) return ExprId();
      const ExprId divisor = function.operand(id, 1);
      if (function.kind(divisor) != ExprKind::kConstant) return ExprId();
      auto inverse = Inverse(function.constant(divisor));
      if (!inverse) return ExprId();
      FunctionBuilder& to = rebuild.to();
      const ExprId factor = to.Constant(function.context().AddConstant(*std::move(inverse)));
      to.SetType(factor, function.type(divisor));
      return EmitCall(to, "multiply"_op, {rebuild.New(function.operand(id, 0)), factor});
    });
  }
};

}  // namespace

constinit const PassDef kDivToMulPass = DescribePass<DivToMul>({
    .name = "DivToMul",
    .opt_level = 0,
    .required = "InferType,FoldConstant",
    .summary = "replaces division by a constant by multiplication by its inverse",
    .details = R"(A division of floats by a constant becomes a multiplication:

  divide(%x, 4f)      =>    multiply(%x, 0.25f)

The inverse of every element is rounded to the element type, so results may differ in the last bit. Left alone: integers,
constants with an element that is zero or so small that its inverse is infinite, divisors that are not constant.)",
    .exactness = Exactness::kApproximate,
    .idempotent = true,
});

}  // namespace relayopt
