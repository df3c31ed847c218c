// Options of other tools.
#include "spellings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flags.h"
#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

// The order matters where two rows have the same name: the first that takes the value is meant.
constexpr SpellingDef kSpellings[] = {
    {.name = "disable-threading", .words = "--threads=1"},
    {.name = "disable-multithreading", .words = "--threads=1"},
    {.name = "disable-verify", .words = "--verify-each=0"},
    {.name = "emit-bytecode", .words = "--emit=bin"},
    {.name = "view-op-graph", .words = "--emit=dot"},
    {.name = "local-reproducer", .words = ""},
    {.name = "pass-pipeline-local-reproducer", .words = ""},
    {.name = "print-on-crash-path", .words = "--crash-reproducer={}"},
    {.name = "print-pass-times", .words = "--time-passes"},
    {.name = "time-passes-per-run", .words = "--time-passes=per-run"},
    {.name = "timing-display", .words = "--time-passes={}"},
    {.name = "reduce-if", .words = "--reduce={}"},
    {.name = "reduce-test", .words = "--reduce=cmd:{}"},
    {.name = "test", .words = "--reduce=cmd:{}"},
    {.name = "remarks-filter", .words = "--pass-remarks={} --pass-remarks-missed={} --pass-remarks-analysis={}"},
    {.name = "remarks-filter-passed", .words = "--pass-remarks={}"},
    {.name = "remarks-filter-missed", .words = "--pass-remarks-missed={}"},
    {.name = "remarks-filter-analyse", .words = "--pass-remarks-analysis={}"},
    {.name = "remarks-output-file", .words = "--pass-remarks-output={}"},
    {.name = "validate-inputs", .words = "--sets={}", .is_number = true},
    {.name = "validate-inputs", .words = "--inputs={}"},
    {.name = "validate-seed", .words = "--seed={}"},
    {.name = "validate-rtol", .words = "--rtol={}"},
    {.name = "validate-atol", .words = "--atol={}"},
};

// What relayopt provides in another way.
constexpr std::pair<std::string_view, std::string_view> kHints[] = {
    {"S", "text is what relayopt prints anyway"},
    {"debug", "-v tells what is being done, --print-changed what passes change"},
    {"debug-only", "--print-ir-after=NAME shows what one pass does, --pass-remarks=NAME why"},
    {"cse", "passes are given to --passes, as --passes=EliminateCommonSubexpr"},
    {"dce", "passes are given to --passes, as --passes=DeadCodeElimination"},
    {"canonicalize", "passes are given to --passes, as --passes=SimplifyExpr"},
    {"constants", "--write-params=FILE moves constants into a file, --elide-constants-if-larger=N leaves them out"},
    {"elide-resource-strings-if-larger", "--elide-constants-if-larger=N leaves constants out"},
    {"print-anf", "--passes=...,ToANormalForm prints the module in this form"},
    {"print-graph", "--passes=...,ToGraphNormalForm prints the module in this form"},
    {"print-op-generic", "--print-types=all prints all types, which is the default"},
    {"print-call-graph", "--emit=dot draws the module"},
    {"dot-callgraph", "--emit=dot draws the module"},
    {"track-memory", "--time-passes has a column for memory, --mem-report shows it by kind"},
    {"step-limit", "--reduce-timeout=SECONDS ends the search with the best result so far"},
    {"keep-best", "--reduce returns its best result anyway, --reduce-timeout=SECONDS when time is over"},
    {"remarks-format", "--pass-remarks-output writes YAML"},
    {"pass-remarks-format", "--pass-remarks-output writes YAML"},
    {"load-dialect-plugin", "--load-pass-plugin=FILE loads passes, and --allow-unregistered-ops reads other operators"},
    {"lsp", "the language server is a tool of its own, relayopt-lsp"},
    {"input-shape", "--onnx-shape=NAME:1x3x224x224 gives an input its shape"},
    {"overwrite-input-shape", "--onnx-shape=NAME:1x3x224x224 gives an input its shape"},
    {"skip-optimization", "--disabled-pass=NAME leaves a pass out"},
    {"target-opset", "--onnx-write-opset=N sets the version of the operators that are written"},
    {"opset", "--onnx-write-opset=N sets the version of the operators that are written"},
    {"opset-version", "--onnx-write-opset=N sets the version of the operators that are written"},
    {"fixed-point", "--converge repeats the pipeline until it changes nothing"},
};

auto WithoutMlir(std::string_view name) -> std::string_view {
  return name.starts_with("mlir-") ? name.substr(5) : name;
}

auto IsWholeNumber(std::string_view value) -> bool {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

auto TakesValue(const SpellingDef& spelling) -> bool { return spelling.words.find("{}") != std::string_view::npos; }

auto FindSpelling(std::string_view name, std::optional<std::string_view> value) -> const SpellingDef* {
  const auto found = std::ranges::find_if(kSpellings, [&](const SpellingDef& row) {
    if (row.name != WithoutMlir(name) || (value && !TakesValue(row))) return false;
    return !row.is_number || IsWholeNumber(value.value_or(""));
  });
  return found == std::ranges::end(kSpellings) ? nullptr : &*found;
}

auto WordsOf(const SpellingDef& spelling, std::string_view value) -> std::vector<std::string> {
  std::vector<std::string> words;
  for (const std::string_view word : SplitRow(spelling.words)) {
    const size_t hole = word.find("{}");
    words.push_back(hole == std::string_view::npos
                        ? std::string(word)
                        : fmt::format("{}{}{}", word.substr(0, hole), value, word.substr(hole + 2)));
  }
  return words;
}

auto PassElement(std::string_view name, std::optional<std::string_view> options) -> std::optional<std::string> {
  const PassDef* pass = FindPass(name);
  if (pass == nullptr) return std::nullopt;
  if (!options) return std::string(pass->name);
  const bool is_bare = !options->starts_with('{') && !options->starts_with('<');
  // Options are separated by `;` as in opt, or by blanks as in mlir-opt.
  const bool has_blanks = options->find(' ') != std::string_view::npos && options->find(';') == std::string_view::npos;
  if (!is_bare) return fmt::format("{}{}", pass->name, *options);
  return fmt::format("{}{}{}{}", pass->name, has_blanks ? '{' : '<', *options, has_blanks ? '}' : '>');
}

auto SpellingHint(std::string_view name) -> std::string_view {
  const auto found =
      std::ranges::find(kHints, WithoutMlir(name), &std::pair<std::string_view, std::string_view>::first);
  return found == std::ranges::end(kHints) ? std::string_view() : found->second;
}

}  // namespace relayopt
