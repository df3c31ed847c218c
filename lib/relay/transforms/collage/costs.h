// The costs of CollagePartition's candidates, and the names of their functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "candidates.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Returns the seconds that @main of a module takes on a target; infinity where the target cannot compute it.
using CollageEstimate = std::function<Result<double>(const Module& module, const CollageTarget& target)>;

// Interns functions, with their names and costs. Equal functions are one.
class CollageFunctions {
 public:
  CollageFunctions(const Module& module, PassContext& context, CollageEstimate estimate)
      : empty_(module), context_(context), estimate_(std::move(estimate)) {
    for (const Global& global : module.globals()) {
      if (global.function != nullptr) used_[std::string(module.context().text(global.name))] = 1;
    }
    for (const GlobalId id : empty_.ids()) empty_.SetFunction(id, nullptr);
  }

  // Returns what a candidate costs, as a module of its own.
  auto CostOf(const CollageGraph& graph, const CollageCandidate& candidate) -> Result<double>;
  // Makes the function literals for external compilers in a function global ones of the module. Returns nothing if
  // there are none.
  auto Outline(Module& module, const Function& function) -> std::optional<Function>;

 private:
  struct Entry {
    std::string name;
    std::optional<double> cost;
  };
  // Returns the entry of a function; a new one gets a name after the label.
  auto EntryOf(const Function& function, std::string_view label) -> Entry&;
  auto FreshName(std::string_view compiler, std::string_view label) -> std::string;

  Module empty_;
  PassContext& context_;
  CollageEstimate estimate_;
  // Entries stay where they are.
  absl::node_hash_map<std::string, Entry> entries_;
  absl::flat_hash_map<std::string, size_t> used_;
};

}  // namespace relayopt
