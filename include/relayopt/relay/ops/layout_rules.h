// Layout rules and converters that rows of several families name. The reference's results, except that a rule never
// follows a layout in which the call would compute something else: it insists on the old one then. The rules of one
// family are beside its rows.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Any layout, the same for all inputs and the result.
auto ElementwiseLayout(LayoutRuleContext& rule) -> bool;
// The smaller input gets a layout in which it broadcasts to the larger one.
auto BroadcastLayout(LayoutRuleContext& rule) -> bool;
// Layouts are attributes: `data_layout` for all inputs but the last, `kernel_layout` for that, `out_layout` for the
// result.
auto ConvolutionLayout(LayoutRuleContext& rule) -> bool;
// `layout` follows the data where the operator can; for upsampling with sizes as attributes or as inputs.
auto UpsamplingLayout(LayoutRuleContext& rule) -> bool;
// `axis` follows the data; for plain and quantized tensors.
auto ConcatenateLayout(LayoutRuleContext& rule) -> bool;

// Converters: layouts of data and kernel, where "default" for the kernel stands for the usual one ...
auto ConvertConv2D(LayoutConversion& conversion) -> bool;
auto ConvertConv2DTranspose(LayoutConversion& conversion) -> bool;
auto ConvertConv3D(LayoutConversion& conversion) -> bool;
auto ConvertConv3DTranspose(LayoutConversion& conversion) -> bool;
auto ConvertDeformableConv2D(LayoutConversion& conversion) -> bool;
auto ConvertQnnConv2D(LayoutConversion& conversion) -> bool;
// ... for which there is no default here ...
auto ConvertConv2DBackwardWeight(LayoutConversion& conversion) -> bool;
// ... or one layout for data and result.
auto ConvertPooling(LayoutConversion& conversion) -> bool;
auto ConvertRegion(LayoutConversion& conversion) -> bool;
auto ConvertResize(LayoutConversion& conversion) -> bool;

}  // namespace relayopt
