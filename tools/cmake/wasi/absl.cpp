// The few functions and tables that Abseil's hash tables need besides its headers: Debian has its library for the
// native architecture only. No result depends on hash values.
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "absl/container/internal/raw_hash_set.h"
#include "absl/hash/internal/city.h"
#include "absl/hash/internal/hash.h"
#include "absl/hash/internal/low_level_hash.h"
#include "absl/strings/ascii.h"

namespace {

// FNV-1a over words, mixed at the end.
auto HashBytes(const void* data, size_t size, uint64_t seed) -> uint64_t {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ULL;
  const auto* at = static_cast<const char*>(data);
  uint64_t hash = seed ^ (size * kPrime);
  for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  uint64_t rest = 0;
  std::memcpy(&rest, at, size);
  hash = (hash ^ rest) * kPrime;
  return hash ^ (hash >> 29);
}

}  // namespace

namespace absl {
ABSL_NAMESPACE_BEGIN
namespace container_internal {

alignas(16) const ctrl_t kEmptyGroup[16] = {ctrl_t::kSentinel, ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty,
                                            ctrl_t::kEmpty,    ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty,
                                            ctrl_t::kEmpty,    ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty,
                                            ctrl_t::kEmpty,    ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty};

template FindInfo find_first_non_full(const ctrl_t*, size_t, size_t);

// As the headers require: a deleted slot becomes empty, a full one deleted; the bytes after the sentinel repeat the
// first.
void ConvertDeletedToEmptyAndFullToDeleted(ctrl_t* ctrl, size_t capacity) {
  for (ctrl_t* at = ctrl; at < ctrl + capacity + 1; at += Group::kWidth) {
    Group(at).ConvertSpecialToEmptyAndFullToDeleted(at);
  }
  std::memcpy(ctrl + capacity + 1, ctrl, NumClonedBytes());
  ctrl[capacity] = ctrl_t::kSentinel;
}

[[noreturn]] void HashTableSizeOverflow() { std::abort(); }

}  // namespace container_internal

namespace hash_internal {

const void* const MixingHashState::kSeed = &kSeed;

auto CityHash32(const char* bytes, size_t size) -> uint32_t { return static_cast<uint32_t>(HashBytes(bytes, size, 0)); }
auto CityHash64(const char* bytes, size_t size) -> uint64_t { return HashBytes(bytes, size, 0); }
auto LowLevelHash(const void* bytes, size_t size, uint64_t seed, const uint64_t[5]) -> uint64_t {
  return HashBytes(bytes, size, seed);
}
auto MixingHashState::CombineLargeContiguousImpl32(uint64_t state, const unsigned char* first, size_t size)
    -> uint64_t {
  return HashBytes(first, size, state);
}
auto MixingHashState::CombineLargeContiguousImpl64(uint64_t state, const unsigned char* first, size_t size)
    -> uint64_t {
  return HashBytes(first, size, state);
}

}  // namespace hash_internal

namespace base_internal {

[[noreturn]] void ThrowStdOutOfRange(const char* what) { throw std::out_of_range(what); }
[[noreturn]] void ThrowStdLengthError(const char* what) { throw std::length_error(what); }
[[noreturn]] void ThrowStdBadAlloc() { throw std::bad_alloc(); }

}  // namespace base_internal

namespace ascii_internal {

namespace {

// The bits that absl/strings/ascii.h reads.
constexpr auto PropertyBits() -> std::array<unsigned char, 256> {
  std::array<unsigned char, 256> bits{};
  for (int c = 0; c < 128; ++c) {
    const bool is_digit = c >= '0' && c <= '9';
    const int lower = c | 0x20;
    const bool is_alpha = lower >= 'a' && lower <= 'z';
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool is_control = c < ' ' || c == 127;
    const bool is_hex = is_digit || (lower >= 'a' && lower <= 'f');
    const bool is_punctuation = !is_digit && !is_alpha && !is_control && c != ' ';
    bits[static_cast<size_t>(c)] =
        static_cast<unsigned char>((is_alpha ? 0x01 : 0) | (is_alpha || is_digit ? 0x04 : 0) | (is_space ? 0x08 : 0) |
                                   (is_punctuation ? 0x10 : 0) | (c == ' ' || c == '\t' ? 0x20 : 0) |
                                   (is_control ? 0x40 : 0) | (is_hex ? 0x80 : 0));
  }
  return bits;
}

constexpr auto kProperties = PropertyBits();

}  // namespace

// clang-format off
const unsigned char kPropertyBits[256] = {
    kProperties[0], kProperties[1], kProperties[2], kProperties[3], kProperties[4], kProperties[5], kProperties[6], kProperties[7],
    kProperties[8], kProperties[9], kProperties[10], kProperties[11], kProperties[12], kProperties[13], kProperties[14], kProperties[15],
    kProperties[16], kProperties[17], kProperties[18], kProperties[19], kProperties[20], kProperties[21], kProperties[22], kProperties[23],
    kProperties[24], kProperties[25], kProperties[26], kProperties[27], kProperties[28], kProperties[29], kProperties[30], kProperties[31],
    kProperties[32], kProperties[33], kProperties[34], kProperties[35], kProperties[36], kProperties[37], kProperties[38], kProperties[39],
    kProperties[40], kProperties[41], kProperties[42], kProperties[43], kProperties[44], kProperties[45], kProperties[46], kProperties[47],
    kProperties[48], kProperties[49], kProperties[50], kProperties[51], kProperties[52], kProperties[53], kProperties[54], kProperties[55],
    kProperties[56], kProperties[57], kProperties[58], kProperties[59], kProperties[60], kProperties[61], kProperties[62], kProperties[63],
    kProperties[64], kProperties[65], kProperties[66], kProperties[67], kProperties[68], kProperties[69], kProperties[70], kProperties[71],
    kProperties[72], kProperties[73], kProperties[74], kProperties[75], kProperties[76], kProperties[77], kProperties[78], kProperties[79],
    kProperties[80], kProperties[81], kProperties[82], kProperties[83], kProperties[84], kProperties[85], kProperties[86], kProperties[87],
    kProperties[88], kProperties[89], kProperties[90], kProperties[91], kProperties[92], kProperties[93], kProperties[94], kProperties[95],
    kProperties[96], kProperties[97], kProperties[98], kProperties[99], kProperties[100], kProperties[101], kProperties[102], kProperties[103],
    kProperties[104], kProperties[105], kProperties[106], kProperties[107], kProperties[108], kProperties[109], kProperties[110], kProperties[111],
    kProperties[112], kProperties[113], kProperties[114], kProperties[115], kProperties[116], kProperties[117], kProperties[118], kProperties[119],
    kProperties[120], kProperties[121], kProperties[122], kProperties[123], kProperties[124], kProperties[125], kProperties[126], kProperties[127],
};
// clang-format on

}  // namespace ascii_internal
ABSL_NAMESPACE_END
}  // namespace absl
