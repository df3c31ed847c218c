// Reading the text of modules with functions of several kinds.
#pragma once

#include <memory>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Reads Relay text, TVMScript, or Relay text followed by a section `#[tir]` of TVMScript. As with Relay's ReadModule,
// types are not inferred, all errors are reported, and the module keeps its source alive. Without a given context it
// gets a new one.
auto ReadModuleText(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink,
                    const ReadOptions& options = {}, std::shared_ptr<Context> context = nullptr)
    -> std::optional<Module>;

// Returns the kind of functions that such a text begins with.
auto TextKindOf(std::string_view text) -> const FunctionKindDef&;

}  // namespace relayopt
