// Runs tensor programs: copies arguments to memory and results back.
#include "relayopt/tir/eval/evaluator.h"

#include <algorithm>
#include <cstring>

#include "lib/tir/eval/layout.h"
#include "lib/tir/eval/machine.h"
#include "relayopt/tir/eval/arguments.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

namespace {

// Copies elements between a tensor and memory in which the buffer has strides: `copy(element, place)`, in elements with
// all their lanes.
template <typename Copy>
void ForEachElement(const Layout& layout, Copy&& copy) {
  std::vector<int64_t> index(layout.shape.size(), 0);
  const int64_t size = layout.num_elements();
  for (int64_t i = 0; i < size; ++i) {
    int64_t place = layout.offset;
    for (size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * layout.strides[axis];
    copy(static_cast<size_t>(i), static_cast<size_t>(place));
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < layout.shape[axis]) break;
      index[axis] = 0;
    }
  }
}

auto NumbersOf(const Terms& terms, std::span<const Argument> arguments) -> Numbers {
  Numbers numbers;
  for (const Argument& argument : arguments) {
    const DataType type = argument.tensor.dtype();
    if (!terms.is_var(argument.var) || !arith::IsInteger(terms.dtype(argument.var)) || argument.tensor.rank() != 0)
      continue;
    numbers[argument.var] = static_cast<int64_t>(arith::LoadWord(type, argument.tensor.bytes().data()));
  }
  return numbers;
}

}  // namespace

Evaluator::Evaluator(const Module& module, EvaluationLimits limits) : module_(module), limits_(limits) {}
Evaluator::~Evaluator() = default;

auto Evaluator::ProgramOf(GlobalId id) -> const Program* {
  const PrimFunc* func = module_.function<PrimFunc>(id);
  if (func == nullptr) return nullptr;
  auto& program = programs_[func];
  if (program == nullptr) program = Compile(module_, *func, limits_.eager_selects);
  return program.get();
}

auto Evaluator::FindSymbol(std::string_view symbol) -> GlobalId {
  if (symbols_.empty()) {
    for (const GlobalId id : module_.SortedFunctions<PrimFunc>()) {
      const StringId given = module_.function<PrimFunc>(id)->StringAttr("global_symbol");
      symbols_.try_emplace(std::string(given ? context().text(given) : module_.name(id)), id);
    }
  }
  const auto found = symbols_.find(std::string(symbol));
  return found == symbols_.end() ? GlobalId() : found->second;
}

auto Evaluator::InputsOf(GlobalId id) -> std::span<const Input> {
  const Program* program = ProgramOf(id);
  return program == nullptr ? std::span<const Input>() : program->inputs;
}

auto Evaluator::NumBarriers(GlobalId id) -> size_t {
  const Program* program = ProgramOf(id);
  if (program == nullptr) return 0;
  return static_cast<size_t>(std::count_if(program->code.begin(), program->code.end(),
                                           [](const Instr& instr) { return instr.op == OpCode::kBarrier; }));
}

auto Evaluator::EscapedOf(GlobalId id) -> std::span<const PrimExpr> {
  const Program* program = ProgramOf(id);
  return program == nullptr ? std::span<const PrimExpr>() : program->escaped;
}

namespace {

// The memory of an argument (0 if it is not a buffer), and its layout if that is known.
struct BoundArgument {
  uint32_t memory = 0;
  std::optional<Layout> layout;

  auto is_strided() const -> bool { return layout && !layout->is_compact; }
};

// Passes the arguments of a call to the machine, and reads the buffers among them afterwards.
class ArgumentPassing {
 public:
  ArgumentPassing(Machine& machine, const Program& program, const Numbers& numbers, size_t max_bytes)
      : machine_(machine), program_(program), func_(*program.func), numbers_(numbers), max_bytes_(max_bytes) {
    for (const Input& input : program.inputs) buffers_.try_emplace(input.var, input.buffer);
  }

  // Writes a number to its register, or a buffer to new memory.
  auto Pass(const Argument& argument, Strand& strand) -> Result<BoundArgument> {
    const auto& [var, tensor] = argument;
    const auto& regs =
        program_.packed && program_.packed_regs.contains(var) ? program_.packed_regs : program_.input_regs;
    const auto reg = regs.find(var);
    if (reg == regs.end()) return BoundArgument();
    if (arith::IsHandle(func_.terms().dtype(var))) return PassBuffer(argument, strand.frame[reg->second]);
    const DataType type = tensor.dtype();
    if (type != arith::ElementOf(func_.terms().dtype(var)) || tensor.size() != func_.terms().lanes(var))
      return Bad(var, "not a number of the variable's type");
    for (size_t lane = 0; lane < static_cast<size_t>(tensor.size()); ++lane)
      strand.frame[reg->second + lane] = arith::LoadWord(type, tensor.bytes().data() + lane * type.bytes());
    machine_.NoteIndexRange(strand, func_.terms().dtype(var), reg->second);
    return BoundArgument();
  }

  // Returns the content of a buffer, as the tensor that was given.
  auto Read(const BoundArgument& bound, const Tensor& given) const -> Tensor {
    const Memory& memory = machine_.memory()[bound.memory];
    Tensor made(given.dtype(), {given.shape().begin(), given.shape().end()});
    if (given.size() == 0) return made;
    if (bound.is_strided()) {
      const size_t size = given.num_bytes() / static_cast<size_t>(bound.layout->num_elements());
      std::byte* to = made.MutableBytes();
      ForEachElement(*bound.layout, [&](size_t element, size_t place) {
        std::memcpy(to + element * size, &memory.bytes[place * size], size);
      });
    } else {
      std::memcpy(made.MutableBytes(), memory.bytes.data(), given.num_bytes());
    }
    return made;
  }

 private:
  auto Bad(PrimExpr var, const char* what) const -> Diagnostic {
    return MakeDiagnostic(diag::kBadArgument, {}, func_.context().text(func_.terms().var(var).name), what);
  }

  auto PassBuffer(const Argument& argument, uint64_t& reg) -> Result<BoundArgument> {
    const auto& [var, tensor] = argument;
    BoundArgument bound;
    const DataType type = tensor.dtype();
    const auto input = buffers_.find(var);
    const BufferId id = input == buffers_.end() ? BufferId() : input->second;
    size_t count = tensor.num_bytes();
    if (id) {
      const Buffer& buffer = func_.tables().buffer(id);
      bound.layout = LayoutOf(func_.terms(), buffer, numbers_);
      if (!bound.layout) return Bad(var, "its shape has no value");
      const DataType element = arith::ElementOf(buffer.dtype);
      if (bound.layout->num_elements() * buffer.dtype.lanes != tensor.size() ||
          (type != element && !AreTheSameBits(type, element)))
        return Bad(var, "not a tensor of the buffer's type and shape");
      count = static_cast<size_t>(bound.layout->count) * type.bytes();
    }
    bound.memory = machine_.memory().Allocate(count, true);
    if (bound.memory == 0) return MakeDiagnostic(diag::kLimitReached, {}, max_bytes_, "bytes");
    Memory& memory = machine_.memory()[bound.memory];
    memory.var = var.value();
    if (bound.is_strided()) {
      const size_t size = type.bytes() * func_.tables().buffer(id).dtype.lanes;
      ForEachElement(*bound.layout, [&, &tensor = tensor](size_t element, size_t place) {
        std::memcpy(&memory.bytes[place * size], tensor.bytes().data() + element * size, size);
      });
    } else if (count != 0) {
      std::memcpy(memory.bytes.data(), tensor.bytes().data(), count);
    }
    reg = Pointer{bound.memory, 0}.word();
    return bound;
  }

  Machine& machine_;
  const Program& program_;
  const PrimFunc& func_;
  const Numbers& numbers_;
  size_t max_bytes_;
  // The buffers of the inputs.
  absl::flat_hash_map<PrimExpr, BufferId> buffers_;
};

}  // namespace

auto Evaluator::Call(GlobalId id, std::span<const Argument> arguments) -> Result<Outcome> {
  const Program* program = ProgramOf(id);
  if (program == nullptr) return MakeDiagnostic(diag::kNotEvaluated, {}, "a function without a body");
  const Numbers numbers = NumbersOf(program->func->terms(), arguments);
  Machine machine(*this, limits_);
  ArgumentPassing passing(machine, *program, numbers, limits_.max_bytes);
  Strand strand;
  strand.program = program;
  strand.frame = program->frame;
  std::vector<BoundArgument> bound;
  for (const Argument& argument : arguments) {
    RELAYOPT_TRY(bound.emplace_back(), passing.Pass(argument, strand));
  }
  if (program->packed) {
    const std::string_view why = machine.PassPacked(strand, numbers);
    if (!why.empty()) return MakeDiagnostic(diag::kNotEvaluated, {}, why);
  }
  if (!machine.Run(strand)) return machine.error();
  Outcome outcome;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (bound[i].memory == 0) continue;
    outcome.buffers.push_back({arguments[i].var, passing.Read(bound[i], arguments[i].tensor)});
    outcome.written.push_back(machine.memory()[bound[i].memory].is_stored);
  }
  if (program->packed) {
    if (!strand.return_type.is_void() && strand.returned[0] != 0)
      return MakeDiagnostic(diag::kAssertionFailed, {}, "a packed function returns an error");
    outcome.returned = machine.PackedResult();
  } else if (!strand.return_type.is_void() && !arith::IsHandle(strand.return_type)) {
    Tensor value(arith::ElementOf(strand.return_type), {});
    arith::StoreWord(strand.return_type, strand.returned[0], value.MutableBytes());
    outcome.returned = std::move(value);
  }
  outcome.calls = machine.TakeCalls();
  outcome.undefined = machine.undefined();
  outcome.undefined_at = machine.undefined_at();
  outcome.has_open_results_only = !outcome.undefined.empty() && machine.has_open_results_only();
  return outcome;
}

}  // namespace relayopt::tir
