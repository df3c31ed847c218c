// What string literals stand for.
#pragma once

#include <string>
#include <string_view>

namespace relayopt::tir {

// The content of a string token in bytes; false when an escape sequence is malformed. `\xHH` is the byte HH.
auto DecodeString(std::string_view literal, std::string& bytes) -> bool;

}  // namespace relayopt::tir
