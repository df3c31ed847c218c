// The formats in which modules come and go, a row each: whoever adds one adds a row in lib/convert/format.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// What readers may be told.
struct ImportOptions {
  ReadOptions text = {};
  OnnxOptions onnx = {};
  // What the module is to share with others; a context of its own where there is none.
  std::shared_ptr<Context> context = nullptr;
  // Values of the model's inputs, asked for when it cannot be read without them; nothing after an error, which is
  // reported. May be empty.
  std::function<std::optional<std::vector<NamedTensor>>()> values = {};
};

struct ImportedModule {
  // As it was read: types are not inferred.
  Module module;
  // The names by which users know inputs and outputs, when it was an ONNX model; its module is the one above.
  std::optional<OnnxModule> onnx = {};
};

// What writers may be told.
struct ExportOptions {
  PrintOptions print = {};
  OnnxWriteOptions onnx = {};
  // Where elements of large tensors go in formats that can have them beside the file: as the format has it.
  bool external = false;
  // Where the file goes; empty for standard output. Files that belong beside it are named after it.
  std::string path = {};
};

// A file that stands beside the one that is written, as the arrays of a Python module do.
struct CompanionFile {
  std::string path;
  std::string bytes;
};

// Where writers write to.
struct Export {
  TextSink& text;
  // Nothing is written when one of these is an error.
  DiagnosticSink& problems;
  std::vector<CompanionFile> companions = {};
  // Whether the run fails although something is written, as a report that finds faults.
  bool failed = false;
};

struct FormatDef {
  // What --input-format and --emit call it.
  std::string_view name;
  // For people: `Relay text`.
  std::string_view title;
  // Of files, separated by spaces.
  std::string_view endings = {};
  // Whether a file begins like that; null when its bytes tell nothing.
  bool (*begins)(std::string_view bytes) = nullptr;
  // Null when relayopt cannot read it. Reports errors; the module keeps `source` alive as long as it needs it.
  std::optional<ImportedModule> (*read)(const std::shared_ptr<const SourceText>& source, const ImportOptions& options,
                                        DiagnosticSink& sink) = nullptr;
  // Null when relayopt cannot write it.
  void (*write)(const Module& module, const ExportOptions& options, Export& out) = nullptr;
  // Whether there are modules that it cannot hold, so that nothing may be written before all is.
  bool may_refuse = false;
  // Whether what is written is no text, so that it does not belong on a terminal.
  bool is_binary = false;
  // What to do instead, for formats that are only recognized; a clause.
  std::string_view instead = {};
};

// All rows, those that can be read or written first.
auto Formats() -> std::span<const FormatDef>;

// The row of this name; null when there is none.
auto FindFormat(std::string_view name) -> const FormatDef*;

// The names of the formats that can be read, or written.
auto ReadableFormats() -> std::vector<std::string_view>;
auto WritableFormats() -> std::vector<std::string_view>;

// The row whose ending a path has; null when there is none.
auto FormatOfEnding(std::string_view path) -> const FormatDef*;

// What a source holds: by its first bytes, then by the ending of its name. Relay text when neither says anything.
auto RecognizeFormat(const SourceText& source) -> const FormatDef&;

// Reads a source of this format. Formats that cannot be read, and bytes that are no text where text is expected, are
// one error that says what they seem to be.
auto ReadFormat(const FormatDef& format, const std::shared_ptr<const SourceText>& source, const ImportOptions& options,
                DiagnosticSink& sink) -> std::optional<ImportedModule>;

}  // namespace relayopt
