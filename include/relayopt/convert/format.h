// The formats in which modules are read and written. Each format is a row in lib/convert/format.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/option_set.h"

namespace relayopt {

// Options for readers.
struct ImportOptions {
  ReadOptions text = {};
  // The options of single formats, such as OnnxOptions.
  OptionSet formats = {};
  // The context that the module should share with other modules; null: a new one.
  std::shared_ptr<Context> context = nullptr;
  // Supplies values of the model's inputs; called only when the model cannot be read without them. Returns nothing
  // after it has reported an error. May be empty.
  std::function<std::optional<std::vector<NamedTensor>>()> values = {};
};

// A module that was read, with further information from its file.
struct ImportedModule {
  // The module as it was read, without inferred types.
  Module module;
  // For an ONNX model, the names of its inputs and outputs as its users know them; the module in it is the one above.
  std::optional<OnnxModule> onnx = {};
  // The name of the row of its format.
  std::string_view format = {};
};

// Options for writers.
struct ExportOptions {
  PrintOptions print = {};
  // The options of single formats, such as OnnxWriteOptions.
  OptionSet formats = {};
  // Whether the elements of large tensors go to a file beside the model, in formats that allow it.
  bool external = false;
  // The path of the file; empty for standard output. Files beside it are named after it.
  std::string path = {};
};

// A file that has to be next to the one that is written, such as the arrays of a Python module.
struct CompanionFile {
  std::string path;
  // Writes its content, which the module may own.
  std::function<void(TextSink& sink)> write;
};

// The destination of a writer.
struct Export {
  TextSink& text;
  // Receives problems. When one of them is an error, nothing is written.
  DiagnosticSink& problems;
  std::vector<CompanionFile> companions = {};
  // Whether the run has failed although something is written, such as a report that finds faults.
  bool failed = false;
};

// The row of a format: everything that relayopt knows about it.
struct FormatDef {
  // The name for --input-format and --emit.
  std::string_view name;
  // The name for people: `Relay text`.
  std::string_view title;
  // The endings of file names, separated by spaces.
  std::string_view endings = {};
  // Whether a file begins like this format; null if the first bytes do not decide.
  bool (*begins)(std::string_view bytes) = nullptr;
  // The reader, which reports errors; null if relayopt cannot read the format. The module keeps `source` alive as long
  // as it needs it.
  std::optional<ImportedModule> (*read)(const std::shared_ptr<const SourceText>& source, const ImportOptions& options,
                                        DiagnosticSink& sink) = nullptr;
  // The writer; null if relayopt cannot write the format.
  void (*write)(const Module& module, const ExportOptions& options, Export& out) = nullptr;
  // Counts the nodes of a file; null for formats whose nodes are Relay's operators. Returns nothing if the file cannot
  // be read.
  std::optional<GraphCounts> (*count)(const SourceText& source) = nullptr;
  // Whether some modules cannot be written in this format. The whole module is then converted before anything is
  // written.
  bool may_refuse = false;
  // Whether the output is binary and does not belong on a terminal.
  bool is_binary = false;
  // A clause that says what to do instead, for formats that are only recognized.
  std::string_view instead = {};
  // The same for formats that users may want to write.
  std::string_view write_instead = {};
};

// Returns all rows; those that can be read or written come first.
auto Formats() -> std::span<const FormatDef>;

// Returns the row with this name, or null if there is none.
auto FindFormat(std::string_view name) -> const FormatDef*;

// Returns the names of the formats that can be read, and of those that can be written.
auto ReadableFormats() -> std::vector<std::string_view>;
auto WritableFormats() -> std::vector<std::string_view>;

// Returns the row whose ending the path has, or null if there is none.
auto FormatOfEnding(std::string_view path) -> const FormatDef*;

// Recognizes the format of a source by its first bytes, or else by the ending of its name. Relay text when neither is
// known.
auto RecognizeFormat(const SourceText& source) -> const FormatDef&;

// Reads a source of this format. A format that cannot be read, and binary data where text is expected, give one error
// that says what the source seems to be.
auto ReadFormat(const FormatDef& format, const std::shared_ptr<const SourceText>& source, const ImportOptions& options,
                DiagnosticSink& sink) -> std::optional<ImportedModule>;

}  // namespace relayopt
