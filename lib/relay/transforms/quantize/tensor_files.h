// Tensors that options name.
#pragma once

#include <string>
#include <vector>

#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/support/result.h"

namespace relayopt {

// The tensors of an .npz or of a parameter file of the reference. An error says which file it is about.
auto ReadTensorFile(const std::string& path) -> Result<std::vector<NamedTensor>>;

}  // namespace relayopt
