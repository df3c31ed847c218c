// Interned strings.
#include "relayopt/support/string_table.h"

namespace relayopt {

auto StringTable::Intern(std::string_view text) -> StringId {
  const std::lock_guard lock(mutex_);
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const std::string_view copy = arena_.Copy(text);
  const StringId id = texts_.Append(copy);
  ids_.emplace(copy, id);
  return id;
}

}  // namespace relayopt
