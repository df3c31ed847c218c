// Reads and writes TVM's parameter files.
#include <fmt/format.h>

#include <algorithm>

#include "byte_reader.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

namespace {

constexpr uint64_t kListMagic = 0xF7E58D4F05049CB7;
constexpr uint64_t kTensorMagic = 0xDD5E40F096B4A13F;

auto BadParams(std::string_view what) -> Diagnostic { return MakeDiagnostic(diag::kBadTensorFile, {}, what); }

// Whether tensors can have elements of this type, which stands in a file.
auto IsElementType(DataType dtype) -> bool {
  constexpr int kBits[] = {1, 8, 16, 32, 64};
  const bool is_float = dtype.code == TypeCode::kFloat && dtype.bits > 8;
  const bool is_number = dtype.is_int() || dtype.is_uint() || is_float || dtype == DataType::BFloat(16);
  return is_number && dtype.lanes == 1 && std::ranges::find(kBits, dtype.bits) != std::end(kBits);
}

template <typename T>
void AppendNumber(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

auto ReadTensor(ByteReader& reader) -> Result<Tensor> {
  if (reader.Read<uint64_t>() != kTensorMagic) return BadParams("the parameter file is damaged");
  // A reserved word; type and number of the device.
  reader.Take(16);
  const auto rank = reader.Read<uint32_t>();
  DataType dtype;
  dtype.code = static_cast<TypeCode>(reader.Read<uint8_t>());
  dtype.bits = reader.Read<uint8_t>();
  dtype.lanes = reader.Read<uint16_t>();
  if (!IsElementType(dtype)) return BadParams("the parameter file has elements of an unknown type");
  if (rank > reader.size() / sizeof(int64_t)) return BadParams("the parameter file is cut short");
  std::vector<int64_t> shape(rank);
  for (int64_t& extent : shape) extent = reader.Read<int64_t>();
  reader.Read<int64_t>();
  const std::optional<size_t> size = TensorBytes(shape, dtype);
  if (!reader.ok() || !size || *size > reader.size()) return BadParams("the parameter file is cut short");
  Tensor tensor(dtype, std::move(shape));
  const std::string_view elements = reader.Take(*size);
  std::copy_n(reinterpret_cast<const std::byte*>(elements.data()), elements.size(), tensor.MutableBytes());
  return tensor;
}

}  // namespace

auto ReadParams(std::string_view bytes) -> Result<std::vector<NamedTensor>> {
  ByteReader reader(bytes);
  if (reader.Read<uint64_t>() != kListMagic) return BadParams("this is not a parameter file");
  reader.Read<uint64_t>();
  const auto names = reader.Read<uint64_t>();
  std::vector<NamedTensor> tensors;
  for (uint64_t i = 0; i < names && reader.ok(); ++i) {
    const auto length = reader.Read<uint64_t>();
    tensors.push_back({std::string(reader.Take(length)), Tensor()});
  }
  if (reader.Read<uint64_t>() != names || !reader.ok()) return BadParams("the parameter file is damaged");
  for (NamedTensor& tensor : tensors) {
    RELAYOPT_TRY(tensor.tensor, ReadTensor(reader));
  }
  return tensors;
}

auto WriteParams(std::span<const NamedTensor> tensors) -> Result<std::string> {
  std::string text;
  AppendNumber(text, kListMagic);
  AppendNumber(text, uint64_t{0});
  AppendNumber(text, uint64_t{tensors.size()});
  for (const NamedTensor& named : tensors) {
    if (const DataType dtype = named.tensor.dtype(); !IsElementType(dtype)) {
      return BadParams(
          fmt::format("'{}' of element type {} cannot be written as parameters", named.name, ToString(dtype)));
    }
    AppendNumber(text, uint64_t{named.name.size()});
    text += named.name;
  }
  AppendNumber(text, uint64_t{tensors.size()});
  for (const NamedTensor& named : tensors) {
    // The same record as in metadata sections.
    text += EncodeRecord(named.tensor.ToConstant());
  }
  return text;
}

}  // namespace relayopt
