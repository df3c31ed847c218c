// Modules as one file of text and bytes.
#include "relayopt/convert/binary.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/core/constant_view.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kBinaryVersion = {
    "binary-version", Severity::kError, "this file has version {} of relayopt's binary form, which is not version {}"};
constexpr DiagnosticKind kDamagedBinary = {"binary-damaged", Severity::kError,
                                           "this file is damaged or not complete: {}"};

constexpr std::string_view kBinaryMagic = "RELAYOPT-BINARY ";
constexpr std::string_view kVersionText = "1";
constexpr size_t kDigits = 16;
// Magic, version, two numbers, the spaces before them, and the end of the line.
constexpr size_t kHeaderSize = kBinaryMagic.size() + kVersionText.size() + 2 * (kDigits + 1) + 1;
constexpr size_t kRecordAlignment = 8;
constexpr size_t kElementAlignment = 64;
constexpr size_t kMaxDimensions = 1024;

// The beginning of the record of a tensor.
struct Record {
  uint64_t begin = 0;
  uint32_t name_size = 0;
  uint32_t dimensions = 0;
  uint8_t code = 0;
  uint8_t bits = 0;
  uint16_t lanes = 0;
  uint32_t zero = 0;
};
static_assert(sizeof(Record) == 24);

auto RoundUp(size_t value, size_t alignment) -> size_t { return (value + alignment - 1) / alignment * alignment; }

template <typename T>
auto BytesOf(const T& value) -> std::string_view {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Parses a file. Every number of it is checked before it is used.
class BinaryReader {
 public:
  BinaryReader(std::string_view bytes, DiagnosticSink& sink) : bytes_(bytes), sink_(sink) {}

  // Reads the header and the records; false after an error.
  auto Read() -> bool {
    uint64_t tensors = 0;
    if (!ReadHeader(tensors)) return false;
    at_ = RoundUp(text_end_, kRecordAlignment);
    for (; tensors != 0; --tensors) {
      if (!ReadRecord()) return false;
    }
    return true;
  }

  // Returns the text, with blanks for the header, so that its places are those of the file.
  auto Text() const -> std::string {
    std::string text(bytes_.substr(0, text_end_));
    std::fill_n(text.begin(), kHeaderSize - 1, ' ');
    return text;
  }

  auto tensors() -> absl::flat_hash_map<std::string, Constant>& { return tensors_; }

 private:
  auto Damaged(std::string_view what) -> bool {
    sink_.Report(kDamagedBinary, {}, what);
    return false;
  }

  auto ReadHeader(uint64_t& tensors) -> bool {
    if (!LooksLikeBinary(bytes_)) return Damaged("it does not begin as such a file does");
    const std::string_view rest = bytes_.substr(kBinaryMagic.size());
    const std::string_view version = rest.substr(0, rest.find_first_of(" \n"));
    if (version != kVersionText) {
      sink_.Report(kBinaryVersion, {}, Printable(version.substr(0, kDigits)), kVersionText);
      return false;
    }
    if (bytes_.size() < kHeaderSize || bytes_[kHeaderSize - 1] != '\n') return Damaged("its first line is cut off");
    uint64_t text_end = 0;
    const size_t numbers = kBinaryMagic.size() + kVersionText.size();
    if (!ReadHex(numbers, text_end) || !ReadHex(numbers + kDigits + 1, tensors)) {
      return Damaged("its first line is not a header");
    }
    if (text_end < kHeaderSize || text_end > bytes_.size()) return Damaged("its text ends outside of it");
    text_end_ = text_end;
    return true;
  }

  // A space and the digits of a number.
  auto ReadHex(size_t at, uint64_t& value) const -> bool {
    const char* begin = bytes_.data() + at + 1;
    const auto [end, error] = std::from_chars(begin, begin + kDigits, value, 16);
    return bytes_[at] == ' ' && error == std::errc() && end == begin + kDigits;
  }

  // Returns the next `size` bytes of the records, or nothing if there are fewer.
  auto Take(size_t size) -> std::optional<std::string_view> {
    if (at_ > bytes_.size() || size > bytes_.size() - at_) return std::nullopt;
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  auto ReadRecord() -> bool {
    constexpr std::string_view kCutOff = "a record of a tensor is cut off";
    const auto head = Take(sizeof(Record));
    if (!head) return Damaged(kCutOff);
    Record record;
    std::memcpy(&record, head->data(), sizeof record);
    if (record.dimensions > kMaxDimensions) return Damaged("a tensor has too many dimensions");
    const auto dimensions = Take(record.dimensions * sizeof(int64_t));
    const auto name = Take(record.name_size);
    if (!dimensions || !name) return Damaged(kCutOff);
    at_ = RoundUp(at_, kRecordAlignment);
    std::vector<int64_t> shape(record.dimensions);
    if (!shape.empty()) std::memcpy(shape.data(), dimensions->data(), dimensions->size());
    return AddTensor(record, *name, std::move(shape));
  }

  auto AddTensor(const Record& record, std::string_view name, std::vector<int64_t> shape) -> bool {
    const DataType dtype = {static_cast<TypeCode>(record.code), record.bits, record.lanes};
    if (ParseDataType(ToString(dtype)) != dtype || dtype.is_void()) return Damaged("a tensor has no type");
    size_t size = dtype.bytes();
    for (const int64_t extent : shape) {
      if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) {
        return Damaged("a tensor has no size");
      }
    }
    if (record.begin > bytes_.size() || size > bytes_.size() - record.begin) {
      return Damaged("a tensor lies outside of it");
    }
    const std::span<const char> elements(bytes_.data() + record.begin, size);
    tensors_.emplace(name, size == 0 ? Constant(dtype, std::move(shape), std::vector<std::byte>())
                                     : ViewOfElements(dtype, std::move(shape), std::as_bytes(elements)));
    return true;
  }

  std::string_view bytes_;
  DiagnosticSink& sink_;
  size_t text_end_ = 0;
  size_t at_ = 0;
  absl::flat_hash_map<std::string, Constant> tensors_;
};

// Returns the records of these constants, whose first begins at `at`.
auto WriteRecords(const Context& context, const std::vector<ExternalConstant>& constants, size_t at) -> std::string {
  const auto size_of = [&](const ExternalConstant& constant) {
    return RoundUp(
        sizeof(Record) + context.constant(constant.constant).shape().size() * sizeof(int64_t) + constant.name.size(),
        kRecordAlignment);
  };
  size_t next = at;
  for (const ExternalConstant& constant : constants) next += size_of(constant);
  std::string records;
  for (const ExternalConstant& constant : constants) {
    const Constant& value = context.constant(constant.constant);
    const DataType dtype = value.dtype();
    next = RoundUp(next, kElementAlignment);
    records += BytesOf(Record{.begin = next,
                              .name_size = static_cast<uint32_t>(constant.name.size()),
                              .dimensions = static_cast<uint32_t>(value.shape().size()),
                              .code = static_cast<uint8_t>(dtype.code),
                              .bits = dtype.bits,
                              .lanes = dtype.lanes});
    for (const int64_t extent : value.shape()) records += BytesOf(extent);
    records += constant.name;
    records.resize(RoundUp(records.size(), kRecordAlignment));
    next += value.num_bytes();
  }
  return records;
}

}  // namespace

auto LooksLikeBinary(std::string_view bytes) -> bool { return bytes.starts_with(kBinaryMagic); }

auto ReadBinary(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, ReadOptions options,
                std::shared_ptr<Context> context) -> std::optional<Module> {
  BinaryReader reader(source->text(), sink);
  if (!reader.Read()) return std::nullopt;
  if (context == nullptr) context = std::make_shared<Context>();
  context->Keep(source);
  options.constants = [&, others = std::move(options.constants)](const std::string& name) -> std::optional<Constant> {
    const auto found = reader.tensors().find(name);
    if (found != reader.tensors().end()) return found->second;
    return others ? others(name) : std::nullopt;
  };
  return ReadModuleText(SourceText::FromString(source->name(), reader.Text()), sink, options, context);
}

void WriteBinary(const Module& module, PrintOptions options, TextSink& sink) {
  std::vector<ExternalConstant> constants;
  options.external_constants = &constants;
  options.elide_constants_if_larger.reset();
  options.metadata = MetadataPrinting::kSection;
  StringSink text;
  PrintModule(module, options, text);
  size_t at = kHeaderSize + text.text().size();
  sink.Write(fmt::format("{}{} {:016x} {:016x}\n", kBinaryMagic, kVersionText, at, constants.size()));
  sink.Write(text.text());
  const auto write = [&](std::string_view bytes, size_t alignment) {
    const std::string zeros(RoundUp(at, alignment) - at, '\0');
    sink.Write(zeros);
    sink.Write(bytes);
    at += zeros.size() + bytes.size();
  };
  write(WriteRecords(module.context(), constants, RoundUp(at, kRecordAlignment)), kRecordAlignment);
  for (const ExternalConstant& constant : constants) {
    write(module.context().constant(constant.constant).Elements().text(), kElementAlignment);
  }
}

}  // namespace relayopt
