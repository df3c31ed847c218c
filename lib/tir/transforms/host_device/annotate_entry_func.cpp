// AnnotateEntryFunc: the only function of a module, or the only one that is exposed, is the entry function.
#include "lib/tir/transforms/passes.h"

namespace relayopt::tir {

namespace {

struct AnnotateEntryFunc {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    const ObjectId executor = module.FindAttr("executor");
    if (executor && module.context().text(module.context().object(executor).text) == "aot") {
      return std::optional<Module>();
    }
    std::vector<GlobalId> functions;
    std::vector<GlobalId> exposed;
    bool others = false;
    for (const GlobalId id : module.ids()) {
      if (module.function(id) == nullptr) continue;
      functions.push_back(id);
      const PrimFunc* func = module.function<PrimFunc>(id);
      others = others || func == nullptr;
      if (func != nullptr && func->StringAttr("global_symbol")) exposed.push_back(id);
    }
    GlobalId entry;
    if (functions.size() == 1 && !others) {
      entry = functions[0];
    } else if (exposed.size() == 1 && !others) {
      entry = exposed[0];
    }
    if (!entry || module.function<PrimFunc>(entry)->IntAttr("tir.is_entry_func") != 0) return std::optional<Module>();
    PrimFunc made = *module.function<PrimFunc>(entry);
    made.SetAttr("tir.is_entry_func", module.context().AddInt(1, DataType::Bool()));
    Module result = module;
    result.SetFunction(entry, std::make_shared<const PrimFunc>(std::move(made)));
    return std::optional(std::move(result));
  }
};

}  // namespace

constinit const PassDef kAnnotateEntryFuncPass = DescribePass<AnnotateEntryFunc>({
    .name = "tir.AnnotateEntryFunc",
    .summary = "Mark the entry function of a module",
    .details =
        R"(The attribute tir.is_entry_func for the only function of a module, or the only one with a global symbol. Nothing where
there are functions of other kinds besides, or none or several with a symbol.)",
    .aliases = "tir.transform.AnnotateEntryFunc",
    .idempotent = true,
});

}  // namespace relayopt::tir
