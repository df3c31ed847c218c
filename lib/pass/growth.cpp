// The size of modules, and its limit.
#include "relayopt/pass/growth.h"

#include "relayopt/pass/registry.h"
#include "relayopt/support/plural.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kTooLarge = {"too-large", Severity::kError,
                                      "after {} the module has {}, and --max-ops allows {}"};
constexpr DiagnosticKind kGrowsTooMuch = {
    "grows-too-much", Severity::kError,
    "after {} the module has {}, and it had {} before the first pass; --max-ops=N allows more"};

// Lists know a pass by the name of its row.
auto ListedName(std::string_view pass) -> std::string_view {
  const PassDef* def = FindPass(pass);
  return def == nullptr ? pass : def->name;
}

}  // namespace

auto SizeOf(const Module& module) -> size_t {
  size_t size = 0;
  for (const GlobalId id : module.ids()) {
    const GlobalFunction* function = module.function(id).get();
    if (function != nullptr) size += DefOf(function->function_kind()).size(*function);
  }
  return size;
}

GrowthScope::GrowthScope(const Module& module, PassContext& context)
    : context_(context), is_outermost_(context.size_before() == 0) {
  if (is_outermost_) context.set_size_before(std::max<size_t>(SizeOf(module), 1));
}

GrowthScope::~GrowthScope() {
  if (is_outermost_) context_.set_size_before(0);
}

auto GrowthScope::Check(std::string_view pass, const Module& module, const PassContext& context)
    -> std::optional<Diagnostic> {
  constexpr size_t kAlways = 2'000'000;
  constexpr size_t kForEach = 16;
  const size_t size = SizeOf(module);
  if (const auto given = GivenGrowthLimit(context)) {
    if (size <= static_cast<size_t>(*given)) return std::nullopt;
    return MakeDiagnostic(kTooLarge, {}, ListedName(pass), Counted(size, "expression"), *given);
  }
  const size_t before = context.size_before();
  if (size <= kAlways || (size - kAlways) / kForEach <= before) return std::nullopt;
  return MakeDiagnostic(kGrowsTooMuch, {}, ListedName(pass), Counted(size, "expression"), before);
}

}  // namespace relayopt
