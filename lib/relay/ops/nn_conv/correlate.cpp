// Correlations as matrix products: for a block of positions of the result, the elements in each window are a column of
// a matrix, which is multiplied by the weights.
#include "correlate.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/float_product.h"
#include "lib/relay/ops/kernels/gemm.h"
#include "lib/relay/ops/kernels/parallel.h"

namespace relayopt {

namespace {

// Returns the position in the data for position `at` of the result and `k` of the kernel, or -1 if it is outside.
auto SourceOf(const ConvGeometry& g, size_t axis, int64_t at, int64_t k) -> int64_t {
  const int64_t position = at * g.stride[axis] - g.pad[axis] + k * g.dilation[axis];
  return position >= 0 && position < g.in[axis] ? position : -1;
}

// Copies a few elements, for which a call of a function would take longer. Where their number is no multiple, the last
// ones are copied together with some that were copied before.
template <typename T>
void CopyFew(const T* from, int64_t count, T* to) {
  const auto by = [&](auto together) {
    int64_t i = 0;
    for (; i + together <= count; i += together) std::memcpy(to + i, from + i, together * sizeof(T));
    if (i < count) std::memcpy(to + count - together, from + count - together, together * sizeof(T));
  };
  if (count >= 8)
    by(std::integral_constant<int64_t, 8>{});
  else if (count >= 4)
    by(std::integral_constant<int64_t, 4>{});
  else
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

// The matrix whose columns are the windows of the positions of the result, row by row the elements under one position
// of the kernel in one channel. Nothing of it is kept.
template <typename T>
class Windows {
 public:
  // `data` is the first channel of a group. The geometry must outlive the object.
  Windows(const ConvGeometry& geometry, const T* data) : g_(geometry), data_(data) {}

  // As WriteColumns says: run by run of positions that are side by side in the result.
  void Write(int64_t k, int64_t depth, int64_t column, int64_t count, int64_t step, T* to) const {
    const Tap first = TapOf(k);
    Triple at = {column / (g_.out[1] * g_.out[2]), column / g_.out[2] % g_.out[1], column % g_.out[2]};
    for (const T* const end = to + count; to < end;) {
      const int64_t run = std::min<int64_t>(end - to, g_.out[2] - at[2]);
      WriteRun(first, depth, at, run, step, to);
      to += run;
      at[2] = 0;
      if (++at[1] < g_.out[1]) continue;
      at[1] = 0;
      ++at[0];
    }
  }

 private:
  // A row of the matrix: a position of the kernel in a channel.
  struct Tap {
    const T* channel;
    Triple k;
  };

  auto TapOf(int64_t row) const -> Tap {
    const int64_t window = Volume(g_.kernel);
    const int64_t k = row % window;
    return {data_ + row / window * Volume(g_.in),
            {k / (g_.kernel[1] * g_.kernel[2]), k / g_.kernel[2] % g_.kernel[1], k % g_.kernel[2]}};
  }

  // Goes on to the next line of the kernel.
  void NextLine(Tap& tap) const {
    tap.k[2] = 0;
    if (++tap.k[1] < g_.kernel[1]) return;
    tap.k[1] = 0;
    if (++tap.k[0] < g_.kernel[0]) return;
    tap.k[0] = 0;
    tap.channel += Volume(g_.in);
  }

  // The line of the data under a line of the kernel for positions from `at` on, or null if it is outside.
  auto LineUnder(const Tap& tap, const Triple& at) const -> const T* {
    const int64_t d = SourceOf(g_, 0, at[0], tap.k[0]);
    const int64_t h = SourceOf(g_, 1, at[1], tap.k[1]);
    return d < 0 || h < 0 ? nullptr : tap.channel + (d * g_.in[1] + h) * g_.in[2];
  }

  // Writes `depth` rows from `tap` on for `count` positions along the last axis.
  void WriteRun(Tap tap, int64_t depth, const Triple& at, int64_t count, int64_t step, T* to) const {
    while (depth > 0) {
      const T* const line = LineUnder(tap, at);
      const int64_t rows = std::min(depth, g_.kernel[2] - tap.k[2]);
      depth -= rows;
      for (int64_t row = 0; row < rows; ++row, ++tap.k[2], to += step) {
        if (line == nullptr)
          std::fill_n(to, count, T(0));
        else
          WriteElements(line, at[2], tap.k[2], count, to);
      }
      NextLine(tap);
    }
  }

  // Writes the elements of a line under position `k` of the kernel for `count` positions from `at` on.
  void WriteElements(const T* line, int64_t at, int64_t k, int64_t count, T* to) const {
    const int64_t extent = g_.in[2];
    const int64_t first = at * g_.stride[2] - g_.pad[2] + k * g_.dilation[2];
    if (g_.stride[2] == 1) {
      // First the positions before the line, then those on it, then those after it.
      const int64_t begin = std::clamp<int64_t>(-first, 0, count);
      const int64_t end = std::clamp<int64_t>(extent - first, begin, count);
      for (int64_t x = 0; x < begin; ++x) to[x] = T(0);
      if (begin < end) CopyFew(line + first + begin, end - begin, to + begin);
      for (int64_t x = end; x < count; ++x) to[x] = T(0);
    } else {
      for (int64_t x = 0, source = first; x < count; ++x, source += g_.stride[2])
        to[x] = source >= 0 && source < extent ? line[source] : T(0);
    }
  }

  const ConvGeometry& g_;
  const T* data_;
};

// Multiplies the windows of `result.columns` positions from `first` on by the weights.
template <typename T>
void MultiplyWindows(MatrixRef<const T> weights, const Windows<T>& windows, int64_t first, MatrixRef<T> result) {
  const int64_t depth = weights.columns;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    const auto write = [&](int64_t k, int64_t rows, int64_t column, int64_t count, int64_t step, T* to) {
      windows.Write(k, rows, first + column, count, step, to);
    };
    MultiplyFloats(weights, write, result);
  } else {
    const auto matrix = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(depth * result.columns));
    windows.Write(0, depth, first, result.columns, result.columns, matrix.get());
    Multiply<T>(weights, {matrix.get(), depth, result.columns, result.columns}, result);
  }
}

// How the work is divided; depends on the geometry only.
struct Blocks {
  int64_t positions;
  int64_t channels;
};
template <typename T>
auto BlocksOf(int64_t depth, int64_t positions, int64_t channels) -> Blocks {
  constexpr int64_t kChannels = 128;
  // Elements of a result of floats; of a matrix of windows for other types.
  constexpr int64_t kElements = std::is_floating_point_v<T> ? int64_t{1} << 16 : int64_t{1} << 18;
  const int64_t per_position = std::is_floating_point_v<T> ? std::min(kChannels, channels) : depth;
  const int64_t fitting = kElements / std::max<int64_t>(per_position, 1);
  return {std::clamp<int64_t>(fitting, 16, std::max<int64_t>(positions, 16)), std::min(kChannels, channels)};
}

// Whether each position of the result has the one element of the data at the same position in its window.
auto IsPointwise(const ConvGeometry& g) -> bool {
  constexpr Triple kOnes{1, 1, 1};
  return g.kernel == kOnes && g.stride == kOnes && g.pad == Triple{0, 0, 0} && g.in == g.out;
}

template <typename T>
void CorrelateElements(const ConvGeometry& g, const T* data, const T* weight, T* result) {
  const int64_t per_group = g.in_channels / g.groups;
  const int64_t out_per_group = g.out_channels / g.groups;
  const int64_t depth = per_group * Volume(g.kernel);
  const int64_t in_size = Volume(g.in);
  const int64_t positions = Volume(g.out);
  if (positions == 0 || out_per_group == 0) return;
  const Blocks block = BlocksOf<T>(depth, positions, out_per_group);
  const int64_t across = (positions + block.positions - 1) / block.positions;
  const int64_t down = (out_per_group + block.channels - 1) / block.channels;
  const bool is_pointwise = IsPointwise(g);

  SplitWork(g.batch * g.groups * down * across, g.batch * g.out_channels * positions * depth, [&](int64_t task) {
    const int64_t first = task % across * block.positions;
    const int64_t channel = task / across % down * block.channels;
    const int64_t group = task / across / down % g.groups;
    const int64_t sample = task / across / down / g.groups;
    const int64_t count = std::min(block.positions, positions - first);
    const int64_t out_channel = group * out_per_group + channel;
    const int64_t channels = std::min(block.channels, out_per_group - channel);
    const MatrixRef<const T> weights{weight + out_channel * depth, channels, depth, depth};
    const MatrixRef<T> out{result + (sample * g.out_channels + out_channel) * positions + first, channels, count,
                           positions};
    const T* const from = data + (sample * g.in_channels + group * per_group) * in_size;
    if (is_pointwise)
      Multiply<T>(weights, {from + first, depth, count, in_size}, out);
    else
      MultiplyWindows<T>(weights, Windows<T>(g, from), first, out);
  });
}

// Of a correlation with data between whose elements there are zeros (`spread` is the distance of the elements): the
// positions of the result along an axis that meet elements under the same positions of the kernel. The others meet
// zeros only. For example, with elements at a distance of 2, a kernel of 3 and a pad of 1,
//
//   data          a 0 b 0 c
//   result 0, 2, 4: k1 * a, k1 * b, k1 * c     1, 3: k0 * a + k2 * b, k0 * b + k2 * c
struct Phase {
  // The first position of the result, and how many there are; they have the distance of the elements.
  int64_t first;
  int64_t count;
  // The positions of the kernel.
  std::vector<int64_t> taps;
  // What the correlation of these positions with the elements has.
  int64_t dilation;
  int64_t pad;
};
using PhaseOfAxes = std::array<Phase, 3>;

auto PhasesOf(const ConvGeometry& g, const Triple& spread, size_t axis) -> std::vector<Phase> {
  const int64_t distance = spread[axis];
  // Positions of the kernel at this distance meet elements together.
  const int64_t step = distance / std::gcd(distance, g.dilation[axis]);
  std::vector<Phase> phases;
  for (int64_t k = 0; k < std::min(step, g.kernel[axis]); ++k) {
    const int64_t offset = k * g.dilation[axis] - g.pad[axis];
    const int64_t first = ((-offset) % distance + distance) % distance;
    if (first >= g.out[axis]) continue;
    Phase& phase = phases.emplace_back(Phase{.first = first,
                                             .count = (g.out[axis] - first + distance - 1) / distance,
                                             .taps = {},
                                             .dilation = step * g.dilation[axis] / distance,
                                             .pad = -((first + offset) / distance)});
    for (int64_t tap = k; tap < g.kernel[axis]; tap += step) phase.taps.push_back(tap);
  }
  return phases;
}

// Writes what was computed for the positions of a phase to their places in the result.
template <typename T>
void Scatter(const ConvGeometry& g, const Triple& spread, const PhaseOfAxes& phase, const T* from, T* result) {
  for (int64_t plane = 0; plane < g.batch * g.out_channels; ++plane) {
    for (int64_t d = 0; d < phase[0].count; ++d) {
      for (int64_t h = 0; h < phase[1].count; ++h, from += phase[2].count) {
        const int64_t row =
            (plane * g.out[0] + phase[0].first + d * spread[0]) * g.out[1] + phase[1].first + h * spread[1];
        T* const line = result + row * g.out[2] + phase[2].first;
        for (int64_t w = 0; w < phase[2].count; ++w) line[w * spread[2]] = from[w];
      }
    }
  }
}

auto CorrelatePhase(KernelContext& kernel, const ConvGeometry& whole, const Triple& spread, const PhaseOfAxes& phase,
                    const Tensor& data, const Tensor& weight, Tensor& result) -> KernelStatus {
  ConvGeometry g = whole;
  const int64_t in_channels = g.in_channels / g.groups;
  const Tensor kernels = weight.Reshaped({g.out_channels, in_channels, g.kernel[0], g.kernel[1], g.kernel[2]});
  for (size_t axis = 0; axis < 3; ++axis) {
    g.out[axis] = phase[axis].count;
    g.kernel[axis] = static_cast<int64_t>(phase[axis].taps.size());
    g.dilation[axis] = phase[axis].dilation;
    g.pad[axis] = phase[axis].pad;
  }
  const Tensor taps =
      Chosen(kernels, {Iota(g.out_channels), Iota(in_channels), phase[0].taps, phase[1].taps, phase[2].taps});
  Tensor part = Tensor::Unset(result.dtype(), {g.batch, g.out_channels, g.out[0], g.out[1], g.out[2]});
  const KernelStatus status = Correlate(kernel, g, data, taps, part);
  if (status != KernelStatus::kDone) return status;
  return VisitSizes(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Scatter(whole, spread, phase, part.data<T>(), result.mutable_data<T>());
    return KernelStatus::kDone;
  });
}

}  // namespace

auto Correlate(KernelContext& kernel, const ConvGeometry& geometry, const Tensor& data, const Tensor& weight,
               Tensor& result) -> KernelStatus {
  return VisitNumbers(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    CorrelateElements(geometry, data.data<T>(), weight.data<T>(), result.mutable_data<T>());
    return KernelStatus::kDone;
  });
}

auto CorrelateSpread(KernelContext& kernel, const ConvGeometry& geometry, const Triple& spread, const Tensor& data,
                     const Tensor& weight, Tensor& result) -> KernelStatus {
  // Positions of no phase stay 0.
  std::fill_n(result.MutableBytes(), result.num_bytes(), std::byte{});
  const std::array<std::vector<Phase>, 3> phases = {PhasesOf(geometry, spread, 0), PhasesOf(geometry, spread, 1),
                                                    PhasesOf(geometry, spread, 2)};
  for (const Phase& depth : phases[0]) {
    for (const Phase& height : phases[1]) {
      for (const Phase& width : phases[2]) {
        const PhaseOfAxes phase = {depth, height, width};
        const KernelStatus status = CorrelatePhase(kernel, geometry, spread, phase, data, weight, result);
        if (status != KernelStatus::kDone) return status;
      }
    }
  }
  return KernelStatus::kDone;
}

}  // namespace relayopt
