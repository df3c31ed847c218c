// Recurrent networks step by step, against what ONNX Runtime computes.
#include "lib/convert/onnx/recurrent_kernel.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace relayopt::onnx {

namespace {

// Small numbers of both signs, others for each seed.
auto Numbers(std::vector<int64_t> shape, int seed) -> Tensor {
  Tensor tensor(DataType::Float(32), std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>((i * 7 + seed * 5) % 11 - 5) * 0.1F;
  return tensor;
}

auto Lengths(const std::vector<int32_t>& values) -> Tensor {
  Tensor tensor(DataType::Int(32), {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<int32_t>());
  return tensor;
}

void CheckNear(const Tensor& tensor, const std::vector<float>& expected) {
  REQUIRE(tensor.size() == static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(tensor.data<float>()[i] == Approx(expected[i]).margin(1e-5).epsilon(1e-4));
}

// A network over three steps, two sequences, two columns and a state of two.
struct Network {
  Network(int64_t gates, int64_t directions, const std::vector<int32_t>& given)
      : x(Numbers({3, 2, 2}, 0)),
        w(Numbers({directions, gates * 2, 2}, 1)),
        r(Numbers({directions, gates * 2, 2}, 2)),
        b(Numbers({directions, gates * 4}, 3)),
        h(Numbers({directions, 2, 2}, 4)),
        c(Numbers({directions, 2, 2}, 5)),
        p(Numbers({directions, 6}, 6)),
        lengths(Lengths(given)) {
    inputs = {.x = &x, .w = &w, .r = &r, .b = &b, .lengths = &lengths, .h = &h};
  }

  Tensor x, w, r, b, h, c, p, lengths;
  RecurrentInputs inputs;
};

}  // namespace

TEST_CASE("an LSTM runs in both directions over sequences of different length") {
  Network net(4, 2, {3, 2});
  net.inputs.c = &net.c;
  net.inputs.p = &net.p;
  std::string error;
  const auto out = RunRecurrent({.kind = RecurrentKind::kLSTM, .direction = "bidirectional"}, net.inputs, error);
  REQUIRE(out);
  CheckNear(out->y, {-0.128188F, 0.224996F, -0.0631214F, -0.00942717F, 0.0298349F,  -0.286159F, 0.0139881F, -0.167136F,
                     -0.234539F, 0.197234F, -0.188608F,  0.0830918F,   -0.0471786F, -0.26238F,  -0.135477F, -0.0671085F,
                     -0.226041F, 0.230117F, 0.0F,        0.0F,         0.133378F,   -0.143955F, 0.0F,       0.0F});
  CheckNear(out->h, {-0.226041F, 0.230117F, -0.188608F, 0.0830918F, 0.0298349F, -0.286159F, 0.0139881F, -0.167136F});
  REQUIRE(out->c);
  CheckNear(*out->c, {-0.33477F, 0.514904F, -0.317633F, 0.20465F, 0.0389435F, -0.663945F, 0.0184031F, -0.383942F});
}

TEST_CASE("a GRU runs backwards, and resets before or after the product") {
  std::string error;
  const Network early(3, 1, {3, 3});
  const auto out = RunRecurrent({.kind = RecurrentKind::kGRU, .direction = "reverse"}, early.inputs, error);
  REQUIRE(out);
  CheckNear(out->y, {0.507882F, -0.197937F, 0.47714F, 0.0169152F, 0.554821F, -0.0708641F, 0.497118F, 0.171298F,
                     0.457102F, -0.121869F, 0.300789F, 0.181073F});
  CHECK_FALSE(out->c);
  const Network late(3, 1, {2, 3});
  const auto other = RunRecurrent({.kind = RecurrentKind::kGRU, .linear_before_reset = true}, late.inputs, error);
  REQUIRE(other);
  CheckNear(other->h, {0.491814F, -0.0147181F, 0.518412F, 0.116466F});
}

TEST_CASE("an RNN has the activation that is named") {
  std::string error;
  const Network net(1, 1, {3, 1});
  const auto out = RunRecurrent({.kind = RecurrentKind::kRNN, .activations = {{"Relu"}}}, net.inputs, error);
  REQUIRE(out);
  CheckNear(out->y, {0.22F, 0, 0, 0, 0.33F, 0, 0, 0, 0.145F, 0, 0, 0});
}

TEST_CASE("a batch that comes first changes only the layout") {
  std::string error;
  const Tensor x = Numbers({2, 1, 3}, 0);
  const Tensor first = Numbers({1, 2, 3}, 0);
  const Tensor w = Numbers({1, 2, 3}, 1);
  const Tensor r = Numbers({1, 2, 2}, 2);
  const auto a = RunRecurrent({.kind = RecurrentKind::kRNN}, {.x = &x, .w = &w, .r = &r}, error);
  const auto b =
      RunRecurrent({.kind = RecurrentKind::kRNN, .batch_first = true}, {.x = &first, .w = &w, .r = &r}, error);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(std::vector<int64_t>(b->y.shape().begin(), b->y.shape().end()) == std::vector<int64_t>{1, 2, 1, 2});
  CheckNear(b->y, {a->y.data<float>(), a->y.data<float>() + a->y.size()});
}

TEST_CASE("what does not fit is an error and not a result") {
  const Network net(4, 1, {3, 3});
  std::string error;
  CHECK_FALSE(RunRecurrent({.kind = RecurrentKind::kGRU}, net.inputs, error));
  CHECK(error == "W has shape (1, 8, 2) instead of (1, 6, 2)");
  CHECK_FALSE(RunRecurrent({.direction = "sideways"}, net.inputs, error));
  CHECK(error == "'sideways' is not a direction");
  CHECK_FALSE(RunRecurrent({.activations = {{"Relu"}}}, net.inputs, error));
  CHECK(error == "1 activations for 1 directions");
  CHECK_FALSE(RunRecurrent({.activations = {{"Relu"}, {"Sine"}, {"Relu"}}}, net.inputs, error));
  CHECK(error == "'Sine' is not an activation");
  CHECK_FALSE(RunRecurrent({}, {.x = &net.x, .w = &net.w}, error));
  CHECK(error == "X, W and R are needed");
}

}  // namespace relayopt::onnx
