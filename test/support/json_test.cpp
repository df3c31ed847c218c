#include "relayopt/support/json.h"

#include <catch2/catch.hpp>
#include <string>

namespace relayopt {

namespace {

auto ObjectOf(size_t members) -> std::string {
  std::string text = "{";
  for (size_t i = members; i-- > 0;) text += "\"k" + std::to_string(i) + "\": [" + std::to_string(i) + "], ";
  return text + "\"last\": true}";
}

TEST_CASE("JSON objects keep the order of their members", "[json]") {
  CHECK(ParseJson(R"({"b": 1, "a": {"d": 2, "c": 3}})").dump() == R"({"b":1,"a":{"d":2,"c":3}})");
}

TEST_CASE("the last of several values of a JSON key counts, at the position of the first", "[json]") {
  CHECK(ParseJson(R"({"b": 1, "a": 2, "b": 3})").dump() == R"({"b":3,"a":2})");
}

TEST_CASE("members are found in JSON objects with few and with many", "[json]") {
  for (const size_t members : {1, 15, 16, 17, 1000}) {
    OrderedJson json = ParseJson(ObjectOf(members));
    REQUIRE(json.size() == members + 1);
    CHECK(json.items().begin().key() == "k" + std::to_string(members - 1));
    for (size_t i = 0; i < members; ++i) CHECK(json.at("k" + std::to_string(i)) == OrderedJson({i}));
    CHECK_FALSE(json.contains("k" + std::to_string(members)));
    json.erase("k0");
    json["new"] = 1;
    CHECK_FALSE(json.contains("k0"));
    CHECK(json["last"] == true);
    CHECK(json["new"] == 1);
    CHECK(json.size() == members + 1);
  }
}

TEST_CASE("JSON that nests too deep is discarded", "[json]") {
  const auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  CHECK(ParseJson(nested(200)).is_array());
  CHECK(ParseJson(nested(201)).is_discarded());
  CHECK(ParseJson(nested(1'000'000)).is_discarded());
  // Brackets in texts do not count, nor do those of what is beside.
  CHECK(ParseJson("[\"" + std::string(300, '[') + "\\\"[\"]").is_array());
  CHECK(ParseJson("[" + nested(150) + "," + nested(150) + "]").is_array());
}

}  // namespace

}  // namespace relayopt
