// NaN and ties where elements are compared, tensors without elements, and results that are the same on any number of
// processors.
#include <sched.h>

#include <cmath>

#include "eval_harness.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/sort.h"

namespace relayopt::testing {
namespace {

TEST_CASE("maximum and minimum with NaN are the right operand") {
  OpRunner run;
  const std::vector<Tensor> operands = {Floats({3}, {kNaN, 1, kNaN}), Floats({3}, {1, kNaN, kNaN})};
  CHECK(run.Text("maximum"_op, operands) == "1 nan nan");
  CHECK(run.Text("minimum"_op, operands) == "1 nan nan");
  // Neither zero is less than the other.
  CHECK(run.Text("maximum"_op, {Floats({2}, {0, -0.0F}), Floats({2}, {-0.0F, 0})}) == "-0 0");
}

TEST_CASE("a NaN in a reduction is replaced by what follows") {
  OpRunner run;
  CHECK(run.Text("max"_op, {Floats({3}, {5, kNaN, 1})}, ReduceAttrs()) == "1");
  CHECK(run.Text("max"_op, {Floats({2}, {5, kNaN})}, ReduceAttrs()) == "nan");
  CHECK(run.Text("min"_op, {Floats({3}, {-5, kNaN, 1})}, ReduceAttrs()) == "1");
  CHECK(run.Text("argmax"_op, {Floats({3}, {5, kNaN, 1})}, ArgReduceAttrs()) == "2");
  CHECK(run.Text("argmin"_op, {Floats({3}, {kNaN, -5, 1})}, ArgReduceAttrs()) == "1");
}

TEST_CASE("without a number above the least one the position of the largest is open") {
  OpRunner run;
  CHECK(run.Text("argmax"_op, {Floats({2}, {-kInf, -kInf})}, ArgReduceAttrs()) == "-1 undefined");
  CHECK(run.Text("argmin"_op, {Floats({1}, {kInf})}, ArgReduceAttrs()) == "-1 undefined");
}

TEST_CASE("NaN comes last when sorted, in either direction, but its place is open") {
  OpRunner run;
  const Tensor data = Floats({4}, {2, kNaN, -kInf, 1});
  CHECK(run.Text("sort"_op, {data}, ArgsortAttrs()) == "-inf 1 2 nan undefined");
  CHECK(run.Text("argsort"_op, {Floats({4}, {1, 0, 1, 0})}, ArgsortAttrs()) == "1 3 0 2");
}

TEST_CASE("reductions of nothing are where they start") {
  OpRunner run;
  const Tensor none = Floats({2, 0}, {});
  ReduceAttrs rows;
  rows.axis = {1};
  CHECK(run.Text("sum"_op, {none}, rows) == "0 0");
  CHECK(run.Text("prod"_op, {none}, rows) == "1 1");
  CHECK(run.Text("max"_op, {none}, rows) == "-3.4028235e+38 -3.4028235e+38");
  CHECK(run.Text("mean"_op, {none}, rows).starts_with("nan nan"));
  ArgReduceAttrs arg_rows;
  arg_rows.axis = {1};
  CHECK(run.Text("argmax"_op, {none}, arg_rows) == "-1 -1 undefined");
  // Along the other axis there are no results.
  rows.axis = {0};
  CHECK(run.Text("sum"_op, {none}, rows).empty());
}

TEST_CASE("extents of zero broadcast to zero") {
  OpRunner run;
  const auto shape_of_sum = [&](std::vector<int64_t> a, std::vector<int64_t> b) {
    const auto result = run.Run("add"_op, {Tensor(DataType::Float(32), a), Tensor(DataType::Float(32), b)});
    return result ? Extents(result->tensors[0]) : std::vector<int64_t>{-1};
  };
  CHECK(shape_of_sum({0}, {1}) == std::vector<int64_t>{0});
  CHECK(shape_of_sum({2, 1}, {0}) == std::vector<int64_t>{2, 0});
  CHECK(shape_of_sum({}, {3, 0, 2}) == std::vector<int64_t>{3, 0, 2});
  CHECK(shape_of_sum({1, 0}, {4, 1}) == std::vector<int64_t>{4, 0});
}

TEST_CASE("products over no elements are zero") {
  OpRunner run;
  CHECK(run.Text("nn.dense"_op, {Floats({1, 0}, {}), Floats({2, 0}, {})}, DenseAttrs()) == "0 0");
  CHECK(run.Text("nn.dense"_op, {Floats({0, 3}, {}), Floats({2, 3}, {1, 2, 3, 4, 5, 6})}, DenseAttrs()).empty());
  CHECK(run.Text("nn.conv2d"_op, {Floats({0, 1, 3, 3}, {}), Floats({1, 1, 1, 1}, {2})}, Conv2DAttrs()).empty());
}

TEST_CASE("results above the limit are errors, not allocations") {
  OpRunner run;
  run.limits.max_tensor_bytes = 64;
  CHECK(run.Run("add"_op, {Floats({4, 1}, {1, 2, 3, 4}), Floats({4}, {1, 2, 3, 4})}).has_value());
  CHECK_FALSE(run.Run("add"_op, {Floats({5, 1}, {1, 2, 3, 4, 5}), Floats({4}, {1, 2, 3, 4})}).has_value());
}

// Runs `body` on one processor only.
template <typename Body>
auto OnOneProcessor(Body body) {
  cpu_set_t all;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  auto result = body();
  REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
  return result;
}

template <typename A>
void CheckSameBytes(const OpDef* op, const std::vector<std::vector<int64_t>>& shapes, const A& attrs) {
  OpRunner run;
  std::vector<Tensor> inputs;
  for (const std::vector<int64_t>& shape : shapes) {
    const std::vector<Dim> dims(shape.begin(), shape.end());
    const TypeId type = run.context.Tensor(dims, DataType::Float(32));
    inputs.push_back(MakeValue(run.context, type, InputOptions(), inputs.size())->tensor());
  }
  const auto many = run.Run(op, inputs, attrs);
  const auto one = OnOneProcessor([&] { return run.Run(op, inputs, attrs); });
  REQUIRE(many.has_value());
  REQUIRE(one.has_value());
  CHECK(std::ranges::equal(many->tensors[0].bytes(), one->tensors[0].bytes()));
}

TEST_CASE("a shape among the attributes of collapse_sum_to counts before the operand") {
  OpRunner run;
  const std::vector<Tensor> inputs = {Floats({2, 2}, {1, 2, 3, 4}), Ints({2}, {1, 2})};
  InitOpAttrs attrs;
  CHECK(run.Text("collapse_sum_to"_op, inputs, attrs) == "4 6");
  attrs.shape = DimList(std::vector<Dim>{Dim(2), Dim(2)});
  CHECK(run.Text("collapse_sum_to"_op, inputs, attrs) == "1 2 3 4");
}

TEST_CASE("a result that contradicts its type is an error") {
  OpRunner run;
  InitOpAttrs attrs;
  attrs.shape = DimList(std::vector<Dim>{Dim(2), Dim::Any()});
  CHECK(run.Text("collapse_sum_to"_op, {Floats({2, 2}, {1, 2, 3, 4}), Ints({2}, {1, 2})}, attrs) ==
        "error: collapse_sum_to: the shape of the result differs from its type");
}

TEST_CASE("any number of processors gives the same bytes") {
  CheckSameBytes("nn.dense"_op, {{300, 257}, {513, 257}}, DenseAttrs());
  Conv2DAttrs padded;
  padded.padding = {1, 1};
  CheckSameBytes("nn.conv2d"_op, {{2, 16, 33, 31}, {130, 16, 3, 3}}, padded);
  Conv2DWinogradAttrs tiles;
  tiles.tile_size = 4;
  tiles.channels = 8;
  tiles.kernel_size = {3, 3};
  CheckSameBytes("nn.contrib_conv2d_winograd_without_weight_transform"_op, {{1, 4, 30, 30}, {6, 6, 4, 8}}, tiles);
}

}  // namespace
}  // namespace relayopt::testing
