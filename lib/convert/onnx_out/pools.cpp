// Forms of pools. LowerFor has brought their layouts to channels first, and leaves no average whose padding, wider than
// the window, does not count.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "layers.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::onnx::out {

namespace {

// Whether a pool of the data has the axes of its operator, with the channels first, and keeps their order.
template <typename A>
auto IsPlainPool(const A& attrs, const Type& data) -> bool {
  return IsChannelsFirst(attrs.layout, data) && data.rank() == A().strides.size() + 2 &&
         (attrs.out_layout.empty() || attrs.out_layout == attrs.layout);
}

auto AddPadding(OnnxCall& call, Name data, size_t rank, std::vector<int64_t>& padding, double value) -> Name {
  const size_t spatial = padding.size() / 2;
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < spatial; ++i) {
    pads[rank - spatial + i] = padding[i];
    pads[2 * rank - spatial + i] = padding[spatial + i];
  }
  std::ranges::fill(padding, 0);
  return call.Add("Pad", {data, call.List(pads), call.Number(value)}, {String("mode", "constant")});
}

template <typename A>
auto WritePool(OnnxCall& call, bool is_average) -> CallOutputs {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || result == nullptr || !IsPlainPool(*attrs, *data)) return std::nullopt;
  const size_t spatial = data->rank() - 2;
  const auto window = PerAxis(attrs->pool_size, spatial);
  const auto strides = PerAxis(attrs->strides, spatial);
  const auto dilation = PerAxis(attrs->dilation, spatial);
  auto padding = FullPadding(attrs->padding, spatial);
  if (!window || !strides || !dilation || !padding) return std::nullopt;
  bool counts_padding = false;
  if constexpr (requires { attrs->count_include_pad; }) counts_padding = attrs->count_include_pad;
  Name x = call.arg(0);
  if (attrs->ceil_mode) {
    // LowerFor leaves pools that count their padding: it is added first, and what rounding up adds is not counted.
    if (!counts_padding) return std::nullopt;
    const std::vector<int64_t> added = *padding;
    x = AddPadding(call, x, data->rank(), *padding, 0);
    counts_padding = false;
    for (size_t i = 0; i < spatial; ++i) {
      const Dim in = data->shape[i + 2];
      const Dim out = result->shape[i + 2];
      if (!in.is_int() || !out.is_int()) return std::nullopt;
      const int64_t needed = (out.value() - 1) * (*strides)[i] + ((*window)[i] - 1) * (*dilation)[i] + 1;
      (*padding)[spatial + i] = std::max<int64_t>(0, needed - in.value() - added[i] - added[spatial + i]);
    }
  }
  // ONNX requires padding that is not negative, and onnxruntime one that is narrower than the window.
  bool needs_pad = false;
  bool is_padded = false;
  for (size_t i = 0; i < 2 * spatial; ++i) {
    const int64_t width = (*padding)[i];
    needs_pad |= width < 0 || width >= (*window)[i % spatial];
    is_padded |= width > 0;
  }
  if (needs_pad && is_average && !counts_padding) return std::nullopt;
  if (needs_pad) {
    // Of the data: the pool may be computed in a wider type.
    const DataType dtype = data->dtype;
    const double least = dtype.is_float()  ? -std::numeric_limits<double>::infinity()
                         : dtype.is_uint() ? 0
                                           : -std::ldexp(1.0, dtype.bits - 1);
    x = AddPadding(call, x, data->rank(), *padding, is_average ? 0 : least);
    is_padded = false;
  }
  Attributes attributes = {Ints("kernel_shape", *window), Ints("strides", *strides), Ints("pads", *padding)};
  const bool is_dilated = std::ranges::any_of(*dilation, [](int64_t step) { return step > 1; });
  if (is_dilated) attributes.push_back(Ints("dilations", *dilation));
  if (is_dilated && is_average) call.model().Raise(19);
  if (counts_padding && is_padded) attributes.push_back(Int("count_include_pad", 1));
  return One(call.Add(is_average ? "AveragePool" : "MaxPool", {x}, std::move(attributes)));
}

// Averages of integers are written as sums of slices and a division, if there is no padding or it counts.
template <typename A>
auto WriteIntegerAverage(OnnxCall& call) -> CallOutputs {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || result == nullptr || !IsPlainPool(*attrs, *data)) return std::nullopt;
  const size_t rank = data->rank();
  const size_t spatial = rank - 2;
  const auto window = PerAxis(attrs->pool_size, spatial);
  const auto strides = PerAxis(attrs->strides, spatial);
  const auto dilation = PerAxis(attrs->dilation, spatial);
  auto padding = FullPadding(attrs->padding, spatial);
  // Batch and channels need not be known.
  const auto into = result->rank() == rank ? KnownExtents(result->shape.subspan(2)) : std::nullopt;
  if (!window || !strides || !dilation || !padding || !into || attrs->ceil_mode) return std::nullopt;
  const bool is_padded = std::ranges::any_of(*padding, [](int64_t width) { return width != 0; });
  if (is_padded && !attrs->count_include_pad) return std::nullopt;
  const Name x = is_padded ? AddPadding(call, call.arg(0), rank, *padding, 0) : call.arg(0);
  std::vector<int64_t> axes(spatial);
  std::iota(axes.begin(), axes.end(), 2);
  const int64_t count = Product(*window);
  Name sum;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> begin(spatial);
    std::vector<int64_t> end(spatial);
    int64_t rest = i;
    for (size_t axis = spatial; axis-- > 0;) {
      begin[axis] = rest % (*window)[axis] * (*dilation)[axis];
      rest /= (*window)[axis];
      end[axis] = begin[axis] + ((*into)[axis] - 1) * (*strides)[axis] + 1;
    }
    const Name part = call.Add("Slice", {x, call.List(begin), call.List(end), call.List(axes), call.List(*strides)});
    sum = i == 0 ? part : call.Add("Add", {sum, part});
  }
  // In Relay the sum has the type of the data, and may overflow.
  if (data->dtype != call.dtype()) sum = call.Cast(call.Cast(sum, data->dtype), call.dtype());
  return One(call.Add("Div", {sum, call.Number(static_cast<double>(count))}));
}

template <typename A>
auto WriteAvgPool(OnnxCall& call) -> CallOutputs {
  return call.dtype().is_float() ? WritePool<A>(call, true) : WriteIntegerAverage<A>(call);
}
template <typename A>
auto WriteMaxPool(OnnxCall& call) -> CallOutputs {
  return WritePool<A>(call, false);
}

auto WriteGlobalPool(OnnxCall& call, const GlobalPool2DAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (attrs.layout != "NCHW" || data == nullptr) return std::nullopt;
  // LowerFor leaves only the integers whose window has no elements, which onnxruntime refuses.
  if (!data->dtype.is_float() || data->shape[2].is(0) || data->shape[3].is(0)) return std::nullopt;
  return One(call.Add(call.name(), {call.arg(0)}));
}

constexpr Types kPoolTypes = kF16 | kF32 | kF64 | kI8 | kU8;

constexpr OpRule<OnnxForm> kPoolForms[] = {
    {"nn.avg_pool1d"_op, {"AveragePool", kSmallFloats | kI32, WriteAvgPool<AvgPool1DAttrs>}},
    {"nn.avg_pool2d"_op, {"AveragePool", kSmallFloats | kI32, WriteAvgPool<AvgPool2DAttrs>}},
    {"nn.avg_pool3d"_op, {"AveragePool", kSmallFloats | kI32, WriteAvgPool<AvgPool3DAttrs>}},
    {"nn.global_avg_pool2d"_op, {"GlobalAveragePool", kSmallFloats, WithAttrs<WriteGlobalPool>}},
    {"nn.global_max_pool2d"_op, {"GlobalMaxPool", kReals, WithAttrs<WriteGlobalPool>}},
    {"nn.max_pool1d"_op, {"MaxPool", kPoolTypes, WriteMaxPool<MaxPool1DAttrs>}},
    {"nn.max_pool2d"_op, {"MaxPool", kPoolTypes, WriteMaxPool<MaxPool2DAttrs>}},
    {"nn.max_pool3d"_op, {"MaxPool", kPoolTypes, WriteMaxPool<MaxPool3DAttrs>}},
};

}  // namespace

auto PoolForms() -> std::span<const OpRule<OnnxForm>> { return kPoolForms; }

}  // namespace relayopt::onnx::out
