// Writes the `#[metadata]` section.
#pragma once

#include "lib/relay/text/printer/printer_expr.h"
#include "lib/relay/text/printer/printer_meta.h"

namespace relayopt {

// Returns the JSON of everything that `meta` refers to, without an end of line; returns how many tensors are left out,
// as the options say.
auto WriteMetadata(const Context& context, MetaIndex& meta, const PrintOptions& options, TextBuffer& buffer) -> size_t;

}  // namespace relayopt
