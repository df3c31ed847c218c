// One process for each input: a child inherits all registrations and loaded files, and cannot harm the others.
#include "batch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "depfile.h"
#include "driver.h"
#include "output.h"
#include "relayopt/convert/compression.h"
#include "relayopt/convert/format.h"
#include "relayopt/support/process.h"
#include "setup.h"

namespace relayopt {

namespace {

struct Job {
  std::string input;
  // `-` when nothing is printed.
  std::string output;
  // Its messages are printed in the order of the inputs.
  Child child = {};
  // No value until it has ended.
  std::optional<int> status = {};
  // DependencyRule of the run.
  std::string rule = {};
};

// Returns the name of the input in the folder, with the ending of the format that is printed when it has another.
auto OutputOf(const ToolOptions& options, const std::string& input) -> std::string {
  if (options.out_dir.empty()) return "-";
  std::filesystem::path name = std::filesystem::path(WithoutCompression(input)).filename();
  const FormatDef* printed = FindFormat(options.emit.empty() ? "text" : options.emit);
  if (FormatOfEnding(name.string()) != printed) {
    name.replace_extension(printed->endings.substr(0, printed->endings.find(' ')));
  }
  return (std::filesystem::path(options.out_dir) / name).string();
}

// Determines the output of each input. An error when two outputs have the same path, or one would overwrite an input.
auto PlanJobs(const ToolOptions& options, Reporter& reporter) -> std::vector<Job> {
  std::vector<Job> jobs;
  std::set<std::string> inputs;
  std::set<std::string> outputs;
  const auto canonical = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::weakly_canonical(path, error).string();
  };
  for (const std::string& input : options.input_files) inputs.insert(canonical(input));
  for (const std::string& input : options.input_files) {
    const Job& job = jobs.emplace_back(Job{.input = input, .output = OutputOf(options, input)});
    if (input == "-") reporter.Error("standard input has no name, and cannot be one of several inputs");
    if (job.output == "-") continue;
    if (!outputs.insert(job.output).second) {
      reporter.Error(fmt::format("--out-dir: two inputs would become '{}'", job.output));
    } else if (inputs.contains(canonical(job.output))) {
      reporter.Error(fmt::format("--out-dir would write over '{}', an input", job.output));
    }
  }
  return jobs;
}

// What a child writes: its messages as text, and then, each after this byte, its messages as data and a rule of make. A
// child that crashed leaves text only.
constexpr char kEndOfText = '\x1e';

auto RunChild(const ToolOptions& options, const Job& job, bool uses_color) -> int {
  ToolOptions own = options;
  own.input = job.input;
  own.output = job.output;
  own.threads = 1;
  own.color = uses_color ? "always" : "never";
  Reporter reporter(own);
  const int status = RunInput(own, reporter);
  reporter.Finish(/*as_data=*/false);
  const std::string end = kEndOfText + ToJson(reporter.records()) + kEndOfText + DependencyRule(own);
  std::fwrite(end.data(), 1, end.size(), stderr);
  return status;
}

// Whether it could be started.
auto Start(const ToolOptions& options, Job& job, bool uses_color) -> bool {
  const auto child = StartChild([&] { return RunChild(options, job, uses_color); });
  if (child) job.child = *child;
  return child.has_value();
}

// Waits until one of the jobs has ended. Returns how many did.
auto WaitForOne(std::vector<Job>& jobs) -> size_t {
  const std::optional<EndedChild> ended = WaitForChild();
  const auto job =
      !ended ? jobs.end()
             : std::ranges::find_if(jobs, [&](const Job& each) { return each.child.process == ended->process; });
  if (job == jobs.end()) return 0;
  job->status = ended->status;
  return 1;
}

auto ReadMessages(Job& job) -> std::string {
  std::string text;
  char piece[1 << 14];
  ::lseek(job.child.messages, 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(job.child.messages, piece, sizeof(piece))) > 0;) {
    text.append(piece, static_cast<size_t>(n));
  }
  ::close(std::exchange(job.child.messages, -1));
  return text;
}

// Shows the messages of a child that has ended; those that are data become part of the document of this process.
void ShowMessages(Job& job, bool is_text, Reporter& reporter) {
  std::string text = ReadMessages(job);
  bool told = false;
  const size_t last = text.rfind(kEndOfText);
  const size_t first = last == 0 || last == std::string::npos ? last : text.rfind(kEndOfText, last - 1);
  if (first != std::string::npos) {
    job.rule = text.substr(last + 1);
    const auto records = ParseRecords(std::string_view(text).substr(first + 1, last - first - 1));
    for (const DiagnosticRecord& record : records.value_or(std::vector<DiagnosticRecord>())) {
      told = told || record.severity == Severity::kError;
      reporter.Add(record);
    }
    text.resize(first);
  }
  const std::string failure = fmt::format("'{}' failed with status {}", Printable(job.input), *job.status);
  if (*job.status != kSuccess && is_text) text += "relayopt: " + failure + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (*job.status != kSuccess && !is_text && !told) reporter.Error(failure);
}

// Runs all jobs, up to --threads at once; returns false if a process cannot be started.
auto RunJobs(const ToolOptions& options, std::vector<Job>& jobs, Reporter& reporter) -> bool {
  const size_t at_once = options.threads == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : options.threads;
  size_t started = 0;
  size_t ended = 0;
  for (size_t shown = 0; shown < jobs.size();) {
    for (; started < jobs.size() && started - ended < at_once; ++started) {
      if (!Start(options, jobs[started], reporter.uses_color())) return false;
    }
    if (!jobs[shown].status) ended += WaitForOne(jobs);
    for (; shown < jobs.size() && jobs[shown].status; ++shown)
      ShowMessages(jobs[shown], options.diagnostics_format == "text", reporter);
  }
  return true;
}

}  // namespace

auto RunBatch(const ToolOptions& options, Reporter& reporter) -> int {
  // Reports faults of the pipeline once, and not for each input.
  FdSink ir_sink(STDERR_FILENO, /*buffered=*/false);
  if (Prepare(options, reporter, ir_sink) == nullptr) return kFailure;
  std::error_code error;
  if (!options.out_dir.empty()) std::filesystem::create_directories(options.out_dir, error);
  if (error) reporter.Error(fmt::format("cannot make the folder '{}': {}", options.out_dir, error.message()));
  std::vector<Job> jobs = PlanJobs(options, reporter);
  if (reporter.failed()) return kFailure;
  if (!RunJobs(options, jobs, reporter)) {
    reporter.Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
    return kFailure;
  }
  const auto failed = std::ranges::find_if(jobs, [](const Job& job) { return *job.status != kSuccess; });
  if (failed != jobs.end()) return *failed->status;
  std::string rules;
  for (const Job& job : jobs) rules += job.rule;
  return WriteDepfile(options, rules, reporter);
}

}  // namespace relayopt
