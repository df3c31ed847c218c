// The instruments that come with relayopt.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/text/printer.h"

namespace relayopt {

// Measures passes as a tree: passes that run inside others are their children.
class PassTimingInstrument final : public PassInstrument {
 public:
  using Clock = std::chrono::steady_clock;

  auto ExitPassContext() -> std::optional<Diagnostic> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

  // The reference's text: one line a run, `NAME: TOTALus [SELFus] (% of all; % of the parent)`, children indented by
  // tabs. Empty when nothing was measured. Leaving the context forgets everything.
  auto Render() const -> std::string;
  // A table for people: wall time in milliseconds, runs of one name below one parent added up, and how many expressions
  // came or went.
  auto RenderTable() const -> std::string;

 private:
  struct Node {
    std::string name;
    uint32_t depth = 0;
    // Position of the pass around it; itself for the outermost.
    uint32_t parent = 0;
    Clock::time_point start;
    Clock::duration total{};
    Clock::duration children{};
    int64_t size_before = 0;
    int64_t size_after = 0;
    bool changed = false;
  };

  // In the order in which passes began, so that a parent stands before its children.
  std::vector<Node> nodes_;
  std::vector<uint32_t> open_;
};

// Writes the module around passes: `*** IR Dump Before NAME ***` and `*** IR Dump After NAME ***`.
class PrintIRInstrument final : public PassInstrument {
 public:
  struct Options {
    bool before_all = false;
    bool after_all = false;
    // Only after passes that changed more than types.
    bool only_changed = false;
    // Names of pass infos.
    std::vector<std::string> before;
    std::vector<std::string> after;
    PrintOptions print;
  };

  // `sink` must outlive the instrument.
  PrintIRInstrument(Options options, TextSink& sink) : options_(std::move(options)), sink_(&sink) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  void Print(std::string_view when, const Module& module, const PassInfo& info);

  Options options_;
  TextSink* sink_;
};

// Writes the module into a folder after every pass that changed it: 000-input.relay, 001-FoldConstant.relay, ... The
// numbers count the passes that ran, so that a gap is a pass that changed nothing.
class DumpIRInstrument final : public PassInstrument {
 public:
  DumpIRInstrument(std::string folder, PrintOptions print) : folder_(std::move(folder)), print_(print) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  auto Dump(const Module& module, const std::string& name) -> std::optional<Diagnostic>;

  std::string folder_;
  PrintOptions print_;
  size_t count_ = 0;
};

// Lets only the first `limit` passes run, and tells of each whether it does: for finding the pass that breaks something
// by trying limits. Type inference and sequences always run.
class BisectInstrument final : public PassInstrument {
 public:
  // `sink` must outlive the instrument.
  BisectInstrument(int64_t limit, TextSink& sink) : limit_(limit), sink_(&sink) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;

 private:
  int64_t limit_;
  int64_t count_ = 0;
  TextSink* sink_;
};

// Verifies the functions that a pass changed, before types are inferred for them, and stops at the first that breaks a
// rule.
class VerifyInstrument final : public PassInstrument {
 public:
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  // `culprit` is the pass that ran last.
  auto VerifyChanged(const Module& module, const std::string& culprit) -> std::optional<Diagnostic>;

  std::vector<std::weak_ptr<const Function>> verified_;
  // Names of the passes that are running, outermost first.
  std::vector<std::string> open_;
};

}  // namespace relayopt
