// Writes the `#[metadata]` section.
#pragma once

#include <optional>

#include "lib/relay/text/printer/printer_expr.h"
#include "lib/relay/text/printer/printer_meta.h"

namespace relayopt {

// The JSON of everything that `meta` names, without an end of line. Tensors of more elements than `largest` are left
// out; returns how many are.
auto WriteMetadata(const Context& context, MetaIndex& meta, std::optional<uint64_t> largest, TextBuffer& buffer)
    -> size_t;

}  // namespace relayopt
