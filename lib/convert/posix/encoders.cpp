// Compression of whole files.
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>

#include "lib/convert/decoders.h"

namespace relayopt {

namespace {

const std::string kNoMemory = "there is not enough memory";

}  // namespace

auto Gzip(std::string_view bytes, std::string& out) -> EncodeFault {
  z_stream stream{};
  constexpr int kGzipFormat = 16;
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat + MAX_WBITS, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return kNoMemory;
  }
  constexpr size_t kPiece = size_t{1} << 20;
  std::string piece(kPiece, '\0');
  // zlib counts the input in 32 bits.
  constexpr size_t kMostInput = std::numeric_limits<uInt>::max();
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const size_t size = std::min(bytes.size(), kMostInput);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(size);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, size == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(size - stream.avail_in);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return std::nullopt;
}

auto Xz(std::string_view bytes, std::string& out) -> EncodeFault {
  std::string made(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  const lzma_ret status = lzma_easy_buffer_encode(LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64, nullptr,
                                                  reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                                  reinterpret_cast<uint8_t*>(made.data()), &size, made.size());
  if (status != LZMA_OK) return kNoMemory;
  out.append(made, 0, size);
  return std::nullopt;
}

auto Zstd(std::string_view bytes, std::string& out) -> EncodeFault {
  std::string made(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(made.data(), made.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(size) != 0) return kNoMemory;
  out.append(made, 0, size);
  return std::nullopt;
}

}  // namespace relayopt
