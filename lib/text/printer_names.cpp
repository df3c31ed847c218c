// Names of variables, unique across a module.
#include "lib/text/printer_names.h"

#include "lib/text/printer_literals.h"

namespace relayopt {

auto NameTable::Declare(std::string_view hint) -> std::string_view {
  const bool starts_with_letter =
      !hint.empty() && ((hint[0] >= 'a' && hint[0] <= 'z') || (hint[0] >= 'A' && hint[0] <= 'Z'));
  candidate_ = starts_with_letter ? "%" : "%v";
  candidate_ += hint;
  if (!used_.contains(candidate_)) return Take(candidate_);
  const size_t base = candidate_.size();
  // Taken by value while searching: the table may grow only afterwards.
  const auto entry = used_.find(candidate_);
  uint32_t suffix = entry->second;
  do {
    candidate_.resize(base);
    AppendInt(candidate_, ++suffix);
  } while (used_.contains(candidate_));
  entry->second = suffix;
  return Take(candidate_);
}

auto NameTable::Take(std::string_view name) -> std::string_view {
  const std::string_view kept = arena_.Copy(name);
  used_.emplace(kept, 0);
  return kept;
}

}  // namespace relayopt
