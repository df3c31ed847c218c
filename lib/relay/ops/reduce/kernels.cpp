// Kernels of the reductions along axes.
#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/reduce.h"

#include <algorithm>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/rows.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Returns the axes that are reduced, ascending; see ReducedAxes in reduce.h, which has checked them.
auto AxesOf(const DimList& given, bool exclude, size_t rank) -> std::vector<size_t> {
  std::vector<bool> reduced(rank, given.null || given.empty());
  for (const int64_t entry : Numbers(given)) {
    if (const auto axis = NormalizeAxis(entry, rank)) reduced[*axis] = true;
  }
  if (exclude && !given.null && !given.empty()) reduced.flip();
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (reduced[axis]) axes.push_back(axis);
  }
  return axes;
}

// Computes element i of the result as reduce(row i, length of the rows).
template <typename A, typename Visit, typename Reduce>
auto ReduceRows(KernelContext& kernel, Visit visit, Reduce reduce) -> KernelStatus {
  const auto* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Rows rows(data, AxesOf(attrs->axis, attrs->exclude, data.rank()));
  Tensor result = kernel.NewResult();
  const KernelStatus status = visit(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < rows.count(); ++i) reduce(rows.row<T>(i), rows.length(), result, i);
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

constexpr auto kAll = [](KernelContext& kernel, DataType dtype, auto visit) { return VisitAll(kernel, dtype, visit); };
constexpr auto kNumbers = [](KernelContext& kernel, DataType dtype, auto visit) {
  return VisitNumbers(kernel, dtype, visit);
};
constexpr auto kBools = [](KernelContext& kernel, DataType dtype, auto visit) {
  if (!dtype.is_bool()) return kernel.Error("there is no kernel for {}", ToString(dtype));
  return visit(ElementTag<Bool>());
};

// Computes combine(combine(combine(start, x0), x1), ...) with `start(tag)` of the element type.
template <typename Visit, typename Start, typename Combine>
auto Fold(KernelContext& kernel, Visit visit, Start start, Combine combine) -> KernelStatus {
  return ReduceRows<ReduceAttrs>(kernel, visit, [&](auto* row, int64_t count, Tensor& result, int64_t i) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(row)>>;
    T sum = start(ElementTag<T>());
    for (int64_t k = 0; k < count; ++k) sum = combine(sum, row[k]);
    result.mutable_data<T>()[i] = sum;
  });
}

template <typename T>
auto Larger(T a, T b) -> bool {
  return static_cast<Compute<T>>(a) > static_cast<Compute<T>>(b);
}
template <typename T>
auto Same(T a, T b) -> bool {
  return static_cast<Compute<T>>(a) == static_cast<Compute<T>>(b);
}

// Returns the position of the largest (or smallest) element of each row. The search starts from position -1 with the
// least finite number, which takes part: so a row without a larger number gives -1, and a NaN is replaced by whatever
// follows.
template <typename Better>
auto ArgReduce(KernelContext& kernel, bool largest, Better better) -> KernelStatus {
  const bool last =
      kernel.attrs_if<ArgReduceAttrs>() != nullptr && kernel.attrs_if<ArgReduceAttrs>()->select_last_index;
  const bool wide = kernel.result_type().dtype.bits == 64;
  return ReduceRows<ArgReduceAttrs>(kernel, kNumbers, [&](auto* row, int64_t count, Tensor& result, int64_t i) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(row)>>;
    int64_t best = -1;
    // TVM 0.15 gives -1, later versions what the memory holds.
    if (count == 0) kernel.MarkUndefined("the place of an extreme of no numbers");
    T value = largest ? Lowest<T>() : Greatest<T>();
    for (int64_t k = 0; k < count; ++k) {
      const bool keeps = better(value, row[k]) || (!last && Same(value, row[k]));
      if (keeps) continue;
      best = k;
      value = row[k];
    }
    // Other systems give the first position.
    if (best < 0 && count > 0) kernel.MarkUndefined("the place of an extreme where no number is beyond the type's end");
    if (wide)
      result.mutable_data<int64_t>()[i] = best;
    else
      result.mutable_data<int32_t>()[i] = static_cast<int32_t>(best);
  });
}

// Returns the sum of a row in type S, one element after the other. Long rows of floats are summed in blocks, whose sums
// are added in double: a float that has grown large loses what is added to it.
template <typename S, typename T>
auto SumOfRow(const T* row, int64_t count) -> S {
  constexpr int64_t kBlock = 4096;
  const auto sum_of = [row](int64_t begin, int64_t end) {
    S sum(0);
    for (int64_t k = begin; k < end; ++k) sum = Plus(sum, S(row[k]));
    return sum;
  };
  if constexpr (std::is_same_v<S, float>) {
    double sum = 0;
    for (int64_t k = 0; k < count; k += kBlock) sum += double{sum_of(k, std::min(k + kBlock, count))};
    return static_cast<float>(sum);
  }
  return sum_of(0, count);
}

// The type in which means are computed: float for float16.
template <typename T>
using MeanType = std::conditional_t<std::is_same_v<T, Half>, float, T>;

// Adds up the elements of `data` that broadcasting a tensor of the result's shape would have made from one.
auto CollapseSum(KernelContext& kernel, std::vector<int64_t> shape) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (!BroadcastsTo(shape, data.shape())) return kernel.Error("the shape of the result does not broadcast to the data");
  if (!kernel.Fits(shape, data.dtype())) return kernel.Failed();
  Tensor result(data.dtype(), shape);
  const KernelStatus status = VisitAll(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    ForEachElement<1>(
        data.shape(), {BroadcastStrides(shape, data.shape())}, {0},
        [&](int64_t i, const std::array<int64_t, 1>& at) { to[at[0]] = Plus(to[at[0]], data.data<T>()[i]); });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace

auto AllKernel(KernelContext& kernel) -> KernelStatus {
  return Fold(
      kernel, kBools, [](auto) { return Bool(true); }, [](Bool a, Bool b) { return Bool(a && b); });
}
auto AnyKernel(KernelContext& kernel) -> KernelStatus {
  return Fold(
      kernel, kBools, [](auto) { return Bool(false); }, [](Bool a, Bool b) { return Bool(a || b); });
}
auto SumKernel(KernelContext& kernel) -> KernelStatus {
  return ReduceRows<ReduceAttrs>(kernel, kAll, [&](auto* row, int64_t count, Tensor& result, int64_t i) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(row)>>;
    result.mutable_data<T>()[i] = SumOfRow<T>(row, count);
  });
}
auto ProdKernel(KernelContext& kernel) -> KernelStatus {
  return Fold(
      kernel, kAll, [](auto tag) { return typename decltype(tag)::type(1); },
      [](auto a, auto b) { return Times(a, b); });
}
auto MaxKernel(KernelContext& kernel) -> KernelStatus {
  return Fold(
      kernel, kAll, [](auto tag) { return Lowest<typename decltype(tag)::type>(); },
      [](auto a, auto b) { return Larger(a, b) ? a : b; });
}
auto MinKernel(KernelContext& kernel) -> KernelStatus {
  return Fold(
      kernel, kAll, [](auto tag) { return Greatest<typename decltype(tag)::type>(); },
      [](auto a, auto b) { return Larger(b, a) ? a : b; });
}

auto ArgmaxKernel(KernelContext& kernel) -> KernelStatus {
  return ArgReduce(kernel, true, [](auto value, auto x) { return Larger(value, x); });
}
auto ArgminKernel(KernelContext& kernel) -> KernelStatus {
  return ArgReduce(kernel, false, [](auto value, auto x) { return Larger(x, value); });
}

auto MeanKernel(KernelContext& kernel) -> KernelStatus {
  return ReduceRows<ReduceAttrs>(kernel, kNumbers, [&](auto* row, int64_t count, Tensor& result, int64_t i) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(row)>>;
    using M = MeanType<T>;
    const M sum = SumOfRow<M>(row, count);
    // The mean of an empty set of integers is undefined.
    if (!kIsFloat<T> && count == 0) return kernel.MarkUndefined("the mean of no integers");
    result.mutable_data<T>()[i] = T(Compute<M>(Quotient(sum, count)));
  });
}

auto VarianceKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<VarianceAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& mean = kernel.input(1);
  bool fits = mean.dtype() == data.dtype() && mean.rank() == data.rank();
  for (size_t i = 0; fits && i < data.rank(); ++i) fits = mean.extent(i) == 1 || mean.extent(i) == data.extent(i);
  if (!fits) return kernel.Error("the mean does not broadcast to the data");

  Tensor squares(data.dtype(), ShapeOf(data));
  const KernelStatus squared = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = squares.mutable_data<T>();
    ForEachElement<1>(data.shape(), {BroadcastStrides(mean.shape(), data.shape())}, {0},
                      [&](int64_t i, const std::array<int64_t, 1>& at) {
                        const T difference = Minus(data.data<T>()[i], mean.data<T>()[at[0]]);
                        to[i] = Times(difference, difference);
                      });
    return KernelStatus::kDone;
  });
  if (squared != KernelStatus::kDone) return squared;
  const Rows rows(squares, AxesOf(attrs->axis, attrs->exclude, data.rank()));
  const int64_t count = rows.length() - (attrs->unbiased ? 1 : 0);
  if (count <= 0 && !data.dtype().is_float()) return kernel.Error("division by zero");
  Tensor result = kernel.NewResult();
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = MeanType<T>;
    for (int64_t i = 0; i < rows.count(); ++i) {
      const M sum = SumOfRow<M>(rows.row<T>(i), rows.length());
      result.mutable_data<T>()[i] = T(Compute<M>(Quotient(sum, count)));
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

auto CollapseSumLikeKernel(KernelContext& kernel) -> KernelStatus {
  return CollapseSum(kernel, ShapeOf(kernel.input(1)));
}
auto CollapseSumToKernel(KernelContext& kernel) -> KernelStatus {
  // A shape attribute takes precedence over the operand, as in the type rule.
  const Type& type = kernel.result_type();
  const bool is_known = AllKnown(type.shape);
  return CollapseSum(kernel, is_known ? KernelContext::Extents(type) : Integers(kernel.input(1)));
}

}  // namespace relayopt
