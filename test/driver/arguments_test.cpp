// What the command line becomes before CLI11 sees it.
#include "lib/driver/arguments.h"

#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

namespace relayopt {

namespace {

auto Translated(std::vector<std::string> words) -> std::string {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  const Result<CommandLine> line = TranslateArguments(pointers);
  REQUIRE(line.has_value());
  return fmt::format("{}", fmt::join(line->words, "|"));
}

}  // namespace

TEST_CASE("one dash and two are the same before a long name, and synonyms get the name of the row") {
  REQUIRE(Translated({"-print-after=x"}) == "--print-ir-after|x");
  REQUIRE(Translated({"--mlir-print-ir-after", "x"}) == "--print-ir-after|x");
  REQUIRE(Translated({"-p", "x", "in.relay"}) == "--passes|x|in.relay");
}

TEST_CASE("a value may be optional, and is taken after = only") {
  REQUIRE(Translated({"--summary", "in.relay"}) == "--summary|text|in.relay");
  REQUIRE(Translated({"--summary=json", "in.relay"}) == "--summary|json|in.relay");
  REQUIRE(Translated({"--run", "in.relay"}) == "--run|1|in.relay");
  REQUIRE(Translated({"--verify-each=0"}) == "--verify-each|0");
  REQUIRE(Translated({"--passes="}) == "--passes|");
}

TEST_CASE("only a number or one letter may follow a letter at once") {
  REQUIRE(Translated({"-O3", "-j16", "-Os"}) == "-O|3|--threads|16|-O|s");
  REQUIRE(Translated({"-o3", "-out=x", "-only", "-pass=x"}) == "--o3|--out=x|--only|--pass=x");
}

TEST_CASE("a missing value ends the words, so that CLI11 misses it") {
  REQUIRE(Translated({"--params", "--run", "in.relay"}) == "--params");
  REQUIRE(Translated({"--stats-json", "in.relay"}) == "--stats-json");
  REQUIRE(Translated({"--opt-bisect-limit", "-1"}) == "--opt-bisect-limit|-1");
}

TEST_CASE("after -- all words are inputs") {
  REQUIRE(Translated({"--run", "--", "--run", "-"}) == "--run|1|--|--run|-");
}

TEST_CASE("files and the environment give words") {
  const std::string path = "/tmp/relayopt_arguments_test";
  std::ofstream(path) << "--passes='A, B' # a comment\n--run\n";
  REQUIRE(Translated({"@" + path, "-O1"}) == "--passes|A, B|--run|1|-O|1");
  REQUIRE(Translated({"@/does/not/exist"}) == "@/does/not/exist");
  REQUIRE(Translated({"-p", "@" + path}) == "--passes|@" + path);
  ::setenv("RELAYOPT_OPTIONS", "--seed=3", 1);
  REQUIRE(Translated({"--run"}) == "--seed|3|--run|1");
  ::unsetenv("RELAYOPT_OPTIONS");
  std::remove(path.c_str());
}

}  // namespace relayopt
