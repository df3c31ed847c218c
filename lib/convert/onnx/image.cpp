// Sampling of images, regions and boxes.
#include <limits>

#include "builders.h"
#include "families.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/vision.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto ConvertGridSample(Node& n) -> Results {
  Emitter& em = n.em();
  std::string method = n.Choice("mode", "bilinear,nearest,bicubic,linear,cubic");
  if (method == "linear" || method == "cubic") method = "bi" + method;
  const bool is_volume = em.rank(n.in(0)) == 5;
  const ExprId grid = Transpose(em, n.in(1), is_volume ? Ints{0, 4, 1, 2, 3} : Ints{0, 3, 1, 2});
  return em.Call("image.grid_sample"_op, {n.in(0), grid},
                 {{"method", method},
                  {"layout", is_volume ? "NCDHW" : "NCHW"},
                  {"padding_mode", n.Choice("padding_mode", "zeros,border,reflection")},
                  {"align_corners", n.Flag("align_corners")}});
}

auto ConvertAffineGrid(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId theta = n.in(0);
  const DataType dtype = em.dtype(theta);
  const auto size = n.NeedInts(1);
  if (!size) return {};
  if (size->size() != 4 && size->size() != 5) return n.Fail("size has {} numbers instead of 4 or 5", size->size());
  const Ints dims(size->begin() + 2, size->end());
  const bool align = n.Flag("align_corners");
  const auto coordinate = [&](int64_t i, int64_t extent) {
    if (align) return extent == 1 ? -1.0 : -1 + 2.0 * static_cast<double>(i) / static_cast<double>(extent - 1);
    return static_cast<double>(2 * i + 1) / static_cast<double>(extent) - 1;
  };
  // The last axis of the image is the first coordinate.
  const int64_t points = Product(dims);
  const auto columns = static_cast<int64_t>(dims.size()) + 1;
  Ints all = dims;
  all.push_back(size->front());
  all.push_back(columns);
  if (!n.Elements(all)) return {};
  std::vector<double> grid;
  for (int64_t p = 0; p < points; ++p) {
    int64_t rest = p;
    for (size_t k = dims.size(); k-- > 0; rest /= dims[k]) grid.push_back(coordinate(rest % dims[k], dims[k]));
    grid.push_back(1);
  }
  std::vector<double> batches;
  for (int64_t b = 0; b < size->front(); ++b) batches.insert(batches.end(), grid.begin(), grid.end());
  const ExprId points_of = em.Array(batches, {size->front(), points, columns}, dtype);
  const ExprId product = em.Call("nn.batch_matmul"_op, {points_of, theta}, {{"transpose_b", true}});
  Ints shape = {size->front()};
  shape.insert(shape.end(), dims.begin(), dims.end());
  shape.push_back(columns - 1);
  return Reshape(em, product, shape);
}

auto ConvertRoiAlign(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId rois = n.in(1);
  const DataType dtype = em.dtype(rois);
  const double scale = n.Decimal("spatial_scale");
  RegionMode mode{.is_max = n.Choice("mode", "avg,max") == "max"};
  const std::string coordinates =
      n.opset() < 16 ? "output_half_pixel" : n.Choice("coordinate_transformation_mode", "half_pixel,output_half_pixel");
  if (n.failed()) return {};
  // Text has only TVM's meaning, and Relax that of max.
  mode.of_corners = mode.is_max && n.exact() && n.keeps_nan(n.in(0));
  mode.is_aligned = coordinates == "half_pixel" && n.exact();
  // Relay samples without the shift by half a pixel.
  if (coordinates == "half_pixel") rois = Sub(em, rois, em.Scalar(dtype, 0.5 / scale));
  const ExprId batches = Cast(em, ExpandDims(em, n.in(2), 1), dtype);
  const ExprId regions = Concat(em, {batches, rois}, 1);
  return em.Call("vision.roi_align"_op, {n.in(0), regions},
                 {{"pooled_size", Ints{n.Int("output_height"), n.Int("output_width")}},
                  {"spatial_scale", scale},
                  {"sample_ratio", n.Int("sampling_ratio")},
                  {"layout", "NCHW"},
                  {"mode", mode.text()}});
}

// Boxes by centre, width and height as corners.
auto CornersOf(Emitter& em, ExprId boxes) -> ExprId {
  const DataType dtype = em.dtype(boxes);
  const ExprId parts = Split(em, boxes, 4, 2);
  const Exprs p = Parts(em, parts, 4);
  const ExprId half_width = Div(em, p[2], em.Scalar(dtype, 2.0));
  const ExprId half_height = Div(em, p[3], em.Scalar(dtype, 2.0));
  const ExprId x1 = Sub(em, p[0], half_width);
  const ExprId x2 = Add(em, p[0], half_width);
  const ExprId y1 = Sub(em, p[1], half_height);
  const ExprId y2 = Add(em, p[1], half_height);
  return Concat(em, {y1, x1, y2, x2}, 2);
}

// Returns the smallest float32 that is larger, of one that is not negative.
auto NextFloat(Emitter& em, ExprId x) -> ExprId {
  const DataType i32 = DataType::Int(32);
  const ExprId bits = em.Call("reinterpret"_op, {x}, {{"dtype", i32}});
  return em.Call("reinterpret"_op, {Add(em, bits, em.Scalar(i32, 1))}, {{"dtype", DataType::Float(32)}});
}

auto ConvertNonMaxSuppression(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const ExprId boxes = n.Flag("center_point_box") ? CornersOf(em, n.in(0)) : n.in(0);
  const auto number = [&](size_t i, double missing) {
    if (!n.has(i)) return em.Scalar(f32, missing);
    return em.rank(n.in(i)) == 1 ? Squeeze(em, n.in(i), {0}) : n.in(i);
  };
  const DataType i64 = DataType::Int(64);
  const ExprId most = n.has(2) ? (em.rank(n.in(2)) == 1 ? Squeeze(em, n.in(2), {0}) : n.in(2)) : em.Scalar(i64, 0);
  const double lowest = std::numeric_limits<float>::lowest();
  // Relay's operator drops boxes that overlap by the threshold, ONNX's those that overlap by more.
  ExprId limit = number(3, 0);
  if (n.exact()) limit = NextFloat(em, limit);
  const ExprId found = em.Call("vision.all_class_non_max_suppression"_op,
                               {boxes, n.in(1), most, limit, number(4, lowest)}, {{"output_format", "onnx"}});
  return SliceBy(em, em.Get(found, 0), em.Vector({0}, DataType::Int(32)), em.Get(found, 1),
                 em.Vector({1}, DataType::Int(32)));
}

constexpr OpRow kImageRows[] = {
    {"GridSample", "16 20", "X, grid", "string mode = bilinear; string padding_mode = zeros; int align_corners = 0",
     ConvertGridSample},
    {"AffineGrid", "20", "theta, size", "int align_corners = 0", ConvertAffineGrid},
    {"RoiAlign", "10 16", "X, rois, batch_indices",
     "string mode = avg; int output_height = 1; int output_width = 1; int sampling_ratio = 0; float spatial_scale = 1; "
     "string coordinate_transformation_mode = half_pixel",
     ConvertRoiAlign},
    {"NonMaxSuppression", "10 11", "boxes, scores, max_output_boxes_per_class?, iou_threshold?, score_threshold?",
     "int center_point_box = 0", ConvertNonMaxSuppression},
};

}  // namespace

auto ImageRows() -> std::span<const OpRow> { return kImageRows; }

}  // namespace relayopt::onnx
