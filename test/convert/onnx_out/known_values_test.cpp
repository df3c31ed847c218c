// What the writer of ONNX models knows of values, and what it removes.
#include "lib/convert/onnx_out/known_values.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "test_names.h"

namespace relayopt::onnx::out {

namespace {

constexpr int64_t kOpset = 18;

auto Int64Tensor(std::string_view name, const std::vector<int64_t>& values) -> TensorData {
  TensorData tensor{TestNames().Intern(name), kInt64, {static_cast<int64_t>(values.size())}, {}};
  std::vector<std::byte> bytes(values.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.bytes = std::move(bytes);
  return tensor;
}

auto NodeOf(std::string_view op_type, std::initializer_list<std::string_view> inputs, std::string_view output,
            Attributes attributes = {}) -> Node {
  return {
      .op_type = op_type, .inputs = NamesOf(inputs), .outputs = NamesOf({output}), .attributes = std::move(attributes)};
}

// y = Relu(x), for x of 2 by 3 floats.
auto ReluGraph() -> Graph {
  Graph graph;
  graph.inputs = {{"x"_name, kFloat, {{2, {}}, {3, {}}}}};
  graph.outputs = {{"y"_name, kFloat, {{2, {}}, {3, {}}}}};
  graph.nodes = {NodeOf("Relu", {"x"}, "y")};
  return graph;
}

}  // namespace

TEST_CASE("the numbers of constants and the extents of inputs are known", "[onnx]") {
  Graph graph = ReluGraph();
  graph.initializers = {Int64Tensor("k", {5, 5})};
  const KnownValues known(graph, TestNames(), kOpset);
  CHECK(known.NumbersOf("k"_name) == std::vector<int64_t>{5, 5});
  CHECK(known.IsAll("k"_name, 5));
  CHECK_FALSE(known.IsAll("k"_name, 4));
  CHECK_FALSE(known.IsZero("k"_name));
  CHECK(known.ShapeOf("x"_name) == std::vector<int64_t>{2, 3});
  CHECK(known.RankOf("k"_name) == 1);
  CHECK(known.NumbersOf("x"_name) == std::nullopt);
}

TEST_CASE("an equal constant is added once", "[onnx]") {
  Graph graph = ReluGraph();
  KnownValues known(graph, TestNames(), kOpset);
  const Name first = known.AddList(std::vector<int64_t>{1, 2});
  CHECK(known.AddList(std::vector<int64_t>{1, 2}) == first);
  CHECK(known.AddList(std::vector<int64_t>{2, 1}) != first);
  CHECK(graph.initializers.size() == 2);
}

TEST_CASE("a node that computes what an earlier one does gives its outputs", "[onnx]") {
  Graph graph = ReluGraph();
  KnownValues known(graph, TestNames(), kOpset);
  const Node first = NodeOf("Relu", {"x"}, "a");
  CHECK(known.FirstOf(first) == first.outputs);
  CHECK(known.FirstOf(NodeOf("Relu", {"x"}, "b")) == first.outputs);
  CHECK(known.FirstOf(NodeOf("Relu", {"y"}, "c")) == NamesOf({"c"}));
  CHECK(known.FirstOf(NodeOf("Elu", {"x"}, "d", {Float("alpha", 2)})) == NamesOf({"d"}));
  CHECK(known.FirstOf(NodeOf("Elu", {"x"}, "e", {Float("alpha", 3)})) == NamesOf({"e"}));
}

TEST_CASE("values of an inner graph are forgotten after it", "[onnx]") {
  Graph graph = ReluGraph();
  KnownValues known(graph, TestNames(), kOpset);
  known.Enter();
  CHECK(known.FirstOf(NodeOf("Relu", {"x"}, "inner")) == NamesOf({"inner"}));
  known.Leave();
  CHECK(known.Find(NodeOf("Relu", {"x"}, "outer")) == std::nullopt);
}

TEST_CASE("nodes and initializers that no output needs are removed", "[onnx]") {
  Graph graph = ReluGraph();
  graph.initializers = {Int64Tensor("k", {1})};
  graph.nodes.push_back(NodeOf("Shape", {"x"}, "unused"));
  RemoveUnused(graph);
  REQUIRE(graph.nodes.size() == 1);
  CHECK(graph.nodes[0].op_type == "Relu");
  CHECK(graph.initializers.empty());
}

TEST_CASE("of two reshapes the last one with a literal shape is enough", "[onnx]") {
  Graph graph = ReluGraph();
  graph.initializers = {Int64Tensor("flat", {6}), Int64Tensor("tall", {3, 2})};
  graph.nodes = {NodeOf("Reshape", {"x", "flat"}, "a"), NodeOf("Reshape", {"a", "tall"}, "b"),
                 NodeOf("Relu", {"b"}, "y")};
  Tidy(graph, TestNames(), kOpset);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[0].op_type == "Reshape");
  CHECK(graph.nodes[0].inputs[0] == "x"_name);
  CHECK(graph.initializers.size() == 1);
}

TEST_CASE("a reshape to the shape that a value has is removed", "[onnx]") {
  Graph graph = ReluGraph();
  graph.initializers = {Int64Tensor("same", {2, 3})};
  graph.nodes = {NodeOf("Reshape", {"x", "same"}, "a"), NodeOf("Relu", {"a"}, "y")};
  Tidy(graph, TestNames(), kOpset);
  REQUIRE(graph.nodes.size() == 1);
  CHECK(graph.nodes[0].inputs == NamesOf({"x"}));
}

}  // namespace relayopt::onnx::out
