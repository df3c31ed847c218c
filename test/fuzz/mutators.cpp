#include "mutators.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/support/characters.h"

namespace relayopt::fuzz {

namespace {

constexpr size_t kGrowth = 64;

auto Below(Random& random, size_t n) -> size_t { return n == 0 ? 0 : random() % n; }

template <typename T>
auto Pick(Random& random, T&& from) -> decltype(auto) {
  return from[Below(random, std::size(from))];
}

// libFuzzer's mutation of a string.
auto MutateBytes(const std::string& bytes, Random&) -> std::string {
  std::string mutated = bytes;
  mutated.resize(bytes.size() + kGrowth);
  mutated.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(mutated.data()), bytes.size(), mutated.size()));
  return mutated;
}

// What integers of a format, and of the types in programs, go wrong at.
constexpr int64_t kNumbers[] = {0,
                                1,
                                2,
                                3,
                                7,
                                8,
                                31,
                                32,
                                63,
                                64,
                                65,
                                127,
                                128,
                                255,
                                256,
                                32767,
                                32768,
                                65535,
                                65536,
                                INT32_MAX,
                                INT64_MAX,
                                INT64_MIN,
                                INT32_MIN,
                                UINT32_MAX,
                                -1,
                                -2,
                                -128,
                                -129,
                                1'000'003,
                                INT64_C(1) << 31,
                                INT64_C(1) << 32,
                                INT64_C(1) << 40,
                                INT64_C(1) << 53,
                                INT64_C(1) << 62,
                                100'000'000};

// --- Text ---

enum class TokenKind : uint8_t { kWord, kNumber, kString, kSpace, kOther };

struct Token {
  TokenKind kind;
  std::string_view text;
};

auto IsWord(char c) -> bool { return IsNameCharacter(c) || c == '.' || c == '%' || c == '@' || c == '$'; }

auto Tokenize(std::string_view text) -> std::vector<Token> {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    size_t end = at + 1;
    TokenKind kind = TokenKind::kOther;
    const auto skip = [&](auto belongs) {
      while (end < text.size() && belongs(text[end])) ++end;
    };
    if (c == '"') {
      const size_t quote = text.find_first_of("\"\n", end);
      if (quote != std::string_view::npos && text[quote] == '"') end = quote + 1;
      kind = TokenKind::kString;
    } else if (IsWord(c)) {
      skip(IsWord);
      kind = c >= '0' && c <= '9' ? TokenKind::kNumber : TokenKind::kWord;
    } else if (IsSpace(c)) {
      skip(IsSpace);
      kind = TokenKind::kSpace;
    }
    tokens.push_back({kind, text.substr(at, end - at)});
    at = end;
  }
  return tokens;
}

auto Join(std::span<const Token> tokens) -> std::string {
  std::string text;
  for (const Token& token : tokens) text += token.text;
  return text;
}

// Puts `inner` in the place of the tokens [begin, end).
auto Replace(std::span<const Token> tokens, size_t begin, size_t end, std::string_view inner) -> std::string {
  return Join(tokens.first(begin)) + std::string(inner) + Join(tokens.subspan(end));
}

auto RandomNumber(Random& random) -> std::string {
  constexpr std::string_view kFloats[] = {"0f", "-0f", "1e38f", "1e-45f", "nan", "inf", "1.5", "1e400", "0.1f16"};
  if (Below(random, 4) == 0) return std::string(Pick(random, kFloats));
  return std::to_string(Pick(random, kNumbers));
}

// Returns a token other than at `at`, of the same kind where there is one.
auto Alike(std::span<const Token> tokens, TokenKind kind, Random& random) -> const Token& {
  for (int i = 0; i < 20; ++i) {
    const Token& token = Pick(random, tokens);
    if (token.kind == kind) return token;
  }
  return Pick(random, tokens);
}

auto MutateText(const std::string& text, Random& random) -> std::string {
  const std::vector<Token> tokens = Tokenize(text);
  if (tokens.empty()) return MutateBytes(text, random);
  size_t at = Below(random, tokens.size());
  if (tokens[at].kind == TokenKind::kSpace && at + 1 < tokens.size()) ++at;
  const size_t end = std::min(tokens.size(), at + 1 + Below(random, Below(random, 2) == 0 ? 4 : 40));
  const std::span<const Token> range = std::span(tokens).subspan(at, end - at);
  switch (Below(random, 9)) {
    case 0: return Replace(tokens, at, at + 1, MutateBytes(std::string(tokens[at].text), random));
    case 1: return Replace(tokens, at, end, "");
    case 2: {
      const size_t to = Below(random, tokens.size() + 1);
      return Replace(tokens, to, to, Join(range));
    }
    case 3: {
      const size_t to = Below(random, tokens.size() + 1);
      std::string many;
      for (size_t n = size_t{2} << Below(random, 8); n != 0 && many.size() < 4096; --n) many += Join(range);
      return Replace(tokens, to, to, many);
    }
    case 4: {
      // A number, the next if there is one.
      while (at + 1 < tokens.size() && tokens[at].kind != TokenKind::kNumber) ++at;
      return Replace(tokens, at, at + 1, RandomNumber(random));
    }
    case 5: return MutateBytes(text, random);
    default: return Replace(tokens, at, at + 1, Alike(tokens, tokens[at].kind, random).text);
  }
}

auto SpliceText(const std::string& into, const std::string& from, Random& random) -> std::string {
  const std::vector<Token> tokens = Tokenize(into);
  const std::vector<Token> others = Tokenize(from);
  if (tokens.empty() || others.empty()) return from;
  const size_t at = Below(random, tokens.size());
  if (Below(random, 2) == 0) return Replace(tokens, at, at + 1, Alike(others, tokens[at].kind, random).text);
  const size_t begin = Below(random, others.size());
  const size_t length = std::min(others.size() - begin, 1 + Below(random, 40));
  const size_t gone = std::min(tokens.size() - at, Below(random, 2) == 0 ? 0 : length);
  return Replace(tokens, at, at + gone, Join(std::span(others).subspan(begin, length)));
}

// --- Protobuf ---

enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  uint64_t number;
  uint8_t wire;
  // The value of a varint; otherwise unused.
  uint64_t value = 0;
  // The bytes of all others.
  std::string bytes = {};
};

auto ReadVarint(std::string_view& bytes) -> std::optional<uint64_t> {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

void AppendVarint(std::string& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

// Returns nullopt for bytes that are not a message.
auto ReadMessage(std::string_view bytes) -> std::optional<std::vector<Field>> {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    const auto key = ReadVarint(bytes);
    if (!key || *key >> 3 == 0) return std::nullopt;
    Field field{*key >> 3, static_cast<uint8_t>(*key & 7)};
    uint64_t length = 0;
    if (field.wire == kVarint || field.wire == kBytes) {
      const auto value = ReadVarint(bytes);
      if (!value) return std::nullopt;
      (field.wire == kVarint ? field.value : length) = *value;
    } else if (field.wire == kFixed64 || field.wire == kFixed32) {
      length = field.wire == kFixed64 ? 8 : 4;
    } else {
      return std::nullopt;
    }
    if (length > bytes.size()) return std::nullopt;
    field.bytes = bytes.substr(0, length);
    bytes.remove_prefix(length);
    fields.push_back(std::move(field));
  }
  return fields;
}

auto WriteMessage(std::span<const Field> fields) -> std::string {
  std::string bytes;
  for (const Field& field : fields) {
    AppendVarint(bytes, field.number << 3 | field.wire);
    if (field.wire == kVarint) AppendVarint(bytes, field.value);
    if (field.wire == kBytes) AppendVarint(bytes, field.bytes.size());
    bytes += field.bytes;
  }
  return bytes;
}

void MutateValue(Field& field, Random& random) {
  if (field.wire == kVarint) {
    field.value =
        Below(random, 2) == 0 ? static_cast<uint64_t>(Pick(random, kNumbers)) : field.value + Below(random, 5) - 2;
  } else if (field.wire == kBytes) {
    field.bytes = MutateBytes(field.bytes, random);
  } else {
    const auto number = static_cast<uint64_t>(Pick(random, kNumbers));
    std::memcpy(field.bytes.data(), &number, field.bytes.size());
  }
}

// Goes down into a random field as long as it is a message, and changes the fields there.
auto MutateProtobuf(const std::string& bytes, Random& random) -> std::string {
  auto fields = ReadMessage(bytes);
  if (!fields || fields->empty()) return MutateBytes(bytes, random);
  const size_t at = Below(random, fields->size());
  Field& field = (*fields)[at];
  const auto place = fields->begin() + static_cast<ptrdiff_t>(at);
  if (field.wire == kBytes && !field.bytes.empty() && ReadMessage(field.bytes) && Below(random, 4) != 0) {
    field.bytes = MutateProtobuf(field.bytes, random);
    return WriteMessage(*fields);
  }
  const Field other = Pick(random, *fields);
  switch (Below(random, 6)) {
    case 0: fields->erase(place); break;
    case 1: fields->insert(place, other); break;
    case 2: std::swap(field, Pick(random, *fields)); break;
    // Names of values and operators are what joins nodes.
    case 3:
      if (field.wire == other.wire) {
        field.value = other.value;
        field.bytes = other.bytes;
      }
      break;
    default: MutateValue(field, random);
  }
  return WriteMessage(*fields);
}

auto SpliceProtobuf(const std::string& into, const std::string& from, Random& random) -> std::string {
  auto fields = ReadMessage(into);
  const auto others = ReadMessage(from);
  if (!fields || !others || fields->empty() || others->empty()) return from;
  Field& field = Pick(random, *fields);
  const Field& other = Pick(random, *others);
  if (field.wire == kBytes && other.wire == kBytes && field.number == other.number && Below(random, 4) != 0)
    field.bytes = SpliceProtobuf(field.bytes, other.bytes, random);
  else if (Below(random, 2) == 0)
    field = other;
  else
    fields->push_back(other);
  return WriteMessage(*fields);
}

// --- The binary form ---

constexpr std::string_view kMagic = "RELAYOPT-BINARY 1 ";
constexpr size_t kHeader = kMagic.size() + 16 + 1 + 16 + 1;

auto Hex(uint64_t value) -> std::string {
  std::string digits(16, '0');
  for (size_t i = 16; i-- != 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

// Returns where the text ends, or nullopt if there is no header that says so.
auto EndOfText(const std::string& bytes) -> std::optional<size_t> {
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic)) return std::nullopt;
  const size_t end = std::strtoull(bytes.substr(kMagic.size(), 16).c_str(), nullptr, 16);
  return end >= kHeader && end <= bytes.size() ? std::optional(end) : std::nullopt;
}

auto MutateBinary(const std::string& bytes, Random& random) -> std::string {
  const auto end = EndOfText(bytes);
  if (!end) return MutateBytes(bytes, random);
  const std::string records = bytes.substr(*end);
  switch (Below(random, 8)) {
    case 0: return MutateBytes(bytes, random);
    case 1:
    case 2:
    case 3: return bytes.substr(0, *end) + MutateBytes(records, random);
    default: break;
  }
  std::string text = MutateText(bytes.substr(kHeader, *end - kHeader), random);
  // Records begin at a multiple of 8.
  while ((kHeader + text.size() - *end) % 8 != 0) text += ' ';
  return std::string(kMagic) + Hex(kHeader + text.size()) + bytes.substr(kMagic.size() + 16, 18) + text + records;
}

auto SpliceBytes(const std::string& into, const std::string& from, Random& random) -> std::string {
  const size_t begin = Below(random, from.size());
  const std::string piece = from.substr(begin, 1 + Below(random, 64));
  std::string spliced = into;
  const size_t at = Below(random, into.size() + 1);
  if (Below(random, 2) == 0) return spliced.insert(at, piece);
  return spliced.replace(at, piece.size(), piece);
}

// --- Zip archives ---

template <typename T>
auto NumberAt(const std::string& bytes, size_t at) -> T {
  T number = 0;
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof(T));
  return number;
}

// Writes the checksum of each member that is stored as it is, in the directory and before the member.
void MendChecksums(std::string& bytes) {
  for (size_t entry = bytes.find("PK\1\2"); entry != std::string::npos; entry = bytes.find("PK\1\2", entry + 4)) {
    const size_t local = NumberAt<uint32_t>(bytes, entry + 42);
    const size_t size = NumberAt<uint32_t>(bytes, entry + 20);
    const size_t data = local + 30 + NumberAt<uint16_t>(bytes, local + 26) + NumberAt<uint16_t>(bytes, local + 28);
    if (data > bytes.size() || size > bytes.size() - data || entry + 20 > bytes.size()) continue;
    const auto crc =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + data), static_cast<uInt>(size)));
    std::memcpy(bytes.data() + entry + 16, &crc, sizeof(crc));
    if (local + 18 <= bytes.size()) std::memcpy(bytes.data() + local + 14, &crc, sizeof(crc));
  }
}

auto MutateArchive(const std::string& bytes, Random& random) -> std::string {
  std::string mutated = bytes;
  // Changes that leave offsets alone, mostly.
  if (bytes.empty() || Below(random, 4) == 0) {
    mutated = MutateBytes(bytes, random);
  } else {
    const size_t at = Below(random, bytes.size());
    const size_t size = std::min(bytes.size() - at, 1 + Below(random, 16));
    std::string piece = MutateBytes(bytes.substr(at, size), random);
    piece.resize(size, ' ');
    mutated.replace(at, size, piece);
  }
  if (Below(random, 8) != 0) MendChecksums(mutated);
  return mutated;
}

}  // namespace

const Form kText = {MutateText, SpliceText};
const Form kProtobuf = {MutateProtobuf, SpliceProtobuf};
const Form kBinary = {MutateBinary, SpliceBytes};
const Form kArchive = {MutateArchive, SpliceBytes};
const Form kBytes = {MutateBytes, SpliceBytes};

}  // namespace relayopt::fuzz
