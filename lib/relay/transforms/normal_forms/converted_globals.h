// Converted forms of global functions, created on demand when they are called.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The names of converted global functions: the old name and a suffix. Naming a function for the first time puts it into
// the queue of functions to convert.
class ConvertedGlobals {
 public:
  ConvertedGlobals(Module& module, std::string_view suffix) : module_(module), suffix_(suffix) {}

  auto NameOf(GlobalId id) -> GlobalId {
    const auto [found, is_new] = names_.try_emplace(id);
    if (is_new) {
      std::string name = fmt::format("{}{}", module_.name(id), suffix_);
      for (int i = 1; module_.FindGlobal(name); ++i) name = fmt::format("{}{}{}", module_.name(id), suffix_, i);
      found->second = module_.NameGlobal(name);
      pending_.push_back(id);
    }
    return found->second;
  }

  auto has_pending() const -> bool { return !pending_.empty(); }
  auto TakePending() -> GlobalId {
    const GlobalId id = pending_.back();
    pending_.pop_back();
    return id;
  }

 private:
  Module& module_;
  std::string_view suffix_;
  absl::flat_hash_map<GlobalId, GlobalId> names_;
  std::vector<GlobalId> pending_;
};

}  // namespace relayopt
