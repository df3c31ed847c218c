// Helpers for the forms of layers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forms.h"
#include "lib/convert/lower/windows.h"

namespace relayopt::onnx::out {

inline auto IsChannelsFirst(std::string_view layout) -> bool {
  return layout == "NCW" || layout == "NCHW" || layout == "NCDHW";
}
// Whether each axis of the data has a letter: Relay's operators leave axes without one alone.
inline auto IsChannelsFirst(std::string_view layout, const Type& data) -> bool {
  return IsChannelsFirst(layout) && layout.size() == data.rank();
}
inline auto IsByte(DataType dtype) -> bool { return dtype.bits == 8 && !dtype.is_float(); }

// Whether `root` adds a bias, in a shape that ONNX takes, to a convolution or product of floats.
auto HasBias(const Function& function, ExprId root) -> bool;
inline auto IsConvolution(const OpDef* op) -> bool {
  return op->name.starts_with("nn.conv") && op->name[7] >= '1' && op->name[7] <= '3';
}

// Returns the order of axes that undoes a transpose.
auto InverseOf(std::span<const int64_t> order) -> std::vector<int64_t>;

// With a bias: a convolution, also a transposed one (nothing for other operators), and nn.dense.
auto WriteConvWithBias(OnnxCall& call, Name bias) -> CallOutputs;
auto WriteDenseWithBias(OnnxCall& call, Name bias) -> CallOutputs;

// A deformable convolution, with a bias or without, of data with zeros around it (the pattern onnx.DeformConv).
auto HasDeformableForm(const Function& function, ExprId root) -> bool;
auto WriteDeformableConv(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                         const std::function<Values(ExprId)>& value) -> CallOutputs;

}  // namespace relayopt::onnx::out
