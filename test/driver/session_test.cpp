// A session as other programs use it.
#include "relayopt/relayopt.h"

#include <catch2/catch.hpp>

namespace relayopt {

namespace {

constexpr const char* kTwice = R"(#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { add(nn.relu(%x), nn.relu(%x)) }
)";

auto Texts(const Session& session) -> std::vector<std::string> {
  std::vector<std::string> texts;
  for (const DiagnosticRecord& record : session.diagnostics()) texts.push_back(ToText(record));
  return texts;
}

}  // namespace

TEST_CASE("a session reads, runs passes of any level and prints") {
  Session session;
  std::optional<Module> module = session.Read("twice.relay", kTwice);
  REQUIRE(module.has_value());
  REQUIRE(session.Run(*module, "EliminateCommonSubexpr"));
  REQUIRE_THAT(session.Print(*module), Catch::Contains("add(%0, %0)"));
  REQUIRE_THAT(session.Print(*module, "dot"), Catch::StartsWith("digraph"));
  REQUIRE(session.diagnostics().empty());
}

TEST_CASE("what a session has to say are values with their places") {
  Session session;
  REQUIRE_FALSE(session.Read("wrong.relay", "#[version = \"0.0.5\"]\ndef @main() { nn.relu(%y) }\n").has_value());
  REQUIRE(session.has_errors());
  const std::vector<DiagnosticRecord> records = session.TakeDiagnostics();
  REQUIRE(records.size() == 1);
  REQUIRE(records[0].file == "wrong.relay");
  REQUIRE(records[0].begin.line == 2);
  REQUIRE_FALSE(session.has_errors());
}

TEST_CASE("a session refuses what does not exist") {
  Session session;
  std::optional<Module> module = session.Read("twice.relay", kTwice);
  REQUIRE(module.has_value());
  REQUIRE_FALSE(session.Run(*module, "FoldConstnat"));
  REQUIRE(session.Print(*module, "dott").empty());
  REQUIRE_FALSE(session.ReadFile("/does/not/exist").has_value());
  const std::vector<std::string> texts = Texts(session);
  REQUIRE(texts.size() == 3);
  REQUIRE_THAT(texts[0], Catch::StartsWith("passes:1:1: error: unknown pass 'FoldConstnat'"));
  REQUIRE_THAT(texts[1], Catch::Contains("there is no format 'dott' to write (did you mean 'dot'?)"));
  REQUIRE_THAT(texts[2], Catch::Contains("cannot read '/does/not/exist': No such file or directory"));
}

TEST_CASE("a session with options that are not valid does nothing but say so") {
  SessionOptions options;
  options.context.config["relay.FuseOps.no_such_key"] = int64_t{1};
  Session session(options);
  REQUIRE(session.has_errors());
  REQUIRE_FALSE(session.Read("twice.relay", kTwice).has_value());
}

TEST_CASE("formats are recognized by content before the ending of the name") {
  const auto recognized = [](std::string name, std::string bytes) {
    return RecognizeFormat(*SourceText::FromString(std::move(name), std::move(bytes))).name;
  };
  REQUIRE(recognized("a.onnx", "") == "onnx");
  REQUIRE(recognized("a.relay", std::string("\x08\x07\x12\x00", 4)) == "onnx");
  REQUIRE(recognized("a.pt", kTwice) == "text");
  REQUIRE(recognized("a.relay", "\x89HDF\r\n\x1a\n") == "hdf5");
  for (const FormatDef& format : Formats()) {
    INFO(format.name);
    REQUIRE(FindFormat(format.name) == &format);
    REQUIRE((format.read != nullptr || format.write != nullptr || format.begins != nullptr));
  }
}

}  // namespace relayopt
