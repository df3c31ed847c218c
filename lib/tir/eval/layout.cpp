// The layout of a buffer in memory, given the values of the variables in its fields.
#include "lib/tir/eval/layout.h"

#include "lib/tir/eval/arithmetic.h"
#include "relayopt/arith/walk.h"
#include "relayopt/core/extents.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

auto EvaluateIndex(const Terms& terms, PrimExpr expr, const Numbers& numbers) -> std::optional<int64_t> {
  absl::flat_hash_map<PrimExpr, uint64_t> values;
  for (const PrimExpr term : arith::PostOrder(terms, expr)) {
    const auto operands = terms.operands(term);
    const PrimKind kind = terms.kind(term);
    auto args = MapToVector<uint64_t>(operands, [&](PrimExpr operand) { return values[operand]; });
    uint64_t& value = values[term];
    if (kind == PrimKind::kIntImm) {
      value = static_cast<uint64_t>(terms.int_value(term));
    } else if (terms.is_var(term)) {
      const auto known = numbers.find(term);
      if (known == numbers.end()) return std::nullopt;
      value = static_cast<uint64_t>(known->second);
    } else if (!arith::IsInteger(terms.dtype(term)) || terms.lanes(term) != 1) {
      return std::nullopt;
    } else if (arith::IsArithmetic(kind)) {
      const int at = static_cast<int>(kind) - static_cast<int>(PrimKind::kAdd);
      const OpCode op = static_cast<OpCode>(static_cast<int>(OpCode::kAdd) + at);
      if (Operate(op, terms.dtype(term), &value, &args[0], &args[1]) != Arith::kFine) return std::nullopt;
    } else if (arith::IsComparison(kind)) {
      const int at = static_cast<int>(kind) - static_cast<int>(PrimKind::kEQ);
      Compare(static_cast<OpCode>(static_cast<int>(OpCode::kEQ) + at), terms.dtype(operands[0]), &value, &args[0],
              &args[1]);
    } else if (kind == PrimKind::kCast && arith::IsInteger(terms.dtype(operands[0]))) {
      Cast(terms.dtype(term), terms.dtype(operands[0]), &value, &args[0]);
    } else if (kind == PrimKind::kSelect || terms.IsCall(term, terms.ops().if_then_else)) {
      value = args[0] != 0 ? args[1] : args[2];
    } else {
      return std::nullopt;
    }
  }
  return static_cast<int64_t>(values[expr]);
}

auto Layout::num_elements() const -> int64_t { return Product(shape); }

auto LayoutOf(const Terms& terms, const Buffer& buffer, const Numbers& numbers) -> std::optional<Layout> {
  // The largest memory that is allocated.
  constexpr int64_t kMost = int64_t{1} << 40;
  Layout layout;
  int64_t product = 1;
  for (const PrimExpr extent : buffer.shape) {
    const auto value = EvaluateIndex(terms, extent, numbers);
    if (!value || *value < 0) return std::nullopt;
    layout.shape.push_back(*value);
    if (*value != 0 && product > kMost / *value) return std::nullopt;
    product *= *value;
  }
  layout.strides.resize(layout.shape.size());
  int64_t compact = 1;
  int64_t last = 0;
  for (size_t i = layout.shape.size(); i-- > 0;) {
    layout.strides[i] = compact;
    // A variable that nothing binds is the stride of compact memory.
    if (!buffer.strides.empty()) {
      const auto value = EvaluateIndex(terms, buffer.strides[i], numbers);
      if (!value && !terms.is_var(buffer.strides[i])) return std::nullopt;
      if (value && (*value < 0 || *value > kMost)) return std::nullopt;
      if (value) layout.strides[i] = *value;
    }
    layout.is_compact = layout.is_compact && layout.strides[i] == compact;
    if (layout.shape[i] > 1 && layout.strides[i] > kMost / layout.shape[i]) return std::nullopt;
    last += layout.strides[i] * (layout.shape[i] - 1);
    compact *= layout.shape[i];
  }
  const auto offset = EvaluateIndex(terms, buffer.elem_offset, numbers);
  if (!offset && !terms.is_var(buffer.elem_offset)) return std::nullopt;
  layout.offset = offset.value_or(0);
  if (layout.offset < 0 || layout.offset > kMost) return std::nullopt;
  layout.is_compact = layout.is_compact && layout.offset == 0;
  layout.count = (product == 0 ? 0 : layout.offset + last + 1) * buffer.dtype.lanes;
  return layout;
}

}  // namespace relayopt::tir
