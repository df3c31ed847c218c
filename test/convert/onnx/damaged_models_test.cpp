// Damaged models end in diagnostics.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/relay/ir/function.h"
#include "wire.h"

namespace relayopt {

namespace {

using wire::Block;
using wire::Number;

auto Input(const std::string& name) -> std::string {
  const std::string dims = Block(1, Number(1, 2)) + Block(1, Number(1, 3));
  return Block(1, name) + Block(2, Block(1, Number(1, 1) + Block(2, dims)));
}
auto Node(const std::string& op, const std::string& inputs, const std::string& output) -> std::string {
  std::string node;
  for (const char input : inputs) node += Block(1, std::string(1, input));
  return node + Block(2, output) + Block(4, op) + Block(5, Block(1, "axis") + Number(3, 1) + Number(20, 2));
}

// softmax(x + w) along axis 1, with a weight in raw data.
auto SmallModel() -> std::string {
  const std::string weight =
      Number(1, 2) + Number(1, 3) + Number(2, 1) + Block(8, "w") + Block(9, std::string(24, '\1'));
  const std::string graph = Block(1, Node("Add", "xw", "y")) + Block(1, Node("Softmax", "y", "z")) + Block(2, "graph") +
                            Block(5, weight) + Block(11, Input("x")) + Block(12, Block(1, "z"));
  return Number(1, 8) + Block(8, Number(2, 13)) + Block(7, graph);
}

auto Imports(const std::string& bytes, DiagnosticSink& sink) -> bool {
  return ImportOnnx(SourceText::FromString("test.onnx", bytes), {}, sink).has_value();
}

}  // namespace

TEST_CASE("a model that is whole is imported and known by its first bytes", "[onnx]") {
  DiagnosticSink sink;
  CHECK(Imports(SmallModel(), sink));
  CHECK_FALSE(sink.has_errors());
  CHECK(LooksLikeOnnx(SmallModel().substr(0, 16)));
  CHECK_FALSE(LooksLikeOnnx("#[version = \"0.0.5\"]"));
}

TEST_CASE("a weight in raw data stays where it is in the file", "[onnx]") {
  DiagnosticSink sink;
  const auto model = ImportOnnx(SourceText::FromString("test.onnx", SmallModel()), {}, sink);
  REQUIRE(model.has_value());
  const auto main = model->module.function<Function>(model->module.FindGlobal("main"));
  size_t weights = 0;
  for (const ExprId id : main->ids()) {
    if (main->kind(id) != ExprKind::kConstant) continue;
    // Whoever asks gets a copy, because the module has none.
    const auto bytes = main->constant(id).Bytes();
    CHECK(bytes.use_count() == 1);
    CHECK(std::ranges::equal(*bytes, std::vector<std::byte>(24, std::byte{1})));
    ++weights;
  }
  CHECK(weights == 1);
}

TEST_CASE("every beginning of a model is an error", "[onnx]") {
  const std::string whole = SmallModel();
  // The graph is the last field, so nothing shorter holds it.
  for (size_t size = 0; size < whole.size(); ++size) {
    DiagnosticSink sink;
    CAPTURE(size);
    CHECK_FALSE(Imports(whole.substr(0, size), sink));
    CHECK(sink.has_errors());
  }
}

TEST_CASE("a model with changed bytes is imported or an error", "[onnx]") {
  const std::string whole = SmallModel();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      DiagnosticSink sink;
      CAPTURE(at, change);
      const bool imports = Imports(damaged, sink);
      CHECK(imports != sink.has_errors());
    }
  }
}

}  // namespace relayopt
