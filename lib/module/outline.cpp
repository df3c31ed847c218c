// Outlines of modules: those of their functions, in the order of their names.
#include "relayopt/module/outline.h"

#include <algorithm>
#include <vector>

#include "relayopt/module/function_kind.h"
#include "relayopt/module/module.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

auto OutlineOf(const Module& module) -> uint64_t {
  uint64_t all = 0;
  for (const GlobalId id : module.SortedFunctions()) {
    const GlobalFunction& function = *module.global(id).function;
    const auto outline = DefOf(function.function_kind()).outline;
    all = MixWords(all ^ (outline == nullptr ? 0 : outline(function)), kHashFactor) + 1;
  }
  return all;
}

auto HaveSameFunctions(const Module& a, const Module& b) -> bool {
  const std::vector<GlobalId> ids = a.SortedFunctions();
  // What types consist of is told by the texts.
  if (ids != b.SortedFunctions() || !a.type_defs().empty() || !b.type_defs().empty()) return false;
  const auto is_same = [](const DictAttr& x, const DictAttr& y) { return x.key == y.key && x.value == y.value; };
  if (&a.context() != &b.context() || !std::ranges::equal(a.attrs(), b.attrs(), is_same)) return false;
  return std::ranges::all_of(ids, [&](GlobalId id) {
    const Global& x = a.global(id);
    const Global& y = b.global(id);
    if (x.name != y.name || x.function == y.function) return x.name == y.name;
    const FunctionKind& kind = x.function->function_kind();
    const auto is_same_function = DefOf(kind).is_same;
    return is_same_function != nullptr && &kind == &y.function->function_kind() &&
           is_same_function(*x.function, *y.function);
  });
}

}  // namespace relayopt
