// Interned strings.
#include "relayopt/support/string_table.h"

#include "absl/hash/hash.h"

namespace relayopt {

auto StringTable::Intern(std::string_view text) -> StringId {
  const std::lock_guard lock(mutex_);
  const Candidate candidate{text, static_cast<uint32_t>(absl::HashOf(text))};
  if (const auto found = entries_.find(candidate); found != entries_.end()) return found->id;
  const StringId id = texts_.Append(arena_.Copy(text));
  entries_.insert({id, candidate.hash});
  return id;
}

}  // namespace relayopt
