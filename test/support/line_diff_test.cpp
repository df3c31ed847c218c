// Differences of texts: small ones exactly, random ones by applying them, large ones quickly.
#include "relayopt/support/line_diff.h"

#include <catch2/catch.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace relayopt {

namespace {

auto Lines(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What a diff with all context says that the texts are: kept and removed lines, kept and added lines.
auto Sides(const std::string& diff) -> std::pair<std::string, std::string> {
  std::string before;
  std::string after;
  for (const std::string& line : Lines(diff)) {
    if (line.starts_with("@@")) continue;
    if (line[0] != '+') before += line.substr(1) + '\n';
    if (line[0] != '-') after += line.substr(1) + '\n';
  }
  return {before, after};
}

TEST_CASE("a diff shows what changed with a little around it", "[line_diff]") {
  CHECK(LineDiff("a\nb\n", "a\nb\n").empty());
  CHECK(LineDiff("a\nb\nc\n", "a\nx\nc\n") == "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
  CHECK(LineDiff("", "a\n") == "@@ -1,0 +1,1 @@\n+a\n");
  CHECK(LineDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n6\n7\n8\n9\n", {.context = 1}) ==
        "@@ -4,3 +4,2 @@\n 4\n-5\n 6\n");
  CHECK(LineDiff("a\n", "b\n", {.color = true}) == "@@ -1,1 +1,1 @@\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n");
}

TEST_CASE("changes far apart are hunks of their own", "[line_diff]") {
  std::string before;
  for (int i = 0; i < 40; ++i) before += "line " + std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("line 5\n"), 7, "five\n");
  after.replace(after.find("line 30\n"), 8, "thirty\n");
  const std::string diff = LineDiff(before, after);
  CHECK(diff.find("@@ -3,7 +3,7 @@") == 0);
  CHECK(diff.find("@@ -28,7 +28,7 @@") != std::string::npos);
}

TEST_CASE("applying a diff gives the other text", "[line_diff]") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto make = [&] {
      std::string text;
      for (auto i = random() % 20; i-- > 0;) text += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
      return text;
    };
    const std::string before = make();
    const std::string after = make();
    if (before == after) continue;
    CHECK(Sides(LineDiff(before, after, {.context = 1000})) == std::pair(before, after));
  }
}

TEST_CASE("texts that have nothing in common are replaced as a whole", "[line_diff]") {
  std::string before;
  std::string after;
  for (int i = 0; i < 100000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  CHECK(Sides(LineDiff(before, after, {.context = 1000})) == std::pair(before, after));
}

}  // namespace

}  // namespace relayopt
