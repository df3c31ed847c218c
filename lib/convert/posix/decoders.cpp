// Decompression, piece by piece, so that a small file that claims to be huge costs only what it contains.
#include "lib/convert/decoders.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr size_t kPiece = size_t{1} << 20;
// The size of the largest source.
constexpr size_t kLargest = SourceRange::kNowhere - 1;

// Appends a piece; returns false if it does not fit.
auto Append(std::string& out, const std::string& piece, size_t size) -> bool {
  if (size > kLargest - out.size()) return false;
  out.append(piece, 0, size);
  return true;
}

const std::string kDamage = "it is damaged";
const std::string kTooLarge = "it holds more than 4 GiB";

}  // namespace

// Several members one after the other are one file, as in gzip.
auto Gunzip(std::string_view bytes, std::string& out) -> DecodeFault {
  z_stream stream{};
  constexpr int kGzip = 16;
  if (inflateInit2(&stream, kGzip + MAX_WBITS) != Z_OK) return kDamage;
  std::string piece(kPiece, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  DecodeFault fault;
  for (int status = Z_OK; !fault && (status != Z_STREAM_END || stream.avail_in != 0);) {
    if (status == Z_STREAM_END) inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) fault = kDamage;
    if (!Append(out, piece, piece.size() - stream.avail_out)) fault = kTooLarge;
  }
  inflateEnd(&stream);
  return fault;
}

auto Unxz(std::string_view bytes, std::string& out) -> DecodeFault {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) return kDamage;
  std::string piece(kPiece, '\0');
  stream.next_in = reinterpret_cast<const uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  DecodeFault fault;
  for (lzma_ret status = LZMA_OK; !fault && status != LZMA_STREAM_END;) {
    stream.next_out = reinterpret_cast<uint8_t*>(piece.data());
    stream.avail_out = piece.size();
    status = lzma_code(&stream, LZMA_FINISH);
    if (status != LZMA_OK && status != LZMA_STREAM_END) fault = kDamage;
    if (!Append(out, piece, piece.size() - stream.avail_out)) fault = kTooLarge;
  }
  lzma_end(&stream);
  return fault;
}

auto Unzstd(std::string_view bytes, std::string& out) -> DecodeFault {
  ZSTD_DStream* stream = ZSTD_createDStream();
  // Large enough for files made by `zstd --ultra --long=31`.
  constexpr int kLargestWindow = 31;
  ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, kLargestWindow);
  std::string piece(kPiece, '\0');
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  DecodeFault fault;
  // How many bytes the decoder still expects; 0 at the end of a frame.
  size_t expects = 1;
  while (!fault && (in.pos < in.size || expects != 0)) {
    ZSTD_outBuffer to = {piece.data(), piece.size(), 0};
    const size_t before = in.pos;
    expects = ZSTD_decompressStream(stream, &to, &in);
    const bool stands_still = in.pos == before && to.pos == 0 && expects != 0;
    if (ZSTD_isError(expects) != 0 || stands_still) fault = kDamage;
    if (!Append(out, piece, to.pos)) fault = kTooLarge;
  }
  ZSTD_freeDStream(stream);
  return fault;
}

}  // namespace relayopt
