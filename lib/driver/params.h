// --bind-params and --write-params: weights in files beside the text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "options.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/text/reader.h"
#include "reporter.h"

namespace relayopt {

// The tensors of --bind-params: constants that the text leaves to the file take theirs while it is read, then
// parameters of @main. `random` instead of a file generates weights.
class BoundFile {
 public:
  explicit BoundFile(const ToolOptions& options) : options_(options) {}

  // Reads the file, once; false after an error.
  auto Open(Reporter& reporter) -> bool;
  // For the reader; refers to this object.
  auto Constants() -> ExternalConstants;
  // Binds parameters of @main to the tensors that the text did not use, and reports names without a counterpart. False
  // after an error.
  auto Bind(Module& module, DiagnosticSink& sink) -> bool;

 private:
  auto is_random() const -> bool { return options_.bind_params == "random"; }

  const ToolOptions& options_;
  bool is_read_ = false;
  std::vector<NamedTensor> tensors_;
  absl::flat_hash_set<std::string> used_;
};

// A module, and the bytes of the file for its constants.
struct TextAndParams {
  std::string text;
  std::string params;
};

// Prints a module for --write-params; returns nothing after an error, which is reported.
auto PrintWithParams(const Module& module, const ToolOptions& options, PrintOptions print, Reporter& reporter)
    -> std::optional<TextAndParams>;

}  // namespace relayopt
