// Forms of layers of networks. LowerFor has brought their layouts to channels first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "forms.h"
#include "layers.h"
#include "lib/convert/onnx/tensor_data.h"
#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::onnx::out {

auto FullPadding(const DimList& padding, size_t spatial) -> std::optional<std::vector<int64_t>> {
  auto given = KnownShape(padding.values);
  if (!given) return std::nullopt;
  if (given->size() == 1) given->resize(2 * spatial, (*given)[0]);
  if (given->size() == spatial)
    given->insert(given->end(), given->begin(), given->begin() + static_cast<int64_t>(spatial));
  return given->size() == 2 * spatial ? given : std::nullopt;
}

auto PerAxis(const DimList& list, size_t spatial) -> std::optional<std::vector<int64_t>> {
  auto given = KnownShape(list.values);
  if (!given) return std::nullopt;
  if (given->size() == 1) given->resize(spatial, (*given)[0]);
  return given->size() == spatial ? given : std::nullopt;
}

namespace {

auto IsChannelsFirst(std::string_view layout) -> bool {
  return layout == "NCW" || layout == "NCHW" || layout == "NCDHW";
}

// Attributes of a convolution but for its padding.
template <typename A>
auto ConvAttributes(OnnxCall& call, const A& attrs) -> std::optional<Attributes> {
  const Type* weight = call.input(1);
  if (weight == nullptr || weight->rank() < 3) return std::nullopt;
  const size_t spatial = weight->rank() - 2;
  const auto strides = PerAxis(attrs.strides, spatial);
  const auto dilation = PerAxis(attrs.dilation, spatial);
  const auto padding = FullPadding(attrs.padding, spatial);
  if (!strides || !dilation || !padding) return std::nullopt;
  Attributes attributes = {Ints("strides", *strides), Ints("dilations", *dilation), Ints("pads", *padding),
                           Int("group", attrs.groups)};
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < weight->rank(); ++i) {
    if (weight->shape[i].is_int()) kernel.push_back(weight->shape[i].value());
  }
  if (kernel.size() == spatial) attributes.push_back(Ints("kernel_shape", kernel));
  return attributes;
}

auto IsByte(DataType dtype) -> bool { return dtype.bits == 8 && !dtype.is_float(); }

template <typename A>
auto WriteConvOf(OnnxCall& call, std::string bias) -> Made {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || weight == nullptr || result == nullptr) return std::nullopt;
  const bool is_plain = IsChannelsFirst(attrs->data_layout) && attrs->kernel_layout.starts_with("OI") &&
                        (attrs->out_layout.empty() || attrs->out_layout == attrs->data_layout);
  auto attributes = ConvAttributes(call, *attrs);
  if (!is_plain || !attributes) return std::nullopt;
  if (IsByte(data->dtype) && IsByte(weight->dtype)) {
    if (!bias.empty()) return std::nullopt;
    const std::string sums = call.Add("ConvInteger", {call.arg(0), call.arg(1)}, *attributes);
    return One(result->dtype == DataType::Int(32) ? sums : call.Cast(sums, result->dtype));
  }
  if (!data->dtype.is_float() || data->dtype.bits == 64) return std::nullopt;
  // Another type of the result is the one that sums are made in.
  const bool is_wider = result->dtype != data->dtype;
  const std::string x = is_wider ? call.Cast(call.arg(0), result->dtype) : call.arg(0);
  const std::string w = weight->dtype == result->dtype ? call.arg(1) : call.Cast(call.arg(1), result->dtype);
  return One(call.Add("Conv", {x, w, std::move(bias)}, *attributes));
}

template <typename A>
auto WriteConv(OnnxCall& call) -> Made {
  return WriteConvOf<A>(call, "");
}

template <typename A>
auto WriteConvTransposeOf(OnnxCall& call, std::string bias) -> Made {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || weight == nullptr || result == nullptr) return std::nullopt;
  const bool is_plain = IsChannelsFirst(attrs->data_layout) && attrs->kernel_layout.starts_with("IO") &&
                        (attrs->out_layout.empty() || attrs->out_layout == attrs->data_layout);
  auto attributes = ConvAttributes(call, *attrs);
  if (!is_plain || !attributes) return std::nullopt;
  const auto extra = PerAxis(attrs->output_padding, weight->rank() - 2);
  if (!extra) return std::nullopt;
  attributes->push_back(Ints("output_padding", *extra));
  // Integers are computed as floats: exact below 2^24.
  const bool is_byte = IsByte(data->dtype) && IsByte(weight->dtype);
  if (!is_byte && (!data->dtype.is_float() || data->dtype.bits == 64)) return std::nullopt;
  if (!is_byte && result->dtype == data->dtype) {
    return One(call.Add("ConvTranspose", {call.arg(0), call.arg(1), std::move(bias)}, *attributes));
  }
  constexpr int64_t kMostTerms = (1 << 24) / (255 * 255);
  const auto kernel = KnownShape(weight->shape);
  if (!kernel || !bias.empty()) return std::nullopt;
  const int64_t terms = std::accumulate(kernel->begin(), kernel->end(), int64_t{1}, std::multiplies<>()) / (*kernel)[1];
  if (is_byte && terms > kMostTerms) return std::nullopt;
  const DataType wide = DataType::Float(32);
  const std::string sums =
      call.Add("ConvTranspose", {call.Cast(call.arg(0), wide), call.Cast(call.arg(1), wide)}, *attributes);
  return One(call.Cast(sums, result->dtype));
}

template <typename A>
auto WriteConvTranspose(OnnxCall& call) -> Made {
  return WriteConvTransposeOf<A>(call, "");
}

auto WriteDeformableConv(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<DeformableConv2DAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || attrs->data_layout != "NCHW" || attrs->kernel_layout != "OIHW") {
    return std::nullopt;
  }
  const auto strides = PerAxis(attrs->strides, 2);
  const auto dilation = PerAxis(attrs->dilation, 2);
  const auto padding = FullPadding(attrs->padding, 2);
  if (!strides || !dilation || !padding) return std::nullopt;
  call.model().Raise(19);
  return One(call.Add("DeformConv", {call.arg(0), call.arg(2), call.arg(1)},
                      {Ints("strides", *strides), Ints("dilations", *dilation), Ints("pads", *padding),
                       Int("group", attrs->groups), Int("offset_group", attrs->deformable_groups)}));
}

// -- products --

// As wide as the result, where a kernel has that type.
auto WriteProduct(OnnxCall& call) -> Made {
  const Type* a = call.input(0);
  const Type* b = call.input(1);
  const Type* result = call.result();
  if (a == nullptr || b == nullptr || result == nullptr) return std::nullopt;
  if (IsByte(a->dtype) && IsByte(b->dtype) && !result->dtype.is_float() && result->dtype.bits >= 32) {
    const std::string sums = call.Add("MatMulInteger", {call.arg(0), call.arg(1)});
    return One(result->dtype == DataType::Int(32) ? sums : call.Cast(sums, result->dtype));
  }
  constexpr Types kKernels = kF16 | kF32 | kF64 | kI32 | kI64 | kU32 | kU64;
  DataType dtype = result->dtype;
  if ((SetOf(dtype) & kKernels) == 0) dtype = dtype.is_float() ? DataType::Float(32) : DataType::Int(32);
  const std::string x = a->dtype == dtype ? call.arg(0) : call.Cast(call.arg(0), dtype);
  const std::string y = b->dtype == dtype ? call.arg(1) : call.Cast(call.arg(1), dtype);
  const std::string product = call.Add("MatMul", {x, y});
  return One(dtype == result->dtype ? product : call.Cast(product, result->dtype));
}

auto WriteMatmul(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<MatmulAttrs>();
  return attrs == nullptr || attrs->transpose_a || attrs->transpose_b ? std::nullopt : WriteProduct(call);
}
auto WriteBatchMatmul(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<BatchMatmulAttrs>();
  return attrs == nullptr || attrs->transpose_a || attrs->transpose_b ? std::nullopt : WriteProduct(call);
}

// With the second matrix transposed; LowerFor leaves only those of rank 2 on floats.
auto WriteDense(OnnxCall& call) -> Made {
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (data == nullptr || weight == nullptr || result == nullptr || data->rank() != 2) return std::nullopt;
  if (!data->dtype.is_float() || data->dtype != result->dtype || weight->dtype != data->dtype) return std::nullopt;
  return One(call.Add("Gemm", {call.arg(0), call.arg(1)}, {Int("transB", 1)}));
}

auto WriteEinsum(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<EinsumAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return One(call.Add("Einsum", call.args[0], {String("equation", attrs->equation)}));
}

// Real and imaginary parts are two tensors in Relay, and lie along a last axis in ONNX.
auto WriteDft(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<DFTAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || data->rank() == 0) return std::nullopt;
  const auto rank = static_cast<int64_t>(data->rank());
  const std::vector<int64_t> behind = {rank};
  const std::string pairs = call.Add(
      "Concat", {call.Unsqueeze(call.arg(0), behind), call.Unsqueeze(call.arg(1), behind)}, {Int("axis", rank)});
  Attributes attributes;
  if (attrs->inverse.is_int() && attrs->inverse.value() != 0) attributes.push_back(Int("inverse", 1));
  std::string moved;
  // onnxruntime wants an axis for a batch.
  const bool is_row = rank == 1;
  const std::string rows = is_row ? call.Unsqueeze(pairs, std::vector<int64_t>{0}) : pairs;
  const int64_t axis = is_row ? 1 : rank - 1;
  if (call.opset() >= 20) {
    moved = call.Add("DFT", {rows, "", call.Index(axis)}, attributes);
  } else {
    attributes.push_back(Int("axis", axis));
    moved = call.Add("DFT", {rows}, attributes);
  }
  if (is_row) moved = call.Add("Squeeze", {moved, call.List({0})});
  Values parts;
  for (const int64_t part : {0, 1}) {
    parts.push_back(call.Add("Gather", {moved, call.Index(part)}, {Int("axis", rank)}));
  }
  return parts;
}

// -- pools --

auto AddPadding(OnnxCall& call, std::string data, size_t rank, std::vector<int64_t>& padding, double value)
    -> std::string {
  const size_t spatial = padding.size() / 2;
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < spatial; ++i) {
    pads[rank - spatial + i] = padding[i];
    pads[2 * rank - spatial + i] = padding[spatial + i];
  }
  std::ranges::fill(padding, 0);
  return call.Add("Pad", {std::move(data), call.List(pads), call.Number(value)}, {String("mode", "constant")});
}

template <typename A>
auto WritePool(OnnxCall& call, bool is_average) -> Made {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || result == nullptr || !IsChannelsFirst(attrs->layout)) return std::nullopt;
  if (!attrs->out_layout.empty() && attrs->out_layout != attrs->layout) return std::nullopt;
  const size_t spatial = data->rank() - 2;
  const auto window = PerAxis(attrs->pool_size, spatial);
  const auto strides = PerAxis(attrs->strides, spatial);
  const auto dilation = PerAxis(attrs->dilation, spatial);
  auto padding = FullPadding(attrs->padding, spatial);
  if (!window || !strides || !dilation || !padding) return std::nullopt;
  bool counts_padding = false;
  if constexpr (requires { attrs->count_include_pad; }) counts_padding = attrs->count_include_pad;
  std::string x = call.arg(0);
  if (attrs->ceil_mode) {
    // LowerFor leaves those that count their padding: it is added first, and what rounding up adds is not counted.
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
  bool is_too_wide = false;
  bool is_padded = false;
  for (size_t i = 0; i < spatial; ++i) {
    is_too_wide |= (*padding)[i] >= (*window)[i] || (*padding)[spatial + i] >= (*window)[i];
    is_padded |= (*padding)[i] > 0 || (*padding)[spatial + i] > 0;
  }
  // onnxruntime wants padding narrower than the window.
  if (is_too_wide && is_average && !counts_padding) return std::nullopt;
  if (is_too_wide) {
    const double least = call.dtype().is_float()  ? -std::numeric_limits<double>::infinity()
                         : call.dtype().is_uint() ? 0
                                                  : -std::ldexp(1.0, call.dtype().bits - 1);
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

// Averages of integers are sums of slices, divided: no padding, or one that counts.
template <typename A>
auto WriteIntegerAverage(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || result == nullptr || !IsChannelsFirst(attrs->layout)) return std::nullopt;
  const size_t rank = data->rank();
  const size_t spatial = rank - 2;
  const auto window = PerAxis(attrs->pool_size, spatial);
  const auto strides = PerAxis(attrs->strides, spatial);
  const auto dilation = PerAxis(attrs->dilation, spatial);
  auto padding = FullPadding(attrs->padding, spatial);
  const auto into = KnownShape(result->shape);
  if (!window || !strides || !dilation || !padding || !into || attrs->ceil_mode) return std::nullopt;
  const bool is_padded = std::ranges::any_of(*padding, [](int64_t width) { return width != 0; });
  if (is_padded && !attrs->count_include_pad) return std::nullopt;
  const std::string x = is_padded ? AddPadding(call, call.arg(0), rank, *padding, 0) : call.arg(0);
  std::vector<int64_t> axes(spatial);
  std::iota(axes.begin(), axes.end(), 2);
  const int64_t count = std::accumulate(window->begin(), window->end(), int64_t{1}, std::multiplies<>());
  std::string sum;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> begin(spatial);
    std::vector<int64_t> end(spatial);
    int64_t rest = i;
    for (size_t axis = spatial; axis-- > 0;) {
      begin[axis] = rest % (*window)[axis] * (*dilation)[axis];
      rest /= (*window)[axis];
      end[axis] = begin[axis] + ((*into)[axis + 2] - 1) * (*strides)[axis] + 1;
    }
    const std::string part =
        call.Add("Slice", {x, call.List(begin), call.List(end), call.List(axes), call.List(*strides)});
    sum = i == 0 ? part : call.Add("Add", {sum, part});
  }
  return One(call.Add("Div", {sum, call.Number(static_cast<double>(count))}));
}

template <typename A>
auto WriteAvgPool(OnnxCall& call) -> Made {
  return call.dtype().is_float() ? WritePool<A>(call, true) : WriteIntegerAverage<A>(call);
}
template <typename A>
auto WriteMaxPool(OnnxCall& call) -> Made {
  return WritePool<A>(call, false);
}

auto WriteGlobalPool(OnnxCall& call, std::string_view name) -> Made {
  const auto* attrs = call.attrs<GlobalPool2DAttrs>();
  if (attrs == nullptr || attrs->layout != "NCHW") return std::nullopt;
  return One(call.Add(name, {call.arg(0)}));
}
auto WriteGlobalAvgPool(OnnxCall& call) -> Made { return WriteGlobalPool(call, "GlobalAveragePool"); }
auto WriteGlobalMaxPool(OnnxCall& call) -> Made { return WriteGlobalPool(call, "GlobalMaxPool"); }

// -- normalizations --

// A vector of one number, as long as the i-th argument.
auto Filled(OnnxCall& call, size_t like, double value) -> std::string {
  const Type* type = call.input(like);
  return call.Add("Expand", {call.Number(value, type->dtype), call.Add("Shape", {call.arg(like)})});
}

// The axes with `axis` moved to another place.
auto MovedAxis(size_t rank, int64_t axis, int64_t to) -> std::vector<int64_t> {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + axis);
  order.insert(order.begin() + to, axis);
  return order;
}

auto InverseOf(std::span<const int64_t> order) -> std::vector<int64_t> {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return inverse;
}

// `add` on the data with `axis` at `place`, and the result the other way round.
template <typename Add>
auto WithAxisAt(OnnxCall& call, int64_t axis, int64_t place, Add add) -> std::string {
  if (axis == place) return add(call.arg(0));
  const auto order = MovedAxis(call.input(0)->rank(), axis, place);
  return call.Transpose(add(call.Transpose(call.arg(0), order)), InverseOf(order));
}

auto WriteBatchNorm(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<BatchNormAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || data->rank() < 2) return std::nullopt;
  const std::string gamma = attrs->scale ? call.arg(1) : Filled(call, 1, 1);
  const std::string beta = attrs->center ? call.arg(2) : Filled(call, 2, 0);
  const int64_t axis = NormalizedAxis(attrs->axis, data->rank());
  const std::string normal = WithAxisAt(call, axis, 1, [&](const std::string& x) {
    return call.Add("BatchNormalization", {x, gamma, beta, call.arg(3), call.arg(4)},
                    {Float("epsilon", attrs->epsilon)});
  });
  return Values{normal, call.arg(3), call.arg(4)};
}

auto WriteLayerNorm(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<LayerNormAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || !attrs->center || !attrs->scale) return std::nullopt;
  const auto last = static_cast<int64_t>(data->rank()) - 1;
  return One(WithAxisAt(call, NormalizedAxis(attrs->axis, data->rank()), last, [&](const std::string& x) {
    return call.Add("LayerNormalization", {x, call.arg(1), call.arg(2)},
                    {Float("epsilon", attrs->epsilon), Int("axis", -1)});
  }));
}

auto WriteInstanceNorm(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<InstanceNormAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || data->rank() < 3 || !attrs->center || !attrs->scale) return std::nullopt;
  return One(WithAxisAt(call, NormalizedAxis(attrs->axis, data->rank()), 1, [&](const std::string& x) {
    return call.Add("InstanceNormalization", {x, call.arg(1), call.arg(2)}, {Float("epsilon", attrs->epsilon)});
  }));
}

// Each group is one instance: reshaped, normalized, scaled by channel.
auto WriteGroupNorm(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<GroupNormAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || data->rank() < 3 || !attrs->center || !attrs->scale) return std::nullopt;
  const auto shape = KnownShape(data->shape);
  if (!shape || NormalizedAxis(attrs->axis, data->rank()) != 1) return std::nullopt;
  const DataType dtype = data->dtype;
  const auto vector = [&](double value) {
    return call.Add("Expand", {call.Number(value, dtype), call.List({attrs->num_groups})});
  };
  const std::string rows = call.Reshape(call.arg(0), std::vector<int64_t>{(*shape)[0], attrs->num_groups, -1});
  const std::string normal =
      call.Add("InstanceNormalization", {rows, vector(1), vector(0)}, {Float("epsilon", attrs->epsilon)});
  std::vector<int64_t> behind(data->rank() - 2);
  std::iota(behind.begin(), behind.end(), 1);
  const std::string scaled = call.Add("Mul", {call.Reshape(normal, *shape), call.Unsqueeze(call.arg(1), behind)});
  return One(call.Add("Add", {scaled, call.Unsqueeze(call.arg(2), behind)}));
}

auto WriteLrn(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<LRNAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return One(call.Add("LRN", {call.arg(0)},
                      {Int("size", attrs->size), Float("alpha", attrs->alpha), Float("beta", attrs->beta),
                       Float("bias", attrs->bias)}));
}

template <const char* kName>
auto WriteSoftmax(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<SoftmaxAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return One(call.Add(kName, {call.arg(0)}, {Int("axis", NormalizedAxis(attrs->axis, call.input(0)->rank()))}));
}
constexpr char kSoftmax[] = "Softmax";
constexpr char kLogSoftmax[] = "LogSoftmax";

auto WriteNllLoss(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<NLLLossAttrs>();
  const Type* target = call.input(1);
  if (attrs == nullptr || target == nullptr) return std::nullopt;
  const bool is_index = target->dtype == kIndexType || target->dtype == DataType::Int(32);
  return One(call.Add("NegativeLogLikelihoodLoss",
                      {call.arg(0), is_index ? call.arg(1) : call.Cast(call.arg(1), kIndexType), call.arg(2)},
                      {String("reduction", attrs->reduction), Int("ignore_index", attrs->ignore_index)}));
}

auto WriteBiasAdd(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<BiasAddAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr) return std::nullopt;
  std::vector<int64_t> behind;
  for (auto i = static_cast<size_t>(NormalizedAxis(attrs->axis, data->rank())) + 1; i < data->rank(); ++i) {
    behind.push_back(static_cast<int64_t>(behind.size() + 1));
  }
  return One(call.Add("Add", {call.arg(0), call.Unsqueeze(call.arg(1), behind)}));
}

// -- space --

auto WritePad(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<PadAttrs>();
  const Type* data = call.input(0);
  const Type* value = call.input(1);
  if (attrs == nullptr || data == nullptr || attrs->pad_width.size() != data->rank()) return std::nullopt;
  std::vector<int64_t> pads;
  for (const size_t side : {0, 1}) {
    for (const DimList& width : attrs->pad_width.values) {
      if (width.size() != 2 || !width[side].is_int()) return std::nullopt;
      pads.push_back(width[side].value());
    }
  }
  std::vector<std::string> inputs = {call.arg(0), call.List(pads)};
  if (attrs->pad_mode == "constant") {
    const auto number = call.constant(1) == nullptr ? std::nullopt : call.constant(1)->ScalarAsDouble();
    if (value == nullptr) return std::nullopt;
    if (number) {
      inputs.push_back(call.Number(*number));
    } else {
      inputs.push_back(value->dtype == call.dtype() ? call.arg(1) : call.Cast(call.arg(1), call.dtype()));
    }
  }
  return One(call.Add("Pad", std::move(inputs), {String("mode", attrs->pad_mode)}));
}

// Elements moved apart along each axis: new elements behind each of them, those behind the last cut off.
auto WriteDilate(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<DilateAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr) return std::nullopt;
  auto shape = KnownShape(data->shape);
  const auto strides = KnownShape(attrs->strides.values);
  if (!shape || !strides || strides->size() != shape->size()) return std::nullopt;
  std::string x = call.arg(0);
  for (size_t axis = 0; axis < shape->size(); ++axis) {
    const int64_t stride = (*strides)[axis];
    if (stride == 1 || (*shape)[axis] == 0) continue;
    const auto at = static_cast<int64_t>(axis);
    std::vector<int64_t> pads(2 * (shape->size() + 1), 0);
    pads[shape->size() + 1 + axis + 1] = stride - 1;
    x = call.Add("Pad",
                 {call.Unsqueeze(x, std::vector<int64_t>{at + 1}), call.List(pads), call.Number(attrs->dilation_value)},
                 {String("mode", "constant")});
    (*shape)[axis] *= stride;
    x = call.Reshape(x, *shape);
    (*shape)[axis] -= stride - 1;
    x = call.Add("Slice", {x, call.List({0}), call.List({(*shape)[axis]}), call.List({at}), call.List({1})});
  }
  return One(x);
}

auto WriteDepthToSpace(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<SubPixelAttrs>();
  if (attrs == nullptr || attrs->layout != "NCHW") return std::nullopt;
  return One(
      call.Add("DepthToSpace", {call.arg(0)}, {Int("blocksize", attrs->block_size), String("mode", attrs->mode)}));
}

auto WriteSpaceToDepth(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<SubPixelAttrs>();
  if (attrs == nullptr || attrs->layout != "NCHW") return std::nullopt;
  return One(call.Add("SpaceToDepth", {call.arg(0)}, {Int("blocksize", attrs->block_size)}));
}

auto WriteReverseSequence(OnnxCall& call) -> Made {
  const auto* attrs = call.attrs<ReverseSequenceAttrs>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || !attrs->seq_axis.is_int() || !attrs->batch_axis.is_int()) {
    return std::nullopt;
  }
  const int64_t time = NormalizedAxis(attrs->seq_axis.value(), data->rank());
  const int64_t batch = NormalizedAxis(attrs->batch_axis.value(), data->rank());
  if (time == batch) return std::nullopt;
  // The two axes come first.
  std::vector<int64_t> order = {time, batch};
  for (size_t i = 0; i < data->rank(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (axis != time && axis != batch) order.push_back(axis);
  }
  const bool is_first = time < 2 && batch < 2;
  const std::string x = is_first ? call.arg(0) : call.Transpose(call.arg(0), order);
  const std::string reversed =
      call.Add("ReverseSequence", {x, call.AsLong(1)},
               {Int("time_axis", is_first ? time : 0), Int("batch_axis", is_first ? batch : 1)});
  return One(is_first ? reversed : call.Transpose(reversed, InverseOf(order)));
}

constexpr Types kReals = kF16 | kF32 | kF64;
constexpr Types kPoolTypes = kF16 | kF32 | kF64 | kI8 | kU8;
constexpr Types kPadTypes = kF16 | kF32 | kF64 | kI8 | kU8 | kI32 | kI64 | kU32 | kU64 | kB;

constexpr OpRule<OnnxForm> kLayerForms[] = {
    {"dft"_op, {"DFT", kF32 | kF64, WriteDft}},
    {"einsum"_op, {"Einsum", kAll, WriteEinsum}},
    {"nn.avg_pool1d"_op, {"AveragePool", kSmallFloats | kI32, WriteAvgPool<AvgPool1DAttrs>}},
    {"nn.avg_pool2d"_op, {"AveragePool", kSmallFloats | kI32, WriteAvgPool<AvgPool2DAttrs>}},
    {"nn.avg_pool3d"_op, {"AveragePool", kSmallFloats | kI32, WriteAvgPool<AvgPool3DAttrs>}},
    {"nn.batch_matmul"_op, {"MatMul", kAll, WriteBatchMatmul}},
    {"nn.batch_norm"_op, {"BatchNormalization", kReals, WriteBatchNorm}},
    {"nn.bias_add"_op, {"Add", kReals | kI32 | kI64, WriteBiasAdd}},
    {"nn.conv1d"_op, {"Conv", kAll, WriteConv<Conv1DAttrs>}},
    {"nn.conv1d_transpose"_op, {"ConvTranspose", kAll, WriteConvTranspose<Conv1DTransposeAttrs>}},
    {"nn.conv2d"_op, {"Conv", kAll, WriteConv<Conv2DAttrs>}},
    {"nn.conv2d_transpose"_op, {"ConvTranspose", kAll, WriteConvTranspose<Conv2DTransposeAttrs>}},
    {"nn.conv3d"_op, {"Conv", kAll, WriteConv<Conv3DAttrs>}},
    {"nn.conv3d_transpose"_op, {"ConvTranspose", kAll, WriteConvTranspose<Conv3DTransposeAttrs>}},
    {"nn.deformable_conv2d"_op, {"DeformConv", kF32 | kF64, WriteDeformableConv}},
    {"nn.dense"_op, {"Gemm", kReals, WriteDense}},
    {"nn.depth_to_space"_op, {"DepthToSpace", kF32 | kF64 | kU8, WriteDepthToSpace}},
    {"nn.dilate"_op, {"Pad, Reshape, Slice", kPadTypes, WriteDilate}},
    {"nn.global_avg_pool2d"_op, {"GlobalAveragePool", kSmallFloats, WriteGlobalAvgPool}},
    {"nn.global_max_pool2d"_op, {"GlobalMaxPool", kReals, WriteGlobalMaxPool}},
    {"nn.group_norm"_op, {"InstanceNormalization, Mul, Add", kSmallFloats, WriteGroupNorm}},
    {"nn.instance_norm"_op, {"InstanceNormalization", kSmallFloats, WriteInstanceNorm}},
    {"nn.layer_norm"_op, {"LayerNormalization", kReals, WriteLayerNorm}},
    {"nn.log_softmax"_op, {"LogSoftmax", kReals, WriteSoftmax<kLogSoftmax>}},
    {"nn.lrn"_op, {"LRN", kSmallFloats, WriteLrn}},
    {"nn.matmul"_op, {"MatMul", kAll, WriteMatmul}},
    {"nn.max_pool1d"_op, {"MaxPool", kPoolTypes, WriteMaxPool<MaxPool1DAttrs>}},
    {"nn.max_pool2d"_op, {"MaxPool", kPoolTypes, WriteMaxPool<MaxPool2DAttrs>}},
    {"nn.max_pool3d"_op, {"MaxPool", kPoolTypes, WriteMaxPool<MaxPool3DAttrs>}},
    {"nn.nll_loss"_op, {"NegativeLogLikelihoodLoss", kF32 | kF64, WriteNllLoss}},
    {"nn.pad"_op, {"Pad", kPadTypes, WritePad}},
    {"nn.softmax"_op, {"Softmax", kReals, WriteSoftmax<kSoftmax>}},
    {"nn.space_to_depth"_op, {"SpaceToDepth", kF32 | kF64 | kU8, WriteSpaceToDepth}},
    {"reverse_sequence"_op, {"ReverseSequence", kAll, WriteReverseSequence}},
};

}  // namespace

auto WriteWithBias(OnnxCall& call, std::string bias) -> Made {
  if (call.attrs<Conv1DAttrs>() != nullptr) return WriteConvOf<Conv1DAttrs>(call, std::move(bias));
  if (call.attrs<Conv2DAttrs>() != nullptr) return WriteConvOf<Conv2DAttrs>(call, std::move(bias));
  if (call.attrs<Conv3DAttrs>() != nullptr) return WriteConvOf<Conv3DAttrs>(call, std::move(bias));
  if (call.attrs<Conv1DTransposeAttrs>() != nullptr) return WriteConvTransposeOf<Conv1DTransposeAttrs>(call, bias);
  if (call.attrs<Conv2DTransposeAttrs>() != nullptr) return WriteConvTransposeOf<Conv2DTransposeAttrs>(call, bias);
  if (call.attrs<Conv3DTransposeAttrs>() != nullptr) return WriteConvTransposeOf<Conv3DTransposeAttrs>(call, bias);
  if (call.attrs<DenseAttrs>() != nullptr) {
    return One(call.Add("Gemm", {call.arg(0), call.arg(1), std::move(bias)}, {Int("transB", 1)}));
  }
  return std::nullopt;
}

auto LayerForms() -> std::span<const OpRule<OnnxForm>> { return kLayerForms; }

}  // namespace relayopt::onnx::out
