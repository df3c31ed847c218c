// Arrays in the format of NumPy's .npy files.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/core/tensor.h"
#include "relayopt/support/result.h"

namespace relayopt {

auto ReadNpy(std::string_view bytes) -> Result<Tensor>;
auto WriteNpy(const Tensor& tensor) -> Result<std::string>;

}  // namespace relayopt
