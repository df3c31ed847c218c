// Base64 with the standard alphabet and `=` padding.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace relayopt {

// Returns the number of bytes that `text` decodes to, or nothing if its length or padding is wrong. Does not check that
// the characters belong to the alphabet.
auto Base64Size(std::string_view text) -> std::optional<size_t>;

// Decodes out.size() bytes, starting with byte `offset` of the decoded text. Returns false if the text is too short or
// that part of it is malformed.
auto DecodeBase64(std::string_view text, size_t offset, std::span<std::byte> out) -> bool;

// True when every character belongs to the alphabet (padding at the end apart) and the length is right.
auto IsBase64(std::string_view text) -> bool;

// Encodes bytes, with padding.
auto EncodeBase64(std::string_view bytes) -> std::string;

}  // namespace relayopt
