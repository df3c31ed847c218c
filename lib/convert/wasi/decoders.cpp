// WASI has no libraries for compression. A web page decompresses gzip itself before it passes a file on.
#include "lib/convert/decoders.h"

namespace relayopt {

namespace {

const char* const kNoDecoder = "this build of relayopt does not decompress";
const char* const kNoEncoder = "this build of relayopt does not compress";

}  // namespace

auto Gunzip(std::string_view, std::string&) -> DecodeFault { return kNoDecoder; }

auto Unxz(std::string_view, std::string&) -> DecodeFault { return kNoDecoder; }

auto Unzstd(std::string_view, std::string&) -> DecodeFault { return kNoDecoder; }

auto Gzip(std::string_view, std::string&) -> EncodeFault { return kNoEncoder; }

auto Xz(std::string_view, std::string&) -> EncodeFault { return kNoEncoder; }

auto Zstd(std::string_view, std::string&) -> EncodeFault { return kNoEncoder; }

}  // namespace relayopt
