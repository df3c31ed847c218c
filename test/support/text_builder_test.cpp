// Text that grows at its end.
#include "relayopt/support/text_builder.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace relayopt {

TEST_CASE("A builder has the texts that were appended, of any size") {
  const std::string all = "0123456789abcdefghijklmnopqrstuvwxyz";
  TextBuilder text;
  std::string expected;
  for (size_t round = 0; round < 20; ++round) {
    for (size_t size = 0; size <= all.size(); ++size) {
      text += std::string_view(all).substr(0, size);
      expected += all.substr(0, size);
    }
    text.append(", ").append(3, ' ');
    text += ')';
    expected += ",    )";
  }
  CHECK(text.view() == expected);
}

TEST_CASE("A builder is empty at first, after it is cleared, and until its first assignment") {
  TextBuilder text;
  CHECK(text.empty());
  CHECK(text.view().empty());
  text = "for ";
  CHECK(text.view() == "for ");
  text = std::string("i");
  CHECK(text.view() == "i");
  text.clear();
  CHECK(text.empty());
  text = "";
  CHECK(text.view().empty());
}

TEST_CASE("A builder that is moved keeps its text") {
  TextBuilder text;
  text += "T.reads(";
  TextBuilder moved = std::move(text);
  moved += "A)";
  CHECK(moved.view() == "T.reads(A)");
}

}  // namespace relayopt
