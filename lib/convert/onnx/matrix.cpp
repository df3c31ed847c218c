// Matrix products.
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "relayopt/core/extents.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// Keeps the last `rank` axes and joins all others into one in front.
auto ToRank(Emitter& em, ExprId x, ExprId shape, int64_t rank) -> ExprId {
  const int64_t from = em.rank(x);
  if (from == rank) return x;
  const ExprId last = SliceInts(em, shape, {from - rank + 1}, {from}, {1});
  return ReshapeBy(em, x, Concat(em, {em.Vector({-1}), last}, 0));
}

// The product of matrices of which some have no elements; nothing if that is not known. Relay's reshape infers no
// extent of them.
auto ProductOfNothing(Emitter& em, ExprId a, ExprId b, DataType out) -> std::optional<ExprId> {
  const auto left = em.StaticShape(a);
  const auto right = em.StaticShape(b);
  if (!left || !right || (Product(*left) != 0 && Product(*right) != 0)) return std::nullopt;
  if ((*left)[left->size() - 1] != (*right)[right->size() - 2]) return std::nullopt;
  Ints shape(std::max(left->size(), right->size()) - 2, 1);
  for (const Ints* each : {&*left, &*right}) {
    const size_t front = shape.size() + 2 - each->size();
    for (size_t i = 0; i + 2 < each->size(); ++i) {
      int64_t& extent = shape[front + i];
      if (extent != 1 && (*each)[i] != 1 && extent != (*each)[i]) return std::nullopt;
      if (extent == 1) extent = (*each)[i];
    }
  }
  shape.insert(shape.end(), {(*left)[left->size() - 2], right->back()});
  return Zeros(em, em.Vector(shape), out);
}

auto BatchedMatMul(Node& n, ExprId a, ExprId b, DataType out) -> ExprId {
  Emitter& em = n.em();
  if (const auto nothing = ProductOfNothing(em, a, b, out)) return *nothing;
  const int64_t ra = em.rank(a);
  const int64_t rb = em.rank(b);
  const ExprId sa = em.ShapeOf(a);
  const ExprId sb = em.ShapeOf(b);
  const int64_t rank = std::max(ra, rb);
  const auto padded = [&](ExprId shape, int64_t by) {
    return by == 0 ? shape : Concat(em, {em.Vector(Ints(static_cast<size_t>(by), 1)), shape}, 0);
  };
  const ExprId pa = padded(sa, rank - ra);
  const ExprId pb = padded(sb, rank - rb);
  Exprs batches;
  for (int64_t i = 0; i < rank - 2; ++i) {
    const ExprId left = SliceInts(em, pa, {i}, {i + 1}, {1});
    const ExprId right = SliceInts(em, pb, {i}, {i + 1}, {1});
    // Of 1 and 0 the smaller one is that of the result.
    const bool left_is_empty = i >= rank - ra && em.Extent(a, i - rank + ra) == 0;
    const bool right_is_empty = i >= rank - rb && em.Extent(b, i - rank + rb) == 0;
    batches.push_back(left_is_empty ? left : right_is_empty ? right : Maximum(em, right, left));
  }
  const ExprId batch = Concat(em, batches, 0);
  ExprId product;
  if (rb == 2 && em.StaticShape(b)) {
    product = Dense(em, ToRank(em, a, sa, 2), em.Call("transpose"_op, {b}), Dim::Null(), out);
  } else {
    const auto broadcast = [&](ExprId x, ExprId shape, int64_t r) {
      const ExprId wanted = Concat(em, {batch, SliceInts(em, shape, {r - 2}, {r}, {1})}, 0);
      const auto known = em.IntsOf(wanted);
      const auto has = em.IntsOf(shape);
      return known && has && *known == *has ? x : BroadcastTo(em, x, wanted);
    };
    ExprId left = broadcast(a, sa, ra);
    left = ToRank(em, left, em.ShapeOf(left), 3);
    ExprId right = broadcast(b, sb, rb);
    right = ToRank(em, right, em.ShapeOf(right), 3);
    const bool transposed = n.importer().options().transposed_batch_matmul;
    if (transposed) right = Transpose(em, right, {0, 2, 1});
    product = em.Call("nn.batch_matmul"_op, {left, right}, {{"out_dtype", out}, {"transpose_b", transposed}});
  }
  const ExprId rows = SliceInts(em, sa, {ra - 2}, {ra - 1}, {1});
  const ExprId columns = SliceInts(em, sb, {rb - 1}, {rb}, {1});
  return ReshapeBy(em, product, Concat(em, {batch, rows, columns}, 0));
}

auto Product2D(Node& n, ExprId a, ExprId b, DataType out) -> ExprId {
  Emitter& em = n.em();
  const int64_t ra = em.rank(a);
  const int64_t rb = em.rank(b);
  if (ra == 0 || rb == 0) return n.Fail("a scalar cannot be multiplied as a matrix");
  if (ra > 2 || rb > 2) {
    // A vector gets the axis that it lacks, which is taken away again.
    ExprId product = BatchedMatMul(n, ra == 1 ? ExpandDims(em, a, 0) : a, rb == 1 ? ExpandDims(em, b, 1) : b, out);
    if (ra == 1) product = Squeeze(em, product, {-2});
    if (rb == 1) product = Squeeze(em, product, {-1});
    return product;
  }
  if (ra == 1 || rb == 1) {
    Ints axes;
    if (ra == 1) axes.push_back(0);
    if (rb == 1) axes.push_back(-1);
    const ExprId left = ra == 1 ? ExpandDims(em, a, 0) : a;
    const ExprId right = rb == 1 ? ExpandDims(em, b, 1) : b;
    return Squeeze(em, em.Call("nn.matmul"_op, {left, right}), axes);
  }
  return Dense(em, a, Transpose(em, b, {1, 0}), Dim::Null(), out);
}

auto ConvertMatMul(Node& n) -> Results { return MatMul(n, n.in(0), n.in(1)); }

auto ConvertMatMulInteger16(Node& n) -> Results {
  Emitter& em = n.em();
  const bool is_unsigned = em.dtype(n.in(0)).is_uint() && em.dtype(n.in(1)).is_uint();
  return Product2D(n, n.in(0), n.in(1), is_unsigned ? DataType::UInt(32) : DataType::Int(32));
}

auto ConvertGemm(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId a = n.in(0);
  ExprId b = n.in(1);
  const bool is_transposed = n.Flag("transB");
  if (em.rank(b) != 2) return n.Fail("B has rank {} instead of 2", em.rank(b));
  const Dim units = em.dims(b)[is_transposed ? 0 : 1];
  if (n.Flag("transA")) a = Transpose(em, a, {1, 0});
  if (!is_transposed) b = Transpose(em, b, {1, 0});
  if (em.rank(a) != 2) a = em.Call("nn.batch_flatten"_op, {a});
  const DataType dtype = em.dtype(a);
  const double alpha = n.Float("alpha");
  const double beta = n.Float("beta");
  if (alpha != 1) a = Mul(em, a, em.Scalar(dtype, alpha));
  const ExprId product = Dense(em, a, b, units);
  if (!n.has(2)) return product;
  ExprId c = n.in(2);
  if (beta != 1) c = Mul(em, em.Scalar(dtype, beta), c);
  return Add(em, product, c);
}

auto ConvertFC(Node& n) -> Results {
  const ExprId product = Dense(n.em(), n.in(0), n.in(1));
  return n.has(2) ? Add(n.em(), product, n.in(2)) : product;
}

// Returns the determinant by the sum over permutations; its matrices are small.
auto ConvertDet(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  constexpr int64_t kLargest = 6;
  const int64_t size = n.NeedExtent(x, rank - 1, "the matrices");
  if (n.failed()) return {};
  if (rank < 2 || size > kLargest || size < 1)
    return n.Fail("determinants of matrices larger than {} by {} are not supported", kLargest, kLargest);
  const auto element = [&](int64_t row, int64_t column) {
    const ExprId slice = Take(em, x, em.Scalar(DataType::Int(64), row), rank - 2);
    return Take(em, slice, em.Scalar(DataType::Int(64), column), rank - 2);
  };
  Ints permutation = Iota(size);
  ExprId sum;
  do {
    int inversions = 0;
    for (size_t i = 0; i < permutation.size(); ++i) {
      for (size_t k = i + 1; k < permutation.size(); ++k) inversions += permutation[i] > permutation[k] ? 1 : 0;
    }
    ExprId product = element(0, permutation[0]);
    for (int64_t row = 1; row < size; ++row)
      product = Mul(em, product, element(row, permutation[static_cast<size_t>(row)]));
    if (!sum)
      sum = product;
    else
      sum = inversions % 2 == 0 ? Add(em, sum, product) : Sub(em, sum, product);
  } while (std::ranges::next_permutation(permutation).found);
  return sum;
}

constexpr OpRow kMatrixRows[] = {
    OpRow("MatMul", "1 9 13", "A, B", "", ConvertMatMul).WithShapes("A[... m k], B[... k n] -> Y[... m n]").ByTypes(),
    OpRow("Gemm", "1 6 7 9 11 13", "A, B, C?",
          "float alpha = 1; float beta = 1; int transA = 0; int transB = 0; int broadcast = 0", ConvertGemm)
        .ByTypes(),
    {"Det", "11", "X", "", ConvertDet},
    {"FC", "1", "X, W, B?", "int axis; int axis_w", ConvertFC},
    {"com.microsoft::MatMulInteger16", "1", "A, B", "", ConvertMatMulInteger16},
};

}  // namespace

auto MatMul(Node& n, ExprId a, ExprId b) -> ExprId { return Product2D(n, a, b, n.em().dtype(a)); }

auto MatrixRows() -> std::span<const OpRow> { return kMatrixRows; }

}  // namespace relayopt::onnx
