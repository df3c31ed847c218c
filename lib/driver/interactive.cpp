// The session of --interactive.
//
// The runs of passes are recorded with the module after each, so that stepping back and forth only moves a position:
//
//   input   #1 SimplifyInference   #2 FoldConstant   #3 FuseOps
//                                  ^ position        (recorded, or still to run)
//
// Where the recorded runs end, the next element of the pipeline runs as a whole, such as all passes of `default<O3>`.
// A pipeline that is applied in between replaces the recorded runs after the position.
#include "interactive.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "answers.h"
#include "compare.h"
#include "driver.h"
#include "output.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/relay/text/origins.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/process.h"
#include "relayopt/support/text_pieces.h"
#include "run.h"

namespace relayopt {

namespace {

struct InteractiveOptions {
  bool is_on = false;
};

class InteractiveSession {
 public:
  InteractiveSession(const Module& module, const ToolOptions& options, const Setup& setup,
                     const std::vector<BoundExtent>& known_extents)
      : options_(options), setup_(setup), known_extents_(known_extents), input_(module) {
    TrackOrigins(input_);
    if (setup_.pass != nullptr) elements_ = {setup_.pass->passes().begin(), setup_.pass->passes().end()};
  }

  auto Run() -> int {
    const bool is_terminal = IsTerminal(STDIN_FILENO);
    if (is_terminal) Say("relayopt: `help` lists the commands, `quit` ends the session\n");
    for (std::string line; !is_over_;) {
      if (is_terminal) Say("(relayopt) ");
      if (Flush() != kSuccess || !std::getline(std::cin, line)) break;
      const std::string_view command = Trimmed(line);
      if (command.empty() || command.starts_with('#')) continue;
      // A transcript of a script shows what it asked.
      if (!is_terminal) Say(fmt::format("(relayopt) {}\n", command));
      Obey(command);
    }
    if (is_terminal && !is_over_) Say("\n");
    const int status = Flush();
    return status == kSuccess && failed_ ? kFailure : status;
  }

 private:
  using Self = InteractiveSession;
  struct Command {
    std::string_view name;
    // A short name, such as its first letter; may be empty.
    std::string_view short_name;
    std::string_view arguments;
    std::string_view help;
    void (Self::*obey)(std::string_view arguments);
  };
  static const Command kCommands[];

  void Say(std::string_view text) { out_ += text; }
  void Fail(std::string_view message) {
    out_ += fmt::format("error: {}\n", message);
    failed_ = true;
  }
  auto Flush() -> int { return out_.empty() ? kSuccess : PrintText(std::exchange(out_, {})); }

  void Obey(std::string_view line) {
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view name = line.substr(0, end);
    const Command* command = FindCommand(name);
    if (command == nullptr) {
      const auto names = MapToVector<std::string_view>(Commands(), &Command::name);
      return Fail(fmt::format("unknown command '{}'{}; `help` lists the commands", name, DidYouMean(name, names)));
    }
    const std::string_view arguments = Trimmed(line.substr(end));
    if (command->arguments.empty() && !arguments.empty())
      return Fail(fmt::format("'{}' takes no arguments, found '{}'", command->name, arguments));
    (this->*command->obey)(arguments);
  }

  static auto Commands() -> std::span<const Command>;
  static auto FindCommand(std::string_view name) -> const Command* {
    const auto found = std::ranges::find_if(
        Commands(), [&](const Command& command) { return name == command.name || name == command.short_name; });
    return found == Commands().end() ? nullptr : &*found;
  }

  // The module at a position: 0 is the input, N is after the Nth recorded run.
  auto ModuleAt(size_t position) const -> const Module& { return position == 0 ? input_ : steps_[position - 1].after; }
  auto module() const -> const Module& { return ModuleAt(position_); }

  // Returns the number that a command was given, or `otherwise` if it was given none; nullopt, with an error, if it is
  // not a number of at least `least`.
  auto NumberOf(std::string_view text, size_t otherwise, size_t least = 1) -> std::optional<size_t> {
    if (text.empty()) return otherwise;
    const auto number = ParseNumber<size_t>(text);
    if (number && *number >= least) return number;
    Fail(fmt::format("expected a number from {}, found '{}'", least, text));
    return std::nullopt;
  }

  void Show(const Diagnostic& diagnostic) {
    Say(ToText(MakeRecord(diagnostic, input_.source().get())));
    failed_ = failed_ || diagnostic.kind->severity == Severity::kError;
  }

  // Runs a pass on the module at the position and records its runs.
  void Record(const PassRef& pass) {
    steps_.resize(position_);
    const size_t known = setup_.recorder->steps().size();
    Module result = module();
    DiagnosticSink sink;
    const bool succeeded = setup_.session->Apply(Sequential({pass}), result, sink);
    const auto& recorded = setup_.recorder->steps();
    steps_.insert(steps_.end(), recorded.begin() + static_cast<ptrdiff_t>(known), recorded.end());
    for (Remark& remark : setup_.remarks->Take()) remarks_.push_back(std::move(remark));
    for (const Diagnostic& diagnostic : sink.diagnostics()) Show(diagnostic);
    // Passes after a failed one would run on a module that it did not produce.
    if (!succeeded) next_element_ = elements_.size();
  }

  // Moves to the next run; false at the end of the pipeline.
  auto Advance() -> bool {
    while (position_ == steps_.size() && next_element_ < elements_.size()) {
      const PassRef& pass = elements_[next_element_++];
      Record(pass);
    }
    if (position_ == steps_.size()) return false;
    ++position_;
    return true;
  }

  void ShowPosition() {
    if (position_ == 0) return Say("at the input\n");
    const ReportStep& step = steps_[position_ - 1];
    std::string effect = step.changed ? "changed" : "no change";
    if (!step.error.empty()) effect = "failed: " + step.error;
    if (step.changed) {
      const ModelSummary before = Summarize(ModuleAt(position_ - 1));
      for (const auto& [name, count] : AddedOperators(before, Summarize(step.after)))
        effect += fmt::format(", {} {:+}", name, count);
    }
    Say(fmt::format("#{} {}: {}\n", step.number, step.pass, effect));
  }
  void SayEnd() { Say("the pipeline has ended\n"); }

  // Advances at least once, and until `is_there` holds for the run before the position. Returns whether it held.
  template <typename Condition>
  auto AdvanceUntil(Condition&& is_there) -> bool {
    while (Advance()) {
      if (is_there(steps_[position_ - 1])) return true;
    }
    return false;
  }

  void Step(std::string_view arguments) {
    const auto count = NumberOf(arguments, 1);
    for (size_t i = 0; count && i < *count; ++i) {
      if (!Advance()) return SayEnd();
      ShowPosition();
    }
  }

  void Next(std::string_view /*arguments*/) {
    if (!AdvanceUntil([](const ReportStep& step) { return step.changed || !step.error.empty(); })) return SayEnd();
    ShowPosition();
  }

  void To(std::string_view target) {
    if (target.empty()) return Fail("'to' needs the name of a pass, or the number of a run such as #3");
    const size_t start = position_;
    const bool is_number = target.starts_with('#');
    const auto number = is_number ? NumberOf(target.substr(1), 0) : std::optional<size_t>(0);
    if (!number) return;
    const bool is_there =
        AdvanceUntil([&](const ReportStep& step) { return is_number ? step.number == *number : step.pass == target; });
    if (is_there) return ShowPosition();
    std::vector<std::string_view> names;
    for (size_t i = start; i < steps_.size(); ++i) names.push_back(steps_[i].pass);
    position_ = start;
    Fail(is_number ? fmt::format("no run after the position has the number {}", *number)
                   : fmt::format("'{}' does not run after the position{}", target, DidYouMean(target, names)));
  }

  void Continue(std::string_view /*arguments*/) {
    while (Advance()) {
      if (steps_[position_ - 1].changed || !steps_[position_ - 1].error.empty()) ShowPosition();
    }
    SayEnd();
  }

  void Undo(std::string_view arguments) {
    const auto count = NumberOf(arguments, 1);
    if (!count) return;
    if (position_ == 0) return Fail("there is nothing to undo at the input");
    position_ -= std::min(*count, position_);
    ShowPosition();
  }

  void Apply(std::string_view pipeline) {
    if (pipeline.empty()) return Fail("'apply' needs a pipeline, such as 'apply FoldConstant,FuseOps'");
    const Result<Pipeline> parsed = ParsePipeline(pipeline);
    const Result<PassRef> pass = parsed ? BuildPipeline(*parsed) : Result<PassRef>(parsed.error());
    if (!pass) {
      const auto text = SourceText::FromString("apply", std::string(pipeline));
      Say(ToText(MakeRecord(pass.error(), text.get())));
      failed_ = true;
      return;
    }
    Record(*pass);
    while (position_ < steps_.size()) {
      ++position_;
      ShowPosition();
    }
  }

  void List(std::string_view /*arguments*/) {
    Say(fmt::format("{} input\n", position_ == 0 ? '>' : ' '));
    for (size_t i = 0; i < steps_.size(); ++i) {
      const ReportStep& step = steps_[i];
      Say(fmt::format("{} #{} {}{}\n", position_ == i + 1 ? '>' : ' ', step.number, step.pass,
                      !step.error.empty() ? ": failed"
                      : step.changed      ? ": changed"
                                          : ""));
    }
    for (size_t i = next_element_; i < elements_.size(); ++i)
      Say(fmt::format("  to run: {}\n", elements_[i]->info().name));
  }

  void Print(std::string_view name) {
    if (name.empty()) return Say(PrintModule(module(), setup_.print));
    const std::string_view bare = name.substr(name.starts_with('@') ? 1 : 0);
    const GlobalId id = module().FindGlobal(bare);
    if (id && module().function(id) != nullptr) return Say(PrintFunction(module(), id));
    const auto names =
        MapToVector<std::string_view>(module().SortedFunctions(), [&](GlobalId known) { return module().name(known); });
    Fail(fmt::format("there is no function '@{}'{}", bare, DidYouMean(bare, names)));
  }

  // Compares with the module before the last run, or with that after the run of a number (0: the input).
  void Diff(std::string_view arguments) {
    std::optional<size_t> from = position_ == 0 ? 0 : position_ - 1;
    if (!arguments.empty()) {
      const auto number = NumberOf(arguments.substr(arguments.starts_with('#') ? 1 : 0), 0, 0);
      if (!number) return;
      const auto step = std::ranges::find(steps_, *number, &ReportStep::number);
      if (*number != 0 && step == steps_.end()) return Fail(fmt::format("no recorded run has the number {}", *number));
      from = *number == 0 ? 0 : static_cast<size_t>(step - steps_.begin()) + 1;
    }
    const ModuleDiff diff = DiffModules(ModuleAt(*from), module(), {}, setup_.print.types);
    Say(diff.is_equal() ? "no difference\n" : ToText(diff));
  }

  void Summary(std::string_view /*arguments*/) {
    if (module().SortedFunctions<Function>().empty()) return Fail("'summary' needs a function of Relay");
    const ModelSummary after = Summarize(module());
    Say(position_ == 0 ? ToTable(after) : ToTable(Summarize(input_), after));
  }

  void Remarks(std::string_view /*arguments*/) {
    bool is_silent = true;
    for (const Remark& remark : remarks_) {
      if (position_ == 0 || remark.run != steps_[position_ - 1].run) continue;
      is_silent = false;
      std::string place;
      if (remark.range.valid() && input_.source() != nullptr) {
        const auto at = input_.source()->Position(remark.range.begin);
        place = fmt::format("{}:{}: ", at.line, at.column);
      }
      Say(fmt::format("{}@{}: {}\n", place, remark.function, remark.message()));
    }
    if (is_silent) Say("no remarks\n");
  }

  void Origins(std::string_view /*arguments*/) { Say(PrintWithOrigins(module(), setup_.print)); }

  void RunMainFunction(std::string_view /*arguments*/) {
    Reporter reporter(options_);
    const auto text = RunProgram(module(), options_, known_extents_, nullptr, reporter);
    failed_ = failed_ || !text;
    if (text) Say(*text);
  }

  void Check(std::string_view /*arguments*/) {
    Reporter reporter(options_);
    const auto agreement = CompareModules(input_, module(), "check", options_, known_extents_, reporter);
    failed_ = failed_ || !agreement;
    if (agreement) Say(fmt::format("{}check: {}\n", agreement->ToText(), agreement->agrees() ? "same" : "DIFFERENT"));
  }

  void Save(std::string_view path) {
    if (path.empty()) return Fail("'save' needs the name of a file");
    if (IsRead(options_, std::string(path))) return Fail(fmt::format("'{}' is the input", path));
    if (const auto error = WriteFile(std::string(path), PrintModule(module(), setup_.print)))
      return Fail(fmt::format("cannot write '{}': {}", path, *error));
    Say(fmt::format("wrote {}\n", path));
  }

  void Help(std::string_view name) {
    const Command* only = name.empty() ? nullptr : FindCommand(name);
    if (!name.empty() && only == nullptr) return Fail(fmt::format("unknown command '{}'", name));
    for (const Command& command : Commands()) {
      if (only != nullptr && &command != only) continue;
      const std::string names =
          fmt::format("{}{}{}{}{}", command.name, command.short_name.empty() ? "" : ", ", command.short_name,
                      command.arguments.empty() ? "" : " ", command.arguments);
      Say(fmt::format("  {:20} {}\n", names, command.help));
    }
  }

  void Quit(std::string_view /*arguments*/) { is_over_ = true; }

  const ToolOptions& options_;
  const Setup& setup_;
  const std::vector<BoundExtent>& known_extents_;
  Module input_;
  // The elements of the pipeline, of which those before next_element_ have run.
  std::vector<PassRef> elements_;
  size_t next_element_ = 0;
  // The recorded runs, and how many of them are before the position.
  std::vector<ReportStep> steps_;
  size_t position_ = 0;
  std::vector<Remark> remarks_;
  std::string out_;
  bool failed_ = false;
  bool is_over_ = false;
};

constexpr InteractiveSession::Command InteractiveSession::kCommands[] = {
    {"step", "s", "[N]", "run the next pass, or the next N passes", &Self::Step},
    {"next", "n", "", "run passes until one changes something", &Self::Next},
    {"to", "", "PASS|#N", "run passes up to this one, by name or number", &Self::To},
    {"continue", "c", "", "run the rest of the pipeline", &Self::Continue},
    {"undo", "u", "[N]", "go back before the last pass, or the last N passes", &Self::Undo},
    {"apply", "", "PIPELINE", "run other passes here; what was undone is forgotten", &Self::Apply},
    {"list", "l", "", "show the runs so far, the position, and what is left", &Self::List},
    {"print", "p", "[@FUNCTION]", "print the module, or a function", &Self::Print},
    {"diff", "d", "[#N]", "show what the last pass changed, or all passes since run N (0: the input)", &Self::Diff},
    {"remarks", "", "", "show what the last pass said", &Self::Remarks},
    {"origins", "", "", "print the module with the operators of the input that each line came from", &Self::Origins},
    {"summary", "", "", "show operators and costs, of the input and now", &Self::Summary},
    {"run", "r", "", "evaluate @main", &Self::RunMainFunction},
    {"check", "", "", "evaluate @main of the input and of the module, and compare", &Self::Check},
    {"save", "", "FILE", "write the module as text", &Self::Save},
    {"help", "h", "[COMMAND]", "list the commands, or explain one", &Self::Help},
    {"quit", "q", "", "end the session", &Self::Quit},
};

auto InteractiveSession::Commands() -> std::span<const Command> { return kCommands; }

}  // namespace

auto RunInteractive(const Module& module, const ToolOptions& options, const Setup& setup,
                    const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int {
  if (options.input == "-") {
    reporter.Error("--interactive reads commands from standard input, so the module must be in a file");
    return kFailure;
  }
  return InteractiveSession(module, options, setup, known_extents).Run();
}

namespace flag_rows {

constexpr FlagDef kInteractiveFlags[] = {
    {RELAYOPT_FIELD(InteractiveOptions::is_on), .name = "interactive", .group = kDebugging,
     .help = "run passes one by one, by commands from standard input: step, undo, print, diff",
     .excludes = "output disable-output report", .rare = true, .role = kSearch, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kInteractiveAnswer = {.flags = FlagRows(flag_rows::kInteractiveFlags),
                                                .search = RunInteractive,
                                                .evaluates = true,
                                                .compares = true,
                                                .records_runs = true};

}  // namespace relayopt
