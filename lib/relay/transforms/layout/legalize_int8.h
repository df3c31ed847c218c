// Rewrites products of 8-bit integers for the instructions of x86 CPUs.
#pragma once

#include "legalize_call.h"

namespace relayopt {

// The instructions multiply bytes without sign by bytes with sign, and add four products into each of sixteen lanes. So
// data with a sign is shifted by 128, for which 128 times the sum of the weights is taken off the result, and channels
// are filled up with zeros. Each gives what stands for the call; none when it stays.
auto LegalizeInt8Conv2D(const LegalizeCall& call) -> ExprId;
auto LegalizeInt8Dense(const LegalizeCall& call) -> ExprId;
auto LegalizeInt8BatchMatmul(const LegalizeCall& call) -> ExprId;

}  // namespace relayopt
