// Deflate by zlib.
#include "lib/relay/eval/deflate.h"

#include <zlib.h>

namespace relayopt {

auto Inflate(std::string_view packed, std::string& text) -> bool {
  z_stream stream = {};
  // Raw deflate, without zlib's header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int status = inflate(&stream, Z_FINISH);
  const bool ok = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return ok;
}

auto Crc(std::string_view text) -> uint32_t {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

}  // namespace relayopt
