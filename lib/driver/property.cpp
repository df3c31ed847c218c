// What --bisect and --reduce look for.
#include "property.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "compare.h"
#include "flags.h"
#include "hooks.h"
#include "regex.h"
#include "relayopt/relay/text/printer.h"
#include "run.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoAnswer = {"no-answer", Severity::kError,
                                      "'{}' ended with status {}: 0 says that a module is good, 1 to 124 that it is "
                                      "bad, 125 that this cannot be decided"};

constexpr std::pair<std::string_view, Property::Kind> kWords[] = {
    {"validate", Property::Kind::kValidate},
    {"crash", Property::Kind::kCrash},
    {"verify", Property::Kind::kVerify},
};
constexpr std::pair<std::string_view, Property::Kind> kPrefixes[] = {
    {"diag:", Property::Kind::kError},
    {"output:", Property::Kind::kResult},
    {"outputs:", Property::Kind::kResult},
    {"cmd:", Property::Kind::kResult},
};

// For a process that reads the module back.
auto WholeText() -> PrintOptions {
  PrintOptions print;
  print.elide_constants_if_larger.reset();
  return print;
}

auto AnswerOf(const std::string& program, int status) -> Result<Answer> {
  constexpr int kSkip = 125;
  if (status == 0) return Answer::kGood;
  if (status == kSkip) return Answer::kUnknown;
  if (status < kSkip) return Answer::kBad;
  return MakeDiagnostic(kNoAnswer, {}, program, status);
}

// Judges a module by results that @main should have.
auto JudgeOutputs(const std::string& file, const ToolOptions& options, const std::vector<BoundExtent>& known_extents)
    -> decltype(Property::judge) {
  ToolOptions compared = options;
  // Messages about a module on the way are not shown: it cannot be judged.
  compared.diagnostics_format = "json";
  return [compared, file, &known_extents](const Module& module, const std::string&, uint64_t) -> Result<Answer> {
    Reporter silent(compared);
    const auto agreement = CompareWithRecorded(module, file, compared, known_extents, silent);
    silent.Finish(/*as_data=*/false);
    if (!agreement) return Answer::kUnknown;
    return agreement->agrees() ? Answer::kGood : Answer::kBad;
  };
}

auto MakeProperty(const PropertyText& text, const PrintOptions& print) -> Property {
  Property property{.kind = text.kind};
  if (text.is_program) {
    property.judge = [program = text.argument](const Module& module, const std::string& pass,
                                               uint64_t number) -> Result<Answer> {
      RELAYOPT_TRY(const int status, RunProgramOn(module, WholeText(), program, pass, number));
      return AnswerOf(program, status);
    };
  } else if (text.kind == Property::Kind::kResult && !text.is_outputs) {
    const auto regex = std::make_shared<Regex>(text.argument, /*by_lines=*/true);
    property.judge = [regex, print](const Module& module, const std::string&, uint64_t) -> Result<Answer> {
      return regex->Matches(PrintModule(module, print)) ? Answer::kBad : Answer::kGood;
    };
  } else if (text.kind == Property::Kind::kError) {
    const auto regex = std::make_shared<Regex>(text.argument, /*by_lines=*/true);
    property.matches = [regex](std::string_view message) { return regex->Matches(std::string(message)); };
  }
  return property;
}

}  // namespace

auto ParseProperty(std::string_view text) -> std::optional<PropertyText> {
  for (const auto& [word, kind] : kWords) {
    if (text == word) return PropertyText{.kind = kind};
  }
  for (const auto& [prefix, kind] : kPrefixes) {
    if (!text.starts_with(prefix) || text.size() == prefix.size()) continue;
    return PropertyText{kind, prefix == "cmd:", prefix == "outputs:", std::string(text.substr(prefix.size()))};
  }
  return std::nullopt;
}

auto TroubleOf(const PropertyText& property) -> std::string {
  switch (property.kind) {
    case Property::Kind::kValidate: return "changes what the module computes";
    case Property::Kind::kCrash: return "crashes";
    case Property::Kind::kVerify: return "leaves a module that breaks a rule";
    case Property::Kind::kError: return "gives the error";
    case Property::Kind::kResult: break;
  }
  if (property.is_outputs) return fmt::format("gives results that differ from those in '{}'", property.argument);
  return property.is_program ? fmt::format("makes what '{}' objects to", property.argument)
                             : fmt::format("makes a text that matches '{}'", property.argument);
}

auto CheckProperty(std::string_view text) -> std::string {
  const auto property = ParseProperty(text);
  if (!property) {
    return fmt::format("'{}' is none of validate, crash, verify, diag:REGEX, output:REGEX, outputs:FILE, cmd:PROGRAM{}",
                       Printable(text), DidYouMean(text, {"validate", "crash", "verify"}));
  }
  const bool is_regex = !property->is_program && !property->is_outputs && !property->argument.empty();
  const std::string fault = is_regex ? Regex(property->argument).fault() : "";
  return fault.empty() ? "" : fmt::format("'{}' {}", Printable(property->argument), fault);
}

auto MakeJudgeOptions(const PropertyText& property, const ToolOptions& options, const Setup& setup,
                      const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> JudgeOptions {
  JudgeOptions judge;
  judge.property = MakeProperty(property, setup.print);
  if (property.is_outputs) judge.property.judge = JudgeOutputs(property.argument, options, known_extents);
  judge.trial.context = setup.context->options();
  judge.trial.verifies = options.verify_each;
  if (property.kind == Property::Kind::kValidate) {
    judge.validation = ValidationOptionsOf(options, reporter);
    judge.validation.inputs.known_extents = known_extents;
  }
  if (LimitsOf(options).pass_timeout > 0)
    judge.child_seconds = static_cast<unsigned>(LimitsOf(options).pass_timeout) + 1;
  return judge;
}

auto CommandWith(const ToolOptions& options, const PropertyText& property) -> std::string {
  const auto is_about_passes = [](const FlagDef& flag) { return flag.effect == FlagEffect::kResult; };
  const auto is_about_results = [](const FlagDef& flag) { return flag.group == FlagGroup::kEvaluation; };
  std::string command = "relayopt" + FlagArguments(options, is_about_passes);
  if (property.kind == Property::Kind::kValidate) command += " --validate" + FlagArguments(options, is_about_results);
  if (property.is_outputs) {
    ToolOptions others = options;
    others.of_owners.Edit<RecordedOptions>().file = property.argument;
    command += FlagArguments(others, is_about_results);
  }
  return command;
}

auto ReadingArguments(const ToolOptions& options, const PropertyText& property) -> std::string {
  std::string arguments = FlagArguments(options, [](const FlagDef& flag) {
    return flag.group == FlagGroup::kOnnx || flag.name == "bind-params" || flag.name == "input-format";
  });
  // Weights are generated from the seed, which is already present if results are compared.
  if (!options.bind_params.empty() && property.kind != Property::Kind::kValidate) {
    arguments += FlagArguments(options, [](const FlagDef& flag) { return flag.name == "seed"; });
  }
  return arguments;
}

}  // namespace relayopt
