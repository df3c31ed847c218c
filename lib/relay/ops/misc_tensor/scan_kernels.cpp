// Kernels of scans, ranges and other operators that count positions.
#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/rows.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

enum class ScanKind : uint8_t { kSum, kProduct };

auto Scan(KernelContext& kernel, ScanKind kind) -> KernelStatus {
  const auto* attrs = AttrsOf<ScanopAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& given = kernel.input(0);
  const bool flat = attrs->axis.is_null();
  const Tensor data = flat ? given.Reshaped({given.size()}) : given;
  const auto axis = NormalizeAxis(flat || !attrs->axis.is_int() ? 0 : attrs->axis.value(), data.rank());
  if (!axis) return kernel.Error("the axis is out of range");
  const auto cast = Converted(kernel, data, kernel.result_type().dtype);
  if (!cast) return kernel.Failed();
  const bool exclusive = attrs->exclusive.is_int() && attrs->exclusive.value() != 0;
  const Rows rows(*cast, {*axis});
  Tensor result(cast->dtype(), ShapeOf(rows.data()));
  const KernelStatus status = VisitNumbers(kernel, cast->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < rows.count(); ++i) {
      T total = kind == ScanKind::kSum ? T(0) : T(1);
      for (int64_t k = 0; k < rows.length(); ++k) {
        const T x = rows.row<T>(i)[k];
        const T next = kind == ScanKind::kSum ? Plus(total, x) : Times(total, x);
        *to++ = exclusive ? total : next;
        total = next;
      }
    }
    return KernelStatus::kDone;
  });
  return status == KernelStatus::kDone ? kernel.Return(rows.Restored(result)) : status;
}

// The positions of the distinct elements of a vector.
struct Distinct {
  // Position of the first occurrence of each distinct element, in the order of the result.
  std::vector<int64_t> first;
  // Which distinct element each element is, and how often each occurs.
  std::vector<int64_t> inverse;
  std::vector<int64_t> counts;
};

template <typename T>
auto FindDistinct(std::span<const T> data, bool sorted) -> Distinct {
  using C = Compute<T>;
  // NaN is sorted last, and every NaN counts as a distinct value.
  const auto less = [&](int64_t a, int64_t b) {
    return IsLess(data[static_cast<size_t>(a)], data[static_cast<size_t>(b)]);
  };
  std::vector<int64_t> order = Iota(static_cast<int64_t>(data.size()));
  std::stable_sort(order.begin(), order.end(), less);
  Distinct distinct;
  distinct.inverse.resize(data.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto at = static_cast<size_t>(order[i]);
    const bool same = i > 0 && static_cast<C>(data[at]) == static_cast<C>(data[static_cast<size_t>(order[i - 1])]);
    if (!same) {
      distinct.first.push_back(order[i]);
      distinct.counts.push_back(0);
    }
    distinct.inverse[at] = static_cast<int64_t>(distinct.first.size()) - 1;
    ++distinct.counts.back();
  }
  if (sorted) return distinct;
  // In the order of the first occurrences.
  std::vector<int64_t> rank = Iota(static_cast<int64_t>(distinct.first.size()));
  std::sort(rank.begin(), rank.end(), [&](int64_t a, int64_t b) {
    return distinct.first[static_cast<size_t>(a)] < distinct.first[static_cast<size_t>(b)];
  });
  Distinct ordered;
  std::vector<int64_t> place(rank.size());
  for (size_t i = 0; i < rank.size(); ++i) {
    const auto old = static_cast<size_t>(rank[i]);
    place[old] = static_cast<int64_t>(i);
    ordered.first.push_back(distinct.first[old]);
    ordered.counts.push_back(distinct.counts[old]);
  }
  for (const int64_t old : distinct.inverse) ordered.inverse.push_back(place[static_cast<size_t>(old)]);
  return ordered;
}

// Returns a vector of `size` int32 numbers: the given ones, then `rest`.
auto Int32Vector(const std::vector<int64_t>& numbers, int64_t size, int64_t rest) -> Tensor {
  Tensor tensor(DataType::Int(32), {size});
  auto* to = tensor.mutable_data<int32_t>();
  for (int64_t i = 0; i < size; ++i) {
    const bool given = i < static_cast<int64_t>(numbers.size());
    to[i] = static_cast<int32_t>(given ? numbers[static_cast<size_t>(i)] : rest);
  }
  return tensor;
}

}  // namespace

auto CumsumKernel(KernelContext& kernel) -> KernelStatus { return Scan(kernel, ScanKind::kSum); }
auto CumprodKernel(KernelContext& kernel) -> KernelStatus { return Scan(kernel, ScanKind::kProduct); }

auto UniqueKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<UniqueAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  Distinct distinct;
  const KernelStatus status = VisitAll(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    distinct = FindDistinct(data.elements<T>(), attrs->sorted);
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  const int64_t size = data.size();
  const auto count = static_cast<int64_t>(distinct.first.size());
  // The elements after the distinct ones are undefined in TVM; they are 0 here.
  Tensor values(data.dtype(), {size});
  for (int64_t i = 0; i < count; ++i) CopyElements(data, distinct.first[static_cast<size_t>(i)], values, i, 1);
  std::vector<Tensor> results = {std::move(values), Int32Vector(distinct.first, size, size),
                                 Int32Vector(distinct.inverse, size, 0), Int32Vector({count}, 1, 0)};
  if (attrs->return_counts) results.push_back(Int32Vector(distinct.counts, size, 0));
  return kernel.ReturnTuple(std::move(results));
}

auto InvertPermutationKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> permutation = Integers(data);
  std::vector<bool> seen(permutation.size(), false);
  Tensor wide(DataType::Int(64), ShapeOf(data));
  auto* to = wide.mutable_data<int64_t>();
  for (size_t i = 0; i < permutation.size(); ++i) {
    const int64_t at = permutation[i];
    if (at < 0 || at >= data.size() || seen[static_cast<size_t>(at)])
      return kernel.Error("the data is not a permutation");
    seen[static_cast<size_t>(at)] = true;
    to[at] = static_cast<int64_t>(i);
  }
  auto result = Converted(kernel, wide, data.dtype());
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto ArangeKernel(KernelContext& kernel) -> KernelStatus {
  const DataType dtype = kernel.result_type().dtype;
  const auto start = Converted(kernel, kernel.input(0), DataType::Float(64));
  const auto stop = Converted(kernel, kernel.input(1), DataType::Float(64));
  const auto step = Converted(kernel, kernel.input(2), DataType::Float(64));
  if (!start || !stop || !step || start->size() != 1 || stop->size() != 1 || step->size() != 1) {
    return kernel.Error("the bounds must be numbers");
  }
  const double by = step->data<double>()[0];
  const double numbers = std::ceil((stop->data<double>()[0] - start->data<double>()[0]) / by);
  if (by == 0 || !(numbers < 1e15)) return kernel.Error("the range does not end");
  const auto count = static_cast<int64_t>(std::max(numbers, 0.0));
  if (!kernel.Fits(std::vector<int64_t>{count}, dtype)) return kernel.Failed();
  const auto first = Converted(kernel, kernel.input(0), dtype);
  const auto difference = Converted(kernel, kernel.input(2), dtype);
  if (!first || !difference) return kernel.Failed();
  Tensor result(dtype, {count});
  const KernelStatus status = VisitNumbers(kernel, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < count; ++i) to[i] = Plus(first->data<T>()[0], Times(difference->data<T>()[0], As<T>(i)));
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

namespace {

auto OneHot(KernelContext& kernel, int64_t depth) -> KernelStatus {
  const auto* attrs = AttrsOf<OneHotAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& given = kernel.input(0);
  const auto wide = Converted(kernel, given, DataType::Int(64));
  if (!wide) return kernel.Failed();
  const auto rank = static_cast<int64_t>(given.rank());
  const int64_t axis = attrs->axis == -1 ? rank : attrs->axis;
  if (axis < 0 || axis > rank) return kernel.Error("axis {} is out of range", attrs->axis);
  std::vector<int64_t> shape = ShapeOf(given);
  shape.insert(shape.begin() + axis, depth);
  const DataType dtype = kernel.result_type().dtype;
  if (!kernel.Fits(shape, dtype)) return kernel.Failed();
  const auto on = Converted(kernel, kernel.input(1), dtype);
  const auto off = on ? Converted(kernel, kernel.input(2), dtype) : std::nullopt;
  if (!off || on->size() != 1 || off->size() != 1) return kernel.Error("the values must be single numbers");
  Tensor result(dtype, shape);
  const AxisView view = ViewAxis(shape, static_cast<size_t>(axis));
  const auto* indices = wide->data<int64_t>();
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t at = i / view.inner % view.extent;
    const int64_t index = indices[i / view.inner / view.extent * view.inner + i % view.inner];
    CopyElements(index == at ? *on : *off, 0, result, i, 1);
  }
  return kernel.Return(std::move(result));
}

}  // namespace

auto OneHotKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<OneHotAttrs>(kernel);
  return attrs == nullptr ? kernel.Failed() : OneHot(kernel, attrs->depth);
}
auto DynOneHotKernel(KernelContext& kernel) -> KernelStatus {
  const std::vector<int64_t> depth = Integers(kernel.input(3));
  return depth.empty() ? kernel.Error("depth must be a number") : OneHot(kernel, depth[0]);
}

auto TriluKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<TriluAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto diagonal = Converted(kernel, kernel.input(1), DataType::Int(64));
  if (data.rank() < 2) return kernel.Error("data must have at least two axes, found {}", data.rank());
  if (!diagonal || diagonal->size() != 1) return kernel.Error("k must be one number");
  const int64_t k = diagonal->data<int64_t>()[0];
  const int64_t rows = data.extent(data.rank() - 2);
  const int64_t columns = data.extent(data.rank() - 1);
  Tensor result = kernel.NewResult();
  for (int64_t i = 0; i < data.size(); ++i) {
    const int64_t distance = i % columns - i / columns % rows;
    if (attrs->upper ? distance >= k : distance <= k) CopyElements(data, i, result, i, 1);
  }
  return kernel.Return(std::move(result));
}

auto MatrixSetDiagKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MatrixSetDiagAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& diagonal = kernel.input(1);
  const bool several = attrs->k1 != attrs->k2;
  if (data.rank() < 2 || diagonal.rank() < (several ? 2 : 1) || data.dtype() != diagonal.dtype()) {
    return kernel.Error("the diagonals do not match the data");
  }
  const int64_t rows = data.extent(data.rank() - 2);
  const int64_t columns = data.extent(data.rank() - 1);
  const int64_t length = diagonal.extent(diagonal.rank() - 1);
  const int64_t lines = several ? diagonal.extent(diagonal.rank() - 2) : 1;
  const int64_t matrices = Product(data.shape().first(data.rank() - 2));
  if (diagonal.size() != matrices * lines * length) return kernel.Error("the diagonals do not match the data");
  Tensor result = kernel.NewResult();
  for (int64_t i = 0; i < data.size(); ++i) {
    const int64_t row = i / columns % rows;
    const int64_t column = i % columns;
    const int64_t d = column - row;
    if (d < attrs->k1 || d > attrs->k2) {
      CopyElements(data, i, result, i, 1);
      continue;
    }
    const bool right = d >= 0 ? attrs->super_diag_right_align : attrs->sub_diag_right_align;
    const int64_t own = d >= 0 ? std::min(columns - d, rows) : std::min(columns, rows + d);
    const int64_t at = (d >= 0 ? row : column) + (several && right ? length - own : 0);
    const int64_t line = several ? attrs->k2 - d : 0;
    if (at < 0 || at >= length || line >= lines) return kernel.Error("the diagonals do not match the data");
    CopyElements(diagonal, (i / columns / rows * lines + line) * length + at, result, i, 1);
  }
  return kernel.Return(std::move(result));
}

auto MeshgridKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MeshgridAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto fields = kernel.tuple(0);
  std::vector<Tensor> results;
  for (size_t k = 0; k < fields.size(); ++k) {
    size_t axis = k;
    if (attrs->indexing == "xy" && k < 2 && fields.size() >= 2) axis = 1 - k;
    Tensor grid = kernel.NewResult(k);
    const AxisView view = ViewAxis(grid.shape(), axis);
    if (fields[k].size() != view.extent) return kernel.Error("the grid does not match the coordinates");
    for (int64_t i = 0; i < grid.size(); ++i) CopyElements(fields[k], i / view.inner % view.extent, grid, i, 1);
    results.push_back(std::move(grid));
  }
  return kernel.ReturnTuple(std::move(results));
}

}  // namespace relayopt
