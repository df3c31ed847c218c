// Writes type terms as text, for the printer and for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "relayopt/core/context.h"

namespace relayopt {

// A piece of a type that is still to be written: a type, or literal text when `type` is invalid.
struct TypePiece {
  TypeId type;
  std::string_view text = {};
};

// Writes the beginning of a type to `out` and pushes the rest on the stack `work`, so that nothing recurses. `leaves`
// supplies what differs between the kinds of text: `AppendTensor(out, type)`, `AppendIncomplete(out, id)`, `missing()`
// (the text for a type that is not given), and `has_empty_brackets()` (whether a type constructor without arguments is
// followed by brackets).
template <typename Leaves>
void ExpandType(std::string& out, const Context& context, TypeId id, std::vector<TypePiece>& work, Leaves&& leaves) {
  const Type& type = context.type(id);
  const auto push_list = [&](std::span<const TypeId> items, std::string_view close) {
    work.push_back({TypeId(), close});
    for (size_t i = items.size(); i-- != 0;) {
      work.push_back({items[i]});
      if (i != 0) work.push_back({TypeId(), ", "});
    }
  };
  switch (type.kind) {
    case TypeKind::kTensor: leaves.AppendTensor(out, type); break;
    case TypeKind::kTuple:
      out += '(';
      push_list(type.args, type.args.size() == 1 ? ",)" : ")");
      break;
    case TypeKind::kFunction:
      out += "fn ";
      work.push_back(type.result ? TypePiece{type.result} : TypePiece{TypeId(), leaves.missing()});
      push_list(type.args, ") -> ");
      work.push_back({TypeId(), "("});
      if (type.type_params.empty()) break;
      push_list(type.type_params, "]");
      work.push_back({TypeId(), "["});
      break;
    case TypeKind::kVar: out += context.text(type.name); break;
    case TypeKind::kCall:
      out += context.text(type.name);
      if (type.args.empty() && !leaves.has_empty_brackets()) break;
      out += '[';
      push_list(type.args, "]");
      break;
    case TypeKind::kRef:
      out += "ref(";
      work.push_back({TypeId(), ")"});
      work.push_back({type.result});
      break;
    case TypeKind::kIncomplete: leaves.AppendIncomplete(out, id); break;
    case TypeKind::kNull: out += leaves.missing(); break;
  }
}

}  // namespace relayopt
