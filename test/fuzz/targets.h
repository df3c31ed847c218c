// What is fuzzed: a row for each door through which something from outside comes in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mutators.h"

namespace relayopt::fuzz {

struct Target {
  std::string_view name;
  // What the inputs are, for people.
  std::string_view about;
  const Form* form;
  // Reads an input and does with it what the tool may do. Ends the process by a signal when a promise is broken.
  void (*run)(const std::string& input);
  // Makes inputs from a test, given its text and its path.
  std::vector<std::string> (*seeds)(const std::string& path, const std::string& test);
};

auto Targets() -> std::span<const Target>;

}  // namespace relayopt::fuzz
