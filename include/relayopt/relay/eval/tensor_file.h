// Tensors in files: NumPy's .npz, and the parameter files of the reference.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/support/result.h"

namespace relayopt {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// The arrays of a zip archive of .npy files, in its order, stored or deflated; names lose `.npy`. Big-endian arrays,
// objects and archives beyond 4 GiB are errors, as is any damage.
auto ReadNpz(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
// The archive, not compressed. bfloat16, which NumPy lacks, is written as float32.
auto WriteNpz(std::span<const NamedTensor> tensors) -> Result<std::string>;

// What the reference's save_param_dict writes: a list of names and a list of arrays.
auto ReadParams(std::string_view bytes) -> Result<std::vector<NamedTensor>>;

// Either of the two, by its first bytes.
auto ReadTensors(std::string_view bytes) -> Result<std::vector<NamedTensor>>;

}  // namespace relayopt
