// Compressed files, a row for each format.
#include "relayopt/convert/compression.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "decoders.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kDamaged = {"damaged-file", Severity::kError, "this file is compressed with {}, and {}"};

struct Compression {
  std::string_view name;
  std::string_view ending;
  // How such a file begins.
  std::string_view magic;
  DecodeFault (*decode)(std::string_view bytes, std::string& out);
  EncodeFault (*encode)(std::string_view bytes, std::string& out);
};

constexpr std::array<Compression, 3> kCompressions = {{
    {"gzip", ".gz", "\x1F\x8B\x08", Gunzip, Gzip},
    {"xz",
     ".xz",
     {"\xFD"
      "7zXZ\0",
      6},
     Unxz,
     Xz},
    {"zstd", ".zst", "\x28\xB5\x2F\xFD", Unzstd, Zstd},
}};

}  // namespace

auto Decompress(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) -> std::shared_ptr<const SourceText> {
  const auto found = std::ranges::find_if(
      kCompressions, [&](const Compression& compression) { return source->text().starts_with(compression.magic); });
  if (found == kCompressions.end()) return source;
  std::string out;
  if (const DecodeFault fault = found->decode(source->text(), out)) {
    sink.Report(kDamaged, {}, found->name, *fault);
    return nullptr;
  }
  return SourceText::FromString(source->name(), std::move(out));
}

auto WithoutByteOrderMark(std::string_view text) -> std::string_view {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

auto AsText(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) -> std::shared_ptr<const SourceText> {
  source = Decompress(std::move(source), sink);
  if (source == nullptr) return nullptr;
  const std::string_view text = WithoutByteOrderMark(source->text());
  return text.size() == source->text().size() ? source : SourceText::FromString(source->name(), std::string(text));
}

auto CompressFor(std::string_view name, std::string& bytes) -> std::optional<std::string> {
  for (const Compression& compression : kCompressions) {
    if (!name.ends_with(compression.ending)) continue;
    std::string out;
    if (EncodeFault fault = compression.encode(bytes, out)) return fault;
    bytes = std::move(out);
  }
  return std::nullopt;
}

auto WithoutCompression(std::string_view name) -> std::string_view {
  for (const Compression& compression : kCompressions) {
    if (name.ends_with(compression.ending)) return name.substr(0, name.size() - compression.ending.size());
  }
  return name;
}

}  // namespace relayopt
