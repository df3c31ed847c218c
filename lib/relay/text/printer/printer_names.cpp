// Names of variables, made unique in a module.
#include "printer_names.h"

#include "printer_literals.h"

namespace relayopt {

auto NameTable::Declare(std::string_view hint) -> std::string_view {
  const bool starts_with_letter =
      !hint.empty() && ((hint[0] >= 'a' && hint[0] <= 'z') || (hint[0] >= 'A' && hint[0] <= 'Z'));
  candidate_ = starts_with_letter ? "%" : "%v";
  candidate_ += hint;
  std::string_view taken;
  const auto entry = used_.lazy_emplace(std::string_view(candidate_), [&](const auto& construct) {
    taken = arena_.Copy(candidate_);
    construct(taken, 0U);
  });
  if (!taken.empty()) return taken;
  const size_t base = candidate_.size();
  // The table grows only after the number is found, so the entry does not move.
  uint32_t suffix = entry->second;
  do {
    candidate_.resize(base);
    AppendInt(candidate_, ++suffix);
  } while (used_.contains(candidate_));
  entry->second = suffix;
  taken = arena_.Copy(candidate_);
  used_.emplace(taken, 0U);
  return taken;
}

}  // namespace relayopt
