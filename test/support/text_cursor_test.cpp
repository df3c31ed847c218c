#include "relayopt/support/text_cursor.h"

#include <catch2/catch.hpp>
#include <cstdint>

#include "relayopt/support/characters.h"

namespace relayopt {

TEST_CASE("A cursor passes what it takes, and nothing else") {
  TextCursor cursor("ab12 == x");
  CHECK_FALSE(cursor.Take("b"));
  CHECK(cursor.TakeWhile(IsLetter) == "ab");
  CHECK(cursor.TakeNumber<int64_t>() == 12);
  CHECK(cursor.TakeNumber<int64_t>() == std::nullopt);
  CHECK(cursor.TakeWhile(IsSpace) == " ");
  CHECK(cursor.Take("=="));
  CHECK(cursor.at() == 7);
  CHECK(cursor.rest() == " x");
  CHECK(cursor.Since(5) == "==");
}

TEST_CASE("A cursor at the end sees no character, not even 0") {
  TextCursor cursor("a");
  cursor.Advance(5);
  CHECK(cursor.at() == 1);
  CHECK(cursor.at_end());
  CHECK(cursor.Peek() == '\0');
  CHECK_FALSE(cursor.Take('\0'));
  CHECK(cursor.Sees(""));
}

TEST_CASE("A number that does not fit is not passed") {
  TextCursor cursor("300");
  CHECK(cursor.TakeNumber<uint8_t>() == std::nullopt);
  CHECK(cursor.at() == 0);
}

}  // namespace relayopt
