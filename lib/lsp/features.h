// The features of the language server: each takes a document and a position, and returns what the protocol wants.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "document.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Diagnostics, as the notification publishDiagnostics has them.
auto DiagnosticsOf(const Document& document) -> nlohmann::json;

// The operator, pass, intrinsic, function or variable at an offset in Markdown, with its type; null if there is none.
auto Hover(const Document& document, size_t offset) -> nlohmann::json;

// Where the name at an offset is defined; null if it is not a name of the text.
auto Definition(const Document& document, size_t offset) -> nlohmann::json;
// Returns all occurrences of the name at an offset.
auto References(const Document& document, size_t offset, bool with_definition) -> nlohmann::json;
// Returns the edits that give the name at an offset another one. An error in words if that is impossible.
auto Rename(const Document& document, size_t offset, std::string_view name) -> Result<nlohmann::json>;

// Functions and types, with the variables inside of them.
auto Symbols(const Document& document) -> nlohmann::json;

// Operators, attributes, variables, functions and intrinsics that match the text before an offset.
auto Complete(const Document& document, size_t offset) -> nlohmann::json;

// Returns the edit that formats the whole text, or null if it cannot be parsed. An error if the text has comments,
// which the table of a function does not hold.
auto Format(const Document& document) -> Result<nlohmann::json>;

// Types of variables as inlay hints, for the lines that a range touches.
auto InlayHints(const Document& document, size_t begin, size_t end) -> nlohmann::json;

// The command of the code actions, which the server executes. An editor that shows the difference executes it itself
// and asks the server.
inline constexpr const char* kRunPipelineCommand = "relayopt.runPipeline";

// Returns the pipelines that may be run over the document, as code actions with that command.
auto CodeActions(const Document& document) -> nlohmann::json;
// Runs a pipeline: {"text": the module afterwards, "difference": what changed}. An error if the text or the pipeline
// has one.
auto RunPipeline(const Document& document, const std::string& pipeline) -> Result<nlohmann::json>;

}  // namespace relayopt
