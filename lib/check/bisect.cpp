// Finding the pass that breaks a program, and the rewrite in it.
//
//   relayopt model.relay --passes='FoldConstant,Inline,FastMath,FuseOps' --bisect
//
// All passes run once; the inputs and results of each are kept, which costs what they changed. Whether the program
// still computes the same can be asked of any of these modules, so halving finds two neighbours, one good and one bad:
//
//   input  #1 FoldConstant  #2 Inline  #3 FastMath  #4 FuseOps
//   good                    good       bad          bad           the guilty run is #3
//
// A crash or an error needs no search: it names its run. The guilty pass then runs by itself on its input, with its
// first 1, 2, 4, ... rewrites, until the fault is there, and halving again finds the one that brings it.
#include "relayopt/check/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "relayopt/pass/registry.h"
#include "relayopt/pass/rewrite_gate.h"
#include "relayopt/support/process.h"

namespace relayopt {

namespace {

// An upper bound on the rewrites of a run.
constexpr uint64_t kManyRewrites = uint64_t{1} << 32;

// Asks about places 1 to `last`, of which the last is bad and 0, before the first, is good. No place is asked twice.
class Halving {
 public:
  using Ask = std::function<Result<Answer>(size_t place)>;

  Halving(size_t last, Ask ask) : bad_(last), is_unknown_(last + 1), ask_(std::move(ask)) {}

  // Afterwards good() and bad() are neighbours, or what is between them cannot be judged. An error of `ask`, if any.
  auto Run() -> std::optional<Diagnostic> {
    while (bad_ - good_ > 1 && MoveOn()) {
    }
    return error_;
  }
  auto good() const -> size_t { return good_; }
  auto bad() const -> size_t { return bad_; }

 private:
  // Asks at the middle, or as near to it as there is an answer. Returns whether there was one.
  auto MoveOn() -> bool {
    const size_t middle = good_ + (bad_ - good_) / 2;
    for (size_t step = 0; middle + step < bad_ || middle > good_ + step; ++step) {
      if (middle + step < bad_ && Narrows(middle + step)) return true;
      if (step != 0 && middle > good_ + step && Narrows(middle - step)) return true;
      if (error_) return false;
    }
    return false;
  }
  auto Narrows(size_t place) -> bool {
    if (error_ || is_unknown_[place]) return false;
    const Result<Answer> answer = ask_(place);
    if (!answer) error_ = answer.error();
    is_unknown_[place] = answer && *answer == Answer::kUnknown;
    if (!answer || is_unknown_[place]) return false;
    (*answer == Answer::kBad ? bad_ : good_) = place;
    return true;
  }

  size_t good_ = 0;
  size_t bad_;
  // Positions that cannot be judged.
  std::vector<bool> is_unknown_;
  Ask ask_;
  std::optional<Diagnostic> error_;
};

auto NameOf(const Statistic& counter) -> std::string { return fmt::format("{}.{}", counter.pass, counter.name); }

// The rewrites of a pass that can be left out; declared counters come first, because they are more precise.
auto CountersOf(const std::string& pass) -> std::vector<const Statistic*> {
  std::vector<const Statistic*> counters;
  const PassDef* def = FindPass(pass);
  if (def == nullptr) return counters;
  for (const Statistic& statistic : def->statistics) {
    if (statistic.is_debug_counter) counters.push_back(&statistic);
  }
  counters.push_back(&RewritesOf(*def));
  return counters;
}

auto AllBut(uint64_t number) -> NumberSet {
  const std::string after = fmt::format("{}-", number + 1);
  return *NumberSet::Parse(number == 1 ? after : fmt::format("1-{},{}", number - 1, after));
}

// Names of the functions that differ.
auto ChangedFunctions(const Module& before, const Module& after) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const GlobalId id : after.ids()) {
    const bool is_new = id.value() >= before.globals().size();
    if (is_new || before.function(id) != after.function(id)) names.emplace_back(after.name(id));
  }
  return names;
}

class Bisection {
 public:
  Bisection(const Pass& pipeline, const Module& module, const JudgeOptions& options)
      : pipeline_(pipeline), module_(module), judge_(options) {}

  auto Run() -> Result<BisectResult> {
    switch (kind()) {
      case Property::Kind::kCrash: FindCrash(); break;
      case Property::Kind::kVerify:
      case Property::Kind::kError: FindFailure(); break;
      case Property::Kind::kValidate: FindMismatch(); break;
      case Property::Kind::kResult: FindBadResult(); break;
    }
    if (error_) return *std::move(error_);
    if (result_.verdict != BisectResult::Verdict::kFound) return std::move(result_);
    FindRewrite();
    FindFunctions();
    result_.others_too = FailsWithout(result_.guilty.number);
    if (error_) return *std::move(error_);
    return std::move(result_);
  }

 private:
  using Verdict = BisectResult::Verdict;

  auto kind() const -> Property::Kind { return judge_.property().kind; }
  auto guilty() const -> const PassRun& { return result_.guilty; }

  // Returns the whole pipeline, or its runs with these numbers.
  auto RunPipeline(std::optional<NumberSet> numbers, std::vector<DebugCounter> counters = {}) -> Trial {
    TrialOptions options = judge_.options().trial;
    options.numbers = std::move(numbers);
    if (!counters.empty()) options.context.debug_counters = std::move(counters);
    ++result_.trials;
    return RunTrial(pipeline_, module_, options);
  }
  auto RunPipelineInChild(std::optional<NumberSet> numbers) -> std::optional<ChildEnd> {
    ++result_.trials;
    TrialOptions options = judge_.options().trial;
    options.numbers = std::move(numbers);
    return RunInChild(
        [&](uint64_t& note) {
          options.begins = [&note](const PassRun& run) { note = run.number; };
          static_cast<void>(RunTrial(pipeline_, module_, options));
        },
        judge_.options().child_seconds);
  }

  void Found(PassRun run, std::string what) {
    result_.verdict = Verdict::kFound;
    result_.first_suspect = run.number;
    result_.guilty = std::move(run);
    result_.what = std::move(what);
  }
  void Unknown(std::string why) {
    result_.verdict = Verdict::kUnknown;
    result_.what = std::move(why);
  }
  // The pipeline ended in another way.
  void StoppedBy(const Trial& trial) {
    Unknown(fmt::format("the passes end at #{} {} with another error: {}", trial.failed->number, trial.failed->name,
                        trial.errors.empty() ? "" : trial.errors.front().text));
  }

  void FindCrash() {
    const auto end = RunPipelineInChild(std::nullopt);
    if (!end) return Unknown("the process cannot be copied");
    if (end->timed_out) return Unknown(fmt::format("the passes take more than {} seconds", Seconds()));
    if (!end->crashed()) return;
    if (end->note == 0) return Unknown("it crashes before any pass runs");
    // The passes before run here, which they did in the child.
    Trial before = RunPipeline(NumberSet::UpTo(end->note - 1));
    if (!before.left_out) return Unknown("a second run does not come to the pass that crashed");
    runs_ = std::move(before.runs);
    Found(*std::move(before.left_out), fmt::format("signal {} ({})", end->signal, ::strsignal(end->signal)));
  }

  auto Seconds() const -> unsigned { return judge_.options().child_seconds; }

  void FindFailure() {
    Trial trial = RunPipeline(std::nullopt);
    std::string what;
    if (!trial.failed) return;
    if (!judge_.FailsSo(trial, &what)) return StoppedBy(trial);
    runs_ = std::move(trial.runs);
    Found(*std::move(trial.failed), std::move(what));
  }

  // Returns the first bad run among those that changed something, of which the last is bad.
  auto Halve(const Halving::Ask& ask) -> const PassRun* {
    Halving halving(changed_.size(), ask);
    error_ = halving.Run();
    if (error_) return nullptr;
    PassRun& run = changed_[halving.bad() - 1];
    result_.first_suspect = changed_[halving.good()].number;
    return &run;
  }

  // Runs the whole pipeline once; the runs that changed something are kept.
  auto RunOnce() -> Trial {
    Trial trial = RunPipeline(std::nullopt);
    runs_ = trial.runs;
    for (const PassRun& run : trial.runs) {
      if (run.changed) changed_.push_back(run);
    }
    return trial;
  }

  // Returns the first `count` changing runs as one.
  auto AsksForFirst(size_t count, std::string* what) -> Answer {
    ++result_.trials;
    return judge_.ComparesWell(std::span(changed_).first(count), what);
  }

  void FindMismatch() {
    const Trial trial = RunOnce();
    std::string what;
    if (!changed_.empty() && AsksForFirst(changed_.size(), &what) == Answer::kBad) {
      const PassRun* run = Halve([this](size_t count) { return AsksForFirst(count, nullptr); });
      if (run != nullptr && judge_.ComparesWell({run, 1}, &what) == Answer::kBad) return Found(*run, what);
    }
    // A pass that intentionally changes the program is in between, errors that are allowed add up, or a later pass
    // repairs what one has broken: each is judged by itself.
    bool judged = changed_.empty();
    for (const PassRun& run : changed_) {
      ++result_.trials;
      const Answer answer = judge_.ComparesWell({&run, 1}, &what);
      if (answer == Answer::kBad) return Found(run, what);
      judged = judged || answer == Answer::kGood;
    }
    if (trial.failed) return StoppedBy(trial);
    if (!judged) Unknown("the program cannot be evaluated; --validate tells why");
  }

  auto JudgeResult(const Module& module, const std::string& pass, uint64_t number) -> Result<Answer> {
    ++result_.trials;
    return judge_.property().judge(module, pass, number);
  }
  auto JudgeRun(const PassRun& run) -> Result<Answer> { return JudgeResult(run.after, run.name, run.number); }

  void FindBadResult() {
    const Result<Answer> input = JudgeResult(module_, "input", 0);
    if (!input) return Fail(input.error());
    if (*input == Answer::kBad) {
      result_.verdict = Verdict::kFaultyInput;
      return;
    }
    const Trial trial = RunOnce();
    const Result<Answer> end = changed_.empty() ? Answer::kGood : JudgeRun(changed_.back());
    if (!end) return Fail(end.error());
    if (*end == Answer::kUnknown) return Unknown("the module after all passes cannot be judged");
    if (*end == Answer::kGood && trial.failed) return StoppedBy(trial);
    if (*end == Answer::kGood) return;
    const PassRun* run = Halve([this](size_t count) { return JudgeRun(changed_[count - 1]); });
    if (run == nullptr) return;
    const uint64_t first = result_.first_suspect;
    Found(*run, "");
    result_.first_suspect = first;
  }

  void Fail(const Diagnostic& error) { error_ = error; }

  // The result of the guilty pass when it runs by itself on its input.
  struct Alone {
    Answer answer = Answer::kUnknown;
    Trial trial = {};
  };
  struct Limits {
    std::vector<DebugCounter> counters = {};
    std::vector<std::string> functions = {};
    std::shared_ptr<RemarkLog> remarks = {};
  };

  auto RunAlone(Limits limits) -> Alone {
    ++result_.trials;
    TrialOptions options = judge_.options().trial;
    options.context.opt_level = guilty().level;
    options.context.debug_counters = std::move(limits.counters);
    if (!limits.functions.empty()) options.context.functions = std::move(limits.functions);
    options.remarks = std::move(limits.remarks);
    if (kind() == Property::Kind::kCrash) {
      const auto end = RunInChild(
          [&](uint64_t&) { static_cast<void>(RunTrial(*guilty().pass, guilty().before, options)); }, Seconds());
      return {!end || end->timed_out ? Answer::kUnknown : end->crashed() ? Answer::kBad : Answer::kGood};
    }
    Alone alone{.trial = RunTrial(*guilty().pass, guilty().before, options)};
    alone.answer = AnswerTo(alone.trial);
    return alone;
  }

  auto AnswerTo(const Trial& trial) -> Answer {
    if (kind() == Property::Kind::kVerify || kind() == Property::Kind::kError) {
      return judge_.FailsSo(trial, nullptr) ? Answer::kBad : Answer::kGood;
    }
    if (trial.failed) return Answer::kUnknown;
    PassRun run = guilty();
    run.after = trial.result;
    if (ChangedFunctions(run.before, run.after).empty()) return Answer::kGood;
    if (kind() == Property::Kind::kValidate) return judge_.ComparesWell({&run, 1}, nullptr);
    const Result<Answer> answer = JudgeRun(run);
    if (!answer) error_ = answer.error();
    return answer ? *answer : Answer::kUnknown;
  }

  auto ShowsWith(const Statistic& counter, NumberSet allowed) -> bool {
    return RunAlone({.counters = {{&counter, std::move(allowed)}}}).answer == Answer::kBad;
  }

  void FindRewrite() {
    // A fault that takes more than this pass and its input is not examined further, nor are several suspects.
    if (guilty().pass == nullptr || result_.first_suspect != guilty().number) return;
    if (RunAlone({}).answer != Answer::kBad) return;
    for (const Statistic* counter : CountersOf(guilty().name)) {
      if (error_) return;
      // The run without any of its rewrites is good if the rewrites are to blame.
      if (ShowsWith(*counter, NumberSet::UpTo(0))) continue;
      const auto number = FirstRewrite(*counter);
      if (!number) continue;
      GuiltyRewrite rewrite{.counter = NameOf(*counter), .earlier = AskedEarlier(*counter), .number = *number};
      const auto only = NumberSet::Parse(std::to_string(*number));
      rewrite.alone = ShowsWith(*counter, *only);
      rewrite.others_too = ShowsWith(*counter, AllBut(*number));
      const DebugCounter needed{counter, rewrite.alone ? *only : NumberSet::UpTo(*number)};
      Tell(needed, rewrite);
      result_.rewrite = std::move(rewrite);
      return;
    }
  }

  // Returns the least number of first rewrites that show the fault, of which the last is the guilty one.
  auto FirstRewrite(const Statistic& counter) -> std::optional<uint64_t> {
    uint64_t good = 0;
    uint64_t bad = 1;
    while (!ShowsWith(counter, NumberSet::UpTo(bad))) {
      if (bad >= kManyRewrites || error_) return std::nullopt;
      good = bad;
      bad *= 2;
    }
    while (bad - good > 1) {
      const uint64_t middle = good + (bad - good) / 2;
      (ShowsWith(counter, NumberSet::UpTo(middle)) ? bad : good) = middle;
    }
    return bad;
  }

  // The count of the debug counter when the guilty run began.
  auto AskedEarlier(const Statistic& counter) -> uint64_t {
    const bool ran_before = std::ranges::any_of(
        runs_, [&](const PassRun& run) { return run.name == guilty().name && run.number < guilty().number; });
    if (!ran_before) return 0;
    const Trial trial = RunPipeline(NumberSet::UpTo(guilty().number - 1), {{&counter, *NumberSet::Parse("1-")}});
    return trial.counts.empty() ? 0 : trial.counts.front();
  }

  // What the pass reports about the rewrite, and which functions it changes.
  void Tell(const DebugCounter& needed, GuiltyRewrite& rewrite) {
    if (kind() == Property::Kind::kCrash) return;
    const auto log = std::make_shared<RemarkLog>();
    const Alone alone = RunAlone({.counters = {needed}, .remarks = log});
    result_.functions = ChangedFunctions(guilty().before, alone.trial.result);
    std::vector<Remark> passed = log->Take();
    // For a pass without messages of its own the log has the sizes of functions.
    std::erase_if(passed, [](const Remark& remark) {
      return remark.kind != RemarkKind::kPassed || remark.name == "Changed" || remark.name == "Dropped";
    });
    // Of several rewrites the last is the guilty one.
    if (!rewrite.alone && passed.size() > 1) passed.erase(passed.begin(), passed.end() - 1);
    rewrite.remarks = std::move(passed);
  }

  void FindFunctions() {
    if (!result_.functions.empty()) return;
    result_.functions = ChangedFunctions(guilty().before, guilty().after);
    if (!result_.functions.empty()) return;
    const PassDef* def = FindPass(guilty().name);
    if (def == nullptr || def->functions == nullptr || guilty().pass == nullptr) return;
    std::vector<std::string> names;
    for (const GlobalId id : guilty().before.SortedFunctions()) {
      if (&guilty().before.function(id)->function_kind() == def->functions)
        names.emplace_back(guilty().before.name(id));
    }
    if (names.empty()) return;
    const auto shows = [&](size_t count) -> Result<Answer> {
      return RunAlone({.functions = {names.begin(), names.begin() + static_cast<ptrdiff_t>(count)}}).answer;
    };
    if (names.size() > 1 && *shows(names.size()) != Answer::kBad) return;
    Halving halving(names.size(), shows);
    static_cast<void>(halving.Run());
    result_.functions = {names[halving.bad() - 1]};
  }

  auto FailsWithout(uint64_t number) -> std::optional<bool> {
    const NumberSet others = AllBut(number);
    if (kind() == Property::Kind::kCrash) {
      const auto end = RunPipelineInChild(others);
      return !end || end->timed_out ? std::nullopt : std::optional(end->crashed());
    }
    const Trial trial = RunPipeline(others);
    if (kind() == Property::Kind::kVerify || kind() == Property::Kind::kError) return judge_.FailsSo(trial, nullptr);
    if (trial.failed) return std::nullopt;
    if (kind() == Property::Kind::kValidate) {
      return judge_.FirstMismatch(trial.runs) != nullptr;
    }
    const Result<Answer> answer = JudgeResult(trial.result, guilty().name, number);
    if (!answer) error_ = answer.error();
    return answer && *answer != Answer::kUnknown ? std::optional(*answer == Answer::kBad) : std::nullopt;
  }

  const Pass& pipeline_;
  const Module& module_;
  PropertyJudge judge_;
  BisectResult result_;
  std::optional<Diagnostic> error_;
  // The runs that succeeded, and the ones among them that changed something.
  std::vector<PassRun> runs_;
  std::vector<PassRun> changed_;
};

}  // namespace

auto Bisect(const Pass& pipeline, const Module& module, const JudgeOptions& options) -> Result<BisectResult> {
  return Bisection(pipeline, module, options).Run();
}

}  // namespace relayopt
