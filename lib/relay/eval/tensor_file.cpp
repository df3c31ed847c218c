// The table of formats for files of tensors.
#include "relayopt/relay/eval/tensor_file.h"

#include "byte_reader.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotReadTensors = {"cannot-read-tensors", Severity::kError, "cannot read '{}': {}"};

constexpr TensorFormat kTensorFormats[] = {
    {".npz", "an .npz archive", [](std::string_view bytes) { return bytes.starts_with("PK"); }, ReadNpz, WriteNpz},
    {".safetensors", "a .safetensors file",
     // The first eight bytes are the size of a JSON header.
     [](std::string_view bytes) {
       return bytes.size() > 8 && bytes[8] == '{' && bytes.substr(5, 3) == std::string_view("\0\0\0", 3);
     },
     ReadSafetensors, WriteSafetensors},
    {".params", "a parameter file",
     [](std::string_view bytes) { return ByteReader(bytes).Read<uint64_t>() == 0xF7E58D4F05049CB7; }, ReadParams,
     WriteParams},
};

}  // namespace

auto TensorFormats() -> std::span<const TensorFormat> { return kTensorFormats; }

auto TensorFormatOf(std::string_view path) -> const TensorFormat* {
  for (const TensorFormat& format : kTensorFormats) {
    if (path.ends_with(format.ending)) return &format;
  }
  return nullptr;
}

auto ReadTensors(std::string_view bytes) -> Result<std::vector<NamedTensor>> {
  for (const TensorFormat& format : kTensorFormats) {
    if (format.recognizes(bytes)) return format.read(bytes);
  }
  std::string names;
  for (const TensorFormat& format : kTensorFormats) {
    const bool is_last = &format == std::end(kTensorFormats) - 1;
    names += (names.empty() ? "" : is_last ? " nor " : ", ") + std::string(format.name);
  }
  return MakeDiagnostic(diag::kBadTensorFile, {}, "this is neither " + names);
}

auto ReadTensorFile(const std::string& path) -> Result<std::vector<NamedTensor>> {
  std::string error;
  const auto source = SourceText::Open(path, error);
  if (source == nullptr) return MakeDiagnostic(kCannotReadTensors, {}, path, error);
  auto tensors = ReadTensors(source->text());
  if (!tensors) return MakeDiagnostic(kCannotReadTensors, {}, path, tensors.error().text);
  return tensors;
}

}  // namespace relayopt
