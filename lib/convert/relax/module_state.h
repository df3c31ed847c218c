// The state that is shared by all functions of a module that is written as Relax.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt::relax {

struct ModuleState {
  // Operators without a form: the number of such calls, the first position, and whether other calls of them have a
  // form.
  struct Missing {
    size_t calls = 0;
    SourceRange first;
    bool has_row = false;
  };

  const Module& module;
  DiagnosticSink& sink;
  std::vector<NamedTensor> constants = {};
  // Constants by identity, with their index in the list.
  std::map<uint32_t, size_t> places = {};
  std::map<std::string_view, Missing> missing = {};
};

// The lines of a function as a method of the module's class. What it cannot express is reported, or counted as missing.
auto WriteFunction(ModuleState& state, GlobalId global, const Function& function) -> std::string;

}  // namespace relayopt::relax
