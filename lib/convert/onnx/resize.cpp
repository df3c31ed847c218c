// Resizing of images, by Relay's operator where it means the same, else axis by axis: a known index or weight for each
// element of the result.
#include <algorithm>
#include <cmath>

#include "builders.h"
#include "families.h"
#include "resize.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// One axis: from how many elements to how many, and how positions relate.
struct ResizeAxis {
  int64_t from = 0;
  int64_t to = 0;
  double scale = 1;
  // Whether the scale is the ratio of the extents, which is a fraction.
  bool is_ratio = false;
  // The extent of the result before it is cut to a whole number, where a scale is given; else `to`.
  double exact = 0;
  double roi_begin = 0;
  double roi_end = 1;
};

// Returns the position in the data of element `i` of the result.
auto SourcePosition(const ResizeAxis& axis, int64_t i, const std::string& mode) -> double {
  const auto x = static_cast<double>(i);
  const auto from = static_cast<double>(axis.from);
  const auto to = static_cast<double>(axis.to);
  const double exact = axis.exact;
  const auto unscaled = [&](double place) { return axis.is_ratio ? place * from / to : place / axis.scale; };
  if (mode == "asymmetric") return unscaled(x);
  if (mode == "align_corners") return exact == 1 ? 0 : x * (from - 1) / (exact - 1);
  if (mode == "pytorch_half_pixel") return axis.to > 1 ? unscaled(x + 0.5) - 0.5 : -0.5;
  if (mode == "tf_half_pixel_for_nn") return unscaled(x + 0.5);
  if (mode == "tf_crop_and_resize") {
    if (axis.to == 1) return 0.5 * (axis.roi_begin + axis.roi_end) * (from - 1);
    return axis.roi_begin * (from - 1) + x * (axis.roi_end - axis.roi_begin) * (from - 1) / (to - 1);
  }
  const double position = unscaled(x + 0.5) - 0.5;
  if (mode != "half_pixel_symmetric") return position;
  const double adjustment = to / (from * axis.scale);
  return from / 2 * (1 - adjustment) + position;
}

// Returns the position, limited to a range that later computations can handle: invalid models may contain any regions
// and scales.
auto Bounded(double position) -> double {
  constexpr double kFar = 1e12;
  return std::isfinite(position) ? std::clamp(position, -kFar, kFar) : -kFar;
}

auto RoundPosition(double x, const std::string& rounding) -> double {
  if (rounding == "floor") return std::floor(x);
  if (rounding == "ceil") return std::ceil(x);
  const bool is_half = x - std::floor(x) == 0.5;
  if (rounding == "round_prefer_ceil") return is_half ? std::ceil(x) : std::round(x);
  return is_half ? std::floor(x) : std::round(x);
}

auto CubicWeight(double distance, double a) -> double {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Returns the row of the matrix that computes element `i` of the result from the data.
auto WeightsOf(const ResizeAxis& axis, int64_t i, const ResizeAttributes& attrs) -> std::vector<double> {
  std::vector<double> row(static_cast<size_t>(axis.from));
  const double x = Bounded(SourcePosition(axis, i, attrs.coordinates));
  const bool is_cubic = attrs.mode == "cubic";
  // Shrinking with antialias widens the filter.
  const double stretch = attrs.antialias ? std::min(axis.scale, 1.0) : 1;
  const double reach = (is_cubic ? 2 : 1) / stretch;
  double sum = 0;
  const auto first = static_cast<int64_t>(std::floor(x - reach));
  const auto last = static_cast<int64_t>(std::ceil(x + reach));
  for (int64_t k = first; k <= last; ++k) {
    const double distance = (static_cast<double>(k) - x) * stretch;
    const double weight = is_cubic ? CubicWeight(distance, attrs.cubic_alpha) : std::max(0.0, 1 - std::fabs(distance));
    const bool is_outside = k < 0 || k >= axis.from;
    if (is_outside && attrs.exclude_outside) continue;
    row[static_cast<size_t>(std::clamp<int64_t>(k, 0, axis.from - 1))] += weight;
    sum += weight;
  }
  if (sum != 0) {
    for (double& weight : row) weight /= sum;
  }
  return row;
}

auto ResizeAlong(Emitter& em, ExprId x, int64_t axis, const ResizeAxis& sizes, const ResizeAttributes& attrs)
    -> ExprId {
  if (attrs.mode == "nearest") {
    Ints indices;
    for (int64_t i = 0; i < sizes.to; ++i) {
      const double position = RoundPosition(Bounded(SourcePosition(sizes, i, attrs.coordinates)), attrs.rounding);
      indices.push_back(std::clamp<int64_t>(static_cast<int64_t>(position), 0, sizes.from - 1));
    }
    return Take(em, x, em.Vector(indices), axis);
  }
  std::vector<double> matrix;
  for (int64_t i = 0; i < sizes.to; ++i) {
    const auto row = WeightsOf(sizes, i, attrs);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  const DataType dtype = em.dtype(x);
  const DataType compute = dtype.is_float() ? dtype : DataType::Float(32);
  const ExprId weights = em.Array(matrix, {sizes.to, sizes.from}, compute);
  // The axis goes to the end, where the product takes it.
  const int64_t rank = em.rank(x);
  Ints order = Iota(rank);
  std::swap(order[static_cast<size_t>(axis)], order.back());
  const bool moves = axis != rank - 1;
  const ExprId last = moves ? Transpose(em, CastTo(em, x, compute), order) : CastTo(em, x, compute);
  const auto shape = em.StaticShape(last);
  if (!shape) return em.Fail("the shape has to be known");
  Ints out = *shape;
  out.back() = sizes.to;
  const ExprId product = Dense(em, Reshape(em, last, {-1, sizes.from}), weights);
  const ExprId result = Reshape(em, product, out);
  return CastTo(em, moves ? Transpose(em, result, order) : result, dtype);
}

// Elements outside of the data become the extrapolation value.
auto MaskOutside(Emitter& em, ExprId x, int64_t axis, const ResizeAxis& sizes, const ResizeAttributes& attrs)
    -> ExprId {
  std::vector<double> inside;
  bool all = true;
  for (int64_t i = 0; i < sizes.to; ++i) {
    const double position = SourcePosition(sizes, i, attrs.coordinates);
    const bool is_inside = position >= 0 && position <= static_cast<double>(sizes.from - 1);
    inside.push_back(is_inside ? 1 : 0);
    all &= is_inside;
  }
  if (all) return x;
  Ints shape(static_cast<size_t>(em.rank(x)), 1);
  shape[static_cast<size_t>(axis)] = sizes.to;
  const ExprId mask = em.Array(inside, shape, DataType::Bool());
  return Where(em, mask, x, em.Scalar(em.dtype(x), attrs.extrapolation));
}

auto ResizeByAxes(Node& n, ExprId x, const ResizeTarget& target, const ResizeAttributes& attrs) -> ExprId {
  Emitter& em = n.em();
  const auto shape = n.NeedShape(x, "X");
  if (!shape) return {};
  const size_t count = target.axes.size();
  if ((target.scales && target.scales->size() != count) || (target.sizes && target.sizes->size() != count))
    return n.Fail("scales or sizes do not match the axes");
  std::vector<ResizeAxis> axes(count);
  double common = 0;
  for (size_t i = 0; i < count; ++i) {
    ResizeAxis& axis = axes[i];
    axis.from = (*shape)[static_cast<size_t>(target.axes[i])];
    if (target.sizes) {
      axis.to = (*target.sizes)[i];
      axis.scale = static_cast<double>(axis.to) / static_cast<double>(std::max<int64_t>(axis.from, 1));
      const bool takes = i == 0 || (attrs.policy == "not_larger" ? axis.scale < common : axis.scale > common);
      if (takes) common = axis.scale;
    } else {
      axis.scale = (*target.scales)[i];
      const auto to = ScaledExtent(axis.from, axis.scale);
      if (!to) return n.Fail("a scale is {}", axis.scale);
      axis.to = *to;
    }
    if (target.roi.size() == 2 * count) {
      axis.roi_begin = target.roi[i];
      axis.roi_end = target.roi[i + count];
      if (attrs.coordinates == "tf_crop_and_resize" && !target.sizes) {
        axis.to = static_cast<int64_t>(
            Bounded(std::floor(static_cast<double>(axis.from) * (axis.roi_end - axis.roi_begin) * axis.scale)));
      }
    }
  }
  for (ResizeAxis& axis : axes) {
    axis.exact = target.scales ? axis.scale * static_cast<double>(axis.from) : static_cast<double>(axis.to);
    if (target.sizes && attrs.policy != "stretch") {
      axis.scale = common;
      axis.to = static_cast<int64_t>(std::floor(common * static_cast<double>(axis.from) + 0.5));
      axis.exact = static_cast<double>(axis.to);
    }
    axis.is_ratio = target.sizes && attrs.policy == "stretch";
    if (axis.to < 1 || axis.from < 1) return n.Fail("the result or the data have no elements");
    if (!n.Elements(attrs.mode == "nearest" ? Ints{axis.to} : Ints{axis.to, axis.from})) return {};
  }
  for (size_t i = 0; i < count; ++i) {
    const bool same = axes[i].to == axes[i].from && axes[i].scale == 1 && attrs.coordinates != "tf_crop_and_resize";
    if (!same) x = ResizeAlong(em, x, target.axes[i], axes[i], attrs);
  }
  if (attrs.coordinates != "tf_crop_and_resize") return x;
  for (size_t i = 0; i < count; ++i) x = MaskOutside(em, x, target.axes[i], axes[i], attrs);
  return x;
}

auto RelayMethod(const std::string& mode) -> std::string { return mode == "nearest" ? "nearest_neighbor" : mode; }

// Relay's operator on the spatial axes. `size` has the extents of these.
auto RelayResize(Node& n, ExprId x, ExprId size, ExprId roi, const ResizeAttributes& attrs) -> ExprId {
  Emitter& em = n.em();
  const int64_t spatial = em.rank(x) - 2;
  const bool is_old = n.opset() < 11;
  std::vector<AttrSetting> settings = {{"layout", spatial == 1   ? "NCW"
                                                  : spatial == 2 ? "NCHW"
                                                                 : "NCDHW"},
                                       {"method", RelayMethod(attrs.mode)},
                                       {"coordinate_transformation_mode", attrs.coordinates},
                                       {"rounding_method", is_old ? std::string() : attrs.rounding}};
  if (!is_old) {
    settings.emplace_back("cubic_alpha", attrs.cubic_alpha);
    settings.emplace_back("cubic_exclude", attrs.exclude_outside ? 1 : 0);
    settings.emplace_back("extrapolation_value", attrs.extrapolation);
  }
  const auto known = em.IntsOf(size);
  const auto region = em.DoublesOf(roi);
  if (known && (!roi || region)) {
    settings.emplace_back("size", *known);
    std::vector<ObjectId> items;
    for (const double number : region.value_or(std::vector<double>(static_cast<size_t>(2 * spatial), 0)))
      items.push_back(em.context().AddFloat(number, DataType::Float(32)));
    settings.emplace_back("roi", em.context().AddArray(items));
    const OpDef* op = ByRank(spatial, "image.resize1d"_op, "image.resize2d"_op, "image.resize3d"_op);
    if (op == nullptr) return n.Fail("resizing {} spatial axes is not supported", spatial);
    return em.Call(op, {x}, settings);
  }
  if (spatial != 2) return n.NeedsValue("the size of the result");
  settings.emplace_back("size", DimList());
  settings.emplace_back("roi", em.context().AddArray({}));
  const ExprId corners = roi ? roi : em.Array(std::vector<double>(4, 0), {4}, DataType::Float(32));
  return em.Call("dyn.image.resize2d"_op, {x, size, corners}, settings);
}

auto ReadResize(Node& n) -> ResizeAttributes {
  ResizeAttributes attrs;
  attrs.mode = n.Choice("mode", "nearest,linear,cubic,bilinear,trilinear");
  if (attrs.mode.ends_with("linear")) attrs.mode = "linear";
  if (n.opset() < 11) {
    attrs.coordinates = "asymmetric";
    attrs.rounding = "floor";
    return attrs;
  }
  attrs.coordinates = n.Choice("coordinate_transformation_mode",
                               "half_pixel,half_pixel_symmetric,pytorch_half_pixel,align_corners,asymmetric,tf_half_"
                               "pixel_for_nn,tf_crop_and_resize");
  attrs.rounding = n.Choice("nearest_mode", "round_prefer_floor,round_prefer_ceil,floor,ceil");
  attrs.cubic_alpha = n.Decimal("cubic_coeff_a");
  attrs.exclude_outside = n.Flag("exclude_outside");
  attrs.extrapolation = n.Decimal("extrapolation_value");
  attrs.antialias = n.Flag("antialias");
  attrs.policy = n.Choice("keep_aspect_ratio_policy", "stretch,not_larger,not_smaller");
  return attrs;
}

// Whether Relay's operator computes the same as ONNX, according to the attributes; `scales` and `sizes` are the known
// values.
auto RelayAgrees(Node& n, const ResizeAttributes& attrs) -> bool {
  Emitter& em = n.em();
  const auto spatial = em.rank(n.in(0)) - 2;
  if (n.has(3) && n.IntList("axes")) return false;
  if (n.IntList("axes") || attrs.antialias || attrs.policy != "stretch") return false;
  if (attrs.coordinates == "half_pixel_symmetric" || spatial < 1 || spatial > 3) return false;
  if (attrs.coordinates == "tf_crop_and_resize" && spatial != 2) return false;
  if (attrs.mode == "cubic" && spatial != 2) return false;
  // The kernel takes a shortcut if the ratio is an integer.
  return !(attrs.mode == "nearest" && attrs.coordinates == "asymmetric" && attrs.rounding != "floor");
}

// Returns the requested sizes or scales by axis.
auto TargetOf(Node& n, const std::optional<std::vector<double>>& scales, const std::optional<Ints>& sizes)
    -> ResizeTarget {
  const int64_t rank = n.em().rank(n.in(0));
  ResizeTarget target;
  target.axes = n.IntList("axes").value_or(Iota(rank));
  for (int64_t& axis : target.axes) axis = n.Axis(axis, rank);
  target.scales = scales;
  target.sizes = sizes;
  return target;
}

// Whether scales give extents that are not integers, or change one of the first two axes.
auto ScalesNeedAxes(const Ints& shape, const std::vector<double>& scales) -> bool {
  for (size_t i = 0; i < scales.size() && i < shape.size(); ++i) {
    const double extent = static_cast<double>(shape[i]) * scales[i];
    if (std::fabs(extent - std::round(extent)) > 1e-6 || (i < 2 && scales[i] != 1)) return true;
  }
  return false;
}

auto ConvertResize(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const ResizeAttributes attrs = ReadResize(n);
  const int64_t rank = em.rank(x);
  const size_t scales_at = n.opset() < 11 ? 1 : 2;
  if (n.failed()) return {};
  const bool by_sizes = n.opset() >= 11 && n.has(3) && em.Extent(n.in(3), 0) != 0;
  if (!by_sizes && !n.has(scales_at)) return n.Fail("neither scales nor sizes are given");
  const auto scales = by_sizes ? std::nullopt : em.DoublesOf(n.in(scales_at));
  const auto sizes = by_sizes ? em.IntsOf(n.in(3)) : std::nullopt;
  const bool is_crop = attrs.coordinates == "tf_crop_and_resize";
  const bool has_roi = is_crop && n.has(1) && em.Extent(n.in(1), 0) != 0;
  const auto roi = has_roi ? em.DoublesOf(n.in(1)) : std::nullopt;
  const bool is_known = (by_sizes ? sizes.has_value() : scales.has_value()) && (!has_roi || roi) && em.StaticShape(x);
  // A scale that does not divide evenly, and shrinking by cubic filters, need the scale itself.
  const bool agrees = RelayAgrees(n, attrs);
  // Other systems do not crop, and do not cut fractions.
  bool goes_by_axes = !agrees || (is_crop && n.exact());
  if (is_known && scales) goes_by_axes |= ScalesNeedAxes(*em.StaticShape(x), *scales);
  if (is_known && sizes && static_cast<int64_t>(sizes->size()) == rank) {
    goes_by_axes |= em.Extent(x, 0) != sizes->front() || em.Extent(x, 1) != (*sizes)[1];
  }
  if (goes_by_axes && is_known) {
    ResizeTarget target = TargetOf(n, scales, sizes);
    if (roi) target.roi = *roi;
    return n.failed() ? ExprId() : ResizeByAxes(n, x, target, attrs);
  }
  const bool is_open = n.exact() && !is_crop && !attrs.antialias && attrs.policy == "stretch";
  if (is_open && !em.StaticShape(x) && (scales || (sizes && !agrees))) {
    const ResizeTarget target = TargetOf(n, scales, sizes);
    return n.failed() ? ExprId() : ResizeOpen(n, x, target, attrs);
  }
  // Fractions of the data are cut only when the scale is known.
  if (!agrees) {
    if (has_roi && !roi) return n.NeedsValue(n.InputText(1));
    if (by_sizes ? sizes.has_value() : scales.has_value()) {
      // The unknown extents are extents of the data.
      for (int64_t i = 0; i < rank && !n.failed(); ++i) n.NeedExtent(x, i, n.InputText(0));
      if (n.failed()) return {};
    }
    return n.NeedsValue(by_sizes ? n.InputText(3) : n.InputText(scales_at));
  }
  ExprId size = by_sizes ? n.in(3) : ExprId();
  if (!by_sizes && !is_known)
    n.WarnNeedsValue("scales that are not known while importing are taken for the ratio of the extents");
  if (!by_sizes) size = Mul(em, Cast(em, em.ShapeOf(x), em.dtype(n.in(scales_at))), n.in(scales_at));
  size = SliceInts(em, size, {2}, {rank}, {1});
  ExprId region;
  if (n.opset() >= 11 && n.has(1) && em.Extent(n.in(1), 0) != 0) {
    region =
        Concat(em, {SliceInts(em, n.in(1), {2}, {rank}, {1}), SliceInts(em, n.in(1), {rank + 2}, {2 * rank}, {1})}, 0);
  }
  return RelayResize(n, x, size, region, attrs);
}

// Nearest neighbours, or linear interpolation with aligned corners, by fixed factors.
auto ConvertUpsample(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  std::optional<std::vector<double>> scales = n.FloatList("scales");
  if (!scales && n.has(1)) scales = em.DoublesOf(n.in(1));
  if (!scales && n.Has("width_scale"))
    scales = std::vector<double>{1, 1, n.Float("height_scale"), n.Float("width_scale")};
  const std::string mode = n.Choice("mode", "nearest,linear,bilinear,trilinear");
  if (n.failed()) return {};
  if (!scales) return n.NeedsValue(n.InputText(1));
  if (static_cast<int64_t>(scales->size()) != rank) return n.Fail("{} scales for rank {}", scales->size(), rank);
  const bool is_plane = rank == 4 && (*scales)[0] == 1 && (*scales)[1] == 1;
  ResizeAttributes attrs;
  attrs.mode = mode == "nearest" ? "nearest" : "linear";
  attrs.coordinates = "asymmetric";
  attrs.rounding = "floor";
  if (n.exact() && !em.StaticShape(x)) return ResizeOpen(n, x, {Iota(rank), scales, std::nullopt, {}}, attrs);
  if (mode == "nearest" && is_plane) {
    return em.Call("nn.upsampling"_op, {x},
                   {{"scale_h", (*scales)[2]},
                    {"scale_w", (*scales)[3]},
                    {"layout", "NCHW"},
                    {"method", "nearest_neighbor"},
                    {"align_corners", false}});
  }
  if (!em.StaticShape(x) && is_plane) {
    const ExprId extents = Cast(em, SliceInts(em, em.ShapeOf(x), {2}, {4}, {1}), DataType::Float(32));
    const ExprId size = Mul(em, extents, em.Array(std::span(*scales).subspan(2), {2}, DataType::Float(32)));
    return RelayResize(n, x, Cast(em, size, DataType::Int(64)), ExprId(), attrs);
  }
  return ResizeByAxes(n, x, {Iota(rank), scales, std::nullopt, {}}, attrs);
}

constexpr OpRow kResizeRows[] = {
    {"Resize", "10 11 13 18 19", "X, roi?, scales?, sizes?",
     "string mode = nearest; string coordinate_transformation_mode = half_pixel; string nearest_mode = "
     "round_prefer_floor; float cubic_coeff_a = -0.75; int exclude_outside = 0; float extrapolation_value = 0; int "
     "antialias = 0; ints axes; string keep_aspect_ratio_policy = stretch",
     ConvertResize},
    {"Upsample", "1 7 9 10", "X, scales?",
     "string mode = nearest; floats scales; float height_scale = 1; float width_scale = 1", ConvertUpsample},
};

}  // namespace

auto ScaledExtent(int64_t extent, double scale) -> std::optional<int64_t> {
  constexpr double kLargest = 1e9;
  const double scaled = static_cast<double>(extent) * scale;
  if (!(scale > 0) || !(scaled < kLargest)) return std::nullopt;
  return static_cast<int64_t>(std::floor(scaled + 1e-6));
}

auto ResizeRows() -> std::span<const OpRow> { return kResizeRows; }

}  // namespace relayopt::onnx
