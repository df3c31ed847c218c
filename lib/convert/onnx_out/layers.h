// What forms of layers share.
#pragma once

#include "forms.h"

namespace relayopt::onnx::out {

// Padding of `spatial` axes as ONNX has it: all beginnings, then all ends. Nothing when it is not known.
auto FullPadding(const DimList& padding, size_t spatial) -> std::optional<std::vector<int64_t>>;
// A number for each of the axes.
auto PerAxis(const DimList& list, size_t spatial) -> std::optional<std::vector<int64_t>>;

// A convolution or nn.dense with a bias.
auto WriteWithBias(OnnxCall& call, std::string bias) -> Made;

}  // namespace relayopt::onnx::out
