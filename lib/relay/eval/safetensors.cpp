// .safetensors: the size of a header, the header as JSON, then the elements of all tensors one after the other.
//
//   {"__metadata__": {...}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//
// Offsets count from the end of the header.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "byte_reader.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/support/json.h"

namespace relayopt {

namespace {

// Preserves the order of members.
using Json = OrderedJson;

struct SafetensorsType {
  std::string_view name;
  DataType dtype;
};
constexpr SafetensorsType kSafetensorsTypes[] = {
    {"F64", DataType::Float(64)},   {"F32", DataType::Float(32)}, {"F16", DataType::Float(16)},
    {"BF16", DataType::BFloat(16)}, {"I64", DataType::Int(64)},   {"I32", DataType::Int(32)},
    {"I16", DataType::Int(16)},     {"I8", DataType::Int(8)},     {"U64", DataType::UInt(64)},
    {"U32", DataType::UInt(32)},    {"U16", DataType::UInt(16)},  {"U8", DataType::UInt(8)},
    {"BOOL", DataType::Bool()},
};

// Limits that the format sets for headers.
constexpr uint64_t kLongestHeader = 100'000'000;
constexpr std::string_view kFreeText = "__metadata__";

auto BadFile(std::string_view what) -> Diagnostic { return MakeDiagnostic(diag::kBadTensorFile, {}, what); }

auto IsCount(const Json& json) -> bool { return json.is_number_unsigned() && json.get<uint64_t>() <= INT64_MAX; }

// Returns the tensor that a member of the header describes; `elements` is what follows the header. Adds its size to
// `used`: tensors do not share elements, so that no header makes more of a file than it holds.
auto ReadEntry(const std::string& name, const Json& entry, std::string_view elements, uint64_t& used)
    -> Result<Tensor> {
  const auto bad = [&](std::string_view what) {
    return BadFile(fmt::format("the header of the .safetensors file is damaged: '{}' {}", name, what));
  };
  if (!entry.is_object()) return bad("is not an object");
  const auto dtype_text = entry.find("dtype");
  const auto shape_list = entry.find("shape");
  const auto offsets = entry.find("data_offsets");
  if (dtype_text == entry.end() || !dtype_text->is_string()) return bad("has no dtype");
  if (shape_list == entry.end() || !shape_list->is_array()) return bad("has no shape");
  if (offsets == entry.end() || !offsets->is_array() || offsets->size() != 2) return bad("has no data_offsets");
  const auto& dtype_name = dtype_text->get_ref<const std::string&>();
  const auto type = std::ranges::find(kSafetensorsTypes, dtype_name, &SafetensorsType::name);
  if (type == std::end(kSafetensorsTypes))
    return bad(fmt::format("has element type {}, which is not supported", dtype_name));
  std::vector<int64_t> shape;
  for (const Json& extent : *shape_list) {
    if (!IsCount(extent)) return bad("has a shape that is none");
    shape.push_back(extent.get<int64_t>());
  }
  if (!IsCount((*offsets)[0]) || !IsCount((*offsets)[1])) return bad("has data_offsets that are none");
  const auto begin = (*offsets)[0].get<uint64_t>();
  const auto end = (*offsets)[1].get<uint64_t>();
  if (begin > end || end > elements.size()) return bad("has elements outside of the file");
  const std::optional<size_t> size = TensorBytes(shape, type->dtype);
  if (!size || *size != end - begin) return bad("has more or fewer elements than its shape");
  if (*size > elements.size() - used) return bad("has elements that another tensor has, too");
  used += *size;
  Tensor tensor(type->dtype, std::move(shape));
  std::copy_n(reinterpret_cast<const std::byte*>(elements.data()) + begin, *size, tensor.MutableBytes());
  return tensor;
}

}  // namespace

auto ReadSafetensors(std::string_view bytes) -> Result<std::vector<NamedTensor>> {
  ByteReader reader(bytes);
  const auto length = reader.Read<uint64_t>();
  if (!reader.ok() || length > kLongestHeader || length > reader.size()) {
    return BadFile("the .safetensors file is cut short");
  }
  const std::string_view text = reader.Take(length);
  const std::string_view elements = reader.Take(reader.size());
  const Json header = ParseJson(text);
  if (!header.is_object()) return BadFile("the header of the .safetensors file is damaged");
  std::vector<NamedTensor> tensors;
  uint64_t used = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == kFreeText) continue;
    RELAYOPT_TRY(Tensor tensor, ReadEntry(name, entry, elements, used));
    tensors.push_back({name, std::move(tensor)});
  }
  // The format requires that every byte belongs to a tensor: missing or additional bytes mean that the file is damaged.
  if (used != elements.size()) return BadFile("the .safetensors file is longer or shorter than its header says");
  return tensors;
}

auto WriteSafetensors(std::span<const NamedTensor> tensors) -> Result<std::string> {
  Json header = Json::object();
  uint64_t offset = 0;
  for (const NamedTensor& named : tensors) {
    const DataType dtype = named.tensor.dtype();
    const auto type = std::ranges::find(kSafetensorsTypes, dtype, &SafetensorsType::dtype);
    if (type == std::end(kSafetensorsTypes) || named.name == kFreeText || header.contains(named.name)) {
      return BadFile(
          fmt::format("'{}' of element type {} cannot be written as .safetensors", named.name, ToString(dtype)));
    }
    const uint64_t end = offset + named.tensor.num_bytes();
    header[named.name] = {{"dtype", type->name},
                          {"shape", std::vector<int64_t>(named.tensor.shape().begin(), named.tensor.shape().end())},
                          {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::type_error&) {
    return BadFile("a tensor cannot be written as .safetensors: its name is not UTF-8");
  }
  // Pads the header so that elements are aligned.
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string file;
  file.reserve(sizeof(uint64_t) + text.size() + offset);
  const auto length = static_cast<uint64_t>(text.size());
  file.append(reinterpret_cast<const char*>(&length), sizeof length);
  file += text;
  for (const NamedTensor& named : tensors) {
    const auto elements = named.tensor.bytes();
    file.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  }
  return file;
}

}  // namespace relayopt
