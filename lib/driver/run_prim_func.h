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

// Returns the PrimFunc to run with --run: @main, or the only one, or invalid if there is no such function.
auto PrimFuncToRun(const Module& module) -> GlobalId;

// Runs it on the given tensors, by names of buffers, and made-up ones. Returns the buffers that it wrote, by name, and
// its return value, as text or as an .npz archive; nothing after an error.
auto RunPrimFunc(const Module& module, GlobalId id, const ToolOptions& options, std::span<const NamedTensor> given,
                 Reporter& reporter) -> std::optional<std::string>;

// Runs the PrimFuncs of both modules, which share their context, on the same memory: --inputs and --params, and --sets
// of made numbers.
auto JudgePrimFuncs(const Module& expected, const Module& got, const ToolOptions& options, Reporter& reporter)
    -> PrimFuncJudge::Verdict;

}  // namespace relayopt
