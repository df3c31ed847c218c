// Writes the `#[metadata]` section.
#pragma once

#include "lib/text/printer_expr.h"
#include "lib/text/printer_meta.h"

namespace relayopt {

// The JSON of everything that `meta` names, without an end of line.
void WriteMetadata(const Context& context, MetaIndex& meta, TextBuffer& buffer);

}  // namespace relayopt
