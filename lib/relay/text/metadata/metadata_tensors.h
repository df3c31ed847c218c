// Reads the base64 records of tensors in a metadata section.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "relayopt/core/constant.h"

namespace relayopt {

// The beginning of the placeholder for a tensor that was left out. Base64 text contains no colon.
inline constexpr std::string_view kElidedTensor = "elided: ";

// Starts the name of a tensor that is in a file: the type, a space and the name follow.
inline constexpr std::string_view kExternalTensor = "external: ";
// Returns the type of a tensor in its placeholder: `Tensor[(2, 3), float32]`.
auto TensorTypeText(const Constant& constant) -> std::string;

// A fault in a record, and its offset in the text.
struct TensorFault {
  std::string what;
  size_t begin = 0;
  size_t end = 0;
};

// Returns the constant for a base64 text, still encoded. Checks the text completely (alphabet, magic number, device,
// rank, type, sizes) before it allocates anything of the size that the text states. `base64` must outlive the constant.
auto ReadTensor(std::string_view base64) -> std::variant<Constant, TensorFault>;

}  // namespace relayopt
