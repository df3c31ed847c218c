// WASI has no libraries for compression. A web page decompresses gzip itself before it passes a file on.
#include "lib/convert/decoders.h"

namespace relayopt {

namespace {

const char* const kNoDecoder = "this build of relayopt does not decompress";

}  // namespace

auto Gunzip(std::string_view, std::string&) -> DecodeFault { return kNoDecoder; }

auto Unxz(std::string_view, std::string&) -> DecodeFault { return kNoDecoder; }

auto Unzstd(std::string_view, std::string&) -> DecodeFault { return kNoDecoder; }

}  // namespace relayopt
