// Kernels of the operators that read or write elements at positions that an operand gives.
#include <algorithm>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Returns the indices as numbers, floats truncated, or nothing, with the error reported, if one is not a number.
auto IndicesOf(KernelContext& kernel, const Tensor& tensor) -> std::optional<std::vector<int64_t>> {
  const auto wide = Converted(kernel, tensor, DataType::Int(64));
  if (!wide) return std::nullopt;
  return Integers(*wide);
}

// Whether all indices lie in [0, extent); reports the first that does not.
auto InRangeOf(KernelContext& kernel, std::span<const int64_t> indices, int64_t extent) -> bool {
  for (const int64_t index : indices) {
    if (index >= 0 && index < extent) continue;
    kernel.Error("index {} is out of range for an axis of {} elements", index, extent);
    return false;
  }
  return true;
}

// For each position of a list of coordinate vectors, the flat position in a tensor whose first axes (after `skipped`
// ones) have these coordinates; `lists[m]` is coordinate m.
auto FlatPositions(KernelContext& kernel, std::span<const int64_t> indices, int64_t count, size_t coordinates,
                   std::span<const int64_t> shape) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> positions(static_cast<size_t>(count), 0);
  for (size_t m = 0; m < coordinates; ++m) {
    const auto list = indices.subspan(m * static_cast<size_t>(count), static_cast<size_t>(count));
    if (!InRangeOf(kernel, list, shape[m])) return std::nullopt;
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = positions[i] * shape[m] + list[i];
  }
  return positions;
}

enum class Update : uint8_t { kUpdate, kAdd, kMul, kMean, kMin, kMax };
auto UpdateOf(std::string_view name) -> std::optional<Update> {
  if (name == "update") return Update::kUpdate;
  if (name == "add") return Update::kAdd;
  if (name == "mul") return Update::kMul;
  if (name == "mean") return Update::kMean;
  if (name == "min") return Update::kMin;
  if (name == "max") return Update::kMax;
  return std::nullopt;
}

template <typename T>
auto Updated(Update how, T old, T value) -> T {
  using C = Compute<T>;
  switch (how) {
    case Update::kUpdate: return value;
    case Update::kAdd: return Plus(old, value);
    case Update::kMul: return Times(old, value);
    case Update::kMean: return Quotient(Plus(old, value), 2);
    case Update::kMin: return static_cast<C>(old) < static_cast<C>(value) ? old : value;
    case Update::kMax: return static_cast<C>(old) > static_cast<C>(value) ? old : value;
  }
  return value;
}

// Returns the data with slices of `slice` elements updated, one after the other, at the given positions (in slices).
auto Scattered(KernelContext& kernel, std::string_view mode, const std::vector<int64_t>& positions, int64_t slice)
    -> KernelStatus {
  const auto how = UpdateOf(mode);
  if (!how) return kernel.Error("there is no reduction {}", mode);
  const Tensor& data = kernel.input(0);
  const Tensor& updates = kernel.input(2);
  if (updates.dtype() != data.dtype() || updates.size() != static_cast<int64_t>(positions.size()) * slice) {
    return kernel.Error("the updates do not match the indices");
  }
  Tensor result(data.dtype(), ShapeOf(data));
  if (data.size() != 0) CopyElements(data, 0, result, 0, data.size());
  const KernelStatus status = VisitAll(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    const T* from = updates.data<T>();
    for (const int64_t position : positions) {
      for (int64_t k = 0; k < slice; ++k, ++from)
        to[position * slice + k] = Updated(*how, to[position * slice + k], *from);
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

// Returns the slices of `slice` elements at the given positions, one after the other.
auto Gathered(KernelContext& kernel, const Tensor& data, const std::vector<int64_t>& positions, int64_t slice)
    -> KernelStatus {
  Tensor result = kernel.NewResult();
  if (result.size() == 0) return kernel.Return(std::move(result));
  int64_t at = 0;
  for (const int64_t position : positions) {
    CopyElements(data, position * slice, result, at, slice);
    at += slice;
  }
  return kernel.Return(std::move(result));
}

}  // namespace

auto GatherKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<GatherAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& chosen = kernel.input(1);
  const auto axis = NormalizeAxis(attrs->axis.is_int() ? attrs->axis.value() : 0, data.rank());
  const auto indices = IndicesOf(kernel, chosen);
  if (!axis || !indices) return kernel.Error("the axis is out of range");
  if (!InRangeOf(kernel, *indices, data.extent(*axis))) return kernel.Failed();
  const AxisView from = ViewAxis(data.shape(), *axis);
  const AxisView to = ViewAxis(chosen.shape(), *axis);
  if (chosen.size() != 0 && (from.outer != to.outer || from.inner != to.inner)) {
    return kernel.Error("the indices do not match the data");
  }
  std::vector<int64_t> positions;
  positions.reserve(indices->size());
  for (int64_t i = 0; i < chosen.size(); ++i) {
    const int64_t row = i / to.inner / to.extent;
    positions.push_back((row * from.extent + (*indices)[static_cast<size_t>(i)]) * from.inner + i % to.inner);
  }
  return Gathered(kernel, data, positions, 1);
}

auto GatherNDKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<GatherNDAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& chosen = kernel.input(1);
  const int64_t given = attrs->batch_dims.is_int() ? attrs->batch_dims.value() : 0;
  const auto coordinates = static_cast<size_t>(chosen.extent(0));
  if (given < 0 || static_cast<size_t>(given) + coordinates > data.rank() ||
      static_cast<size_t>(given) >= chosen.rank()) {
    return kernel.Error("{} batch axes do not match the data", given);
  }
  const auto batch_axes = static_cast<size_t>(given);
  const auto indices = IndicesOf(kernel, chosen);
  if (!indices) return kernel.Failed();
  const int64_t count = Product(chosen.shape().subspan(1));
  auto positions = FlatPositions(kernel, *indices, count, coordinates, data.shape().subspan(batch_axes));
  if (!positions) return kernel.Failed();
  const int64_t slice = Product(data.shape().subspan(batch_axes + coordinates));
  const int64_t per_batch = Product(data.shape().subspan(batch_axes, coordinates));
  const int64_t batches = Product(data.shape().first(batch_axes));
  const int64_t rows = Product(chosen.shape().subspan(1 + batch_axes));
  if (batches * rows != count) return kernel.Error("the batches of data and indices differ");
  for (size_t i = 0; i < positions->size(); ++i) (*positions)[i] += static_cast<int64_t>(i) / rows * per_batch;
  return Gathered(kernel, data, *positions, slice);
}

auto AdvIndexKernel(KernelContext& kernel) -> KernelStatus {
  const auto fields = kernel.tuple(0);
  const Tensor& data = fields[0];
  const size_t coordinates = fields.size() - 1;
  Tensor result = kernel.NewResult();
  if (coordinates > data.rank()) return kernel.Error("there are more indices than axes");
  const size_t index_rank = result.rank() - (data.rank() - coordinates);
  const auto shape = result.shape().first(index_rank);
  const int64_t count = Product(shape);
  std::vector<int64_t> all;
  for (size_t m = 0; m < coordinates; ++m) {
    const auto indices = IndicesOf(kernel, fields[m + 1]);
    if (!indices) return kernel.Failed();
    ForEachElement<1>(
        shape, {BroadcastStrides(fields[m + 1].shape(), shape)}, {0},
        [&](int64_t, const std::array<int64_t, 1>& at) { all.push_back((*indices)[static_cast<size_t>(at[0])]); });
  }
  const auto positions = FlatPositions(kernel, all, count, coordinates, data.shape());
  if (!positions) return kernel.Failed();
  return Gathered(kernel, data, *positions, Product(data.shape().subspan(coordinates)));
}

auto ScatterElementsKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ScatterElementsAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& chosen = kernel.input(1);
  const auto axis = NormalizeAxis(attrs->axis.is_int() ? attrs->axis.value() : 0, data.rank());
  auto indices = IndicesOf(kernel, chosen);
  if (!axis || !indices || chosen.rank() != data.rank()) return kernel.Error("the indices do not match the data");
  const int64_t extent = data.extent(*axis);
  for (int64_t& index : *indices) index += index < 0 ? extent : 0;
  if (!InRangeOf(kernel, *indices, extent)) return kernel.Failed();
  for (size_t i = 0; i < data.rank(); ++i) {
    if (i != *axis && chosen.extent(i) > data.extent(i)) return kernel.Error("the indices do not match the data");
  }
  // The other coordinates are those of the position in the index tensor.
  std::vector<int64_t> strides = RowMajorStrides(data.shape());
  const int64_t step = strides[*axis];
  strides[*axis] = 0;
  std::vector<int64_t> positions;
  ForEachElement<1>(chosen.shape(), {strides}, {0}, [&](int64_t i, const std::array<int64_t, 1>& at) {
    positions.push_back(at[0] + (*indices)[static_cast<size_t>(i)] * step);
  });
  return Scattered(kernel, attrs->reduction, positions, 1);
}

auto ScatterNDKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ScatterNDAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& chosen = kernel.input(1);
  const auto indices = IndicesOf(kernel, chosen);
  if (!indices) return kernel.Failed();
  const auto coordinates = static_cast<size_t>(chosen.extent(0));
  if (coordinates > data.rank()) return kernel.Error("there are more coordinates than axes");
  const auto positions = FlatPositions(kernel, *indices, Product(chosen.shape().subspan(1)), coordinates, data.shape());
  if (!positions) return kernel.Failed();
  return Scattered(kernel, attrs->mode, *positions, Product(data.shape().subspan(coordinates)));
}

auto ArgWhereKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& condition = kernel.input(0);
  const auto mask = Converted(kernel, condition, DataType::Bool());
  if (!mask) return kernel.Failed();
  const auto rank = static_cast<int64_t>(condition.rank());
  const auto chosen = mask->elements<Bool>();
  std::vector<int64_t> shape = {std::count(chosen.begin(), chosen.end(), Bool(true)), rank};
  if (!kernel.Fits(shape, DataType::Int(32))) return kernel.Failed();
  Tensor result(DataType::Int(32), shape);
  const std::vector<int64_t> strides = RowMajorStrides(condition.shape());
  auto* to = result.mutable_data<int32_t>();
  for (int64_t i = 0; i < mask->size(); ++i) {
    if (!chosen[static_cast<size_t>(i)]) continue;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      *to++ = static_cast<int32_t>(i / strides[axis] % condition.extent(axis));
    }
  }
  return kernel.Return(std::move(result));
}

auto SequenceMaskKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SequenceMaskAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto lengths = Converted(kernel, kernel.input(1), DataType::Float(64));
  if (!lengths) return kernel.Failed();
  if (data.rank() < 2 || lengths->size() != data.extent(attrs->axis == 0 ? 1 : 0)) {
    return kernel.Error("the lengths do not match the data");
  }
  const auto fill = Converted(kernel, Tensor::Scalar<double>(DataType::Float(64), attrs->mask_value), data.dtype());
  if (!fill) return kernel.Failed();
  const AxisView view = ViewAxis(data.shape(), 1);
  Tensor result = kernel.NewResult();
  for (int64_t row = 0; row < view.outer * view.extent; ++row) {
    const int64_t first = row / view.extent;
    const int64_t second = row % view.extent;
    const int64_t time = attrs->axis == 0 ? first : second;
    const double length = lengths->data<double>()[attrs->axis == 0 ? second : first];
    if (static_cast<double>(time) < length) {
      CopyElements(data, row * view.inner, result, row * view.inner, view.inner);
    } else {
      for (int64_t i = 0; i < view.inner; ++i) CopyElements(*fill, 0, result, row * view.inner + i, 1);
    }
  }
  return kernel.Return(std::move(result));
}

auto UnravelIndexKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  std::vector<int64_t> flat = Integers(data);
  const std::vector<int64_t> shape = Integers(kernel.input(1));
  const int64_t count = data.rank() == 0 ? 1 : data.extent(0);
  if (static_cast<int64_t>(flat.size()) != count) return kernel.Error("the indices have more than one axis");
  if (kernel.input(1).rank() != 1) return kernel.Error("the shape must have one axis");
  Tensor wide(DataType::Int(64), {static_cast<int64_t>(shape.size()), count});
  auto* to = wide.mutable_data<int64_t>();
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return kernel.Error("division by zero");
    for (size_t i = 0; i < flat.size(); ++i) {
      to[static_cast<int64_t>(axis) * count + static_cast<int64_t>(i)] = FloorMod(flat[i], shape[axis]);
      flat[i] = FloorDivide(flat[i], shape[axis]);
    }
  }
  const auto result = Converted(kernel, wide, data.dtype());
  return result ? kernel.Return(result->Reshaped(KernelContext::Extents(kernel.result_type()))) : kernel.Failed();
}

}  // namespace relayopt
