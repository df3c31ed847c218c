// Counts of things, with a noun in the right number, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace relayopt {

// `1 axis`, `3 axes`, `0 elements`. `noun` is in the singular; nouns in -is get their plural in -es.
auto Counted(size_t n, std::string_view noun) -> std::string;

}  // namespace relayopt
