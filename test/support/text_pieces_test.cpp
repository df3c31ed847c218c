#include "relayopt/support/text_pieces.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace relayopt {

TEST_CASE("ParseNumber reads whole texts only") {
  CHECK(ParseNumber<int64_t>("-12") == -12);
  CHECK(ParseNumber<double>("0.5") == 0.5);
  CHECK(ParseNumber<int64_t>("") == std::nullopt);
  CHECK(ParseNumber<int64_t>("12 ") == std::nullopt);
  CHECK(ParseNumber<int64_t>("+12") == std::nullopt);
  CHECK(ParseNumber<uint64_t>("-1") == std::nullopt);
  CHECK(ParseNumber<uint8_t>("256") == std::nullopt);
}

TEST_CASE("Trimmed removes white space at both ends") {
  CHECK(Trimmed(" \ta b\r\n") == "a b");
  CHECK(Trimmed("  ").empty());
}

TEST_CASE("SplitText keeps empty pieces but the last") {
  CHECK(SplitText("", ',').empty());
  CHECK(SplitText("a,,b,", ',') == std::vector<std::string_view>{"a", "", "b"});
}

}  // namespace relayopt
