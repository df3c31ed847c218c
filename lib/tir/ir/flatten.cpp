// Flattening buffers and the indices into them.
//
// An index is put together dimension by dimension, (i*16 + j)*8 + k. Where loops were split and fused before, a term x
// // 8 and its rest x % 8 are in different dimensions; when they meet they are x again:
//
//   A[x // 8, x % 8] of (4, 8)   ->   x // 8 * 8 + x % 8   ->   x
#include "relayopt/tir/ir/flatten.h"

#include <list>
#include <optional>
#include <utility>

#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

// A sum taken apart: products, remainders a % b, and the sum of all else (none if there is nothing else).
struct Addends {
  std::list<PrimExpr> products;
  std::list<std::pair<PrimExpr, PrimExpr>> remainders;
  PrimExpr rest;
};

struct InsertionResult {
  bool product = false;
  bool remainder = false;
};

auto AddTo(Terms& terms, PrimExpr sum, PrimExpr e) -> PrimExpr { return sum ? arith::Add(terms, sum, e) : e; }

auto Insert(Terms& terms, PrimExpr sum, Addends& addends) -> InsertionResult {
  InsertionResult inserted;
  std::vector<PrimExpr> stack = {sum};
  while (!stack.empty()) {
    const PrimExpr e = stack.back();
    stack.pop_back();
    switch (terms.kind(e)) {
      case PrimKind::kAdd:
        stack.push_back(terms.operand(e, 1));
        stack.push_back(terms.operand(e, 0));
        break;
      case PrimKind::kFloorMod:
        inserted.remainder = true;
        addends.remainders.emplace_back(terms.operand(e, 0), terms.operand(e, 1));
        break;
      case PrimKind::kMul:
        inserted.product = true;
        addends.products.push_back(e);
        break;
      default: addends.rest = AddTo(terms, addends.rest, e);
    }
  }
  return inserted;
}

// Merges product + a % b, where the product is (kept + q // (inner * outer) * inner) * outer with b = inner * outer and
// q = a modulo b, into kept * outer + q.
auto MergePair(arith::Analyzer& analyzer, PrimExpr product, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  Terms& terms = analyzer.terms();
  PrimExpr outer = terms.operand(product, 1);
  PrimExpr search = terms.operand(product, 0);
  while (terms.kind(search) == PrimKind::kMul) {
    outer = arith::Mul(terms, terms.operand(search, 1), outer);
    search = terms.operand(search, 0);
  }
  PrimExpr inner, kept;
  for (;;) {
    const auto operand = [&](size_t i) { return terms.operand(search, i); };
    switch (terms.kind(search)) {
      case PrimKind::kAdd:
        if (inner) return std::nullopt;
        kept = AddTo(terms, kept, operand(0));
        search = operand(1);
        break;
      case PrimKind::kMul:
        inner = inner ? arith::Mul(terms, operand(1), inner) : operand(1);
        search = operand(0);
        break;
      case PrimKind::kFloorDiv: {
        const PrimExpr divisor = inner ? arith::Mul(terms, inner, outer) : outer;
        if (divisor != operand(1) || divisor != b) return std::nullopt;
        const PrimExpr q = operand(0);
        const PrimExpr rest = arith::FloorMod(terms, arith::Sub(terms, q, a), b);
        if (!analyzer.CanProveEqual(rest, arith::MakeZero(terms, terms.dtype(rest)))) return std::nullopt;
        return kept ? arith::Add(terms, arith::Mul(terms, kept, outer), q) : q;
      }
      default: return std::nullopt;
    }
  }
}

// x where the term is x // y * y + x % y.
auto WholeOf(const Terms& terms, PrimExpr e) -> PrimExpr {
  if (terms.kind(e) != PrimKind::kAdd) return e;
  const PrimExpr product = terms.operand(e, 0);
  const PrimExpr rest = terms.operand(e, 1);
  if (terms.kind(product) != PrimKind::kMul || terms.kind(rest) != PrimKind::kFloorMod) return e;
  const PrimExpr quotient = terms.operand(product, 0);
  if (terms.kind(quotient) != PrimKind::kFloorDiv) return e;
  const PrimExpr x = terms.operand(rest, 0);
  const PrimExpr y = terms.operand(rest, 1);
  const bool same =
      terms.operand(quotient, 0) == x && terms.operand(quotient, 1) == y && terms.operand(product, 1) == y;
  return same ? x : e;
}

// Returns the sum with quotients and remainders that belong together merged, simplified.
auto MergeMulMod(arith::Analyzer& analyzer, PrimExpr sum) -> PrimExpr {
  Terms& terms = analyzer.terms();
  const PrimExpr simple = analyzer.Simplify(WholeOf(terms, sum));
  Addends addends;
  Insert(terms, simple, addends);
  bool merged = false;
  for (auto remainder = addends.remainders.begin(); remainder != addends.remainders.end();) {
    std::optional<PrimExpr> made;
    auto product = addends.products.begin();
    for (; product != addends.products.end(); ++product) {
      made = MergePair(analyzer, *product, remainder->first, remainder->second);
      if (made) break;
    }
    if (!made) {
      ++remainder;
      continue;
    }
    merged = true;
    remainder = addends.remainders.erase(remainder);
    addends.products.erase(product);
    const InsertionResult inserted = Insert(terms, *made, addends);
    // A new product may match terms that were tried before.
    if (inserted.product) {
      remainder = addends.remainders.begin();
    } else if (inserted.remainder && remainder == addends.remainders.end()) {
      --remainder;
    }
  }
  if (!merged) return simple;
  for (const PrimExpr product : addends.products) addends.rest = AddTo(terms, addends.rest, product);
  for (const auto& [a, b] : addends.remainders) {
    addends.rest = AddTo(terms, addends.rest, arith::FloorMod(terms, a, b));
  }
  return addends.rest;
}

// Calls visit(dimension, axis) for each dimension with the axis that it belongs to.
template <typename Visit>
void ForEachDimension(const Buffer& buffer, Visit&& visit) {
  size_t axis = 0;
  for (size_t i = 0; i < buffer.ndim(); ++i) {
    while (axis < buffer.axis_separators.size() && i == static_cast<size_t>(buffer.axis_separators[axis])) ++axis;
    visit(i, axis);
  }
}

}  // namespace

auto FlattenedBuffer(Tables& tables, BufferId id) -> BufferId {
  Terms& terms = tables.terms();
  const Buffer& buffer = tables.buffer(id);
  const size_t axes = buffer.axis_separators.size() + 1;
  if (axes == buffer.ndim() && buffer.strides.empty()) return id;
  Buffer made = buffer;
  made.shape.assign(axes, terms.Int32(1));
  made.strides.clear();
  made.axis_separators.clear();
  for (size_t i = 1; i < axes; ++i) made.axis_separators.push_back(static_cast<int32_t>(i));
  std::vector<bool> begun(axes, false);
  ForEachDimension(buffer, [&](size_t i, size_t axis) {
    if (buffer.strides.empty()) {
      made.shape[axis] = arith::Mul(terms, made.shape[axis], buffer.shape[i]);
    } else if (!begun[axis]) {
      made.shape[axis] = arith::Mul(terms, buffer.strides[i], buffer.shape[i]);
    }
    begun[axis] = true;
  });
  return tables.Add(std::move(made));
}

auto ElemOffset(arith::Analyzer& analyzer, const Buffer& buffer, std::span<const PrimExpr> indices)
    -> std::vector<PrimExpr> {
  Terms& terms = analyzer.terms();
  std::vector<PrimExpr> result(buffer.axis_separators.size() + 1, terms.Int32(0));
  ForEachDimension(buffer, [&](size_t i, size_t axis) {
    PrimExpr& at = result[axis];
    at = buffer.strides.empty() ? arith::Add(terms, arith::Mul(terms, at, buffer.shape[i]), indices[i])
                                : arith::Add(terms, at, arith::Mul(terms, indices[i], buffer.strides[i]));
    if (i > 0) at = MergeMulMod(analyzer, at);
  });
  if (!terms.IsInt(buffer.elem_offset, 0)) result.back() = arith::Add(terms, result.back(), buffer.elem_offset);
  for (PrimExpr& index : result) index = analyzer.Simplify(index);
  return result;
}

auto AllocationShape(Terms& terms, const Buffer& buffer) -> std::vector<PrimExpr> {
  std::vector<PrimExpr> shape = buffer.shape;
  for (size_t i = 1; i < buffer.strides.size(); ++i) {
    shape[i] = arith::TruncDiv(terms, buffer.strides[i - 1], buffer.strides[i]);
  }
  return shape;
}

void CountOffset(Terms& terms, Buffer& flat) {
  if (terms.IsInt(flat.elem_offset, 0) || flat.shape.empty()) return;
  flat.shape.back() = arith::Add(terms, flat.shape.back(), flat.elem_offset);
  flat.elem_offset = terms.IntImm(terms.dtype(flat.elem_offset), 0);
}

}  // namespace relayopt::tir
