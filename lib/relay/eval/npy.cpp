// Reads and writes NumPy's .npy: a magic number, the length of the header, the header (a Python dictionary), the
// elements.
#include "npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "byte_reader.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

auto Bad(std::string_view what) -> Diagnostic { return MakeDiagnostic(diag::kBadTensorFile, {}, what); }

// `<f4`, `|b1` and the like.
auto ElementType(std::string_view text) -> std::optional<DataType> {
  if (text.size() < 3 || text[0] == '>') return std::nullopt;
  const int bytes = ParseNumber<int>(text.substr(2)).value_or(0);
  const bool is_power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (!is_power) return std::nullopt;
  switch (text[1]) {
    case 'b': return bytes == 1 ? std::optional(DataType::Bool()) : std::nullopt;
    case 'i': return DataType::Int(8 * bytes);
    case 'u': return DataType::UInt(8 * bytes);
    case 'f': return bytes == 1 ? std::nullopt : std::optional(DataType::Float(8 * bytes));
    default: return std::nullopt;
  }
}

auto TextOf(DataType dtype) -> std::optional<std::string> {
  const size_t bytes = dtype.bytes();
  if (dtype.is_bool()) return "|b1";
  if (dtype.lanes != 1 || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || dtype.bits != 8 * bytes)
    return std::nullopt;
  const char* order = bytes == 1 ? "|" : "<";
  if (dtype.is_int()) return fmt::format("{}i{}", order, bytes);
  if (dtype.is_uint()) return fmt::format("{}u{}", order, bytes);
  if (dtype.code == TypeCode::kFloat && bytes > 1) return fmt::format("{}f{}", order, bytes);
  return std::nullopt;
}

// Returns the text after `'key':` in the header, without leading spaces.
auto Entry(std::string_view header, std::string_view key) -> std::string_view {
  const size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  while (header.starts_with(' ')) header.remove_prefix(1);
  return header;
}

// `(3, 4)`, `(3,)` or `()`.
auto ShapeOf(std::string_view text) -> std::optional<std::vector<int64_t>> {
  const size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return std::nullopt;
  text = text.substr(1, close - 1);
  std::vector<int64_t> shape;
  while (true) {
    while (text.starts_with(' ') || text.starts_with(',')) text.remove_prefix(1);
    if (text.empty()) return shape;
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
}

// Elements whose first axis runs fastest, in row-major order.
void CopyTransposed(std::string_view from, Tensor& tensor) {
  const size_t width = tensor.dtype().bytes();
  std::byte* to = tensor.MutableBytes();
  std::vector<int64_t> position(tensor.rank(), 0);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t offset = 0;
    for (size_t axis = tensor.rank(); axis-- > 0;) offset = offset * tensor.extent(axis) + position[axis];
    std::copy_n(reinterpret_cast<const std::byte*>(from.data()) + static_cast<size_t>(offset) * width, width, to);
    to += width;
    for (size_t axis = tensor.rank(); axis-- > 0;) {
      if (++position[axis] != tensor.extent(axis)) break;
      position[axis] = 0;
    }
  }
}

}  // namespace

auto ReadNpy(std::string_view bytes) -> Result<Tensor> {
  ByteReader reader(bytes);
  if (reader.Take(kMagic.size()) != kMagic) return Bad("an entry is no .npy array");
  const auto version = reader.Read<uint8_t>();
  reader.Read<uint8_t>();
  const uint32_t length = version == 1 ? reader.Read<uint16_t>() : reader.Read<uint32_t>();
  const std::string_view header = reader.Take(length);
  if (!reader.ok()) return Bad("an array is cut short");
  const std::string_view quoted = Entry(header, "descr");
  const size_t quote = quoted.find('\'', 1);
  if (!quoted.starts_with('\'') || quote == std::string_view::npos)
    return Bad("an array has a structured element type");
  const std::string_view name = quoted.substr(1, quote - 1);
  const std::optional<DataType> dtype = ElementType(name);
  if (!dtype) return Bad(fmt::format("element type '{}' is not supported", name));
  const auto shape = ShapeOf(Entry(header, "shape"));
  if (!shape) return Bad("an array has no shape");
  const std::optional<size_t> size = TensorBytes(*shape, *dtype);
  if (!size || *size > reader.size()) return Bad("an array is cut short");
  Tensor tensor(*dtype, *shape);
  const std::string_view elements = reader.Take(*size);
  if (Entry(header, "fortran_order").starts_with("True"))
    CopyTransposed(elements, tensor);
  else
    std::copy_n(reinterpret_cast<const std::byte*>(elements.data()), elements.size(), tensor.MutableBytes());
  return tensor;
}

auto WriteNpy(const Tensor& tensor) -> Result<std::string> {
  if (tensor.dtype() == DataType::BFloat(16)) {
    Tensor wide(DataType::Float(32), {tensor.shape().begin(), tensor.shape().end()});
    std::copy_n(tensor.data<BFloat>(), tensor.size(), wide.mutable_data<float>());
    return WriteNpy(wide);
  }
  const auto descr = TextOf(tensor.dtype());
  if (!descr) return Bad(fmt::format("NumPy has no element type {}", ToString(tensor.dtype())));
  std::string shape;
  for (const int64_t extent : tensor.shape()) shape += fmt::format("{}, ", extent);
  if (tensor.rank() > 1)
    shape.resize(shape.size() - 2);
  else if (tensor.rank() == 1)
    shape.resize(shape.size() - 1);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", *descr, shape);
  // The elements start at a multiple of 64 bytes.
  const size_t fixed = kMagic.size() + 4;
  header.append(63 - (fixed + header.size()) % 64, ' ');
  header += '\n';
  std::string text(kMagic);
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  text.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.num_bytes());
  return text;
}

}  // namespace relayopt
