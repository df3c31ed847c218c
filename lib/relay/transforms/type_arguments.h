// Recovers the type arguments of calls, which programs do not contain.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The type arguments of the function literal in a call with arguments of these types, which may be none, and a result
// of this type. What does not follow stays an incomplete type. Returns empty if the types do not fit. `outer` says what
// types that the literal names are at the call, where functions around it are generic, too.
auto TypeArguments(
    const Function& function, ExprId literal, std::span<const TypeId> args, TypeId result,
    const std::function<TypeId(TypeId)>& outer = [](TypeId type) { return type; }) -> std::vector<TypeId>;

}  // namespace relayopt
