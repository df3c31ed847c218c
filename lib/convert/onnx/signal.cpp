// Signals: windows, transforms, frames.
#include <cmath>
#include <numbers>

#include "builders.h"
#include "families.h"
#include "relayopt/core/extents.h"
#include "shared.h"
#include "tensor_data.h"

namespace relayopt::onnx {

namespace {

constexpr double kPi = std::numbers::pi;

// The same as MakeWindow for a size that is not known.
auto OpenWindow(Node& n, double mean, double first, double second, DataType dtype) -> ExprId {
  Emitter& em = n.em();
  const DataType f64 = DataType::Float(64);
  const DataType i64 = DataType::Int(64);
  const auto number = [&](double value) { return em.Scalar(f64, value); };
  const ExprId given = em.rank(n.in(0)) == 1 ? Squeeze(em, n.in(0), {0}) : n.in(0);
  const ExprId size = CastTo(em, given, i64);
  const ExprId zero = em.Scalar(i64, 0);
  const ExprId one = em.Scalar(i64, 1);
  const ExprId places = em.Call("arange"_op, {zero, size, one}, ArangeAttributes(em, zero, size, one, i64));
  const ExprId period = Cast(em, n.Flag("periodic") ? size : Sub(em, size, one), f64);
  const ExprId is_point = em.Call("equal"_op, {period, number(0)});
  const ExprId turn = Div(em, number(2 * kPi), Where(em, is_point, number(1), period));
  const ExprId x = Mul(em, Cast(em, places, f64), turn);
  const auto wave = [&](double factor, double times) {
    return Mul(em, number(factor), em.Call("cos"_op, {Mul(em, x, number(times))}));
  };
  ExprId window = Sub(em, number(mean), wave(first, 1));
  if (second != 0) window = Add(em, window, wave(second, 2));
  return Cast(em, Where(em, is_point, number(1), window), dtype);
}

// Returns mean - first * cos(x) + second * cos(2 * x) over one turn.
auto MakeWindow(Node& n, double mean, double first, double second) -> Results {
  const auto type = static_cast<int32_t>(n.Int("output_datatype"));
  const auto dtype = RelayType(type);
  const auto size = n.em().IntsOf(n.Known(0));
  if (!dtype || (size && size->size() != 1))
    return n.Fail("size must have one element, and output_datatype must be a type that Relay has");
  if (!size) return OpenWindow(n, mean, first, second, *dtype);
  if (!n.Elements(*size)) return {};
  const double period = static_cast<double>(n.Flag("periodic") ? size->front() : size->front() - 1);
  std::vector<double> values;
  for (int64_t i = 0; i < size->front(); ++i) {
    const double x = 2 * kPi * static_cast<double>(i) / period;
    values.push_back(period == 0 ? 1 : mean - first * std::cos(x) + second * std::cos(2 * x));
  }
  return n.em().Array(values, {size->front()}, *dtype);
}

auto ConvertHannWindow(Node& n) -> Results { return MakeWindow(n, 0.5, 0.5, 0); }
auto ConvertHammingWindow(Node& n) -> Results { return MakeWindow(n, 25.0 / 46, 21.0 / 46, 0); }
auto ConvertBlackmanWindow(Node& n) -> Results { return MakeWindow(n, 0.42, 0.5, 0.08); }

// Cuts or pads the signal along an axis to the length in input 1, which becomes `length`. False after an error.
auto FitLength(Node& n, ExprId& x, int64_t axis, int64_t& length) -> bool {
  Emitter& em = n.em();
  const auto given = n.NeedInts(1);
  if (!given || given->size() != 1 || given->front() < 1) {
    n.Fail("dft_length must be a positive number");
    return false;
  }
  const int64_t rank = em.rank(x);
  const int64_t wanted = given->front();
  if (wanted < length) {
    const auto shape = n.NeedShape(x, "the signal");
    if (!shape) return false;
    Ints end = *shape;
    end[static_cast<size_t>(axis)] = wanted;
    x = SliceInts(em, x, Ints(end.size(), 0), end, Ints(end.size(), 1), Iota(rank));
  } else if (wanted > length) {
    std::vector<std::pair<int64_t, int64_t>> widths(static_cast<size_t>(rank));
    widths[static_cast<size_t>(axis)].second = wanted - length;
    x = PadInts(em, x, widths, em.Scalar(em.dtype(x), 0.0));
  }
  length = wanted;
  return true;
}

// Both parts of a signal of this shape, whose last axis holds them; the imaginary part is 0 when it is missing. Invalid
// after an error.
auto RealAndImaginary(Node& n, ExprId x, const Ints& shape) -> std::pair<ExprId, ExprId> {
  Emitter& em = n.em();
  if (shape.back() == 1) {
    Ints flat(shape.begin(), shape.end() - 1);
    const auto count = n.Elements(flat);
    if (!count) return {};
    const ExprId real = Squeeze(em, x, {-1});
    return {real, em.Array(std::vector<double>(*count), flat, em.dtype(x))};
  }
  const ExprId both = Split(em, x, 2, -1);
  const ExprId real = Squeeze(em, em.Get(both, 0), {-1});
  return {real, Squeeze(em, em.Get(both, 1), {-1})};
}

// Returns the spectrum of a real signal from its half: what follows is the conjugate of what comes before, backwards.
// The signal has the length in input 1, or an even one.
//
//   a b c, length 4   =>   a b c conj(b)
auto WholeSpectrum(Node& n, ExprId x, int64_t axis) -> ExprId {
  Emitter& em = n.em();
  const auto shape = n.NeedShape(x, "the spectrum");
  if (!shape) return {};
  if (shape->back() != 2) return n.Fail("half of a spectrum consists of complex numbers");
  int64_t length = 2 * ((*shape)[static_cast<size_t>(axis)] - 1);
  if (n.has(1)) {
    const auto given = n.NeedInt(1);
    if (!given) return {};
    length = *given;
  }
  if (length < 1) return n.Fail("dft_length must be a positive number");
  const int64_t count = length / 2 + 1;
  const int64_t rank = em.rank(x);
  Ints end = *shape;
  const int64_t known = std::min(end[static_cast<size_t>(axis)], count);
  end[static_cast<size_t>(axis)] = known;
  x = SliceInts(em, x, Ints(end.size(), 0), end, Ints(end.size(), 1), Iota(rank));
  if (known < count) {
    std::vector<std::pair<int64_t, int64_t>> widths(static_cast<size_t>(rank));
    widths[static_cast<size_t>(axis)].second = count - known;
    x = PadInts(em, x, widths, em.Scalar(em.dtype(x), 0.0));
  }
  Ints mirrored;
  for (int64_t i = count; i < length; ++i) mirrored.push_back(length - i);
  if (mirrored.empty()) return x;
  const std::vector<double> signs = {1, -1};
  const ExprId rest = Mul(em, Take(em, x, em.Vector(mirrored), axis), em.Array(signs, {2}, em.dtype(x)));
  return Concat(em, {x, rest}, axis);
}

auto ConvertDFT(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  int64_t axis = n.opset() < 20 ? n.Int("axis") : -2;
  if (n.opset() >= 20 && n.has(2)) {
    const auto given = n.NeedInt(2);
    if (!given) return {};
    axis = *given;
  }
  axis = n.Axis(axis, rank);
  int64_t length = n.NeedExtent(x, axis, "the signal");
  if (n.failed() || axis == rank - 1) return n.Fail("the last axis holds real and imaginary parts");
  // Half of the spectrum of a real signal, which becomes that signal.
  const bool is_half = n.Flag("inverse") && n.Flag("onesided");
  if (is_half) {
    x = WholeSpectrum(n, x, axis);
    if (n.failed()) return {};
    length = *em.Extent(x, axis);
  } else if (n.has(1) && !FitLength(n, x, axis, length)) {
    return {};
  }
  const auto parts = n.NeedShape(x, "the signal");
  if (!parts) return {};
  auto [real, imaginary] = RealAndImaginary(n, x, *parts);
  if (!real) return {};
  // As TVM: the axis changes places with the last one.
  Ints order = Iota(rank - 1);
  order[static_cast<size_t>(axis)] = -1;
  order.back() = axis;
  real = Transpose(em, real, order);
  imaginary = Transpose(em, imaginary, order);
  std::vector<AttrSetting> settings = {{"inverse", Dim::Null()}};
  if (n.Has("inverse")) settings = {{"inverse", n.Flag("inverse")}};
  const ExprId transformed = em.Call("dft"_op, {real, imaginary}, settings);
  const auto back = [&](size_t i) {
    ExprId part = Transpose(em, em.Get(transformed, i), order);
    if (n.Flag("onesided") && !is_half) {
      Ints end(parts->begin(), parts->end() - 1);
      end[static_cast<size_t>(axis)] = length / 2 + 1;
      part = SliceInts(em, part, Ints(end.size(), 0), end, Ints(end.size(), 1), Iota(rank - 1));
    }
    return ExpandDims(em, part, -1);
  };
  const ExprId first = back(0);
  if (is_half) return first;
  return Concat(em, {first, back(1)}, -1);
}

// Frames times cosines and sines.
auto ConvertSTFT(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const auto shape = n.NeedShape(x, "signal");
  const auto step = n.NeedInts(1);
  if (!shape || !step || step->size() != 1 || step->front() < 1) return n.Fail("frame_step must be a positive number");
  if (shape->size() == 3 && shape->back() == 1) x = Squeeze(em, x, {2});
  if (em.rank(x) != 2) return n.Fail("only real signals are transformed");
  int64_t frame = 0;
  if (n.has(3)) {
    const auto given = n.NeedInt(3);
    if (!given) return {};
    frame = *given;
  } else if (n.has(2)) {
    frame = n.NeedExtent(n.in(2), 0, "window");
  }
  const int64_t length = (*shape)[1];
  if (n.failed() || frame < 1 || frame > length)
    return n.Fail("the frames have no length, or are longer than the signal");
  const int64_t frames = (length - frame) / step->front() + 1;
  if (!n.Elements({frames, frame}) || !n.Elements({frame, frame})) return {};
  std::vector<double> indices;
  for (int64_t f = 0; f < frames; ++f) {
    for (int64_t i = 0; i < frame; ++i) indices.push_back(static_cast<double>(f * step->front() + i));
  }
  ExprId data = Take(em, x, em.Array(indices, {frames, frame}, DataType::Int(64)), 1);
  if (n.has(2)) data = Mul(em, data, n.in(2));
  const int64_t bins = n.Flag("onesided") ? frame / 2 + 1 : frame;
  std::vector<double> cosines;
  std::vector<double> sines;
  for (int64_t k = 0; k < bins; ++k) {
    for (int64_t i = 0; i < frame; ++i) {
      const double angle = 2 * kPi * static_cast<double>((k * i) % frame) / static_cast<double>(frame);
      cosines.push_back(std::cos(angle));
      sines.push_back(-std::sin(angle));
    }
  }
  const ExprId flat = Reshape(em, data, {-1, frame});
  const auto part = [&](const std::vector<double>& matrix) {
    return Reshape(em, Dense(em, flat, em.Array(matrix, {bins, frame}, dtype)), {(*shape)[0], frames, bins});
  };
  const ExprId real = part(cosines);
  return Stack(em, {real, part(sines)}, -1);
}

// Returns the sums of overlapping blocks, by a matrix of zeros and ones.
auto ConvertCol2Im(Node& n) -> Results {
  Emitter& em = n.em();
  const auto shape = n.NeedShape(n.in(0), "input");
  const auto image = n.NeedInts(1);
  const auto block = n.NeedInts(2);
  if (!shape || !image || !block || image->size() != block->size() || shape->size() != 3)
    return n.Fail("the shapes of image, block and columns do not match");
  const size_t rank = image->size();
  const Ints strides = n.IntList("strides").value_or(Ints(rank, 1));
  const Ints dilations = n.IntList("dilations").value_or(Ints(rank, 1));
  const Ints pads = n.IntList("pads").value_or(Ints(2 * rank, 0));
  if (strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank)
    return n.Fail("strides, dilations and pads do not match the rank of the image");
  Ints windows;
  for (size_t i = 0; i < rank; ++i) {
    if (strides[i] < 1) return n.Fail("strides must be positive");
    windows.push_back(((*image)[i] + pads[i] + pads[i + rank] - dilations[i] * ((*block)[i] - 1) - 1) / strides[i] + 1);
  }
  const int64_t cells = Product(*block);
  const int64_t places = Product(windows);
  const int64_t pixels = Product(*image);
  if (cells < 1 || places != (*shape)[2] || (*shape)[1] % cells != 0 || pixels < 1)
    return n.Fail("the columns do not match the image");
  if (!n.Elements({pixels, cells, places})) return {};
  const int64_t channels = (*shape)[1] / cells;
  std::vector<double> matrix(static_cast<size_t>(pixels * cells * places));
  for (int64_t c = 0; c < cells; ++c) {
    for (int64_t w = 0; w < places; ++w) {
      int64_t cell = c;
      int64_t window = w;
      int64_t pixel = 0;
      int64_t scale = 1;
      bool inside = true;
      for (size_t i = rank; i-- > 0;) {
        const int64_t at = window % windows[i] * strides[i] + cell % (*block)[i] * dilations[i] - pads[i];
        window /= windows[i];
        cell /= (*block)[i];
        inside = inside && at >= 0 && at < (*image)[i];
        pixel += at * scale;
        scale *= (*image)[i];
      }
      if (inside) matrix[static_cast<size_t>((pixel * cells + c) * places + w)] = 1;
    }
  }
  const ExprId columns = Reshape(em, n.in(0), {(*shape)[0] * channels, cells * places});
  const ExprId sums = Dense(em, columns, em.Array(matrix, {pixels, cells * places}, em.dtype(n.in(0))));
  Ints out = {(*shape)[0], channels};
  out.insert(out.end(), image->begin(), image->end());
  return Reshape(em, sums, out);
}

auto ConvertMelWeightMatrix(Node& n) -> Results {
  double numbers[5];
  for (size_t i = 0; i < 5; ++i) {
    const auto given = n.NeedDoubles(i);
    if (!given) return {};
    if (given->size() != 1) return n.Fail("{} must be one number", n.InputText(i));
    numbers[i] = given->front();
  }
  const auto bins = static_cast<int64_t>(numbers[0]);
  const auto dft = static_cast<int64_t>(numbers[1]);
  const auto dtype = RelayType(static_cast<int32_t>(n.Int("output_datatype")));
  if (!dtype || bins < 1 || dft < 1 || bins > 100000 || dft > 1000000)
    return n.Fail("the sizes are out of range, or output_datatype is not supported");
  const int64_t rows = dft / 2 + 1;
  if (!n.Elements({rows, bins})) return {};
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(numbers[3]);
  const double step = (mel(numbers[4]) - low) / static_cast<double>(bins + 2);
  Ints edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (low + static_cast<double>(i) * step) / 2595) - 1);
    const double edge = std::floor(static_cast<double>(dft + 1) * hertz / numbers[2]);
    constexpr double kFar = 1e15;
    if (!(std::fabs(edge) < kFar)) return n.Fail("the frequencies must be numbers");
    edges.push_back(static_cast<int64_t>(edge));
  }
  std::vector<double> matrix(static_cast<size_t>(rows * bins));
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t left = edges[static_cast<size_t>(i)];
    const int64_t centre = edges[static_cast<size_t>(i) + 1];
    const int64_t right = edges[static_cast<size_t>(i) + 2];
    const auto put = [&](int64_t row, double value) {
      if (row >= 0 && row < rows) matrix[static_cast<size_t>(row * bins + i)] = value;
    };
    if (centre == left) put(centre, 1);
    for (int64_t k = std::max<int64_t>(left, 0); k <= std::min(centre, rows) && centre != left; ++k)
      put(k, static_cast<double>(k - left) / static_cast<double>(centre - left));
    for (int64_t k = std::max<int64_t>(centre, 0); k < std::min(right, rows); ++k)
      put(k, static_cast<double>(right - k) / static_cast<double>(right - centre));
  }
  return n.em().Array(matrix, {rows, bins}, *dtype);
}

constexpr OpRow kSignalRows[] = {
    {"HannWindow", "17", "size", "int output_datatype = 1; int periodic = 1", ConvertHannWindow},
    {"HammingWindow", "17", "size", "int output_datatype = 1; int periodic = 1", ConvertHammingWindow},
    {"BlackmanWindow", "17", "size", "int output_datatype = 1; int periodic = 1", ConvertBlackmanWindow},
    {"MelWeightMatrix", "17", "num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz",
     "int output_datatype = 1", ConvertMelWeightMatrix},
    {"DFT", "17 20", "input, dft_length?, axis?", "int axis = 1; int inverse = 0; int onesided = 0", ConvertDFT},
    {"STFT", "17", "signal, frame_step, window?, frame_length?", "int onesided = 1", ConvertSTFT},
    {"Col2Im", "18", "input, image_shape, block_shape", "ints dilations; ints pads; ints strides", ConvertCol2Im},
};

}  // namespace

auto SignalRows() -> std::span<const OpRow> { return kSignalRows; }

}  // namespace relayopt::onnx
