// Parses the subset of JSON that metadata sections use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metadata_diagnostics.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

// A range of the source.
struct Slice {
  uint32_t begin = 0;
  uint32_t size = 0;

  auto range() const -> SourceRange { return {begin, begin + size}; }
};

// Walks through JSON text without an index of it and without copies: a section is mostly tensors, which are skipped at
// the speed of memchr and stay where they are. Every function that fails has reported why.
class JsonScanner {
 public:
  JsonScanner(const SourceText& source, SourceRange range, DiagnosticSink& sink)
      : text_(source.text().substr(0, range.end)), at_(range.begin), sink_(sink) {}

  // Returns the offset of the next token.
  auto Here() -> uint32_t;
  auto AtEnd() -> bool { return Here() >= text_.size(); }

  // Calls `member(name) -> bool` for each member of an object, which must take the value and return whether it could.
  template <typename Member>
  auto Object(Member&& member) -> bool {
    if (!Expect('{', "an object")) return false;
    if (Take('}')) return true;
    do {
      Slice name;
      if (!String(name) || !Expect(':', "':'") || !member(name)) return false;
    } while (Take(','));
    return Expect('}', "',' or '}'");
  }
  // Calls `element() -> bool` for each element of an array.
  template <typename Element>
  auto Array(Element&& element) -> bool {
    if (!Expect('[', "an array")) return false;
    if (Take(']')) return true;
    do {
      if (!element()) return false;
    } while (Take(','));
    return Expect(']', "',' or ']'");
  }
  // A string: the text between the quotes, unchanged.
  auto String(Slice& out) -> bool;
  // A number that names a node.
  auto Index(uint32_t& out) -> bool;

  auto text(Slice slice) const -> std::string_view { return text_.substr(slice.begin, slice.size); }
  // Returns the text with escapes resolved, or nothing, with a diagnostic, if one is malformed. `storage` owns the
  // result when it is not a view of the source.
  auto Unescape(Slice slice, std::string& storage) -> std::optional<std::string_view>;

 private:
  auto Take(char c) -> bool;
  auto Expect(char c, std::string_view what) -> bool;
  void ReportExpected(std::string_view what);

  std::string_view text_;
  size_t at_;
  DiagnosticSink& sink_;
};

}  // namespace relayopt
