// The table of formats.
#include "relayopt/convert/format.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "relay_text.h"

namespace relayopt {

namespace {

auto FormatOf(const std::string& name, const std::string& bytes) -> std::string_view {
  return RecognizeFormat(*SourceText::FromString(name, bytes)).name;
}

}  // namespace

TEST_CASE("no two formats have a name or an ending in common", "[convert]") {
  std::set<std::string_view> names;
  std::set<std::string_view> endings;
  for (const FormatDef& format : Formats()) {
    INFO(format.name);
    CHECK(names.insert(format.name).second);
    CHECK(FindFormat(format.name) == &format);
    for (std::string_view rest = format.endings; !rest.empty();) {
      const std::string_view ending = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(ending.size() + 1, rest.size()));
      CHECK(endings.insert(ending).second);
      CHECK(FormatOfEnding("a/b" + std::string(ending)) == &format);
    }
  }
}

TEST_CASE("the longest ending decides", "[convert]") {
  CHECK(FormatOfEnding("m.json")->name == "tvm-json");
  CHECK(FormatOfEnding("m.graph.json")->name == "json");
  CHECK(FormatOfEnding("m.unknown") == nullptr);
  CHECK(FormatOfEnding("relay") == nullptr);
}

TEST_CASE("the first bytes decide, and a foreign ending does not make a text foreign", "[convert]") {
  CHECK(FormatOf("m.relay", "\x89PNG....") == "png");
  CHECK(FormatOf("m.onnx", "RELAYOPT-BINARY 1 ") == "bin");
  CHECK(FormatOf("m.relay", "....TFL3") == "tflite");
  CHECK(FormatOf("m.tflite", "def @main() { 1 }") == "text");
  CHECK(FormatOf("m", "def @main() { 1 }") == "text");
}

TEST_CASE("a format that is only recognized is one error", "[convert]") {
  Session session;
  CHECK(!session.Read("m.png", "\x89PNG\r\n\x1a\n"));
  REQUIRE(session.diagnostics().size() == 1);
  CHECK(session.diagnostics()[0].id == "unsupported-format");
}

TEST_CASE("every format that reads what it writes gives the module back", "[convert]") {
  TestSession session;
  const Module module = session.Read("m.relay", ModuleWithConstant());
  size_t formats = 0;
  for (const FormatDef& format : Formats()) {
    // An ONNX model has one graph and no global functions.
    if (format.read == nullptr || format.write == nullptr || format.name == "onnx") continue;
    INFO(format.name);
    ++formats;
    const std::string bytes = session.Print(module, format.name);
    CHECK(session.Print(session.Read("m" + std::string(format.endings.substr(0, format.endings.find(' '))), bytes)) ==
          session.Print(module));
  }
  CHECK(formats == 3);
}

}  // namespace relayopt
