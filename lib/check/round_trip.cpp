// Compares a module with the one that is read from its text.
#include "relayopt/check/round_trip.h"

#include <algorithm>

#include "relayopt/module/print.h"
#include "relayopt/tir/analysis/equality.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt {

auto AreSameFunctions(const Module& printed, const Module& read) -> bool {
  const std::vector<GlobalId> functions = printed.SortedFunctions();
  if (functions.size() != read.SortedFunctions().size()) return false;
  return std::ranges::all_of(functions, [&](GlobalId id) {
    const GlobalId other = read.FindGlobal(printed.name(id));
    if (!other || read.function(other) == nullptr) return false;
    const auto* func = printed.function<tir::PrimFunc>(id);
    if (func == nullptr) return PrintFunction(printed, id) == PrintFunction(read, other);
    const auto* func_read = read.function<tir::PrimFunc>(other);
    return func_read != nullptr && tir::StructuralEqual(*func, *func_read, tir::FreeVars::kMapped);
  });
}

}  // namespace relayopt
