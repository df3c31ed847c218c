// Properties of the results of passes that may be bad: what bisect and reduce test repeatedly.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "relayopt/check/trial.h"
#include "relayopt/check/validation.h"
#include "relayopt/module/module.h"

namespace relayopt {

enum class Answer : uint8_t {
  kGood,
  kBad,
  kUnknown,  // the module cannot be judged
};

struct Property {
  enum class Kind : uint8_t {
    kValidate,  // a pass changes what the program computes
    kCrash,     // a pass ends the process by a signal
    kVerify,    // a pass leaves a module that inference or the verifier rejects
    kError,     // a pass gives an error whose message matches
    kResult,    // the module that the passes leave is bad, as `judge` says
  };
  Kind kind = Kind::kValidate;
  // For kError: whether a message is the one looked for.
  std::function<bool(std::string_view message)> matches = {};
  // For kResult. `pass` is the name of the pass that made the module, run `number`; of the module as it was read
  // `input` and 0. An error ends the search.
  std::function<Result<Answer>(const Module& module, const std::string& pass, uint64_t number)> judge = {};
};

// The settings for judging trials.
struct JudgeOptions {
  Property property;
  TrialOptions trial;
  // For kValidate; mode, report and folder are not used.
  ValidationInstrument::Options validation = {};
  // After so many seconds a process that is tried for crashes is ended.
  unsigned child_seconds = 20;
};

// Judges a property of one run of a pass, or of many as if they were one pass.
class PropertyJudge {
 public:
  explicit PropertyJudge(JudgeOptions options) : options_(std::move(options)) {}

  // kValidate: whether passes that ran one after the other keep what the program computes; `what` gets the difference.
  auto ComparesWell(std::span<const PassRun> runs, std::string* what) const -> Answer;
  // kValidate: the first run that, by itself, does not keep what the program computes; returns null if there is none.
  // `what` gets the difference, `tally` the outcomes of the runs up to there.
  auto FirstMismatch(std::span<const PassRun> runs, std::string* what = nullptr, std::string* tally = nullptr) const
      -> const PassRun*;
  // kError, kVerify: whether the trial failed in the way that is asked for; `what` gets the message.
  auto FailsSo(const Trial& trial, std::string* what) const -> bool;

  auto options() const -> const JudgeOptions& { return options_; }
  auto property() const -> const Property& { return options_.property; }

 private:
  JudgeOptions options_;
};

}  // namespace relayopt
