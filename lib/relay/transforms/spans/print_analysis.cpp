// PrintAnalysis: prints facts about a module.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/analysis/match_coverage.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/post_dominators.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kFound = {"analysis", Severity::kRemark, "{}"};
constexpr DiagnosticKind kFoundIn = {"analysis", Severity::kRemark, "@{}: {}"};

auto AnalysisNames() -> std::vector<std::string_view>;

struct PrintAnalysisOptions {
  std::vector<std::string> analyses;
  static constexpr auto Fields() {
    return std::array{Option<&PrintAnalysisOptions::analyses>(
        "which ones: call_graph, dominators, kinds, macs, operators, purity, type_variables, unmatched_cases, "
        "variables, well_formed; all when there is none",
        {.choices = AnalysisNames})};
  }
};

class AnalysisPrinter {
 public:
  AnalysisPrinter(const Module& module, DiagnosticSink& sink) : module_(module), sink_(sink) {}

  void CallGraph() {
    const auto graph = relayopt::CallGraph(module_);
    for (const GlobalId id : module_.SortedFunctions<Function>()) {
      std::string callees;
      for (const GlobalId callee : graph[id]) callees += fmt::format(" @{}", module_.name(callee));
      In(id, callees.empty() ? "mentions no function" : "mentions" + callees);
    }
  }

  void Operators() {
    for (const auto& [op, count] : CountOperators(module_)) {
      sink_.Report(kFound, {}, fmt::format("{} x {}", count, op->name));
    }
  }

  void Macs() {
    ForEach([this](GlobalId id, const Function& function) {
      In(id, fmt::format("{} multiply-accumulates", CountMacs(function)));
    });
  }

  void Variables() {
    ForEach([this](GlobalId id, const Function& function) {
      const VarSets sets = FindVars(function, function.root());
      In(id, fmt::format("{} variables, {} free:{}", sets.all.size(), sets.free.size(), Names(function, sets.all)));
    });
  }

  void TypeVariables() {
    ForEach([this](GlobalId id, const Function& function) {
      const TypeVarSets sets = FindTypeVars(function, function.root());
      std::string names;
      for (const TypeId type : sets.all) names += fmt::format(" {}", Text(module_.context().type(type).name));
      In(id, fmt::format("{} type variables, {} free:{}", sets.all.size(), sets.free.size(), names));
    });
  }

  void UnmatchedCases() {
    ForEach([this](GlobalId id, const Function& function) {
      for (const ExprId node : function.ids()) {
        if (function.kind(node) != ExprKind::kMatch) continue;
        const std::vector<std::string> cases = relayopt::UnmatchedCases(module_, function, node);
        const std::string text =
            cases.empty() ? "the match is exhaustive" : fmt::format("not matched: {}", fmt::join(cases, ", "));
        sink_.Report(kFoundIn, function.range(node), module_.name(id), text);
      }
    });
  }

  void Kinds() {
    ForEach([this](GlobalId id, const Function& function) {
      // As one tuple, so that parts that types share are looked at once.
      std::vector<TypeId> types;
      for (const ExprId node : function.ids()) {
        if (function.type(node)) types.push_back(function.type(node));
      }
      In(id, CheckKind(module_, module_.context().Tuple(types)).value_or("every type has a meaning"));
    });
  }

  void Dominators() {
    ForEach([this](GlobalId id, const Function& function) {
      const PostDominators dominators(function);
      for (const ExprId node : function.ids()) {
        if (function.kind(node) != ExprKind::kOpCall) continue;
        const ExprId parent = dominators.parent(node);
        In(id, fmt::format("what {} makes flows through {}", function.op(node)->name,
                           parent ? Describe(function, parent) : "no single expression"));
      }
    });
  }

  void PurityOfFunctions() {
    const auto& purity = module_.Analysis<PurityAnalysis>();
    ForEach([&](GlobalId id, const Function& function) {
      In(id, purity.Analyze(function)[function.root()].call ? "is pure" : "has effects");
    });
  }

  void WellFormed() {
    ForEach([this](GlobalId id, const Function& function) {
      const auto error = Verify(module_, function);
      In(id, error ? "is not well-formed: " + error->text : "is well-formed");
    });
  }

 private:
  template <typename Visit>
  void ForEach(Visit&& visit) {
    for (const GlobalId id : module_.SortedFunctions<Function>()) visit(id, *module_.function<Function>(id));
  }
  void In(GlobalId id, std::string_view text) { sink_.Report(kFoundIn, {}, module_.name(id), text); }
  auto Text(StringId id) const -> std::string_view { return module_.context().text(id); }
  auto Names(const Function& function, const std::vector<ExprId>& vars) const -> std::string {
    std::string names;
    for (const ExprId var : vars) names += fmt::format(" %{}", Text(function.var(var).name));
    return names;
  }
  auto Describe(const Function& function, ExprId id) const -> std::string {
    switch (function.kind(id)) {
      case ExprKind::kOpCall: return std::string(function.op(id)->name);
      case ExprKind::kVar: return fmt::format("%{}", Text(function.var(id).name));
      case ExprKind::kFunction: return id == function.root() ? "the result" : "a function";
      case ExprKind::kTuple: return "a tuple";
      case ExprKind::kTupleGetItem: return fmt::format("field {} of a tuple", function.index(id));
      case ExprKind::kLet: return "a let";
      case ExprKind::kIf: return "an if";
      case ExprKind::kMatch: return "a match";
      case ExprKind::kCall: return "a call";
      default: return "a reference";
    }
  }

  const Module& module_;
  DiagnosticSink& sink_;
};

// The analyses by name, sorted.
struct Analysis {
  std::string_view name;
  void (AnalysisPrinter::*print)();
};
constexpr Analysis kAnalyses[] = {
    {"call_graph", &AnalysisPrinter::CallGraph},
    {"dominators", &AnalysisPrinter::Dominators},
    {"kinds", &AnalysisPrinter::Kinds},
    {"macs", &AnalysisPrinter::Macs},
    {"operators", &AnalysisPrinter::Operators},
    {"purity", &AnalysisPrinter::PurityOfFunctions},
    {"type_variables", &AnalysisPrinter::TypeVariables},
    {"unmatched_cases", &AnalysisPrinter::UnmatchedCases},
    {"variables", &AnalysisPrinter::Variables},
    {"well_formed", &AnalysisPrinter::WellFormed},
};

auto AnalysisNames() -> std::vector<std::string_view> {
  return MapToVector<std::string_view>(kAnalyses, &Analysis::name);
}

struct PrintAnalysis {
  using Options = PrintAnalysisOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    AnalysisPrinter printer(module, context.diagnostics());
    for (const Analysis& analysis : kAnalyses) {
      const bool is_wanted =
          options.analyses.empty() || std::ranges::find(options.analyses, analysis.name) != options.analyses.end();
      if (is_wanted) (printer.*analysis.print)();
    }
    return std::nullopt;
  }
};

}  // namespace

constinit const PassDef kPrintAnalysisPass = DescribePass<PrintAnalysis>({
    .name = "PrintAnalysis",
    .opt_level = 0,
    .required = "InferType",
    .summary = "prints facts about a module",
    .details = R"(Reports, as remarks, and changes nothing:

  call_graph       which functions each function mentions
  dominators       for each operator the first expression that all it makes flows through
  kinds            types that have no meaning, such as data types with the wrong number of arguments
  macs             multiply-accumulates of convolutions and matrix products
  operators        how often each operator is called, kernels (Primitive) left out
  purity           whether calling a function has effects
  type_variables   the type variables of each function, and how many are free
  unmatched_cases  for each match what no clause handles
  variables        the variables of each function in the order in which they are met, and how many are free
  well_formed      whether functions keep the rules of the IR

  PrintAnalysis<analyses=[macs,operators]>)",
    .idempotent = true,
});

}  // namespace relayopt
