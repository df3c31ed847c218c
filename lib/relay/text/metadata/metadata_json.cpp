// Parses the subset of JSON that metadata sections use.
#include "metadata_json.h"

#include <charconv>
#include <cstring>

namespace relayopt {

auto JsonScanner::Here() -> uint32_t {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
  return static_cast<uint32_t>(at_);
}

auto JsonScanner::Take(char c) -> bool {
  if (AtEnd() || text_[at_] != c) return false;
  ++at_;
  return true;
}

auto JsonScanner::Expect(char c, std::string_view what) -> bool {
  if (Take(c)) return true;
  ReportExpected(what);
  return false;
}

void JsonScanner::ReportExpected(std::string_view what) {
  const uint32_t begin = Here();
  const bool at_end = begin >= text_.size();
  const std::string found = at_end ? "the end of the text" : "'" + Printable(text_.substr(begin, 1)) + "'";
  sink_.Report(diag::kMetaSyntax, {begin, at_end ? begin : begin + 1}, what, found);
}

auto JsonScanner::String(Slice& out) -> bool {
  if (!Expect('"', "a string")) return false;
  const size_t begin = at_;
  for (size_t from = begin;;) {
    const void* quote = from < text_.size() ? std::memchr(text_.data() + from, '"', text_.size() - from) : nullptr;
    if (quote == nullptr) {
      at_ = text_.size();
      ReportExpected("'\"'");
      return false;
    }
    const auto end = static_cast<size_t>(static_cast<const char*>(quote) - text_.data());
    // An odd number of backslashes before a quote makes it part of the string.
    size_t backslashes = 0;
    while (end - backslashes > from && text_[end - backslashes - 1] == '\\') ++backslashes;
    from = end + 1;
    if (backslashes % 2 == 0) {
      out = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
      at_ = end + 1;
      return true;
    }
  }
}

auto JsonScanner::Index(uint32_t& out) -> bool {
  const uint32_t begin = Here();
  const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), out);
  if (error != std::errc()) {
    ReportExpected("the number of a node");
    return false;
  }
  at_ = static_cast<size_t>(end - text_.data());
  return true;
}

auto JsonScanner::Unescape(Slice slice, std::string& storage) -> std::optional<std::string_view> {
  const std::string_view raw = text(slice);
  if (raw.find('\\') == std::string_view::npos) return raw;
  storage.clear();
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      storage += raw[i];
      continue;
    }
    ++i;
    switch (i < raw.size() ? raw[i] : '\0') {
      case '"': storage += '"'; break;
      case '\\': storage += '\\'; break;
      case '/': storage += '/'; break;
      case 'n': storage += '\n'; break;
      case 'r': storage += '\r'; break;
      case 't': storage += '\t'; break;
      default: {
        const auto at = slice.begin + static_cast<uint32_t>(i) - 1;
        sink_.Report(diag::kMetaEscape, {at, at + 2});
        return std::nullopt;
      }
    }
  }
  return storage;
}

}  // namespace relayopt
