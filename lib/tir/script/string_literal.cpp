#include "lib/tir/script/string_literal.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "relayopt/support/characters.h"

namespace relayopt::tir {

namespace {

void AppendUtf8(uint32_t code, std::string& bytes) {
  const auto put = [&](uint32_t byte) { bytes += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// Returns the number of `digits` hexadecimal digits at `at`, or nothing if they are not there.
auto HexNumber(std::string_view text, size_t at, size_t digits) -> std::optional<uint32_t> {
  if (at + digits > text.size()) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = HexValue(text[at + i]);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<uint32_t>(digit);
  }
  return value;
}

}  // namespace

auto DecodeString(std::string_view literal, std::string& bytes) -> bool {
  bool raw = false;
  size_t at = 0;
  for (; literal[at] != '"' && literal[at] != '\''; ++at) raw = raw || literal[at] == 'r' || literal[at] == 'R';
  const bool triple = literal.size() - at >= 6 && literal[at + 1] == literal[at] && literal[at + 2] == literal[at];
  const size_t quotes = triple ? 3 : 1;
  const std::string_view body = literal.substr(at + quotes, literal.size() - at - 2 * quotes);
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || raw) {
      bytes += body[i];
      continue;
    }
    const char c = body[++i];
    switch (c) {
      case '\n': break;
      case 'n': bytes += '\n'; break;
      case 't': bytes += '\t'; break;
      case 'r': bytes += '\r'; break;
      case 'a': bytes += '\a'; break;
      case 'b': bytes += '\b'; break;
      case 'f': bytes += '\f'; break;
      case 'v': bytes += '\v'; break;
      case '\\':
      case '\'':
      case '"': bytes += c; break;
      case 'x':
      case 'u':
      case 'U': {
        const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
        const std::optional<uint32_t> code = HexNumber(body, i + 1, digits);
        const bool is_surrogate = code && *code >= 0xD800 && *code < 0xE000;
        if (!code || *code > 0x10FFFF || is_surrogate) return false;
        i += digits;
        // A byte is taken as the byte that a printer wrote, where Python would take it as a code point.
        c == 'x' ? static_cast<void>(bytes += static_cast<char>(*code)) : AppendUtf8(*code, bytes);
        break;
      }
      // A character by its name, which only Python knows.
      case 'N': return false;
      default:
        if (c >= '0' && c <= '7') {
          uint32_t value = 0;
          size_t digits = 0;
          for (; digits < 3 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++digits, ++i) {
            value = value * 8 + static_cast<uint32_t>(body[i] - '0');
          }
          --i;
          bytes += static_cast<char>(value);
        } else {
          // As in Python, an unknown escape sequence is taken literally.
          bytes += '\\';
          bytes += c;
        }
    }
  }
  return true;
}

auto FirstInvalidByte(std::string_view text) -> std::optional<size_t> {
  for (size_t at = 0; at < text.size();) {
    // Most texts are ASCII.
    std::array<uint64_t, 4> words;
    if (at + sizeof(words) <= text.size()) {
      std::memcpy(words.data(), text.data() + at, sizeof(words));
      if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080U) == 0) {
        at += sizeof(words);
        continue;
      }
    }
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t more = first < 0x80   ? 0
                        : first < 0xC2 ? 4
                        : first < 0xE0 ? 1
                        : first < 0xF0 ? 2
                        : first < 0xF5 ? 3
                                       : 4;
    if (more == 4 || at + more >= text.size()) return at;
    for (size_t i = 1; i <= more; ++i) {
      if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return at;
    }
    at += more + 1;
  }
  return std::nullopt;
}

}  // namespace relayopt::tir
