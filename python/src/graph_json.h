// The classes that the reader and the writer of graph JSON know.
#pragma once

#include <string_view>

#include "object_type.h"

namespace relayopt::python {

// Whether objects of a class are written as their name.
inline auto IsWrittenAsName(std::string_view key) -> bool {
  return key == "Op" || key == "SourceName" || key == "EnvFunc";
}

// Returns the type key in the text: of two classes with the same key, the second has a number in this process.
inline auto WrittenKey(std::string_view key) -> std::string_view { return key.substr(0, key.find('#')); }

// Whether the text of a field is written in its place, and not as a string object.
auto IsPlainText(const object::TypeInfo& info, std::string_view field) -> bool;

}  // namespace relayopt::python
