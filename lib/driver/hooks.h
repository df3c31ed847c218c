// Programs that look at the module while passes run.
#pragma once

#include <optional>
#include <string>

#include "relayopt/pass/instruments.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

// Runs `PROGRAM FILE PASS` with the module in FILE, which exists only for that long, and the number of the pass in the
// environment variable RELAYOPT_PASS_NUMBER. The exit status; as of a shell when a signal ended the program. A message
// when it cannot be run.
auto RunProgramOn(const Module& module, const PrintOptions& print, const std::string& program, const std::string& pass,
                  uint64_t number) -> Result<int>;

// Runs `PROGRAM FILE PASS` at the start (PASS is `input` then) and after each pass that changed the module, with the
// module in FILE, which exists only for that long, and the number of the pass in the environment variable
// RELAYOPT_PASS_NUMBER.
class ExecOnChange final : public PassInstrument {
 public:
  // `stop`: a status that is not 0 ends the run.
  ExecOnChange(std::string program, bool stop, PrintOptions print)
      : program_(std::move(program)), stop_(stop), print_(print) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  auto Exec(const Module& module, const std::string& pass) -> std::optional<Diagnostic>;

  std::string program_;
  bool stop_;
  PrintOptions print_;
  bool started_ = false;
  PassNumbers numbers_;
};

}  // namespace relayopt
