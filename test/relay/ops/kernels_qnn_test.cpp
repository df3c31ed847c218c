// Kernels of quantized operators: rounding, saturation and zero points.
#include <catch2/catch.hpp>

#include "kernel_harness.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/qnn.h"

namespace relayopt {
namespace {

TEST_CASE("quantize rounds halves away from zero and saturates") {
  KernelHarness h;
  QuantizeAttrs attrs;
  attrs.out_dtype = DataType::Int(8);
  CHECK(h.Run("qnn.quantize"_op, {h.F({4}, {0.5F, -0.5F, 300, -300}), h.F({}, {1}), h.I({}, {0})}, attrs) ==
        "(4) 1 -1 127 -128");
  attrs.axis = 0;
  CHECK(h.Run("qnn.quantize"_op, {h.F({2}, {1, 1}), h.F({2}, {1, 0.5F}), h.I({2}, {1, 2})}, attrs) == "(2) 2 4");
  DequantizeAttrs back;
  back.out_dtype = DataType::Float(32);
  CHECK(h.Run("qnn.dequantize"_op, {h.I8({2}, {3, -1}), h.F({}, {0.5F}), h.I({}, {1})}, back) == "(2) 1 -1");
}

TEST_CASE("requantize rounds halves as its attribute says") {
  KernelHarness h;
  RequantizeAttrs attrs;
  attrs.out_dtype = DataType::Int(8);
  const std::vector<Tensor> inputs = {h.I({4}, {1, 3, -1, -3}), h.F({}, {0.5F}), h.I({}, {0}), h.F({}, {1}),
                                      h.I({}, {0})};
  CHECK(h.Run("qnn.requantize"_op, inputs, attrs) == "(4) 1 2 0 -1");
  attrs.rounding = "TONEAREST";
  CHECK(h.Run("qnn.requantize"_op, inputs, attrs) == "(4) 1 2 -1 -2");
  attrs.compute_dtype = "float32";
  CHECK(h.Run("qnn.requantize"_op, inputs, attrs) == "(4) 1 2 -1 -2");
  attrs.rounding = "UPWARD";
  CHECK(h.Run("qnn.requantize"_op, inputs, attrs) == "(4) 1 2 0 -1");
}

TEST_CASE("sums and products of quantized numbers") {
  KernelHarness h;
  const Tensor one = h.F({}, {1});
  const Tensor zero = h.I({}, {0});
  const std::vector<Tensor> rest = {one, zero, one, zero, one, zero};
  const auto run = [&](const OpDef* op, Tensor a, Tensor b) {
    std::vector<Tensor> inputs = {std::move(a), std::move(b)};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    return h.Run(op, inputs, BroadcastAttrs());
  };
  CHECK(run("qnn.add"_op, h.I8({2}, {100, 1}), h.I8({1}, {100})) == "(2) 127 101");
  CHECK(run("qnn.subtract"_op, h.I8({1}, {-100}), h.I8({1}, {100})) == "(1) -128");
  CHECK(run("qnn.mul"_op, h.I8({2}, {3, 50}), h.I8({2}, {4, 50})) == "(2) 12 127");
}

TEST_CASE("convolution and product without the zero points; padding is a real zero") {
  KernelHarness h;
  const Tensor scale = h.F({}, {0.5F});
  Conv2DAttrs conv;
  conv.out_dtype = DataType::Int(32);
  conv.channels = 1;
  conv.kernel_size = {1, 2};
  conv.padding = {0, 1, 0, 0};
  CHECK(h.Run("qnn.conv2d"_op,
              {h.I8({1, 1, 1, 1}, {5}), h.I8({1, 1, 1, 2}, {7, 8}), h.I({}, {2}), h.I({}, {3}), scale, scale},
              conv) == "(1, 1, 1, 1) 15");
  DenseAttrs dense;
  dense.units = 2;
  dense.out_dtype = DataType::Int(32);
  CHECK(h.Run("qnn.dense"_op,
              {h.I8({1, 2}, {3, 4}), h.I8({2, 2}, {1, 2, 3, 4}), h.I({}, {1}), h.I({}, {1}), scale, scale},
              dense) == "(1, 2) 3 13");
}

}  // namespace
}  // namespace relayopt
