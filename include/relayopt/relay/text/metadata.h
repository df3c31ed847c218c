// The `#[metadata]` section: a graph of objects as JSON, with tensors as base64 records.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// The value of a constant that a text leaves to a file of tensors, by its name there; nothing when there is none.
using ExternalConstants = std::function<std::optional<Constant>(const std::string& name)>;

// `meta[KEY][i]` is the i-th object of the list of KEY.
using MetaTable = absl::flat_hash_map<std::string_view, std::vector<ObjectId>>;

// Reads the JSON in source.text()[range]. Objects are made once per node, so sharing survives; tensors stay views into
// the source, checked (magic, device, sizes, alphabet) but not decoded. Nothing, with diagnostics at the offending
// bytes, when the section is malformed. `source` must outlive the context's constants.
// Constants that the section leaves to a file of tensors are asked for by name.
auto ReadMetadata(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                  const ExternalConstants& external = {}) -> std::optional<MetaTable>;

}  // namespace relayopt
