// How deep JSON nests.
#include "relayopt/support/json.h"

namespace relayopt {

auto NestsTooDeep(std::string_view json) -> bool {
  // Files that people write nest about five deep.
  constexpr size_t kMostLevels = 200;
  size_t levels = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i) i += json[i] == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++levels > kMostLevels) return true;
    } else if ((c == ']' || c == '}') && levels > 0) {
      --levels;
    }
  }
  return false;
}

}  // namespace relayopt
