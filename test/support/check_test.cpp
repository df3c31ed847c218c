#include "relayopt/support/check.h"

#include <catch2/catch.hpp>
#include <string>

#include "relayopt/support/check_handler.h"
#include "relayopt/support/parallel.h"

namespace relayopt {

namespace {

// Failed checks throw as long as it lives.
struct ThrowingChecks {
  ThrowingChecks() {
    SetCheckHandler([](const std::string& message) { throw CheckError(message); });
  }
  ~ThrowingChecks() { SetCheckHandler(nullptr); }
};

}  // namespace

TEST_CASE("a failed check throws where a handler throws") {
  const ThrowingChecks throwing;
  const int seven = 7;
  CHECK_THROWS_WITH([&] { RELAYOPT_CHECK(seven == 8, "seven is not eight"); }(),
                    Catch::Matchers::EndsWith("internal check failed: seven is not eight (seven == 8)"));
  CHECK_NOTHROW([&] { RELAYOPT_CHECK(seven == 7, "seven is seven"); }());
}

TEST_CASE("a check that fails in a worker reaches the thread that started it") {
  const ThrowingChecks throwing;
  CHECK_THROWS_AS(ParallelFor(8, 4, [](size_t i) { RELAYOPT_CHECK(i != 5, "no fives"); }), CheckError);
}

}  // namespace relayopt
