// The messages of --verbose on standard error.
#pragma once

#include <string>

namespace relayopt {

// Does nothing until EnableLog was called.
void Log(const std::string& message);
void EnableLog();

}  // namespace relayopt
