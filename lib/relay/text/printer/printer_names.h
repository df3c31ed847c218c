// Names of variables, made unique in a module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// Appends the name of the source of a span, without what would end the comment that it is printed in.
void AppendSpanSource(std::string& out, std::string_view name);

// Derives the names with which variables are printed from their hints. The texts live as long as the table.
class NameTable {
 public:
  // `%` and the hint (with a `v` before it where it does not start with a letter), followed by the first number that
  // makes the name new. Characters that the reader would not take for a part of the name become `_`. `annotated`: `:`
  // and a type follow.
  auto Declare(std::string_view hint, bool annotated) -> std::string_view;

 private:
  Arena arena_;
  // Every name in use, with the last number tried after it.
  absl::flat_hash_map<std::string_view, uint32_t, TextHash> used_;
  std::string candidate_;
};

}  // namespace relayopt
