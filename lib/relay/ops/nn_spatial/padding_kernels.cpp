// Kernels of padding.
#include <algorithm>
#include <limits>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "padding.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Returns the position in the data (of `extent` elements) for position `i` of the padded axis, or -1 for the fill
// value, -2 when there is none.
auto SourceOf(std::string_view mode, int64_t i, int64_t extent) -> int64_t {
  if (i >= 0 && i < extent) return i;
  if (mode == "constant") return -1;
  if (mode == "edge") return extent == 0 ? -2 : std::clamp<int64_t>(i, 0, extent - 1);
  // Mirrored once, at the outer element or, for SYMMETRIC, beside it.
  const int64_t repeated = mode == "SYMMETRIC" ? 1 : 0;
  const int64_t mirrored = i < 0 ? -i - repeated : 2 * (extent - 1) - i + repeated;
  return mirrored >= 0 && mirrored < extent ? mirrored : -2;
}

auto WidthsOf(const DimLists& lists) -> std::vector<PadWidth> {
  std::vector<PadWidth> widths;
  for (const DimList& pair : lists.values) {
    const std::vector<int64_t> numbers = Numbers(pair);
    widths.push_back(numbers.size() == 2 ? PadWidth{numbers[0], numbers[1]} : PadWidth{});
  }
  return widths;
}

// Returns a zero of the type.
auto ZeroOf(DataType dtype) -> Tensor { return {dtype, {}}; }

}  // namespace

auto Padded(KernelContext& kernel, const Tensor& data, std::span<const PadWidth> widths, std::string_view mode,
            const Tensor& fill) -> std::optional<Tensor> {
  if (fill.size() != 1) {
    kernel.Error("the value to pad with must be one number, it has {} elements", fill.size());
    return std::nullopt;
  }
  if (widths.size() != data.rank()) {
    kernel.Error("padding widths for {} axes do not match data of rank {}", widths.size(), data.rank());
    return std::nullopt;
  }
  std::vector<int64_t> shape;
  for (size_t axis = 0; axis < widths.size(); ++axis) {
    int64_t extent = 0;
    if (__builtin_add_overflow(widths[axis].before, widths[axis].after, &extent) ||
        __builtin_add_overflow(extent, data.extent(axis), &extent)) {
      extent = std::numeric_limits<int64_t>::min();
    }
    shape.push_back(extent);
  }
  if (!kernel.Fits(shape, data.dtype())) return std::nullopt;
  const auto value = Converted(kernel, fill, data.dtype());
  if (!value) return std::nullopt;
  // Without elements there are no positions; an axis may then be longer than can be iterated over.
  if (Product(shape) == 0) return Tensor(data.dtype(), shape);
  std::vector<std::vector<int64_t>> positions(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    for (int64_t i = 0; i < shape[axis]; ++i) {
      const int64_t source = SourceOf(mode, i - widths[axis].before, data.extent(axis));
      if (source == -2) {
        kernel.Error("axis {} has too few elements, {}, for a padding of {} and {}", axis, data.extent(axis),
                     widths[axis].before, widths[axis].after);
        return std::nullopt;
      }
      positions[axis].push_back(source);
    }
  }
  return Chosen(data, positions, &*value);
}

auto PadKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<PadAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto result = Padded(kernel, kernel.input(0), WidthsOf(attrs->pad_width), attrs->pad_mode, kernel.input(1));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto MirrorPadKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MirrorPadAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  auto result = Padded(kernel, data, WidthsOf(attrs->pad_width), attrs->mode, ZeroOf(data.dtype()));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto DynPadKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<PadAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const std::vector<int64_t> numbers = Integers(kernel.input(1));
  if (numbers.size() != 2 * kernel.input(0).rank()) return kernel.Error("padding widths need two numbers per axis");
  std::vector<PadWidth> widths;
  for (size_t i = 0; i < numbers.size(); i += 2) widths.push_back({numbers[i], numbers[i + 1]});
  auto result = Padded(kernel, kernel.input(0), widths, attrs->pad_mode, kernel.input(2));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto SpaceToBatchNDKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SpaceToBatchNDAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const std::vector<int64_t> blocks = Numbers(attrs->block_shape);
  const Tensor& given = kernel.input(0);
  std::vector<PadWidth> widths = WidthsOf(attrs->paddings);
  widths.insert(widths.begin(), PadWidth{});
  widths.resize(given.rank());
  const auto data =
      Padded(kernel, given, widths, "constant", Tensor::Scalar<double>(DataType::Float(64), attrs->pad_value));
  if (!data) return kernel.Failed();

  // (batch, s1 / b1, b1, s2 / b2, b2, ..., rest) with the block axes moved to the front.
  std::vector<int64_t> shape = {data->extent(0)};
  std::vector<size_t> front;
  std::vector<size_t> back = {0};
  for (size_t i = 0; i < blocks.size() && i + 1 < data->rank(); ++i) {
    if (blocks[i] <= 0 || data->extent(i + 1) % blocks[i] != 0) {
      return kernel.Error("{} elements cannot be cut into blocks of {}", data->extent(i + 1), blocks[i]);
    }
    back.push_back(shape.size());
    shape.push_back(data->extent(i + 1) / blocks[i]);
    front.push_back(shape.size());
    shape.push_back(blocks[i]);
  }
  for (size_t axis = blocks.size() + 1; axis < data->rank(); ++axis) {
    back.push_back(shape.size());
    shape.push_back(data->extent(axis));
  }
  front.insert(front.end(), back.begin(), back.end());
  const Tensor moved = Permuted(data->Reshaped(shape), front);
  return kernel.Return(moved.Reshaped(KernelContext::Extents(kernel.result_type())));
}

auto BatchToSpaceNDKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BatchToSpaceNDAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const std::vector<int64_t> blocks = Numbers(attrs->block_shape);
  const Tensor& data = kernel.input(0);
  int64_t parts = 1;
  for (const int64_t block : blocks) {
    if (block <= 0 || __builtin_mul_overflow(parts, block, &parts))
      return kernel.Error("a block of {} elements", block);
  }
  // A batch smaller than a block leaves an empty result.
  if (Product(KernelContext::Extents(kernel.result_type())) == 0) return kernel.Return(kernel.NewResult());
  if (data.extent(0) % parts != 0 || blocks.size() >= data.rank()) {
    return kernel.Error("a batch of {} cannot be cut into {} parts", data.extent(0), parts);
  }
  // (b1, b2, ..., batch, s1, s2, ..., rest) becomes (batch, s1, b1, s2, b2, ..., rest).
  std::vector<int64_t> shape = blocks;
  shape.push_back(data.extent(0) / parts);
  shape.insert(shape.end(), data.shape().begin() + 1, data.shape().end());
  std::vector<size_t> order = {blocks.size()};
  std::vector<int64_t> joined = {data.extent(0) / parts};
  for (size_t i = 0; i + 1 < data.rank(); ++i) {
    order.push_back(blocks.size() + 1 + i);
    if (i < blocks.size()) order.push_back(i);
    joined.push_back(data.extent(i + 1) * (i < blocks.size() ? blocks[i] : 1));
  }
  const Tensor moved = Permuted(data.Reshaped(shape), order).Reshaped(joined);
  std::vector<PadWidth> widths = WidthsOf(attrs->crops);
  for (PadWidth& width : widths) width = {-width.before, -width.after};
  widths.insert(widths.begin(), PadWidth{});
  widths.resize(data.rank());
  auto result = Padded(kernel, moved, widths, "constant", ZeroOf(data.dtype()));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto DilateKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DilateAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> strides = Numbers(attrs->strides);
  const std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  if (Product(shape) == 0) return kernel.Return(kernel.NewResult());
  std::vector<std::vector<int64_t>> positions(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis >= strides.size() || strides[axis] <= 0) return kernel.Error("a stride is not positive");
    for (int64_t i = 0; i < shape[axis]; ++i)
      positions[axis].push_back(i % strides[axis] == 0 ? i / strides[axis] : -1);
    if (positions[axis].back() >= data.extent(axis)) return kernel.Error("the strides do not match the result");
  }
  // As TVM: a bool is the integer part converted.
  const double value = data.dtype().is_bool() ? std::trunc(attrs->dilation_value) : attrs->dilation_value;
  const auto fill = Converted(kernel, Tensor::Scalar<double>(DataType::Float(64), value), data.dtype());
  return fill ? kernel.Return(Chosen(data, positions, &*fill)) : kernel.Failed();
}

auto FifoBufferKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<FIFOBufferAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const Tensor& buffer = kernel.input(1);
  const auto axis = NormalizeAxis(attrs->axis, buffer.rank());
  bool fits = axis && data.rank() == buffer.rank() && data.dtype() == buffer.dtype();
  for (size_t i = 0; fits && i < data.rank(); ++i) {
    fits = i == *axis ? data.extent(i) <= buffer.extent(i) : data.extent(i) == buffer.extent(i);
  }
  if (!fits) return kernel.Error("the data does not match the buffer");
  const AxisView to = ViewAxis(buffer.shape(), *axis);
  const int64_t added = data.extent(*axis) * to.inner;
  const int64_t kept = to.extent * to.inner - added;
  Tensor result = kernel.NewResult();
  for (int64_t i = 0; i < to.outer; ++i) {
    CopyElements(buffer, i * (kept + added) + added, result, i * (kept + added), kept);
    CopyElements(data, i * added, result, i * (kept + added) + kept, added);
  }
  return kernel.Return(std::move(result));
}

}  // namespace relayopt
