// Names for graphs that tests write down.
#pragma once

#include <initializer_list>
#include <string_view>

#include "lib/convert/onnx_out/value_names.h"

namespace relayopt::onnx::out {

inline auto TestNames() -> NameTable& {
  static NameTable names;
  return names;
}

inline auto operator""_name(const char* text, size_t size) -> Name {
  return TestNames().Intern(std::string_view(text, size));
}

inline auto NamesOf(std::initializer_list<std::string_view> texts) -> Names {
  Names names;
  for (const std::string_view text : texts) names.push_back(TestNames().Intern(text));
  return names;
}

}  // namespace relayopt::onnx::out
