// Plurals for messages.
#include "relayopt/support/counted.h"

namespace relayopt {

auto Counted(size_t n, std::string_view noun) -> std::string {
  std::string out = std::to_string(n) + ' ';
  if (n == 1) return out.append(noun);
  if (noun.ends_with("is")) return out.append(noun.substr(0, noun.size() - 2)).append("es");
  return out.append(noun).append("s");
}

}  // namespace relayopt
