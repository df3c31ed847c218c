// The layout rules and converters that rows of operators name. The reference's results, except that a rule never
// follows a layout in which the call would compute something else: it insists on the old one then.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Any layout, the same for all inputs and the result.
auto ElementwiseLayout(LayoutRuleContext& rule) -> bool;
// The same with a second result, the mask.
auto DropoutLayout(LayoutRuleContext& rule) -> bool;
// The smaller input gets a layout in which it broadcasts to the larger one.
auto BroadcastLayout(LayoutRuleContext& rule) -> bool;

// Layouts are attributes: `data_layout` for all inputs but the last, `kernel_layout` for that, `out_layout` for the
// result.
auto ConvolutionLayout(LayoutRuleContext& rule) -> bool;
auto CorrelationLayout(LayoutRuleContext& rule) -> bool;
auto DenseLayout(LayoutRuleContext& rule) -> bool;
auto DensePackLayout(LayoutRuleContext& rule) -> bool;
auto RegionLayout(LayoutRuleContext& rule) -> bool;

// `layout` follows the data where the operator can.
auto PoolingLayout(LayoutRuleContext& rule) -> bool;
auto ResizeLayout(LayoutRuleContext& rule) -> bool;
auto UpsamplingLayout(LayoutRuleContext& rule) -> bool;

// The axes in the attributes follow the data.
auto BatchNormLayout(LayoutRuleContext& rule) -> bool;
auto ConcatenateLayout(LayoutRuleContext& rule) -> bool;
auto FixedPointMultiplyPerAxisLayout(LayoutRuleContext& rule) -> bool;
auto L2NormalizeLayout(LayoutRuleContext& rule) -> bool;
auto NormalizationLayout(LayoutRuleContext& rule) -> bool;
auto InstanceNormLayout(LayoutRuleContext& rule) -> bool;
auto PReluLayout(LayoutRuleContext& rule) -> bool;
auto PadLayout(LayoutRuleContext& rule) -> bool;
auto ReduceLayout(LayoutRuleContext& rule) -> bool;
auto SliceLikeLayout(LayoutRuleContext& rule) -> bool;
auto SplitLayout(LayoutRuleContext& rule) -> bool;
auto SqueezeLayout(LayoutRuleContext& rule) -> bool;
auto StridedSliceLayout(LayoutRuleContext& rule) -> bool;
auto TopkLayout(LayoutRuleContext& rule) -> bool;
auto TransposeLayout(LayoutRuleContext& rule) -> bool;

// Quantized operators: as their counterparts, and C for scales and zero points.
auto QnnBroadcastLayout(LayoutRuleContext& rule) -> bool;
auto QnnConcatenateLayout(LayoutRuleContext& rule) -> bool;
auto QnnConvolutionLayout(LayoutRuleContext& rule) -> bool;
auto QnnDenseLayout(LayoutRuleContext& rule) -> bool;
auto QnnDensePackLayout(LayoutRuleContext& rule) -> bool;
auto RequantizeLayout(LayoutRuleContext& rule) -> bool;
auto SimulatedQuantizeLayout(LayoutRuleContext& rule) -> bool;

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
