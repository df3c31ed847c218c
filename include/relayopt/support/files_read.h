// The files that a process reads by SourceText::Open.
#pragma once

#include <string>
#include <vector>

namespace relayopt {

// The paths of those that were opened until now, each once, in the order in which they were; standard input is none.
auto FilesRead() -> std::vector<std::string>;

// The name of the mapped source that an address lies in; null when it lies in none. For signal handlers: it neither
// allocates nor waits.
auto MappedFileAt(const void* address) -> const char*;

}  // namespace relayopt
