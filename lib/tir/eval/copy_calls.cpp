// Calls of functions that copy tensors, which tir.InjectCopyIntrin makes: (source, destination, [padding before the
// source on each axis, padding after it on each axis, value of the padding]).
#include <algorithm>
#include <cstring>

#include "lib/tir/eval/arithmetic.h"
#include "lib/tir/eval/machine.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/tir/eval/diagnostics.h"
#include "relayopt/tir/ir/calling_convention.h"

namespace relayopt::tir {

namespace {

// Returns an access to bytes of memory.
auto BytesAt(size_t count) -> Instr {
  return {.op = OpCode::kLoad, .type = DataType::UInt(8), .c = static_cast<uint32_t>(count)};
}

template <typename T>
auto FieldAt(const std::byte* tensor, StructField field) -> T {
  T value{};
  std::memcpy(&value, tensor + PlaceOfField(static_cast<uint32_t>(field))->offset, sizeof(T));
  return value;
}

}  // namespace

// A tensor as it is passed to functions.
struct Machine::PassedTensor {
  uint64_t data = 0;
  DataType type = DataType::Void();
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

auto Machine::IsCopyFunction(const PrimFunc& func, std::string_view name) -> bool {
  const ObjectId list = func.FindAttr(kCopyFunctions);
  if (!list) return false;
  const auto& items = func.context().object(list).items;
  return std::ranges::any_of(
      items, [&](ObjectId item) { return func.context().text(func.context().object(item).text) == name; });
}

auto Machine::ReadTensor(Strand& strand, uint64_t pointer) -> std::optional<PassedTensor> {
  constexpr int32_t kMostAxes = 64;
  size_t begin = 0;
  const Memory* memory = Touch(strand, BytesAt(kTensorBytes), pointer, 0, begin);
  if (memory == nullptr) return std::nullopt;
  const std::byte* fields = &memory->bytes[begin];
  PassedTensor tensor;
  const auto rank = FieldAt<int32_t>(fields, StructField::kNdim);
  Pointer data = Pointer::Of(FieldAt<uint64_t>(fields, StructField::kData));
  data.offset += static_cast<int64_t>(FieldAt<uint64_t>(fields, StructField::kByteOffset));
  tensor.data = data.word();
  tensor.type = {static_cast<TypeCode>(FieldAt<uint8_t>(fields, StructField::kTypeCode)),
                 FieldAt<uint8_t>(fields, StructField::kTypeBits), 1};
  const auto shape = FieldAt<uint64_t>(fields, StructField::kShape);
  const auto strides = FieldAt<uint64_t>(fields, StructField::kStrides);
  if (rank < 0 || rank > kMostAxes || tensor.type.bits == 0) {
    Error(strand, diag::kNotEvaluated, "a copy of something else than a tensor");
    return std::nullopt;
  }
  for (int32_t i = 0; i < rank; ++i) {
    uint64_t extent = 0, stride = 0;
    if (!ReadElement(strand, DataType::Int(64), shape, i, extent)) return std::nullopt;
    if (!ReadElement(strand, DataType::Int(64), strides, i, stride)) return std::nullopt;
    tensor.shape.push_back(static_cast<int64_t>(extent));
    tensor.strides.push_back(static_cast<int64_t>(stride));
  }
  return tensor;
}

auto Machine::CopyTensor(Strand& strand, const PackedCall& call, const std::vector<PackedValue>& args) -> bool {
  const auto refuse = [&] { return Error(strand, diag::kNotEvaluated, "a copy with unexpected arguments"); };
  if (args.size() < 2) return refuse();
  const auto from = ReadTensor(strand, args[0].word);
  const auto to = from ? ReadTensor(strand, args[1].word) : std::nullopt;
  if (!from || !to) return false;
  const size_t rank = to->shape.size();
  const bool has_padding = args.size() == 3 + 2 * rank;
  if (from->shape.size() != rank || (args.size() != 2 && !has_padding)) return refuse();
  const auto convert = [&](DataType type, uint64_t word) {
    uint64_t made = 0;
    Cast(to->type, type, &made, &word);
    return made;
  };
  const PackedValue& padding = args.back();
  const uint64_t outside =
      has_padding ? convert(padding.code == kArgFloat ? DataType::Float(64) : DataType::Int(64), padding.word) : 0;
  if (std::ranges::any_of(to->shape, [](int64_t extent) { return extent <= 0; })) {
    strand.frame[call.result] = 0;
    ++strand.pc;
    return true;
  }
  std::vector<int64_t> at(rank, 0);
  for (bool is_done = false; !is_done;) {
    if (!Spend(strand, 1)) return false;
    bool is_inside = true;
    // Programs give any numbers: products and sums wrap.
    uint64_t source = 0, target = 0;
    for (size_t i = 0; i < rank; ++i) {
      const uint64_t before = has_padding ? args[2 + i].word : 0;
      const uint64_t place = static_cast<uint64_t>(at[i]) - before;
      is_inside = is_inside && from->shape[i] > 0 && place < static_cast<uint64_t>(from->shape[i]);
      source += place * static_cast<uint64_t>(from->strides[i]);
      target += static_cast<uint64_t>(at[i]) * static_cast<uint64_t>(to->strides[i]);
    }
    uint64_t word = outside;
    if (!is_inside && !has_padding) return refuse();
    if (is_inside && !ReadElement(strand, from->type, from->data, static_cast<int64_t>(source), word)) return false;
    if (is_inside && from->type != to->type) word = convert(from->type, word);
    if (!WriteElement(strand, to->type, to->data, static_cast<int64_t>(target), word)) return false;
    is_done = true;
    for (size_t i = rank; is_done && i-- > 0;) {
      is_done = ++at[i] == to->shape[i];
      if (is_done) at[i] = 0;
    }
  }
  strand.frame[call.result] = 0;
  ++strand.pc;
  return true;
}

}  // namespace relayopt::tir
