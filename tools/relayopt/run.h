// --run and --validate: evaluating the program.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "options.h"
#include "relayopt/eval/inputs.h"
#include "relayopt/ir/module.h"
#include "relayopt/pass/validation.h"
#include "reporter.h"

namespace relayopt {

// The result of @main on the inputs that the options name, for the output: text, or an .npz archive when the output is
// named so. Nothing after an error.
auto RunProgram(const Module& module, const ToolOptions& options, Reporter& reporter) -> std::optional<std::string>;

// An element of --bind: `x=3`, `x.0=3`; nothing for anything else.
auto ParseBinding(std::string_view text) -> std::optional<BoundExtent>;

// The instrument behind --validate. `sink` must outlive it.
auto MakeValidation(const ToolOptions& options, const PrintOptions& print, TextSink& sink)
    -> std::shared_ptr<ValidationInstrument>;

}  // namespace relayopt
