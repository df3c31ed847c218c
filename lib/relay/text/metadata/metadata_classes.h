// The fields of TVM's classes that occur in metadata sections.
#pragma once

#include <span>
#include <string_view>

namespace relayopt {

// A member of a class.
struct ClassField {
  std::string_view name;
  // Holds an object rather than a literal.
  bool is_object = false;
  // May be missing, as in sections that older versions wrote.
  bool optional = false;
};

// The members in the order in which the class visits them; empty if the class has none or is not known.
struct ClassInfo {
  bool known = false;
  std::span<const ClassField> fields;
};

auto FindClass(std::string_view type_key) -> ClassInfo;

}  // namespace relayopt
