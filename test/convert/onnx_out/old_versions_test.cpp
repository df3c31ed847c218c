// Nodes in older versions of the operators.
#include "lib/convert/onnx_out/old_versions.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "test_names.h"

namespace relayopt::onnx::out {

namespace {

auto Numbers(std::string_view name, const std::vector<int64_t>& values) -> TensorData {
  TensorData tensor{TestNames().Intern(name), kInt64, {static_cast<int64_t>(values.size())}, {}};
  std::vector<std::byte> bytes(values.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.bytes = std::move(bytes);
  return tensor;
}

auto OneNode(Node node) -> Graph {
  Graph graph;
  graph.inputs = {{"x"_name, kFloat, {{2, {}}, {3, {}}}}};
  graph.outputs = {{"y"_name, kFloat, {{2, {}}, {3, {}}}}};
  node.outputs = {"y"_name};
  graph.nodes = {std::move(node)};
  return graph;
}

}  // namespace

TEST_CASE("axes that are an input become an attribute before version 13", "[onnx]") {
  Graph graph = OneNode({.op_type = "Unsqueeze", .inputs = {"x"_name, "axes"_name}, .outputs = {}, .attributes = {}});
  graph.initializers = {Numbers("axes", {0, 2})};
  REQUIRE(ToOldVersion(graph, 12).op_type.empty());
  CHECK(graph.nodes[0].inputs == NamesOf({"x"}));
  REQUIRE(graph.nodes[0].attributes.size() == 1);
  CHECK(graph.nodes[0].attributes[0].ints == std::vector<int64_t>{0, 2});
  CHECK(graph.initializers.empty());
}

TEST_CASE("axes stay an input from version 13 on", "[onnx]") {
  Graph graph = OneNode({.op_type = "Unsqueeze", .inputs = {"x"_name, "axes"_name}, .outputs = {}, .attributes = {}});
  graph.initializers = {Numbers("axes", {0})};
  REQUIRE(ToOldVersion(graph, 13).op_type.empty());
  CHECK(graph.nodes[0].inputs.size() == 2);
}

TEST_CASE("computed axes have no form before version 13", "[onnx]") {
  Graph graph =
      OneNode({.op_type = "Unsqueeze", .inputs = {"x"_name, "computed"_name}, .outputs = {}, .attributes = {}});
  CHECK_FALSE(ToOldVersion(graph, 12).op_type.empty());
}

TEST_CASE("operators that came later have no form", "[onnx]") {
  Graph graph = OneNode({.op_type = "HardSwish", .inputs = {"x"_name}, .outputs = {}, .attributes = {}});
  CHECK(ToOldVersion(graph, 14).op_type.empty());
  CHECK(ToOldVersion(graph, 13).version == 14);
}

TEST_CASE("softmax before version 13 is over the last axis only", "[onnx]") {
  Graph last = OneNode({.op_type = "Softmax", .inputs = {"x"_name}, .outputs = {}, .attributes = {Int("axis", 1)}});
  CHECK(ToOldVersion(last, 11).op_type.empty());
  Graph first = OneNode({.op_type = "Softmax", .inputs = {"x"_name}, .outputs = {}, .attributes = {Int("axis", 0)}});
  CHECK_FALSE(ToOldVersion(first, 11).op_type.empty());
}

TEST_CASE("foreign nodes are not looked at", "[onnx]") {
  Graph graph =
      OneNode({.op_type = "HardSwish", .inputs = {"x"_name}, .outputs = {}, .attributes = {}, .is_foreign = true});
  CHECK(ToOldVersion(graph, 7).op_type.empty());
}

}  // namespace relayopt::onnx::out
