// Splits an input at its marker lines.
#include "parts.h"

#include <algorithm>
#include <string>

namespace relayopt {

auto SplitParts(const std::shared_ptr<const SourceText>& source, std::string_view marker)
    -> std::vector<std::shared_ptr<const SourceText>> {
  const std::string_view other = marker == kPartMarker ? "# -----" : marker;
  std::vector<std::shared_ptr<const SourceText>> parts;
  const std::string_view text = source->text();
  std::string part;
  uint32_t first_line = 1;
  uint32_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view whole = text.substr(begin, end - begin);
    begin = end;
    std::string_view bare = whole;
    while (!bare.empty() && (bare.back() == '\n' || bare.back() == '\r' || bare.back() == ' ')) bare.remove_suffix(1);
    if (bare != marker && bare != other) {
      part += whole;
      continue;
    }
    parts.push_back(SourceText::FromString(source->name(), std::move(part), first_line));
    part.clear();
    first_line = line + 1;
  }
  parts.push_back(SourceText::FromString(source->name(), std::move(part), first_line));
  return parts;
}

}  // namespace relayopt
