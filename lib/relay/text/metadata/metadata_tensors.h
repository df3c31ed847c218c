// Reads the base64 records of tensors in a metadata section.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "relayopt/core/constant.h"

namespace relayopt {

// Starts what stands for a tensor that was left out. No base64 text has a colon.
inline constexpr std::string_view kElidedTensor = "elided: ";

// Starts the name of a tensor that is in a file: the type, a space and the name follow.
inline constexpr std::string_view kExternalTensor = "external: ";
// `Tensor[(2, 3), float32]`, as it stands in what takes the place of a tensor.
auto TensorTypeText(const Constant& constant) -> std::string;

// What is wrong with a record, and where in its text.
struct TensorFault {
  std::string what;
  size_t begin = 0;
  size_t end = 0;
};

// The constant that a base64 text stands for, still encoded. Checks all of it (alphabet, magic, device, rank, type,
// sizes) before anything of the size that it claims is allocated. `base64` must outlive the constant.
auto ReadTensor(std::string_view base64) -> std::variant<Constant, TensorFault>;

}  // namespace relayopt
