// Functions for external compilers inside and outside of others: the passes that partitioning for a compiler consists
// of.
//
//   OutlineCompilerFunctionsWithExistingGlobalSymbols   literals become global functions, named by their global_symbol
//   MarkCompilerFunctionsAsExtern                       global functions get Extern=1 in place of all attributes
//   InlineCompilerFunctionsBoundTo                      global functions go back into their callers
//
//   let %f = fn (%x, Compiler="c", global_symbol="g") { exp(%x) }; %f(%a)
//     outline      @g(%a)                   and def @g(%x, Compiler="c", global_symbol="g") { exp(%x) }
//     mark                                      def @g(%x, Extern=1) { exp(%x) }
//     inline @g    exp(%a)                  and no @g
#include <algorithm>
#include <vector>

#include "../expr_copier.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoSymbol = {"no-global-symbol", Severity::kError,
                                      "a function for the compiler {} has no global_symbol to be outlined by"};
constexpr DiagnosticKind kNotForCompiler = {"not-a-compiler-function", Severity::kError,
                                            "InlineCompilerFunctionsBoundTo: @{} is not a function for a compiler"};
constexpr DiagnosticKind kNotComposite = {
    "not-a-composite-function", Severity::kError,
    "InlineCompilerFunctionsBoundTo: a function that is called inside of @{} is not a composite one"};

struct CompilerFilter {
  std::string compiler_filter;
  static constexpr auto Fields() {
    return std::array{Option<&CompilerFilter::compiler_filter>("a compiler; empty: all of them")};
  }

  auto Matches(const Function& function, ExprId id) const -> bool {
    const StringId compiler = CompilerAttr(function, id);
    return compiler && (compiler_filter.empty() || function.context().text(compiler) == compiler_filter);
  }
};

// Which function literals use variables that are bound outside of them. A variable that a literal uses is bound inside
// of it, which is in a deeper scope than the literal is, or in a scope around it.
class OuterUses {
 public:
  explicit OuterUses(const Function& function)
      : function_(function), scopes_(ComputeScopes(function)), depth_(function.size(), UINT32_MAX) {}

  // Notes an expression, whose operands have been noted.
  void Note(ExprId id) {
    if (function_.kind(id) == ExprKind::kVar) depth_[id] = DepthOf(id);
    for (const ExprId operand : function_.operands(id)) depth_[id] = std::min(depth_[id], depth_[operand]);
  }
  // From here on, users of the expression do not use its variables.
  void Forget(ExprId id) { depth_[id] = UINT32_MAX; }
  auto IsClosed(ExprId literal) const -> bool { return depth_[literal] > DepthOf(literal); }

 private:
  // Returns 0 for what the function does not reach, which is then taken to use what is outside.
  auto DepthOf(ExprId id) const -> uint32_t { return scopes_.of[id] ? scopes_[scopes_.of[id]].depth : 0; }

  const Function& function_;
  const Scopes scopes_;
  // The depth of the outermost scope of which an expression uses variables.
  SideTable<ExprId, uint32_t> depth_;
};

class Outliner {
 public:
  Outliner(Module& module, const Function& function, const CompilerFilter& filter)
      : module_(module), function_(function), filter_(filter), outer_(function) {}

  auto Run() -> Result<std::optional<Function>> {
    for (const ExprId id : function_.ids_to_root()) {
      if (function_.kind(id) != ExprKind::kLet) continue;
      for (size_t i = 0; i < function_.let_size(id); ++i) {
        names_[function_.let_value(id, i)].push_back(function_.let_var(id, i));
      }
    }
    auto made = Rewrite(function_, [&](Rebuild& rebuild, ExprId id) { return Visit(rebuild, id); });
    if (error_) return *std::move(error_);
    return made;
  }

 private:
  auto Visit(Rebuild& rebuild, ExprId id) -> ExprId {
    const ExprKind kind = function_.kind(id);
    outer_.Note(id);
    if (kind == ExprKind::kLet) return VisitLet(rebuild, id);
    if (kind != ExprKind::kFunction || id == function_.root() || !filter_.Matches(function_, id)) return {};
    const StringId symbol = function_.StringAttr(id, attr::kGlobalSymbol);
    if (!symbol) {
      const std::string_view compiler = function_.context().text(CompilerAttr(function_, id));
      error_ = MakeDiagnostic(kNoSymbol, function_.range(id), compiler);
      return {};
    }
    if (!outer_.IsClosed(id)) return {};
    FunctionBuilder& to = rebuild.to();
    const GlobalId global = module_.NameGlobal(function_.context().text(symbol));
    // Of several functions with one symbol the first one stays.
    if (module_.function(global) == nullptr) {
      FunctionBuilder alone(function_.context());
      const ExprId root = ExprCopier(to.function(), alone).Copy(rebuild.Copy(id));
      module_.SetFunction(global, std::make_shared<const Function>(Relayout(alone.Finish(root))));
    }
    const ExprId made = to.Global(global);
    to.SetType(made, function_.type(id));
    outer_.Forget(id);
    // Variables that are bound to the function are aliases of it.
    if (const auto found = names_.find(id); found != names_.end()) {
      for (const ExprId var : found->second) {
        rebuild.Set(var, made);
        outer_.Forget(var);
        renamed_.insert(var);
      }
    }
    return made;
  }

  auto VisitLet(Rebuild& rebuild, ExprId let) -> ExprId {
    std::vector<ExprId> operands;
    for (size_t i = 0; i < function_.let_size(let); ++i) {
      if (renamed_.contains(function_.let_var(let, i))) continue;
      operands.push_back(rebuild.New(function_.let_var(let, i)));
      operands.push_back(rebuild.New(function_.let_value(let, i)));
    }
    if (operands.size() == 2 * function_.let_size(let)) return {};
    const ExprId result = rebuild.New(function_.let_result(let));
    if (operands.empty()) return result;
    operands.push_back(result);
    return rebuild.to().Copy(function_, let, operands);
  }

  Module& module_;
  const Function& function_;
  const CompilerFilter& filter_;
  OuterUses outer_;
  absl::flat_hash_map<ExprId, std::vector<ExprId>> names_;
  absl::flat_hash_set<ExprId> renamed_;
  std::optional<Diagnostic> error_;
};

struct OutlineCompilerFunctions {
  using Options = CompilerFilter;
  Options options;

  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    Module result = module;
    bool changed = false;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function& function = *module.function<Function>(id);
      if (IsSkippedByFunctionPasses(function)) continue;
      RELAYOPT_TRY(auto made, Outliner(result, function, options).Run());
      if (!made) continue;
      result.SetFunction(id, std::make_shared<const Function>(*std::move(made)));
      changed = true;
    }
    if (!changed) return std::nullopt;
    return std::optional(std::move(result));
  }
};

struct MarkCompilerFunctionsAsExtern {
  using Options = CompilerFilter;
  Options options;

  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    Module result = module;
    Context& context = module.context();
    bool changed = false;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function& function = *module.function<Function>(id);
      if (!options.Matches(function, function.root())) continue;
      Function made = function;
      made.mutable_info(made.root()).attrs = {{context.Intern(attr::kExtern), context.AddInt(1)}};
      result.SetFunction(id, std::make_shared<const Function>(std::move(made)));
      changed = true;
    }
    if (!changed) return std::nullopt;
    return std::optional(std::move(result));
  }
};

// Emits the body of a closed function with arguments in place of its parameters. Arguments with effects are bound by
// let, so that effects keep their number and order.
auto EmitBody(FunctionBuilder& to, const Function& from, ExprId literal, std::span<const ExprId> args,
              const std::vector<bool>& has_effects) -> ExprId {
  ExprCopier copier(from, to);
  std::vector<ExprId> steps;
  const auto params = from.params(literal);
  for (size_t i = 0; i < params.size() && i < args.size(); ++i) {
    ExprId arg = args[i];
    if (has_effects[i]) {
      const ExprId var = to.Var(from.var(params[i]));
      to.SetType(var, from.type(params[i]));
      steps.insert(steps.end(), {var, arg});
      arg = var;
    }
    copier.Set(params[i], arg);
  }
  const ExprId body = copier.Copy(from.body(literal));
  if (steps.empty()) return body;
  const ExprId let = to.Let(steps, body);
  to.SetType(let, from.type(from.body(literal)));
  return let;
}

struct InlineCompilerFunctionsBoundTo {
  struct Options {
    std::vector<std::string> global_vars;
    static constexpr auto Fields() {
      return std::array{Option<&Options::global_vars>("names of the functions to inline")};
    }
  };
  Options options;

  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    absl::flat_hash_map<GlobalId, Function> bodies;
    const auto& purity = module.Analysis<PurityAnalysis>();
    for (const std::string& name : options.global_vars) {
      const GlobalId id = module.FindGlobal(name);
      const Function* const function = id ? module.function<Function>(id) : nullptr;
      if (function == nullptr || !CompilerAttr(*function, function->root())) {
        return MakeDiagnostic(kNotForCompiler, {}, name);
      }
      RELAYOPT_TRY(Function body, WithoutComposites(*function, name, purity));
      bodies.emplace(id, std::move(body));
    }
    if (bodies.empty()) return std::nullopt;
    Module result = module;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function& function = *module.function<Function>(id);
      if (bodies.contains(id) || IsSkippedByFunctionPasses(function)) continue;
      auto made = Inlined(function, bodies, purity);
      if (made) result.SetFunction(id, std::make_shared<const Function>(*std::move(made)));
    }
    RemoveUnused(result, bodies);
    return std::optional(std::move(result));
  }

 private:
  static auto Effects(const SideTable<ExprId, Purity>& purity, std::span<const ExprId> args) -> std::vector<bool> {
    return MapToVector<bool>(args, [&](ExprId arg) { return !purity[arg].eval; });
  }

  // Returns the function with the bodies of the composite functions that it calls.
  static auto WithoutComposites(const Function& function, const std::string& name, const PurityAnalysis& analysis)
      -> Result<Function> {
    const SideTable<ExprId, Purity> purity = analysis.Analyze(function);
    std::optional<Diagnostic> error;
    OuterUses outer(function);
    auto made = Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      outer.Note(id);
      if (function.kind(id) != ExprKind::kCall) return {};
      const ExprId callee = function.operand(id, 0);
      if (function.kind(callee) != ExprKind::kFunction) return {};
      if (!CompositeAttr(function, callee) || !outer.IsClosed(callee)) {
        if (!error) error = MakeDiagnostic(kNotComposite, function.range(id), name);
        return {};
      }
      const auto all = rebuild.NewOperands(id);
      const std::vector<ExprId> args(all.begin() + 1, all.end());
      return EmitBody(rebuild.to(), function, callee, args, Effects(purity, function.operands(id).subspan(1)));
    });
    if (error) return *std::move(error);
    return made ? *std::move(made) : function;
  }

  static auto Inlined(const Function& function, const absl::flat_hash_map<GlobalId, Function>& bodies,
                      const PurityAnalysis& analysis) -> std::optional<Function> {
    const SideTable<ExprId, Purity> purity = analysis.Analyze(function);
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (function.kind(id) != ExprKind::kCall) return {};
      const ExprId callee = function.operand(id, 0);
      if (function.kind(callee) != ExprKind::kGlobal) return {};
      const auto found = bodies.find(function.global(callee));
      if (found == bodies.end()) return {};
      const auto all = rebuild.NewOperands(id);
      const std::vector<ExprId> args(all.begin() + 1, all.end());
      const Function& body = found->second;
      return EmitBody(rebuild.to(), body, body.root(), args, Effects(purity, function.operands(id).subspan(1)));
    });
  }

  // Removes the functions that were inlined and that nothing mentions otherwise.
  static void RemoveUnused(Module& module, const absl::flat_hash_map<GlobalId, Function>& bodies) {
    absl::flat_hash_set<GlobalId> used;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function& function = *module.function<Function>(id);
      for (const ExprId expr : function.ids_to_root()) {
        if (function.kind(expr) == ExprKind::kGlobal && function.global(expr) != id) used.insert(function.global(expr));
      }
    }
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      if (bodies.contains(id) && !used.contains(id)) module.SetFunction(id, nullptr);
    }
  }
};

}  // namespace

constinit const PassDef kOutlineCompilerFunctionsWithExistingGlobalSymbolsPass = DescribePass<
    OutlineCompilerFunctions>({
    .name = "OutlineCompilerFunctionsWithExistingGlobalSymbols",
    .info_name = "OutlineCompilerFunctions",
    .opt_level = 0,
    .summary = "makes literals for external compilers global functions",
    .details =
        R"(A function literal with Compiler becomes a global function named by its global_symbol, which it must have.
Variables that are bound to it by let are replaced by its name. Of several literals with one symbol the first one stays; literals that
use variables of what is around them stay where they are.

  let %f = fn (%x: int32, Compiler="c", global_symbol="g") { add(%x, 1) }; %f(%a)   =>   @g(%a))",
});

constinit const PassDef kMarkCompilerFunctionsAsExternPass = DescribePass<MarkCompilerFunctionsAsExtern>({
    .name = "MarkCompilerFunctionsAsExtern",
    .opt_level = 0,
    .summary = "marks global functions for external compilers as external",
    .details =
        R"(A global function with Compiler loses all attributes and gets Extern=1: it is defined elsewhere, once its compiler has compiled it.

  def @g(%x: int32, Compiler="c", global_symbol="g") { ... }   =>   def @g(%x: int32, Extern=1) { ... })",
});

constinit const PassDef kInlineCompilerFunctionsBoundToPass = DescribePass<InlineCompilerFunctionsBoundTo>({
    .name = "InlineCompilerFunctionsBoundTo",
    .opt_level = 0,
    .summary = "inlines global functions for external compilers into their callers",
    .details =
        R"(Calls of the functions in `global_vars` become their bodies with the arguments for the parameters, and so do the composite
functions that are called in these; the functions themselves are removed. Arguments with effects are bound by let.

  InlineCompilerFunctionsBoundTo<global_vars=[g]>

  def @g(%x: int32, Compiler="c") { add(%x, %x) }
  def @main(%a: int32) { @g(%a) }                      =>   def @main(%a: int32) { add(%a, %a) })",
});

}  // namespace relayopt
