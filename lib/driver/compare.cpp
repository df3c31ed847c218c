// The result beside another module or other results.
#include "compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <set>

#include "relayopt/check/agreement.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/support/plural.h"
#include "relayopt/support/process.h"
#include "run.h"
#include "run_prim_func.h"

namespace relayopt {

namespace {

// Another module in the context of this one, with its types.
auto ReadOther(const Module& module, const std::string& path, ImportOptions imports, Reporter& reporter)
    -> std::optional<Module> {
  const auto source = OpenText(path, reporter);
  if (source == nullptr) return std::nullopt;
  imports.context = module.shared_context();
  DiagnosticSink sink;
  std::optional<ImportedModule> other = ReadFormat(RecognizeFormat(*source), source, imports, sink);
  if (other && !InferTypes(other->module, sink)) other.reset();
  reporter.Report(sink, source.get());
  return other ? std::optional(std::move(other->module)) : std::nullopt;
}

auto MainOf(const Module& module, const char* flag, Reporter& reporter) -> const Function* {
  const GlobalId main = module.FindGlobal("main");
  const Function* function = main ? module.function<Function>(main) : nullptr;
  if (function == nullptr) reporter.Error(fmt::format("{} needs a function @main", flag));
  return function;
}

auto RunMain(const Module& module, const std::vector<Value>& arguments, const ToolOptions& options, Reporter& reporter)
    -> std::optional<Value> {
  auto result = Evaluator(module, EvaluationLimitsOf(options)).Call(module.FindGlobal("main"), arguments);
  if (result) return *std::move(result);
  ReportFailure(result.error(), module.source().get(), reporter);
  return std::nullopt;
}

auto AgreementOf(const ToolOptions& options) -> AgreementOptions {
  AgreementOptions agreement;
  agreement.rtol = options.rtol;
  agreement.atol = options.atol;
  agreement.ulps = options.ulps;
  agreement.top1 = options.top1;
  return agreement;
}

class Comparer {
 public:
  Comparer(const Module& module, const ToolOptions& options, const ImportOptions& imports, TypePrinting types,
           const std::vector<BoundExtent>& known, Reporter& reporter)
      : module_(module), options_(options), imports_(imports), types_(types), known_(known), reporter_(reporter) {}

  auto Run() -> std::optional<Comparison> {
    if (!options_.diff.empty() && !Diff()) return std::nullopt;
    if (!options_.equiv.empty() && !Equiv()) return std::nullopt;
    if (!options_.compare_outputs.empty() && !Outputs()) return std::nullopt;
    return std::move(comparison_);
  }

 private:
  auto Diff() -> bool {
    const auto other = ReadOther(module_, options_.diff, imports_, reporter_);
    if (!other) return false;
    const ModuleDiff diff = DiffModules(*other, module_, {}, types_);
    comparison_.agrees &= diff.is_equal();
    if (options_.diff_format == "json") {
      comparison_.text += ToJson(diff);
    } else {
      const bool to_terminal = options_.output == "-" && IsTerminal(STDOUT_FILENO);
      comparison_.text +=
          ToText(diff, {.context = static_cast<size_t>(options_.diff_context),
                        .color = options_.color == "always" || (options_.color == "auto" && to_terminal)});
    }
    return true;
  }

  auto Equiv() -> bool {
    const auto other = ReadOther(module_, options_.equiv, imports_, reporter_);
    if (other && PrimFuncToRun(module_)) return EquivOfPrograms(*other);
    const auto agreement =
        other ? CompareModules(*other, module_, "--equiv", options_, known_, reporter_) : std::nullopt;
    if (!agreement) return false;
    Tell("equiv", *agreement);
    return true;
  }

  // Tensor programs are compared one by one, by name.
  auto EquivOfPrograms(const Module& other) -> bool {
    const PrimFuncJudge::Verdict verdict = JudgePrimFuncs(other, module_, options_, reporter_);
    if (verdict.kind == PrimFuncJudge::Verdict::Kind::kNotRun) {
      reporter_.Error(fmt::format("--equiv: the programs cannot be compared: {}", verdict.text));
      return false;
    }
    const bool agrees = verdict.kind == PrimFuncJudge::Verdict::Kind::kAgrees;
    comparison_.text += agrees ? "equiv: same\n" : fmt::format("{}\nequiv: DIFFERENT\n", verdict.text);
    comparison_.agrees &= agrees;
    return true;
  }

  auto Outputs() -> bool {
    const Function* main = MainOf(module_, "--compare-outputs", reporter_);
    std::vector<NamedTensor> tensors;
    if (main == nullptr || !ReadInto(options_.compare_outputs, tensors, reporter_)) return false;
    const auto arguments = MakeRunArguments(*main, options_, known_, 0, reporter_);
    const auto got = arguments ? RunMain(module_, *arguments, options_, reporter_) : std::nullopt;
    if (!got) return false;
    // In the order of the file, which is that of the outputs where --run wrote it.
    std::vector<Value> fields;
    for (const NamedTensor& named : tensors) fields.emplace_back(named.tensor);
    Agreement agreement(AgreementOf(options_));
    agreement.Add(Value::Tuple(std::move(fields)), *got);
    Tell("compare-outputs", agreement);
    return true;
  }

  void Tell(const char* flag, const Agreement& agreement) {
    comparison_.text += agreement.ToText();
    comparison_.text += fmt::format("{}: {}\n", flag, agreement.agrees() ? "same" : "DIFFERENT");
    comparison_.agrees &= agreement.agrees();
  }

  const Module& module_;
  const ToolOptions& options_;
  const ImportOptions& imports_;
  TypePrinting types_;
  const std::vector<BoundExtent>& known_;
  Reporter& reporter_;
  Comparison comparison_;
};

// Returns which parameter of `expected` each parameter of `got` is: that of its name if both have the same names, else
// that of its position. Both have equally many.
auto ParameterOrder(const Function& expected, const Function& got) -> std::vector<size_t> {
  const auto name = [](const Function& function, size_t i) {
    return function.context().text(function.var(function.params()[i]).name);
  };
  const size_t count = got.params().size();
  std::vector<size_t> positions;
  std::map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < count; ++i) {
    positions.push_back(i);
    by_name.emplace(name(expected, i), i);
  }
  std::vector<size_t> order;
  std::set<size_t> taken;
  for (size_t i = 0; i < count; ++i) {
    const auto found = by_name.find(name(got, i));
    if (found == by_name.end() || !taken.insert(found->second).second) return positions;
    order.push_back(found->second);
  }
  return order;
}

}  // namespace

auto CompareModules(const Module& expected, const Module& got, const char* flag, const ToolOptions& options,
                    const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Agreement> {
  const Function* expected_main = MainOf(expected, flag, reporter);
  const Function* got_main = expected_main == nullptr ? nullptr : MainOf(got, flag, reporter);
  if (got_main == nullptr) return std::nullopt;
  if (expected_main->params().size() != got_main->params().size()) {
    reporter.Error(fmt::format("{}: @main has {}, that of the other module has {}", flag,
                               Counted(got_main->params().size(), "parameter"), expected_main->params().size()));
    return std::nullopt;
  }
  const std::vector<size_t> order = ParameterOrder(*expected_main, *got_main);
  Agreement agreement(AgreementOf(options));
  for (uint64_t set = 0; set < options.sets; ++set) {
    // Made for one of the modules, because made-up arguments depend on the program.
    const auto arguments = MakeRunArguments(*expected_main, options, known, set, reporter);
    const auto left = arguments ? RunMain(expected, *arguments, options, reporter) : std::nullopt;
    if (!left) return std::nullopt;
    std::vector<Value> reordered;
    for (const size_t i : order) reordered.push_back((*arguments)[i]);
    const auto right = RunMain(got, reordered, options, reporter);
    if (!right) return std::nullopt;
    agreement.Add(*left, *right);
  }
  return agreement;
}

auto CompareResult(const Module& module, const ToolOptions& options, const ImportOptions& imports, TypePrinting types,
                   const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Comparison> {
  return Comparer(module, options, imports, types, known, reporter).Run();
}

}  // namespace relayopt
