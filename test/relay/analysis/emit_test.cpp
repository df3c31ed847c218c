// Numbers that no integer type holds.
#include "relayopt/relay/analysis/emit.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

namespace {

// The constant of this type that is emitted for a number.
auto Emitted(DataType dtype, double value) -> int64_t {
  Context context;
  FunctionBuilder builder(context);
  const ExprId id = EmitScalar(builder, dtype, value);
  return builder.function().constant(id).ScalarAsInt().value();
}

TEST_CASE("a number beyond 64 bits becomes the nearest end of an integer type", "[emit]") {
  CHECK(Emitted(DataType::Int(8), 1e30) == 127);
  CHECK(Emitted(DataType::Int(32), -1e30) == std::numeric_limits<int32_t>::min());
  CHECK(Emitted(DataType::Int(64), std::numeric_limits<double>::infinity()) == std::numeric_limits<int64_t>::max());
  CHECK(Emitted(DataType::UInt(8), 1e30) == 255);
  CHECK(Emitted(DataType::UInt(32), -1e30) == 0);
}

TEST_CASE("NaN becomes the integer 0", "[emit]") { CHECK(Emitted(DataType::Int(32), std::nan("")) == 0); }

TEST_CASE("a number of 64 bits wraps to a narrower type", "[emit]") {
  CHECK(Emitted(DataType::UInt(8), -1) == 255);
  CHECK(Emitted(DataType::Int(8), 300) == 44);
}

}  // namespace

}  // namespace relayopt
