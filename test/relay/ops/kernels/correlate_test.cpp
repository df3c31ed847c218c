// Correlations are those of plain loops, bit for bit.
#include "lib/relay/ops/nn_conv/correlate.h"

#include <catch2/catch.hpp>

#include "lib/check/random/random.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

auto RandomTensor(Random& random, std::vector<int64_t> shape) -> Tensor {
  Tensor tensor(DataType::Float(32), std::move(shape));
  float* const elements = tensor.mutable_data<float>();
  for (int64_t i = 0; i < tensor.size(); ++i) elements[i] = static_cast<float>(random.Below(2000)) / 997.0F - 1.0F;
  return tensor;
}

// A number from `least` to `most`.
auto Between(Random& random, int64_t least, int64_t most) -> int64_t {
  return least + static_cast<int64_t>(random.Below(static_cast<uint64_t>(most - least + 1)));
}

// The element at `at` of channel `channel` of the data, in which neighbours have a distance of `spread`; zero outside.
auto ElementAt(const ConvGeometry& g, const Triple& spread, const Tensor& data, int64_t channel, const Triple& at)
    -> float {
  int64_t index = channel;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (at[axis] < 0 || at[axis] % spread[axis] != 0 || at[axis] / spread[axis] >= g.in[axis]) return 0;
    index = index * g.in[axis] + at[axis] / spread[axis];
  }
  return data.data<float>()[index];
}

auto Expected(const ConvGeometry& g, const Triple& spread, const Tensor& data, const Tensor& weight, int64_t sample,
              int64_t channel, const Triple& at) -> float {
  const int64_t per_group = g.in_channels / g.groups;
  const int64_t first = sample * g.in_channels + channel / (g.out_channels / g.groups) * per_group;
  const float* factor = weight.data<float>() + channel * per_group * Volume(g.kernel);
  float sum = 0;
  for (int64_t c = 0; c < per_group; ++c) {
    for (int64_t tap = 0; tap < Volume(g.kernel); ++tap, ++factor) {
      const Triple k = {tap / (g.kernel[1] * g.kernel[2]), tap / g.kernel[2] % g.kernel[1], tap % g.kernel[2]};
      Triple source{};
      for (size_t axis = 0; axis < 3; ++axis)
        source[axis] = at[axis] * g.stride[axis] - g.pad[axis] + k[axis] * g.dilation[axis];
      volatile float product = ElementAt(g, spread, data, first + c, source) * *factor;
      sum += product;
    }
  }
  return sum;
}

// Whether the correlation of random tensors is as expected.
auto IsExact(Random& random, const ConvGeometry& g, const Triple& spread) -> bool {
  const Tensor data = RandomTensor(random, {g.batch, g.in_channels, g.in[0], g.in[1], g.in[2]});
  const Tensor weight =
      RandomTensor(random, {g.out_channels, g.in_channels / g.groups, g.kernel[0], g.kernel[1], g.kernel[2]});
  Tensor result(DataType::Float(32), {g.batch, g.out_channels, g.out[0], g.out[1], g.out[2]});
  Context context;
  KernelContext kernel(context, *"nn.conv3d"_op, {}, {}, TypeOf(context, result), size_t{1} << 20);
  const bool is_spread = spread != Triple{1, 1, 1};
  const KernelStatus status =
      is_spread ? CorrelateSpread(kernel, g, spread, data, weight, result) : Correlate(kernel, g, data, weight, result);
  if (status != KernelStatus::kDone) return false;
  const float* element = result.data<float>();
  for (int64_t plane = 0; plane < g.batch * g.out_channels; ++plane) {
    for (int64_t i = 0; i < Volume(g.out); ++i) {
      const Triple at = {i / (g.out[1] * g.out[2]), i / g.out[2] % g.out[1], i % g.out[2]};
      if (*element++ != Expected(g, spread, data, weight, plane / g.out_channels, plane % g.out_channels, at))
        return false;
    }
  }
  return true;
}

auto RandomGeometry(Random& random) -> ConvGeometry {
  ConvGeometry g;
  g.batch = Between(random, 1, 2);
  g.groups = Between(random, 1, 3);
  g.in_channels = g.groups * Between(random, 1, 3);
  g.out_channels = g.groups * Between(random, 1, 9);
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t most = axis == 2 ? 40 : 4;
    g.in[axis] = Between(random, 1, most);
    g.out[axis] = Between(random, 1, most);
    g.kernel[axis] = Between(random, 1, 4);
    g.stride[axis] = Between(random, 1, 3);
    g.dilation[axis] = Between(random, 1, 3);
    g.pad[axis] = Between(random, -2, 5);
  }
  return g;
}

}  // namespace

TEST_CASE("a correlation is the sum of its products, in order") {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    INFO(i);
    REQUIRE(IsExact(random, RandomGeometry(random), {1, 1, 1}));
  }
}

TEST_CASE("zeros between the elements of the data add nothing") {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    INFO(i);
    ConvGeometry g = RandomGeometry(random);
    g.stride = {1, 1, 1};
    REQUIRE(IsExact(random, g, {Between(random, 1, 2), Between(random, 1, 3), Between(random, 2, 6)}));
  }
}

TEST_CASE("correlations of many channels and positions are divided into parts") {
  Random random(3);
  ConvGeometry g;
  g.in_channels = 33;
  g.out_channels = 131;
  g.in = {1, 23, 29};
  g.out = {1, 23, 29};
  g.kernel = {1, 3, 3};
  g.pad = {0, 1, 1};
  CHECK(IsExact(random, g, {1, 1, 1}));
  g.groups = g.in_channels = g.out_channels = 40;
  CHECK(IsExact(random, g, {1, 1, 1}));
}

}  // namespace relayopt
