// Modules as one file of text and bytes: the text of the module, and after it the elements of its constants as they are
// in memory, so that weights are neither encoded nor, when the file is mapped, copied.
//
//   RELAYOPT-BINARY 1 <16 hex digits: where the text ends> <16 hex digits: how many tensors follow>\n
//   text as PrintModule has it, in which constants leave names (PrintOptions::external_constants)
//   a record for each tensor, from the next multiple of 8: u64 where its elements begin, u32 bytes of its name, u32
//     number of dimensions, u8 code, u8 bits and u16 lanes of its type, u32 zero, i64 dimensions, the name, zeros up to
//     a multiple of 8
//   the elements of each, row-major, from a multiple of 64; bool takes a byte
//
// All numbers are little-endian, all offsets count from the beginning of the file.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"
#include "relayopt/support/text_sink.h"

namespace relayopt {

// Whether the bytes begin like a file of this format.
auto LooksLikeBinary(std::string_view bytes) -> bool;

// Reads such a file. As with ReadModuleText, types are not inferred, and ranges are offsets in `source`, which the
// module keeps alive. Another version of the format, and records that point outside of the file, are errors.
auto ReadBinary(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, ReadOptions options,
                std::shared_ptr<Context> context = nullptr) -> std::optional<Module>;

// Writes such a file. All constants and all metadata are written in full, whatever `options` say about them.
void WriteBinary(const Module& module, PrintOptions options, TextSink& sink);

}  // namespace relayopt
