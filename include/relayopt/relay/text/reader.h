// Reads Relay text.
#pragma once

#include <memory>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/metadata.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

struct ReadOptions {
  // Operators that are not in the table become opaque calls instead of errors.
  bool allow_unregistered_ops = false;
  // Where constants come from that the text leaves to a file of tensors (PrintOptions::external_constants).
  ExternalConstants constants = {};
  // A module of the same context whose functions and types the text adds to and may name; it may not define them again.
  const Module* initial = nullptr;
};

// Parses a whole module: version, definitions, metadata section. Types are not inferred: annotations are as written.
// Reports every error it can find in one run; nothing is returned when there was one. The module keeps `source` alive.
auto ReadModule(std::shared_ptr<const SourceText> source, DiagnosticSink& sink, const ReadOptions& options = {})
    -> std::optional<Module>;

// Adds the definitions of a text to a fresh module that shares `context`.
auto ReadModule(std::shared_ptr<const SourceText> source, std::shared_ptr<Context> context, DiagnosticSink& sink,
                const ReadOptions& options = {}) -> std::optional<Module>;

}  // namespace relayopt
