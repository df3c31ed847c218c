// TVM's graph JSON: what `tvm.ir.save_json` writes of a module.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/text/metadata.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"
#include "relayopt/support/text_sink.h"

namespace relayopt {

// Whether the text begins as a graph of objects does: an object with the member `root` or `nodes`.
auto LooksLikeTvmJson(std::string_view text) -> bool;

// Reads a module, or a function, which becomes @main. Types are annotations only: what was inferred is inferred again.
// Names and spans are kept, and sharing is: a node is an expression however often it is named. Nothing, with
// diagnostics, when the text is malformed, holds functions that are none of Relay, or uses variables out of their
// scope. The module keeps `source` alive. `external` gives the tensors that the text leaves to a file. The module has
// a context of its own where none is given.
auto ReadTvmJson(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink,
                 const ExternalConstants& external = {}, std::shared_ptr<Context> context = nullptr)
    -> std::optional<Module>;

// Writes the functions, type definitions and attributes of a module; equal types are one node. Of the options those
// about constants count. Nothing but a diagnostic when it holds functions that are none of Relay.
auto PrintTvmJson(const Module& module, const PrintOptions& options, TextSink& sink) -> std::optional<Diagnostic>;

}  // namespace relayopt
