// Forms of operators with operands that choose elements and their number (extents.h).
#include <fmt/format.h>

#include "extents.h"
#include "forms.h"
#include "python.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"

namespace relayopt::relax {

namespace {

// Returns bounds for all axes; axes after the given ones are not cut.
auto WriteDynStridedSlice(const RelaxCall& call, const StridedSliceAttrs& attrs) -> Text {
  const Type* begin = call.input(1);
  const Type* result = call.result();
  if (begin == nullptr || result == nullptr || begin->rank() != 1 || !begin->shape[0].is_int()) return std::nullopt;
  const auto count = static_cast<size_t>(begin->shape[0].value());
  const Extents given = call.extents(0);
  if (count > given.size()) return std::nullopt;
  RelaxLines& lines = call.lines();
  std::string bounds[3];
  for (size_t i = 0; i < 3; ++i) bounds[i] = lines.Bind(Wide(call.args[i + 1]));
  const Extents head(given.begin(), given.begin() + static_cast<ptrdiff_t>(count));
  if (attrs.slice_mode == "size") {
    const std::string extents = lines.Bind(AsTensor(head));
    // A negative size means up to the end.
    const std::string first =
        fmt::format("R.where(R.less({0}, {1}), R.add({0}, {2}), {0})", bounds[0], WideConst(0), extents);
    bounds[1] = lines.Bind(
        fmt::format("R.where(R.less({0}, {1}), {2}, R.add({3}, {0}))", bounds[1], WideConst(0), extents, first));
    bounds[2] = lines.Bind(fmt::format("R.ones_like({})", bounds[0]));
  }
  if (count < given.size()) {
    const Extents tail(given.begin() + static_cast<ptrdiff_t>(count), given.end());
    const Extents zeros(tail.size(), "0");
    const Extents ones(tail.size(), "1");
    const Extents* const behind[] = {&zeros, &tail, &ones};
    for (size_t i = 0; i < 3; ++i) {
      bounds[i] = lines.Bind(fmt::format("R.concat(({}, {}), axis=0)", bounds[i], AsTensor(*behind[i])));
    }
  }
  const std::string slice =
      lines.Bind(fmt::format("R.dynamic_strided_slice({}, {}, {}, {})", call.args[0], bounds[0], bounds[1], bounds[2]));
  Extents extents = given;
  for (size_t i = 0; i < count; ++i) extents[i] = lines.NewExtent();
  return Shaped(call,
                fmt::format("R.match_cast({}, R.Tensor(({}{}), dtype={}))", slice, fmt::join(extents, ", "),
                            extents.size() == 1 ? "," : "", DtypeText(result->dtype)),
                extents);
}

// Sorts all elements and keeps the first k.
auto WriteDynTopk(const RelaxCall& call, const TopkAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() == 0 || type->dtype.bits <= 8) return std::nullopt;
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.axis, type->rank()));
  Extents extents = call.extents(0);
  RelaxLines& lines = call.lines();
  const std::string all = AsTensor(std::span(&extents[axis], 1));
  const std::string k = lines.Bind(fmt::format("R.reshape({}, (1,))", Wide(call.args[1])));
  const std::string bounded =
      lines.Bind(fmt::format("R.where(R.less({0}, {1}), {2}, R.minimum({0}, {2}))", k, WideConst(1), all));
  extents[axis] = Named(call, bounded, 1)[0];
  const DataType dtype = attrs.dtype.is_void() ? kInt32 : attrs.dtype;
  const std::string sorted =
      lines.Bind(fmt::format("R.topk({}, k=-1, axis={}, ret_type=\"both\", largest={}, dtype={})", call.args[0], axis,
                             attrs.is_ascend ? "False" : "True", DtypeText(dtype)));
  const auto part = [&](int i) {
    return fmt::format("R.strided_slice({}[{}], axes=[{}], begin=[0], end=[{}])", sorted, i, axis, extents[axis]);
  };
  if (attrs.ret_type == "both") return fmt::format("({}, {})", lines.Bind(part(0)), lines.Bind(part(1)));
  return Shaped(call, part(attrs.ret_type == "values" ? 0 : 1), extents);
}

// where(index == 0 .. depth - 1, on, off)
auto WriteDynOneHot(const RelaxCall& call, const OneHotAttrs& attrs) -> Text {
  const Type* indices = call.input(0);
  const Type* result = call.result();
  if (indices == nullptr || result == nullptr) return std::nullopt;
  const auto depth = NamedArgument(call, 3);
  if (!depth || depth->size() != 1) return std::nullopt;
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.axis, result->rank()));
  Extents extents = call.extents(0);
  extents.insert(extents.begin() + static_cast<ptrdiff_t>(axis), (*depth)[0]);
  Extents line(extents.size(), "1");
  line[axis] = (*depth)[0];
  RelaxLines& lines = call.lines();
  const std::string places = fmt::format("R.reshape(R.arange(0, {}, 1, dtype={}), {})", (*depth)[0],
                                         DtypeText(indices->dtype), ShapeText(line));
  const std::string hits =
      lines.Bind(fmt::format("R.equal(R.expand_dims({}, axis=[{}]), {})", call.args[0], axis, places));
  const auto value = [&](size_t i) {
    return fmt::format("R.astype(R.reshape({}, ()), {})", call.args[i], DtypeText(result->dtype));
  };
  return Shaped(call, fmt::format("R.where({}, {}, {})", hits, value(1), value(2)), extents);
}

// Along each axis, elements are taken from positions that begin before the first and end after the last one.
auto WriteDynPad(const RelaxCall& call, const PadAttrs& attrs) -> Text {
  const Type* result = call.result();
  const auto widths = NamedArgument(call, 1);
  Extents extents = call.extents(0);
  if (result == nullptr || !widths || widths->size() != 2 * extents.size()) return std::nullopt;
  RelaxLines& lines = call.lines();
  std::string data = call.args[0];
  std::string is_data;
  for (size_t i = 0; i < extents.size(); ++i) {
    const std::string extent = extents[i];
    if (extent == "0") return std::nullopt;
    const std::string& before = (*widths)[2 * i];
    const std::string& after = (*widths)[2 * i + 1];
    extents[i] = Plus(Plus(extent, before), after);
    std::string places =
        lines.Bind(fmt::format("R.arange(0 - {}, {}, 1, dtype=\"int64\")", before, Plus(extent, after)));
    if (attrs.pad_mode == "constant") {
      Extents line(extents.size(), "1");
      line[i] = extents[i];
      const std::string last = fmt::format("R.reshape({}, ())", AsTensor(std::span(&extent, 1)));
      const std::string inside =
          fmt::format("R.reshape(R.logical_and(R.greater_equal({0}, {1}), R.less({0}, {2})), {3})", places,
                      WideConst(0), last, ShapeText(line));
      is_data = lines.Bind(is_data.empty() ? inside : fmt::format("R.logical_and({}, {})", is_data, inside));
    } else if (attrs.pad_mode != "edge") {
      // last - |last - |place||
      const std::string last =
          lines.Bind(fmt::format("R.subtract(R.reshape({}, ()), {})", AsTensor(std::span(&extent, 1)), WideConst(1)));
      places = lines.Bind(fmt::format("R.subtract({0}, R.abs(R.subtract({0}, R.abs({1}))))", last, places));
    }
    data = lines.Bind(fmt::format("R.take({}, {}, axis={}, mode=\"clip\")", data, places, i));
  }
  if (is_data.empty()) return Shaped(call, data, extents);
  const std::string value = fmt::format("R.astype(R.reshape({}, ()), {})", call.args[2], DtypeText(result->dtype));
  return Shaped(call, fmt::format("R.where({}, {}, {})", is_data, data, value), extents);
}

// Maps sizes of the spatial axes (those that are neither N nor C in the layout) to their positions.
auto WithSize(const RelaxCall& call, std::string_view layout, std::string_view axes, const Extents& size)
    -> std::optional<Extents> {
  Extents extents = call.extents(0);
  if (layout.size() != extents.size() || size.size() != axes.size()) return std::nullopt;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t at = layout.find(axes[i]);
    if (at == std::string_view::npos) return std::nullopt;
    extents[at] = size[i];
  }
  return extents;
}

auto WriteDynResize(const RelaxCall& call, const Resize2DAttrs& attrs) -> Text {
  if (attrs.coordinate_transformation_mode == "tf_crop_and_resize") return std::nullopt;
  const auto size = NamedArgument(call, 1);
  if (!size) return std::nullopt;
  const auto extents = WithSize(call, attrs.layout, "HW", *size);
  if (!extents) return std::nullopt;
  RelaxCall resize = call;
  resize.args = {call.args[0], ShapeText(*size)};
  std::string text = resize.Write();
  text.pop_back();
  return Shaped(call, fmt::format("{}, rounding_method={})", text, PythonString(attrs.rounding_method)), *extents);
}

// The size is each extent times its factor, rounded.
template <typename A>
auto WriteDynUpsampling(const RelaxCall& call, std::string_view name, std::string_view axes, std::string_view mode)
    -> Text {
  const auto* attrs = call.attrs<A>();
  const Extents given = call.extents(0);
  if (attrs == nullptr || attrs->layout.size() != given.size()) return std::nullopt;
  Extents size;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t at = attrs->layout.find(axes[i]);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string extent = fmt::format("R.astype({}, \"float64\")", AsTensor(std::span(&given[at], 1)));
    const std::string factor = fmt::format("R.astype(R.reshape({}, (1,)), \"float64\")", call.args[i + 1]);
    const std::string product = fmt::format("R.round(R.multiply({}, {}))", extent, factor);
    size.push_back(Named(call, call.lines().Bind(Wide(product)), 1)[0]);
  }
  const std::string_view method = attrs->method == "nearest_neighbor" ? "nearest_neighbor"
                                  : attrs->method.ends_with("linear") ? "linear"
                                                                      : "cubic";
  return Shaped(call,
                fmt::format("R.{}({}, {}, layout=\"{}\", method=\"{}\", coordinate_transformation_mode=\"{}\", "
                            "rounding_method=\"\", cubic_alpha=-0.5, cubic_exclude=0, extrapolation_value=0.0)",
                            name, call.args[0], ShapeText(size), attrs->layout, method, mode),
                *WithSize(call, attrs->layout, axes, size));
}
auto WriteDynUpsampling2d(const RelaxCall& call, const UpSamplingAttrs& attrs) -> Text {
  return WriteDynUpsampling<UpSamplingAttrs>(call, "image.resize2d", "HW",
                                             attrs.align_corners ? "align_corners" : "asymmetric");
}
auto WriteDynUpsampling3d(const RelaxCall& call, const UpSampling3DAttrs& attrs) -> Text {
  return WriteDynUpsampling<UpSampling3DAttrs>(call, "image.resize3d", "DHW", attrs.coordinate_transformation_mode);
}

// Scatters values into a tensor that is filled with the default.
auto WriteDynSparseToDense(const RelaxCall& call) -> Text {
  const Type* indices = call.input(0);
  const Type* result = call.result();
  const auto extents = NamedArgument(call, call.num_inputs() - 1);
  if (indices == nullptr || result == nullptr || !extents || call.num_inputs() < 3) return std::nullopt;
  const std::string dtype = DtypeText(result->dtype);
  RelaxLines& lines = call.lines();
  const std::string value =
      call.num_inputs() == 4 ? fmt::format("R.reshape({}, ())", call.args[2]) : fmt::format("R.const(0, {})", dtype);
  const std::string full = lines.Bind(fmt::format("R.full({}, {}, dtype={})", ShapeText(*extents), value, dtype));
  const Extents given = call.extents(0);
  const std::string count = given.empty() ? "1" : given[0];
  const std::string tuple = indices->rank() == 2 ? given[1] : "1";
  const std::string places = fmt::format("R.reshape({}, {})", Wide(call.args[0]), ShapeText(Extents{count, tuple}));
  const std::string updates = fmt::format("R.broadcast_to({}, {})", call.args[1], ShapeText(Extents{count}));
  return Shaped(call, fmt::format("R.scatter_nd({}, {}, {}, reduction=\"update\")", full, places, updates), *extents);
}

auto WriteArgwhere(const RelaxCall& call) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() == 0) return std::nullopt;
  RelaxLines& lines = call.lines();
  const std::string count = lines.NewExtent();
  const std::string condition = fmt::format("R.not_equal({}, R.const(0, {}))", call.args[0], DtypeText(type->dtype));
  const std::string found =
      lines.Bind(fmt::format("R.nonzero({})", type->dtype.is_bool() ? call.args[0] : lines.Bind(condition)));
  const std::string places =
      lines.Bind(fmt::format("R.match_cast({}, R.Tensor(({}, {}), dtype=\"int64\"))", found, type->rank(), count));
  call.lines().SetExtents({count, std::to_string(type->rank())});
  return AsResult(call, fmt::format("R.permute_dims({}, axes=[1, 0])", places));
}

// Literal numbers, or the positions 0, 1, ... times the step.
auto WriteArange(const RelaxCall& call) -> Text {
  const Type* result = call.result();
  if (result == nullptr || call.num_inputs() != 3) return std::nullopt;
  std::vector<std::string> numbers;
  for (size_t i = 0; i < 3; ++i) {
    const Constant* constant = call.constant(i);
    if (constant != nullptr && constant->num_elements() == 1) numbers.push_back(PythonElements(*constant));
  }
  const std::string dtype = DtypeText(result->dtype);
  if (numbers.size() == 3 && !numbers[0].starts_with('[')) {
    return fmt::format("R.arange({}, {}, {}, dtype={})", numbers[0], numbers[1], numbers[2], dtype);
  }
  const auto number = [&](size_t i, std::string_view type) {
    return fmt::format("R.astype(R.reshape({}, (1,)), {})", call.args[i], type);
  };
  RelaxLines& lines = call.lines();
  const std::string range = fmt::format("R.subtract({}, {})", number(1, "\"float64\""), number(0, "\"float64\""));
  const std::string count = fmt::format("R.ceil(R.divide({}, {}))", lines.Bind(range), number(2, "\"float64\""));
  const std::string bounded = lines.Bind(fmt::format("R.maximum({}, {})", Wide(count), WideConst(0)));
  const Extents extents = Named(call, bounded, 1);
  const std::string places = lines.Bind(fmt::format("R.arange(0, {}, 1, dtype={})", extents[0], dtype));
  return Shaped(call, fmt::format("R.add({}, R.multiply({}, {}))", number(0, dtype), places, number(2, dtype)),
                extents);
}

constexpr std::string_view kDynResizeAttrs =
    "layout method coordinate_transformation_mode cubic_alpha cubic_exclude extrapolation_value out_dtype";

constexpr OpRule<RelaxForm> kDynamicPlaceForms[] = {
    {"arange"_op, {"arange", "", WriteArange}},
    {"argwhere"_op, {"nonzero", "", WriteArgwhere}},
    {"dyn.image.resize2d"_op, {"image.resize2d", kDynResizeAttrs, WithAttrs<WriteDynResize>}},
    {"dyn.nn.pad"_op, {"take", "", WithAttrs<WriteDynPad>}},
    {"dyn.nn.upsampling"_op, {"image.resize2d", "", WithAttrs<WriteDynUpsampling2d>}},
    {"dyn.nn.upsampling3d"_op, {"image.resize3d", "", WithAttrs<WriteDynUpsampling3d>}},
    {"dyn.one_hot"_op, {"where", "", WithAttrs<WriteDynOneHot>}},
    {"dyn.sparse_to_dense"_op, {"scatter_nd", "", WriteDynSparseToDense}},
    {"dyn.strided_slice"_op, {"dynamic_strided_slice", "", WithAttrs<WriteDynStridedSlice>}},
    {"dyn.topk"_op, {"topk", "", WithAttrs<WriteDynTopk>}},
};

}  // namespace

auto DynamicPlaceForms() -> std::span<const OpRule<RelaxForm>> { return kDynamicPlaceForms; }

}  // namespace relayopt::relax
