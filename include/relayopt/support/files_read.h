// Records which files this process has read through SourceText::Open.
#pragma once

#include <string>
#include <vector>

namespace relayopt {

// Returns the paths of the files opened so far, each once, in the order of opening. Standard input is not among them.
auto FilesRead() -> std::vector<std::string>;

// Returns the name of the memory-mapped source that contains the address, or null if none does. Safe in signal
// handlers: it neither allocates nor waits.
auto MappedFileAt(const void* address) -> const char*;

}  // namespace relayopt
