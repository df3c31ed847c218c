// Random tensor programs.
#pragma once

#include <cstdint>
#include <string>

namespace relayopt {

// TVMScript of a function made from the seed: loops of every kind, conditions, lets, allocations, vectors, blocks with
// reductions, launches of threads with shared memory and barriers. Every access is within bounds and nothing races, so
// that the program has a value. The same seed gives the same text on every machine.
auto GenerateScript(uint64_t seed) -> std::string;

}  // namespace relayopt
