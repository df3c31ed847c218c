// Type rules of the neural-network operators.
#include <catch2/catch.hpp>

#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "rule_harness.h"

namespace relayopt {
namespace {

// Attributes of a convolution with channels and a kernel size.
auto Conv(int64_t groups, Dim channels, DimList kernel_size, DimList padding = {0, 0}) -> Conv2DAttrs {
  Conv2DAttrs attrs;
  attrs.groups = groups;
  attrs.channels = channels;
  attrs.kernel_size = std::move(kernel_size);
  attrs.padding = std::move(padding);
  return attrs;
}

TEST_CASE("conv2d learns its weight from channels and kernel size") {
  RuleHarness h;
  const auto unknown = h.Unknown();
  CHECK(h.Run("nn.conv2d"_op, {h.T({1, 3, 8, 8}), unknown}, Conv(1, 16, {3, 3}, {1, 1})) == "(1, 16, 8, 8) float32");
  CHECK(h.Learnt(1) == "(16, 3, 3, 3) float32");
  // Whether the weight of a grouped convolution is depthwise is seen on the weight only.
  CHECK(h.Run("nn.conv2d"_op, {h.T({1, 4, 8, 8}), unknown}, Conv(4, 8, {3, 3})) == "wait");
  CHECK(h.Run("nn.conv2d"_op, {h.T({1, 4, 8, 8}), h.T({4, 2, 3, 3})}, Conv(4, 8, {3, 3})) == "(1, 8, 6, 6) float32");
  CHECK(h.Run("nn.conv2d"_op, {h.T({1, 4, 8, 8}), h.T({8, 1, 3, 3})}, Conv(4, 8, {3, 3})) == "(1, 8, 6, 6) float32");
}

TEST_CASE("conv2d reads its weight when the attributes do not tell") {
  RuleHarness h;
  const TypeId data = h.T({1, 3, kAny, 8});
  CHECK(h.Run("nn.conv2d"_op, {data, h.T({16, 3, 3, 5})}, Conv2DAttrs{}) == "(1, 16, ?, 4) float32");
  CHECK(IsError(h.Run("nn.conv2d"_op, {data, h.T({16, 4, 3, 5})}, Conv2DAttrs{})));
  CHECK(IsError(h.Run("nn.conv2d"_op, {data, h.T({16, 3, 3, 5})}, Conv(1, Dim::Null(), {5, 3}))));
  CHECK(h.Run("nn.conv2d"_op, {data, h.Unknown()}, Conv2DAttrs{}) == "wait");
}

TEST_CASE("unknown channels come from the weight where it knows them") {
  RuleHarness h;
  const TypeId data = h.T({1, 96, 27, 27});
  CHECK(h.Run("nn.conv2d"_op, {data, h.T({256, 48, 5, 5})}, Conv(2, kAny, {5, 5}, {2, 2})) ==
        "(1, 256, 27, 27) float32");
  CHECK(h.Run("nn.conv2d"_op, {data, h.Unknown()}, Conv(1, kAny, {5, 5})) == "(1, ?, 23, 23) float32");
  DenseAttrs dense;
  dense.units = kAny;
  CHECK(h.Run("nn.dense"_op, {h.T({4, 64}), h.T({10, 64})}, dense) == "(4, 10) float32");
}

TEST_CASE("convolutions work in packed layouts") {
  RuleHarness h;
  Conv2DAttrs attrs = Conv(1, 16, {1, 1});
  attrs.data_layout = "NCHW16c";
  attrs.kernel_layout = "OIHW16i8o";
  attrs.out_layout = "NCHW8c";
  CHECK(h.Run("nn.conv2d"_op, {h.T({1, 4, 2, 2, 16}), h.T({2, 4, 1, 1, 16, 8})}, attrs) == "(1, 2, 2, 2, 8) float32");
  CHECK(h.Run("nn.conv2d"_op, {h.T({1, 4, 2, 2, 8}), h.T({2, 4, 1, 1, 16, 8})}, attrs) ==
        "error: nn.conv2d: dimension 4 of data is 8, its layout NCHW16c requires 16");
}

TEST_CASE("convolutions reject attributes that make no sense") {
  RuleHarness h;
  const auto run = [&](const Conv2DAttrs& attrs, Dim height = 8) {
    return h.Run("nn.conv2d"_op, {h.T({1, 3, height, 8}), h.T({16, 3, 3, 3})}, attrs);
  };
  const Conv2DAttrs good = Conv(1, 16, {3, 3});
  REQUIRE(run(good) == "(1, 16, 6, 6) float32");
  Conv2DAttrs bad = good;
  bad.strides = {0, 1};
  CHECK(run(bad) == "error: nn.conv2d: strides must be positive, found 0");
  bad = good;
  bad.groups = 0;
  CHECK(IsError(run(bad)));
  bad = good;
  bad.padding = {1, 1, 1};
  CHECK(run(bad) == "error: nn.conv2d: padding has 3 elements, it must have 1, 2 or 4");
  bad = good;
  bad.data_layout = "NCXW";
  CHECK(run(bad) == "error: nn.conv2d: data cannot be converted from layout NCXW to NCHW");
  bad = good;
  bad.padding = {kHuge, 0};
  CHECK(IsError(run(bad)));
  CHECK(IsError(run(good, 1)));
  CHECK(IsError(h.Run("nn.conv2d"_op, {h.Tuple({}), h.T({16, 3, 3, 3})}, good)));
}

TEST_CASE("transposed convolutions") {
  RuleHarness h;
  Conv2DTransposeAttrs attrs;
  attrs.channels = 6;
  attrs.groups = 2;
  attrs.kernel_size = {3, 3};
  attrs.strides = {2, 2};
  attrs.padding = {1, 1};
  attrs.output_padding = {1, 1};
  CHECK(h.Run("nn.conv2d_transpose"_op, {h.T({1, 8, 4, kAny}), h.Unknown()}, attrs) == "(1, 6, 8, ?) float32");
  CHECK(h.Learnt(1) == "(8, 3, 3, 3) float32");
  CHECK(h.Run("nn.conv3d_transpose"_op, {h.T({1, 8, 4, 4, 4}), h.T({8, 3, 3, 1, 5})}, Conv3DTransposeAttrs{}) ==
        "(1, 3, 6, 4, 8) float32");
}

TEST_CASE("grouped conv3d accepts a depthwise multiplier") {
  RuleHarness h;
  Conv3DAttrs attrs;
  attrs.groups = 16;
  attrs.channels = 32;
  attrs.kernel_size = {1, 1, 1};
  CHECK(h.Run("nn.conv3d"_op, {h.T({1, 16, 9, 9, 9}), h.T({16, 2, 1, 1, 1})}, attrs) == "(1, 32, 9, 9, 9) float32");
}

TEST_CASE("matrix products") {
  RuleHarness h;
  DenseAttrs dense;
  dense.units = 10;
  CHECK(h.Run("nn.dense"_op, {h.T({4, 64}), h.T({10, 32})}, dense) ==
        "error: nn.dense: weight has 32 columns, data has 64");
  CHECK(h.Run("nn.dense"_op, {h.T({2, 4, 64}), h.Unknown()}, dense) == "(2, 4, 10) float32");
  CHECK(h.Learnt(1) == "(10, 64) float32");
  CHECK(IsError(h.Run("nn.dense"_op, {h.T({}), h.Unknown()}, dense)));
  BatchMatmulAttrs batch;
  batch.transpose_b = true;
  CHECK(h.Run("nn.batch_matmul"_op, {h.T({1, 3, 4}), h.T({8, 5, 4})}, batch) == "(8, 3, 5) float32");
  CHECK(IsError(h.Run("nn.batch_matmul"_op, {h.T({2, 3, 4}), h.T({8, 5, 4})}, batch)));
}

TEST_CASE("pooling") {
  RuleHarness h;
  MaxPool2DAttrs attrs;
  attrs.pool_size = {3, 3};
  attrs.strides = {2, 2};
  CHECK(h.Run("nn.max_pool2d"_op, {h.T({1, 3, 6, kAny})}, attrs) == "(1, 3, 2, ?) float32");
  attrs.ceil_mode = true;
  CHECK(h.Run("nn.max_pool2d"_op, {h.T({1, 3, 6, 6})}, attrs) == "(1, 3, 3, 3) float32");
  attrs.layout = "NHWC";
  CHECK(h.Run("nn.max_pool2d"_op, {h.T({1, 6, 6, 3})}, attrs) == "(1, 3, 3, 3) float32");
  attrs.layout = "NCHW4h";
  CHECK(IsError(h.Run("nn.max_pool2d"_op, {h.T({1, 3, 2, 6, 4})}, attrs)));
  attrs.layout = "NCHW";
  CHECK(IsError(h.Run("nn.max_pool2d"_op, {h.T({1, 3})}, attrs)));
  AdaptivePool3DAttrs adaptive;
  adaptive.output_size = {1, 2};
  CHECK(IsError(h.Run("nn.adaptive_avg_pool3d"_op, {h.T({1, 3, 5, 6, 7})}, adaptive)));
  adaptive.output_size = {2};
  CHECK(h.Run("nn.adaptive_avg_pool3d"_op, {h.T({1, 3, 5, kAny, 7})}, adaptive) == "(1, 3, 2, 2, 2) float32");
}

TEST_CASE("normalisations and activations check their axis") {
  RuleHarness h;
  const TypeId data = h.T({1, 3, 5});
  const TypeId u = h.Unknown();
  CHECK(h.Run("nn.batch_norm"_op, {data, u, u, u, u}, BatchNormAttrs{}) ==
        "[(1, 3, 5) float32; (3) float32; (3) float32]");
  CHECK(IsError(h.Run("nn.batch_norm"_op, {data, u, u, u, u}, BatchNormAttrs{.axis = -2})));
  CHECK(h.Run("nn.softmax"_op, {h.T({4})}, SoftmaxAttrs{.axis = 1}) ==
        "error: nn.softmax: axis 1 is outside the range of a tensor with 1 axis");
  CHECK(h.Run("nn.bias_add"_op, {h.T({}), h.T({})}, BiasAddAttrs{.axis = -3}) ==
        "error: nn.bias_add: axis -3 is outside the range of a tensor with 0 axes");
  CHECK(h.Run("nn.instance_norm"_op, {h.T({1, 4}), h.T({4}), h.T({4})}, InstanceNormAttrs{}) ==
        "error: nn.instance_norm: data must have more than 2 dimensions, it has shape (1, 4)");
  CHECK(IsError(h.Run("nn.prelu"_op, {data, u}, PReluAttrs{.axis = -1})));
}

TEST_CASE("padding, resampling and rearrangement") {
  RuleHarness h;
  PadAttrs pad;
  pad.pad_width.values = {{0, 0}, {1, 1}, {-2, -1}};
  CHECK(h.Run("nn.pad"_op, {h.T({1, kAny, 5}), h.T({})}, pad) == "(1, ?, 2) float32");
  CHECK(IsError(h.Run("nn.pad"_op, {h.T({1, 4, 2}), h.T({})}, pad)));
  CHECK(IsError(h.Run("nn.pad"_op, {h.T({1, 4}), h.T({})}, pad)));
  UpSamplingAttrs scale;
  scale.scale_h = 0.5;
  scale.scale_w = 1.5;
  // Halves are rounded to even.
  CHECK(h.Run("nn.upsampling"_op, {h.T({1, 4, 5, 7})}, scale) == "(1, 4, 2, 10) float32");
  // Unknown extents become expressions.
  CHECK(h.Run("nn.upsampling"_op, {h.T({1, 4, kAny, 7})}, scale).starts_with("(1, 4, "));
  scale.scale_h = 1e300;
  CHECK(IsError(h.Run("nn.upsampling"_op, {h.T({1, 4, 5, 7})}, scale)));
  CHECK(h.Run("nn.batch_flatten"_op, {h.T({kAny, 3, kAny, 4})}) == "(?, ?) float32");
  CHECK(h.Run("nn.batch_flatten"_op, {h.T({4})}) == "(4, 1) float32");
  CHECK(IsError(h.Run("nn.batch_flatten"_op, {h.T({1, kHuge, 4})})));
  SubPixelAttrs sub;
  sub.block_size = 2;
  CHECK(h.Run("nn.depth_to_space"_op, {h.T({1, 8, 3, 4})}, sub) == "(1, 2, 6, 8) float32");
  CHECK(h.Run("nn.space_to_depth"_op, {h.T({1, 2, 6, 8})}, sub) == "(1, 8, 3, 4) float32");
  // The operator declares no attributes, so a call may come without.
  CHECK(IsError(h.Run("nn.dilate"_op, {h.T({3})})));
}

}  // namespace
}  // namespace relayopt
