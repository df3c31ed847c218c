// Base64 in both directions.
#include "relayopt/support/base64.h"

#include <array>
#include <cstdint>

namespace relayopt {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kBad = 0xff;

constexpr auto kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kBad);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return values;
}();

auto Value(char c) -> uint8_t { return kValues[static_cast<uint8_t>(c)]; }

// Returns the text without its padding.
auto Body(std::string_view text) -> std::string_view {
  if (text.ends_with("==")) return text.substr(0, text.size() - 2);
  if (text.ends_with('=')) return text.substr(0, text.size() - 1);
  return text;
}

}  // namespace

auto Base64Size(std::string_view text) -> std::optional<size_t> {
  if (text.size() % 4 != 0) return std::nullopt;
  return text.size() / 4 * 3 - (text.size() - Body(text).size());
}

auto DecodeBase64(std::string_view text, size_t offset, std::span<std::byte> out) -> bool {
  const std::optional<size_t> size = Base64Size(text);
  if (!size || offset > *size || out.size() > *size - offset) return false;
  if (out.empty()) return true;
  const std::string_view body = Body(text);
  size_t written = 0;
  // Groups of four characters give three bytes; the first group may start before the offset.
  for (size_t group = offset / 3; written < out.size(); ++group) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) {
      const size_t at = group * 4 + k;
      const uint8_t value = at < body.size() ? Value(body[at]) : uint8_t{0};
      if (value == kBad) return false;
      bits = (bits << 6) | value;
    }
    const size_t first = group * 3 < offset ? offset - group * 3 : 0;
    for (size_t k = first; k < 3 && written < out.size(); ++k) {
      out[written++] = static_cast<std::byte>(bits >> (16 - 8 * k));
    }
  }
  return true;
}

auto IsBase64(std::string_view text) -> bool {
  if (!Base64Size(text)) return false;
  uint8_t seen = 0;
  // Values are below 64, so the upper bits show a bad one.
  for (const char c : Body(text)) seen |= Value(c);
  return (seen & 0xc0) == 0;
}

auto EncodeBase64(std::string_view bytes) -> std::string {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = (bits << 8) | (k < left ? static_cast<uint8_t>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) out += k <= left ? kAlphabet[(bits >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

}  // namespace relayopt
