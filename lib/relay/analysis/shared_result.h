// Decides which results of type rules hold for all calls with equal operators and input types.
#pragma once

#include <algorithm>

#include "relayopt/core/context.h"

namespace relayopt {

// Whether a result type found for one call may be remembered for calls with the same inputs. As TVM:
// symbolic extents are computed again for each call.
inline auto IsSharedResult(const Context& context, TypeId result) -> bool {
  const auto is_plain = [&context](TypeId id) {
    const Type& term = context.type(id);
    return term.is_tensor() &&
           std::none_of(term.shape.begin(), term.shape.end(), [](const Dim& d) { return d.is_expr(); });
  };
  const Type& type = context.type(result);
  return type.is_tuple() ? std::all_of(type.args.begin(), type.args.end(), is_plain) : is_plain(result);
}

}  // namespace relayopt
