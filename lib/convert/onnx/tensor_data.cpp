// Dense, typed, sparse and external tensor data.
#include "tensor_data.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <protozero/pbf_reader.hpp>

#include "diagnostics.h"
#include "relayopt/core/constant_view.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt::onnx {

namespace {

namespace fs = std::filesystem;

// One row for each element type.
struct ElementRow {
  std::string_view name;
  // Void: Relay has none.
  DataType dtype;
  // Bits of an element in raw data.
  int bits;
  // The typed field and the bytes that an element takes in it once decoded.
  int field;
};

constexpr int kFloatData = 4;
constexpr int kInt32Data = 5;
constexpr int kInt64Data = 7;
constexpr int kDoubleData = 10;
constexpr int kUint64Data = 11;

constexpr ElementRow kElementTypes[] = {
    {"UNDEFINED", DataType::Void(), 0, 0},
    {"FLOAT", DataType::Float(32), 32, kFloatData},
    {"UINT8", DataType::UInt(8), 8, kInt32Data},
    {"INT8", DataType::Int(8), 8, kInt32Data},
    {"UINT16", DataType::UInt(16), 16, kInt32Data},
    {"INT16", DataType::Int(16), 16, kInt32Data},
    {"INT32", DataType::Int(32), 32, kInt32Data},
    {"INT64", DataType::Int(64), 64, kInt64Data},
    {"STRING", DataType::Void(), 0, 0},
    {"BOOL", DataType::Bool(), 8, kInt32Data},
    {"FLOAT16", DataType::Float(16), 16, kInt32Data},
    {"DOUBLE", DataType::Float(64), 64, kDoubleData},
    {"UINT32", DataType::UInt(32), 32, kUint64Data},
    {"UINT64", DataType::UInt(64), 64, kUint64Data},
    {"COMPLEX64", DataType::Void(), 0, 0},
    {"COMPLEX128", DataType::Void(), 0, 0},
    {"BFLOAT16", DataType::BFloat(16), 16, kInt32Data},
    {"FLOAT8E4M3FN", DataType::Float(32), 8, kInt32Data},
    {"FLOAT8E4M3FNUZ", DataType::Float(32), 8, kInt32Data},
    {"FLOAT8E5M2", DataType::Float(32), 8, kInt32Data},
    {"FLOAT8E5M2FNUZ", DataType::Float(32), 8, kInt32Data},
    {"UINT4", DataType::UInt(8), 4, kInt32Data},
    {"INT4", DataType::Int(8), 4, kInt32Data},
    {"FLOAT4E2M1", DataType::Void(), 0, 0},
    {"FLOAT8E8M0", DataType::Void(), 0, 0},
    {"UINT2", DataType::Void(), 0, 0},
    {"INT2", DataType::Void(), 0, 0},
};

auto RowOf(int32_t element_type) -> const ElementRow& {
  const auto index = static_cast<size_t>(element_type);
  return kElementTypes[index < std::size(kElementTypes) ? index : 0];
}

auto Fail(const TensorProto& tensor, std::string_view why) -> Diagnostic {
  return MakeDiagnostic(diag::kBadTensor, {}, tensor.name, why);
}

// Returns the number of elements, or nothing if it does not fit or an extent is negative.
auto CountOf(std::span<const int64_t> dims) -> std::optional<size_t> {
  size_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  // Sixteen bytes for each fit into size_t, whose width differs between platforms.
  constexpr size_t kLargest = std::numeric_limits<size_t>::max() / 16;
  return count <= kLargest ? std::optional(count) : std::nullopt;
}

// Returns the value of an 8-bit float.
auto Float8(uint8_t bits, int32_t type) -> float {
  const bool has_four_exponent_bits = type == kFloat8E4M3FN || type == kFloat8E4M3FNUZ;
  const bool is_unsigned_zero = type == kFloat8E4M3FNUZ || type == kFloat8E5M2FNUZ;
  const int mantissa_bits = has_four_exponent_bits ? 3 : 2;
  const int exponent_bits = 7 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - (is_unsigned_zero ? 0 : 1);
  const bool negative = (bits & 0x80) != 0;
  const int exponent = (bits & 0x7f) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (is_unsigned_zero && bits == 0x80) return kNan;
  if (type == kFloat8E4M3FN && (bits & 0x7f) == 0x7f) return kNan;
  if (type == kFloat8E5M2 && exponent == 31) {
    if (mantissa != 0) return kNan;
    return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }
  const float value =
      exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits)
                    : std::ldexp(static_cast<float>(mantissa + (1 << mantissa_bits)), exponent - bias - mantissa_bits);
  return negative ? -value : value;
}

// Elements whose form in Relay differs from that in the file: `code` is the element as a number of the file.
void PutConverted(std::vector<std::byte>& data, size_t i, uint8_t code, int32_t type) {
  if (IsFloat8(type)) {
    const float value = Float8(code, type);
    std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
    return;
  }
  const bool negative = type == kInt4 && (code & 8) != 0;
  data[i] = static_cast<std::byte>(negative ? (code & 0xf) | 0xf0 : code & 0xf);
}

auto IsConverted(int32_t type) -> bool { return IsFloat8(type) || type == kUint4 || type == kInt4; }

// Returns the reason when raw data are not as many bytes as so many elements take.
auto OtherSize(const TensorProto& tensor, std::string_view raw, size_t count) -> std::optional<Diagnostic> {
  const ElementRow& row = RowOf(tensor.element_type);
  // Fits: the largest elements have 128 bits.
  const size_t size = count / 8 * static_cast<size_t>(row.bits) + (count % 8 * static_cast<size_t>(row.bits) + 7) / 8;
  if (raw.size() == size) return std::nullopt;
  return Fail(tensor,
              fmt::format("{} elements of type {} take {} bytes, and there are {}", count, row.name, size, raw.size()));
}

auto FromRaw(const TensorProto& tensor, std::string_view raw, size_t count) -> Result<Constant> {
  const ElementRow& row = RowOf(tensor.element_type);
  if (auto error = OtherSize(tensor, raw, count)) return *std::move(error);
  if (!IsConverted(tensor.element_type)) {
    const auto bytes = std::as_bytes(std::span(raw));
    const auto is_truth = [](std::byte byte) { return byte <= std::byte{1}; };
    if (!bytes.empty() && (row.dtype != DataType::Bool() || std::ranges::all_of(bytes, is_truth)))
      return ViewOfElements(row.dtype, tensor.dims, bytes);
    auto truths = MapToVector<std::byte>(bytes, [&](std::byte byte) { return std::min(byte, std::byte{1}); });
    return Constant(row.dtype, tensor.dims, std::move(truths));
  }
  std::vector<std::byte> data(count * row.dtype.bytes());
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<uint8_t>(raw[row.bits == 4 ? i / 2 : i]);
    const auto code = static_cast<uint8_t>(row.bits != 4 ? byte : (i % 2 == 0 ? byte & 0xf : byte >> 4));
    PutConverted(data, i, code, tensor.element_type);
  }
  return Constant(row.dtype, tensor.dims, std::move(data));
}

// Collects elements of a typed field.
class TypedElements {
 public:
  TypedElements(const TensorProto& tensor, size_t count) : tensor_(tensor), row_(RowOf(tensor.element_type)) {
    // A hostile count must not allocate more than the message can hold: every element takes a byte of it, and two
    // 4-bit ones may share one.
    data_.reserve(std::min(count, tensor.message.size() * 2) * row_.dtype.bytes());
  }

  void Read() {
    protozero::pbf_reader reader(tensor_.message.data(), tensor_.message.size());
    while (reader.next()) {
      if (static_cast<int>(reader.tag()) != row_.field) {
        reader.skip();
        continue;
      }
      using protozero::pbf_wire_type;
      switch (reader.wire_type()) {
        case pbf_wire_type::varint: AddInteger(reader.get_uint64()); break;
        case pbf_wire_type::fixed32: AddBytes(reader.get_float()); break;
        case pbf_wire_type::fixed64: AddBytes(reader.get_double()); break;
        case pbf_wire_type::length_delimited: ReadPacked(reader); break;
        default: reader.skip();
      }
    }
  }

  auto count() const -> size_t { return count_; }
  auto data() -> std::vector<std::byte>& { return data_; }

 private:
  void ReadPacked(protozero::pbf_reader& reader) {
    if (row_.field == kFloatData) {
      for (const float value : reader.get_packed_float()) AddBytes(value);
    } else if (row_.field == kDoubleData) {
      for (const double value : reader.get_packed_double()) AddBytes(value);
    } else {
      for (const uint64_t value : reader.get_packed_uint64()) AddInteger(value);
    }
  }
  template <typename T>
  void AddBytes(T value) {
    if (row_.dtype.bytes() != sizeof value || !row_.dtype.is_float()) return;
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof value>>(value);
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    ++count_;
  }
  void AddInteger(uint64_t value) {
    if (row_.field == kFloatData || row_.field == kDoubleData) return;
    if (row_.bits == 4) {
      AddCode(static_cast<uint8_t>(value & 0xf));
      return AddCode(static_cast<uint8_t>((value >> 4) & 0xf));
    }
    if (IsConverted(tensor_.element_type)) return AddCode(static_cast<uint8_t>(value));
    if (row_.dtype == DataType::Bool()) value = value != 0 ? 1 : 0;
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof value>>(value);
    data_.insert(data_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(row_.dtype.bytes()));
    ++count_;
  }
  void AddCode(uint8_t code) {
    data_.resize(data_.size() + row_.dtype.bytes());
    PutConverted(data_, count_++, code, tensor_.element_type);
  }

  const TensorProto& tensor_;
  const ElementRow& row_;
  size_t count_ = 0;
  std::vector<std::byte> data_;
};

// Returns the bytes of all elements, when the file stores them as they are in memory (floats in one packed field).
auto PackedFloats(const TensorProto& tensor, size_t size) -> std::optional<std::string_view> {
  const ElementRow& row = RowOf(tensor.element_type);
  const bool is_float = row.dtype == DataType::Float(32) && row.field == kFloatData && row.bits == 32;
  const bool is_double = row.dtype == DataType::Float(64) && row.field == kDoubleData;
  if (!is_float && !is_double) return std::nullopt;
  std::optional<std::string_view> found;
  protozero::pbf_reader reader(tensor.message.data(), tensor.message.size());
  while (reader.next()) {
    if (static_cast<int>(reader.tag()) != row.field) {
      reader.skip();
      continue;
    }
    if (found || reader.wire_type() != protozero::pbf_wire_type::length_delimited) return std::nullopt;
    const auto view = reader.get_view();
    found = std::string_view(view.data(), view.size());
  }
  return found && found->size() == size ? found : std::nullopt;
}

auto FromTyped(const TensorProto& tensor, size_t count) -> Result<Constant> {
  const ElementRow& row = RowOf(tensor.element_type);
  TypedElements elements(tensor, count);
  try {
    if (const auto packed = PackedFloats(tensor, count * row.dtype.bytes()); packed && count > 0) {
      return ViewOfElements(row.dtype, tensor.dims, std::as_bytes(std::span(*packed)));
    }
    elements.Read();
  } catch (const protozero::exception& error) {
    return Fail(tensor, error.what());
  }
  // Two 4-bit elements share a number, so an odd count has one to spare.
  const bool has_spare = row.bits == 4 && elements.count() == count + 1;
  if (elements.count() != count && !has_spare) {
    return Fail(tensor, fmt::format("its shape has {} elements, and there are {}", count, elements.count()));
  }
  elements.data().resize(count * row.dtype.bytes());
  return Constant(row.dtype, tensor.dims, std::move(elements.data()));
}

}  // namespace

auto ElementTypeName(int32_t element_type) -> std::string_view { return RowOf(element_type).name; }

auto RelayType(int32_t element_type) -> std::optional<DataType> {
  const DataType dtype = RowOf(element_type).dtype;
  return dtype.is_void() ? std::nullopt : std::optional(dtype);
}

auto IsFloat8(int32_t element_type) -> bool { return element_type >= kFloat8E4M3FN && element_type <= kFloat8E5M2FNUZ; }

auto ElementTypeOf(DataType dtype) -> int32_t {
  for (int32_t i = 0; i < static_cast<int32_t>(std::size(kElementTypes)); ++i) {
    if (kElementTypes[i].dtype == dtype && !IsConverted(i)) return i;
  }
  return kUndefined;
}

auto ExternalFiles::Open(std::string_view location, std::string_view tensor)
    -> Result<std::shared_ptr<const SourceText>> {
  if (const auto known = files_.find(location); known != files_.end()) return known->second;
  const auto fail = [&](std::string why) {
    return MakeDiagnostic(diag::kBadTensor, {}, tensor, fmt::format("external data '{}' {}", location, why));
  };
  const fs::path relative(location);
  if (model_ == "-" || model_.empty()) return fail("needs a model that is a file");
  const bool is_path = !location.empty() && location.find('\0') == std::string_view::npos;
  if (!is_path || relative.is_absolute()) return fail("is not a path relative to the model");
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(fs::path(model_)).parent_path(), error);
  if (error) return fail("cannot be found: " + error.message());
  const fs::path path = fs::canonical(folder / relative, error);
  if (error) return fail("cannot be found: " + error.message());
  // Symbolic links are resolved by now, so this is where the file really is.
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  if (end != folder.end()) return fail("lies outside of the folder of the model");
  if (!fs::is_regular_file(path, error)) return fail("is not a regular file");
  std::string why;
  std::shared_ptr<const SourceText>& file = files_by_path_[path.string()];
  if (file == nullptr) file = SourceText::Open(path.string(), why);
  if (file == nullptr) return fail("cannot be read: " + why);
  files_.emplace(location, file);
  return file;
}

auto ExternalFiles::Locate(const TensorProto& tensor) -> Result<Extent> {
  std::string_view location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const StringPair& pair : tensor.external) {
    if (pair.key == "location") location = pair.value;
    if (pair.key != "offset" && pair.key != "length") continue;
    const auto number = ParseNumber<uint64_t>(pair.value);
    if (!number) return Fail(tensor, fmt::format("'{}' is no {} of external data", pair.value, pair.key));
    if (pair.key == "offset") offset = *number;
    if (pair.key == "length") length = number;
  }
  RELAYOPT_TRY(auto file, Open(location, tensor.name));
  const std::string_view text = file->text();
  if (offset > text.size() || (length && *length > text.size() - offset)) {
    return Fail(tensor, fmt::format("external data '{}' has {} bytes, and {} from {} are asked for", location,
                                    text.size(), length.value_or(0), offset));
  }
  return Extent{std::move(file), text.substr(offset, length.value_or(std::string_view::npos))};
}

auto ExternalFiles::Find(const TensorProto& tensor, Context& context) -> Result<std::string_view> {
  RELAYOPT_TRY(const Extent extent, Locate(tensor));
  context.Keep(extent.file);
  return extent.bytes;
}

auto ExternalFiles::FindWhole(const TensorProto& tensor) -> Result<std::string_view> {
  const auto count = CountOf(tensor.dims);
  if (!count) return Fail(tensor, "its shape is negative or too large");
  RELAYOPT_TRY(const Extent extent, Locate(tensor));
  const bool has_size = RowOf(tensor.element_type).bits != 0;
  if (auto error = has_size ? OtherSize(tensor, extent.bytes, *count) : std::nullopt) return *std::move(error);
  return extent.bytes;
}

auto ToConstant(const TensorProto& tensor, ExternalFiles& files, Context& context) -> Result<Constant> {
  const ElementRow& row = RowOf(tensor.element_type);
  if (row.dtype.is_void()) {
    return Fail(tensor, fmt::format("Relay has no tensors of element type {} ({})", row.name, tensor.element_type));
  }
  const auto count = CountOf(tensor.dims);
  if (!count) return Fail(tensor, "its shape is negative or too large");
  if (tensor.is_external) {
    RELAYOPT_TRY(const std::string_view bytes, files.Find(tensor, context));
    return FromRaw(tensor, bytes, *count);
  }
  if (tensor.raw) return FromRaw(tensor, *tensor.raw, *count);
  return FromTyped(tensor, *count);
}

auto ToConstant(const SparseTensorProto& sparse, ExternalFiles& files, Context& context) -> Result<Constant> {
  const TensorProto& named = sparse.values;
  const auto count = CountOf(sparse.dims);
  constexpr size_t kLargest = size_t{1} << 30;
  RELAYOPT_TRY(const Constant values, ToConstant(sparse.values, files, context));
  RELAYOPT_TRY(const Constant indices, ToConstant(sparse.indices, files, context));
  const size_t width = values.dtype().bytes();
  if (!count || *count > kLargest / width) return Fail(named, "its shape is negative or too large");
  const size_t rank = sparse.dims.size();
  const size_t given = values.num_elements();
  const bool is_linear = indices.shape().size() == 1;
  const bool fits = indices.dtype() == DataType::Int(64) && indices.num_elements() == given * (is_linear ? 1 : rank) &&
                    (is_linear || (indices.shape().size() == 2 && indices.shape()[1] == static_cast<int64_t>(rank)));
  if (!fits) return Fail(named, "its indices do not belong to its values");
  const auto from = values.Bytes();
  const auto at = indices.Bytes();
  std::vector<std::byte> data(*count * width);
  for (size_t i = 0; i < given; ++i) {
    int64_t position = 0;
    for (size_t k = 0; k < (is_linear ? 1 : rank); ++k) {
      int64_t index = 0;
      std::memcpy(&index, at->data() + (i * (is_linear ? 1 : rank) + k) * sizeof index, sizeof index);
      const int64_t extent = is_linear ? static_cast<int64_t>(*count) : sparse.dims[k];
      if (index < 0 || index >= extent) return Fail(named, "an index lies outside of its shape");
      position = is_linear ? index : position * extent + index;
    }
    std::memcpy(data.data() + static_cast<size_t>(position) * width, from->data() + i * width, width);
  }
  return Constant(values.dtype(), sparse.dims, std::move(data));
}

}  // namespace relayopt::onnx
