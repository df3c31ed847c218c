// Parameters of a function become constants.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/result.h"

namespace relayopt {

// What became of names.
struct BoundParams {
  size_t bound = 0;
  // Parameters that stay, in order, and tensors that no parameter has the name of.
  std::vector<std::string> unbound;
  std::vector<std::string> unused;
};

// The function with a constant for every parameter that `tensors` has a value of by name; those parameters are gone,
// and the constants remember their names (ConstantNames). Types are to be inferred anew. Nothing when no name fits. An
// error when a tensor does not have the type that its parameter is declared with, or two parameters share a name that
// is bound. Of tensors with the same name the last counts.
auto BindParams(const Function& function, std::span<const NamedTensor> tensors, BoundParams& names)
    -> Result<std::optional<Function>>;

// Tells about names: a warning for tensors that are not used, with those that may have been meant, and a remark that
// counts and names the parameters that stay. `file` is where the tensors came from.
void ReportNames(const BoundParams& names, std::string_view file, DiagnosticSink& sink);

// Values for the weights (FindWeights), made up from the seed as arguments are (MakeArguments): the same on every
// machine.
auto MakeUpWeights(const Module& module, const Function& function, uint64_t seed) -> Result<std::vector<NamedTensor>>;

}  // namespace relayopt
