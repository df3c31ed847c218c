// Diagnostics of passes in general: names, options, pipelines, contexts.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::diag {

// Names and options of passes.
inline constexpr DiagnosticKind kUnknownPass = {"unknown-pass", Severity::kError, "unknown pass '{}'{}"};
inline constexpr DiagnosticKind kUnknownPassOption = {"unknown-pass-option", Severity::kError,
                                                      "{} has no option '{}'{}"};
inline constexpr DiagnosticKind kPassWithoutOptions = {"pass-without-options", Severity::kError, "{} takes no options"};
inline constexpr DiagnosticKind kMissingPassOption = {"missing-pass-option", Severity::kError,
                                                      "{} needs the option '{}': {}"};
inline constexpr DiagnosticKind kBadOptionValue = {"bad-option-value", Severity::kError,
                                                   "option '{}' expects {}, not '{}'{}"};
inline constexpr DiagnosticKind kOptionWithoutValue = {"option-without-value", Severity::kError,
                                                       "option '{}' needs a value: {}"};
inline constexpr DiagnosticKind kRepeatedOption = {"repeated-option", Severity::kError, "option '{}' is given twice"};

// Pipelines.
inline constexpr DiagnosticKind kPipelineSyntax = {"pipeline-syntax", Severity::kError, "expected {} in the pipeline"};
inline constexpr DiagnosticKind kEmptyElement = {"empty-pipeline-element", Severity::kError, "empty pipeline element"};
inline constexpr DiagnosticKind kUnclosedBracket = {"unclosed-bracket", Severity::kError, "this '{}' is never closed"};
inline constexpr DiagnosticKind kUnopenedBracket = {"unopened-bracket", Severity::kError, "this '{}' closes nothing"};
inline constexpr DiagnosticKind kMismatchedBracket = {"mismatched-bracket", Severity::kError,
                                                      "this '{}' does not close '{}'"};
inline constexpr DiagnosticKind kNotCombinator = {"not-a-combinator", Severity::kError,
                                                  "{} is a pass: no pipeline can follow it in parentheses"};
inline constexpr DiagnosticKind kCombinatorWithoutBody = {"combinator-without-body", Severity::kError,
                                                          "{} needs a pipeline in parentheses"};
inline constexpr DiagnosticKind kModulePassInFunction = {"module-pass-in-function", Severity::kError,
                                                         "{} is a module pass: move it out of {}(...)"};
inline constexpr DiagnosticKind kOtherPassInFunction = {"other-pass-in-function", Severity::kError,
                                                        "{} is for functions of another kind: move it out of {}(...)"};
inline constexpr DiagnosticKind kBadCount = {"bad-count", Severity::kError,
                                             "{} expects a number from 1 to {}, not '{}'"};
inline constexpr DiagnosticKind kUnknownCondition = {"unknown-condition", Severity::kError,
                                                     "{} expects {}, not '{}'{}"};
inline constexpr DiagnosticKind kUnknownPipeline = {
    "unknown-pipeline", Severity::kError, "unknown pipeline 'default<{}>'; there are {}; --list-passes describes them"};
inline constexpr DiagnosticKind kPipelineTooDeep = {"pipeline-too-deep", Severity::kError,
                                                    "combinators nest more than {} deep"};

// Contexts.
inline constexpr DiagnosticKind kUnknownConfig = {"unknown-config-option", Severity::kError,
                                                  "unknown config option '{}'{}"};
inline constexpr DiagnosticKind kBadConfigValue = {"bad-config-value", Severity::kError,
                                                   "config option '{}' expects {}, not '{}'"};
inline constexpr DiagnosticKind kOptionsNoObject = {"options-no-object", Severity::kError,
                                                    "expected options such as {{\"name\": value}}, not '{}'"};
inline constexpr DiagnosticKind kUnknownOptionField = {"unknown-option-field", Severity::kError,
                                                       "unknown option '{}'{}"};

// Running.
inline constexpr DiagnosticKind kPassFailed = {"pass-failed", Severity::kError, "pass {} reported errors"};
inline constexpr DiagnosticKind kNoRequiredPass = {"no-required-pass", Severity::kError,
                                                   "{} requires the pass '{}', which does not exist"};
inline constexpr DiagnosticKind kPassSkipped = {
    "pass-skipped", Severity::kWarning,
    "{} does not run: it is meant for optimization level {} and the level is {} (--opt-level={} or "
    "--required-pass={} makes it run)"};
inline constexpr DiagnosticKind kSkippedWhenStrict = {
    "pass-skipped-when-strict", Severity::kWarning,
    "{} does not run: it changes how floats round, and --strict-fp is given"};
inline constexpr DiagnosticKind kBrokenByPass = {"broken-ir", Severity::kError,
                                                 "pass {} (#{}) broke function @{} (a bug of the pass): {}"};
inline constexpr DiagnosticKind kCannotDump = {"cannot-dump-ir", Severity::kError, "cannot write '{}': {}"};
inline constexpr DiagnosticKind kOscillation = {
    "oscillation", Severity::kWarning,
    "fixpoint stops after run {}: it would never end, because the module is the same as {} runs before"};

// Remarks of passes, shown as messages on request.
inline constexpr DiagnosticKind kRemarkPassed = {"pass-remarks", Severity::kRemark, "{}: {}"};
inline constexpr DiagnosticKind kRemarkMissed = {"pass-remarks-missed", Severity::kRemark, "{}: {}"};
inline constexpr DiagnosticKind kRemarkAnalysis = {"pass-remarks-analysis", Severity::kRemark, "{}: {}"};

}  // namespace relayopt::diag
