// MergeComposite: turns operators that an external compiler runs as one into a composite function.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "accelerator.h"
#include "pattern_tables.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/relay/pattern/rewrite.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/option_checks.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoTable = {"merge-composite-no-table", Severity::kError,
                                     "there is no pattern table for the compiler '{}'; 'dnnl' has one"};
constexpr DiagnosticKind kNothingToDo = {"merge-composite-no-patterns", Severity::kError,
                                         "MergeComposite needs patterns: compilers=[dnnl], accelerator=@FILE or "
                                         "table={{\"name\": [\"nn.relu(nn.conv2d(*, *))\"]}}"};

struct MergeCompositeOptions {
  std::vector<std::string> compilers;
  StringListMap table;
  std::string accelerator;
  static constexpr auto Fields() {
    return std::array{
        Option<&MergeCompositeOptions::compilers>("external compilers whose patterns are used"),
        Option<&MergeCompositeOptions::accelerator>(
            "a JSON file that describes an accelerator, @acc.json; its patterns come after `table`"),
        Option<&MergeCompositeOptions::table>("further patterns by the name of the composite, tried first",
                                              {.check = CheckPatterns}),
    };
  }
};

struct Entry {
  std::string name;
  DFPattern pattern;
  bool (*check)(const Function& function, ExprId root) = nullptr;
};

// The patterns of one run.
class CompositeTable {
 public:
  auto Read(Context& context, const MergeCompositeOptions& options) -> std::optional<Diagnostic> {
    std::vector<CompositePattern> patterns;
    for (const auto& [name, texts] : options.table) {
      for (const std::string& text : texts) patterns.push_back({name, text});
    }
    if (!options.accelerator.empty()) {
      auto accelerator = Accelerator::ReadFile(options.accelerator);
      if (!accelerator) return std::move(accelerator).error();
      for (const Accelerator::Pattern& pattern : accelerator->patterns())
        patterns.push_back({pattern.name, pattern.text});
    }
    for (const std::string& compiler : options.compilers) {
      std::vector<CompositePattern> more = PatternsOf(compiler);
      if (more.empty()) return MakeDiagnostic(kNoTable, {}, compiler);
      std::ranges::move(more, std::back_inserter(patterns));
    }
    // An accelerator need not have patterns.
    if (patterns.empty() && options.accelerator.empty()) return MakeDiagnostic(kNothingToDo, {});
    for (const CompositePattern& pattern : patterns) {
      auto parsed = ParsePattern(context, table_, pattern.pattern);
      if (!parsed) return std::move(parsed).error();
      entries_.push_back({pattern.name, *parsed, pattern.check});
    }
    return std::nullopt;
  }

  // Returns nothing if no pattern is found.
  auto Apply(const Function& function) const -> std::optional<Function> {
    Context& context = function.context();
    std::optional<Function> result;
    for (const Entry& entry : entries_) {
      const FunctionAttr composite = {context.Intern(attr::kComposite), context.AddString(entry.name)};
      auto made = PartitionPattern(entry.pattern, result ? *result : function, {&composite, 1}, entry.check);
      if (made) result = std::move(made);
    }
    return result;
  }

 private:
  PatternTable table_;
  std::vector<Entry> entries_;
};

struct MergeComposite {
  using Options = MergeCompositeOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    CompositeTable table;
    if (auto error = table.Read(module.context(), options)) return *std::move(error);
    std::optional<Module> result =
        RewriteFunctions<Function>(module, [&](GlobalId, const Function& function) { return table.Apply(function); });
    if (result) InferTypes(*result, context.diagnostics());
    return result;
  }
};

}  // namespace

constinit const PassDef kMergeCompositePass = DescribePass<MergeComposite>({
    .name = "MergeComposite",
    .opt_level = 0,
    .required = "InferType",
    .summary = "turns operators that an external compiler runs as one into composite functions",
    .details =
        R"(Whatever looks like one of the patterns becomes a call of a function literal with the attribute Composite, which AnnotateTarget
then hands to the compiler that the name begins with:

  nn.relu(add(nn.conv2d(%x, %w), %b))   =>   %0 = fn (%FunctionVar_0_0, %FunctionVar_0_1, %FunctionVar_0_2,
                                                      PartitionedFromPattern="nn.conv2d_add_nn.relu_",
                                                      Composite="dnnl.conv2d_bias_relu") { ... };
                                             %0(%x, %w, %b)

Patterns are tried one after the other, so the first that takes an operator keeps it. In a table of one's own they are written as text:
* for anything, const, %name, operators with arguments in parentheses, (p, q) for tuples, p.0 for projections, p | q for
alternatives, p {attr=value}, p : float32 or p : (1, 3), and $name=p to mention p again as $name.

  MergeComposite<table={"my.dense_relu": ["nn.relu(nn.dense(*, *)) : float32"]}>

Left alone: places where something else uses an intermediate result.)",
});

}  // namespace relayopt
