// Names that graphs take from outside, in the messages of attributes.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "lib/convert/onnx_out/model.h"
#include "test/convert/onnx/wire.h"
#include "test_names.h"

namespace relayopt::onnx::out {

namespace {

using wire::Block;

auto NodeMessage(const std::string& input, const std::string& output, const std::string& more = "") -> std::string {
  return Block(1, input) + Block(2, output) + Block(4, "Relu") + more;
}

// An attribute with a graph of these nodes, whose output is `output`.
auto Body(const std::string& nodes, const std::string& output) -> std::string {
  return Block(1, "body") + Block(6, nodes + Block(2, "graph") + Block(12, Block(1, output)));
}

auto Renamed(std::string_view message, std::string_view from, std::string_view to) -> std::string {
  return WithRenamedCaptures(message, std::vector{from}, NamesOf({to}));
}

}  // namespace

TEST_CASE("names that a graph takes from outside are replaced in nodes and outputs", "[onnx]") {
  const std::string before = Body(Block(1, NodeMessage("x", "y")), "x");
  const std::string after = Body(Block(1, NodeMessage("value", "y")), "value");
  CHECK(Renamed(before, "x", "value") == after);
}

TEST_CASE("names are replaced in graphs inside of graphs", "[onnx]") {
  const auto nested = [](const std::string& name) {
    const std::string inner = Block(5, Body(Block(1, NodeMessage(name, "z")), "z"));
    return Body(Block(1, NodeMessage("a", "y", inner)), "y");
  };
  CHECK(Renamed(nested("x"), "x", "v") == nested("v"));
}

TEST_CASE("names that are not taken from outside stay", "[onnx]") {
  const std::string body = Body(Block(1, NodeMessage("a", "x")), "x2");
  CHECK(Renamed(body, "xx", "v") == body);
  CHECK(Renamed(body, "a", "a") == body);
}

}  // namespace relayopt::onnx::out
