// Gradients of operators are compared with differences of the function.
#include <cmath>
#include <random>

#include "relay/eval/eval_harness.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/eval/compare.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt::testing {
namespace {

auto WithGradients(const Module& module) -> Module {
  RegisterAllPasses();
  const Result<Pipeline> parsed = ParsePipeline("FirstOrderGradient");
  REQUIRE(parsed);
  const Result<PassRef> pass = BuildPipeline(*parsed);
  REQUIRE(pass);
  Module result = module;
  PassContext context;
  const auto applied = (*pass)->Apply(result, context);
  INFO((applied ? std::string() : applied.error().text));
  REQUIRE(applied);
  return result;
}

auto Tensors(const Module& module, const std::vector<Value>& args) -> std::vector<Tensor> {
  Evaluator evaluator(module);
  const auto result = evaluator.Call(module.FindGlobal("main"), args);
  INFO((result ? std::string() : result.error().text));
  REQUIRE(result);
  std::vector<Tensor> tensors;
  REQUIRE(FlattenTensors(*result, tensors));
  return tensors;
}

auto SumOf(const Tensor& tensor) -> double {
  double sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) sum += NumberAt(tensor, i);
  return sum;
}

// Arguments of float64 for @main, none of them near another or near 0, where some operators have no gradient.
auto ArgumentsOf(const Module& module) -> std::vector<Tensor> {
  std::mt19937 random(7);
  std::vector<Tensor> args;
  const Function& main = *module.function<Function>(module.FindGlobal("main"));
  for (const ExprId param : main.params()) {
    const Type& type = module.context().type(main.type(param));
    std::vector<int64_t> shape;
    for (const Dim& dim : type.shape) shape.push_back(dim.value());
    Tensor tensor(type.dtype, shape);
    std::vector<double> values;
    for (int64_t i = 0; i < tensor.size(); ++i)
      values.push_back((static_cast<double>(i) + 0.5) / 8 + 0.013 * static_cast<double>(args.size() + 1));
    std::shuffle(values.begin(), values.end(), random);
    for (double& value : values) value *= random() % 3 == 0 ? -1 : 1;
    std::copy(values.begin(), values.end(), tensor.mutable_data<double>());
    args.push_back(std::move(tensor));
  }
  return args;
}

// Returns a copy of a tensor of float64 in which one element is larger by `step`.
auto Shifted(const Tensor& tensor, int64_t element, double step) -> Tensor {
  Tensor copy(tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()});
  std::ranges::copy(tensor.bytes(), copy.MutableBytes());
  copy.mutable_data<double>()[element] += step;
  return copy;
}

void CheckGradients(std::string_view program) {
  INFO(program);
  const Module module = ReadProgram(program);
  const Module gradient = WithGradients(module);
  std::vector<Tensor> args = ArgumentsOf(module);
  const auto values = [&] { return std::vector<Value>(args.begin(), args.end()); };
  // The result, and a gradient for each parameter.
  const std::vector<Tensor> made = Tensors(gradient, values());
  REQUIRE(made.size() == args.size() + 1);
  constexpr double kStep = 1e-5;
  for (size_t k = 0; k < args.size(); ++k) {
    REQUIRE(std::ranges::equal(made[k + 1].shape(), args[k].shape()));
    for (int64_t i = 0; i < args[k].size(); ++i) {
      const Tensor original = args[k];
      args[k] = Shifted(original, i, kStep);
      const double above = SumOf(Tensors(module, values())[0]);
      args[k] = Shifted(original, i, -kStep);
      const double below = SumOf(Tensors(module, values())[0]);
      args[k] = original;
      INFO("argument " << k << ", element " << i);
      CHECK(NumberAt(made[k + 1], i) == Approx((above - below) / (2 * kStep)).margin(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("gradients of elementwise operators are the limits of differences") {
  CheckGradients("def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(3), float64]) { maximum(%x, %y) }");
  CheckGradients("def @main(%x: Tensor[(3), float64], %y: Tensor[(2, 3), float64]) { minimum(%x, %y) }");
  CheckGradients("def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(3), float64]) { power(exp(%x), %y) }");
  CheckGradients("def @main(%x: Tensor[(2, 3), float64]) { power(%x, 3f64) }");
  CheckGradients("def @main(%x: Tensor[(2, 3), float64]) { nn.leaky_relu(%x, alpha=0.25f) }");
}

TEST_CASE("gradients of operators that copy and add elements are the limits of differences") {
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(2, 4, 3), float64]) "
      "{ multiply(tile(%x, reps=[2, 2, 1]), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(2, 6), float64]) { multiply(tile(%x, reps=[2]), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(2, 6), float64]) "
      "{ multiply(repeat(%x, repeats=2, axis=-1), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(2, 3), float64]) { multiply(cumsum(%x, axis=1), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %y: Tensor[(6), float64]) "
      "{ multiply(cumsum(%x, axis=None, exclusive=True), %y) }");
}

TEST_CASE("gradients of slices along some axes are the limits of differences") {
  CheckGradients(
      "def @main(%x: Tensor[(3, 4), float64], %y: Tensor[(3, 2), float64]) "
      "{ multiply(strided_slice(%x, begin=[1], end=[4], strides=[2], axes=[1]), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(3, 4, 2), float64], %y: Tensor[(2, 4, 1), float64]) "
      "{ multiply(strided_slice(%x, begin=[1, 1], end=[1, 2], strides=[1, 1], slice_mode=\"size\", axes=[2, 0]), %y) "
      "}");
}

TEST_CASE("gradients of layer_norm are the limits of differences") {
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %g: Tensor[(3), float64], %b: Tensor[(3), float64], "
      "%y: Tensor[(2, 3), float64]) { multiply(nn.layer_norm(%x, %g, %b), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(2, 3, 2), float64], %g: Tensor[(3), float64], %b: Tensor[(3), float64], "
      "%y: Tensor[(2, 3, 2), float64]) "
      "{ multiply(nn.layer_norm(%x, %g, %b, axis=1, epsilon=0.01f, center=False), %y) }");
  CheckGradients(
      "def @main(%x: Tensor[(2, 3), float64], %g: Tensor[(3), float64], %b: Tensor[(3), float64], "
      "%y: Tensor[(2, 3), float64]) { multiply(nn.layer_norm(%x, %g, %b, scale=False), %y) }");
}

TEST_CASE("gradients of convolutions in any order of axes are the limits of differences") {
  CheckGradients(
      "def @main(%x: Tensor[(1, 4, 3, 2), float64], %w: Tensor[(2, 2, 2, 3), float64]) "
      "{ nn.conv2d(%x, %w, strides=[2, 1], padding=[1, 0, 0, 1], channels=3, kernel_size=[2, 2], "
      "data_layout=\"NHWC\", kernel_layout=\"HWIO\") }");
  CheckGradients(
      "def @main(%x: Tensor[(1, 3, 3, 4), float64], %w: Tensor[(2, 2, 4, 1), float64]) "
      "{ nn.conv2d(%x, %w, padding=[0, 0, 0, 0], groups=4, channels=4, kernel_size=[2, 2], "
      "data_layout=\"NHWC\", kernel_layout=\"HWOI\") }");
  CheckGradients(
      "def @main(%x: Tensor[(1, 2, 3, 3), float64], %w: Tensor[(2, 2, 2, 2), float64]) "
      "{ nn.conv2d(%x, %w, padding=[0, 0, 0, 0], channels=2, kernel_size=[2, 2], out_layout=\"NHWC\") }");
}

TEST_CASE("gradients of transposed convolutions are the limits of differences") {
  CheckGradients(
      "def @main(%x: Tensor[(1, 2, 3, 2), float64], %w: Tensor[(2, 3, 2, 3), float64]) "
      "{ nn.conv2d_transpose(%x, %w, channels=3, kernel_size=[2, 3], strides=[2, 1], padding=[1, 0, 0, 1], "
      "output_padding=[1, 0]) }");
  CheckGradients(
      "def @main(%x: Tensor[(1, 4, 2, 2), float64], %w: Tensor[(4, 1, 2, 2), float64]) "
      "{ nn.conv2d_transpose(%x, %w, channels=2, kernel_size=[2, 2], groups=2) }");
  CheckGradients(
      "def @main(%x: Tensor[(1, 3, 2, 2), float64], %w: Tensor[(2, 2, 3, 2), float64]) "
      "{ nn.conv2d_transpose(%x, %w, channels=3, kernel_size=[2, 2], data_layout=\"NHWC\", kernel_layout=\"HWOI\") }");
}

}  // namespace relayopt::testing
