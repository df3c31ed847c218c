// The machine that runs programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/tir/eval/layout.h"
#include "lib/tir/eval/memory.h"
#include "lib/tir/eval/program.h"

namespace relayopt::tir {

// One thread of execution: registers, a position in the code, and the calls that wait for it.
struct Strand {
  // How a function was called.
  enum class CallKind : uint8_t { kPlain, kPacked, kKernel };
  struct Caller {
    const Program* program;
    uint32_t pc;
    std::vector<uint64_t> frame;
    size_t allocations;
    size_t scratch;
    size_t actors;
    Reg result;
    DataType type;
    CallKind kind = CallKind::kPlain;
    // For a packed function: the memory for its result, and the result.
    uint32_t result_memory = 0;
  };
  const Program* program = nullptr;
  uint32_t pc = 0;
  std::vector<uint64_t> frame;
  std::vector<Caller> callers;
  // Memory to be freed; 0 for memory that is shared.
  std::vector<uint32_t> allocations;
  // Memory that is freed when the function returns.
  std::vector<uint32_t> scratch;
  // The launch of a kernel: extents by the tags of their dimensions.
  std::vector<std::pair<std::string, int64_t>> launch_args;
  bool is_kernel = false;
  Actor actor;
  // The actors outside of the running parallel loops.
  std::vector<Actor> actors;
  // For a thread: its index in each dimension of the launch, and its number in the block.
  std::vector<int64_t> position;
  uint32_t number = 0;
  // In lockstep: the store that comes next may be made.
  bool may_store = false;
  // The value of T.ret.
  std::vector<uint64_t> returned;
  DataType return_type = DataType::Void();
};

// Why a strand stopped.
enum class Stop : uint8_t { kReturned, kThreadEnd, kBarrier, kExchange, kWarp, kAllReduce, kStep, kError };

inline constexpr size_t kMaxThreads = 4096;

class Machine {
 public:
  Machine(Evaluator& evaluator, const EvaluationLimits& limits)
      : evaluator_(evaluator), limits_(limits), memory_(limits.max_bytes) {}

  // With EvaluationLimits::assume_index_range: notes a value near the end of its type in the registers from `first` on.
  void NoteIndexRange(const Strand& strand, DataType type, Reg first);
  auto memory() -> MemoryPool& { return memory_; }
  // Runs the strand to its end; false after an error.
  auto Run(Strand& strand) -> bool { return Go(strand) != Stop::kError; }
  auto error() -> Diagnostic& { return *error_; }
  // Passes the values that the strand's frame has for the inputs of a packed function in its convention
  // (packed_calls.cpp). Why not, where they cannot be passed.
  auto PassPacked(Strand& strand, const Numbers& numbers) -> std::string_view;
  // Returns the result of the packed function, if there is one.
  auto PackedResult() -> std::optional<Tensor>;
  auto TakeCalls() -> std::vector<std::string> { return std::move(calls_); }
  auto undefined() const -> const std::string& { return undefined_; }
  auto undefined_at() const -> SourceRange { return undefined_at_; }
  auto has_open_results_only() const -> bool { return has_open_results_only_; }

 private:
  // The state that the threads of a block share.
  struct BlockState {
    const Launch* launch = nullptr;
    std::vector<int64_t> extents;
    std::vector<Strand> strands;
    std::vector<Stop> stops;
    // Whether each may continue; empty: all.
    std::vector<bool> runs;
    // Keyed by the position of the allocation, and the number of the copy.
    absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> shared;
  };

  auto Go(Strand& strand) -> Stop;
  // Single instructions of Go. False after an error.
  auto Calculate(Strand& strand, const Instr& instr) -> bool;
  auto Pick(Strand& strand, const Instr& instr) -> bool;
  auto CheckIndices(Strand& strand, const Instr& instr) -> bool;
  auto PlaceConstant(Strand& strand, const Instr& instr) -> bool;
  auto AllocateScratch(Strand& strand, const Instr& instr) -> bool;
  auto FreeScratch(Strand& strand, const Instr& instr) -> bool;
  auto ReadThreadIndex(Strand& strand, const Instr& instr) -> bool;
  auto CheckDomain(Strand& strand, const Instr& instr) -> bool;
  void MoveAddress(Strand& strand, const Instr& instr);
  // kThreadEnd: the strand goes on.
  auto StoreInStep(Strand& strand, const Instr& instr) -> Stop;
  // One instruction that is not arithmetic; nothing while the strand goes on.
  auto Load(Strand& strand, const Instr& instr) -> bool;
  auto Store(Strand& strand, const Instr& instr) -> bool;
  // Returns the bytes of an access, or null after an error.
  auto Touch(Strand& strand, const Instr& instr, uint64_t pointer, int64_t element, size_t& begin) -> Memory*;
  // Records that bytes are read, or that an element becomes `word`. Returns false after an error.
  auto NoteRead(Strand& strand, const Instr& instr, Memory& memory, size_t begin, size_t end) -> bool;
  auto PutElement(Strand& strand, const Instr& instr, Memory& memory, size_t at, uint64_t word) -> bool;
  auto Allocate(Strand& strand, const Instr& instr) -> bool;
  auto CallIntrinsic(Strand& strand, const CallSite& call) -> bool;
  auto CallExtern(Strand& strand, const CallSite& call) -> bool;
  auto CopyBytes(Strand& strand, uint64_t to, uint64_t from, uint64_t count) -> bool;
  auto CallFunction(Strand& strand, const CallSite& call) -> bool;
  auto Return(Strand& strand, const Instr& instr) -> Stop;

  // Packed functions and the functions of the runtime (packed_calls.cpp).
  struct PackedValue {
    uint64_t word = 0;
    int code = kArgNull;
  };
  auto CallPacked(Strand& strand, const PackedCall& call) -> bool;
  auto CallPackedFunction(Strand& strand, const PackedCall& call, const Program& callee,
                          const std::vector<PackedValue>& args) -> bool;
  auto CallKernel(Strand& strand, const PackedCall& call, const Program& callee, const std::vector<PackedValue>& args)
      -> bool;
  // A function of the module that is not packed.
  auto CallPlain(Strand& strand, const PackedCall& call, const Program& callee, const std::vector<PackedValue>& args)
      -> bool;
  // Functions that copy tensors (copy_calls.cpp).
  struct PassedTensor;
  static auto IsCopyFunction(const PrimFunc& func, std::string_view name) -> bool;
  auto ReadTensor(Strand& strand, uint64_t pointer) -> std::optional<PassedTensor>;
  auto CopyTensor(Strand& strand, const PackedCall& call, const std::vector<PackedValue>& args) -> bool;
  auto NoteCall(Strand& strand, const PackedCall& call, const std::vector<PackedValue>& args) -> bool;
  auto TextOf(const PackedValue& value) -> std::string;
  auto PackedArguments(Strand& strand, const PackedCall& call, std::vector<PackedValue>& args) -> bool;
  auto GetField(Strand& strand, const Instr& instr) -> bool;
  auto SetField(Strand& strand, const Instr& instr) -> bool;
  // Allocates memory with these bytes that lives until the function returns. Returns 0 after an error.
  auto AddScratch(Strand& strand, const std::vector<std::byte>& bytes) -> uint32_t;
  auto AddTensor(Strand& strand, const PackedSignature& signature, const PackedArg& arg, uint64_t data,
                 const Numbers& numbers) -> uint64_t;
  // Gives the frame of a packed function its parameters.
  auto PassArrays(Strand& strand, const Program& callee, std::vector<uint64_t>& frame,
                  const std::vector<PackedValue>& args) -> uint32_t;
  // Returns the stored result, converted to the type.
  auto TakeResult(uint32_t memory, DataType type) -> std::optional<uint64_t>;
  // Begins a call. False, after an error, if that exceeds a limit.
  auto Enter(Strand& strand, const Program& callee, std::vector<uint64_t> frame, Strand::Caller caller) -> bool;
  // Whether the dimensions in the kernel equal those of its launch.
  auto CheckLaunch(Strand& strand, const Launch& launch) -> bool;
  auto Back(Strand& strand, uint32_t target) -> bool;
  // False, after an error, if so many further iterations of the steady loop that the strand is at the end of take more
  // steps than are left.
  auto CanFinish(const Strand& strand, uint64_t iterations) -> bool;
  // Counts steps that are about to be made. False, after an error, if that exceeds a limit.
  auto Spend(const Strand& strand, uint64_t steps) -> bool;

  // Fragments of matrices (matrix.cpp).
  auto CallMatrix(Strand& strand, const CallSite& call) -> bool;
  auto MultiplyMatrices(Strand& strand, const CallSite& call) -> bool;
  auto ReadElement(Strand& strand, DataType type, uint64_t pointer, int64_t element, uint64_t& word) -> bool;
  auto WriteElement(Strand& strand, DataType type, uint64_t pointer, int64_t element, uint64_t word) -> bool;

  // Matrices in the registers of a warp (warp_calls.cpp).
  auto CallWarp(BlockState& block, std::span<const size_t> group) -> bool;
  auto MultiplyInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool;
  auto LoadInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool;
  auto LoadBytesInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool;
  auto StoreInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool;
  auto ReadFragment(Strand& strand, const WarpOperand& from, DataType type, std::span<uint64_t> words) -> bool;
  auto ReadBytes(Strand& strand, uint64_t pointer, int64_t begin, std::span<std::byte> bytes) -> bool;

  // Launches (launch.cpp).
  auto RunLaunch(Strand& strand, const Launch& launch) -> bool;
  auto RunBlock(BlockState& block) -> bool;
  auto Step(BlockState& block) -> bool;
  auto Resume(BlockState& block) -> bool;
  auto ResumeWarps(BlockState& block, bool& resumed) -> bool;
  auto WaitTogether(const BlockState& block, size_t begin, size_t end) -> bool;
  void ExchangeLanes(BlockState& block, std::span<const size_t> group);
  auto ReduceThreads(BlockState& block) -> bool;
  auto ReduceGroup(BlockState& block, const AllReduce& reduce, const std::vector<size_t>& group) -> bool;

  // Stops the run with an error at the current instruction of the strand.
  template <typename... Args>
  auto Error(const Strand& strand, std::type_identity_t<KindFor<Args...>> kind, const Args&... args) -> bool;
  void NoteLoops(const Strand& strand, Diagnostic& error) const;
  void NoteUndefined(const Strand& strand, const char* what);
  // With EvaluationLimits::disturbance: changes small floats in the registers from `first` on.
  void Disturb(DataType type, uint64_t* first);
  // Returns what a loaded float of 8 bits may be taken for.
  auto DisturbLoaded(DataType type, uint64_t word) -> uint64_t;
  static auto HasIndexNearEnd(const Strand& strand, DataType type, Reg first) -> bool;
  // Notes that the result of an intrinsic is open, and gives it the value that EvaluationLimits::open_value selects.
  void NoteOpen(const Strand& strand, arith::Lanes result);
  // Records a race. Returns whether the run continues.
  auto AllowRace(const Strand& strand) -> bool;
  auto BufferName(const Strand& strand, const Memory& memory) const -> std::string;
  auto PlaceOf(const Strand& strand) const -> const Place& { return strand.program->places[strand.pc]; }

  Evaluator& evaluator_;
  EvaluationLimits limits_;
  MemoryPool memory_;
  // The number of values that were disturbed.
  uint64_t num_disturbed_ = 0;
  uint64_t steps_ = 0;
  // Registers in the frames of the calls that wait.
  size_t waiting_registers_ = 0;
  uint32_t launches_ = 0;
  BlockState* block_ = nullptr;
  absl::flat_hash_map<ConstantId, uint32_t> constants_;
  // The memory for the result of the packed function that is run.
  uint32_t result_memory_ = 0;
  std::optional<Diagnostic> error_;
  std::vector<std::string> calls_;
  std::string undefined_;
  SourceRange undefined_at_;
  bool has_open_results_only_ = true;
};

}  // namespace relayopt::tir
