// RemoveUnusedFunctions: removes functions that no entry function reaches.
#include <vector>

#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kUnknownEntry = {"unknown-entry-function", Severity::kError,
                                          "RemoveUnusedFunctions: the module has no function @{} to start from"};

struct RemoveUnusedFunctions {
  struct Options {
    std::vector<std::string> entry_functions = {"main"};
    static constexpr auto Fields() {
      return std::array{Option<&Options::entry_functions>("names of the functions to start from")};
    }
  };
  Options options;

  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    RELAYOPT_TRY(const std::vector<bool> used, Reach(module));
    Module result = module;
    bool changed = false;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      if (used[id.value()]) continue;
      result.SetFunction(id, nullptr);
      changed = true;
    }
    if (!changed) return std::nullopt;
    return result;
  }

 private:
  // Which globals the entry functions reach through references.
  auto Reach(const Module& module) const -> Result<std::vector<bool>> {
    std::vector<bool> used(module.globals().size());
    std::vector<GlobalId> pending;
    const auto use = [&](GlobalId id) {
      if (used[id.value()]) return;
      used[id.value()] = true;
      pending.push_back(id);
    };
    for (const std::string& name : options.entry_functions) {
      const GlobalId entry = module.FindGlobal(name);
      if (!entry || module.function<Function>(entry) == nullptr) return MakeDiagnostic(kUnknownEntry, {}, name);
      use(entry);
    }
    while (!pending.empty()) {
      const Function* function = module.function<Function>(pending.back());
      pending.pop_back();
      if (function == nullptr) continue;
      for (const ExprId id : function->ids()) {
        if (function->kind(id) == ExprKind::kGlobal) use(function->global(id));
      }
    }
    return used;
  }
};

}  // namespace

constinit const PassDef kRemoveUnusedFunctionsPass = DescribePass<RemoveUnusedFunctions>({
    .name = "RemoveUnusedFunctions",
    .opt_level = 1,
    .summary = "removes functions that no entry function reaches",
    .details =
        R"(Keeps the entry functions and every function that they reach through `@name` references, directly or through
other functions, and removes the rest, whatever their attributes. Type definitions stay.

  def @main(%x: int32) { @used(%x) }          def @main(%x: int32) { @used(%x) }
  def @used(%x: int32) { %x }           =>    def @used(%x: int32) { %x }
  def @unused(%x: int32) { %x }

No remaining function mentions a removed one, so nothing that can be called through an entry function changes.
An entry function that does not exist is an error.)",
    .idempotent = true,
});

}  // namespace relayopt
