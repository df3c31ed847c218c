// --run of a tensor program.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "options.h"
#include "relayopt/check/prim_func_judge.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "reporter.h"

namespace relayopt {

// The PrimFunc that --run means: @main, or the only one there is; none when there is no such function.
auto PrimFuncToRun(const Module& module) -> GlobalId;

// Runs it on the given tensors, by the names of its buffers, and on made ones. The output: the buffers that it wrote
// to, by name, and what it returned, as text or as an .npz archive. Nothing after an error.
auto RunPrimFunc(const Module& module, GlobalId id, const ToolOptions& options, std::span<const NamedTensor> given,
                 Reporter& reporter) -> std::optional<std::string>;

// Runs the PrimFuncs of both modules, which share their context, on the same memory: --inputs and --params, and --sets
// of made numbers.
auto JudgePrimFuncs(const Module& expected, const Module& got, const ToolOptions& options, Reporter& reporter)
    -> PrimFuncJudge::Verdict;

}  // namespace relayopt
