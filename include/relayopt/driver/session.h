// Reading modules, running passes over them and printing them: what the tool does, for other programs.
//
//   relayopt::Session session;
//   std::optional<relayopt::Module> module = session.ReadFile("model.relay");
//   if (module && session.Run(*module, "SimplifyInference,FoldConstant,FuseOps")) std::cout << session.Print(*module);
//   for (const relayopt::DiagnosticRecord& message : session.diagnostics()) std::cerr << relayopt::ToText(message);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/convert/format.h"
#include "relayopt/driver/diagnostic_record.h"
#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pass.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Registers the passes and the kinds of functions that come with relayopt. A second call does nothing. Every Session
// calls it.
void RegisterBuiltins();

class VerifyInstrument;

// Settings of a session.
struct SessionOptions {
  // Optimization level, target, config, threads and instruments of all passes.
  PassContextOptions context = {.opt_level = kEveryPass, .infer_types_after_module_passes = true};
  ImportOptions imports = {};
  PrintOptions print = {};
  // The name of the input format; empty: recognize it.
  std::string input_format = {};

  // A level above that of every pass.
  static constexpr int kEveryPass = 5;
};

// A session reads, optimizes and prints any number of modules. It throws nothing and prints nothing: errors and other
// messages are in diagnostics(). Not thread-safe, but several sessions may work in different threads at the same time.
class Session {
 public:
  // An invalid option (a config key, a value, a format) is reported in diagnostics(), and makes all other functions
  // fail.
  explicit Session(SessionOptions options = {});
  // Uses an existing context; `options.context` is ignored.
  Session(SessionOptions options, PassContextRef context);

  // Reads a model in any format that relayopt can read, infers its types and verifies it. Nothing after errors.
  auto ReadFile(const std::string& path) -> std::optional<Module>;
  // The same for text or binary data in memory. `name` stands for the file name in messages, and its ending may
  // determine the format.
  auto Read(std::string name, std::string bytes) -> std::optional<Module>;

  // Runs a pipeline in the notation of --passes (see relayopt/pass/pipeline.h) and verifies the result. False after an
  // error; the module is then as the last successful pass left it.
  auto Run(Module& module, std::string_view pipeline) -> bool;

  // The module as text, or in another format that can be written; empty, with an error, when there is no such format.
  auto Print(const Module& module, std::string_view format = "text") -> std::string;

  // Returns the diagnostics since the beginning, or since they were last taken.
  auto diagnostics() const -> const std::vector<DiagnosticRecord>& { return records_; }
  auto TakeDiagnostics() -> std::vector<DiagnosticRecord>;
  auto has_errors() const -> bool;

  // The single steps of the functions above, for callers that report diagnostics themselves: these are put into `sink`,
  // with ranges in `source`.

  // Sets a callback for the beginning and the end of each step that is not a pass: "(read)", "(infer types)",
  // "(verify)".
  void WatchSteps(std::function<void(const char* step, bool begins)> at_step) { at_step_ = std::move(at_step); }
  // Reads a module without inferring types.
  auto Import(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<ImportedModule>;
  // Infers types and runs the verifier, so that faults of the input are not blamed on a pass.
  auto Prepare(Module& module, DiagnosticSink& sink) -> bool;
  // Applies a pass and verifies the result; false after an error.
  auto Apply(const Pass& pass, Module& module, DiagnosticSink& sink) -> bool;

  // Calls the callback of WatchSteps.
  void Step(const char* step, bool begins) const;

  auto context() -> PassContext& { return *context_; }
  // Returns the options for the next Import.
  auto imports() -> ImportOptions& { return options_.imports; }

 private:
  auto ReadSource(const std::shared_ptr<const SourceText>& source) -> std::optional<Module>;
  // The instrument of the context that verifies what passes change; null if there is none.
  auto Verifier() const -> const VerifyInstrument*;
  // Reports the functions that break rules; those that `verifier`, if there is one, has verified are only checked for
  // their types.
  void Verify(const Module& module, const char* when, DiagnosticSink& sink, const VerifyInstrument* verifier = nullptr);
  void Keep(const DiagnosticSink& sink, const SourceText* source);
  void Keep(const Diagnostic& diagnostic, const SourceText* source);

  SessionOptions options_;
  // Null if the options are invalid.
  PassContextRef context_;
  std::vector<DiagnosticRecord> records_;
  std::function<void(const char*, bool)> at_step_;
};

}  // namespace relayopt
