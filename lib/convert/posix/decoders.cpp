// Decompression, piece by piece, so that a small file that claims to be huge costs only what it contains.
#include "lib/convert/decoders.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "relayopt/support/expansion.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr size_t kPiece = size_t{1} << 20;
// The size of the largest source.
constexpr size_t kLargest = SourceRange::kNowhere - 1;

const std::string kDamage = "it is damaged";

// Appends a piece to the content of a file of `packed` bytes; returns a fault if that becomes too large.
auto Append(std::string& out, const std::string& piece, size_t size, size_t packed) -> DecodeFault {
  if (size > kLargest - out.size()) return "it holds more than 4 GiB";
  if (!MayBecome(packed, out.size() + size)) return "it " + std::string(kExpandsTooMuch);
  out.append(piece, 0, size);
  return std::nullopt;
}

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
    if (auto too_large = Append(out, piece, piece.size() - stream.avail_out, bytes.size())) fault = too_large;
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
    if (auto too_large = Append(out, piece, piece.size() - stream.avail_out, bytes.size())) fault = too_large;
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
    if (auto too_large = Append(out, piece, to.pos, bytes.size())) fault = too_large;
  }
  ZSTD_freeDStream(stream);
  return fault;
}

}  // namespace relayopt
