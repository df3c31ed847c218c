// Kernels of neural networks: convolution, pooling, normalisation, padding, resampling.
#include <catch2/catch.hpp>

#include "kernel_harness.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"

namespace relayopt {
namespace {

const std::vector<float> kOneToNine = {1, 2, 3, 4, 5, 6, 7, 8, 9};

auto Pairs(std::initializer_list<DimList> pairs) -> DimLists {
  DimLists lists;
  lists.values = pairs;
  return lists;
}

TEST_CASE("conv2d correlates, with steps, padding and gaps") {
  KernelHarness h;
  const Tensor data = h.F({1, 1, 3, 3}, kOneToNine);
  CHECK(h.Run("nn.conv2d"_op, {data, h.F({1, 1, 2, 2}, {1, 0, 0, 1})}, Conv2DAttrs()) == "(1, 1, 2, 2) 6 8 12 14");
  Conv2DAttrs dilated;
  dilated.dilation = {2, 2};
  CHECK(h.Run("nn.conv2d"_op, {data, h.F({1, 1, 2, 2}, {1, 0, 0, 1})}, dilated) == "(1, 1, 1, 1) 10");
  Conv2DAttrs padded;
  padded.padding = {1, 1};
  padded.strides = {2, 2};
  CHECK(h.Run("nn.conv2d"_op, {data, h.F({1, 1, 2, 2}, {1, 1, 1, 1})}, padded) == "(1, 1, 2, 2) 1 5 11 28");
  Conv2DAttrs one_sided;
  one_sided.padding = {1, 0, 0, 0};
  CHECK(h.Run("nn.conv2d"_op, {data, h.F({1, 1, 2, 3}, {1, 1, 1, 1, 1, 1})}, one_sided) == "(1, 1, 3, 1) 6 21 39");
}

TEST_CASE("conv2d with groups, and with a weight of several outputs for each input channel") {
  KernelHarness h;
  Conv2DAttrs grouped;
  grouped.groups = 2;
  grouped.channels = 2;
  grouped.kernel_size = {1, 1};
  CHECK(h.Run("nn.conv2d"_op, {h.F({1, 2, 1, 1}, {2, 3}), h.F({2, 1, 1, 1}, {10, 100})}, grouped) ==
        "(1, 2, 1, 1) 20 300");
  grouped.channels = 4;
  CHECK(h.Run("nn.conv2d"_op, {h.F({1, 2, 1, 1}, {2, 3}), h.F({2, 2, 1, 1}, {1, 2, 3, 4})}, grouped) ==
        "(1, 4, 1, 1) 2 4 9 12");
}

TEST_CASE("conv2d in other layouts") {
  KernelHarness h;
  Conv2DAttrs last;
  last.data_layout = "NHWC";
  last.kernel_layout = "HWIO";
  // Two channels; the weight adds them up, and doubles the second.
  CHECK(h.Run("nn.conv2d"_op, {h.F({1, 1, 2, 2}, {1, 2, 3, 4}), h.F({1, 1, 2, 2}, {1, 0, 1, 2})}, last) ==
        "(1, 1, 2, 2) 3 4 7 8");
  Conv2DAttrs packed;
  packed.data_layout = "NCHW2c";
  packed.kernel_layout = "OIHW2i2o";
  packed.channels = 2;
  packed.kernel_size = {1, 1};
  CHECK(h.Run("nn.contrib_conv2d_NCHWc"_op, {h.F({1, 1, 1, 1, 2}, {2, 3}), h.F({1, 1, 1, 1, 2, 2}, {1, 10, 100, 1000})},
              packed) == "(1, 1, 1, 1, 2) 302 3020");
}

TEST_CASE("integers are convolved in the result's type") {
  KernelHarness h;
  Conv2DAttrs attrs;
  attrs.out_dtype = DataType::Int(32);
  CHECK(h.Run("nn.conv2d"_op, {h.I8({1, 1, 1, 1}, {100}), h.I8({1, 1, 1, 1}, {100})}, attrs) == "(1, 1, 1, 1) 10000");
}

TEST_CASE("transposed convolution spreads the data") {
  KernelHarness h;
  const Tensor data = h.F({1, 1, 2, 2}, {1, 2, 3, 4});
  CHECK(h.Run("nn.conv2d_transpose"_op, {data, h.F({1, 1, 2, 2}, {1, 2, 3, 4})}, Conv2DTransposeAttrs()) ==
        "(1, 1, 3, 3) 1 4 4 6 20 16 9 24 16");
  Conv2DTransposeAttrs strided;
  strided.strides = {2, 2};
  strided.output_padding = {0, 1};
  CHECK(h.Run("nn.conv2d_transpose"_op, {data, h.F({1, 1, 1, 2}, {1, 10})}, strided) ==
        "(1, 1, 3, 5) 1 10 2 20 0 0 0 0 0 0 3 30 4 40 0");
  Conv1DTransposeAttrs grouped;
  grouped.groups = 2;
  grouped.channels = 2;
  grouped.kernel_size = {2};
  CHECK(h.Run("nn.conv1d_transpose"_op, {h.F({1, 2, 1}, {2, 3}), h.F({2, 1, 2}, {1, 2, 3, 4})}, grouped) ==
        "(1, 2, 2) 2 4 9 12");
}

TEST_CASE("windows of pooling at the border") {
  KernelHarness h;
  const Tensor data = h.F({1, 1, 3, 3}, kOneToNine);
  MaxPool2DAttrs greatest;
  greatest.pool_size = {2, 2};
  greatest.strides = {2, 2};
  CHECK(h.Run("nn.max_pool2d"_op, {data}, greatest) == "(1, 1, 1, 1) 5");
  greatest.ceil_mode = true;
  CHECK(h.Run("nn.max_pool2d"_op, {data}, greatest) == "(1, 1, 2, 2) 5 6 8 9");
  AvgPool2DAttrs average;
  average.pool_size = {2, 2};
  average.strides = {2, 2};
  average.padding = {1, 1};
  CHECK(h.Run("nn.avg_pool2d"_op, {data}, average) == "(1, 1, 2, 2) 1 2.5 5.5 7");
  average.count_include_pad = true;
  CHECK(h.Run("nn.avg_pool2d"_op, {data}, average) == "(1, 1, 2, 2) 0.25 1.25 2.75 7");
  // Elements after the padding, which rounding up the number of windows adds, never count.
  AvgPool1DAttrs line;
  line.pool_size = {3};
  line.strides = {2};
  line.ceil_mode = true;
  line.count_include_pad = true;
  CHECK(h.Run("nn.avg_pool1d"_op, {h.F({1, 1, 4}, {1, 2, 3, 4})}, line) == "(1, 1, 2) 2 3.5");
}

TEST_CASE("pooling to an extent, over the middle axes, and its gradient") {
  KernelHarness h;
  AdaptivePool1DAttrs three;
  three.output_size = {3};
  CHECK(h.Run("nn.adaptive_avg_pool1d"_op, {h.F({1, 1, 5}, {1, 2, 3, 4, 5})}, three) == "(1, 1, 3) 1.5 3 4.5");
  GlobalPool2DAttrs last;
  last.layout = "NHWC";
  CHECK(h.Run("nn.global_max_pool2d"_op, {h.F({1, 1, 2, 2}, {1, 8, 3, 4})}, last) == "(1, 1, 1, 2) 3 8");
  MaxPool2DAttrs greatest;
  greatest.pool_size = {1, 2};
  greatest.strides = {1, 2};
  CHECK(h.Run("nn.max_pool2d_grad"_op, {h.F({1, 1, 1, 2}, {10, 20}), h.F({1, 1, 1, 4}, {1, 1, 3, 4})}, greatest) ==
        "(1, 1, 1, 4) 10 0 0 20");
}

TEST_CASE("products of matrices") {
  KernelHarness h;
  DenseAttrs dense;
  CHECK(h.Run("nn.dense"_op, {h.F({1, 2}, {1, 2}), h.F({3, 2}, {1, 0, 0, 1, 1, 1})}, dense) == "(1, 3) 1 2 3");
  BatchMatmulAttrs batch;
  batch.transpose_b = true;
  CHECK(h.Run("nn.batch_matmul"_op, {h.F({2, 1, 2}, {1, 2, 3, 4}), h.F({1, 1, 2}, {1, 10})}, batch) ==
        "(2, 1, 1) 21 43");
}

TEST_CASE("normalisations") {
  KernelHarness h;
  BatchNormAttrs batch;
  batch.epsilon = 0;
  CHECK(h.Run("nn.batch_norm"_op,
              {h.F({1, 2}, {3, 8}), h.F({2}, {2, 1}), h.F({2}, {1, 0}), h.F({2}, {1, 2}), h.F({2}, {4, 9})},
              batch) == "(1, 2) 3 2 | (2) 1 2 | (2) 4 9");
  LayerNormAttrs layer;
  layer.epsilon = 0;
  CHECK(h.Run("nn.layer_norm"_op, {h.F({1, 2}, {1, 3}), h.F({2}, {1, 10}), h.F({2}, {0, 5})}, layer) == "(1, 2) -1 15");
  GroupNormAttrs group;
  group.num_groups = 2;
  group.epsilon = 0;
  CHECK(h.Run("nn.group_norm"_op, {h.F({1, 4}, {1, 3, 10, 30}), h.F({4}, {1, 1, 1, 1}), h.F({4}, {0, 0, 0, 1})},
              group) == "(1, 4) -1 1 -1 2");
  SoftmaxAttrs softmax;
  softmax.axis = 0;
  CHECK(h.Run("nn.softmax"_op, {h.F({2, 2}, {0, 1, 0, 1})}, softmax) == "(2, 2) 0.5 0.5 0.5 0.5");
}

TEST_CASE("padding by constants, edges and mirror images") {
  KernelHarness h;
  const Tensor data = h.F({3}, {1, 2, 3});
  PadAttrs pad;
  pad.pad_width = Pairs({{2, 1}});
  CHECK(h.Run("nn.pad"_op, {data, h.F({}, {7})}, pad) == "(6) 7 7 1 2 3 7");
  pad.pad_mode = "reflect";
  CHECK(h.Run("nn.pad"_op, {data, h.F({}, {7})}, pad) == "(6) 3 2 1 2 3 2");
  pad.pad_mode = "edge";
  CHECK(h.Run("nn.pad"_op, {data, h.F({}, {7})}, pad) == "(6) 1 1 1 2 3 3");
  pad.pad_mode = "reflect";
  pad.pad_width = Pairs({{3, 0}});
  CHECK(h.Run("nn.pad"_op, {data, h.F({}, {7})}, pad).starts_with("error: "));
  pad.pad_mode = "constant";
  pad.pad_width = Pairs({{-1, 1}});
  CHECK(h.Run("nn.pad"_op, {data, h.F({}, {7})}, pad) == "(3) 2 3 7");
  MirrorPadAttrs mirror;
  mirror.pad_width = Pairs({{1, 2}});
  CHECK(h.Run("nn.mirror_pad"_op, {data}, mirror) == "(6) 1 1 2 3 3 2");
}

TEST_CASE("channels and batches become space and back") {
  KernelHarness h;
  const Tensor depth = h.F({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  SubPixelAttrs block;
  block.block_size = 2;
  CHECK(h.Run("nn.depth_to_space"_op, {depth}, block) == "(1, 2, 2, 2) 0 2 4 6 1 3 5 7");
  block.mode = "CRD";
  CHECK(h.Run("nn.depth_to_space"_op, {depth}, block) == "(1, 2, 2, 2) 0 1 2 3 4 5 6 7");
  CHECK(h.Run("nn.space_to_depth"_op, {h.F({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7})}, block) ==
        "(1, 8, 1, 1) 0 1 2 3 4 5 6 7");
  SpaceToBatchNDAttrs to_batch;
  to_batch.block_shape = {2};
  to_batch.paddings = Pairs({{1, 0}});
  CHECK(h.Run("nn.space_to_batch_nd"_op, {h.F({1, 3}, {1, 2, 3})}, to_batch) == "(2, 2) 0 2 1 3");
  BatchToSpaceNDAttrs to_space;
  to_space.block_shape = {2};
  to_space.crops = Pairs({{1, 0}});
  CHECK(h.Run("nn.batch_to_space_nd"_op, {h.F({2, 2}, {0, 2, 1, 3})}, to_space) == "(1, 3) 1 2 3");
}

TEST_CASE("resizing in every coordinate mode") {
  KernelHarness h;
  const Tensor data = h.F({1, 1, 2}, {1, 3});
  Resize1DAttrs resize;
  resize.size = {4};
  std::vector<ObjectId> bounds;
  for (const double bound : {0.0, 2.0}) bounds.push_back(h.context.AddFloat(bound, DataType::Float(32)));
  resize.roi = h.context.AddArray(bounds);
  const auto run = [&](int64_t size, std::string mode, std::string method, std::string rounding = "") {
    resize.size = {size};
    resize.coordinate_transformation_mode = std::move(mode);
    resize.method = std::move(method);
    resize.rounding_method = std::move(rounding);
    return h.Run("image.resize1d"_op, {data}, resize);
  };
  CHECK(run(4, "half_pixel", "linear") == "(1, 1, 4) 1 1.5 2.5 3");
  CHECK(run(3, "align_corners", "linear") == "(1, 1, 3) 1 2 3");
  CHECK(run(4, "asymmetric", "linear") == "(1, 1, 4) 1 2 3 3");
  CHECK(run(4, "asymmetric", "nearest_neighbor") == "(1, 1, 4) 1 1 3 3");
  CHECK(run(3, "align_corners", "nearest_neighbor") == "(1, 1, 3) 1 3 3");
  CHECK(run(3, "align_corners", "nearest_neighbor", "round_prefer_floor") == "(1, 1, 3) 1 1 3");
  CHECK(run(1, "pytorch_half_pixel", "linear") == "(1, 1, 1) 1");
  CHECK(run(2, "align_corners", "cubic") == "(1, 1, 2) 1 3");
  resize.extrapolation_value = -1;
  CHECK(run(3, "tf_crop_and_resize", "linear") == "(1, 1, 3) 1 3 -1");
  UpSamplingAttrs twice;
  twice.scale_h = 1;
  twice.scale_w = 1.5;
  CHECK(h.Run("nn.upsampling"_op, {h.F({1, 1, 1, 2}, {1, 3})}, twice) == "(1, 1, 1, 3) 1 1 3");
}

}  // namespace
}  // namespace relayopt
