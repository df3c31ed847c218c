// Convolutions and their windows.
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

auto ByRank(int64_t rank, const OpDef* one, const OpDef* two, const OpDef* three) -> const OpDef* {
  return rank == 1 ? one : rank == 2 ? two : rank == 3 ? three : nullptr;
}

auto ReadWindow(Node& n, std::optional<Ints> kernel) -> std::optional<Window> {
  Window window;
  if (auto given = n.IntList("kernel_shape")) kernel = std::move(given);
  if (!kernel || n.failed()) {
    n.NeedsValue("the window, which 'kernel_shape' does not give,");
    return std::nullopt;
  }
  const size_t rank = kernel->size();
  window.kernel = *std::move(kernel);
  window.strides = n.IntList("strides").value_or(Ints(rank, 1));
  window.dilations = n.IntList("dilations").value_or(Ints(rank, 1));
  window.pads = n.IntList("pads");
  window.auto_pad = n.Choice("auto_pad", "NOTSET,SAME_UPPER,SAME_LOWER,VALID");
  const auto is_positive = [](const Ints& values) {
    return std::ranges::all_of(values, [](int64_t v) { return v > 0 && v < (int64_t{1} << 31); });
  };
  if (window.strides.size() != rank || window.dilations.size() != rank ||
      (window.pads && window.pads->size() != 2 * rank)) {
    n.Fail("strides, dilations and pads do not match a window of rank {}", rank);
  } else if (!is_positive(window.kernel) || !is_positive(window.strides) || !is_positive(window.dilations)) {
    n.Fail("kernel_shape, strides and dilations must be positive");
  } else if (window.pads && std::ranges::any_of(*window.pads, [](int64_t p) { return p != static_cast<int32_t>(p); })) {
    n.Fail("pads are too large");
  }
  return n.failed() ? std::nullopt : std::optional(window);
}

namespace {

// Padding along one axis that makes the result as long as the data divided by the stride.
auto SamePadding(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation) -> int64_t {
  const int64_t reach = (kernel - 1) * dilation + 1;
  const int64_t rest = extent % stride;
  return std::max<int64_t>(reach - (rest == 0 ? stride : rest), 0);
}

// The same for extents that are known only when the program runs, as an int64 expression.
auto DynamicWidths(Emitter& em, ExprId x, const Window& window) -> ExprId {
  const int64_t rank = em.rank(x);
  const DataType i64 = DataType::Int(64);
  const ExprId shape = SliceInts(em, em.Call("shape_of"_op, {x}, {{"dtype", i64}}), {2}, {rank}, {1});
  Ints reach;
  for (size_t i = 0; i < window.kernel.size(); ++i) reach.push_back((window.kernel[i] - 1) * window.dilations[i] + 1);
  const ExprId strides = em.Vector(window.strides);
  const ExprId reaches = em.Vector(reach);
  const ExprId zero = em.Scalar(i64, 0);
  const ExprId rest = em.Call("mod"_op, {shape, strides});
  const ExprId aligned = Maximum(em, Sub(em, reaches, strides), zero);
  const ExprId other = Maximum(em, Sub(em, reaches, rest), zero);
  const ExprId total = Where(em, em.Call("equal"_op, {rest, zero}), aligned, other);
  const ExprId half = em.Call("floor_divide"_op, {total, em.Scalar(i64, 2)});
  const ExprId remaining = Sub(em, total, half);
  const bool is_lower = window.auto_pad == "SAME_LOWER";
  const ExprId pairs = Stack(em, {is_lower ? remaining : half, is_lower ? half : remaining}, 1);
  const ExprId none = em.Array(std::vector<double>(4, 0), {2, 2}, i64);
  return Concat(em, {none, pairs}, 0);
}

}  // namespace

auto AutoPad(Node& n, ExprId x, const Window& window, ExprId value) -> ExprId {
  Emitter& em = n.em();
  std::vector<std::pair<int64_t, int64_t>> widths(2);
  for (int64_t i = 0; i < window.rank(); ++i) {
    const auto extent = em.Extent(x, i + 2);
    if (!extent) return PadBy(em, x, DynamicWidths(em, x, window), value, "constant");
    const auto k = static_cast<size_t>(i);
    const int64_t total = SamePadding(*extent, window.kernel[k], window.strides[k], window.dilations[k]);
    const int64_t before = window.auto_pad == "SAME_LOWER" ? total - total / 2 : total / 2;
    widths.emplace_back(before, total - before);
  }
  return PadInts(em, x, widths, value, "constant", 64);
}

auto PadsOf(Node& n, ExprId x, const Window& window) -> std::optional<Ints> {
  const auto rank = static_cast<size_t>(window.rank());
  if (window.auto_pad == "NOTSET") return window.pads.value_or(Ints(2 * rank, 0));
  if (window.auto_pad == "VALID") return Ints(2 * rank, 0);
  Ints pads(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = n.NeedExtent(x, static_cast<int64_t>(i) + 2, "the data");
    if (n.failed()) return std::nullopt;
    const int64_t total = SamePadding(extent, window.kernel[i], window.strides[i], window.dilations[i]);
    pads[i] = window.auto_pad == "SAME_LOWER" ? total - total / 2 : total / 2;
    pads[i + rank] = total - pads[i];
  }
  return pads;
}

namespace {

// Returns the spatial extents of the weight.
auto KernelOf(Node& n, ExprId weight) -> std::optional<Ints> {
  Ints kernel;
  for (int64_t i = 2; i < n.em().rank(weight); ++i) {
    const auto extent = n.em().Extent(weight, i);
    if (!extent) return std::nullopt;
    kernel.push_back(*extent);
  }
  return kernel;
}

// Whether the weight alone says how large the window is, and not all of it is known.
auto HasUnknownWindow(Node& n) -> bool {
  return !n.Has("kernel_shape") && !KernelOf(n, n.in(1)) && !n.Text("auto_pad").starts_with("SAME");
}

auto WithBias(Node& n, ExprId result) -> ExprId {
  return n.has(2) ? n.em().Call("nn.bias_add"_op, {result, n.in(2)}) : result;
}

auto ConvertConv(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const ExprId weight = n.in(1);
  const bool is_open = HasUnknownWindow(n);
  // Relay's operator takes the window from the weight when it has to.
  auto window = ReadWindow(
      n, is_open ? Ints(static_cast<size_t>(std::max<int64_t>(em.rank(weight) - 2, 0)), 1) : KernelOf(n, weight));
  if (!window) return {};
  const OpDef* op = ByRank(window->rank(), "nn.conv1d"_op, "nn.conv2d"_op, "nn.conv3d"_op);
  if (op == nullptr) return n.Fail("convolutions over {} spatial axes are not supported", window->rank());
  Ints pads = window->pads.value_or(Ints(window->kernel.size() * 2, 0));
  if (window->auto_pad == "VALID") pads.assign(pads.size(), 0);
  if (window->auto_pad.starts_with("SAME")) {
    pads.assign(pads.size(), 0);
    x = AutoPad(n, x, *window, em.Scalar(em.dtype(x), 0.0));
  }
  std::vector<AttrSetting> attrs = {
      {"strides", window->strides}, {"padding", pads}, {"dilation", window->dilations}, {"groups", n.Int("group")}};
  if (!is_open) {
    attrs.emplace_back("channels", em.dims(weight).empty() ? Dim() : em.dims(weight)[0]);
    attrs.emplace_back("kernel_size", window->kernel);
  }
  return WithBias(n, em.Call(op, {x, weight}, attrs));
}

// Returns the padding of a transposed convolution: what is removed from the full result. What an output_shape requires
// beyond the full result is added to `output_padding`.
auto TransposedPads(Node& n, const Window& window, Ints& output_padding) -> std::optional<Ints> {
  const auto rank = static_cast<size_t>(window.rank());
  const auto output_shape = n.IntList("output_shape");
  if (!output_shape && window.auto_pad == "NOTSET") return window.pads.value_or(Ints(2 * rank, 0));
  if (!output_shape && window.auto_pad == "VALID") return Ints(2 * rank, 0);
  if (output_shape && output_shape->size() < rank) {
    n.Fail("attribute 'output_shape' has fewer numbers than there are spatial axes");
    return std::nullopt;
  }
  Ints pads(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t total = output_padding[i] + reach - window.strides[i];
    if (output_shape) {
      const int64_t extent = n.NeedExtent(n.in(0), static_cast<int64_t>(i) + 2, "the data");
      // Old models give the whole shape.
      const int64_t wanted = (*output_shape)[output_shape->size() - rank + i];
      total = window.strides[i] * (extent - 1) + output_padding[i] + reach - wanted;
    }
    if (n.failed()) return std::nullopt;
    if (total < 0) {
      // ONNX multiplies the extent by the stride, onnxruntime leaves the result shorter: the node stays what it is.
      if (!output_shape && n.exact()) {
        n.Fail("the window of axis {} is shorter than its stride, and runtimes disagree on what auto_pad adds then",
               i + 2);
        return std::nullopt;
      }
      output_padding[i] -= total;
      total = 0;
    }
    // The odd one goes to the end if the name says so, else to the beginning.
    const int64_t half = total / 2;
    pads[i] = window.auto_pad == "SAME_UPPER" ? half : total - half;
    pads[i + rank] = total - pads[i];
  }
  return pads;
}

auto ConvertConvTranspose(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId weight = n.in(1);
  auto window = ReadWindow(n, KernelOf(n, weight));
  if (!window) return {};
  const OpDef* op =
      ByRank(window->rank(), "nn.conv1d_transpose"_op, "nn.conv2d_transpose"_op, "nn.conv3d_transpose"_op);
  if (op == nullptr) return n.Fail("convolutions over {} spatial axes are not supported", window->rank());
  const auto rank = static_cast<size_t>(window->rank());
  const auto given = n.IntList("output_padding");
  Ints output_padding = given.value_or(Ints(rank, 0));
  if (output_padding.size() != rank)
    return n.Fail("attribute 'output_padding' must have one value for each spatial axis");
  const auto pads = TransposedPads(n, *window, output_padding);
  const int64_t groups = n.Int("group");
  const int64_t channels = n.NeedExtent(weight, 1, "the weight") * groups;
  if (n.failed()) return {};
  std::vector<AttrSetting> attrs = {{"channels", channels},          {"kernel_size", window->kernel},
                                    {"strides", window->strides},    {"output_padding", output_padding},
                                    {"dilation", window->dilations}, {"groups", groups}};
  // As TVM: only the one-dimensional builder leaves its default as it is.
  if (rank != 1 || std::ranges::any_of(*pads, [](int64_t pad) { return pad != 0; }))
    attrs.emplace_back("padding", *pads);
  return WithBias(n, em.Call(op, {n.in(0), weight}, attrs));
}

struct Plane {
  int64_t height;
  int64_t width;
};

// Returns the data at every tap of the window, bilinear between its elements and zero outside, times the mask: (batch,
// channels, taps, result). `groups` of channels have offsets of their own, y in front of x.
auto DeformedTaps(Node& n, const Window& window, const Ints& pads, const Plane& out) -> ExprId {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const auto shape = n.NeedShape(x, "the data");
  const int64_t groups = n.Int("offset_group");
  if (!shape) return {};
  const int64_t taps = window.kernel[0] * window.kernel[1];
  const int64_t rows = taps * out.height;
  if (groups < 1 || (*shape)[1] % groups != 0) return n.Fail("attribute 'offset_group' does not divide the channels");
  if (!n.CheckIterations(groups) || !n.Elements({2, rows, out.width})) return {};
  // The positions of taps without offsets.
  std::vector<double> places[2];
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t ky = tap / window.kernel[1] * window.dilations[0] - pads[0];
    const int64_t kx = tap % window.kernel[1] * window.dilations[1] - pads[1];
    for (int64_t i = 0; i < out.height * out.width; ++i) {
      const int64_t y = i / out.width * window.strides[0] + ky;
      const int64_t x = i % out.width * window.strides[1] + kx;
      places[0].push_back(static_cast<double>(y));
      places[1].push_back(static_cast<double>(x));
    }
  }
  const DataType dtype = em.dtype(x);
  // The sampler counts from -1 at the one edge of the plane to 1 at the other.
  const auto coordinate = [&](ExprId offsets, int64_t axis) {
    const ExprId given = Reshape(em, SliceAxis(em, offsets, 2, axis, axis + 1), {(*shape)[0], rows, out.width});
    const ExprId at = Add(em, given, em.Array(places[axis], {rows, out.width}, dtype));
    const double size = static_cast<double>((*shape)[static_cast<size_t>(axis) + 2]);
    return Add(em, Mul(em, at, em.Scalar(dtype, 2 / size)), em.Scalar(dtype, 1 / size - 1));
  };
  Exprs parts;
  const int64_t channels = (*shape)[1] / groups;
  for (int64_t g = 0; g < groups; ++g) {
    const ExprId data = groups == 1 ? x : SliceAxis(em, x, 1, g * channels, (g + 1) * channels);
    ExprId offsets = SliceAxis(em, n.in(2), 1, g * taps * 2, (g + 1) * taps * 2);
    offsets = Reshape(em, offsets, {(*shape)[0], taps, 2, out.height * out.width});
    const ExprId grid = Stack(em, {coordinate(offsets, 1), coordinate(offsets, 0)}, 1);
    ExprId sampled = em.Call("image.grid_sample"_op, {data, grid},
                             {{"method", "bilinear"}, {"padding_mode", "zeros"}, {"align_corners", false}});
    const ExprId mask = SliceAxis(em, n.in(4), 1, g * taps, (g + 1) * taps);
    sampled = Mul(em, sampled, Reshape(em, mask, {(*shape)[0], 1, rows, out.width}));
    parts.push_back(Reshape(em, sampled, {(*shape)[0], channels, taps, out.height * out.width}));
  }
  return groups == 1 ? parts[0] : Concat(em, parts, 1);
}

// With a mask, the taps are sampled first; the result is an ordinary convolution over them.
auto MaskedDeformConv(Node& n, const Window& window, const Ints& pads) -> ExprId {
  Emitter& em = n.em();
  const Plane out = {n.NeedExtent(n.in(2), 2, "the offsets"), n.NeedExtent(n.in(2), 3, "the offsets")};
  const auto weight = n.NeedShape(n.in(1), "the weight");
  if (n.failed()) return {};
  const int64_t taps = window.kernel[0] * window.kernel[1];
  const ExprId sampled = DeformedTaps(n, window, pads, out);
  const ExprId flat = Reshape(em, n.in(1), {(*weight)[0], (*weight)[1], taps, 1});
  const ExprId result = em.Call("nn.conv2d"_op, {sampled, flat},
                                {{"padding", Ints(4, 0)},
                                 {"groups", n.Int("group")},
                                 {"channels", (*weight)[0]},
                                 {"kernel_size", Ints{taps, 1}}});
  return Reshape(em, result, {0, 0, out.height, out.width});
}

// Without a mask it is Relay's operator but at the border, where ONNX mixes with zeros: so there are zeros around the
// data.
auto PlainDeformConv(Node& n, const Window& window, Ints pads) -> ExprId {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const ExprId weight = n.in(1);
  for (int64_t& pad : pads) --pad;
  const ExprId padded = PadInts(em, x, {{0, 0}, {0, 0}, {1, 1}, {1, 1}}, em.Scalar(em.dtype(x), 0), "constant", 32);
  return em.Call("nn.deformable_conv2d"_op, {padded, n.in(2), weight},
                 {{"strides", window.strides},
                  {"padding", pads},
                  {"dilation", window.dilations},
                  {"deformable_groups", n.Int("offset_group")},
                  {"groups", n.Int("group")},
                  {"channels", FirstExtent(em, weight)},
                  {"kernel_size", window.kernel}});
}

auto ConvertDeformConv(Node& n) -> Results {
  auto window = ReadWindow(n, KernelOf(n, n.in(1)));
  if (!window) return {};
  if (window->rank() != 2) return n.Fail("only two spatial axes are deformed");
  const Ints pads = window->pads.value_or(Ints(4, 0));
  const ExprId result = n.has(4) ? MaskedDeformConv(n, *window, pads) : PlainDeformConv(n, *window, pads);
  return n.has(3) ? n.em().Call("nn.bias_add"_op, {result, n.in(3)}) : result;
}

constexpr std::string_view kWindow =
    "string auto_pad = NOTSET; ints kernel_shape; ints strides; ints dilations; ints pads; int group = 1";

constexpr OpRow kConvolutionRows[] = {
    OpRow("Conv", "1 11", "X, W, B?", kWindow, ConvertConv).ByTypes(),
    OpRow("ConvTranspose", "1 11", "X, W, B?",
          "string auto_pad = NOTSET; ints kernel_shape; ints strides; ints dilations; ints pads; int group = 1; ints "
          "output_padding; ints output_shape",
          ConvertConvTranspose)
        .ByTypes(),
    {"DeformConv", "19", "X, W, offset, B?, mask?",
     "string auto_pad = NOTSET; ints kernel_shape; ints strides; ints dilations; ints pads; int group = 1; int "
     "offset_group = 1",
     ConvertDeformConv},
};

}  // namespace

auto ConvolutionRows() -> std::span<const OpRow> { return kConvolutionRows; }

}  // namespace relayopt::onnx
