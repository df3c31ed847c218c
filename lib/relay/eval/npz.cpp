// Reads and writes NumPy's .npz: a zip archive of .npy files.
#include <algorithm>

#include "byte_reader.h"
#include "deflate.h"
#include "npy.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/support/expansion.h"

namespace relayopt {

namespace {

constexpr uint32_t kLocalMagic = 0x04034b50;
constexpr uint32_t kCentralMagic = 0x02014b50;
constexpr uint32_t kEndMagic = 0x06054b50;
constexpr size_t kEndSize = 22;
constexpr size_t kMaxComment = 0xffff;
constexpr uint32_t kIsZip64 = 0xffffffff;

auto BadArchive(std::string_view what) -> Diagnostic { return MakeDiagnostic(diag::kBadTensorFile, {}, what); }

// An entry of the directory at the end of the archive.
struct ZipEntry {
  std::string name;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint32_t packed_size = 0;
  uint32_t size = 0;
  uint32_t offset = 0;
};

// Returns the offset of the end record, which may be followed by a comment.
auto FindEnd(std::string_view bytes) -> std::optional<size_t> {
  if (bytes.size() < kEndSize) return std::nullopt;
  const size_t lowest = bytes.size() - std::min(bytes.size(), kEndSize + kMaxComment);
  for (size_t at = bytes.size() - kEndSize + 1; at-- > lowest;) {
    if (ByteReader(bytes.substr(at)).Read<uint32_t>() == kEndMagic) return at;
  }
  return std::nullopt;
}

auto ReadDirectory(std::string_view bytes) -> Result<std::vector<ZipEntry>> {
  const auto end = FindEnd(bytes);
  if (!end) return BadArchive("this is no .npz archive");
  ByteReader record(bytes.substr(*end));
  record.Take(10);
  const auto count = record.Read<uint16_t>();
  record.Read<uint32_t>();
  const auto offset = record.Read<uint32_t>();
  if (offset > bytes.size()) return BadArchive("the archive is damaged, or beyond 4 GiB");
  ByteReader reader(bytes.substr(offset));
  std::vector<ZipEntry> entries;
  size_t packed = 0;
  size_t unpacked = 0;
  for (uint16_t i = 0; i < count; ++i) {
    ZipEntry entry;
    if (reader.Read<uint32_t>() != kCentralMagic) return BadArchive("the archive is damaged");
    reader.Take(6);
    entry.method = reader.Read<uint16_t>();
    reader.Take(4);
    entry.crc = reader.Read<uint32_t>();
    entry.packed_size = reader.Read<uint32_t>();
    entry.size = reader.Read<uint32_t>();
    const auto name_size = reader.Read<uint16_t>();
    const auto extra_size = reader.Read<uint16_t>();
    const auto comment_size = reader.Read<uint16_t>();
    reader.Take(8);
    entry.offset = reader.Read<uint32_t>();
    entry.name = reader.Take(name_size);
    reader.Take(extra_size);
    reader.Take(comment_size);
    if (!reader.ok()) return BadArchive("the archive is damaged");
    if (entry.packed_size == kIsZip64 || entry.size == kIsZip64 || entry.offset == kIsZip64) {
      return BadArchive("archives beyond 4 GiB are not supported");
    }
    // Entries that share bytes would let a small file become any number of tensors.
    packed += entry.packed_size;
    if (packed > bytes.size()) return BadArchive("the entries of the archive overlap");
    unpacked += entry.size;
    if (!MayBecome(bytes.size(), unpacked)) return BadArchive("the archive " + std::string(kExpandsTooMuch));
    entries.push_back(std::move(entry));
  }
  return entries;
}

auto Unpack(std::string_view bytes, const ZipEntry& entry) -> Result<std::string> {
  if (entry.offset > bytes.size()) return BadArchive("the archive is damaged");
  ByteReader reader(bytes.substr(entry.offset));
  if (reader.Read<uint32_t>() != kLocalMagic) return BadArchive("the archive is damaged");
  reader.Take(22);
  const auto name_size = reader.Read<uint16_t>();
  const auto extra_size = reader.Read<uint16_t>();
  reader.Take(name_size);
  reader.Take(extra_size);
  const std::string_view packed = reader.Take(entry.packed_size);
  if (!reader.ok()) return BadArchive("the archive is cut short");
  std::string text;
  if (entry.method == 0) {
    text = packed;
  } else if (entry.method == 8) {
    // Deflate compresses by less than this factor: a larger size is wrong, and would cost memory.
    if (entry.size / 1100 > packed.size() + 1) return BadArchive("the archive is damaged");
    text.resize(entry.size);
    if (!Inflate(packed, text)) return BadArchive("the archive is damaged");
  } else {
    return BadArchive("the archive is packed in a way that is not supported");
  }
  if (Crc(text) != entry.crc) return BadArchive("the archive is damaged");
  return text;
}

template <typename T>
void Append(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The common part of local headers and directory entries. Entries have no time stamps, so that equal tensors give equal
// archives.
void AppendFileInfo(std::string& text, const ZipEntry& entry) {
  Append(text, uint16_t{20});
  Append(text, uint16_t{0});
  Append(text, uint16_t{0});
  Append(text, uint16_t{0});
  // 1 January 1980, the earliest day.
  Append(text, uint16_t{0x21});
  Append(text, entry.crc);
  Append(text, entry.size);
  Append(text, entry.size);
  Append(text, static_cast<uint16_t>(entry.name.size()));
  Append(text, uint16_t{0});
}

}  // namespace

auto ReadNpz(std::string_view bytes) -> Result<std::vector<NamedTensor>> {
  RELAYOPT_TRY(const auto entries, ReadDirectory(bytes));
  std::vector<NamedTensor> tensors;
  for (const ZipEntry& entry : entries) {
    std::string_view name = entry.name;
    if (!name.ends_with(".npy")) continue;
    name.remove_suffix(4);
    RELAYOPT_TRY(const std::string text, Unpack(bytes, entry));
    RELAYOPT_TRY(Tensor tensor, ReadNpy(text));
    tensors.push_back({std::string(name), std::move(tensor)});
  }
  return tensors;
}

auto WriteNpz(std::span<const NamedTensor> tensors) -> Result<std::string> {
  std::string archive;
  std::string directory;
  for (const NamedTensor& tensor : tensors) {
    RELAYOPT_TRY(const std::string text, WriteNpy(tensor.tensor));
    if (archive.size() + directory.size() + text.size() > kIsZip64 - 4096) {
      return BadArchive("archives beyond 4 GiB are not supported");
    }
    ZipEntry entry;
    entry.name = tensor.name + ".npy";
    entry.crc = Crc(text);
    entry.size = static_cast<uint32_t>(text.size());
    entry.offset = static_cast<uint32_t>(archive.size());
    Append(archive, kLocalMagic);
    AppendFileInfo(archive, entry);
    archive += entry.name;
    archive += text;
    Append(directory, kCentralMagic);
    Append(directory, uint16_t{20});
    AppendFileInfo(directory, entry);
    Append(directory, uint16_t{0});
    Append(directory, uint16_t{0});
    Append(directory, uint16_t{0});
    Append(directory, uint32_t{0});
    Append(directory, entry.offset);
    directory += entry.name;
  }
  const auto offset = static_cast<uint32_t>(archive.size());
  archive += directory;
  Append(archive, kEndMagic);
  Append(archive, uint32_t{0});
  Append(archive, static_cast<uint16_t>(tensors.size()));
  Append(archive, static_cast<uint16_t>(tensors.size()));
  Append(archive, static_cast<uint32_t>(directory.size()));
  Append(archive, offset);
  Append(archive, uint16_t{0});
  return archive;
}

}  // namespace relayopt
