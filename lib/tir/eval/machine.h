// The machine that runs programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/tir/eval/memory.h"
#include "lib/tir/eval/program.h"

namespace relayopt::tir {

// One thread of execution: registers, a position in the code, and the calls that wait for it.
struct Strand {
  struct Caller {
    const Program* program;
    uint32_t pc;
    std::vector<uint64_t> frame;
    size_t allocations;
    size_t actors;
    Reg result;
    DataType type;
  };
  const Program* program = nullptr;
  uint32_t pc = 0;
  std::vector<uint64_t> frame;
  std::vector<Caller> callers;
  // Memory to be freed; 0 for memory that is shared.
  std::vector<uint32_t> allocations;
  Actor actor;
  // What it was outside of the parallel loops that run.
  std::vector<Actor> actors;
  // Of a thread: its index in each dimension of the launch, and its number in the block.
  std::vector<int64_t> position;
  uint32_t number = 0;
  // The value of T.ret.
  std::vector<uint64_t> returned;
  DataType return_type = DataType::Void();
};

// Why a strand stopped.
enum class Stop : uint8_t { kReturned, kThreadEnd, kBarrier, kExchange, kAllReduce, kError };

inline constexpr uint32_t kWarpSize = 32;
inline constexpr size_t kMaxThreads = 4096;

class Machine {
 public:
  Machine(Evaluator& evaluator, const EvaluationLimits& limits)
      : evaluator_(evaluator), limits_(limits), memory_(limits.max_bytes) {}

  auto memory() -> MemoryPool& { return memory_; }
  // Runs the strand to its end; false after an error.
  auto Run(Strand& strand) -> bool { return Go(strand) != Stop::kError; }
  auto error() -> Diagnostic& { return *error_; }
  auto undefined() const -> const std::string& { return undefined_; }
  auto undefined_at() const -> SourceRange { return undefined_at_; }

 private:
  // What the threads of a block share.
  struct BlockState {
    const Launch* launch = nullptr;
    std::vector<int64_t> extents;
    std::vector<Strand> strands;
    std::vector<Stop> stops;
    // Whether each may go on; empty: all.
    std::vector<bool> runs;
    // By place of the allocation and what tells copies apart.
    absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> shared;
  };

  auto Go(Strand& strand) -> Stop;
  // One instruction that is not arithmetic; nothing while the strand goes on.
  auto Load(Strand& strand, const Instr& instr) -> bool;
  auto Store(Strand& strand, const Instr& instr) -> bool;
  // The bytes of an access; null after an error.
  auto Touch(Strand& strand, const Instr& instr, uint64_t pointer, int64_t element, size_t& begin) -> Memory*;
  auto Allocate(Strand& strand, const Instr& instr) -> bool;
  auto CallIntrinsic(Strand& strand, const CallSite& call) -> bool;
  auto CallExtern(Strand& strand, const CallSite& call) -> bool;
  auto CallFunction(Strand& strand, const CallSite& call) -> bool;
  auto Return(Strand& strand, const Instr& instr) -> bool;
  auto Back(Strand& strand, uint32_t target) -> bool;

  // Launches (launch.cpp).
  auto RunLaunch(Strand& strand, const Launch& launch) -> bool;
  auto RunBlock(BlockState& block) -> bool;
  auto Resume(BlockState& block) -> bool;
  auto ResumeWarps(BlockState& block, bool& resumed) -> bool;
  auto WaitTogether(const BlockState& block, size_t begin, size_t end) -> bool;
  void ExchangeLanes(BlockState& block, size_t begin, size_t end);
  auto ReduceThreads(BlockState& block) -> bool;
  auto ReduceGroup(BlockState& block, const AllReduce& reduce, const std::vector<size_t>& group) -> bool;

  // Stops the run with an error at the current instruction of the strand.
  template <typename... Args>
  auto Error(const Strand& strand, std::type_identity_t<KindFor<Args...>> kind, const Args&... args) -> bool;
  void NoteLoops(const Strand& strand, Diagnostic& error) const;
  void NoteUndefined(const Strand& strand, const char* what);
  // Whether the run goes on after a race, which is noted.
  auto AllowRace(const Strand& strand) -> bool;
  auto BufferName(const Strand& strand, const Memory& memory) const -> std::string;
  auto PlaceOf(const Strand& strand) const -> const Place& { return strand.program->places[strand.pc]; }

  Evaluator& evaluator_;
  EvaluationLimits limits_;
  MemoryPool memory_;
  uint64_t steps_ = 0;
  uint32_t launches_ = 0;
  BlockState* block_ = nullptr;
  absl::flat_hash_map<ConstantId, uint32_t> constants_;
  std::optional<Diagnostic> error_;
  std::string undefined_;
  SourceRange undefined_at_;
};

}  // namespace relayopt::tir
