// Type rules and kernels of foreign operators.
#pragma once

#include "lib/relay/analysis/shape_rules.h"
#include "op_row.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/type_rule.h"

namespace relayopt::onnx {

// By the expansion of the call.
TypeRuleFunction ForeignRule;
KernelFunction ForeignKernel;

// RNN, GRU and LSTM step through time: their expansions have calls for each step.
auto IsRecurrent(const OpRow& row) -> bool;
KernelFunction RecurrentKernel;

// An input that is left out is an empty tuple.
TypeRuleFunction NoneRule;
KernelFunction NoneKernel;

// Returns the extents of a result, or nothing if they are not known.
auto ExtentsOfForeign(const ShapeCall& call) -> ShapeCall::Result;

// Returns the axis of a Split, or nothing for other operators.
auto AxisOfParts(const Function& function, ExprId call) -> std::optional<int64_t>;

// Whether calls draw random numbers, so that no two of them are the same.
auto IsStateful(const OpRow& row) -> bool;

}  // namespace relayopt::onnx
