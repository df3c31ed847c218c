// The table of operators that Relax has. Others are written with these by LowerFor.
//
// What differs although names agree, and is written out for that reason: defaults (leakyrelu's alpha, topk's dtype,
// count_include_pad of average pools, align_corners of grid_sample, cubic_alpha of resizing), `take` beyond the end,
// `batch_norm` for training, the order of gather_nd's indices, `split` into one part.
#include "forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/relay/transforms/expand_bias.h"
#include "python.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::relax {

auto RelaxCall::TensorOf(ExprId id) const -> const Type* {
  if (!function_.type(id)) return nullptr;
  const Type& type = function_.context().type(function_.type(id));
  return type.is_tensor() ? &type : nullptr;
}

auto RelaxCall::Write(std::string_view name, std::string_view attrs) const -> std::string {
  std::string out = fmt::format("R.{}({}", name, fmt::join(args, ", "));
  const AttrsId id = function_.attrs(id_);
  if (id) {
    const AttrsRecord& record = function_.context().attrs(id);
    while (!attrs.empty() && record.schema != nullptr) {
      const size_t blank = std::min(attrs.find(' '), attrs.size());
      std::string_view word = attrs.substr(0, blank);
      attrs.remove_prefix(std::min(blank + 1, attrs.size()));
      const size_t equals = word.find('=');
      const std::string_view there = equals == std::string_view::npos ? word : word.substr(equals + 1);
      const FieldInfo* field = record.schema->Find(word.substr(0, equals));
      RELAYOPT_CHECK(field != nullptr, "rows of Relax name attributes that operators have");
      const auto value = PythonField(*field, record.data);
      if (value) out += fmt::format("{}{}={}", out.ends_with('(') ? "" : ", ", there, *value);
    }
  }
  return out + ")";
}

namespace {

using Text = std::optional<std::string>;

auto Dtype(DataType dtype) -> std::string { return PythonString(ToString(dtype)); }

// Result extents as a tuple; one that is not known becomes -1 where that is allowed.
auto ResultExtents(const RelaxCall& call, bool allows_unknown = false) -> Text {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  std::vector<Dim> shape(result->shape.begin(), result->shape.end());
  const auto is_unknown = [](const Dim& dim) { return !dim.is_int(); };
  const bool has_zero = std::any_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is(0); });
  if (allows_unknown && !has_zero && std::count_if(shape.begin(), shape.end(), is_unknown) == 1) {
    *std::find_if(shape.begin(), shape.end(), is_unknown) = -1;
  }
  return PythonTuple(shape);
}

auto Cast(const RelaxCall& call, std::string value) -> Text {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  return fmt::format("R.astype({}, {})", value, Dtype(result->dtype));
}

auto WriteCast(const RelaxCall& call) -> Text { return Cast(call, call.args[0]); }
auto WriteReshape(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call, true);
  return extents ? Text(fmt::format("R.reshape({}, {})", call.args[0], *extents)) : std::nullopt;
}
template <const char* kName>
auto WriteWithExtents(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  return extents ? Text(fmt::format("R.{}({}, {})", kName, call.args[0], *extents)) : std::nullopt;
}
constexpr char kBroadcastTo[] = "broadcast_to";
constexpr char kCollapseSumTo[] = "collapse_sum_to";

// ones, zeros, full: nothing but the type of the result counts.
template <const char* kName>
auto WriteFilled(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  if (!extents) return std::nullopt;
  const std::string value = call.num_inputs() == 1 ? ", " + call.args[0] : "";
  return fmt::format("R.{}({}{}, dtype={})", kName, *extents, value, Dtype(call.result()->dtype));
}
constexpr char kOnes[] = "ones";
constexpr char kZeros[] = "zeros";
constexpr char kFull[] = "full";

auto WriteClip(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ClipAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr) return std::nullopt;
  if (type->dtype.is_float()) {
    return fmt::format("R.clip({}, {}, {})", call.args[0], PythonFloat(attrs->a_min), PythonFloat(attrs->a_max));
  }
  // Bounds are numbers of the type of the data.
  const int bits = type->dtype.bits;
  const double low = type->dtype.is_uint() ? 0 : -std::ldexp(1.0, bits - 1);
  const double high = std::ldexp(1.0, type->dtype.is_uint() ? bits : bits - 1) - 1;
  if (bits > 32) return std::nullopt;
  return fmt::format("R.clip({}, {}, {})", call.args[0], static_cast<int64_t>(std::clamp(attrs->a_min, low, high)),
                     static_cast<int64_t>(std::clamp(attrs->a_max, low, high)));
}

auto WriteExpandDims(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ExpandDimsAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr) return std::nullopt;
  const int64_t axis = attrs->axis < 0 ? attrs->axis + static_cast<int64_t>(type->rank()) + 1 : attrs->axis;
  DimList axes;
  for (int64_t i = 0; i < attrs->num_newaxis; ++i) axes.values.emplace_back(axis + i);
  return fmt::format("R.expand_dims({}, axis={})", call.args[0], *PythonList(axes));
}

auto WriteSqueeze(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<SqueezeAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr) return std::nullopt;
  DimList axes;
  if (!attrs->axis.null) {
    axes = attrs->axis;
  } else {
    for (size_t i = 0; i < type->rank(); ++i) {
      if (type->shape[i].is(1)) axes.values.emplace_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return call.args[0];
  const Text list = PythonList(axes);
  return list ? Text(fmt::format("R.squeeze({}, axis={})", call.args[0], *list)) : std::nullopt;
}

auto WriteTranspose(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<TransposeAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr) return std::nullopt;
  DimList axes;
  const size_t rank = type->rank();
  for (size_t i = 0; i < rank; ++i) {
    const bool is_reversed = attrs->axes.null || attrs->axes.empty();
    if (!is_reversed && !attrs->axes[i].is_int()) return std::nullopt;
    axes.values.emplace_back(is_reversed ? static_cast<int64_t>(rank - 1 - i)
                                         : NormalizedAxis(attrs->axes[i].value(), rank));
  }
  return fmt::format("R.permute_dims({}, axes={})", call.args[0], *PythonList(axes));
}

// One index and its own type in Relax; any type in Relay.
auto WriteArgReduction(const RelaxCall& call, std::string_view name) -> Text {
  const auto* attrs = call.attrs<ArgReduceAttrs>();
  if (attrs == nullptr || attrs->axis.size() != 1 || attrs->select_last_index || attrs->exclude) return std::nullopt;
  return Cast(call, fmt::format("R.{}({}, axis={}, keepdims={})", name, call.args[0], attrs->axis[0].value(),
                                attrs->keepdims ? "True" : "False"));
}
auto WriteArgmax(const RelaxCall& call) -> Text { return WriteArgReduction(call, "argmax"); }
auto WriteArgmin(const RelaxCall& call) -> Text { return WriteArgReduction(call, "argmin"); }

// Relax sorts no 8-bit integers.
auto WideEnough(const RelaxCall& call) -> std::string {
  const Type* type = call.input(0);
  return type != nullptr && type->dtype.bits <= 8 ? fmt::format("R.astype({}, \"int32\")", call.args[0]) : call.args[0];
}

auto WriteSort(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ArgsortAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return Cast(call, fmt::format("R.sort({}, axis={}, descending={})", WideEnough(call), attrs->axis,
                                attrs->is_ascend ? "False" : "True"));
}

auto WriteArgsort(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ArgsortAttrs>();
  const Type* result = call.result();
  if (attrs == nullptr || result == nullptr) return std::nullopt;
  return Cast(call, fmt::format("R.argsort({}, axis={}, descending={}, dtype=\"int32\")", WideEnough(call), attrs->axis,
                                attrs->is_ascend ? "False" : "True"));
}

auto WriteTopk(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<TopkAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr || !attrs->k.is_int() || type->dtype.bits <= 8) return std::nullopt;
  const Dim extent = type->shape[static_cast<size_t>(NormalizedAxis(attrs->axis, type->rank()))];
  const Dim k = attrs->k.value() < 1 ? extent : attrs->k;
  if (!k.is_int()) return std::nullopt;
  const DataType dtype = attrs->dtype.is_void() ? kInt32 : attrs->dtype;
  return fmt::format("R.topk({}, k={}, axis={}, ret_type={}, largest={}, dtype={})", call.args[0], k.value(),
                     attrs->axis, PythonString(attrs->ret_type), attrs->is_ascend ? "False" : "True", Dtype(dtype));
}

auto WriteScan(const RelaxCall& call, std::string_view name) -> Text {
  const auto* attrs = call.attrs<ScanopAttrs>();
  const Type* result = call.result();
  if (attrs == nullptr || result == nullptr) return std::nullopt;
  // Without an axis the data is one row.
  const std::string data = attrs->axis.is_int() ? call.args[0] : fmt::format("R.reshape({}, (-1,))", call.args[0]);
  const int64_t axis = attrs->axis.is_int() ? attrs->axis.value() : 0;
  const bool is_exclusive = attrs->exclusive.is_int() && attrs->exclusive.value() != 0;
  return fmt::format("R.{}({}, axis={}, dtype={}, exclusive={})", name, data, axis, Dtype(result->dtype),
                     is_exclusive ? "True" : "False");
}
auto WriteCumsum(const RelaxCall& call) -> Text { return WriteScan(call, "cumsum"); }
auto WriteCumprod(const RelaxCall& call) -> Text { return WriteScan(call, "cumprod"); }

auto WriteTake(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<TakeAttrs>();
  if (attrs == nullptr || !attrs->batch_dims.is(0)) return std::nullopt;
  const std::string data = attrs->axis.is_int() ? call.args[0] : fmt::format("R.reshape({}, (-1,))", call.args[0]);
  return fmt::format("R.take({}, {}, axis={}, mode={})", data, call.args[1],
                     attrs->axis.is_int() ? attrs->axis.value() : 0, PythonString(attrs->mode));
}

// The indices of one element lie along the first axis in Relay, along the last in Relax, which wants int64.
auto IndicesLast(const RelaxCall& call) -> Text {
  const Type* type = call.input(1);
  if (type == nullptr || type->rank() == 0) return std::nullopt;
  DimList order;
  for (size_t i = 1; i < type->rank(); ++i) order.values.emplace_back(static_cast<int64_t>(i));
  order.values.emplace_back(0);
  return fmt::format("R.permute_dims(R.astype({}, \"int64\"), axes={})", call.args[1], *PythonList(order));
}

auto WriteGatherNd(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<GatherNDAttrs>();
  const Text indices = IndicesLast(call);
  if (attrs == nullptr || !indices || !attrs->batch_dims.is_int()) return std::nullopt;
  return fmt::format("R.gather_nd({}, {}, batch_dims={})", call.args[0], *indices, attrs->batch_dims.value());
}

auto WriteScatterNd(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ScatterNDAttrs>();
  const Text indices = IndicesLast(call);
  if (attrs == nullptr || !indices) return std::nullopt;
  return fmt::format("R.scatter_nd({}, {}, {}, reduction={})", call.args[0], *indices, call.args[2],
                     PythonString(attrs->mode));
}

auto WriteScatterElements(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ScatterElementsAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return fmt::format("R.scatter_elements({}, R.astype({}, \"int64\"), {}, axis={}, reduction={})", call.args[0],
                     call.args[1], call.args[2], attrs->axis.value(), PythonString(attrs->reduction));
}

auto WriteGather(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<GatherAttrs>();
  if (attrs == nullptr || !attrs->axis.is_int()) return std::nullopt;
  return fmt::format("R.gather_elements({}, {}, axis={})", call.args[0], call.args[1], attrs->axis.value());
}

auto WriteStridedSlice(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<StridedSliceAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr || attrs->begin.null || attrs->end.null) return std::nullopt;
  DimList axes;
  DimList begin;
  DimList end;
  DimList strides;
  for (size_t i = 0; i < attrs->begin.size(); ++i) {
    const int64_t axis =
        attrs->axes.null ? static_cast<int64_t>(i) : NormalizedAxis(attrs->axes[i].value(), type->rank());
    int64_t stride = 1;
    if (!attrs->strides.null && !attrs->strides.empty()) {
      stride = attrs->strides[attrs->strides.size() == 1 ? 0 : i].value();
    }
    if (!attrs->begin[i].is_int() || i >= attrs->end.size() || !attrs->end[i].is_int()) return std::nullopt;
    constexpr int64_t kFar = INT32_MAX;
    int64_t stop = attrs->end[i].value();
    if (attrs->slice_mode == "size") {
      stride = 1;
      stop = stop < 0 ? kFar : attrs->begin[i].value() + stop;
    }
    axes.values.emplace_back(axis);
    begin.values.emplace_back(std::clamp(attrs->begin[i].value(), -kFar, kFar));
    end.values.emplace_back(std::clamp(stop, -kFar, kFar));
    strides.values.emplace_back(stride);
  }
  return fmt::format("R.strided_slice({}, axes={}, begin={}, end={}, strides={})", call.args[0], *PythonList(axes),
                     *PythonList(begin), *PythonList(end), *PythonList(strides));
}

// A tuple of one tensor is what Relay gives for one section; Relax gives the tensor.
auto WriteSplit(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<SplitAttrs>();
  if (attrs == nullptr || !attrs->indices_or_sections) return std::nullopt;
  const Context& context = call.function().context();
  const Object& object = context.object(attrs->indices_or_sections);
  std::string sections;
  if (object.kind == ObjectKind::kInt) {
    if (object.integer == 1) return fmt::format("R.tuple({})", call.args[0]);
    sections = std::to_string(object.integer);
  } else {
    DimList places;
    for (const ObjectId item : object.items) places.values.emplace_back(context.object(item).integer);
    if (places.empty()) return fmt::format("R.tuple({})", call.args[0]);
    sections = *PythonList(places);
  }
  return fmt::format("R.split({}, {}, axis={})", call.args[0], sections, attrs->axis);
}

auto WritePad(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<PadAttrs>();
  const Constant* value = call.constant(1);
  if (attrs == nullptr || value == nullptr || attrs->pad_mode != "constant") return std::nullopt;
  const auto number = value->ScalarAsDouble();
  DimList widths;
  for (const DimList& pair : attrs->pad_width.values) {
    for (const Dim& width : pair) {
      // Negative widths cut off in Relay.
      if (!width.is_int() || width.value() < 0) return std::nullopt;
      widths.values.push_back(width);
    }
  }
  if (!number) return std::nullopt;
  return fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"constant\", pad_value={})", call.args[0],
                     *PythonList(widths), PythonFloat(*number));
}

// A tuple of three, of which inference uses the first.
auto WriteBatchNorm(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<BatchNormAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr) return std::nullopt;
  return fmt::format("R.nn.batch_norm({}, axis={}, epsilon={}, center={}, scale={}, momentum=0.0, training=False)",
                     fmt::join(call.args, ", "), NormalizedAxis(attrs->axis, type->rank()), PythonFloat(attrs->epsilon),
                     attrs->center ? "True" : "False", attrs->scale ? "True" : "False");
}

// Axes other than the first and the channels.
auto OtherAxes(size_t rank, int64_t channel) -> std::string {
  DimList axes;
  for (size_t i = 1; i < rank; ++i) {
    if (static_cast<int64_t>(i) != channel) axes.values.emplace_back(static_cast<int64_t>(i));
  }
  return *PythonList(axes);
}

auto WriteLayerNorm(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<LayerNormAttrs>();
  if (attrs == nullptr || !attrs->center || !attrs->scale) return std::nullopt;
  return fmt::format("R.nn.layer_norm({}, axes=[{}], epsilon={}, center=True, scale=True)", fmt::join(call.args, ", "),
                     attrs->axis, PythonFloat(attrs->epsilon));
}

template <typename A>
auto WriteChannelNorm(const RelaxCall& call, std::string_view name, std::string groups) -> Text {
  const auto* attrs = call.attrs<A>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr || !attrs->center || !attrs->scale) return std::nullopt;
  const int64_t channel = NormalizedAxis(attrs->axis, type->rank());
  return fmt::format("R.nn.{}({}{}, channel_axis={}, axes={}, epsilon={}, center=True, scale=True)", name,
                     fmt::join(call.args, ", "), groups, channel, OtherAxes(type->rank(), channel),
                     PythonFloat(attrs->epsilon));
}
auto WriteGroupNorm(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<GroupNormAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return WriteChannelNorm<GroupNormAttrs>(call, "group_norm", fmt::format(", num_groups={}", attrs->num_groups));
}
auto WriteInstanceNorm(const RelaxCall& call) -> Text {
  return WriteChannelNorm<InstanceNormAttrs>(call, "instance_norm", "");
}

constexpr std::string_view kConvAttrs = "strides padding dilation groups data_layout kernel_layout out_dtype";
constexpr std::string_view kTransposeAttrs =
    "strides padding output_padding dilation groups data_layout kernel_layout out_dtype";
constexpr std::string_view kMaxPoolAttrs = "pool_size strides padding dilation ceil_mode layout";
constexpr std::string_view kAvgPoolAttrs = "pool_size strides padding dilation ceil_mode count_include_pad layout";
constexpr std::string_view kResizeAttrs =
    "size layout method coordinate_transformation_mode cubic_alpha cubic_exclude extrapolation_value out_dtype";

// Layouts of one letter an axis, the same on both sides: Relax legalizes no others.
template <typename A>
auto WriteConv(const RelaxCall& call, std::string_view name, std::string_view attrs_text) -> Text {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  if (attrs == nullptr || data == nullptr || attrs->data_layout.size() != data->rank()) return std::nullopt;
  if (!attrs->out_layout.empty() && attrs->out_layout != attrs->data_layout) return std::nullopt;
  return call.Write(name, attrs_text);
}
// Relax wants output padding below the strides.
template <typename A>
auto WriteTransposedConv(const RelaxCall& call, std::string_view name) -> Text {
  const auto* attrs = call.attrs<A>();
  if (attrs == nullptr) return std::nullopt;
  for (size_t i = 0; i < attrs->output_padding.size(); ++i) {
    const Dim& stride = attrs->strides[attrs->strides.size() == 1 ? 0 : i];
    if (!stride.is_int() || !attrs->output_padding[i].is_int()) return std::nullopt;
    if (attrs->output_padding[i].value() >= stride.value()) return std::nullopt;
  }
  return WriteConv<A>(call, name, kTransposeAttrs);
}
auto WriteConv1dTranspose(const RelaxCall& call) -> Text {
  return WriteTransposedConv<Conv1DTransposeAttrs>(call, "nn.conv1d_transpose");
}
auto WriteConv2dTranspose(const RelaxCall& call) -> Text {
  return WriteTransposedConv<Conv2DTransposeAttrs>(call, "nn.conv2d_transpose");
}
auto WriteConv3dTranspose(const RelaxCall& call) -> Text {
  return WriteTransposedConv<Conv3DTransposeAttrs>(call, "nn.conv3d_transpose");
}
auto WriteConv1d(const RelaxCall& call) -> Text { return WriteConv<Conv1DAttrs>(call, "nn.conv1d", kConvAttrs); }
auto WriteConv2d(const RelaxCall& call) -> Text { return WriteConv<Conv2DAttrs>(call, "nn.conv2d", kConvAttrs); }
auto WriteConv3d(const RelaxCall& call) -> Text { return WriteConv<Conv3DAttrs>(call, "nn.conv3d", kConvAttrs); }

template <const char* kName, bool kIsAverage>
auto WritePool(const RelaxCall& call) -> Text {
  const Type* data = call.input(0);
  if (data == nullptr) return std::nullopt;
  const std::string pool = call.Write(kName, kIsAverage ? kAvgPoolAttrs : kMaxPoolAttrs);
  // LowerFor says what it can of this with padding.
  if (pool.find("ceil_mode=True") != std::string::npos) return std::nullopt;
  if (!kIsAverage || data->dtype.is_float()) return pool;
  // Averages of integers are promised in one type and built in another, so both are said.
  RelaxCall wide = call;
  wide.args[0] = fmt::format("R.astype({}, \"int64\")", call.args[0]);
  return Cast(call, wide.Write(kName, kAvgPoolAttrs));
}
constexpr char kMaxPool1d[] = "nn.max_pool1d";
constexpr char kMaxPool2d[] = "nn.max_pool2d";
constexpr char kMaxPool3d[] = "nn.max_pool3d";
constexpr char kAvgPool1d[] = "nn.avg_pool1d";
constexpr char kAvgPool2d[] = "nn.avg_pool2d";
constexpr char kAvgPool3d[] = "nn.avg_pool3d";

// A region counts only where the mode asks for one; the method of rounding may be empty.
template <typename A>
auto WriteResize(const RelaxCall& call, std::string_view name) -> Text {
  const auto* attrs = call.attrs<A>();
  if (attrs == nullptr || attrs->coordinate_transformation_mode == "tf_crop_and_resize") return std::nullopt;
  std::string text = call.Write(name, kResizeAttrs);
  text.pop_back();
  return fmt::format("{}, rounding_method={})", text, PythonString(attrs->rounding_method));
}
auto WriteResize2d(const RelaxCall& call) -> Text { return WriteResize<Resize2DAttrs>(call, "image.resize2d"); }
auto WriteResize3d(const RelaxCall& call) -> Text { return WriteResize<Resize3DAttrs>(call, "image.resize3d"); }

auto WriteTrilu(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<TriluAttrs>();
  const Constant* k = call.constant(1);
  if (attrs == nullptr || k == nullptr || !k->ScalarAsInt()) return std::nullopt;
  return fmt::format("R.{}({}, {})", attrs->upper ? "triu" : "tril", call.args[0], *k->ScalarAsInt());
}

auto WriteMatmul(const RelaxCall& call) -> Text {
  const Type* result = call.result();
  const Type* input = call.input(0);
  if (result == nullptr || input == nullptr) return std::nullopt;
  const Type* other = call.input(1);
  if (result->dtype == input->dtype) return fmt::format("R.matmul({}, {})", call.args[0], call.args[1]);
  // Both operands are of one type there; the wider one of the result holds either.
  if (other != nullptr && other->dtype != input->dtype) {
    return fmt::format("R.matmul(R.astype({0}, {2}), R.astype({1}, {2}))", call.args[0], call.args[1],
                       Dtype(result->dtype));
  }
  return fmt::format("R.matmul({}, {}, out_dtype={})", call.args[0], call.args[1], Dtype(result->dtype));
}

// Of numbers that are written out.
auto WriteArange(const RelaxCall& call) -> Text {
  const Type* result = call.result();
  std::vector<std::string> numbers;
  for (size_t i = 0; i < call.num_inputs(); ++i) {
    const Constant* constant = call.constant(i);
    if (constant == nullptr || constant->num_elements() != 1) return std::nullopt;
    numbers.push_back(PythonElements(*constant));
  }
  if (result == nullptr || numbers.size() != 3) return std::nullopt;
  return fmt::format("R.arange({}, {}, {}, dtype={})", numbers[0], numbers[1], numbers[2], Dtype(result->dtype));
}

auto WriteSearchsorted(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<SearchSortedAttrs>();
  const Type* sorted = call.input(0);
  if (attrs == nullptr || sorted == nullptr || sorted->rank() != 1) return std::nullopt;
  return Cast(call, fmt::format("R.bucketize({}, {}, out_int32=False, right={})", call.args[1], call.args[0],
                                attrs->right ? "True" : "False"));
}

auto WriteReinterpret(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  if (!extents) return std::nullopt;
  return fmt::format("R.memory.view({}, {}, {})", call.args[0], *extents, Dtype(call.result()->dtype));
}

constexpr OpRule<RelaxForm> kForms[] = {
    // Element by element.
    {"abs"_op, {"abs"}},
    {"acos"_op, {"acos"}},
    {"acosh"_op, {"acosh"}},
    {"asin"_op, {"asin"}},
    {"asinh"_op, {"asinh"}},
    {"atan"_op, {"atan"}},
    {"atanh"_op, {"atanh"}},
    {"bitwise_not"_op, {"bitwise_not"}},
    {"cast"_op, {"astype", "", WriteCast}},
    {"ceil"_op, {"ceil"}},
    {"clip"_op, {"clip", "", WriteClip}},
    {"cos"_op, {"cos"}},
    {"cosh"_op, {"cosh"}},
    {"erf"_op, {"erf"}},
    {"exp"_op, {"exp"}},
    {"floor"_op, {"floor"}},
    {"isfinite"_op, {"isfinite"}},
    {"isinf"_op, {"isinf"}},
    {"isnan"_op, {"isnan"}},
    {"log"_op, {"log"}},
    {"logical_not"_op, {"logical_not"}},
    {"negative"_op, {"negative"}},
    {"nn.leaky_relu"_op, {"nn.leakyrelu", "alpha"}},
    {"nn.prelu"_op, {"nn.prelu", "axis"}},
    {"nn.relu"_op, {"nn.relu"}},
    {"reinterpret"_op, {"memory.view", "", WriteReinterpret}},
    {"rsqrt"_op, {"rsqrt"}},
    {"sigmoid"_op, {"sigmoid"}},
    {"sign"_op, {"sign"}},
    {"sin"_op, {"sin"}},
    {"sinh"_op, {"sinh"}},
    {"sqrt"_op, {"sqrt"}},
    {"tan"_op, {"tan"}},
    {"tanh"_op, {"tanh"}},
    {"trunc"_op, {"trunc"}},
    // Two tensors that broadcast.
    {"add"_op, {"add"}},
    {"bitwise_and"_op, {"bitwise_and"}},
    {"bitwise_or"_op, {"bitwise_or"}},
    {"bitwise_xor"_op, {"bitwise_xor"}},
    {"divide"_op, {"divide"}},
    {"equal"_op, {"equal"}},
    {"floor_divide"_op, {"floor_divide"}},
    {"floor_mod"_op, {"floor_mod"}},
    {"greater"_op, {"greater"}},
    {"greater_equal"_op, {"greater_equal"}},
    {"left_shift"_op, {"left_shift"}},
    {"less"_op, {"less"}},
    {"less_equal"_op, {"less_equal"}},
    {"logical_and"_op, {"logical_and"}},
    {"logical_or"_op, {"logical_or"}},
    {"logical_xor"_op, {"logical_xor"}},
    {"maximum"_op, {"maximum"}},
    {"minimum"_op, {"minimum"}},
    {"mod"_op, {"mod"}},
    {"multiply"_op, {"multiply"}},
    {"not_equal"_op, {"not_equal"}},
    {"power"_op, {"power"}},
    {"right_shift"_op, {"right_shift"}},
    {"subtract"_op, {"subtract"}},
    {"where"_op, {"where"}},
    // Reductions and scans.
    {"argmax"_op, {"argmax", "", WriteArgmax}},
    {"argmin"_op, {"argmin", "", WriteArgmin}},
    {"cumprod"_op, {"cumprod", "", WriteCumprod}},
    {"cumsum"_op, {"cumsum", "", WriteCumsum}},
    {"max"_op, {"max", "axis keepdims"}},
    {"mean"_op, {"mean", "axis keepdims"}},
    {"min"_op, {"min", "axis keepdims"}},
    {"prod"_op, {"prod", "axis keepdims"}},
    {"sum"_op, {"sum", "axis keepdims"}},
    // Order.
    {"argsort"_op, {"argsort", "", WriteArgsort}},
    {"searchsorted"_op, {"bucketize", "", WriteSearchsorted}},
    {"sort"_op, {"sort", "", WriteSort}},
    {"topk"_op, {"topk", "", WriteTopk}},
    // Shapes.
    {"broadcast_to"_op, {"broadcast_to", "", WriteWithExtents<kBroadcastTo>}},
    {"collapse_sum_like"_op, {"collapse_sum_to", "", WriteWithExtents<kCollapseSumTo>}},
    {"collapse_sum_to"_op, {"collapse_sum_to", "", WriteWithExtents<kCollapseSumTo>}},
    {"concatenate"_op, {"concat", "axis"}},
    {"expand_dims"_op, {"expand_dims", "", WriteExpandDims}},
    {"nn.batch_flatten"_op, {"nn.batch_flatten"}},
    {"repeat"_op, {"repeat", "repeats axis"}},
    {"reshape"_op, {"reshape", "", WriteReshape}},
    {"reverse"_op, {"flip", "axis"}},
    {"split"_op, {"split", "", WriteSplit}},
    {"squeeze"_op, {"squeeze", "", WriteSqueeze}},
    {"stack"_op, {"stack", "axis"}},
    {"strided_slice"_op, {"strided_slice", "", WriteStridedSlice}},
    {"tile"_op, {"tile", "reps=repeats"}},
    {"transpose"_op, {"permute_dims", "", WriteTranspose}},
    {"trilu"_op, {"triu, tril", "", WriteTrilu}},
    // Elements by their places.
    {"adv_index"_op, {"index_tensor"}},
    {"gather"_op, {"gather_elements", "", WriteGather}},
    {"gather_nd"_op, {"gather_nd", "", WriteGatherNd}},
    {"scatter_elements"_op, {"scatter_elements", "", WriteScatterElements}},
    {"scatter_nd"_op, {"scatter_nd", "", WriteScatterNd}},
    {"take"_op, {"take", "", WriteTake}},
    // New tensors.
    {"arange"_op, {"arange", "", WriteArange}},
    {"full"_op, {"full", "", WriteFilled<kFull>}},
    {"full_like"_op, {"full_like"}},
    {"meshgrid"_op, {"meshgrid", "indexing"}},
    {"ones"_op, {"ones", "", WriteFilled<kOnes>}},
    {"ones_like"_op, {"ones_like"}},
    {"zeros"_op, {"zeros", "", WriteFilled<kZeros>}},
    {"zeros_like"_op, {"zeros_like"}},
    // Products.
    {"einsum"_op, {"einsum", "equation=subscripts"}},
    {"nn.batch_matmul"_op, {"matmul", "", WriteMatmul}},
    {"nn.matmul"_op, {"matmul", "", WriteMatmul}},
    {"nn.conv1d"_op, {"nn.conv1d", "", WriteConv1d}},
    {"nn.conv1d_transpose"_op, {"nn.conv1d_transpose", "", WriteConv1dTranspose}},
    {"nn.conv2d"_op, {"nn.conv2d", "", WriteConv2d}},
    {"nn.conv2d_transpose"_op, {"nn.conv2d_transpose", "", WriteConv2dTranspose}},
    {"nn.conv3d"_op, {"nn.conv3d", "", WriteConv3d}},
    {"nn.conv3d_transpose"_op, {"nn.conv3d_transpose", "", WriteConv3dTranspose}},
    // Layers.
    {"nn.adaptive_avg_pool1d"_op, {"nn.adaptive_avg_pool1d", "output_size layout"}},
    {"nn.adaptive_avg_pool2d"_op, {"nn.adaptive_avg_pool2d", "output_size layout"}},
    {"nn.adaptive_avg_pool3d"_op, {"nn.adaptive_avg_pool3d", "output_size layout"}},
    {"nn.avg_pool1d"_op, {"nn.avg_pool1d", "", WritePool<kAvgPool1d, true>}},
    {"nn.avg_pool2d"_op, {"nn.avg_pool2d", "", WritePool<kAvgPool2d, true>}},
    {"nn.avg_pool3d"_op, {"nn.avg_pool3d", "", WritePool<kAvgPool3d, true>}},
    {"nn.batch_norm"_op, {"nn.batch_norm", "", WriteBatchNorm}},
    {"nn.group_norm"_op, {"nn.group_norm", "", WriteGroupNorm}},
    {"nn.instance_norm"_op, {"nn.instance_norm", "", WriteInstanceNorm}},
    {"nn.layer_norm"_op, {"nn.layer_norm", "", WriteLayerNorm}},
    {"nn.log_softmax"_op, {"nn.log_softmax", "axis"}},
    {"nn.max_pool1d"_op, {"nn.max_pool1d", "", WritePool<kMaxPool1d, false>}},
    {"nn.max_pool2d"_op, {"nn.max_pool2d", "", WritePool<kMaxPool2d, false>}},
    {"nn.max_pool3d"_op, {"nn.max_pool3d", "", WritePool<kMaxPool3d, false>}},
    {"nn.nll_loss"_op, {"nn.nll_loss", "reduction ignore_index"}},
    {"nn.pad"_op, {"nn.pad", "", WritePad}},
    {"nn.softmax"_op, {"nn.softmax", "axis"}},
    // Pictures and boxes.
    {"image.affine_grid"_op, {"image.affine_grid", "target_shape=size"}},
    {"image.grid_sample"_op, {"image.grid_sample", "method layout padding_mode align_corners"}},
    {"image.resize2d"_op, {"image.resize2d", "", WriteResize2d}},
    {"image.resize3d"_op, {"image.resize3d", "", WriteResize3d}},
    {"vision.roi_align"_op, {"vision.roi_align", "pooled_size spatial_scale sample_ratio layout mode"}},
    // Quantization.
    {"qnn.dequantize"_op, {"dequantize", "axis out_dtype"}},
    {"qnn.quantize"_op, {"quantize", "axis out_dtype"}},
};

}  // namespace

auto FindRelaxForm(const OpDef* op) -> const RelaxForm* {
  static const OpRules<RelaxForm> forms = {std::span<const OpRule<RelaxForm>>(kForms)};
  return forms.Find(op);
}

}  // namespace relayopt::relax
