// What string literals stand for.
#pragma once

#include <string>
#include <string_view>

namespace relayopt::tir {

// The bytes that a string token stands for; false when an escape is malformed. `\xHH` is the byte HH.
auto DecodeString(std::string_view literal, std::string& bytes) -> bool;

}  // namespace relayopt::tir
