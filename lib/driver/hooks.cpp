// Runs programs on the module.
#include "hooks.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "output.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/pass/pass.h"
#include "relayopt/support/files.h"
#include "relayopt/support/process.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotRun = {"cannot-run-program", Severity::kError, "cannot run '{}': {}"};
constexpr DiagnosticKind kStopped = {"stopped-by-program", Severity::kError,
                                     "'{}' ended with status {} after {} (pass #{})"};

}  // namespace

auto ExecOnChange::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  numbers_.Asks(info);
  return true;
}

auto ExecOnChange::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (IsNumbered(info)) numbers_.Begins();
  if (started_) return std::nullopt;
  started_ = true;
  return Exec(module, "input");
}

auto ExecOnChange::RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> {
  if (!IsNumbered(info)) return std::nullopt;
  return changed ? Exec(module, info.name) : std::nullopt;
}

auto ExecOnChange::Exec(const Module& module, const std::string& pass) -> std::optional<Diagnostic> {
  const Result<int> status = RunProgramOn(module, print_, program_, pass, numbers_.number());
  if (!status) return status.error();
  if (*status != 0 && stop_) return MakeDiagnostic(kStopped, {}, program_, *status, pass, numbers_.number());
  return std::nullopt;
}

auto RunProgramOn(const Module& module, const PrintOptions& print, const std::string& program, const std::string& pass,
                  uint64_t number) -> Result<int> {
  const std::string_view ending = TextKindOf(module).extension;
  std::string file = (std::filesystem::temp_directory_path() / "relayopt-XXXXXX").string() + std::string(ending);
  const int fd = CreateUniqueFile(file, ending.size());
  if (fd < 0) return MakeDiagnostic(kCannotRun, {}, program, std::strerror(errno));
  FdSink sink(fd);
  PrintModule(module, print, sink);
  sink.Flush();
  ::close(fd);
  ::setenv("RELAYOPT_PASS_NUMBER", std::to_string(number).c_str(), 1);
  std::string error;
  const std::optional<int> status = RunProgram({program, file, pass}, error);
  ::unlink(file.c_str());
  if (!status) return MakeDiagnostic(kCannotRun, {}, program, error);
  return *status;
}

}  // namespace relayopt
