// Buffers that are declared above the allocation of their memory.
//
// As TVM prints the only statement of a branch, if that is an allocation with a buffer of its own:
//
//   if n <= 6:
//       M_1 = T.Buffer((8,), data=M)            waits,
//       M = T.allocate([8], "float32", "global")
//                                               and is read here
//       M_1[0] = T.float32(1)
//
// TVM cannot read that.
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

// Whether the lines below, as far as they declare and allocate, allocate what `token` names. The lines are looked at
// once.
auto Reader::IsAllocatedBelow(const Token& token) -> bool {
  const std::string_view text = lexer_.text();
  constexpr std::string_view kArgument = "data=";
  if (!text.substr(0, token.begin).ends_with(kArgument)) return false;
  if (token.begin >= early_views_.lines_end) {
    early_views_.allocated.clear();
    const size_t this_line = text.rfind('\n', token.begin) + 1;
    const size_t indent = text.find_first_not_of(' ', this_line) - this_line;
    size_t end = text.find('\n', token.begin);
    while (end != std::string_view::npos) {
      const size_t line = text.find_first_not_of(' ', end + 1);
      if (line == std::string_view::npos || line - end - 1 != indent) break;
      const size_t line_end = std::min(text.find('\n', line), text.size());
      const std::string_view statement = text.substr(line, line_end - line);
      end = line_end == text.size() ? std::string_view::npos : line_end;
      if (statement.starts_with('#')) continue;
      const size_t equal = statement.find(" = T.");
      if (equal == std::string_view::npos) break;
      const std::string_view made = statement.substr(equal + 5);
      if (made.starts_with("allocate"))
        early_views_.allocated.insert(names_.Find(statement.substr(0, equal)));
      else if (!made.starts_with("Buffer(") && !made.ends_with("()"))
        break;
    }
    early_views_.lines_end = static_cast<uint32_t>(std::min(end, text.size()));
  }
  return early_views_.allocated.contains(token.name);
}

// Reads the declarations that waited for the memory of this name, which is bound now. False after an error.
auto Reader::ReadViewsOf(NameIndex data) -> bool {
  const auto found = early_views_.waiting.find(data);
  if (found == early_views_.waiting.end()) return true;
  const std::vector<EarlyViews::View> views = std::move(found->second);
  early_views_.waiting.erase(found);
  for (const EarlyViews::View& view : views) {
    Token after;
    const Value value = EvaluateAside(view.begin, view.end, after);
    if (value.is_error())
      BindPoison({&view.target, 1});
    else if (!Assign(view.target, value))
      return false;
  }
  return true;
}

}  // namespace relayopt::tir
