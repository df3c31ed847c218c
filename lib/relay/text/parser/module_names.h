// Resolves names that are valid in the whole module: globals and constructors.
#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "parsing.h"

namespace relayopt {

class ModuleNames {
 public:
  explicit ModuleNames(Parsing& parsing) : parsing_(parsing) {}

  // Consumes the current token, a kGlobal, and returns the global.
  auto ReadGlobal() -> GlobalId;
  // The same for a global in an expression.
  auto ReadMention() -> GlobalId;
  // For each global, the range where an expression first refers to it; invalid if none does.
  auto mentions() const -> const std::vector<SourceRange>& { return mentions_; }

  // Makes an identifier of this name refer to the constructor from here on.
  void AddConstructor(std::string_view name, CtorId ctor) { ctors_.emplace(name, ctor); }
  auto has_constructors() const -> bool { return !ctors_.empty(); }
  // Returns the constructor that the current token names, or none.
  auto FindConstructor() const -> CtorId {
    if (ctors_.empty()) return {};
    const auto ctor = ctors_.find(parsing_.lexer.text());
    return ctor == ctors_.end() ? CtorId() : ctor->second;
  }

 private:
  Parsing& parsing_;
  absl::flat_hash_map<std::string_view, CtorId> ctors_;
  std::vector<SourceRange> mentions_;
};

}  // namespace relayopt
