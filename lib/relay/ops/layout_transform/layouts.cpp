// Kernels of the operators that move tensors between data layouts.
#include "layouts.h"

#include <cstring>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/layout_transform.h"

namespace relayopt {

namespace {

// How many positions of its primal axis one step along axis `i` advances: the product of the factors of the packed
// parts of the axis, or for a packed part, of those after it.
auto StepOf(const Layout& layout, size_t i) -> int64_t {
  const LayoutAxis& axis = layout.axes()[i];
  int64_t step = 1;
  for (size_t k = axis.is_primal() ? 0 : i + 1; k < layout.rank(); ++k) {
    const LayoutAxis& other = layout.axes()[k];
    if (!other.is_primal() && other.primal() == axis.primal()) step *= other.factor;
  }
  return step;
}

// Returns the extents of the tensor in layout `to`, given those of the primal axes in order of their letters.
auto ExtentsIn(const Layout& to, const std::array<int64_t, 26>& totals) -> std::vector<int64_t> {
  std::vector<int64_t> shape;
  for (size_t i = 0; i < to.rank(); ++i) {
    const LayoutAxis& axis = to.axes()[i];
    const int64_t step = StepOf(to, i);
    const int64_t total = totals[static_cast<size_t>(axis.primal() - 'A')];
    shape.push_back(axis.is_primal() ? total / step + (total % step != 0 ? 1 : 0) : axis.factor);
  }
  return shape;
}

// Copies every element to where its coordinates are in the other layout. `steps` holds, per axis of `to`, the axes'
// positions on the primal axis; `from` is read in reverse order.
void MoveElements(const Tensor& data, const Layout& from, const Layout& to, Tensor& result) {
  const std::vector<int64_t> strides = RowMajorStrides(result.shape());
  std::vector<int64_t> steps_from(from.rank());
  for (size_t i = 0; i < from.rank(); ++i) steps_from[i] = StepOf(from, i);
  // For each axis of `to` whether the position wraps at its factor.
  std::vector<int64_t> steps_to(to.rank());
  for (size_t i = 0; i < to.rank(); ++i) steps_to[i] = StepOf(to, i);

  const size_t bytes = data.dtype().bytes();
  std::vector<int64_t> at(from.rank(), 0);
  std::array<int64_t, 26> primal{};
  const std::byte* source = data.bytes().data();
  std::byte* target = result.MutableBytes();
  for (int64_t element = 0; element < data.size(); ++element, source += bytes) {
    primal.fill(0);
    for (size_t i = 0; i < from.rank(); ++i) {
      primal[static_cast<size_t>(from.axes()[i].primal() - 'A')] += at[i] * steps_from[i];
    }
    int64_t offset = 0;
    for (size_t i = 0; i < to.rank(); ++i) {
      const LayoutAxis& axis = to.axes()[i];
      int64_t position = primal[static_cast<size_t>(axis.primal() - 'A')] / steps_to[i];
      if (!axis.is_primal()) position %= axis.factor;
      offset += position * strides[i];
    }
    std::memcpy(target + static_cast<size_t>(offset) * bytes, source, bytes);
    for (size_t i = from.rank(); i-- > 0;) {
      if (++at[i] != data.extent(i)) break;
      at[i] = 0;
    }
  }
}

// Axes that are only permuted: the position in `from` of each axis of `to`.
auto AsPermutation(const Layout& from, const Layout& to) -> std::optional<std::vector<size_t>> {
  if (from.rank() != to.rank() || from.rank() != from.primal_rank()) return std::nullopt;
  std::vector<size_t> axes;
  for (const LayoutAxis& axis : to.axes()) {
    const auto position = from.Find(axis.name);
    if (!position) return std::nullopt;
    axes.push_back(*position);
  }
  return axes;
}

}  // namespace

auto Relaid(KernelContext& kernel, const Tensor& data, std::string_view from, std::string_view to)
    -> std::optional<Tensor> {
  const auto source = Layout::Parse(from);
  const auto target = Layout::Parse(to);
  if (!source || !target || !source->ConvertibleTo(*target) || source->rank() != data.rank()) {
    kernel.Error("a tensor of rank {} cannot be moved from layout {} to {}", data.rank(), from, to);
    return std::nullopt;
  }
  if (from == to) return data;
  if (const auto axes = AsPermutation(*source, *target)) return Permuted(data, *axes);
  std::array<int64_t, 26> totals{};
  for (size_t i = 0; i < source->rank(); ++i) {
    const LayoutAxis& axis = source->axes()[i];
    if (axis.is_primal()) {
      if (__builtin_mul_overflow(data.extent(i), StepOf(*source, i),
                                 &totals[static_cast<size_t>(axis.primal() - 'A')])) {
        kernel.Error("axis {} of layout {} is too large", axis.name, from);
        return std::nullopt;
      }
    } else if (data.extent(i) != axis.factor) {
      kernel.Error("axis {} of layout {} has extent {}", i, from, data.extent(i));
      return std::nullopt;
    }
  }
  std::vector<int64_t> shape = ExtentsIn(*target, totals);
  if (!kernel.Fits(shape, data.dtype())) return std::nullopt;
  Tensor result(data.dtype(), std::move(shape));
  MoveElements(data, *source, *target, result);
  return result;
}

auto PlainAxis(KernelContext& kernel, std::string_view layout, char letter, size_t rank) -> std::optional<size_t> {
  const auto parsed = Layout::Parse(layout);
  if (parsed && !parsed->FactorOf(letter)) {
    const auto axis = parsed->Find(letter);
    if (axis && *axis < rank) return axis;
  }
  kernel.Error("axis {1} of layout {0} is missing or packed", layout, letter);
  return std::nullopt;
}

auto LayoutTransformKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<LayoutTransformAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto result = Relaid(kernel, kernel.input(0), attrs->src_layout, attrs->dst_layout);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace relayopt
