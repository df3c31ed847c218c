// The main function of the unit tests, which Catch2 provides.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
