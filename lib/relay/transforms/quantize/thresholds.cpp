// Chooses the largest magnitude that a quantized value should represent.
#include "thresholds.h"
#include "relayopt/support/map_to_vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace relayopt {

namespace {

template <typename T>
auto Converted(const Tensor& tensor) -> std::vector<float> {
  return MapToVector<float>(tensor.elements<T>(), [&](T value) { return static_cast<float>(value); });
}

// Odd, so that zero lies in the middle of a bin. As TVM: this many.
constexpr int kNumBins = 8001;
constexpr int kNumQuantizedBins = 255;

struct Histogram {
  std::vector<int> counts;
  // One more than counts.
  std::vector<float> edges;
};

// Bins of one width between -largest and largest; the last one has its upper edge too.
auto HistogramOf(std::span<const float> values) -> Histogram {
  double largest = LargestMagnitude(values);
  if (largest == 0) largest = 0.5;
  Histogram histogram{std::vector<int>(kNumBins), std::vector<float>(kNumBins + 1)};
  const double width = 2 * largest / kNumBins;
  for (int i = 0; i < kNumBins; ++i) histogram.edges[i] = static_cast<float>(i * width - largest);
  histogram.edges[kNumBins] = static_cast<float>(largest);
  for (const float value : values) {
    int bin = std::clamp(static_cast<int>((double{value} + largest) / width), 0, kNumBins - 1);
    // Edges are rounded, and decide.
    while (bin > 0 && value < histogram.edges[bin]) --bin;
    while (bin < kNumBins - 1 && value >= histogram.edges[bin + 1]) ++bin;
    ++histogram.counts[bin];
  }
  return histogram;
}

// Moves a little from bins that are not empty to empty ones, so that logarithms exist. Returns false if there is
// nothing to take.
auto Smooth(std::vector<float>& distribution) -> bool {
  constexpr float kLittle = 0.0001F;
  const auto num_empty = std::count(distribution.begin(), distribution.end(), 0.0F);
  const auto num_full = static_cast<std::ptrdiff_t>(distribution.size()) - num_empty;
  if (num_full == 0) return false;
  const float taken = kLittle * static_cast<float>(num_empty) / static_cast<float>(num_full);
  if (taken >= 1) return false;
  for (float& share : distribution) share += share == 0 ? kLittle : -taken;
  return true;
}

// Returns the Kullback-Leibler divergence of q from p, which need not be normalized.
auto Divergence(const std::vector<float>& p, const std::vector<float>& q) -> float {
  const float p_sum = std::accumulate(p.begin(), p.end(), 0.0F);
  const float q_sum = std::accumulate(q.begin(), q.end(), 0.0F);
  float divergence = 0;
  float term = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    // Empty bins come in runs.
    if (i == 0 || p[i] != p[i - 1] || q[i] != q[i - 1]) {
      const float p_share = p[i] / p_sum;
      const float q_share = q[i] / q_sum;
      term = p_share * std::log(p_share / q_share);
    }
    divergence += term;
  }
  return divergence;
}

// Compares the histogram, cut off on both sides, with what quantization leaves of it.
class CutHistogram {
 public:
  // Keeps `half` bins on either side of the middle one.
  CutHistogram(const Histogram& histogram, int half) {
    const int begin = kNumBins / 2 - half;
    const int end = kNumBins / 2 + half + 1;
    const auto& counts = histogram.counts;
    inside_.assign(counts.begin() + begin, counts.begin() + end);
    // Clipped values count for the outermost bins of the distribution, but not for the quantized ones. As TVM: neither
    // does the first bin.
    inside_[0] = 0;
    p_.assign(inside_.begin(), inside_.end());
    for (int i = 0; i <= begin; ++i) p_.front() += static_cast<float>(counts[i]);
    for (int i = end; i < kNumBins; ++i) p_.back() += static_cast<float>(counts[i]);
  }

  auto DivergenceWhenQuantized() -> float {
    std::vector<float> q = Quantized();
    Smooth(p_);
    return Smooth(q) ? Divergence(p_, q) : std::numeric_limits<float>::infinity();
  }

 private:
  // Merges bins into few, and spreads each over those of its bins that are not empty.
  auto Quantized() const -> std::vector<float> {
    const size_t merged = inside_.size() / kNumQuantizedBins;
    std::vector<float> q(inside_.size(), 0);
    for (size_t i = 0; i < kNumQuantizedBins; ++i) {
      const size_t begin = i * merged;
      const size_t end = i == kNumQuantizedBins - 1 ? inside_.size() : begin + merged;
      const auto first = inside_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = inside_.begin() + static_cast<std::ptrdiff_t>(end);
      const auto num_full = std::count_if(first, last, [](int count) { return count != 0; });
      if (num_full == 0) continue;
      auto sum = static_cast<float>(std::accumulate(first, first + static_cast<std::ptrdiff_t>(merged), 0));
      sum += static_cast<float>(std::accumulate(first + static_cast<std::ptrdiff_t>(merged), last, 0));
      for (size_t k = begin; k < end; ++k) {
        if (p_[k] != 0) q[k] = sum / static_cast<float>(num_full);
      }
    }
    return q;
  }

  std::vector<int> inside_;
  std::vector<float> p_;
};

}  // namespace

auto FloatsOf(const Tensor& tensor) -> std::optional<std::vector<float>> {
  const DataType dtype = tensor.dtype();
  if (dtype == DataType::Float(32)) return Converted<float>(tensor);
  if (dtype == DataType::Float(64)) return Converted<double>(tensor);
  if (dtype == DataType::Float(16)) return Converted<Half>(tensor);
  if (dtype == DataType::BFloat(16)) return Converted<BFloat>(tensor);
  return std::nullopt;
}

auto LargestMagnitude(std::span<const float> values) -> float {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

auto ThresholdByDivergence(std::span<const float> values) -> double {
  const Histogram histogram = HistogramOf(values);
  float least = std::numeric_limits<float>::infinity();
  // As TVM: if no threshold is better, the first one is used.
  float threshold = histogram.edges[kNumBins / 2 + kNumQuantizedBins / 2 + 1];
  for (int half = kNumQuantizedBins / 2; half <= kNumBins / 2; ++half) {
    const float divergence = CutHistogram(histogram, half).DivergenceWhenQuantized();
    if (!(divergence < least)) continue;
    least = divergence;
    threshold = histogram.edges[kNumBins / 2 + half + 1];
  }
  return threshold;
}

auto ThresholdByPercentile(std::span<const float> values) -> double {
  constexpr double kPercentile = 0.99999;
  std::vector<float> magnitudes(values.size());
  std::ranges::transform(values, magnitudes.begin(), [](float value) { return std::abs(value); });
  const auto position = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * kPercentile);
  std::nth_element(magnitudes.begin(), magnitudes.begin() + position, magnitudes.end());
  return magnitudes[static_cast<size_t>(position)];
}

}  // namespace relayopt
