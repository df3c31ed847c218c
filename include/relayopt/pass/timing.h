// PassTimingInstrument: the time and memory that passes take.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Measures passes as a tree, in which passes that run inside others are their children.
class PassTimingInstrument final : public PassInstrument {
 public:
  using Clock = std::chrono::steady_clock;

  auto ExitPassContext() -> std::optional<Diagnostic> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // Returns the text that TVM prints: one line for each run, `NAME: TOTALus [SELFus] (% of all; % of the parent)`,
  // children indented by tabs. Returns empty if nothing was measured. Leaving the context forgets all measurements.
  auto Render() const -> std::string;

  // How the table groups runs into rows.
  enum class Rows : uint8_t {
    kTree,  // runs of one name below one parent added up, indented
    kList,  // runs of one name anywhere, most expensive in itself first
    kRuns,  // every run by itself, numbered
  };
  // Returns a table for people: milliseconds, runs, how many expressions were added or removed, and how much the memory
  // of the process grew.
  auto RenderTable(Rows rows = Rows::kTree) const -> std::string;

  // JSON for programs: every run in the order of its beginning, with integer nanoseconds and bytes.
  auto RenderJson() const -> std::string;
  // Trace events for chrome://tracing and Perfetto; runs shorter than `granularity` are left out.
  auto RenderTrace(Clock::duration granularity) const -> std::string;

 private:
  // The resources that the process has used at some moment.
  struct Usage {
    Clock::time_point wall;
    std::chrono::microseconds user{};
    std::chrono::microseconds system{};
    // Resident memory in bytes: now, and its maximum so far.
    int64_t resident = 0;
    int64_t peak = 0;

    static auto Now() -> Usage;
  };

  struct Node {
    std::string name;
    uint32_t depth = 0;
    // Index of the pass around it; its own index for the outermost.
    uint32_t parent = 0;
    Usage before;
    Usage after;
    Clock::duration children{};
    int64_t size_before = 0;
    int64_t size_after = 0;
    bool changed = false;

    auto wall() const -> Clock::duration { return after.wall - before.wall; }
    auto self() const -> Clock::duration { return wall() - children; }
  };

  // A line of the table.
  struct Row;

  // Ends the innermost running pass.
  void End(const Module& module, bool changed);
  auto Total() const -> Clock::duration;
  auto MakeRows(Rows rows) const -> std::vector<Row>;

  // In the order in which passes began, so that parents precede their children.
  std::vector<Node> nodes_;
  std::vector<uint32_t> open_;
};

}  // namespace relayopt
