// --run of a tensor program.
#include "run_prim_func.h"

#include <fmt/format.h>

#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/format.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/eval/arguments.h"
#include "relayopt/tir/eval/diagnostics.h"
#include "run.h"

namespace relayopt {

namespace {

auto OptionsOf(const ToolOptions& options) -> tir::ArgumentOptions {
  tir::ArgumentOptions arguments;
  arguments.seed = static_cast<uint64_t>(EvaluationOf(options).seed);
  arguments.unknown_extent = EvaluationOf(options).unknown_extent;
  for (const std::string& text : EvaluationOf(options).bind) {
    if (auto bound = ParseBinding(text)) {
      arguments.bound.push_back({std::move(bound->parameter), bound->axis, bound->extent});
    }
  }
  return arguments;
}

// Returns the buffers that the function wrote, and its return value, by name.
auto OutputsOf(std::span<const tir::Input> inputs, const Context& context, tir::Outcome outcome)
    -> std::vector<NamedTensor> {
  std::vector<NamedTensor> outputs;
  absl::flat_hash_map<arith::PrimExpr, StringId> names;
  for (const tir::Input& input : inputs) names.try_emplace(input.var, input.name);
  for (size_t i = 0; i < outcome.buffers.size(); ++i) {
    const auto name = names.find(outcome.buffers[i].var);
    if (!outcome.written[i] || name == names.end()) continue;
    outputs.push_back({std::string(context.text(name->second)), std::move(outcome.buffers[i].tensor)});
  }
  if (outcome.returned) outputs.push_back({"return", *std::move(outcome.returned)});
  return outputs;
}

}  // namespace

auto PrimFuncToRun(const Module& module) -> GlobalId {
  const GlobalId main = module.FindGlobal("main");
  if (main && module.function<tir::PrimFunc>(main) != nullptr) return main;
  const auto all = module.SortedFunctions<tir::PrimFunc>();
  return all.size() == 1 ? all[0] : GlobalId();
}

auto RunPrimFunc(const Module& module, GlobalId id, const ToolOptions& options, std::span<const NamedTensor> given,
                 Reporter& reporter) -> std::optional<std::string> {
  const SourceText* source = module.source().get();
  tir::EvaluationLimits limits;
  limits.lockstep = EvaluationOf(options).lockstep;
  limits.max_steps = EvaluationOf(options).max_steps.value_or(limits.max_steps);
  tir::Evaluator evaluator(module, limits);
  const auto tensors = MapToVector<tir::GivenTensor>(given, [&](const NamedTensor& tensor) {
    return tir::GivenTensor{tensor.name, tensor.tensor};
  });
  const auto arguments = tir::MakeArguments(evaluator, id, tensors, OptionsOf(options));
  if (!arguments) {
    reporter.Report(arguments.error(), source);
    return std::nullopt;
  }
  auto outcome = evaluator.Call(id, *arguments);
  if (!outcome) {
    Diagnostic fault = outcome.error();
    if (fault.kind == &tir::diag::kDataRace && evaluator.NumBarriers(id) == 0) {
      fault.Note(
          "the program has no barriers: tir.ThreadSync puts them in, and --lockstep runs it as if they were there");
    }
    ReportFailure(std::move(fault), source, reporter);
    return std::nullopt;
  }
  if (!outcome->undefined.empty())
    reporter.Report(MakeDiagnostic(diag::kUndefinedResult, outcome->undefined_at, outcome->undefined), source);
  const auto outputs = OutputsOf(evaluator.InputsOf(id), module.context(), *std::move(outcome));
  if (options.output.ends_with(".npz")) {
    auto archive = WriteNpz(outputs);
    if (archive) return *std::move(archive);
    reporter.Error(archive.error().text);
    return std::nullopt;
  }
  std::string text;
  for (const NamedTensor& output : outputs)
    text += fmt::format("{}: {}\n", output.name, FormatValue(module, Value(output.tensor)));
  return text;
}

auto JudgePrimFuncs(const Module& expected, const Module& got, const ToolOptions& options, Reporter& reporter)
    -> PrimFuncJudge::Verdict {
  std::vector<NamedTensor> given;
  if (!ReadInto(EvaluationOf(options).inputs, given, reporter) ||
      !ReadInto(EvaluationOf(options).params, given, reporter))
    return {PrimFuncJudge::Verdict::Kind::kNotRun, "no arguments"};
  PrimFuncJudge::Verdict verdict;
  for (uint64_t set = 0; set < EvaluationOf(options).sets && verdict.kind == PrimFuncJudge::Verdict::Kind::kAgrees;
       ++set) {
    PrimFuncJudge::Options judge;
    judge.arguments = OptionsOf(options);
    judge.arguments.seed += set;
    for (const NamedTensor& tensor : given) judge.given.push_back({tensor.name, tensor.tensor});
    judge.tolerance = {.exact = false,
                       .rtol = EvaluationOf(options).rtol.value_or(-1),
                       .atol = EvaluationOf(options).atol.value_or(-1)};
    judge.max_steps = EvaluationOf(options).max_steps.value_or(tir::EvaluationLimits().max_steps);
    verdict = PrimFuncJudge(std::move(judge)).Judge(expected, got);
  }
  return verdict;
}

}  // namespace relayopt
