// Reads Relay text.
#pragma once

#include <memory>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/metadata.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Settings of the parser, and data that it takes from elsewhere.
struct ReadOptions {
  // Operators that are not in the table become opaque calls instead of errors.
  bool allow_unregistered_ops = false;
  // Supplies constants that the text leaves to a file of tensors (PrintOptions::external_constants).
  ExternalConstants constants = {};
  // A module of the same context, to which the text adds functions and types. The text may refer to those of the
  // module, but not define them again.
  const Module* initial = nullptr;
};

// Parses a module: version, definitions, metadata section. Types are not inferred; annotations stay as written. Reports
// every error that it can find in one run, and returns nothing if there was one. The module keeps `source` alive.
auto ReadModule(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, const ReadOptions& options = {})
    -> std::optional<Module>;

// The same, with the context to use for the module.
auto ReadModule(const std::shared_ptr<const SourceText>& source, std::shared_ptr<Context> context, DiagnosticSink& sink,
                const ReadOptions& options = {}) -> std::optional<Module>;

}  // namespace relayopt
