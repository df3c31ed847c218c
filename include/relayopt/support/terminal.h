// Messages for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Returns how many columns a terminal has, or 0 if the descriptor is not a terminal or the width is unknown.
auto TerminalWidth(int fd) -> size_t;

// Renders a diagnostic as Render does, with excerpts of the source that are at most `width` columns wide, so that a
// marker stands below what it marks.
auto RenderWithin(const Diagnostic& diagnostic, const SourceText* source, const RenderOptions& options, size_t width)
    -> std::string;

}  // namespace relayopt
