// Base64 with the standard alphabet and `=` padding.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace relayopt {

// The number of bytes that `text` stands for; nothing when its length or padding is wrong. The alphabet is not looked
// at.
auto Base64Size(std::string_view text) -> std::optional<size_t>;

// Decodes out.size() bytes from byte `offset` of the decoded text on. False when `text` is malformed in that part or
// too short.
auto DecodeBase64(std::string_view text, size_t offset, std::span<std::byte> out) -> bool;

// True when every character belongs to the alphabet (padding at the end apart) and the length is right.
auto IsBase64(std::string_view text) -> bool;

auto EncodeBase64(std::string_view bytes) -> std::string;

}  // namespace relayopt
