// Lowering for other systems, and what the tables say about operators.
#include "relayopt/convert/lower.h"

#include <catch2/catch.hpp>
#include <string>

#include "relay_text.h"
#include "relayopt/convert/coverage.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/convert/relax.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

TEST_CASE("an operator that a target lacks is expressed by others", "[convert]") {
  TestSession session;
  const Module module = session.Read("m.relay",
                                     "#[version = \"0.0.5\"]\n"
                                     "def @main(%x: Tensor[(2, 3), float32]) {\n"
                                     "  log2(%x)\n"
                                     "}\n");
  REQUIRE(HasLowering("log2", "onnx"));
  const std::string text = session.Print(session.Run(module, "LowerFor<target=onnx>"));
  CHECK(text.find("log2") == std::string::npos);
  CHECK(text.find("log(%x)") != std::string::npos);
}

TEST_CASE("a module whose operators the target has stays as it is", "[convert]") {
  TestSession session;
  const Module module = session.Read("m.relay", ModuleWithConstant());
  for (const std::string target : {"onnx", "relax"}) {
    CHECK(session.Print(session.Run(module, "LowerFor<target=" + target + ">")) == session.Print(module));
  }
}

TEST_CASE("an operator with a form or a lowering counts as expressed", "[convert]") {
  size_t lowered = 0;
  for (const OpDef* op : AllOps()) {
    for (const std::string_view system : {"onnx", "relax"}) {
      INFO(op->name << " in " << system);
      const std::string_view state = FormStateOf(op->name, system);
      const std::string form = system == "onnx" ? OnnxFormOf(op->name) : RelaxFormOf(op->name);
      CHECK((state == "direct") == !form.empty());
      if (!HasLowering(op->name, system)) continue;
      ++lowered;
      CHECK(state != "none");
    }
  }
  CHECK(lowered > 50);
}

TEST_CASE("an operator that does not exist has no form", "[convert]") {
  CHECK(FormStateOf("no.such.op", "onnx") == "none");
  CHECK(FormStateOf("no.such.op", "relax") == "none");
  CHECK_FALSE(HasLowering("no.such.op", "onnx"));
}

}  // namespace relayopt
