// Kernels of sorting and searching.
#include "relayopt/relay/ops/sort.h"

#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/rows.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Returns the positions of each row's elements in sorted order; equal elements keep their order both ways.
auto SortedPositions(KernelContext& kernel, const Rows& rows, bool ascend) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> positions;
  positions.reserve(static_cast<size_t>(rows.data().size()));
  const KernelStatus status = VisitAll(kernel, rows.data().dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < rows.count(); ++i) {
      const T* row = rows.row<T>(i);
      std::vector<int64_t> order = Iota(rows.length());
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return ascend ? IsLess(row[a], row[b]) : IsLess(row[b], row[a]); });
      if constexpr (kIsFloat<T>) {
        for (int64_t k = 0; k < rows.length(); ++k) {
          if (std::isnan(static_cast<Compute<T>>(row[k]))) kernel.MarkUndefined("the place of NaN in an order");
        }
      }
      positions.insert(positions.end(), order.begin(), order.end());
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return positions;
}

// The first `kept` sorted elements of each row, or their positions, with the axis moved back.
struct SortedRows {
  Tensor values;
  Tensor positions;
};
auto SortRows(KernelContext& kernel, int64_t given_axis, bool ascend, std::optional<int64_t> kept, DataType dtype)
    -> std::optional<SortedRows> {
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(given_axis, data.rank());
  if (!axis) {
    kernel.Error("axis {} is out of range", given_axis);
    return std::nullopt;
  }
  const Rows rows(data, {*axis});
  const int64_t count = kept.value_or(rows.length());
  if (count > rows.length()) {
    kernel.Error("{} of {} elements are requested", count, rows.length());
    return std::nullopt;
  }
  const auto order = SortedPositions(kernel, rows, ascend);
  if (!order) return std::nullopt;
  std::vector<int64_t> shape = ShapeOf(rows.data());
  shape.back() = count;
  Tensor values(data.dtype(), shape);
  Tensor wide(DataType::Int(64), shape);
  auto* to = wide.mutable_data<int64_t>();
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t row = i / count;
    to[i] = (*order)[static_cast<size_t>(row * rows.length() + i % count)];
    CopyElements(rows.data(), row * rows.length() + to[i], values, i, 1);
  }
  const auto positions = Converted(kernel, wide, dtype.is_void() ? DataType::Int(32) : dtype);
  if (!positions) return std::nullopt;
  return SortedRows{rows.Restored(values), rows.Restored(*positions)};
}

auto Topk(KernelContext& kernel, const TopkAttrs& attrs, int64_t k) -> KernelStatus {
  auto sorted = SortRows(kernel, attrs.axis, attrs.is_ascend, k < 1 ? std::nullopt : std::optional(k), attrs.dtype);
  if (!sorted) return kernel.Failed();
  if (attrs.ret_type == "values") return kernel.Return(std::move(sorted->values));
  if (attrs.ret_type == "indices") return kernel.Return(std::move(sorted->positions));
  return kernel.ReturnTuple({std::move(sorted->values), std::move(sorted->positions)});
}

}  // namespace

auto SortKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ArgsortAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto sorted = SortRows(kernel, attrs->axis, attrs->is_ascend, std::nullopt, DataType::Int(64));
  return sorted ? kernel.Return(std::move(sorted->values)) : kernel.Failed();
}

auto ArgsortKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ArgsortAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto sorted = SortRows(kernel, attrs->axis, attrs->is_ascend, std::nullopt, attrs->dtype);
  return sorted ? kernel.Return(std::move(sorted->positions)) : kernel.Failed();
}

auto TopkKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<TopkAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return Topk(kernel, *attrs, attrs->k.is_int() ? attrs->k.value() : 0);
}

auto DynTopkKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<TopkAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const std::vector<int64_t> k = Integers(kernel.input(1));
  if (k.size() != 1) return kernel.Error("k must be a single number");
  return Topk(kernel, *attrs, k[0]);
}

auto SearchSortedKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SearchSortedAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& sequence = kernel.input(0);
  const Tensor& values = kernel.input(1);
  if (sequence.dtype() != values.dtype() || sequence.rank() == 0) return kernel.Error("the operands differ in type");
  const int64_t length = sequence.extent(sequence.rank() - 1);
  const int64_t per_row = sequence.rank() > 1 ? values.extent(values.rank() - 1) : values.size();
  if (sequence.rank() > 1 && per_row * Product(sequence.shape().first(sequence.rank() - 1)) != values.size()) {
    return kernel.Error("the rows of sequence and values differ");
  }
  Tensor wide(DataType::Int(64), ShapeOf(values));
  const KernelStatus status = VisitNumbers(kernel, values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* to = wide.mutable_data<int64_t>();
    for (int64_t at = 0; length != 0 && at < sequence.size(); at += length) {
      const T* row = sequence.data<T>() + at;
      if (!std::is_sorted(row, row + length, IsLess<T>)) kernel.MarkUndefined("a place in a sequence without an order");
    }
    for (int64_t i = 0; i < values.size(); ++i) {
      const T* first = sequence.data<T>() + i / per_row * length;
      const T value = values.data<T>()[i];
      const T* found = attrs->right ? std::upper_bound(first, first + length, value, IsLess<T>)
                                    : std::lower_bound(first, first + length, value, IsLess<T>);
      to[i] = found - first;
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  auto result = Converted(kernel, wide, kernel.result_type().dtype);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace relayopt
