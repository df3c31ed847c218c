// Passes arguments to packed functions, and calls functions by name with packed arguments.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "lib/tir/eval/machine.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

namespace {

constexpr std::string_view kSetDevice = "__tvm_set_device";
// Each value is followed by its type code.
constexpr size_t kResultBytes = kValueBytes + sizeof(int32_t);

template <typename T>
void Put(std::vector<std::byte>& bytes, size_t offset, T value) {
  if (bytes.size() < offset + sizeof(T)) bytes.resize(offset + sizeof(T));
  std::memcpy(&bytes[offset], &value, sizeof(T));
}

template <typename T>
void PutField(std::vector<std::byte>& bytes, StructField field, T value) {
  Put(bytes, PlaceOfField(static_cast<uint32_t>(field))->offset, value);
}

auto CodeOf(DataType type, uint64_t word) -> int {
  if (type.is_void()) return kArgString;
  if (arith::IsInteger(type)) return kArgInt;
  if (arith::IsFloat(type)) return kArgFloat;
  return word == 0 ? kArgNull : kArgHandle;
}

// Returns the operation of a runtime call on a queue of copies (`copy` for "device_api.hexagon.dma_copy"), or empty.
auto DmaMethod(std::string_view name) -> std::string_view {
  constexpr std::string_view kDevices = "device_api.", kMethods = ".dma_";
  const size_t at = name.find(kMethods);
  return name.starts_with(kDevices) && at != std::string_view::npos ? name.substr(at + kMethods.size())
                                                                    : std::string_view();
}

// Returns an access to bytes of memory.
auto BytesOf(OpCode op, size_t count) -> Instr {
  return {.op = op, .type = DataType::UInt(8), .c = static_cast<uint32_t>(count)};
}

}  // namespace

auto Machine::AddScratch(Strand& strand, const std::vector<std::byte>& bytes) -> uint32_t {
  const uint32_t id = memory_.Allocate(bytes.size(), true);
  if (id == 0) return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
  memory_[id].bytes = bytes;
  memory_[id].is_private = strand.actor.launch != 0;
  strand.scratch.push_back(id);
  return id;
}

auto Machine::GetField(Strand& strand, const Instr& instr) -> bool {
  const FieldPlace place = *PlaceOfField(instr.c);
  Pointer pointer = Pointer::Of(strand.frame[instr.a]);
  pointer.offset += static_cast<int64_t>(strand.frame[instr.b] * place.stride + place.offset);
  if (place.bytes == 0) {
    strand.frame[instr.dst] = pointer.word();
    return true;
  }
  size_t begin = 0;
  const Memory* memory = Touch(strand, BytesOf(OpCode::kLoad, place.bytes), pointer.word(), 0, begin);
  if (memory == nullptr) return false;
  uint64_t word = 0;
  std::memcpy(&word, &memory->bytes[begin], place.bytes);
  const bool is_number = arith::IsInteger(instr.type) && place.bytes < sizeof(word);
  strand.frame[instr.dst] =
      is_number ? static_cast<uint64_t>(arith::WrapToType(instr.type, static_cast<int64_t>(word))) : word;
  return true;
}

auto Machine::SetField(Strand& strand, const Instr& instr) -> bool {
  const FieldPlace place = *PlaceOfField(instr.c);
  Pointer pointer = Pointer::Of(strand.frame[instr.a]);
  pointer.offset += static_cast<int64_t>(strand.frame[instr.b] * place.stride + place.offset);
  size_t begin = 0;
  Memory* memory = Touch(strand, BytesOf(OpCode::kStore, place.bytes), pointer.word(), 0, begin);
  if (memory == nullptr) return false;
  std::memcpy(&memory->bytes[begin], &strand.frame[instr.dst], place.bytes);
  if (!memory->written.empty()) std::fill_n(memory->written.begin() + static_cast<ptrdiff_t>(begin), place.bytes, 1);
  return true;
}

auto Machine::AddTensor(Strand& strand, const PackedSignature& signature, const PackedArg& arg, uint64_t data,
                        const Numbers& numbers) -> uint64_t {
  const PrimFunc& func = *strand.program->func;
  const Buffer& buffer = func.tables().buffer(arg.buffer);
  const auto layout = LayoutOf(func.terms(), buffer, numbers);
  if (!layout) return 0;
  std::vector<std::byte> shape(layout->shape.size() * sizeof(int64_t));
  std::vector<std::byte> strides(buffer.strides.size() * sizeof(int64_t));
  const DataType type = arg.dtype.bits != 0 && arg.dtype.lanes != 0 ? arg.dtype : buffer.dtype;
  for (size_t i = 0; i < layout->shape.size(); ++i) {
    int64_t extent = layout->shape[i];
    // Passes that make vectors of the elements leave the tensor as the function asks for it.
    if (i + 1 == layout->shape.size()) extent = extent * buffer.dtype.lanes / type.lanes;
    Put(shape, i * sizeof(int64_t), extent);
  }
  for (size_t i = 0; i < buffer.strides.size(); ++i) Put(strides, i * sizeof(int64_t), layout->strides[i]);
  std::vector<std::byte> tensor(kTensorBytes);
  PutField(tensor, StructField::kData, data);
  PutField(tensor, StructField::kDeviceType, static_cast<int32_t>(signature.device_type));
  PutField(tensor, StructField::kNdim, static_cast<int32_t>(layout->shape.size()));
  PutField(tensor, StructField::kTypeCode, static_cast<uint8_t>(type.code));
  PutField(tensor, StructField::kTypeBits, type.bits);
  PutField(tensor, StructField::kTypeLanes, type.lanes);
  PutField(tensor, StructField::kShape, Pointer{AddScratch(strand, shape), 0}.word());
  if (!strides.empty()) PutField(tensor, StructField::kStrides, Pointer{AddScratch(strand, strides), 0}.word());
  PutField(tensor, StructField::kByteOffset,
           static_cast<uint64_t>(layout->offset) * arith::ElementOf(buffer.dtype).bytes() * buffer.dtype.lanes);
  return Pointer{AddScratch(strand, tensor), 0}.word();
}

auto Machine::PassPacked(Strand& strand, const Numbers& numbers) -> std::string_view {
  const Program& program = *strand.program;
  const PackedSignature& signature = *program.packed;
  std::vector<PackedValue> args;
  for (const PackedArg& arg : signature.args) {
    PackedValue& value = args.emplace_back();
    const PrimExpr var = arg.data ? arg.data : arg.var;
    if (!var) {
      value.code = arg.code;
      continue;
    }
    value.word = strand.frame[program.packed_regs.at(var)];
    value.code = CodeOf(program.func->terms().dtype(var), value.word);
    if (!arg.data) continue;
    value.word = arg.buffer ? AddTensor(strand, signature, arg, value.word, numbers) : 0;
    value.code = kArgDLTensor;
    if (value.word == 0) return "a packed function with a tensor of unknown shape";
  }
  result_memory_ = PassArrays(strand, program, strand.frame, args);
  const auto num_args = program.input_regs.at(program.func->params()[kNumArgs]);
  strand.frame[num_args] = static_cast<uint64_t>(signature.num_args);
  return result_memory_ == 0 ? "a packed function with that many arguments" : "";
}

auto Machine::PassArrays(Strand& strand, const Program& callee, std::vector<uint64_t>& frame,
                         const std::vector<PackedValue>& args) -> uint32_t {
  std::vector<std::byte> values(args.size() * kValueBytes);
  std::vector<std::byte> codes(args.size() * sizeof(int32_t));
  for (size_t i = 0; i < args.size(); ++i) {
    Put(values, i * kValueBytes, args[i].word);
    Put(codes, i * sizeof(int32_t), static_cast<int32_t>(args[i].code));
  }
  const uint32_t value_memory = AddScratch(strand, values);
  const uint32_t code_memory = AddScratch(strand, codes);
  const uint32_t result = AddScratch(strand, std::vector<std::byte>(kResultBytes));
  if (value_memory == 0 || code_memory == 0 || result == 0) return 0;
  memory_[result].written.assign(kResultBytes, 0);
  const auto set = [&](PackedParam param, uint64_t word) {
    frame[callee.input_regs.at(callee.func->params()[param])] = word;
  };
  set(kArgs, Pointer{value_memory, 0}.word());
  set(kArgCodes, Pointer{code_memory, 0}.word());
  set(kNumArgs, args.size());
  set(kResultValue, Pointer{result, 0}.word());
  set(kResultCode, Pointer{result, kValueBytes}.word());
  return result;
}

auto Machine::TakeResult(uint32_t memory, DataType type) -> std::optional<uint64_t> {
  const Memory& result = memory_[memory];
  if (result.written[kValueBytes] == 0) return std::nullopt;
  uint64_t word = 0;
  int32_t code = 0;
  std::memcpy(&word, result.bytes.data(), sizeof(word));
  std::memcpy(&code, &result.bytes[kValueBytes], sizeof(code));
  if (arith::IsInteger(type)) {
    if (code == kArgFloat) word = static_cast<uint64_t>(static_cast<int64_t>(std::bit_cast<double>(word)));
    return static_cast<uint64_t>(arith::WrapToType(arith::ElementOf(type), static_cast<int64_t>(word)));
  }
  if (!arith::IsFloat(type)) return word;
  const double value =
      code == kArgFloat ? std::bit_cast<double>(word) : static_cast<double>(static_cast<int64_t>(word));
  return std::bit_cast<uint64_t>(arith::RoundToType(arith::ElementOf(type), value));
}

auto Machine::PackedResult() -> std::optional<Tensor> {
  int32_t code = 0;
  std::memcpy(&code, &memory_[result_memory_].bytes[kValueBytes], sizeof(code));
  const DataType type = code == kArgFloat ? DataType::Float(64) : DataType::Int(64);
  const auto word = TakeResult(result_memory_, type);
  if (!word || (code != kArgFloat && code != kArgInt)) return std::nullopt;
  Tensor value(type, {});
  arith::StoreWord(type, *word, value.MutableBytes());
  return value;
}

auto Machine::PackedArguments(Strand& strand, const PackedCall& call, std::vector<PackedValue>& args) -> bool {
  if (call.kind != PackedCall::Kind::kLowered) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      // Vectors, which only external functions accept, are passed with all of their lanes.
      for (size_t lane = 0; lane < std::max<size_t>(call.types[i].lanes, 1); ++lane) {
        const uint64_t word = strand.frame[call.args[i] + lane];
        args.push_back({word, call.are_tensors[i] ? int{kArgDLTensor} : CodeOf(call.types[i], word)});
      }
    }
    return true;
  }
  for (uint32_t i = 0; i < call.count; ++i) {
    PackedValue& arg = args.emplace_back();
    const auto read = [&](Reg array, void* to, size_t bytes) {
      size_t begin = 0;
      const Memory* memory = Touch(strand, BytesOf(OpCode::kLoad, bytes), strand.frame[array], i, begin);
      if (memory != nullptr) std::memcpy(to, &memory->bytes[begin], bytes);
      return memory != nullptr;
    };
    int32_t code = 0;
    if (!read(call.values, &arg.word, kValueBytes) || !read(call.codes, &code, sizeof(code))) return false;
    arg.code = code;
  }
  return true;
}

auto Machine::CallPacked(Strand& strand, const PackedCall& call) -> bool {
  std::vector<PackedValue> args;
  if (!PackedArguments(strand, call, args)) return false;
  // There is only one device.
  if (call.name == kSetDevice) {
    strand.frame[call.result] = 0;
    ++strand.pc;
    return true;
  }
  if (const std::string_view method = DmaMethod(call.name); !method.empty()) {
    // (queue, to, from, bytes, bypasses the cache): executed immediately.
    if (method == "copy" && args.size() != 5)
      return Error(strand, diag::kCallArguments, call.name, fmt::format("{} arguments", args.size()), 5);
    if (method == "copy" && !CopyBytes(strand, args[1].word, args[2].word, args[3].word)) return false;
    strand.frame[call.result] = 0;
    ++strand.pc;
    return true;
  }
  const bool is_packed = call.kind == PackedCall::Kind::kPacked || call.kind == PackedCall::Kind::kLowered;
  const GlobalId id = is_packed ? evaluator_.FindSymbol(call.name) : GlobalId();
  const Program* callee = id ? evaluator_.ProgramOf(id) : nullptr;
  if (callee == nullptr && is_packed && IsCopyFunction(*strand.program->func, call.name))
    return CopyTensor(strand, call, args);
  if (callee == nullptr) return NoteCall(strand, call, args);
  if (strand.callers.size() >= limits_.max_depth)
    return Error(strand, diag::kLimitReached, limits_.max_depth, "calls inside of one another");
  if (callee->packed) return CallPackedFunction(strand, call, *callee, args);
  if (callee->func->IntAttr("calling_conv") == kKernelConvention) return CallKernel(strand, call, *callee, args);
  return CallPlain(strand, call, *callee, args);
}

auto Machine::TextOf(const PackedValue& value) -> std::string {
  // Printed with few digits, because both runs may round differently.
  if (value.code == kArgFloat) return fmt::format("{:.5g}", std::bit_cast<double>(value.word));
  if (value.code == kArgInt) return std::to_string(static_cast<int64_t>(value.word));
  return value.code == kArgNull ? "null" : value.code == kArgString ? "a text" : "a pointer";
}

auto Machine::NoteCall(Strand& strand, const PackedCall& call, const std::vector<PackedValue>& args) -> bool {
  constexpr size_t kMost = 100'000;
  const bool is_packed = call.kind == PackedCall::Kind::kPacked || call.kind == PackedCall::Kind::kLowered;
  if (!limits_.note_calls || calls_.size() > kMost) {
    return Error(strand, diag::kNotEvaluated,
                 fmt::format("{} '{}'", is_packed ? "a packed call of" : "a call of the external function", call.name));
  }
  std::string text = call.name + "(";
  for (const PackedValue& arg : args) text += (text.ends_with('(') ? "" : ", ") + TextOf(arg);
  text += ')';
  uint64_t number = 0;
  if (call.kind == PackedCall::Kind::kPureExtern) {
    // Only the result of a pure function matters. It is small, because it may be used as an index.
    for (const char c : text) number = number * 31 + static_cast<unsigned char>(c);
    number %= 2;
  } else {
    calls_.push_back(std::move(text));
  }
  for (size_t lane = 0; lane < std::max<size_t>(call.type.lanes, 1); ++lane)
    strand.frame[call.result + lane] =
        arith::IsFloat(call.type) ? std::bit_cast<uint64_t>(static_cast<double>(number)) : number;
  ++strand.pc;
  return true;
}

auto Machine::CallPlain(Strand& strand, const PackedCall& call, const Program& callee,
                        const std::vector<PackedValue>& args) -> bool {
  const size_t count = callee.func->params().size();
  if (args.size() != count)
    return Error(strand, diag::kCallArguments, call.name, fmt::format("{} arguments", args.size()), count);
  if (callee.inputs.size() != count)
    return Error(strand, diag::kNotEvaluated, "a call of a function that needs more than its arguments");
  std::vector<uint64_t> frame = callee.frame;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word = args[i].word;
    // A tensor is passed as its data pointer.
    if (args[i].code == kArgDLTensor && callee.inputs[i].buffer) {
      size_t begin = 0;
      const Memory* tensor = Touch(strand, BytesOf(OpCode::kLoad, kTensorBytes), word, 0, begin);
      if (tensor == nullptr) return false;
      std::memcpy(&word, &tensor->bytes[begin + PlaceOfField(static_cast<uint32_t>(StructField::kData))->offset],
                  sizeof(word));
    }
    frame[callee.input_regs.at(callee.inputs[i].var)] = word;
  }
  return Enter(strand, callee, std::move(frame), {.result = call.result, .type = call.type});
}

auto Machine::CallPackedFunction(Strand& strand, const PackedCall& call, const Program& callee,
                                 const std::vector<PackedValue>& args) -> bool {
  Strand::Caller caller{.scratch = strand.scratch.size(), .result = call.result, .type = call.type};
  caller.kind = Strand::CallKind::kPacked;
  std::vector<uint64_t> frame = callee.frame;
  caller.result_memory = PassArrays(strand, callee, frame, args);
  if (caller.result_memory == 0) return false;
  return Enter(strand, callee, std::move(frame), std::move(caller));
}

auto Machine::CallKernel(Strand& strand, const PackedCall& call, const Program& callee,
                         const std::vector<PackedValue>& args) -> bool {
  const PrimFunc& func = *callee.func;
  const auto params = func.params();
  const ObjectId list = func.FindAttr("tir.kernel_launch_params");
  const auto tags = list ? func.context().object(list).items : std::span<const ObjectId>();
  const auto count = [](size_t n) { return fmt::format("{} arguments", n); };
  if (args.size() != params.size() + tags.size())
    return Error(strand, diag::kCallArguments, call.name, count(args.size()), count(params.size() + tags.size()));
  if (callee.inputs.size() != params.size())
    return Error(strand, diag::kNotEvaluated, "a call of a function that needs more than its arguments");
  std::vector<uint64_t> frame = callee.frame;
  for (size_t i = 0; i < params.size(); ++i) {
    const DataType type = func.terms().dtype(params[i]);
    const bool is_number = args[i].code == kArgInt || args[i].code == kArgFloat;
    const bool fits = arith::IsInteger(type) ? args[i].code == kArgInt
                      : arith::IsFloat(type) ? args[i].code == kArgFloat
                                             : !is_number;
    if (!fits)
      return Error(strand, diag::kCallArguments, call.name, fmt::format("a value of code {}", args[i].code),
                   ToString(type));
    uint64_t word = args[i].word;
    if (arith::IsInteger(type)) word = static_cast<uint64_t>(arith::WrapToType(type, static_cast<int64_t>(word)));
    if (arith::IsFloat(type)) word = std::bit_cast<uint64_t>(arith::RoundToType(type, std::bit_cast<double>(word)));
    frame[callee.input_regs.at(params[i])] = word;
  }
  strand.launch_args.clear();
  for (size_t i = 0; i < tags.size(); ++i) {
    const std::string_view tag = func.context().text(func.context().object(tags[i]).text);
    strand.launch_args.emplace_back(tag, static_cast<int64_t>(args[params.size() + i].word));
  }
  strand.is_kernel = true;
  Strand::Caller caller{.result = call.result, .type = DataType::Void()};
  caller.kind = Strand::CallKind::kKernel;
  return Enter(strand, callee, std::move(frame), std::move(caller));
}

auto Machine::CheckLaunch(Strand& strand, const Launch& launch) -> bool {
  for (const ThreadDim& dim : launch.dims) {
    const auto given = std::find_if(strand.launch_args.begin(), strand.launch_args.end(),
                                    [&](const auto& arg) { return arg.first == dim.tag; });
    // Virtual threads are not launched.
    if (given == strand.launch_args.end() && dim.tag.find('#') != std::string::npos) continue;
    const auto extent = static_cast<int64_t>(strand.frame[dim.extent]);
    const int64_t launched = given == strand.launch_args.end() ? 1 : given->second;
    if (launched != extent) return Error(strand, diag::kLaunchExtent, dim.tag, launched, extent);
  }
  return true;
}

}  // namespace relayopt::tir
