// Reads and writes files of tensors: NumPy's .npz, .safetensors, and the parameter files of TVM. Each format
// is a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/support/result.h"

namespace relayopt {

// A tensor with its name in a file, or the name of the parameter that it is for.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A file format. Except as its comment says, a writer refuses tensors that would not be read back unchanged.
struct TensorFormat {
  // The ending of file names, with the dot.
  std::string_view ending;
  // The name for messages.
  std::string_view name;
  // Whether a file with these bytes, even a damaged one, is of this format.
  bool (*recognizes)(std::string_view bytes) = nullptr;
  auto(*read)(std::string_view bytes) -> Result<std::vector<NamedTensor>> = nullptr;
  auto(*write)(std::span<const NamedTensor> tensors) -> Result<std::string> = nullptr;
};
auto TensorFormats() -> std::span<const TensorFormat>;
// Returns the format for the ending of a path, or null if none has it.
auto TensorFormatOf(std::string_view path) -> const TensorFormat*;

// Reads a file of any of the formats, which is recognized by its first bytes.
auto ReadTensors(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
// The same for a path; errors name the file.
auto ReadTensorFile(const std::string& path) -> Result<std::vector<NamedTensor>>;

// Reads the arrays of a zip archive of .npy files, stored or deflated, in the order of the archive and without `.npy`
// in their names. Big-endian arrays, arrays of objects, archives above 4 GiB and damaged files are errors.
auto ReadNpz(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
// Writes an uncompressed archive. bfloat16, which NumPy lacks, is written as float32.
auto WriteNpz(std::span<const NamedTensor> tensors) -> Result<std::string>;

// Returns the .safetensors format: a JSON header with names, types, shapes and offsets, then the elements. Tensors are
// in the order of the header.
auto ReadSafetensors(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
auto WriteSafetensors(std::span<const NamedTensor> tensors) -> Result<std::string>;

// Returns the format of TVM's save_param_dict: a list of names and a list of arrays.
auto ReadParams(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
auto WriteParams(std::span<const NamedTensor> tensors) -> Result<std::string>;

}  // namespace relayopt
