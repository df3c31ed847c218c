// Files as they come: compressed, or with a byte order mark.
#pragma once

#include <memory>
#include <string_view>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

// What a source holds that gzip, xz or zstd made, under the same name; the source itself when it is none of these.
// Null, with an error, when it is damaged or holds more than a source can.
auto Decompress(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) -> std::shared_ptr<const SourceText>;

// The same, and without the byte order mark that a text in UTF-8 may begin with.
auto AsText(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) -> std::shared_ptr<const SourceText>;
auto WithoutByteOrderMark(std::string_view text) -> std::string_view;

// A name without the ending of a compressed file: `model.relay` of `model.relay.gz`.
auto WithoutCompression(std::string_view name) -> std::string_view;

}  // namespace relayopt
