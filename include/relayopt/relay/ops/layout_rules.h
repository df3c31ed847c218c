// Layout rules and converters that several families share; those of a single family are beside its rows. They give
// TVM's results, with one exception: a rule never accepts a layout in which the call would compute something else, but
// requests the old one.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Any layout, the same for all inputs and the result.
auto ElementwiseLayout(LayoutRuleContext& rule) -> bool;
// The smaller input gets a layout in which it broadcasts to the larger one.
auto BroadcastLayout(LayoutRuleContext& rule) -> bool;
// Layouts are attributes: `data_layout` for all inputs but the last, `kernel_layout` for the last, `out_layout` for the
// result.
auto ConvolutionLayout(LayoutRuleContext& rule) -> bool;
// The attribute `layout` follows the data where the operator supports it. For upsampling with sizes in attributes, and
// in inputs.
auto UpsamplingLayout(LayoutRuleContext& rule) -> bool;
// The attribute `axis` follows the data; for plain and quantized tensors.
auto ConcatenateLayout(LayoutRuleContext& rule) -> bool;

// Converters that take layouts of data and kernel, where "default" stands for the usual kernel layout;
auto ConvertConv2D(LayoutConversion& conversion) -> bool;
auto ConvertConv2DTranspose(LayoutConversion& conversion) -> bool;
auto ConvertConv3D(LayoutConversion& conversion) -> bool;
auto ConvertConv3DTranspose(LayoutConversion& conversion) -> bool;
auto ConvertDeformableConv2D(LayoutConversion& conversion) -> bool;
auto ConvertQnnConv2D(LayoutConversion& conversion) -> bool;
// converters that require the kernel layout;
auto ConvertConv2DBackwardWeight(LayoutConversion& conversion) -> bool;
// and converters that take one layout for data and result.
auto ConvertPooling(LayoutConversion& conversion) -> bool;
auto ConvertRegion(LayoutConversion& conversion) -> bool;
auto ConvertResize(LayoutConversion& conversion) -> bool;

}  // namespace relayopt
