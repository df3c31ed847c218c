// Pooling.
#include <algorithm>
#include <cmath>

#include "builders.h"
#include "families.h"
#include "relayopt/core/extents.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto LayoutOf(int64_t rank) -> const char* { return rank == 1 ? "NCW" : rank == 2 ? "NCHW" : "NCDHW"; }

auto Lowest(DataType dtype) -> double {
  if (dtype.is_float()) return -LargestFinite(dtype);
  return dtype.is_int() ? -std::ldexp(1.0, dtype.bits - 1) : 0;
}

// The effect of the window on the shape: pads, extents of the result, and whether windows reach beyond the data.
struct PoolShape {
  Ints pads;
  // Empty if an extent of the data is not known.
  Ints out;
  // Pads that make all windows full; equal to the pads if no window extends beyond them.
  Ints full_pads;
  // Pads without what only a dropped window reaches.
  Ints kept_pads;
  // For each spatial axis, how many elements at its end only a dropped window reaches.
  Ints cut;
  // Relay's operator keeps a last window that lies in the padding alone; ONNX does not.
  bool drops_window = false;
  bool hangs_over = false;
};

auto ShapeOfPool(Node& n, ExprId x, const Window& window, bool ceil_mode) -> std::optional<PoolShape> {
  PoolShape shape;
  const auto pads = PadsOf(n, x, window);
  if (!pads) return std::nullopt;
  shape.pads = *pads;
  shape.full_pads = *pads;
  shape.kept_pads = *pads;
  const auto rank = static_cast<size_t>(window.rank());
  std::optional<int64_t> unknown;
  for (size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<int64_t>(i) + 2;
    const auto extent = n.em().Extent(x, axis);
    const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    if (!extent) {
      // The extent says whether the last window begins behind the data.
      const bool may_drop = ceil_mode && shape.pads[i + rank] + window.strides[i] > reach;
      if (may_drop && n.exact()) n.NeedExtent(x, axis, "the data");
      if (n.failed()) return std::nullopt;
      unknown = axis;
      shape.cut.push_back(0);
      continue;
    }
    const int64_t room = *extent + shape.pads[i] + shape.pads[i + rank] - reach;
    if (room < 0) {
      n.Fail("the window is larger than the data");
      return std::nullopt;
    }
    int64_t out = room / window.strides[i] + 1;
    bool is_dropped = false;
    if (ceil_mode && room % window.strides[i] != 0) {
      ++out;
      if ((out - 1) * window.strides[i] >= *extent + shape.pads[i]) {
        --out;
        is_dropped = true;
      } else {
        shape.hangs_over = true;
      }
    }
    const int64_t needed = (out - 1) * window.strides[i] + reach - *extent - shape.pads[i];
    shape.drops_window |= is_dropped;
    if (ceil_mode) shape.full_pads[i + rank] = std::max<int64_t>(needed, 0);
    if (is_dropped) shape.kept_pads[i + rank] = std::max<int64_t>(needed, 0);
    shape.cut.push_back(is_dropped ? std::max<int64_t>(-needed, 0) : 0);
    shape.out.push_back(out);
  }
  if (!unknown) return shape;
  // Pads that make windows full take the place of ceil_mode, for all axes.
  if (shape.drops_window && n.exact()) n.NeedExtent(x, *unknown, "the data");
  if (n.failed()) return std::nullopt;
  shape.out.clear();
  return shape;
}

auto SpatialPairs(const Ints& pads) -> std::vector<std::pair<int64_t, int64_t>> {
  std::vector<std::pair<int64_t, int64_t>> pairs(2);
  const size_t rank = pads.size() / 2;
  for (size_t i = 0; i < rank; ++i) pairs.emplace_back(pads[i], pads[i + rank]);
  return pairs;
}

// Returns a pool of the data with a batch axis, which is added where it is missing.
template <typename Make>
auto Batched(Node& n, ExprId x, const Window& window, Make&& make) -> ExprId {
  const bool is_unbatched = n.em().rank(x) == window.rank() + 1;
  if (is_unbatched) x = ExpandDims(n.em(), x, 0);
  if (n.em().rank(x) != window.rank() + 2)
    return n.Fail("the data has rank {}, and the window {}", n.em().rank(x), window.rank());
  const ExprId result = make(x);
  return is_unbatched ? Squeeze(n.em(), result, {0}) : result;
}

// For each window of a result of shape `out`: the position of one of its taps in the whole tensor, of shape `data`.
auto TapPlaces(const Ints& data, const Ints& out, const Ints& tap, const Window& window, const PoolShape& shape,
               bool by_column) -> std::vector<double> {
  const auto rank = static_cast<size_t>(window.rank());
  const int64_t plane = Product(std::span(data).subspan(2));
  std::vector<double> places(static_cast<size_t>(Product(out)));
  Ints at(rank + 2, 0);
  for (double& flat : places) {
    int64_t inside = 0;
    int64_t scale = 1;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t position = at[i + 2] * window.strides[i] + tap[i] * window.dilations[i] - shape.pads[i];
      if (by_column) {
        inside += position * scale;
        scale *= data[i + 2];
      } else {
        inside = inside * data[i + 2] + position;
      }
    }
    flat = static_cast<double>((at[0] * data[1] + at[1]) * plane + inside);
    for (size_t i = rank + 2; i-- > 0;) {
      if (++at[i] < out[i]) break;
      at[i] = 0;
    }
  }
  return places;
}

// Returns the windows' largest elements and where they are, position by position of the window.
auto MaxPoolWithIndices(Node& n, const Window& window) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const DataType i64 = DataType::Int(64);
  const auto data = n.NeedShape(x, "the data");
  const auto shape = ShapeOfPool(n, x, window, n.Flag("ceil_mode"));
  if (!data || !shape) return {};
  const auto rank = static_cast<size_t>(window.rank());
  if (data->size() != rank + 2) return n.Fail("the data has rank {}, and the window {}", data->size(), rank);
  const ExprId padded = PadInts(em, x, SpatialPairs(shape->full_pads), em.Scalar(dtype, Lowest(dtype)));
  Ints out = {(*data)[0], (*data)[1]};
  out.insert(out.end(), shape->out.begin(), shape->out.end());
  if (!n.Elements(out) || !n.CheckIterations(Product(window.kernel))) return {};
  const bool by_column = n.Int("storage_order") != 0;
  ExprId best;
  ExprId place;
  Ints tap(rank, 0);
  for (int64_t t = 0; t < Product(window.kernel); ++t) {
    int64_t rest = t;
    for (size_t i = rank; i-- > 0; rest /= window.kernel[i]) tap[i] = rest % window.kernel[i];
    Ints begin = {0, 0};
    Ints end = {(*data)[0], (*data)[1]};
    Ints strides = {1, 1};
    for (size_t i = 0; i < rank; ++i) {
      begin.push_back(tap[i] * window.dilations[i]);
      end.push_back(begin.back() + (shape->out[i] - 1) * window.strides[i] + 1);
      strides.push_back(window.strides[i]);
    }
    const ExprId values = SliceInts(em, padded, begin, end, strides);
    const ExprId index = em.Array(TapPlaces(*data, out, tap, window, *shape, by_column), out, i64);
    if (!best) {
      best = values;
      place = index;
      continue;
    }
    const ExprId is_better = Greater(em, values, best);
    best = Where(em, is_better, values, best);
    place = Where(em, is_better, index, place);
  }
  return {best, place};
}

auto ConvertMaxPool(Node& n) -> Results {
  Emitter& em = n.em();
  auto window = ReadWindow(n, std::nullopt);
  if (!window) return {};
  if (n.wants(1)) return MaxPoolWithIndices(n, *window);
  const OpDef* op = ByRank(window->rank(), "nn.max_pool1d"_op, "nn.max_pool2d"_op, "nn.max_pool3d"_op);
  if (op == nullptr) return n.Fail("pooling over {} spatial axes is not supported", window->rank());
  return Batched(n, n.in(0), *window, [&](ExprId x) {
    const DataType dtype = em.dtype(x);
    Ints pads(window->kernel.size() * 2, 0);
    bool ceil_mode = n.Flag("ceil_mode");
    if (window->auto_pad.starts_with("SAME")) {
      x = AutoPad(n, x, *window, em.Scalar(dtype, Lowest(dtype)));
    } else {
      const auto shape = ShapeOfPool(n, x, *window, ceil_mode);
      if (!shape) return ExprId();
      pads = shape->drops_window ? shape->full_pads : shape->pads;
      ceil_mode = ceil_mode && !shape->drops_window;
    }
    return em.Call(op, {x},
                   {{"pool_size", window->kernel},
                    {"strides", window->strides},
                    {"dilation", window->dilations},
                    {"padding", pads},
                    {"layout", LayoutOf(window->rank())},
                    {"ceil_mode", ceil_mode}});
  });
}

auto AveragePoolOf(Node& n, ExprId x, const Window& window, bool ceil_mode, bool count_include_pad) -> ExprId {
  Emitter& em = n.em();
  const OpDef* op = ByRank(window.rank(), "nn.avg_pool1d"_op, "nn.avg_pool2d"_op, "nn.avg_pool3d"_op);
  if (op == nullptr) return n.Fail("pooling over {} spatial axes is not supported", window.rank());
  const auto shape = ShapeOfPool(n, x, window, ceil_mode);
  if (!shape) return {};
  Ints pads = shape->pads;
  // Elements beyond the padding are not counted, which Relay's operator does for windows that hang over.
  if (ceil_mode && shape->drops_window) {
    pads = shape->hangs_over ? shape->kept_pads : shape->full_pads;
    ceil_mode = shape->hangs_over;
    for (size_t i = 0; ceil_mode && i < shape->cut.size(); ++i) {
      const auto axis = static_cast<int64_t>(i) + 2;
      if (shape->cut[i] > 0) x = SliceAxis(em, x, axis, 0, *em.Extent(x, axis) - shape->cut[i]);
    }
  }
  return em.Call(op, {x},
                 {{"pool_size", window.kernel},
                  {"strides", window.strides},
                  {"dilation", window.dilations},
                  {"padding", pads},
                  {"layout", LayoutOf(window.rank())},
                  {"ceil_mode", ceil_mode},
                  {"count_include_pad", count_include_pad}});
}

auto ConvertAveragePool(Node& n) -> Results { return AveragePool(n, n.in(0)); }

// Returns the p-th root of the sum of p-th powers.
auto LpPoolOf(Node& n, ExprId x, const Window& window, double p, bool ceil_mode) -> ExprId {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(x);
  Window inner = window;
  if (window.auto_pad.starts_with("SAME")) {
    x = AutoPad(n, x, window, em.Scalar(dtype, 0.0));
    inner.auto_pad = "VALID";
  }
  if (ceil_mode) {
    // The sum is the mean times the whole window, so that all windows have to be whole.
    const auto shape = ShapeOfPool(n, x, inner, true);
    if (!shape) return {};
    if (shape->hangs_over || shape->drops_window) {
      x = PadInts(em, x, SpatialPairs(shape->full_pads), em.Scalar(dtype, 0.0));
      inner.auto_pad = "VALID";
      inner.pads.reset();
      ceil_mode = false;
    }
  }
  const bool is_even = std::fmod(p, 2) == 0;
  const ExprId powers = Power(em, is_even ? x : em.Call("abs"_op, {x}), p);
  const ExprId mean = AveragePoolOf(n, powers, inner, ceil_mode, true);
  const ExprId sum = Mul(em, em.Call("abs"_op, {mean}), em.Scalar(dtype, Product(window.kernel)));
  return Power(em, sum, 1 / p);
}

// p was a float in the first version.
auto NormOf(Node& n) -> double {
  const AttributeProto* p = n.Find("p");
  if (p == nullptr) return 2;
  return p->type == AttributeType::kFloat ? p->f : static_cast<double>(p->i);
}

auto ConvertLpPool(Node& n) -> Results {
  const auto window = ReadWindow(n, std::nullopt);
  if (!window) return {};
  const double p = NormOf(n);
  if (!(p > 0)) return n.Fail("attribute 'p' is not positive");
  return Batched(n, n.in(0), *window, [&](ExprId x) { return LpPoolOf(n, x, *window, p, n.Flag("ceil_mode")); });
}

auto ConvertGlobalLpPool(Node& n) -> Results {
  Emitter& em = n.em();
  const double p = NormOf(n);
  if (!em.StaticShape(n.in(0)) && em.rank(n.in(0)) > 2 && p > 0) {
    Ints axes = Iota(em.rank(n.in(0)));
    axes.erase(axes.begin(), axes.begin() + 2);
    const ExprId powers = Power(em, em.Call("abs"_op, {n.in(0)}), p);
    return Power(em, Reduce(em, "sum"_op, powers, axes, true), 1 / p);
  }
  const auto shape = n.NeedShape(n.in(0), "the data");
  if (!shape || shape->size() < 3 || !(p > 0)) return n.Fail("the data has no spatial axes, or 'p' is not positive");
  Window window;
  window.kernel.assign(shape->begin() + 2, shape->end());
  window.strides.assign(window.kernel.size(), 1);
  window.dilations = window.strides;
  return LpPoolOf(n, n.in(0), window, p, false);
}

auto ConvertGlobalAveragePool(Node& n) -> Results { return GlobalPool(n, n.in(0), false); }
auto ConvertGlobalMaxPool(Node& n) -> Results { return GlobalPool(n, n.in(0), true); }

auto ConvertMaxUnpool(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const auto window = ReadWindow(n, std::nullopt);
  const auto shape = n.NeedShape(x, "X");
  if (!window || !shape) return {};
  if (shape->size() != window->kernel.size() + 2)
    return n.Fail("the data has rank {}, and the window {}", shape->size(), window->rank());
  const auto rank = static_cast<size_t>(window->rank());
  const Ints pads = window->pads.value_or(Ints(2 * rank, 0));
  Ints out = {(*shape)[0], (*shape)[1]};
  for (size_t i = 0; i < rank; ++i) {
    out.push_back(((*shape)[i + 2] - 1) * window->strides[i] + window->kernel[i] - pads[i] - pads[i + rank]);
    if (out.back() < 1) return n.Fail("the result has no elements");
  }
  const auto count = n.Elements(out);
  if (!count) return {};
  const ExprId target = em.Vector(out);
  const ExprId zeros = Zeros(em, target, em.dtype(x));
  // As TVM: zeros of a computed shape are computed.
  const ExprId base = em.Array(std::vector<double>(*count), {static_cast<int64_t>(*count)}, em.dtype(zeros));
  const ExprId flat = ScatterElements(em, base, Reshape(em, n.in(1), {-1}), Reshape(em, x, {-1}), 0);
  const ExprId result = Reshape(em, flat, out);
  if (!n.has(2)) return result;
  // The indices refer to a tensor without the requested extents.
  const auto wanted = n.NeedInts(2);
  if (!wanted || wanted->size() != out.size()) return n.Fail("output_shape does not match the data");
  std::vector<std::pair<int64_t, int64_t>> widths;
  for (size_t i = 0; i < out.size(); ++i) {
    if ((*wanted)[i] < out[i]) return n.Fail("output_shape is smaller than the result");
    widths.emplace_back(0, (*wanted)[i] - out[i]);
  }
  return *wanted == out ? result : PadInts(em, result, widths, em.Scalar(em.dtype(x), 0));
}

auto ConvertMaxRoiPool(Node& n) -> Results {
  const auto size = n.IntList("pooled_shape");
  if (!size) return n.Fail("attribute 'pooled_shape' is missing");
  return n.em().Call("vision.roi_pool"_op, {n.in(0), n.in(1)},
                     {{"pooled_size", *size}, {"spatial_scale", n.Float("spatial_scale")}});
}

constexpr OpRow kPoolingRows[] = {
    OpRow("AveragePool", "1 7 10 11 19", "X",
          "string auto_pad = NOTSET; int ceil_mode = 0; int count_include_pad = 0; ints dilations; ints kernel_shape; "
          "ints "
          "pads; ints strides",
          ConvertAveragePool)
        .ByTypes(),
    OpRow("MaxPool", "1 8 10 11 12", "X",
          "string auto_pad = NOTSET; int ceil_mode = 0; ints dilations; ints kernel_shape; ints pads; int "
          "storage_order = "
          "0; ints strides",
          ConvertMaxPool)
        .ByTypes(),
    {"LpPool", "1 2 11 18", "X",
     "string auto_pad = NOTSET; int ceil_mode = 0; ints dilations; ints kernel_shape; ints pads; any p = 2; ints "
     "strides",
     ConvertLpPool},
    {"GlobalLpPool", "1 2", "X", "any p = 2", ConvertGlobalLpPool},
    OpRow("GlobalAveragePool", "1", "X", "", ConvertGlobalAveragePool).ByTypes(),
    OpRow("GlobalMaxPool", "1", "X", "", ConvertGlobalMaxPool).ByTypes(),
    {"MaxUnpool", "9 11", "X, I, output_shape?",
     "string auto_pad = NOTSET; ints kernel_shape; ints pads; ints strides; ints dilations", ConvertMaxUnpool},
    {"MaxRoiPool", "1", "X, rois", "ints pooled_shape; float spatial_scale = 1", ConvertMaxRoiPool},
};

}  // namespace

auto AveragePool(Node& n, ExprId x) -> ExprId {
  const auto window = ReadWindow(n, std::nullopt);
  if (!window) return {};
  return Batched(n, x, *window, [&](ExprId data) {
    return AveragePoolOf(n, data, *window, n.Flag("ceil_mode"), n.Flag("count_include_pad"));
  });
}

auto GlobalPool(Node& n, ExprId x, bool is_max) -> ExprId {
  Emitter& em = n.em();
  if (n.exact() && em.rank(x) > 2 && !em.StaticShape(x)) {
    Ints axes = Iota(em.rank(x));
    axes.erase(axes.begin(), axes.begin() + 2);
    return Reduce(em, is_max ? "max"_op : "mean"_op, x, axes, true);
  }
  switch (em.rank(x)) {
    case 3:
      return em.Call(is_max ? "nn.adaptive_max_pool1d"_op : "nn.adaptive_avg_pool1d"_op, {x},
                     {{"output_size", Ints{1}}});
    case 4: return em.Call(is_max ? "nn.global_max_pool2d"_op : "nn.global_avg_pool2d"_op, {x});
    case 5:
      return em.Call(is_max ? "nn.adaptive_max_pool3d"_op : "nn.adaptive_avg_pool3d"_op, {x},
                     {{"output_size", Ints{1, 1, 1}}});
    default: return n.Fail("pools of data of rank {} do not exist", em.rank(x));
  }
}

auto PoolingRows() -> std::span<const OpRow> { return kPoolingRows; }

}  // namespace relayopt::onnx
