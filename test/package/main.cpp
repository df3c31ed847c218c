// The smallest use of the installed library: makes a type and finds it again.
#include <cstdio>

#include "relayopt/core/context.h"

auto main() -> int {
  relayopt::Context context;
  const auto image = [&] { return context.Tensor({1, 3, 224, 224}, relayopt::DataType::Float(32)); };
  const bool interned = image() == image();
  std::puts(interned ? "ok" : "one type has two ids");
  return interned ? 0 : 1;
}
