// Inputs that hold several modules.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "relayopt/support/source.h"

namespace relayopt {

// The marker of --split-input-file unless it names another. In TVMScript it is `# -----`, too.
constexpr std::string_view kPartMarker = "// -----";

// Returns the parts of a text between lines that are `marker`. A part keeps the line numbers of the whole.
auto SplitParts(const std::shared_ptr<const SourceText>& source, std::string_view marker)
    -> std::vector<std::shared_ptr<const SourceText>>;

}  // namespace relayopt
