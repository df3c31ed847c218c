// The families of converters. Adding an operator touches its family's file only.
#pragma once

#include <span>

#include "op_row.h"

namespace relayopt::onnx {

auto ElementwiseRows() -> std::span<const OpRow>;
auto BinaryRows() -> std::span<const OpRow>;
auto CastRows() -> std::span<const OpRow>;
auto ShapeRows() -> std::span<const OpRow>;
auto CreationRows() -> std::span<const OpRow>;
auto SliceRows() -> std::span<const OpRow>;
auto IndexingRows() -> std::span<const OpRow>;
auto SortRows() -> std::span<const OpRow>;
auto MatrixRows() -> std::span<const OpRow>;
auto ConvolutionRows() -> std::span<const OpRow>;
auto PoolingRows() -> std::span<const OpRow>;
auto NormalizationRows() -> std::span<const OpRow>;
auto ReductionRows() -> std::span<const OpRow>;
auto ImageRows() -> std::span<const OpRow>;
auto ResizeRows() -> std::span<const OpRow>;
auto QuantizationRows() -> std::span<const OpRow>;
auto QuantizedProductRows() -> std::span<const OpRow>;
auto RecurrentRows() -> std::span<const OpRow>;
auto ControlRows() -> std::span<const OpRow>;
auto ScanRows() -> std::span<const OpRow>;
auto SequenceRows() -> std::span<const OpRow>;
auto LossRows() -> std::span<const OpRow>;
auto RandomRows() -> std::span<const OpRow>;
auto SignalRows() -> std::span<const OpRow>;
auto TrainingRows() -> std::span<const OpRow>;
auto MachineLearningRows() -> std::span<const OpRow>;
// Whether the operator gives maps, for which Relay has no type: what is imported then is not written as the node again.
auto GivesMaps(const OpRow& row) -> bool;
auto TreeRows() -> std::span<const OpRow>;
auto AttentionRows() -> std::span<const OpRow>;
auto HeadRows() -> std::span<const OpRow>;
auto FusedRows() -> std::span<const OpRow>;
auto AtenRows() -> std::span<const OpRow>;
auto MicrosoftRows() -> std::span<const OpRow>;
auto ContribRows() -> std::span<const OpRow>;

}  // namespace relayopt::onnx
