// The decoders of compressed files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace relayopt {

// Why the bytes cannot be decoded, as the end of a sentence.
using DecodeFault = std::optional<std::string>;

// Append the content to `out`.
auto Gunzip(std::string_view bytes, std::string& out) -> DecodeFault;
auto Unxz(std::string_view bytes, std::string& out) -> DecodeFault;
auto Unzstd(std::string_view bytes, std::string& out) -> DecodeFault;

}  // namespace relayopt
