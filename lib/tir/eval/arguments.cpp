// Arguments for running a tensor program.
#include "relayopt/tir/eval/arguments.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lib/tir/eval/layout.h"
#include "lib/tir/eval/program.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/split_mix.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

class ArgumentMaker {
 public:
  ArgumentMaker(const Program& program, std::span<const GivenTensor> given, const ArgumentOptions& options)
      : program_(program),
        func_(*program.func),
        terms_(func_.terms()),
        tables_(func_.tables()),
        given_(given),
        options_(options) {}

  auto Run() -> Result<std::vector<Argument>>;

  static auto ProgramOf(Evaluator& evaluator, GlobalId id) -> const Program* { return evaluator.ProgramOf(id); }

 private:
  auto NameOf(const Input& input) const -> std::string_view { return func_.context().text(input.name); }
  auto IsNumber(const Input& input) const -> bool {
    return arith::IsInteger(terms_.dtype(input.var)) && terms_.lanes(input.var) == 1;
  }
  // Finds the inputs of each name, and the tensor that is given for each input.
  void MatchNames();
  auto GivenFor(size_t position) const -> const Tensor* {
    return given_for_[position] ? &given_[*given_for_[position]].tensor : nullptr;
  }
  // Binds variables in extents to the extents of given tensors.
  void BindExtents();
  // Binds variables to the values in the options. A name that matches no variable is an error.
  auto BindByName() -> std::optional<Diagnostic>;
  auto BindOne(const BoundNumber& bound) -> bool;
  void BindNumbers();
  auto Bad(const Input& input, std::string_view what) const -> Diagnostic {
    return MakeDiagnostic(diag::kBadArgument, {}, NameOf(input), what);
  }
  // A buffer, or other memory, that is to be made.
  struct Plan {
    size_t position;
    DataType type;
    std::vector<int64_t> shape;
  };
  // Plans the memory of an input. An error if that of all inputs so far is too large.
  auto PlanMemory(size_t position) -> Result<Plan>;
  auto MakeMemory(const Plan& plan) -> Result<Tensor>;
  // Returns the elements of the largest buffer that uses the memory.
  auto MemoryOf(const Input& input, DataType& type) const -> std::optional<int64_t>;
  void Fill(Tensor& tensor);
  auto RandomWord(DataType type) -> uint64_t;

  const Program& program_;
  const PrimFunc& func_;
  const Terms& terms_;
  const Tables& tables_;
  std::span<const GivenTensor> given_;
  const ArgumentOptions& options_;
  // The positions of the inputs that users may refer to by a name: their own, or that of the handle whose buffer they
  // are.
  absl::flat_hash_map<std::string_view, std::vector<size_t>> named_;
  // For each input the position of the first tensor that is given for it: by name, or `arr_0`, `arr_1`, ... for
  // parameters in order.
  std::vector<std::optional<size_t>> given_for_;
  Numbers numbers_;
  SplitMix random_{0};
  // The bytes of the memory that is planned so far.
  size_t used_bytes_ = 0;
};

void ArgumentMaker::MatchNames() {
  absl::flat_hash_map<BufferId, std::vector<std::string_view>> handles;
  for (const BufferBinding& binding : func_.buffer_map())
    handles[binding.buffer].push_back(func_.context().text(terms_.var(binding.param).name));
  absl::flat_hash_map<std::string_view, size_t> places;
  for (size_t k = 0; k < given_.size(); ++k) places.try_emplace(given_[k].name, k);
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    std::vector<std::string_view> names = {NameOf(input)};
    if (input.buffer) names.insert(names.end(), handles[input.buffer].begin(), handles[input.buffer].end());
    std::optional<size_t>& given = given_for_.emplace_back();
    const auto look_up = [&](std::string_view name) {
      const auto place = places.find(name);
      if (place != places.end() && (!given || place->second < *given)) given = place->second;
    };
    for (const std::string_view name : names) {
      std::vector<size_t>& inputs = named_[name];
      if (inputs.empty() || inputs.back() != i) inputs.push_back(i);
      look_up(name);
    }
    if (input.is_parameter) look_up("arr_" + std::to_string(i));
  }
}

void ArgumentMaker::BindExtents() {
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    const Tensor* tensor = GivenFor(i);
    if (!input.buffer || tensor == nullptr) continue;
    const Buffer& buffer = tables_.buffer(input.buffer);
    for (size_t axis = 0; axis < std::min(buffer.ndim(), tensor->rank()); ++axis) {
      if (terms_.is_var(buffer.shape[axis])) numbers_.try_emplace(buffer.shape[axis], tensor->extent(axis));
    }
  }
}

auto ArgumentMaker::BindOne(const BoundNumber& bound) -> bool {
  bool fits = false;
  const auto named = named_.find(bound.name);
  if (named == named_.end()) return false;
  for (const size_t position : named->second) {
    const Input& input = program_.inputs[position];
    if (!bound.axis && IsNumber(input) && NameOf(input) == bound.name) {
      numbers_.insert_or_assign(input.var, bound.value);
      fits = true;
    }
    if (!input.buffer) continue;
    const Buffer& buffer = tables_.buffer(input.buffer);
    for (size_t axis = 0; axis < buffer.ndim(); ++axis) {
      if ((bound.axis && *bound.axis != axis) || !terms_.is_var(buffer.shape[axis])) continue;
      numbers_.insert_or_assign(buffer.shape[axis], bound.value);
      fits = true;
    }
  }
  return fits;
}

auto ArgumentMaker::BindByName() -> std::optional<Diagnostic> {
  // Options for single axes come last: they override those for all axes.
  for (const bool is_one_axis : {false, true}) {
    for (const BoundNumber& bound : options_.bound) {
      if (bound.axis.has_value() != is_one_axis || BindOne(bound)) continue;
      return MakeDiagnostic(diag::kBadArgument, {}, bound.name, "there is no variable of this name to bind");
    }
  }
  return std::nullopt;
}

void ArgumentMaker::BindNumbers() {
  // Variables in shapes and sizes of memory do not get random values.
  absl::flat_hash_map<PrimExpr, int64_t> usual;
  for (const Input& input : program_.inputs) {
    if (!input.buffer) continue;
    const Buffer& buffer = tables_.buffer(input.buffer);
    for (const PrimExpr extent : buffer.shape) {
      for (const PrimExpr var : arith::FreeVars(terms_, extent)) usual.try_emplace(var, options_.unknown_extent);
    }
    if (terms_.is_var(buffer.elem_offset)) usual.try_emplace(buffer.elem_offset, 0);
  }
  for (const Input& input : program_.inputs) {
    if (!IsNumber(input)) continue;
    if (const auto known = usual.find(input.var); known != usual.end()) {
      numbers_.try_emplace(input.var, known->second);
    }
  }
  // Strides come last: they follow from extents.
  for (const Input& input : program_.inputs) {
    if (!input.buffer) continue;
    const Buffer& buffer = tables_.buffer(input.buffer);
    const auto layout = LayoutOf(terms_, buffer, numbers_);
    for (size_t i = 0; layout && i < buffer.strides.size(); ++i) {
      if (terms_.is_var(buffer.strides[i])) numbers_.try_emplace(buffer.strides[i], layout->strides[i]);
    }
  }
}

auto ArgumentMaker::MemoryOf(const Input& input, DataType& type) const -> std::optional<int64_t> {
  // Returns the size of memory that the function passes to others without accessing it.
  constexpr int64_t kHandedOn = 64;
  const arith::VarType& declared = terms_.var(input.var).type;
  type = arith::ElementOf(declared.dtype);
  const auto users = program_.buffers.find(input.var);
  if (users == program_.buffers.end()) {
    const bool is_pointer = declared.kind == arith::VarType::Kind::kPointer && !declared.dtype.is_void();
    return is_pointer ? std::optional(kHandedOn) : std::nullopt;
  }
  type = arith::ElementOf(tables_.buffer(users->second[0]).dtype);
  int64_t most = 0;
  for (const BufferId id : users->second) {
    const auto layout = LayoutOf(terms_, tables_.buffer(id), numbers_);
    if (!layout) return std::nullopt;
    const auto bytes = static_cast<int64_t>(arith::ElementOf(tables_.buffer(id).dtype).bytes());
    const auto unit = static_cast<int64_t>(type.bytes());
    most = std::max(most, (layout->count * bytes + unit - 1) / unit);
  }
  return most;
}

auto ArgumentMaker::PlanMemory(size_t position) -> Result<Plan> {
  const Input& input = program_.inputs[position];
  Plan plan = {position, {}, {}};
  auto& [_, type, shape] = plan;
  if (input.buffer) {
    const Buffer& buffer = tables_.buffer(input.buffer);
    const auto layout = LayoutOf(terms_, buffer, numbers_);
    if (!layout) return Bad(input, "its shape has no value");
    type = arith::ElementOf(buffer.dtype);
    shape = layout->shape;
    if (buffer.dtype.lanes > 1) shape.push_back(buffer.dtype.lanes);
  } else {
    const auto count = MemoryOf(input, type);
    if (!count) return Bad(input, "the memory behind it has no known size");
    shape = {*count};
  }
  auto bytes = static_cast<int64_t>(type.bytes());
  const auto room = static_cast<int64_t>(options_.max_bytes - used_bytes_);
  for (const int64_t extent : shape) {
    if (extent != 0 && bytes > room / extent)
      return MakeDiagnostic(diag::kLimitReached, {}, options_.max_bytes, "bytes of arguments");
    bytes *= extent;
  }
  used_bytes_ += static_cast<size_t>(bytes);
  if (type.bits > 64) return Bad(input, "there are no values of type " + ToString(type));
  return plan;
}

auto ArgumentMaker::MakeMemory(const Plan& plan) -> Result<Tensor> {
  const auto& [position, type, shape] = plan;
  // Tensors of 8-bit floats are kept as their bits.
  const bool is_small = type.is_float() && type.bits == 8;
  const DataType kept = is_small ? DataType::UInt(8) : type;
  if (const Tensor* tensor = GivenFor(position)) {
    if (tensor->dtype() != kept ||
        !std::equal(shape.begin(), shape.end(), tensor->shape().begin(), tensor->shape().end()))
      return Bad(program_.inputs[position], "the given tensor has another type or shape");
    return *tensor;
  }
  Tensor made(type, shape);
  random_ = SplitMix(options_.seed * 0x9E3779B97F4A7C15ULL + position);
  Fill(made);
  return WithBitsAs(made, kept);
}

auto ArgumentMaker::RandomWord(DataType type) -> uint64_t {
  const uint64_t bits = random_.Next();
  const bool edge = options_.edge_values && bits % 4 == 0;
  if (type.is_float()) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kEdges[] = {0.0, -0.0, kInf, -kInf, std::numeric_limits<double>::quiet_NaN(), 1.0, -1.0, 65504.0};
    const double value = edge ? kEdges[(bits >> 8) % std::size(kEdges)]
                              : static_cast<double>(static_cast<int32_t>(bits >> 32)) / 2147483648.0;
    return std::bit_cast<uint64_t>(arith::RoundToType(type, value));
  }
  if (arith::IsBool(type)) return bits >> 63;
  const uint64_t value =
      edge ? ((bits >> 8) % 2 == 0 ? ~uint64_t{0} >> std::min(64 - type.bits + (type.is_int() ? 1 : 0), 63)
                                   : uint64_t{1} << (type.bits - 1))
           : bits >> 61;
  return static_cast<uint64_t>(arith::WrapToType(type, static_cast<int64_t>(value)));
}

void ArgumentMaker::Fill(Tensor& tensor) {
  const DataType type = tensor.dtype();
  std::byte* to = tensor.MutableBytes();
  for (int64_t i = 0; i < tensor.size(); ++i)
    arith::StoreWord(type, RandomWord(type), to + static_cast<size_t>(i) * type.bytes());
}

auto ArgumentMaker::Run() -> Result<std::vector<Argument>> {
  MatchNames();
  BindExtents();
  if (auto fault = BindByName()) return *std::move(fault);
  BindNumbers();
  std::vector<Argument> arguments;
  // Scalars come first: sizes of memory may depend on them.
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    const DataType type = terms_.dtype(input.var);
    if (arith::IsHandle(type)) continue;
    if (type.is_void()) continue;
    std::vector<int64_t> shape;
    if (type.lanes > 1) shape.push_back(type.lanes);
    Tensor tensor(arith::ElementOf(type), shape);
    random_ = SplitMix(options_.seed * 0x9E3779B97F4A7C15ULL + i);
    const auto number = numbers_.find(input.var);
    const Tensor* given = GivenFor(i);
    if (given != nullptr && given->dtype() == tensor.dtype() && given->size() == tensor.size())
      tensor = given->Reshaped(shape);
    else if (given != nullptr)
      return Bad(input, "the given tensor has another type or shape");
    else if (number != numbers_.end())
      arith::StoreWord(type, static_cast<uint64_t>(number->second), tensor.MutableBytes());
    else
      Fill(tensor);
    if (tensor.rank() == 0 && arith::IsInteger(type))
      numbers_[input.var] = static_cast<int64_t>(arith::LoadWord(type, tensor.bytes().data()));
    arguments.push_back({input.var, std::move(tensor)});
  }
  // All memory is planned before any is made: to fill it takes long, and it may be too large together.
  std::vector<Plan> plans;
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    if (!arith::IsHandle(terms_.dtype(input.var))) continue;
    const bool is_memory = input.buffer || terms_.var(input.var).type.kind == arith::VarType::Kind::kPointer;
    if (!is_memory) continue;
    RELAYOPT_TRY(Plan plan, PlanMemory(i));
    plans.push_back(std::move(plan));
  }
  for (const Plan& plan : plans) {
    RELAYOPT_TRY(Tensor tensor, MakeMemory(plan));
    arguments.push_back({program_.inputs[plan.position].var, std::move(tensor)});
  }
  std::vector<bool> fits(given_.size());
  for (const auto& given : given_for_) {
    if (given) fits[*given] = true;
  }
  for (size_t k = 0; k < given_.size(); ++k) {
    if (!fits[k]) return MakeDiagnostic(diag::kBadArgument, {}, given_[k].name, "no such input");
  }
  return arguments;
}

auto AreTheSameBits(DataType a, DataType b) -> bool {
  const auto is_small = [](DataType type) { return type.is_float() && type.code != TypeCode::kFloat; };
  return a.bits == b.bits && a.lanes == b.lanes && ((is_small(a) && b.is_uint()) || (a.is_uint() && is_small(b)));
}

auto SmallestNormal(DataType type) -> double { return type.code == TypeCode::kE4M3 ? 0x1p-6 : 0x1p-14; }

auto WithRealFloats(const Tensor& tensor) -> Tensor {
  const DataType type = tensor.dtype();
  if (!type.is_float() || type.bits != 8 || type.lanes != 1) return tensor;
  Tensor made(DataType::Float(32), {tensor.shape().begin(), tensor.shape().end()});
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const auto value = std::bit_cast<double>(arith::LoadWord(type, &tensor.bytes()[static_cast<size_t>(i)]));
    made.mutable_data<float>()[i] = static_cast<float>(value);
  }
  return made;
}

auto WithBitsAs(const Tensor& tensor, DataType type) -> Tensor {
  if (!AreTheSameBits(tensor.dtype(), type)) return tensor;
  Tensor made(type, {tensor.shape().begin(), tensor.shape().end()});
  std::copy(tensor.bytes().begin(), tensor.bytes().end(), made.MutableBytes());
  return made;
}

auto FitArguments(Evaluator& evaluator, GlobalId id, std::vector<Argument> arguments) -> Result<std::vector<Argument>> {
  const Program* program = ArgumentMaker::ProgramOf(evaluator, id);
  if (program == nullptr) return MakeDiagnostic(diag::kNotEvaluated, {}, "a function without a body");
  const Terms& terms = program->func->terms();
  Numbers numbers;
  for (const Argument& argument : arguments) {
    if (arith::IsInteger(terms.dtype(argument.var)) && argument.tensor.rank() == 0) {
      const DataType type = argument.tensor.dtype();
      numbers[argument.var] = static_cast<int64_t>(arith::LoadWord(type, argument.tensor.bytes().data()));
    }
  }
  absl::flat_hash_map<PrimExpr, Argument*> by_var;
  for (Argument& argument : arguments) by_var.try_emplace(argument.var, &argument);
  for (const Input& input : program->inputs) {
    const auto found = by_var.find(input.var);
    if (found == by_var.end() || !input.buffer) continue;
    const Buffer& buffer = program->func->tables().buffer(input.buffer);
    const auto layout = LayoutOf(terms, buffer, numbers);
    const Tensor& given = found->second->tensor;
    const DataType type = arith::ElementOf(buffer.dtype);
    const bool fits = layout && (given.dtype() == type || AreTheSameBits(given.dtype(), type)) &&
                      given.size() == layout->num_elements() * buffer.dtype.lanes;
    if (!fits)
      return MakeDiagnostic(diag::kBadArgument, {}, program->func->context().text(input.name), "another shape or type");
    std::vector<int64_t> shape = layout->shape;
    if (buffer.dtype.lanes > 1) shape.push_back(buffer.dtype.lanes);
    found->second->tensor = WithBitsAs(given, type).Reshaped(std::move(shape));
  }
  return arguments;
}

auto MakeArguments(Evaluator& evaluator, GlobalId id, std::span<const GivenTensor> given,
                   const ArgumentOptions& options) -> Result<std::vector<Argument>> {
  const Program* program = ArgumentMaker::ProgramOf(evaluator, id);
  if (program == nullptr) return MakeDiagnostic(diag::kNotEvaluated, {}, "a function without a body");
  return ArgumentMaker(*program, given, options).Run();
}

}  // namespace relayopt::tir
