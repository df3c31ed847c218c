// What pipelines cost on one program, or on one at two sizes: relayopt_scale SMALL [LARGE], with a pipeline on each
// line of standard input. What runs of the tool cost on two files: relayopt_scale --tool, where each line contains the
// options, the small and the large file, with tabulators between them.
//
// Prints a line for each: what it took for the small program, for the large one if there is one, and the line itself,
// with tabulators between them; 0 where that ended with an error. Instructions where the processor counts them for
// programs ("instructions" is the first line), else nanoseconds of processor time ("nanoseconds"). Under callgrind each
// run is a dump of its own, whose name is the number of the line and of the program.
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "lib/driver/driver.h"
#include "relayopt/driver/session.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/process.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

namespace {

using relayopt::Module;
using relayopt::Session;

// Counts what this thread does.
class Counter {
 public:
  Counter() {
    perf_event_attr wanted = {};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
    wanted.exclude_kernel = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
  }
  Counter(const Counter&) = delete;
  auto operator=(const Counter&) -> Counter& = delete;
  ~Counter() {
    if (counts_instructions()) close(file_);
  }

  auto counts_instructions() const -> bool { return file_ >= 0; }
  auto Read() const -> uint64_t {
    uint64_t count = 0;
    if (counts_instructions() && read(file_, &count, sizeof count) == sizeof count) return count;
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  }

 private:
  int file_ = -1;
};

class Meter {
 public:
  // Returns what `run` costs on what `prepare` returns, or 0 after an error. The clock is asked several times for the
  // least, until that is at most `enough`: other processes make a run longer, but never shorter.
  template <typename Prepare, typename Run>
  auto Cost(const std::string& name, uint64_t enough, Prepare&& prepare, Run&& run) -> uint64_t {
    uint64_t least = UINT64_MAX;
    uint64_t spent = 0;
    const bool is_exact = counter_.counts_instructions() || RUNNING_ON_VALGRIND;
    const int rounds = is_exact ? 1 : enough == 0 ? kRounds : kMostRounds;
    for (int i = 0; i < rounds && least > enough && spent < kLongTime; ++i) {
      auto input = prepare();
      CALLGRIND_START_INSTRUMENTATION;
      const uint64_t begin = counter_.Read();
      const bool works = run(input);
      const uint64_t cost = counter_.Read() - begin;
      CALLGRIND_DUMP_STATS_AT(name.c_str());
      CALLGRIND_STOP_INSTRUMENTATION;
      if (!works) return 0;
      least = std::min(least, cost);
      spent += cost;
    }
    return least;
  }
  auto unit() const -> const char* { return counter_.counts_instructions() ? "instructions" : "nanoseconds"; }

 private:
  static constexpr int kRounds = 2;
  static constexpr int kMostRounds = 8;
  // What has taken so long is not repeated.
  static constexpr uint64_t kLongTime = 1'000'000'000;

  Counter counter_;
};

// The large program is some times larger than the small one: check_scale.py takes a growth up to this as good, and what
// takes as short as this.
constexpr uint64_t kUsualGrowth = 12;
constexpr uint64_t kShortTime = 2'500'000;

void List() {
  relayopt::RegisterBuiltins();
  for (const relayopt::PassDef* pass : relayopt::AllPasses()) {
    if (!pass->hidden) std::puts(std::string(pass->name).c_str());
  }
  for (const relayopt::NamedPipeline* pipeline : relayopt::NamedPipelines())
    std::printf("default<%s>\n", std::string(pipeline->name).c_str());
}

auto MakeSession() -> Session {
  relayopt::SessionOptions options;
  // CollagePartition needs these.
  for (const char* key : {"relay.collage.tvm_max_depth", "relay.collage.byoc_max_depth"})
    options.context.config[key] = int64_t{2};
  return Session(std::move(options));
}

// Prints what the cases of a line cost: `cost` returns it for the i-th, given what is enough for it.
template <typename CostOf>
void PrintCosts(const std::string& line, size_t cases, CostOf&& cost_of) {
  uint64_t first = 0;
  for (size_t i = 0; i < cases; ++i) {
    // A growth that is none of a fault is not measured again.
    const uint64_t cost = cost_of(i, i == 0 ? 0 : std::max(kUsualGrowth * first, kShortTime));
    if (i == 0) first = cost;
    std::printf("%llu\t", static_cast<unsigned long long>(cost));
  }
  std::puts(line.c_str());
  std::fflush(stdout);
}

auto RunPipelines(const std::vector<std::string>& files) -> int {
  std::vector<Session> sessions;
  std::vector<Module> modules;
  for (const std::string& file : files) {
    std::optional<Module> module = sessions.emplace_back(MakeSession()).ReadFile(file);
    if (!module) return 1;
    modules.push_back(*std::move(module));
  }
  Meter meter;
  std::puts(meter.unit());
  std::string pipeline;
  for (int number = 0; std::getline(std::cin, pipeline); ++number) {
    PrintCosts(pipeline, files.size(), [&](size_t i, uint64_t enough) {
      const auto prepare = [&] {
        sessions[i].TakeDiagnostics();
        return modules[i];
      };
      const auto run = [&](Module& module) { return sessions[i].Run(module, pipeline); };
      return meter.Cost(std::to_string(number) + "-" + std::to_string(i), enough, prepare, run);
    });
  }
  return 0;
}

auto RunTools() -> int {
  Meter meter;
  std::puts(meter.unit());
  std::string line;
  for (int number = 0; std::getline(std::cin, line); ++number) {
    std::vector<std::string> words = {"relayopt", "-j1", "-o", "/dev/null"};
    std::istringstream rest(line);
    for (std::string word; std::getline(rest, word, '\t');) words.push_back(word);
    const std::string large = std::move(words.back());
    words.pop_back();
    PrintCosts(line, 2, [&](size_t i, uint64_t enough) {
      if (i == 1) words.back() = large;
      const auto prepare = [&] {
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        return arguments;
      };
      const auto run = [](std::vector<char*>& arguments) {
        return relayopt::RunTool(static_cast<int>(arguments.size()), arguments.data()) == relayopt::kSuccess;
      };
      return meter.Cost(std::to_string(number) + "-" + std::to_string(i), enough, prepare, run);
    });
  }
  return 0;
}

}  // namespace

auto main(int argc, char** argv) -> int {
  relayopt::TuneAllocator();
  if (argc == 1) {
    List();
    return 0;
  }
  const std::vector<std::string> files(argv + 1, argv + argc);
  if (files[0] == "--tool") return RunTools();
  return files.size() > 2 ? 1 : RunPipelines(files);
}
