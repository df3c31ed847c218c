// Names of kinds of type.
#include "relayopt/core/type.h"

namespace relayopt {

auto KindName(TypeKind kind) -> std::string_view {
  switch (kind) {
    case TypeKind::kTensor: return "a tensor";
    case TypeKind::kTuple: return "a tuple";
    case TypeKind::kFunction: return "a function";
    case TypeKind::kVar: return "a type parameter";
    case TypeKind::kCall: return "an algebraic data type";
    case TypeKind::kRef: return "a reference";
    case TypeKind::kIncomplete: return "unknown";
    case TypeKind::kNull: return "no type";
  }
  return "";
}

}  // namespace relayopt
