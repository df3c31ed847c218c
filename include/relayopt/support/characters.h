// Classes of characters, as the notations that relayopt reads use them: ASCII, whatever the locale is.
#pragma once

#include <algorithm>
#include <string_view>

namespace relayopt {

constexpr auto IsUpper(char c) -> bool { return c >= 'A' && c <= 'Z'; }
constexpr auto IsLower(char c) -> bool { return c >= 'a' && c <= 'z'; }
constexpr auto IsLetter(char c) -> bool { return IsUpper(c) || IsLower(c); }
constexpr auto IsDigit(char c) -> bool { return c >= '0' && c <= '9'; }
constexpr auto IsLetterOrDigit(char c) -> bool { return IsLetter(c) || IsDigit(c); }

// Returns the value of a hexadecimal digit, or -1 if the character is none.
constexpr auto HexValue(char c) -> int {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Whether a name may begin with the character: a letter or an underscore.
constexpr auto IsNameStart(char c) -> bool { return IsLetter(c) || c == '_'; }
// Whether a name may contain the character: letters, digits and underscores.
constexpr auto IsNameCharacter(char c) -> bool { return IsLetterOrDigit(c) || c == '_'; }

// Whether the key of an attribute, which begins as a name does, may go on with the character: those that occur in
// practice.
constexpr auto IsKeyCharacter(char c) -> bool { return IsNameCharacter(c) || c == '.' || c == '-' || c == ':'; }
constexpr auto IsKey(std::string_view text) -> bool {
  return !text.empty() && IsNameStart(text[0]) && std::ranges::all_of(text, IsKeyCharacter);
}

// Blanks, tabs and ends of lines.
constexpr auto IsSpace(char c) -> bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace relayopt
