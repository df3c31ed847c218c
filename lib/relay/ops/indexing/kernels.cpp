// Kernels of the operators that choose elements by index or condition.
#include "relayopt/relay/ops/indexing.h"

#include <algorithm>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Returns the positions in an axis of `extent` elements for the indices, as `mode` says.
auto Positions(KernelContext& kernel, std::vector<int64_t> indices, int64_t extent, std::string_view mode)
    -> std::vector<int64_t> {
  for (int64_t& index : indices) {
    const bool inside = index >= 0 && index < extent;
    if (inside) continue;
    if (mode == "fast") kernel.MarkUndefined("an index out of range");
    if (mode == "clip" || mode == "fast")
      index = std::clamp<int64_t>(index, 0, extent - 1);
    else
      index = FloorMod(index, extent);
  }
  return indices;
}

}  // namespace

auto TakeKernel(KernelContext& kernel) -> KernelStatus {
  const auto& attrs = kernel.attrs<TakeAttrs>();
  Tensor result = kernel.NewResult();
  if (result.size() == 0) return kernel.Return(std::move(result));
  // Without an axis the data is flattened.
  const Tensor& given = kernel.input(0);
  const Tensor data = attrs.axis.is_null() ? given.Reshaped({given.size()}) : given;
  const std::optional<size_t> axis = NormalizeAxis(attrs.axis.is_null() ? 0 : attrs.axis.value(), data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs.axis.value());
  // Without an axis the attribute for batch dimensions has no effect.
  const bool has_batches = !attrs.axis.is_null() && attrs.batch_dims.is_int();
  const auto batch_dims = static_cast<size_t>(has_batches ? attrs.batch_dims.value() : 0);
  if (batch_dims > *axis) return kernel.Error("batch_dims {} goes beyond axis {}", batch_dims, *axis);
  const int64_t extent = data.extent(*axis);
  if (extent == 0) return kernel.Error("an empty axis has no elements to take");
  const auto indices = Positions(kernel, Integers(kernel.input(1)), extent, attrs.mode);

  // data: batches x outer x extent x inner; indices: batches x count.
  const int64_t batches = Product(data.shape().first(batch_dims));
  const int64_t outer = Product(data.shape().subspan(batch_dims, *axis - batch_dims));
  const int64_t inner = Product(data.shape().subspan(*axis + 1));
  const int64_t count = batches == 0 ? 0 : static_cast<int64_t>(indices.size()) / batches;
  // The type rule does not compare the batch axes of data and indices.
  if (batches * outer * count * inner != result.size()) {
    return kernel.Error("data and indices have different batches");
  }
  const auto row = static_cast<int64_t>(data.dtype().bytes()) * inner;
  const std::byte* from = data.bytes().data();
  std::byte* to = result.MutableBytes();
  for (int64_t i = 0; i < batches * outer; ++i) {
    const int64_t* chosen = indices.data() + i / outer * count;
    for (int64_t k = 0; k < count; ++k) to = std::copy_n(from + (i * extent + chosen[k]) * row, row, to);
  }
  return kernel.Return(std::move(result));
}

namespace {

// to[i] = chosen[i] ? x[i] : y[i], where the operands step by `step`. Most often the condition has an element for each
// of the result, and each of the others has, too, or is one number.
template <typename T>
void ChooseRow(const Bool* chosen, const T* x, const T* y, const std::array<int64_t, 3>& step, int64_t count, T* to) {
  const auto choose = [&](auto x_step, auto y_step) {
    for (int64_t i = 0; i < count; ++i) to[i] = chosen[i] ? x[i * x_step] : y[i * y_step];
  };
  constexpr std::integral_constant<int64_t, 0> kSame;
  constexpr std::integral_constant<int64_t, 1> kNext;
  if (step == std::array<int64_t, 3>{1, 0, 1}) return choose(kSame, kNext);
  if (step == std::array<int64_t, 3>{1, 1, 0}) return choose(kNext, kSame);
  if (step == std::array<int64_t, 3>{1, 1, 1}) return choose(kNext, kNext);
  for (int64_t i = 0; i < count; ++i) to[i] = chosen[i * step[0]] ? x[i * step[1]] : y[i * step[2]];
}

// Returns the elements of a tensor as booleans: those that are not zero.
auto AsCondition(KernelContext& kernel, const Tensor& condition) -> std::optional<Tensor> {
  if (condition.dtype().is_bool()) return condition;
  Tensor mask(DataType::Bool(), {condition.shape().begin(), condition.shape().end()});
  bool undefined = false;
  const KernelStatus status = VisitAll(kernel, condition.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Map<T, Bool>(condition, mask, [&](T x) { return CastElement<Bool>(x, undefined); });
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return mask;
}

}  // namespace

auto WhereKernel(KernelContext& kernel) -> KernelStatus {
  const std::optional<Tensor> mask = AsCondition(kernel, kernel.input(0));
  if (!mask) return kernel.Failed();
  Tensor result = kernel.UnsetResult();
  return VisitSizes(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto shape = result.shape();
    const Bool* chosen = mask->data<Bool>();
    const T* x = kernel.input(1).data<T>();
    const T* y = kernel.input(2).data<T>();
    T* to = result.mutable_data<T>();
    StridedRows<3> rows(shape,
                        {BroadcastStrides(mask->shape(), shape), BroadcastStrides(kernel.input(1).shape(), shape),
                         BroadcastStrides(kernel.input(2).shape(), shape)});
    for (; !rows.done(); rows.Next(), to += rows.length()) {
      const auto [at_chosen, at_x, at_y] = rows.at();
      ChooseRow(chosen + at_chosen, x + at_x, y + at_y, rows.step(), rows.length(), to);
    }
    return kernel.Return(std::move(result));
  });
}

}  // namespace relayopt
