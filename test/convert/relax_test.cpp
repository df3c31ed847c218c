// Modules as Relax.
#include "relayopt/convert/relax.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "lib/convert/relax/python.h"
#include "relay_text.h"

namespace relayopt {

TEST_CASE("floats are written with the shortest digits that Python reads back", "[convert]") {
  CHECK(relax::PythonFloat(1) == "1.0");
  CHECK(relax::PythonFloat(0.1) == "0.1");
  CHECK(relax::PythonFloat(1e300) == "1e+300");
  CHECK(relax::PythonFloat(-std::numeric_limits<double>::infinity()) == "float(\"-inf\")");
  CHECK(relax::PythonFloat(std::numeric_limits<double>::quiet_NaN()) == "float(\"nan\")");
}

TEST_CASE("names become identifiers that Python does not reserve", "[convert]") {
  CHECK(relax::PythonName("x") == "x");
  CHECK(relax::PythonName("conv1.weight") == "conv1_weight");
  CHECK(relax::PythonName("lambda") != "lambda");
  CHECK(relax::PythonName("1x").find_first_of("0123456789") != 0);
}

TEST_CASE("small constants are part of the text and large ones go to the archive", "[convert]") {
  TestSession session;
  const Module module = session.Read("m.relay", ModuleWithConstant());
  DiagnosticSink sink;
  const std::optional<RelaxText> relax = WriteRelax(module, "m.npz", sink);
  REQUIRE(relax);
  CHECK(relax->constants.empty());
  CHECK(relax->text.find("1.0, 2.0") != std::string::npos);
  CHECK(relax->text.find("m.npz") == std::string::npos);
}

TEST_CASE("an operator without a form in Relax is reported once with its count", "[convert]") {
  TestSession session;
  const Module module =
      session.Read("m.relay",
                   "#[version = \"0.0.5\"]\n"
                   "def @main(%x: Tensor[(1, 8, 8, 32), float32]) {\n"
                   "  %0 = nn.bitpack(%x, bits=1, pack_axis=3, bit_axis=3, pack_type=\"uint32\", name=\"a\");\n"
                   "  %1 = nn.bitpack(%x, bits=2, pack_axis=3, bit_axis=3, pack_type=\"uint32\", name=\"a\");\n"
                   "  (%0, %1)\n"
                   "}\n");
  DiagnosticSink sink;
  CHECK(!WriteRelax(module, "m.npz", sink));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].text.find("nn.bitpack") != std::string::npos);
  CHECK(sink.diagnostics()[0].text.find('2') != std::string::npos);
}

}  // namespace relayopt
