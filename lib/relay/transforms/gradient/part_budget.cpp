// A limit on the size of gradients, which are written out for every field of a tuple.
#include "part_budget.h"

#include <algorithm>

namespace relayopt {

namespace {

constexpr DiagnosticKind kTooManyParts = {
    "gradient-limit", Severity::kError,
    "differentiation writes out the parts of every tuple, and up to here there are more than {}"};

// Adding two of these does not overflow.
constexpr uint64_t kMost = UINT64_MAX / 2;

}  // namespace

auto PartBudget::Charge(TypeId type, SourceRange range) -> std::optional<Diagnostic> {
  const uint64_t parts = CountParts(type);
  if (parts > left_) return MakeDiagnostic(kTooManyParts, range, all_);
  left_ -= parts;
  return std::nullopt;
}

auto PartBudget::CountParts(TypeId type) -> uint64_t {
  stack_.assign(1, type);
  while (!stack_.empty()) {
    const TypeId top = stack_.back();
    uint64_t parts = 1;
    bool is_ready = true;
    if (top && context_.type(top).is_tuple()) {
      for (const TypeId field : context_.type(top).args) {
        if (const auto found = counts_.find(field); found != counts_.end()) {
          parts = std::min(parts + found->second, kMost);
        } else {
          stack_.push_back(field);
          is_ready = false;
        }
      }
    }
    if (!is_ready) continue;
    counts_[top] = parts;
    stack_.pop_back();
  }
  return counts_.at(type);
}

}  // namespace relayopt
