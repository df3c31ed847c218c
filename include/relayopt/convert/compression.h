// Decompresses input files, compresses output files, and removes byte order marks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

// Returns the content of a gzip, xz or zstd file under the same name; other sources are returned as they are. Null,
// with an error, when the file is damaged, or its content is larger than a SourceText can be.
auto Decompress(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) -> std::shared_ptr<const SourceText>;

// Decompresses a source, and removes the byte order mark that UTF-8 text may begin with.
auto AsText(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) -> std::shared_ptr<const SourceText>;
auto WithoutByteOrderMark(std::string_view text) -> std::string_view;

// Returns the name without the ending of a compressed file: `model.relay` for `model.relay.gz`.
auto WithoutCompression(std::string_view name) -> std::string_view;

// Compresses the bytes as the ending of the name says: .gz, .xz or .zst; others stay as they are. Returns why that
// cannot be done, or nullopt.
auto CompressFor(std::string_view name, std::string& bytes) -> std::optional<std::string>;

}  // namespace relayopt
