// The rows of the kinds of functions.
#include "relayopt/module/function_kind.h"

#include <array>
#include <atomic>

#include "relayopt/module/module.h"
#include "relayopt/support/check.h"

namespace relayopt {

namespace {

// Rows are appended before passes run, and read by all threads.
struct Kinds {
  static constexpr size_t kMax = 16;
  std::array<const FunctionKindDef*, kMax> defs{};
  std::atomic<size_t> count = 0;
};

auto TheKinds() -> Kinds& {
  static Kinds kinds;
  return kinds;
}

}  // namespace

void RegisterFunctionKind(const FunctionKindDef& def) {
  for (const FunctionKindDef* known : FunctionKinds()) {
    if (known->kind == def.kind) return;
  }
  Kinds& kinds = TheKinds();
  const size_t count = kinds.count;
  RELAYOPT_CHECK(count < Kinds::kMax, "there are few kinds of functions");
  kinds.defs[count] = &def;
  kinds.count = count + 1;
}

auto FunctionKinds() -> std::span<const FunctionKindDef* const> {
  const Kinds& kinds = TheKinds();
  return {kinds.defs.data(), kinds.count};
}

auto DefOf(const FunctionKind& kind) -> const FunctionKindDef& {
  for (const FunctionKindDef* def : FunctionKinds()) {
    if (def->kind == &kind) return *def;
  }
  RELAYOPT_CHECK(false, "kinds of functions are registered before they are used: see RegisterAllPasses");
}

auto FindBrokenRule(const Module& module, GlobalId id, bool keeps_rules) -> std::optional<BrokenRule> {
  const GlobalFunction& function = *module.function(id);
  const FunctionKindDef& def = DefOf(function.function_kind());
  std::optional<BrokenRule> broken;
  if (!keeps_rules && def.verify != nullptr) broken = def.verify(module, function);
  if (!broken && def.verify_update != nullptr) broken = def.verify_update(function);
  return broken;
}

}  // namespace relayopt
