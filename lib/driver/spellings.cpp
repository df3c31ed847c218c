// Options of other tools.
#include "spellings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flags.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// The order matters where two rows have the same name: the first that takes the value is meant.
constexpr SpellingDef kSpellings[] = {
    {.name = "S", .words = ""},
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
    {.name = "Rpass", .words = "--pass-remarks={}"},
    {.name = "Rpass-missed", .words = "--pass-remarks-missed={}"},
    {.name = "Rpass-analysis", .words = "--pass-remarks-analysis={}"},
    {.name = "debug-pass-manager", .words = "--print-pass-numbers"},
    {.name = "pass-statistics-display", .words = "--stats", .ignores_value = true},
    {.name = "ftime-report", .words = "--time-passes"},
    {.name = "ftime-trace", .words = "--time-trace"},
    {.name = "fsyntax-only", .words = "--check-only"},
    {.name = "help-list", .words = "--help=all"},
    {.name = "print-all-passes", .words = "--list-passes"},
    {.name = "check-n", .words = "--validate=final --sets={}"},
    {.name = "model-check", .words = "--validate=final"},
    {.name = "save-as-external-data", .words = "--onnx-external"},
    {.name = "inspect", .words = "--summary"},
    {.name = "silent", .words = "--quiet"},
    {.name = "no-color", .words = "--color=never"},
    {.name = "fcolor-diagnostics", .words = "--color=always"},
    {.name = "fno-color-diagnostics", .words = "--color=never"},
    {.name = "fdiagnostics-format", .words = "--diagnostics-format={}"},
    {.name = "ferror-limit", .words = "--error-limit={}"},
    {.name = "fplugin", .words = "--load-pass-plugin={}"},
    {.name = "show-timing", .words = "--time-passes"},
    {.name = "model-format", .words = "--input-format={}"},
    {.name = "validate-inputs", .words = "--sets={}", .is_number = true},
    {.name = "validate-inputs", .words = "--inputs={}"},
    {.name = "validate-seed", .words = "--seed={}"},
    {.name = "validate-report", .words = "--diagnostics-format={}"},
    {.name = "track-memory", .words = "--mem-report"},
    {.name = "track-provenance", .words = "--print-provenance"},
    {.name = "validate-rtol", .words = "--rtol={}"},
    {.name = "validate-atol", .words = "--atol={}"},
};

constexpr std::string_view kShapeHint = "--onnx-shape=NAME:1x3x224x224 gives an input its shape";
constexpr std::string_view kInputHint = "an input is a word without a flag, as in relayopt model.onnx -o better.onnx";
constexpr std::string_view kTargetHint = "--target='llvm -mcpu=core-avx2' describes the machine";
constexpr std::string_view kPassListHint = "--list-passes lists the passes, --help-pass='default<onnx>' those for ONNX";
constexpr std::string_view kLayoutHint = "--passes='ConvertLayout<layouts=...>' changes layouts";

// Options of other tools for which relayopt has something else.
constexpr std::pair<std::string_view, std::string_view> kHints[] = {
    {"debug", "-v tells what is being done, --print-changed what passes change"},
    {"debug-only", "--print-ir-after=NAME shows what one pass does, --pass-remarks=NAME why"},
    {"cse", "passes are given to --passes, as --passes=EliminateCommonSubexpr"},
    {"dce", "passes are given to --passes, as --passes=DeadCodeElimination"},
    {"canonicalize", "passes are given to --passes, as --passes=SimplifyExpr"},
    {"constants", "--write-params=FILE moves constants into a file, --elide-constants-if-larger=N leaves them out"},
    {"elide-resource-strings-if-larger", "--elide-constants-if-larger=N leaves constants out"},
    {"print-anf", "--passes=...,ToANormalForm prints the module in this form"},
    {"validate-ulp", "--rtol and --atol set tolerances of --validate, --ulps those of --equiv"},
    {"print-graph", "--passes=...,ToGraphNormalForm prints the module in this form"},
    {"print-local-scope", "modules are always printed as a whole; --filter-print-funcs=NAME selects functions"},
    {"print-unique-ssa-ids", "names are unique in a function anyway"},
    {"use-nameloc-as-prefix", "values that are bound by let keep their names, others are numbered"},
    {"print-assume-verified", "modules are printed the same whether they are valid or not"},
    {"print-op-on-diagnostic", "messages show the line of the input anyway"},
    {"print-stacktrace-on-diagnostic", "messages name the pass that was running anyway"},
    {"no-implicit-module", "a text holds one module"},
    {"print-op-generic", "--print-types=all prints all types, which is the default"},
    {"print-call-graph", "--emit=dot draws the module"},
    {"dot-callgraph", "--emit=dot draws the module"},
    {"step-limit", "--reduce-timeout=SECONDS ends the search with the best result so far"},
    {"keep-best", "--reduce returns its best result anyway, --reduce-timeout=SECONDS when time is over"},
    {"remarks-format", "--pass-remarks-output writes YAML"},
    {"pass-remarks-format", "--pass-remarks-output writes YAML"},
    {"load-dialect-plugin", "--load-pass-plugin=FILE loads passes, and --allow-unregistered-ops reads other operators"},
    {"lsp", "the language server is a tool of its own, relayopt-lsp"},
    {"debug-pass", "--dump-pass-pipeline prints the pipeline, --print-pass-numbers each pass as it runs"},
    {"print-all-options", "--help=all shows all options, --print-options those that are given"},
    {"show-dialects", "--list-ops lists the operators"},
    {"list-dialects", "--list-ops lists the operators"},
    {"show-passes", kPassListHint},
    {"list-optimizers", kPassListHint},
    {"list-default-optimizers", kPassListHint},
    {"list-other-optimizers", kPassListHint},
    {"Wall", "all warnings are shown; --Werror makes them errors, -w hides them"},
    {"Wextra", "all warnings are shown; --Werror makes them errors, -w hides them"},
    {"Wno-everything", "-w hides warnings"},
    {"march", kTargetHint},
    {"mcpu", kTargetHint},
    {"mtriple", kTargetHint},
    {"mattr", kTargetHint},
    {"device", kTargetHint},
    {"emit-llvm", "relayopt ends before code is generated; --emit=FORMAT names what it writes"},
    {"dump-code", "--print-ir-after-all prints the module after each pass; code is not generated"},
    {"save-temps", "--dump-ir-dir=FOLDER keeps the module after each pass that changed it"},
    {"verify", "modules are verified after each pass; --check-only only reads a module and checks its types"},
    {"i", kInputHint},
    {"in", kInputHint},
    {"input", kInputHint},
    {"input-file", kInputHint},
    {"input-model", kInputHint},
    {"model", kInputHint},
    {"output-file", "-o FILE writes the result there"},
    {"output-model", "-o FILE writes the result there"},
    {"outputs", "-o FILE writes the result there; all outputs of a model are kept"},
    {"output-format", "--emit=FORMAT names the format; by default the ending of -o does"},
    {"info", "--summary shows what a model consists of and costs"},
    {"shape", kShapeHint},
    {"input-shape", kShapeHint},
    {"input-shapes", kShapeHint},
    {"test-input-shape", kShapeHint},
    {"overwrite-input-shape", kShapeHint},
    {"dynamic-input-shape", "inputs without a known shape need no flag; --onnx-shape=NAME:1x3x224x224 sets one"},
    {"dtype", "--passes=ToMixedPrecision computes in float16; --onnx-dtype=NAME:TYPE is the type of an input"},
    {"skip-fuse-bn", "--disabled-pass=FoldScaleAxis leaves the folding of BatchNormalization out"},
    {"skip-constant-folding", "--disabled-pass=FoldConstant leaves the folding of constants out"},
    {"skip-shape-inference", "types are always inferred"},
    {"no-shape-infer", "types are always inferred"},
    {"no-large-tensor", "--onnx-external writes large tensors into a file beside the model"},
    {"enable-onnxrt-optimization", "relayopt runs its own passes only; -p PASSES adds some"},
    {"desired-layout", kLayoutHint},
    {"convert-layout", kLayoutHint},
    {"tuning-records", "relayopt does not tune kernels; --target-table=FILE.json chooses layouts"},
    {"print-top", "--run prints all elements, or writes them to -o FILE.npz"},
    {"fill-mode", "--inputs=FILE.npz gives the arguments; others are random, by --seed"},
    {"profile", "--time-passes shows the time of passes, --summary what each layer costs"},
    {"skip-optimization", "--disabled-pass=NAME leaves a pass out"},
    {"target-opset", "--onnx-write-opset=N sets the version of the operators that are written"},
    {"opset", "--onnx-write-opset=N sets the version of the operators that are written"},
    {"opset-version", "--onnx-write-opset=N sets the version of the operators that are written"},
    {"fixed-point", "--converge repeats the pipeline until it changes nothing"},
};

auto WithoutMlir(std::string_view name) -> std::string_view {
  return name.starts_with("mlir-") ? name.substr(5) : name;
}

// Whether an option was meant; some tools write `_` for `-`.
auto IsSame(std::string_view known, std::string_view typed) -> bool {
  return std::ranges::equal(known, WithoutMlir(typed), [](char a, char b) { return a == (b == '_' ? '-' : b); });
}

auto IsWholeNumber(std::string_view value) -> bool {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

auto TakesValue(const SpellingDef& spelling) -> bool {
  return spelling.ignores_value || spelling.words.find("{}") != std::string_view::npos;
}

auto FindSpelling(std::string_view name, std::optional<std::string_view> value) -> const SpellingDef* {
  const auto found = std::ranges::find_if(kSpellings, [&](const SpellingDef& row) {
    if (!IsSame(row.name, name) || (value && !TakesValue(row))) return false;
    return !row.is_number || IsWholeNumber(value.value_or(""));
  });
  return found == std::ranges::end(kSpellings) ? nullptr : &*found;
}

auto WordsOf(const SpellingDef& spelling, std::string_view value) -> std::vector<std::string> {
  std::vector<std::string> words;
  for (const std::string_view word : SplitText(spelling.words, ' ')) {
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
  const auto found = std::ranges::find_if(kHints, [&](const auto& row) { return IsSame(row.first, name); });
  return found == std::ranges::end(kHints) ? std::string_view() : found->second;
}

}  // namespace relayopt
