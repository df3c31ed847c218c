// Kernels that take weights in forms of their own, and those of object detection, where their operands do not fit.
#include <catch2/catch.hpp>

#include "kernel_harness.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_packed.h"
#include "relayopt/relay/ops/vision.h"

namespace relayopt {
namespace {

auto FailsWith(const std::string& text, std::string_view part = "") -> bool {
  return text.starts_with("error: ") && text.find(part) != std::string::npos;
}

auto Zeros(DataType dtype, std::vector<int64_t> shape) -> Tensor { return {dtype, std::move(shape)}; }
constexpr DataType kF32 = DataType::Float(32);
constexpr DataType kU8 = DataType::UInt(8);

TEST_CASE("Winograd's transform of a kernel of ones, in each type of floats") {
  KernelHarness h;
  const std::vector<float> ones(9, 1);
  // Along each axis the sums at 0, -1, 1 and infinity: 1, 1/2, 3/2, 1.
  CHECK(h.Run("nn.contrib_conv2d_winograd_weight_transform"_op, {h.F({1, 1, 3, 3}, ones)},
              ConvWinogradWeightTransformAttrs{2}) ==
        "(4, 4, 1, 1) 1 0.5 1.5 1 0.5 0.25 0.75 0.5 1.5 0.75 2.25 1.5 1 0.5 1.5 1");
  const Tensor halves = h.Make<Half>(DataType::Float(16), {1, 1, 3, 3}, {ones.begin(), ones.end()});
  CHECK(h.Run("nn.contrib_conv2d_winograd_weight_transform"_op, {halves}, ConvWinogradWeightTransformAttrs{2}) ==
        "(4, 4, 1, 1) 1 0.5 1.5 1 0.5 0.25 0.75 0.5 1.5 0.75 2.25 1.5 1 0.5 1.5 1");
  CHECK(FailsWith(h.Run("nn.contrib_conv2d_winograd_weight_transform"_op, {Zeros(DataType::Int(32), {1, 1, 3, 3})},
                        ConvWinogradWeightTransformAttrs{2})));
}

TEST_CASE("Winograd's transforms are for some sizes of tiles and kernels") {
  KernelHarness h;
  const auto transform = [&](int64_t height, int64_t width, int64_t tile) {
    return h.Run("nn.contrib_conv2d_winograd_weight_transform"_op, {Zeros(kF32, {1, 1, height, width})},
                 ConvWinogradWeightTransformAttrs{tile});
  };
  CHECK(transform(7, 7, 8).starts_with("(14, 14, 1, 1) 0"));
  CHECK(FailsWith(transform(3, 3, 1), "no transform"));
  CHECK(FailsWith(transform(3, 3, 9), "no transform"));
  CHECK(FailsWith(transform(2, 2, 2), "no transform"));
  CHECK(FailsWith(transform(8, 8, 2), "no transform"));
  CHECK(FailsWith(transform(3, 5, 2), "different extents"));
  CHECK(FailsWith(h.Run("nn.contrib_conv3d_winograd_weight_transform"_op, {Zeros(kF32, {1, 1, 4, 3, 3})},
                        ConvWinogradWeightTransformAttrs{2})));
}

// Every size of tile and kernel gives the convolution: of 1, 2, 3... with a kernel that takes the last element.
TEST_CASE("all of Winograd's transforms convolve") {
  for (int64_t tile = 2; tile <= 8; ++tile) {
    for (int64_t taps = 3; taps <= 7; ++taps) {
      INFO("tiles of " << tile << ", kernels of " << taps);
      KernelHarness h;
      Tensor kernel(DataType::Float(64), {1, 1, taps, taps});
      kernel.mutable_data<double>()[taps * taps - 1] = 1;
      const int64_t side = taps + 1;
      Tensor data(DataType::Float(64), {1, 1, side, side});
      for (int64_t i = 0; i < data.size(); ++i) data.mutable_data<double>()[i] = static_cast<double>(i);
      const AttrsId transform = h.context.InternAttrs(ConvWinogradWeightTransformAttrs{tile});
      const KernelInput input = {std::span(&kernel, 1), false};
      const OpDef* op = "nn.contrib_conv2d_winograd_weight_transform"_op;
      const TypeId type = TypeOfCall(h.context, *op, transform, std::array{TypeOf(h.context, kernel)});
      KernelContext run(h.context, *op, transform, std::span(&input, 1), type, size_t{1} << 20);
      REQUIRE(op->kernel(run) == KernelStatus::kDone);
      Conv2DWinogradAttrs attrs;
      attrs.tile_size = tile;
      attrs.channels = 1;
      attrs.kernel_size = {taps, taps};
      const std::string text =
          h.Run("nn.contrib_conv2d_winograd_without_weight_transform"_op, {data, run.outputs()[0]}, attrs);
      double values[4] = {};
      REQUIRE(std::sscanf(text.c_str(), "(1, 1, 2, 2) %lf %lf %lf %lf", &values[0], &values[1], &values[2],
                          &values[3]) == 4);
      const auto last = static_cast<double>(side * side - 1);
      const auto row = static_cast<double>(side);
      CHECK(values[0] == Approx(last - row - 1).margin(1e-6));
      CHECK(values[1] == Approx(last - row).margin(1e-6));
      CHECK(values[2] == Approx(last - 1).margin(1e-6));
      CHECK(values[3] == Approx(last).margin(1e-6));
    }
  }
}

TEST_CASE("a transformed weight is for one group, without strides, of the right form") {
  KernelHarness h;
  Conv2DWinogradAttrs attrs;
  attrs.tile_size = 2;
  attrs.channels = 2;
  attrs.kernel_size = {3, 3};
  const auto convolve = [&](std::vector<int64_t> data, std::vector<int64_t> weight) {
    return h.Run("nn.contrib_conv2d_winograd_without_weight_transform"_op,
                 {Zeros(kF32, std::move(data)), Zeros(kF32, std::move(weight))}, attrs);
  };
  CHECK(convolve({1, 3, 3, 3}, {4, 4, 3, 2}) == "(1, 2, 1, 1) 0 0");
  CHECK(convolve({0, 3, 3, 3}, {4, 4, 3, 2}) == "(0, 2, 1, 1)");
  CHECK(convolve({1, 3, 3, 3}, {4, 4, 1, 3, 2}) == "(1, 2, 1, 1) 0 0");
  // Input and output channels exchanged, a tile that is not square, other axes.
  CHECK(FailsWith(convolve({1, 3, 3, 3}, {4, 4, 2, 3}), "does not match"));
  CHECK(FailsWith(convolve({1, 3, 3, 3}, {4, 5, 3, 2}), "does not match"));
  CHECK(FailsWith(convolve({1, 3, 3, 3}, {16, 3, 2}), "3 axes"));
  CHECK(FailsWith(convolve({1, 3, 3, 3}, {4, 0, 3, 2})));
  attrs.dilation = {2, 2};
  CHECK(FailsWith(convolve({1, 3, 5, 5}, {4, 4, 3, 2}), "dilation of 1"));
}

TEST_CASE("tiles of a weight need to hold it") {
  KernelHarness h;
  Conv2DAttrs attrs;
  attrs.data_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  attrs.channels = 3;
  attrs.kernel_size = {1, 1};
  const auto convolve = [&](std::vector<int64_t> weight) {
    return h.Run("nn.contrib_conv2d_gemm_without_weight_transform"_op,
                 {Zeros(kF32, {1, 1, 1, 2}), Zeros(kF32, std::move(weight))}, attrs);
  };
  CHECK(convolve({2, 1, 2, 2}) == "(1, 1, 1, 3) 0 0 0");
  CHECK(FailsWith(convolve({1, 1, 2, 2}), "do not hold"));
  CHECK(FailsWith(convolve({2, 1, 1, 2}), "do not hold"));
  CHECK(FailsWith(convolve({0, 1, 2, 2})));
  CHECK(FailsWith(convolve({2, 4})));
}

TEST_CASE("products of bit planes are of integers of few bits") {
  KernelHarness h;
  BinaryDenseAttrs attrs;
  attrs.units = 1;
  attrs.out_dtype = DataType::Int(16);
  const auto multiply = [&](Tensor data, Tensor weight) {
    return h.Run("nn.bitserial_dense"_op, {std::move(data), std::move(weight)}, attrs);
  };
  // Three zero bits of the weight stand for -1 each.
  const Tensor ones = h.Make<uint8_t>(kU8, {1, 3}, {1, 1, 3});
  CHECK(multiply(ones, Zeros(kU8, {1, 3})) == "(1, 1) -3");
  // A word of 8 bits, the first of them the highest: 1 -1 -1 ... times 1 1 1 0 ...
  const Tensor eight = h.Make<uint8_t>(kU8, {1, 8}, {1, 1, 1, 0, 0, 0, 0, 0});
  CHECK(multiply(eight, h.Make<uint8_t>(kU8, {1, 1, 1}, {0x80})) == "(1, 1) -1");
  CHECK(FailsWith(multiply(eight, Zeros(kU8, {1, 2, 1})), "planes"));
  CHECK(FailsWith(multiply(h.F({1, 3}, {1, 1, 1}), Zeros(kU8, {1, 3})), "integers"));
  CHECK(FailsWith(multiply(ones, Zeros(kU8, {1, 4}))));
  attrs.data_bits = 9;
  CHECK(FailsWith(multiply(ones, Zeros(kU8, {1, 3})), "integers of 1 to 8 bits"));
  attrs.data_bits = 1;
  attrs.out_dtype = kF32;
  CHECK(FailsWith(multiply(ones, Zeros(kU8, {1, 3})), "needs integers"));
  BinaryConv2DAttrs last;
  last.data_layout = "NHWC";
  last.kernel_layout = "HWIO";
  last.channels = 1;
  last.kernel_size = {1, 1};
  last.out_dtype = DataType::Int(16);
  CHECK(h.Run("nn.bitserial_conv2d"_op, {ones.Reshaped({1, 1, 1, 3}), Zeros(kU8, {1, 1, 3, 1})}, last) ==
        "(1, 1, 1, 1) -3");
  CHECK(FailsWith(h.Run("nn.bitserial_conv2d"_op, {ones.Reshaped({1, 1, 1, 3}), Zeros(kU8, {1, 1, 1, 1, 1})}, last)));
}

TEST_CASE("scores, shifts and boxes fit each other") {
  KernelHarness h;
  ProposalAttrs proposal;
  proposal.scales = h.context.AddArray(std::array{h.context.AddFloat(1, kF32)});
  proposal.ratios = proposal.scales;
  proposal.rpn_post_nms_top_n = 1;
  const auto propose = [&](std::vector<int64_t> scores, std::vector<int64_t> shifts) {
    return h.Run("vision.proposal"_op,
                 {Zeros(kF32, std::move(scores)), Zeros(kF32, std::move(shifts)), h.F({1, 3}, {16, 16, 1})}, proposal);
  };
  CHECK(propose({1, 2, 1, 1}, {1, 4, 1, 1}) == "(1, 5) 0 0 0 15 15");
  CHECK(FailsWith(propose({1, 4, 1, 1}, {1, 4, 1, 1}), "1 anchors"));
  CHECK(FailsWith(propose({1, 2, 1, 1}, {1, 4, 2, 1}), "1 anchors"));
  CHECK(FailsWith(propose({1, 2, 0, 1}, {1, 4, 0, 1}), "no cells"));
  proposal.feature_stride = 0;
  CHECK(FailsWith(propose({1, 2, 1, 1}, {1, 4, 1, 1}), "positive"));

  RegularNonMaximumSuppressionAttrs regular;
  regular.max_detections_per_class = 1;
  regular.max_detections = 2;
  regular.num_classes = 2;
  regular.score_threshold = 0.5;
  const auto suppress = [&](std::vector<int64_t> boxes, const Tensor& scores) {
    return h.Run("vision.regular_non_max_suppression"_op, {Zeros(kF32, std::move(boxes)), scores}, regular);
  };
  // Boxes without area overlap nothing; equal scores stay in the order of their classes.
  CHECK(suppress({1, 2, 4}, h.F({1, 2, 2}, {1, 0, 1, 1})) ==
        "(1, 2, 4) 0 0 0 0 0 0 0 0 | (1, 2) 0 1 | (1, 2) 1 1 | (1) 2");
  CHECK(FailsWith(suppress({1, 2, 4}, h.F({1, 2, 1}, {1, 1})), "do not match"));
  CHECK(FailsWith(suppress({1, 3, 4}, h.F({1, 2, 2}, {1, 0, 1, 1})), "do not match"));
  CHECK(FailsWith(suppress({1, 2, 5}, h.F({1, 2, 2}, {1, 0, 1, 1})), "do not match"));
}

}  // namespace
}  // namespace relayopt
