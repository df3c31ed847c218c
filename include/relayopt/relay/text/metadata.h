// The `#[metadata]` section: a graph of objects as JSON, with tensors as base64 records.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// `meta[KEY][i]` is the i-th object of the list of KEY.
using MetaTable = absl::flat_hash_map<std::string_view, std::vector<ObjectId>>;

// Reads the JSON in source.text()[range]. Objects are made once per node, so sharing survives; tensors stay views into
// the source, checked (magic, device, sizes, alphabet) but not decoded. Nothing, with diagnostics at the offending
// bytes, when the section is malformed. `source` must outlive the context's constants.
auto ReadMetadata(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink)
    -> std::optional<MetaTable>;

}  // namespace relayopt
