// Inline: replaces calls of functions with the attribute Inline by their bodies.
//
// 1. The call graph, its cycles, and its functions from callees to callers (Tarjan's algorithm on a stack of its own).
// 2. In that order each function is rebuilt: a call of an inlined one becomes a copy of its body, in which parameters
//    are replaced by arguments. Callees have been rebuilt before, so that nothing is copied twice for depth.
// 3. Functions with Inline that are no longer used are removed, unless they were not used before (an entry).
//
//   def @main(%x) { @f(@f(%x)) }                     order: @g, @f, @main
//   def @f(%y, Inline=1) { %0 = exp(%y);             @f:    %0 = exp(%y); %1 = negative(%0); add(%0, %1)
//                          add(%0, @g(%0)) }         @main: two copies of that, the second on the result of the first
//   def @g(%z, Inline=1) { negative(%z) }            @f and @g go
//
// Invariants: an argument with effects is evaluated once and before the body (it is bound by let where the body would
// not do that); functions on a cycle, external and generic ones stay; what is copied in all is limited, with a warning
// at the call that stays.
#include <vector>

#include "relayopt/module/functions.h"
#include "relayopt/pass/growth.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/layer_remark.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr Statistic kInlined = {"Inline", "inlined", "calls replaced by the body of their callee"};
constexpr Statistic kRemoved = {"Inline", "removed", "functions removed because all their calls were inlined"};
constexpr DiagnosticKind kTooMuchInlined = {
    "inline-limit", Severity::kWarning,
    "@{} stays a function where @{} calls it: inlining has copied {} expressions, and this would be {} more"};
constexpr Statistic kInlineStatistics[] = {kInlined, kRemoved};

// The call graph as far as Inline needs it: which functions use which, and which are on a cycle.
class Calls {
 public:
  explicit Calls(const Module& module)
      : module_(module), callees_(CallGraph(module)), mentions_(module.globals().size()) {
    for (const GlobalId id : module.ids()) {
      for (const GlobalId callee : callees_[id]) {
        if (callee != id) ++mentions_[callee];
      }
    }
  }

  auto IsEntry(GlobalId id) const -> bool { return mentions_[id] == 0; }

  // Functions from callees to callers. `on_cycle` holds those that reach themselves.
  auto Order(SideTable<GlobalId, bool>& on_cycle) const -> std::vector<GlobalId> {
    const size_t count = module_.globals().size();
    SideTable<GlobalId, uint32_t> index(count);
    SideTable<GlobalId, uint32_t> low(count);
    SideTable<GlobalId, bool> open(count);
    std::vector<GlobalId> component;
    std::vector<GlobalId> order;
    uint32_t next = 0;
    struct Frame {
      GlobalId id;
      size_t callee;
    };
    std::vector<Frame> stack;
    const auto enter = [&](GlobalId id) {
      index[id] = low[id] = ++next;
      open[id] = true;
      component.push_back(id);
      stack.push_back({id, 0});
    };
    for (const auto& [root, function] : FunctionsOf<Function>(module_)) {
      if (index[root] == 0) enter(root);
      while (!stack.empty()) {
        const GlobalId id = stack.back().id;
        if (stack.back().callee < callees_[id].size()) {
          const GlobalId callee = callees_[id][stack.back().callee++];
          if (callee == id) on_cycle[id] = true;
          if (index[callee] == 0) {
            if (module_.function<Function>(callee) != nullptr) enter(callee);
          } else if (open[callee]) {
            low[id] = std::min(low[id], index[callee]);
          }
          continue;
        }
        stack.pop_back();
        if (!stack.empty()) low[stack.back().id] = std::min(low[stack.back().id], low[id]);
        if (low[id] == index[id]) CloseComponent(id, component, open, on_cycle, order);
      }
    }
    return order;
  }

 private:
  static void CloseComponent(GlobalId id, std::vector<GlobalId>& component, SideTable<GlobalId, bool>& open,
                             SideTable<GlobalId, bool>& on_cycle, std::vector<GlobalId>& order) {
    const bool alone = component.back() == id;
    while (true) {
      const GlobalId member = component.back();
      component.pop_back();
      open[member] = false;
      if (!alone) on_cycle[member] = true;
      order.push_back(member);
      if (member == id) return;
    }
  }

  const Module& module_;
  SideTable<GlobalId, std::vector<GlobalId>> callees_;
  SideTable<GlobalId, uint32_t> mentions_;
};

// Which expressions read or write references, or call something that may: their order matters to each other.
auto FindOrdered(const Function& function, const SideTable<ExprId, Purity>& purity) -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> ordered(function.size());
  for (const ExprId id : function.ids()) {
    const ExprKind kind = function.kind(id);
    // A closure has effects only when it is called.
    if (kind == ExprKind::kFunction) continue;
    ordered[id] =
        kind == ExprKind::kRefRead || kind == ExprKind::kRefWrite || (kind == ExprKind::kCall && !purity[id].eval);
    for (const ExprId operand : function.operands(id)) {
      if (ordered[operand]) ordered[id] = true;
    }
  }
  return ordered;
}

// Limits what inlining may copy, because a chain of functions that each call the next one twice grows exponentially.
// The limit is two million expressions, plus ten for each expression of the module, or what --max-ops allows.
class CopyBudget {
 public:
  CopyBudget(const Module& module, const PassContext& context) : kept_(module.globals().size()) {
    for (const GlobalId id : module.SortedFunctions<Function>())
      limit_ += kForEach * module.function<Function>(id)->size();
    if (const auto given = GivenGrowthLimit(context)) limit_ = std::min(limit_, static_cast<uint64_t>(*given));
  }

  // Whether `callee` may be copied into `caller` again. If not it stays a function, and the first time this is
  // reported.
  auto Allows(const Module& module, GlobalId callee, GlobalId caller, SourceRange range, PassContext& context) -> bool {
    const uint64_t size = module.function<Function>(callee)->size();
    if (copied_ + size <= limit_) {
      copied_ += size;
      return true;
    }
    if (!kept_[callee]) {
      context.diagnostics().Report(kTooMuchInlined, range, module.name(callee), module.name(caller), copied_, size);
    }
    kept_[callee] = true;
    return false;
  }
  // Whether calls of the function are not inlined.
  auto Keeps(GlobalId callee) const -> bool { return kept_[callee]; }

 private:
  static constexpr uint64_t kLeast = 2'000'000;
  static constexpr uint64_t kForEach = 10;

  uint64_t limit_ = kLeast;
  uint64_t copied_ = 0;
  SideTable<GlobalId, bool> kept_;
};

// Rewrites one caller. Functions that it calls have been rewritten before.
class Inliner {
 public:
  Inliner(const Module& module, const SideTable<GlobalId, bool>& is_inlined, const PurityAnalysis& purity,
          GlobalId caller, CopyBudget& budget, PassContext& context)
      : module_(module),
        is_inlined_(is_inlined),
        id_(caller),
        budget_(budget),
        name_(module.name(caller)),
        caller_(*module.function<Function>(caller)),
        context_(context),
        purity_(purity.Analyze(caller_)),
        ordered_(FindOrdered(caller_, purity_)),
        rebuild_(caller_) {}

  auto Run() -> std::optional<Function> {
    bool any = false;
    for (ExprId id(0U); id.value() < caller_.size() && !any; ++id) {
      any = caller_.kind(id) == ExprKind::kGlobal && is_inlined_[caller_.global(id)];
    }
    if (!any) return std::nullopt;
    rebuild_.ForEach([this](ExprId id) { return Visit(id); });
    context_.Count(kInlined, inlined_);
    return rebuild_.Finish();
  }

 private:
  auto IsInlinedGlobal(ExprId id) const -> bool {
    return caller_.kind(id) == ExprKind::kGlobal && is_inlined_[caller_.global(id)];
  }

  auto Visit(ExprId id) -> ExprId {
    if (IsInlinedGlobal(id)) return ExprId();
    if (caller_.kind(id) == ExprKind::kCall && IsInlinedGlobal(caller_.operand(id, 0))) {
      const Function& callee = *module_.function<Function>(caller_.global(caller_.operand(id, 0)));
      // A function for an external compiler is not inlined. Neither is a polymorphic one, whose body refers to its type
      // parameters.
      const bool stays_whole = IsExternal(callee) || !callee.info().type_params.empty();
      if (!stays_whole && MayCopy(caller_.operand(id, 0), id)) return InlineCall(id, callee);
      if (!stays_whole) return CopyWith(id, rebuild_.to().Copy(caller_, caller_.operand(id, 0), {}));
    }
    return CopyWith(id, {});
  }

  // Returns the expression as it is, with `callee`, if there is one, instead of its first operand.
  auto CopyWith(ExprId id, ExprId callee) -> ExprId {
    std::vector<ExprId> operands;
    for (const ExprId operand : caller_.operands(id)) {
      if (callee && operands.empty())
        operands.push_back(callee);
      else
        operands.push_back(IsInlinedGlobal(operand) ? Literal(operand) : rebuild_.New(operand));
    }
    return rebuild_.to().Copy(caller_, id, operands);
  }

  auto MayCopy(ExprId global, ExprId at) -> bool {
    return budget_.Allows(module_, caller_.global(global), id_, caller_.range(at), context_);
  }

  // Returns the body with the arguments for the parameters. An argument whose effects others can see is bound to its
  // parameter instead, so that it happens once, before the body, and in the order of the arguments; so is one with
  // state of its own (nn.dropout) that the body might leave out.
  auto InlineCall(ExprId id, const Function& callee) -> ExprId {
    ++inlined_;
    if (context_.wants_remarks()) {
      context_.Report(
          WithLayer(Remark(RemarkKind::kPassed, kInlined.pass, "Inlined", name_, FindRange(caller_, id))
                        .Text("call of ")
                        .Arg("Callee", fmt::format("@{}", module_.name(caller_.global(caller_.operand(id, 0)))))
                        .Text(" replaced by its body"),
                    caller_, id));
    }
    SideTable<ExprId, ExprId> made(callee.size());
    std::vector<ExprId> steps;
    for (size_t i = 0; i < callee.params().size(); ++i) {
      const ExprId param = callee.params()[i];
      const ExprId old_arg = caller_.operand(id, i + 1);
      const ExprId arg = IsInlinedGlobal(old_arg) ? Literal(old_arg) : rebuild_.New(old_arg);
      if (purity_[old_arg].eval || (!ordered_[old_arg] && IsAlwaysUsed(callee, param))) {
        made[param] = arg;
      } else {
        made[param] = rebuild_.to().Copy(callee, param, {});
        steps.push_back(made[param]);
        steps.push_back(arg);
      }
    }
    Clone(callee, made, callee.body());
    const ExprId body = made[callee.body()];
    if (steps.empty()) return body;
    const ExprId let = rebuild_.to().Let(steps, body);
    rebuild_.to().SetType(let, caller_.type(id));
    return let;
  }

  // Whether every evaluation of the body evaluates the parameter: some use of it is not inside a closure, branch or
  // clause.
  static auto IsAlwaysUsed(const Function& callee, ExprId param) -> bool {
    const Scopes scopes = ComputeScopes(callee);
    for (const ExprId id : callee.ids_below_root()) {
      const auto operands = callee.operands(id);
      for (size_t k = 0; k < operands.size(); ++k) {
        if (operands[k] != param || !scopes.of[id]) continue;
        ScopeId scope = UseScope(callee, scopes, id, k);
        while (scopes[scope].owner && callee.kind(scopes[scope].owner) == ExprKind::kLet) scope = scopes[scope].parent;
        if (scopes[scope].owner == callee.root()) return true;
      }
    }
    return callee.body() == param;
  }

  // Returns the function itself as a literal: one for each use that is not shared already.
  auto Literal(ExprId global) -> ExprId {
    if (const ExprId made = rebuild_.New(global)) return made;
    if (!MayCopy(global, global)) {
      rebuild_.Set(global, rebuild_.to().Copy(caller_, global, {}));
      return rebuild_.New(global);
    }
    const Function& callee = *module_.function<Function>(caller_.global(global));
    SideTable<ExprId, ExprId> made(callee.size());
    Clone(callee, made, callee.root());
    rebuild_.Set(global, made[callee.root()]);
    return made[callee.root()];
  }

  // Copies what `root` reaches; the table of the callee holds nothing else below its root.
  void Clone(const Function& callee, SideTable<ExprId, ExprId>& made, ExprId root) {
    std::vector<ExprId> operands;
    for (ExprId id(0U); id <= root; ++id) {
      if (made[id]) continue;
      operands.clear();
      for (const ExprId operand : callee.operands(id)) operands.push_back(made[operand]);
      made[id] = rebuild_.to().Copy(callee, id, operands);
    }
  }

  const Module& module_;
  const SideTable<GlobalId, bool>& is_inlined_;
  GlobalId id_;
  CopyBudget& budget_;
  std::string_view name_;
  const Function& caller_;
  PassContext& context_;
  SideTable<ExprId, Purity> purity_;
  SideTable<ExprId, bool> ordered_;
  Rebuild rebuild_;
  uint64_t inlined_ = 0;
};

// Emits remarks on functions with Inline that cannot be inlined.
void RemarkRecursion(const Module& module, GlobalId id, PassContext& context) {
  const Function& function = *module.function<Function>(id);
  context.Report(
      Remark(RemarkKind::kMissed, kInlined.pass, "Recursive", module.name(id), function.range(function.root()))
          .Text("calls of ")
          .Arg("Callee", fmt::format("@{}", module.name(id)))
          .Text(" stay: it calls itself, perhaps through others"));
}

struct Inline {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    const Calls calls(module);
    SideTable<GlobalId, bool> on_cycle(module.globals().size());
    const std::vector<GlobalId> order = calls.Order(on_cycle);
    SideTable<GlobalId, bool> is_inlined(module.globals().size());
    bool any = false;
    for (const GlobalId id : order) {
      const Function& function = *module.function<Function>(id);
      const bool wanted = function.IntAttr(function.root(), attr::kInline) != 0;
      is_inlined[id] = !on_cycle[id] && wanted;
      if (wanted && on_cycle[id] && context.wants_remarks()) RemarkRecursion(module, id, context);
      any = any || is_inlined[id];
    }
    if (!any) return std::optional<Module>();
    const auto& purity = module.Analysis<PurityAnalysis>();
    CopyBudget budget(module, context);
    Module result = module;
    for (const GlobalId id : order) {
      auto made = Inliner(result, is_inlined, purity, id, budget, context).Run();
      if (made) result.SetFunction(id, std::make_shared<Function>(*std::move(made)));
    }
    uint64_t removed = 0;
    for (const GlobalId id : order) {
      if (!is_inlined[id] || calls.IsEntry(id) || budget.Keeps(id)) continue;
      result.SetFunction(id, nullptr);
      ++removed;
    }
    context.Count(kRemoved, removed);
    return std::optional(std::move(result));
  }
};

}  // namespace

constinit const PassDef kInlinePass = DescribePass<Inline>({
    .name = "Inline",
    .info_name = "InlineGlobals",
    .opt_level = 1,
    .summary = "inlines functions with the attribute Inline",
    .details =
        R"(A call of a function with Inline=1 becomes its body with the arguments for the parameters, callees before callers; an argument that
is used twice is shared, not copied. The function is removed unless nothing called it in the first place. A mention that is no call
becomes the function itself as a literal, and so does the callee where the function is meant for an external compiler (Compiler, Extern).

  def @main(%x: int32) { @f(%x) }                 def @main(%x: int32) { add(%x, %x) }
  def @f(%y: int32, Inline=1) { add(%y, %y) }  =>

Variables are copied with every body, so that any number of calls can be inlined. An argument that reads or writes references is bound by
let, so that effects keep their number and order. Recursive functions, also through others, are left alone. Where the copies
would be more than two million expressions, and ten for each of the module, or more than --max-ops allows, calls stay, with a warning.)",
    .statistics = kInlineStatistics,
});

}  // namespace relayopt
