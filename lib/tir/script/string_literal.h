// The values of string literals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace relayopt::tir {

// The content of a string token in bytes; returns false if an escape sequence is malformed. `\xHH` is the byte HH.
auto DecodeString(std::string_view literal, std::string& bytes) -> bool;

// Returns the offset of the first byte that does not belong to a character in UTF-8, or nothing if all do.
auto FirstInvalidByte(std::string_view text) -> std::optional<size_t>;

}  // namespace relayopt::tir
