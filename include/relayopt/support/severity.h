// Names of severities.
#pragma once

#include <string_view>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// "note", "remark", "warning", "error".
auto Name(Severity severity) -> std::string_view;

}  // namespace relayopt
