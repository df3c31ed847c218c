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

// Supplies the value of a constant whose text only names it, by its name in a file of tensors; nothing if there is
// none.
using ExternalConstants = std::function<std::optional<Constant>(const std::string& name)>;

// The objects of a metadata section: `meta[KEY][i]` is the i-th object in the list of KEY.
using MetaTable = absl::flat_hash_map<std::string_view, std::vector<ObjectId>>;

// Reads the JSON in source.text()[range]. Each node becomes one object, so that sharing is preserved. Tensors stay
// views of the source: they are checked (magic number, device, sizes, alphabet) but not decoded. Constants that are
// kept in a file of tensors are requested by name. Nothing, with diagnostics at the offending bytes, when the section
// is malformed. `source` must outlive the constants of the context.
auto ReadMetadata(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                  const ExternalConstants& external = {}) -> std::optional<MetaTable>;

}  // namespace relayopt
