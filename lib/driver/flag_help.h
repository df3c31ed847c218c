// --help and the page of options, from the rows of flags.
#pragma once

#include <string>
#include <string_view>

namespace relayopt {

// Returns the options that are often needed (`usual`), those of one group by its name, or `all`; lines have at most a
// hundred columns.
auto FlagHelp(std::string_view group) -> std::string;

// Returns all options as a page of Markdown.
auto FlagPage() -> std::string;

// Returns the page of the manual, for man.
auto ManPage() -> std::string;

}  // namespace relayopt
