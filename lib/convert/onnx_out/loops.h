// Writes functions that call themselves as loops.
#pragma once

#include "function_writer.h"

namespace relayopt::onnx::out {

// A call of a function that calls itself (`writer.regions().SelfCall(callee)`), with its nodes in `graph`; `at` is the
// call, where errors are. Nothing after an error: only functions that end by calling themselves or not are loops.
auto WriteLoop(FunctionWriter& writer, Graph& graph, ExprId callee, const std::vector<Values>& args, ExprId at)
    -> CallOutputs;

}  // namespace relayopt::onnx::out
