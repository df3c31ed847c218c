// Modules as one file of text and bytes.
#include "relayopt/convert/binary.h"

#include <catch2/catch.hpp>
#include <string>

#include "relay_text.h"

namespace relayopt {

TEST_CASE("a module in the binary form reads back as the same text", "[convert]") {
  TestSession session;
  const Module module = session.Read("m.relay", ModuleWithConstant());
  const std::string bytes = session.Print(module, "bin");
  CHECK(LooksLikeBinary(bytes));
  CHECK(session.Print(session.Read("m.rlyb", bytes)) == session.Print(module));
}

TEST_CASE("the elements of constants are stored as bytes at a multiple of 64", "[convert]") {
  TestSession session;
  const std::string bytes = session.Print(session.Read("m.relay", ModuleWithConstant()), "bin");
  const size_t at = bytes.find(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  REQUIRE(at != std::string::npos);
  CHECK(at % 64 == 0);
  CHECK(bytes.find("P6G0lvBAXt0") == std::string::npos);
}

TEST_CASE("a binary file that ends anywhere early is an error", "[convert]") {
  TestSession session;
  const std::string bytes = session.Print(session.Read("m.relay", ModuleWithConstant()), "bin");
  for (size_t size = 0; size < bytes.size(); ++size) {
    DiagnosticSink sink;
    const auto source = SourceText::FromString("m.rlyb", bytes.substr(0, size));
    INFO("the first " << size << " of " << bytes.size() << " bytes");
    CHECK(!ReadBinary(source, sink, {}));
    CHECK(sink.has_errors());
  }
}

TEST_CASE("a record that points outside of the file is an error", "[convert]") {
  TestSession session;
  std::string bytes = session.Print(session.Read("m.relay", ModuleWithConstant()), "bin");
  // The first number of the record is where the elements begin.
  const size_t text_end = std::stoul(bytes.substr(std::string_view("RELAYOPT-BINARY 1 ").size(), 16), nullptr, 16);
  const size_t record = (text_end + 7) / 8 * 8;
  bytes[record + 6] = '\x7f';
  CHECK(ReadingError("m.rlyb", bytes).find("this file is damaged or not complete") == 0);
}

TEST_CASE("a file of another version says so", "[convert]") {
  TestSession session;
  std::string bytes = session.Print(session.Read("m.relay", ModuleWithConstant()), "bin");
  bytes[std::string_view("RELAYOPT-BINARY ").size()] = '7';
  CHECK(ReadingError("m.rlyb", bytes) == "this file has version 7 of relayopt's binary form, which is not version 1");
}

}  // namespace relayopt
