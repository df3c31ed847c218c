// Declares every option once; help comes from the declarations.
#include "options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "arguments.h"
#include "completion.h"
#include "relayopt/support/diagnostic.h"
#include "reproducer.h"
#include "run.h"

namespace relayopt {

namespace {

constexpr const char* kUsage =
    R"(relayopt reads a module in Relay text, infers its types, runs passes over it and prints it.

  relayopt model.relay --passes='SimplifyInference,FoldConstant,FuseOps<fuse_opt_level=2>' -o fused.relay
)";

constexpr const char* kFooter = R"(
A pipeline is a comma-separated list of passes: Name, Name<key=value;key=value>, fixpoint<max=N>(...), repeat<N>(...),
with-target(...), default<O2>. Names may be written as FoldConstant or fold-constant. --list-passes shows them all.
--help-hidden shows all options. Exit status: 0 success, 1 error, 3 a semantic check (--run-twice, --verify-roundtrip)
failed, 74 the output was closed.)";

// The group of options that only --help-hidden shows.
constexpr const char* kRare = "For rare occasions";

// A list option that takes one argument each time: `--x=A,B --x C`.
auto AddList(CLI::App& app, const std::string& names, std::vector<std::string>& list, const std::string& doc,
             bool comma = true) -> CLI::Option* {
  CLI::Option* option = app.add_option_function<std::vector<std::string>>(
      names,
      [&list, comma](const std::vector<std::string>& values) {
        for (const std::string& value : values) {
          if (!comma) {
            list.push_back(value);
            continue;
          }
          for (size_t begin = 0; begin <= value.size();) {
            const size_t end = std::min(value.find(',', begin), value.size());
            list.push_back(value.substr(begin, end - begin));
            begin = end + 1;
          }
        }
      },
      doc);
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// Refuses everything but these words; with a suggestion, and without a trace in the help.
auto OneOf(std::vector<std::string_view> words) -> CLI::Validator {
  return {[words = std::move(words)](const std::string& given) -> std::string {
            if (std::find(words.begin(), words.end(), given) != words.end()) return "";
            std::string list;
            for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
            return "'" + given + "' is none of " + list + DidYouMean(given, words);
          },
          ""};
}

// Refuses everything but numbers from 0.
auto Count() -> CLI::Validator {
  return {[](const std::string& given) -> std::string {
            const bool is_number = !given.empty() && given.find_first_not_of("0123456789") == std::string::npos;
            return is_number ? "" : "'" + given + "' is no number from 0";
          },
          ""};
}

// Accepts a list of NAME=N and NAME.AXIS=N.
auto Bindings() -> CLI::Validator {
  return {[](const std::string& given) -> std::string {
            for (size_t begin = 0; begin <= given.size();) {
              const size_t end = std::min(given.find(',', begin), given.size());
              const std::string element = given.substr(begin, end - begin);
              if (!ParseBinding(element)) return "'" + element + "' is not NAME=N or NAME.AXIS=N";
              begin = end + 1;
            }
            return "";
          },
          ""};
}

void AddInputOutput(CLI::App& app, ToolOptions& o) {
  // What comes later wins: the command line over RELAYOPT_OPTIONS, and over itself.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->group("Input and output");
  app.add_option("FILE", o.input, "Relay text; - or nothing: standard input")->type_name("");
  app.add_option("-o,--output", o.output, "write here instead of to standard output; replaced as a whole, on success")
      ->type_name("FILE");
  app.add_flag("--allow-unregistered-ops", o.allow_unregistered_ops, "read unknown operators as opaque calls");
  app.add_flag("--split-input-file", o.split_input_file,
               "treat the parts between lines `// -----` as modules of their own");
  app.add_flag("--check-only", o.check_only, "read, check types, print nothing");
  app.add_flag("--disable-output", o.disable_output, "run everything, print nothing");
  app.add_option("--emit", o.emit, "what to print: text, or the graph as dot, mermaid or json")
      ->type_name("FORM")
      ->check(OneOf({"text", "dot", "mermaid", "json"}));
}

void AddPipeline(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Pipeline");
  AddList(app, "-p,--passes", o.passes, "passes to run; repeated: one after the other", false)->type_name("PIPELINE");
  AddList(app, "--passes-file", o.passes_files, "read passes from a file; run after those of --passes", false)
      ->type_name("FILE");
  app.add_option("-O", o.default_level, "the reference's build pipeline of level 0 to 4: default<ON>")->type_name("N");
  app.add_option("--opt-level", o.opt_level, "leave out passes of a higher level (default 2)")->type_name("N");
  app.add_flag("--strict-fp", o.strict_fp, "floats keep every bit: what is right for real numbers only steps aside");
  app.add_option("-j,--threads", o.threads, "run function passes on N threads; 0: as many as there are processors")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  AddList(app, "--disabled-pass", o.disabled_pass, "never run these")->type_name("NAME,...");
  AddList(app, "--required-pass", o.required_pass, "run these whatever their level")->type_name("NAME,...");
  AddList(app, "--config", o.config, "set a key of the pass context", false)->type_name("KEY=VALUE");
  app.add_option("--target", o.target, "target for passes that ask, as `llvm -mcpu=core-avx2`")->type_name("TEXT");
  AddList(app, "--load-pass-plugin", o.plugins, "load passes from a shared library", false)->type_name("FILE");
}

void AddPrinting(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Printing");
  app.add_option("--print-types", o.print_types, "type comments after expressions: all or none")
      ->type_name("WHICH")
      ->check(OneOf({"all", "none"}));
  app.add_option("--print-metadata", o.print_metadata, "section, omitted (a note instead) or none")
      ->type_name("HOW")
      ->check(OneOf({"section", "omitted", "none"}));
  app.add_flag("--print-pipeline", o.print_pipeline, "print the pipeline in canonical form and stop");
  AddList(app, "--print-ir-before", o.print_ir_before, "print the module before these passes, to stderr")
      ->type_name("NAME,...");
  AddList(app, "--print-ir-after", o.print_ir_after, "and after these")->type_name("NAME,...");
  app.add_flag("--print-ir-before-all", o.print_ir_before_all, "before every pass");
  app.add_flag("--print-ir-after-all", o.print_ir_after_all, "after every pass");
  app.add_flag("--print-ir-after-change", o.print_ir_after_change, "after every pass that changed something");
  app.add_option("--print-changed", o.print_changed, "follow what passes change; as a diff, or =cdiff in colour")
      ->type_name("[=quiet|diff|diff-quiet]")
      ->check(OneOf({"full", "quiet", "diff", "diff-quiet", "cdiff", "cdiff-quiet"}));
  app.add_option("--dump-ir-dir", o.dump_ir_dir, "write the module into this folder after each pass that changed it")
      ->type_name("FOLDER");
}

void AddMessages(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Messages");
  app.add_option("--color", o.color, "colour in messages; auto respects NO_COLOR and CLICOLOR_FORCE")
      ->type_name("[=auto|always|never]")
      ->check(OneOf({"auto", "always", "never"}));
  app.add_option("--diagnostics-format", o.diagnostics_format, "messages as text, json or sarif")
      ->type_name("FORM")
      ->check(OneOf({"text", "json", "sarif"}));
  app.add_flag("-w,--no-warnings", o.no_warnings, "show no warnings");
  app.add_flag("--Werror", o.warnings_are_errors, "fail when there are warnings");
  app.add_flag("--verbose", o.verbose, "tell on stderr what is being done");
}

void AddChecks(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Checks");
  app.add_option("--verify-each", o.verify_each, "verify after each pass (default); =0: only at the end")
      ->type_name("[=0]")
      ->check(OneOf({"0", "1"}));
  app.add_flag("--verify-diagnostics", o.verify_diagnostics, "compare messages with `expected-error {{...}}` comments");
  app.add_flag("--verify-roundtrip", o.verify_roundtrip, "check that the printed module reads back as itself");
  app.add_flag("--run-twice", o.run_twice, "run the pipeline twice and compare the results");
  app.add_option("--pass-timeout", o.pass_timeout, "fail when a pass takes longer")->type_name("SECONDS");
  app.add_option("--max-memory", o.max_memory, "fail when the process needs more")->type_name("MIB");
}

void AddReports(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Reports");
  app.add_option("--time-passes", o.time_passes, "show where time and memory went; a tree, a list, or run by run")
      ->type_name("[=list|per-run]")
      ->check(OneOf({"tree", "list", "per-run"}));
  app.add_option("--time-passes-json", o.time_passes_json, "the same for programs, in nanoseconds")->type_name("FILE");
  app.add_option("--stats", o.stats, "show what passes count; =json for programs")
      ->type_name("[=json]")
      ->check(OneOf({"text", "json"}));
  app.add_option("--pass-remarks", o.pass_remarks, "show what passes did, for passes that match")
      ->type_name("[=REGEX]");
  app.add_option("--pass-remarks-output", o.pass_remarks_output, "write all remarks as YAML")->type_name("FILE");
}

void AddDebugging(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Debugging");
  app.add_option("--opt-bisect-limit", o.bisect_limit, "run only the first N passes, and tell which; -1: all")
      ->type_name("N");
  app.add_option("--crash-reproducer", o.crash_reproducer, "where a crash saves the input of its pass; none: nowhere")
      ->type_name("FILE");
  app.add_option("--run-reproducer", o.run_reproducer, "run what such a file says")->type_name("FILE");
}

void AddEvaluation(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Evaluation");
  app.add_flag("--run", o.run,
               "evaluate @main after the passes and print its result; with -o FILE.npz: write it there");
  app.add_option("--inputs", o.inputs,
                 "arguments for --run and --validate by name, or arr_0, arr_1... in order; others are random")
      ->type_name("FILE.npz");
  app.add_option("--params", o.params, "more arguments: an .npz, or a parameter file of the reference")
      ->type_name("FILE");
  app.add_option("--validate", o.validate,
                 "evaluate @main around passes that change it and compare; a mismatch exits 3")
      ->type_name("[=changed|each|final]")
      ->check(OneOf({"changed", "each", "final"}));
  app.add_option("--seed", o.seed, "seed of random arguments, and with --fuzz of the first program")->type_name("S");
}

// What --help leaves out.
void AddRare(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group(kRare);
  app.add_option("--target-table", o.target_table, "JSON table of layouts that AlterOpLayout goes by")
      ->type_name("FILE");
  AddList(app, "--bind", o.bind, "what unknown extents of parameters are in random arguments: of all axes or of one")
      ->type_name("NAME[.AXIS]=N,...")
      ->check(Bindings());
  app.add_option("--unknown-extent", o.unknown_extent, "what other `?` become (2)")->type_name("N");
  app.add_flag("--validate-edge", o.validate_edge,
               "--validate with arguments that hold zeros, infinities, NaN and the like, too");
  app.add_option("--rtol", o.rtol, "--validate: relative tolerance for float32 after passes that are not exact (1e-4)")
      ->type_name("X");
  app.add_option("--atol", o.atol, "and the absolute tolerance (1e-5)")->type_name("X");
  AddList(app, "--onnx-shape", o.onnx_shapes, "shape of an input of an ONNX model; ? for an unknown extent", false)
      ->type_name("NAME:1x3x224x224");
  AddList(app, "--onnx-dim", o.onnx_dims, "what a symbolic extent of an ONNX model is", false)->type_name("SYMBOL=N");
  AddList(app, "--onnx-dtype", o.onnx_dtypes, "element type of an input of an ONNX model", false)
      ->type_name("NAME:TYPE");
  app.add_option("--onnx-opset", o.onnx_opset, "version of ONNX's operators, instead of the model's")->type_name("N");
  app.add_option("--onnx-bind", o.onnx_bind, "inputs of an ONNX model that become constants")
      ->type_name("FILE.npz|FOLDER");
  app.add_option("--onnx-batch-matmul", o.onnx_batch_matmul, "nt: the second matrices of a batch are transposed; nn")
      ->type_name("FORM")
      ->check(OneOf({"nt", "nn"}));
  app.add_flag("--no-freeze-params", o.no_freeze_params, "weights of an ONNX model become parameters");
  app.add_option("--gen-docs", o.gen_docs, "write operators.md and passes.md into this folder")->type_name("FOLDER");
  AddList(app, "--filter-print-funcs", o.filter_print_funcs, "print only these functions around passes")
      ->type_name("NAME,...");
  app.add_option("--elide-constants-if-larger", o.elide_constants_if_larger,
                 "leave out constants of more elements; what is printed then cannot be read back")
      ->type_name("N")
      ->check(Count());
  app.add_flag("--print-spans", o.print_spans, "positions in the original model");
  app.add_option("--fuzz", o.fuzz, "judge N random programs, run through --passes or random passes")->type_name("N");
  app.add_option("--plant-fault", o.plant_fault, "--fuzz with a wrong rule put into a pass, and ends when it is found")
      ->type_name("NAME");
  AddList(app, "--func", o.functions, "function passes rewrite only these functions")->type_name("NAME,...");
  app.add_option("--start-before", o.start_before, "leave out what comes before this pass, or before its N-th run")
      ->type_name("NAME[,N]");
  app.add_option("--stop-after", o.stop_after, "leave out what comes after this pass")->type_name("NAME[,N]");
  app.add_option("--error-limit", o.error_limit, "errors and warnings to show before counting (20); 0: all")
      ->type_name("N");
  app.add_option("--pass-remarks-missed", o.pass_remarks_missed, "show what passes could not do")
      ->type_name("[=REGEX]");
  AddList(app, "--debug-counter", o.debug_counters, "make only these rewrites: FastMath.replaced=1-3,7", false)
      ->type_name("NAME=SET");
  app.add_option("--exec-on-ir-change", o.exec_on_ir_change, "run PROGRAM FILE PASS after each change of the module")
      ->type_name("PROGRAM");
  app.add_option("--time-trace", o.time_trace, "write the times for chrome://tracing and Perfetto")->type_name("FILE");
  app.add_option("--opt-bisect", o.bisect, "run only passes of these numbers, and tell which")->type_name("1-10,12");
  app.add_flag("--converge", o.converge, "run the pipeline until it changes nothing any more, at most ten times");
  app.add_option("--diagnostics-file", o.diagnostics_file, "where messages that are no text go instead of to stderr")
      ->type_name("FILE");
  app.add_flag("--print-debug-counter", o.print_debug_counter, "tell how often each --debug-counter was asked");
  app.add_flag("--exec-stop", o.exec_stop, "stop when the program of --exec-on-ir-change fails");
  app.add_option("--generate-reproducer", o.generate_reproducer, "save input and pipeline before running them")
      ->type_name("FILE");
  app.add_flag("--print-pass-numbers", o.print_pass_numbers, "a line for each pass with its number");
  app.add_option("--print-before-pass-number", o.print_before_pass_number, "print the module before these passes")
      ->type_name("1-10,12");
  app.add_option("--print-after-pass-number", o.print_after_pass_number, "and after these")->type_name("1-10,12");
  app.add_flag("--print-module-scope", o.print_module_scope, "print whole modules in spite of --filter-print-funcs");
  app.add_flag("--print-ir-after-failure", o.print_ir_after_failure, "print the module that a pass failed on");
  app.add_flag("--print-on-crash", o.print_on_crash, "print the module that a pass crashed on");
  AddList(app, "--filter-passes", o.filter_passes, "--print-changed tells only of these passes")->type_name("NAME,...");
  app.add_option("--pass-remarks-analysis", o.pass_remarks_analysis, "show what passes found out")
      ->type_name("[=REGEX]");
  app.add_option("--pass-remarks-filter", o.pass_remarks_filter, "write only remarks of passes that match")
      ->type_name("REGEX");
  app.add_option("--stats-json", o.stats_json, "write statistics as JSON")->type_name("FILE");
  app.add_option("--time-trace-granularity", o.time_trace_granularity, "leave out shorter events (default 0)")
      ->type_name("MICROSECONDS");
  app.add_option("--info-output-file", o.info_output_file, "where --stats and --time-passes go instead of to stderr")
      ->type_name("FILE");
  app.add_option("--arith", o.arith, "simplify a term of integers, as floordiv(i*8 + j, 8), and name the rules used")
      ->type_name("TERM");
  app.add_option("--where", o.where, "what --arith knows of the variables, as 0 <= j < 8")->type_name("CONDITION");
  app.add_flag("--list-debug-counters", o.list_debug_counters, "what --debug-counter knows");
  app.add_option("--completion", o.completion, "a completion script for a shell: bash, zsh or fish")
      ->type_name("SHELL")
      ->check(OneOf({"bash", "zsh", "fish"}));
}

void AddLists(CLI::App& app, ToolOptions& o) {
  app.option_defaults()->group("Help and lists");
  app.set_help_flag("-h,--help", "this text");
  app.add_flag("--help-hidden", o.help_hidden, "this text with all options");
  app.add_option("--list-passes", o.list_passes, "the passes; =json for programs")
      ->type_name("[=json]")
      ->check(OneOf({"text", "json"}));
  app.add_option("--help-pass", o.help_pass, "what a pass does, and its options")->type_name("NAME");
  app.add_option("--list-ops", o.list_ops, "the operators; =json for programs")
      ->type_name("[=json]")
      ->check(OneOf({"text", "json"}));
  app.add_option("--help-op", o.help_op, "an operator, its inputs and attributes")->type_name("NAME");
  app.add_flag("--version", o.version, "version of relayopt and of the text format");
}

auto LongNames(const CLI::App& app) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

// Whether there is an option that is not declared among the usual ones. Declaring the others takes time, because every
// new option is compared with all that there are.
auto NamesRareOption(const CLI::App& app, const std::vector<std::string>& arguments) -> bool {
  const std::vector<std::string> names = LongNames(app);
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    if (argument.size() < 3 || argument[0] != '-' || argument.starts_with("-O")) return false;
    const std::string name = OptionName(argument);
    return name == "help-hidden" || name == "run-reproducer" ||
           std::find(names.begin(), names.end(), name) == names.end();
  });
}

auto Fail(const std::string& message) -> int {
  std::fprintf(stderr, "relayopt: error: %s\n", Printable(message).c_str());
  return 1;
}

auto UnknownArgument(const CLI::App& app, const std::string& argument) -> std::string {
  if (!argument.starts_with("-") || argument == "-") return "more than one input: '" + argument + "'";
  const std::vector<std::string> names = LongNames(app);
  const std::vector<std::string> near =
      Nearest(OptionName(argument), std::vector<std::string_view>(names.begin(), names.end()));
  return "unknown option '" + argument.substr(0, argument.find('=')) + "'" +
         (near.empty() ? "; see --help" : " (did you mean '--" + near.front() + "'?)");
}

}  // namespace

auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int> {
  CLI::App app(kUsage, "relayopt");
  app.allow_extras();
  app.get_formatter()->column_width(36);
  app.footer(kFooter);
  AddInputOutput(app, options);
  AddPipeline(app, options);
  AddPrinting(app, options);
  AddMessages(app, options);
  AddChecks(app, options);
  AddReports(app, options);
  AddDebugging(app, options);
  AddEvaluation(app, options);
  AddLists(app, options);
  const std::span<char*> given = std::span(argv, static_cast<size_t>(argc)).subspan(argc > 0 ? 1 : 0);
  try {
    std::vector<std::string> arguments = Arguments(given, LongNames(app));
    if (NamesRareOption(app, arguments)) {
      const bool shows_all = std::find(arguments.begin(), arguments.end(), "--help-hidden") != arguments.end();
      AddRare(app, options);
      arguments = shows_all ? std::vector<std::string>{"--help"} : Arguments(given, LongNames(app));
    }
    if (const auto error = ExpandReproducer(arguments)) return Fail(*error);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return Fail(error.what());
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) return Fail(UnknownArgument(app, extras.front()));
  if (!options.completion.empty()) {
    std::fputs(CompletionScript(app, options.completion).c_str(), stdout);
    return 0;
  }
  if (options.default_level.empty()) return std::nullopt;
  if (!options.passes.empty() || !options.passes_files.empty()) {
    return Fail("-O" + options.default_level + " stands for a pipeline of its own: write --passes='default<O" +
                options.default_level + ">,...'");
  }
  options.passes.push_back("default<O" + options.default_level + ">");
  return std::nullopt;
}

}  // namespace relayopt
