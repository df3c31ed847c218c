// Rendering of diagnostics and suggestions.
#include <catch2/catch.hpp>

#include "relayopt/support/base64.h"
#include "relayopt/support/diagnostic.h"

using namespace relayopt;

namespace {

constexpr DiagnosticKind kTest = {"test-kind", Severity::kError, "bad {}"};

}  // namespace

TEST_CASE("a diagnostic shows the line and a caret") {
  const auto source = SourceText::FromString("a.relay", "first\n  second line\n");
  const Diagnostic diagnostic = MakeDiagnostic(kTest, {8, 14}, "word");
  CHECK(Render(diagnostic, source.get()) ==
        "a.relay:2:3: error: bad word [test-kind]\n"
        "    second line\n"
        "    ^~~~~~\n");
}

TEST_CASE("notes follow, with or without a place") {
  const auto source = SourceText::FromString("a.relay", "first\n");
  Diagnostic diagnostic = MakeDiagnostic(kTest, {0, 5}, "word");
  diagnostic.Note("see here", {0, 1}).Note("and think");
  CHECK(Render(diagnostic, source.get()) ==
        "a.relay:1:1: error: bad word [test-kind]\n  first\n  ^~~~~\n"
        "a.relay:1:1: note: see here\n  first\n  ^\n"
        "a.relay: note: and think\n");
}

TEST_CASE("a diagnostic without a source is one line") {
  CHECK(Render(MakeDiagnostic(kTest, {}, "word"), nullptr) == "error: bad word [test-kind]\n");
}

TEST_CASE("bytes that could drive a terminal are escaped") {
  CHECK(Printable("a\x1b[31mb") == "a\\x1B[31mb");
  CHECK(Printable("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(Printable("\xff\xe2\x80\xae") == "\\xFF\\xE2\\x80\\xAE");
}

TEST_CASE("a line of megabytes is cut around the place") {
  const auto source = SourceText::FromString("a.relay", std::string(1 << 20, 'x') + "!" + std::string(1 << 20, 'y'));
  const std::string text = Render(MakeDiagnostic(kTest, {1 << 20, (1 << 20) + 1}, "mark"), source.get());
  CHECK(text.size() < 600);
  CHECK(text.find("x!y") != std::string::npos);
}

TEST_CASE("names that are near are suggested") {
  const std::vector<std::string_view> names = {"FoldConstant", "FuseOps", "nn.conv2d", "nn.conv3d"};
  CHECK(DidYouMean("fold-constnat", names) == " (did you mean 'FoldConstant'?)");
  CHECK(DidYouMean("nn.conv2", names) == " (did you mean 'nn.conv2d' or 'nn.conv3d'?)");
  CHECK(DidYouMean("relu", names).empty());
}

TEST_CASE("base64 comes back") {
  for (const std::string_view text : {"", "a", "ab", "abc", "abcd", "\x01\xff\x00z"}) {
    const std::string encoded = EncodeBase64(text);
    REQUIRE(Base64Size(encoded) == text.size());
    std::string decoded(text.size(), '\0');
    REQUIRE(DecodeBase64(encoded, 0, std::as_writable_bytes(std::span(decoded))));
    CHECK(decoded == text);
  }
}

TEST_CASE("base64 decodes from any byte on") {
  const std::string encoded = EncodeBase64("0123456789");
  std::string part(4, '\0');
  REQUIRE(DecodeBase64(encoded, 5, std::as_writable_bytes(std::span(part))));
  CHECK(part == "5678");
  CHECK_FALSE(DecodeBase64(encoded, 8, std::as_writable_bytes(std::span(part))));
}

TEST_CASE("malformed base64 is refused") {
  CHECK_FALSE(Base64Size("abc"));
  CHECK_FALSE(IsBase64("ab*="));
  CHECK(IsBase64("abc="));
}
