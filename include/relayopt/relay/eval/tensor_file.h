// Tensors in files: NumPy's .npz, .safetensors, and the parameter files of the reference. A format is a row.
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

// A format of files. Writers refuse tensors that they cannot give back as they are, but for what their comment says.
struct TensorFormat {
  // With the dot.
  std::string_view ending;
  // For messages.
  std::string_view name;
  // Whether a file that starts like this is meant to be one, however damaged.
  bool (*recognizes)(std::string_view bytes) = nullptr;
  auto(*read)(std::string_view bytes) -> Result<std::vector<NamedTensor>> = nullptr;
  auto(*write)(std::span<const NamedTensor> tensors) -> Result<std::string> = nullptr;
};
auto TensorFormats() -> std::span<const TensorFormat>;
// The format that the ending of a file's name asks for; null when it is none of them.
auto TensorFormatOf(std::string_view path) -> const TensorFormat*;

// The tensors of a file of any of the formats, which is told by its first bytes.
auto ReadTensors(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
// The same; an error says which file it is about.
auto ReadTensorFile(const std::string& path) -> Result<std::vector<NamedTensor>>;

// The arrays of a zip archive of .npy files, in its order, stored or deflated; names lose `.npy`. Big-endian arrays,
// objects and archives beyond 4 GiB are errors, as is any damage.
auto ReadNpz(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
// The archive, not compressed. bfloat16, which NumPy lacks, is written as float32.
auto WriteNpz(std::span<const NamedTensor> tensors) -> Result<std::string>;

// A header of JSON with names, types, shapes and places, then the elements; in the order of the header.
auto ReadSafetensors(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
auto WriteSafetensors(std::span<const NamedTensor> tensors) -> Result<std::string>;

// What the reference's save_param_dict writes: a list of names and a list of arrays.
auto ReadParams(std::string_view bytes) -> Result<std::vector<NamedTensor>>;
auto WriteParams(std::span<const NamedTensor> tensors) -> Result<std::string>;

}  // namespace relayopt
