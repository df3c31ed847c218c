#include "relayopt/support/plural.h"

#include <catch2/catch.hpp>

namespace relayopt {

TEST_CASE("Counted says the noun in the number that fits") {
  CHECK(Counted(1, "axis") == "1 axis");
  CHECK(Counted(3, "axis") == "3 axes");
  CHECK(Counted(0, "element") == "0 elements");
  CHECK(Counted(1, "element") == "1 element");
  CHECK(Counted(2, "pass") == "2 passes");
}

}  // namespace relayopt
