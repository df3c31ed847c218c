// The names of a text of TVMScript.
#include "lib/tir/script/name_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

namespace relayopt::tir {

TEST_CASE("Names of any length are found by their text") {
  Context context;
  NameTable names(context);
  std::map<std::string, NameIndex> known;
  // Enough that both tables grow.
  for (int i = 0; i < 3000; ++i) {
    for (const char* prefix : {"v", "ax0_", "buffer_of_a_"}) {
      const std::string name = prefix + std::to_string(i);
      known[name] = names.Find(name);
      CHECK(names.text(known[name]) == name);
    }
  }
  for (const auto& [name, index] : known) CHECK(names.Find(name) == index);
}

TEST_CASE("Texts that differ in zeros at their end are different names") {
  Context context;
  NameTable names(context);
  const std::string_view text("a\0\0", 3);
  const NameIndex a = names.Find(text.substr(0, 1));
  CHECK(names.Find(text) != a);
  CHECK(names.Find(text.substr(0, 2)) != names.Find(text));
  CHECK(names.Find("") != a);
  CHECK(names.text(names.Find(text)) == text);
}

TEST_CASE("A keyword is known by its text and by its word") {
  Context context;
  NameTable names(context);
  CHECK(names.keyword(names.Find("continue")) == TokenKind::kPythonOnly);
  CHECK(names.FindShort('i' | 'f' << 8).keyword == TokenKind::kIf);
  CHECK(names.FindShort('i').keyword == TokenKind::kName);
}

}  // namespace relayopt::tir
