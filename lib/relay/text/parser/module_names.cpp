// Resolves references to globals.
#include "module_names.h"

namespace relayopt {

auto ModuleNames::ReadGlobal() -> GlobalId {
  Lexer& lexer = parsing_.lexer;
  lexer.SetEnd(lexer.OddNameEnd(lexer.token().begin + 1));
  const GlobalId id = parsing_.module.NameGlobal(lexer.text().substr(1));
  lexer.Next();
  return id;
}

auto ModuleNames::ReadMention() -> GlobalId {
  const uint32_t begin = parsing_.lexer.token().begin;
  const GlobalId global = ReadGlobal();
  if (global.value() >= mentions_.size()) mentions_.resize(global.value() + 1);
  SourceRange& mention = mentions_[global.value()];
  if (!mention.valid()) mention = {begin, parsing_.lexer.last_end()};
  return global;
}

}  // namespace relayopt
