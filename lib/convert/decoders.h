// The decoders and encoders of compressed files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace relayopt {

// Why the bytes cannot be decoded, as the end of a sentence.
using DecodeFault = std::optional<std::string>;
// Why the bytes cannot be compressed.
using EncodeFault = std::optional<std::string>;

// Append the content to `out`.
auto Gunzip(std::string_view bytes, std::string& out) -> DecodeFault;
auto Unxz(std::string_view bytes, std::string& out) -> DecodeFault;
auto Unzstd(std::string_view bytes, std::string& out) -> DecodeFault;

// Compress at the default level. The same bytes give the same result: no time and no name is in it.
auto Gzip(std::string_view bytes, std::string& out) -> EncodeFault;
auto Xz(std::string_view bytes, std::string& out) -> EncodeFault;
auto Zstd(std::string_view bytes, std::string& out) -> EncodeFault;

}  // namespace relayopt
