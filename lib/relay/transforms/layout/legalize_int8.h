// Rewrites products of 8-bit integers for the instructions of x86 CPUs.
#pragma once

#include "legalize_call.h"

namespace relayopt {

// The instructions multiply unsigned by signed bytes and add four products into each of sixteen lanes. Therefore signed
// data is shifted by 128, and 128 times the sum of the weights is subtracted from the result; channels are padded with
// zeros. Each function returns the replacement of the call, or an invalid id when the call stays.
auto LegalizeInt8Conv2D(const LegalizeCall& call) -> ExprId;
auto LegalizeInt8Dense(const LegalizeCall& call) -> ExprId;
auto LegalizeInt8BatchMatmul(const LegalizeCall& call) -> ExprId;

}  // namespace relayopt
