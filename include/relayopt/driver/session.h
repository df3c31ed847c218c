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

// Makes the passes and kinds of functions known that come with relayopt; a second call does nothing. Every Session does
// it.
void RegisterBuiltins();

struct SessionOptions {
  // Level, target, config, threads, instruments. Every pass runs at the level that stands here.
  PassContextOptions context = {.opt_level = kEveryPass, .infer_types_after_module_passes = true};
  ImportOptions imports = {};
  PrintOptions print = {};
  // A name of a format; empty: what the input looks like.
  std::string input_format = {};

  // Above the level of any pass.
  static constexpr int kEveryPass = 5;
};

// One user's work with any number of modules. Nothing is thrown and nothing is printed: what there is to say is in
// diagnostics(). Not thread-safe; several sessions may work at the same time in different threads.
class Session {
 public:
  // An option that is not valid (a config key, a value, a format) is told in diagnostics(); nothing can be done then.
  explicit Session(SessionOptions options = {});
  // With a context made by others. `options.context` is not used.
  Session(SessionOptions options, PassContextRef context);

  // Reads a model in any format that relayopt knows, infers its types and verifies it. Nothing after errors.
  auto ReadFile(const std::string& path) -> std::optional<Module>;
  // The same for bytes in memory, text or not; `name` stands in messages for that of a file, and its ending may tell
  // the format.
  auto Read(std::string name, std::string bytes) -> std::optional<Module>;

  // Runs a pipeline as --passes takes it (see relayopt/pass/pipeline.h), verifies the result, and says whether all went
  // well. After an error the module is as the last pass left it that went well.
  auto Run(Module& module, std::string_view pipeline) -> bool;

  // The module as text, or in another format that can be written; empty, with an error, when there is no such format.
  auto Print(const Module& module, std::string_view format = "text") -> std::string;

  // What was said since the beginning, or since they were taken.
  auto diagnostics() const -> const std::vector<DiagnosticRecord>& { return records_; }
  auto TakeDiagnostics() -> std::vector<DiagnosticRecord>;
  auto has_errors() const -> bool;

  // For those who report by themselves: the steps behind the functions above, which put what they have to say into
  // `sink`. Ranges are those of `source`.

  // Calls `at_step` at the beginning and the end of each step that is no pass: "(read)", "(infer types)", "(verify)".
  void WatchSteps(std::function<void(const char* step, bool begins)> at_step) { at_step_ = std::move(at_step); }
  // Reads without inferring types.
  auto Import(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<ImportedModule>;
  // Infers types, and reports what the verifier does not like, so that no pass is blamed for it.
  auto Prepare(Module& module, DiagnosticSink& sink) -> bool;
  // Applies a pass and verifies the result; whether all went well.
  auto Apply(const Pass& pass, Module& module, DiagnosticSink& sink) -> bool;

  // Tells those who watch of a step.
  void Step(const char* step, bool begins) const;

  auto context() -> PassContext& { return *context_; }
  // What the next Import is told.
  auto imports() -> ImportOptions& { return options_.imports; }

 private:
  auto ReadSource(const std::shared_ptr<const SourceText>& source) -> std::optional<Module>;
  void Verify(const Module& module, const char* when, DiagnosticSink& sink);
  void Keep(const DiagnosticSink& sink, const SourceText* source);
  void Keep(const Diagnostic& diagnostic, const SourceText* source);

  SessionOptions options_;
  // Null when the options are not valid.
  PassContextRef context_;
  std::vector<DiagnosticRecord> records_;
  std::function<void(const char*, bool)> at_step_;
};

}  // namespace relayopt
