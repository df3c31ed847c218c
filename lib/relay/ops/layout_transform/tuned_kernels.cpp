// Kernels of the operators that move tensors into the layouts that tuners choose.
#include <algorithm>
#include <string_view>

#include "lib/relay/ops/index_map.h"
#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

// One axis of a layout such as 1N2C8h16c: its extent, and the name of the axis that it is a part of. The parts with one
// name are the digits of a position, most significant first.
struct NamedAxis {
  int64_t extent = 0;
  std::string_view name;
};

// Parses such a layout; returns nothing if the text is malformed.
auto ParseNamedAxes(std::string_view text) -> std::optional<std::vector<NamedAxis>> {
  std::vector<NamedAxis> axes;
  while (!text.empty()) {
    NamedAxis axis;
    for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
      if (__builtin_mul_overflow(axis.extent, 10, &axis.extent) ||
          __builtin_add_overflow(axis.extent, text.front() - '0', &axis.extent)) {
        return std::nullopt;
      }
    }
    const auto* const end = std::find_if(text.begin(), text.end(), IsDigit);
    axis.name = text.substr(0, static_cast<size_t>(end - text.begin()));
    text.remove_prefix(axis.name.size());
    if (axis.extent == 0 || axis.name.empty()) return std::nullopt;
    axes.push_back(axis);
  }
  return axes;
}

// Returns how far one step along each axis moves the position of its name.
auto WeightsOf(const std::vector<NamedAxis>& axes) -> std::vector<int64_t> {
  std::vector<int64_t> weights(axes.size(), 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    for (size_t k = i + 1; k < axes.size(); ++k) {
      if (axes[k].name == axes[i].name) weights[i] *= axes[k].extent;
    }
  }
  return weights;
}

// Returns the number of positions of a name, or 0 if it is not there.
auto TotalOf(const std::vector<NamedAxis>& axes, std::string_view name) -> int64_t {
  int64_t total = 0;
  for (const NamedAxis& axis : axes) {
    if (axis.name == name) total = axis.extent * std::max<int64_t>(total, 1);
  }
  return total;
}

auto HaveSamePositions(const std::vector<NamedAxis>& a, const std::vector<NamedAxis>& b) -> bool {
  const auto has = [](const std::vector<NamedAxis>& axes, const std::vector<NamedAxis>& others) {
    return std::all_of(axes.begin(), axes.end(),
                       [&](const NamedAxis& axis) { return TotalOf(axes, axis.name) == TotalOf(others, axis.name); });
  };
  return has(a, b) && has(b, a);
}

// Goes to the next position of a tensor in row-major order.
void Advance(std::vector<int64_t>& at, std::span<const int64_t> shape) {
  for (size_t axis = at.size(); axis-- > 0;) {
    if (++at[axis] != shape[axis]) return;
    at[axis] = 0;
  }
}

// Computes the values of an index map's steps after those of the coordinates, which come first. The type rule has
// checked that nothing overflows and divisors are positive.
void Evaluate(const IndexMap& map, std::vector<int64_t>& places) {
  for (size_t i = 0; i < map.steps.size(); ++i) {
    const IndexStep& step = map.steps[i];
    int64_t& to = places[map.rank + i];
    if (!HasOperands(step.op)) {
      to = step.constant;
      continue;
    }
    const int64_t a = places[step.a];
    const int64_t b = places[step.b];
    switch (step.op) {
      case IndexOp::kAdd: to = WrapAdd(a, b); break;
      case IndexOp::kSub: to = WrapSubtract(a, b); break;
      case IndexOp::kMul: to = WrapMultiply(a, b); break;
      case IndexOp::kFloorDiv: to = b == 0 ? 0 : FloorDivide(a, b); break;
      case IndexOp::kFloorMod: to = b == 0 ? 0 : FloorMod(a, b); break;
      case IndexOp::kDiv: to = b == 0 ? 0 : TruncDivide(a, b); break;
      case IndexOp::kMod: to = b == 0 ? 0 : TruncMod(a, b); break;
      case IndexOp::kMin: to = std::min(a, b); break;
      case IndexOp::kMax: to = std::max(a, b); break;
      case IndexOp::kConstant:
      case IndexOp::kUnknown: break;
    }
  }
}

}  // namespace

auto AutoSchedulerLayoutTransformKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<AutoSchedulerLayoutTransformAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto from = ParseNamedAxes(attrs->src_layout);
  const auto to = ParseNamedAxes(attrs->dst_layout);
  Tensor result = kernel.NewResult();
  // The type of the result comes from the text of its layout, which guarantees that its extents are small enough.
  bool fits = from && to && from->size() == data.rank() && to->size() == result.rank();
  for (size_t i = 0; fits && i < data.rank(); ++i) fits = (*from)[i].extent == data.extent(i);
  if (!fits || data.size() != result.size() || !HaveSamePositions(*from, *to)) {
    return kernel.Error("the data cannot be moved from layout {} to {}", attrs->src_layout, attrs->dst_layout);
  }
  const std::vector<int64_t> strides = RowMajorStrides(data.shape());
  const std::vector<int64_t> from_weights = WeightsOf(*from);
  const std::vector<int64_t> to_weights = WeightsOf(*to);
  std::vector<int64_t> at(result.rank(), 0);
  for (int64_t i = 0; i < result.size(); ++i, Advance(at, result.shape())) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < from->size(); ++axis) {
      int64_t position = 0;
      for (size_t k = 0; k < at.size(); ++k) {
        if ((*to)[k].name == (*from)[axis].name) position += at[k] * to_weights[k];
      }
      offset += position / from_weights[axis] % (*from)[axis].extent * strides[axis];
    }
    CopyElements(data, offset, result, i, 1);
  }
  return kernel.Return(std::move(result));
}

auto MetaScheduleLayoutTransformKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MetaScheduleLayoutTransformAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const IndexMap map = IndexMapOf(kernel.context(), attrs->index_map);
  Tensor result = kernel.NewResult();
  const std::vector<int64_t> strides = RowMajorStrides(result.shape());
  std::vector<bool> taken(static_cast<size_t>(result.size()), false);
  std::vector<int64_t> at(data.rank(), 0);
  std::vector<int64_t> places(map.rank + map.steps.size());
  for (int64_t i = 0; i < data.size(); ++i, Advance(at, data.shape())) {
    std::copy(at.begin(), at.end(), places.begin());
    Evaluate(map, places);
    int64_t offset = 0;
    for (size_t k = 0; k < map.results.size(); ++k) {
      const int64_t index = places[map.results[k]];
      if (index < 0 || index >= result.extent(k)) return kernel.Error("index {} lies outside of its axis", k);
      offset += index * strides[k];
    }
    if (taken[static_cast<size_t>(offset)]) return kernel.Error("the index map maps two elements to one position");
    taken[static_cast<size_t>(offset)] = true;
    CopyElements(data, i, result, offset, 1);
  }
  // TVM uses the inverse of the map, which exists for such maps only.
  if (data.size() != result.size()) return kernel.Error("the index map leaves positions empty");
  return kernel.Return(std::move(result));
}

}  // namespace relayopt
