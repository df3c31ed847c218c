// Names of values: equal texts are one name, with and without a number.
#include "lib/convert/onnx_out/value_names.h"

#include <catch2/catch.hpp>
#include <string>

namespace relayopt::onnx::out {

TEST_CASE("equal texts are one name", "[onnx]") {
  NameTable names;
  const Name x = names.Intern("x");
  CHECK(names.Intern(std::string("x")) == x);
  CHECK(names.Intern("y") != x);
  CHECK(names.Intern("").empty());
  CHECK(names.Intern("") == Name());
  CHECK(x.text() == "x");
  CHECK(x.index() < names.size());
}

TEST_CASE("names with numbers are found by their numbers and by their texts", "[onnx]") {
  NameTable names;
  const Name seven = names.Numbered(7);
  CHECK(seven.text() == "v7");
  CHECK(names.Intern("v7") == seven);
  CHECK(names.Intern("v07") != seven);
  CHECK(names.Intern("v") != seven);
  CHECK(seven.is_numbered());
  CHECK(names.Intern("v07").is_numbered());
  CHECK_FALSE(names.Intern("v").is_numbered());
  CHECK_FALSE(names.Intern("v7a").is_numbered());
}

TEST_CASE("a large number stays the name that it is when there are more names", "[onnx]") {
  NameTable names;
  const Name large = names.Intern("v5000");
  CHECK(names.Numbered(size_t{1} << 40).text() == "v1099511627776");
  for (size_t i = 0; i < 5000; ++i) names.Numbered(i);
  CHECK(names.Numbered(5000) == large);
  CHECK(names.Intern("v5000") == large);
}

TEST_CASE("what is not known of a name is the default", "[onnx]") {
  NameTable names;
  NameMap<int> numbers;
  numbers[names.Intern("b")] = 3;
  const NameMap<int>& known = numbers;
  CHECK(known[names.Intern("b")] == 3);
  CHECK(known[names.Intern("c")] == 0);
  NameSet set;
  CHECK(set.insert(names.Intern("b")));
  CHECK_FALSE(set.insert(names.Intern("b")));
  CHECK_FALSE(set.contains(names.Intern("c")));
  CHECK(set.erase(names.Intern("b")));
  CHECK_FALSE(set.contains(names.Intern("b")));
}

}  // namespace relayopt::onnx::out
