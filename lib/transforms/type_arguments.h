// Type arguments of calls, which the program does not hold.
#pragma once

#include <span>
#include <vector>

#include "relayopt/ir/function.h"

namespace relayopt {

// What stands for the type parameters of the function literal in a call with arguments of these types, which may be
// none, and a result of this type. What does not follow stays an incomplete type. Empty when the types do not fit.
auto TypeArguments(const Function& function, ExprId literal, std::span<const TypeId> args, TypeId result)
    -> std::vector<TypeId>;

}  // namespace relayopt
