// The parser of variable declarations and function headers.
#pragma once

#include <optional>

#include "attributes.h"
#include "frames.h"
#include "lib/relay/text/parser/names.h"
#include "parsing.h"
#include "source_builder.h"
#include "types.h"

namespace relayopt {

class DeclarationParser {
 public:
  DeclarationParser(Parsing& parsing, TypeParser& types, AttrParser& attrs, LocalNames& names, SourceBuilder& nodes)
      : parsing_(parsing), types_(types), attrs_(attrs), names_(names), nodes_(nodes) {}

  struct Declared {
    StringId name;
    ExprId var;
  };
  // Reads `%name {...}: type` at the current token. Returns nothing after an error.
  auto Read() -> std::optional<Declared>;
  // Declares a variable with the name and the type that were read; `range` begins with the sign of the variable.
  auto Declare(SourceRange range, TypeId annotation) -> Declared;
  // Makes the name refer to the variable from here on.
  void Bind(const Declared& declared, LocalNames::Binder binder);

  // Reads `[A, B](%x: T, attr=1) -> R {` of the innermost frame; the parameters become its parts.
  auto ReadHeader(FrameStack& frames) -> bool;

 private:
  auto ReadVirtualDevice(ObjectId& device) -> bool;
  auto ReadAttrs(FunctionInfo& info) -> bool;

  Parsing& parsing_;
  TypeParser& types_;
  AttrParser& attrs_;
  LocalNames& names_;
  SourceBuilder& nodes_;
};

}  // namespace relayopt
