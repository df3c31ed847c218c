// Kernels of the element-wise operators, each named for its operator.
#pragma once

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

KernelFunction AbsKernel, AcosKernel, AcoshKernel, AddKernel, AsinKernel, AsinhKernel, AtanKernel, AtanhKernel,
    BitwiseAndKernel, BitwiseNotKernel, BitwiseOrKernel, BitwiseXorKernel, CeilKernel, ClipKernel, CopyKernel,
    CosKernel, CoshKernel, DivideKernel, EqualKernel, ErfKernel, ExpKernel, FastErfKernel, FastExpKernel,
    FastTanhKernel, FixedPointMultiplyKernel, FloorDivideKernel, FloorKernel, FloorModKernel, GreaterEqualKernel,
    GreaterKernel, IsfiniteKernel, IsinfKernel, IsnanKernel, LeftShiftKernel, LessEqualKernel, LessKernel, Log10Kernel,
    Log2Kernel, LogKernel, LogicalAndKernel, LogicalNotKernel, LogicalOrKernel, LogicalXorKernel, MaximumKernel,
    MinimumKernel, ModKernel, MultiplyKernel, NegativeKernel, NotEqualKernel, OnesLikeKernel, PowerKernel,
    RightShiftKernel, RoundKernel, RsqrtKernel, SigmoidKernel, SignKernel, SinKernel, SinhKernel, SqrtKernel,
    SubtractKernel, TanKernel, TanhKernel, TruncDivideKernel, TruncKernel, TruncModKernel, ZerosLikeKernel;

}  // namespace relayopt
