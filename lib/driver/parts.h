// Inputs that hold several modules.
#pragma once

#include <memory>
#include <vector>

#include "relayopt/support/source.h"

namespace relayopt {

// Returns the parts of a text between lines `// -----` or `# -----`. A part keeps the line numbers of the whole.
auto SplitParts(const std::shared_ptr<const SourceText>& source) -> std::vector<std::shared_ptr<const SourceText>>;

}  // namespace relayopt
