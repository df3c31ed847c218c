#include "relayopt/support/quoted.h"

#include <algorithm>
#include <cstdint>

namespace relayopt {

template <typename Out>
static void Append(Out& out, std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  out += '"';
  if (std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; })) {
    out.append(text) += '"';
    return;
  }
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '\n': out += "\\n"; break;
      default:
        if (byte >= 0x20 && byte < 0x7f) {
          out += c;
        } else {
          out += "\\x";
          out += kHex[byte >> 4];
          out += kHex[byte & 15];
        }
    }
  }
  out += '"';
}

void AppendQuoted(std::string& out, std::string_view text) { Append(out, text); }
void AppendQuoted(TextBuilder& out, std::string_view text) { Append(out, text); }

}  // namespace relayopt
