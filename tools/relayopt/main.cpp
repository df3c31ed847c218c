// The relayopt tool: reads Relay text, runs passes, prints Relay text.
#include "driver.h"

auto main(int argc, char** argv) -> int { return relayopt::RunTool(argc, argv); }
