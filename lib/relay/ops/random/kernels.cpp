// Kernels of random numbers: they encrypt a counter, so that the key determines all numbers.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "lib/relay/ops/kernels/arrange.h"

namespace relayopt {

namespace {

using Block = std::array<uint64_t, 4>;
// Words 0-3 are the key, 4-5 the path of splits, 6 is 0, 7 the counter, 8-9 the position of the next bit of the path.
using State = std::array<uint64_t, 10>;

constexpr uint64_t kFirstBit = uint64_t{1} << 63;

auto StateOf(KernelContext& kernel) -> std::optional<State> {
  const Tensor& key = kernel.input(0);
  if (key.dtype() != DataType::UInt(64) || key.size() != 10) {
    kernel.Error("the key must be a vector of ten words");
    return std::nullopt;
  }
  State state;
  std::copy_n(key.data<uint64_t>(), 10, state.begin());
  return state;
}
auto ToTensor(const State& state) -> Tensor {
  Tensor tensor(DataType::UInt(64), {10});
  std::copy(state.begin(), state.end(), tensor.mutable_data<uint64_t>());
  return tensor;
}

// Threefry of four words and twenty rounds. As TVM: its mixing adds the second word twice.
auto Encrypt(const Block& key, Block words) -> Block {
  constexpr int kRotations[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32}};
  const std::array<uint64_t, 5> schedule = {key[0], key[1], key[2], key[3],
                                            key[0] ^ key[1] ^ key[2] ^ key[3] ^ 0x1BD11BDAA9FC1A22};
  for (size_t round = 0; round < 20; ++round) {
    if (round % 4 == 0) {
      for (size_t i = 0; i < 4; ++i) words[i] += schedule[(round / 4 + i) % 5];
      words[3] += round / 4;
    }
    for (size_t pair = 0; pair < 2; ++pair) {
      const uint64_t b = words[2 * pair + 1];
      words[2 * pair] += b;
      words[2 * pair + 1] = (words[2 * pair] + b) ^ std::rotl(b, kRotations[round % 8][pair]);
    }
    words = {words[0], words[3], words[2], words[1]};
  }
  return words;
}
auto KeyOf(const State& state) -> Block { return {state[0], state[1], state[2], state[3]}; }

// Generates `count` random words and the state after them.
auto Generate(State& state, int64_t count) -> std::vector<uint64_t> {
  const auto wanted = static_cast<uint64_t>(count);
  if (state[7] >= ~uint64_t{0} - wanted) {
    // The counter is used up: the path gets another bit, or, when it has no more, a new key begins. What TVM encrypts
    // there is partly undefined; we use zeros.
    if (state[8] == 0 && state[9] == 0) {
      const Block next = Encrypt(KeyOf(state), {~uint64_t{0}, ~uint64_t{0}, 0, 0});
      state = {next[0], next[1], next[2], next[3], 0, 0, 0, 0, kFirstBit, 0};
    } else {
      state[4] |= state[8];
      state[5] |= state[9];
      state[9] = state[9] >> 1 | state[8] << 63;
      state[8] >>= 1;
      state[7] = 0;
    }
  }
  std::vector<uint64_t> words;
  words.reserve(static_cast<size_t>(count) + 3);
  const uint64_t whole = wanted / 4;
  for (uint64_t i = 0; i < whole; ++i) {
    const Block block = Encrypt(KeyOf(state), {state[4] + i, state[5] + i, state[6] + i, state[7] + i});
    words.insert(words.end(), block.begin(), block.end());
  }
  if (wanted % 4 != 0) {
    const Block block = Encrypt(KeyOf(state), {state[4], state[5], state[6], state[7] + 4 * whole});
    words.insert(words.end(), block.begin(), block.begin() + static_cast<ptrdiff_t>(wanted % 4));
  }
  state[7] += 4 * ((wanted + 3) / 4);
  state[6] = 0;
  return words;
}

// Numbers in [0, 1): the highest bits that the type's fraction holds.
auto Unit(uint64_t word, float) -> float {
  return std::bit_cast<float>(static_cast<uint32_t>(word) >> 9 | 0x3F800000U) - 1;
}
auto Unit(uint64_t word, double) -> double { return std::bit_cast<double>(word >> 12 | 0x3FF0000000000000U) - 1; }

// The state after `draws` words, and `make(words, float())` or `make(words, double())` written to the second result.
template <typename Make>
auto Draw(KernelContext& kernel, int64_t draws, Make make) -> KernelStatus {
  auto state = StateOf(kernel);
  if (!state) return kernel.Failed();
  if (!kernel.Fits(std::vector<int64_t>{draws}, DataType::UInt(64))) return kernel.Failed();
  const std::vector<uint64_t> words = Generate(*state, draws);
  Tensor result = kernel.NewResult(1);
  if (result.dtype() == DataType::Float(32))
    make(words, result.mutable_data<float>(), result.size());
  else if (result.dtype() == DataType::Float(64))
    make(words, result.mutable_data<double>(), result.size());
  else
    return kernel.Error("there is no kernel for {}", ToString(result.dtype()));
  return kernel.ReturnTuple({ToTensor(*state), std::move(result)});
}

}  // namespace

auto ThreefryGenerateKernel(KernelContext& kernel) -> KernelStatus {
  auto state = StateOf(kernel);
  if (!state) return kernel.Failed();
  Tensor result = kernel.NewResult(1);
  const std::vector<uint64_t> words = Generate(*state, result.size());
  std::copy(words.begin(), words.end(), result.mutable_data<uint64_t>());
  return kernel.ReturnTuple({ToTensor(*state), std::move(result)});
}

auto ThreefrySplitKernel(KernelContext& kernel) -> KernelStatus {
  const auto state = StateOf(kernel);
  if (!state) return kernel.Failed();
  State left = *state;
  if (left[8] == 0 && left[9] == 0) {
    const Block key = Encrypt(KeyOf(left), {left[4], left[5], left[6], left[7]});
    left = {key[0], key[1], key[2], key[3], 0, 0, 0, 0, kFirstBit >> 1, 0};
    State right = left;
    right[4] = kFirstBit;
    return kernel.ReturnTuple({ToTensor(left), ToTensor(right)});
  }
  left[9] = left[9] >> 1 | left[8] << 63;
  left[8] >>= 1;
  State right = left;
  right[4] |= (*state)[8];
  right[5] |= (*state)[9];
  return kernel.ReturnTuple({ToTensor(left), ToTensor(right)});
}

auto UniformKernel(KernelContext& kernel) -> KernelStatus {
  const DataType dtype = kernel.result_type(1).dtype;
  const auto low = Converted(kernel, kernel.input(1), dtype);
  const auto high = low ? Converted(kernel, kernel.input(2), dtype) : std::nullopt;
  if (!high || low->size() != 1 || high->size() != 1) return kernel.Error("the bounds must be numbers");
  const int64_t count = Product(KernelContext::Extents(kernel.result_type(1)));
  return Draw(kernel, count, [&](const std::vector<uint64_t>& words, auto* to, int64_t size) {
    using T = std::remove_pointer_t<decltype(to)>;
    const T from = low->template data<T>()[0];
    const T range = high->template data<T>()[0] - from;
    for (int64_t i = 0; i < size; ++i) to[i] = Unit(words[static_cast<size_t>(i)], T()) * range + from;
  });
}

auto NormalKernel(KernelContext& kernel) -> KernelStatus {
  const DataType dtype = kernel.result_type(1).dtype;
  const auto mean = Converted(kernel, kernel.input(1), dtype);
  const auto scale = mean ? Converted(kernel, kernel.input(2), dtype) : std::nullopt;
  if (!scale || mean->size() != 1 || scale->size() != 1) return kernel.Error("mean and scale must be numbers");
  const int64_t count = Product(KernelContext::Extents(kernel.result_type(1)));
  return Draw(kernel, 2 * count, [&](const std::vector<uint64_t>& words, auto* to, int64_t size) {
    using T = std::remove_pointer_t<decltype(to)>;
    for (int64_t i = 0; i < size; ++i) {
      const T u = Unit(words[static_cast<size_t>(i)], T());
      const T v = Unit(words[static_cast<size_t>(size + i)], T());
      const T x = std::sqrt(T(-2) * std::log(T(1) - u)) * std::sin(T(2 * std::numbers::pi) * v);
      to[i] = x * scale->template data<T>()[0] + mean->template data<T>()[0];
    }
  });
}

auto MultinomialKernel(KernelContext& kernel) -> KernelStatus {
  auto state = StateOf(kernel);
  const auto given = state ? Converted(kernel, kernel.input(1), DataType::Float(32)) : std::nullopt;
  if (!given) return kernel.Failed();
  if (given->rank() == 0 || given->extent(given->rank() - 1) == 0) return kernel.Error("there are no probabilities");
  const int64_t choices = given->extent(given->rank() - 1);
  Tensor result = kernel.NewResult(1);
  const int64_t rows = given->size() / choices;
  const int64_t samples = rows == 0 ? 0 : result.size() / rows;
  const std::vector<uint64_t> words = Generate(*state, result.size());
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<float> bounds;
    float sum = 0;
    for (int64_t k = 0; k < choices; ++k) sum += std::max(given->data<float>()[row * choices + k], 0.0F);
    float total = 0;
    for (int64_t k = 0; k < choices; ++k) {
      total += std::max(given->data<float>()[row * choices + k], 0.0F) / sum;
      bounds.push_back(total);
    }
    for (int64_t i = 0; i < samples; ++i) {
      const float u = Unit(words[static_cast<size_t>(row * samples + i)], float());
      // The nearest bound above; a distance that is not positive counts as 1.
      int32_t best = 0;
      float least = 2;
      for (size_t k = 0; k < bounds.size(); ++k) {
        const float distance = bounds[k] - u > 0 ? bounds[k] - u : 1.0F;
        if (distance >= least) continue;
        least = distance;
        best = static_cast<int32_t>(k);
      }
      result.mutable_data<int32_t>()[row * samples + i] = best;
    }
  }
  return kernel.ReturnTuple({ToTensor(*state), std::move(result)});
}

}  // namespace relayopt
