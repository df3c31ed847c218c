// Modules and the PrimFuncs in them as text.
#include "relayopt/tir/script/module_text.h"

#include <algorithm>

#include "lib/tir/script/diagnostics.h"
#include "relayopt/tir/analysis/verifier.h"
#include "relayopt/tir/script/script.h"

namespace relayopt::tir {

namespace {

// Returns the PrimFuncs of a module, with its attributes where it holds nothing else.
auto ScriptOf(const Module& module) -> ScriptModule {
  ScriptModule script;
  for (const GlobalId id : module.SortedFunctions<PrimFunc>()) {
    script.functions.push_back({module.global(id).name, module.function_ref<PrimFunc>(id), {}});
  }
  const auto kinds = FunctionKinds();
  const bool alone = std::all_of(kinds.begin(), kinds.end(), [&](const FunctionKindDef* def) {
    return def->kind == &kPrimFuncs || !module.Has(*def->kind);
  });
  if (alone) script.attrs = module.attrs();
  return script;
}

void PrintPrimFuncs(const Module& module, const PrintOptions&, TextSink& sink) {
  sink.Write(PrintScript(ScriptOf(module), module.context()) + "\n");
}

void PrintPrimFunc(const Module& module, GlobalId id, const PrintOptions&, TextSink& sink) {
  sink.Write(PrintScript(*module.function<PrimFunc>(id), module.name(id)) + "\n");
}

auto VerifyPrimFunc(const Module&, const GlobalFunction& function) -> std::optional<BrokenRule> {
  const auto& func = static_cast<const PrimFunc&>(function);
  std::optional<VerifierError> error = Verify(func);
  if (!error) return std::nullopt;
  return BrokenRule{error->stmt.value(), func.stmts().range(error->stmt), std::move(error->text)};
}

// A module without any function is TVMScript if it was read from that.
auto IsEmptyScript(const Module& module) -> bool {
  const bool empty = std::all_of(module.globals().begin(), module.globals().end(),
                                 [](const Global& global) { return global.function == nullptr; });
  return empty && module.source() != nullptr && IsScript(module.source()->text());
}

}  // namespace

constinit const FunctionKindDef kPrimFuncKind = {
    .kind = &kPrimFuncs,
    .comment = "# ",
    .extension = ".py",
    .size = [](const GlobalFunction& function) { return static_cast<const PrimFunc&>(function).size(); },
    .verify = VerifyPrimFunc,
    .print_module = PrintPrimFuncs,
    .print_function = PrintPrimFunc,
    .has_declarations = IsEmptyScript,
    .has_attribute = [](const GlobalFunction& function, std::string_view name,
                        int64_t value) { return static_cast<const PrimFunc&>(function).IntAttr(name) == value; },
};

auto IsScript(std::string_view text) -> bool {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty() && std::string_view(" \t\r\n").find(text[0]) != std::string_view::npos) text.remove_prefix(1);
  // Comments of Relay begin otherwise.
  if (text.starts_with('#')) return !text.starts_with("#[");
  static constexpr std::string_view kBeginnings[] = {"@", "from ", "import ", "metadata =", "class "};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

auto ReadInto(Module& module, const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, uint32_t begin)
    -> bool {
  std::optional<ScriptModule> script = ReadScript(*source, module.context(), sink, begin);
  if (!script) return false;
  const size_t errors = sink.errors();
  for (const ScriptFunction& function : script->functions) {
    const GlobalId id = module.NameGlobal(module.context().text(function.name));
    if (module.function(id) != nullptr) {
      sink.Report(diag::kDuplicateFunction, function.range, module.name(id));
      continue;
    }
    module.SetRange(id, function.range);
    module.SetFunction(id, function.function);
  }
  module.SetAttrs(script->attrs);
  module.set_source(source);
  return sink.errors() == errors;
}

}  // namespace relayopt::tir
