// Strings in quotes, as Relay and Python read them.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/support/text_builder.h"

namespace relayopt {

// Appends the text in double quotes. Quotes, backslashes, and bytes that are not printable ASCII are escaped; most of
// the last as `\xHH`.
void AppendQuoted(std::string& out, std::string_view text);
void AppendQuoted(TextBuilder& out, std::string_view text);

}  // namespace relayopt
