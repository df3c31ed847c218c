// Binds parameters of a function to constants.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/result.h"

namespace relayopt {

// The result of binding, and the names that had no counterpart.
struct BoundParams {
  size_t bound = 0;
  // Names of the parameters that remain, in order, and of tensors without a parameter.
  std::vector<std::string> unbound;
  std::vector<std::string> unused;
};

// Replaces every parameter that `tensors` has a value for, by name, by a constant that remembers the name
// (ConstantNames). Types have to be inferred afterwards. Returns nothing if no name matches. An error when a tensor
// does not have the declared type of its parameter, or when two parameters share a name that is bound. When several
// tensors have the same name, the last one counts.
auto BindParams(const Function& function, std::span<const NamedTensor> tensors, BoundParams& names)
    -> Result<std::optional<Function>>;

// Reports names without a counterpart: a warning for tensors that are not used, with similar names of parameters, and a
// remark with the number and names of the parameters that remain. `file` is the file that the tensors came from.
void ReportNames(const BoundParams& names, std::string_view file, DiagnosticSink& sink);

// Makes up values for the weights (FindWeights) from the seed, in the way of MakeArguments; the same on every machine.
auto MakeUpWeights(const Module& module, const Function& function, uint64_t seed) -> Result<std::vector<NamedTensor>>;

}  // namespace relayopt
