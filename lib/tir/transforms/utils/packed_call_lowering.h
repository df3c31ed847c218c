// Calls with packed arguments as statements that fill stacks, and calls that name parts of the stacks.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// How many elements of each stack are in use.
struct StackSizes {
  // -1: no shape at all, which is not the same as shapes without extents.
  int64_t shape = -1;
  int64_t array = 0;
  int64_t argument = 0;
};

// The stacks of a function body, or of the body of a parallel loop.
struct StackFrame {
  StackSizes used;
  StackSizes most;
  // Created when their sizes are known; none before.
  BufferId shape;
  BufferId code;
  PrimExpr array;
  PrimExpr value;
};

// Lowers the packed calls in expressions, with a stack of frames. After a frame is opened, the calls in it are first
// counted, and then lowered in the same order.
class PackedCallLowering {
 public:
  explicit PackedCallLowering(StmtBuilder& builder);

  // The device for arrays and for methods of devices; invalid if it is not specified.
  PrimExpr device_type;
  PrimExpr device_id;

  // Opens a frame. It will be large enough for everything that is counted until it is sealed.
  void OpenFrame() { frames_.emplace_back(); }
  void Count(PrimExpr expr);
  void SealFrame();
  // Returns the body with the stacks of the innermost frame around it, and closes the frame.
  auto CloseFrame(StmtId body) -> StmtId;

  // Returns the expression with its calls lowered. Statements that have to run before it are appended to `before`.
  auto Lower(PrimExpr expr, SourceRange range, std::vector<StmtId>& before) -> PrimExpr;

  // Returns a packed call of the method of the device, such as `device_api.cuda.alloc_nd`.
  auto CallMethod(DataType type, std::string_view method, std::vector<PrimExpr> args, SourceRange range) -> PrimExpr;
  // Records the error that there is no device, if so.
  auto RequireDevice(SourceRange range) -> bool;

  auto fault() -> std::optional<Diagnostic>& { return fault_; }

 private:
  enum class Role : uint8_t { kNone, kPacked, kCPacked, kTrace, kShape, kArray, kContextId, kDma };
  // A term whose operands are being lowered.
  struct Step {
    PrimExpr expr;
    Role role = Role::kNone;
    StackSizes before = {};
    size_t next = 0;
    size_t first = 0;
  };

  auto RoleOf(PrimExpr expr) const -> Role;
  auto HoldsCall(PrimExpr expr) -> bool;
  auto Run(PrimExpr expr) -> PrimExpr;
  auto Open(PrimExpr expr, size_t first) -> Step;
  auto Close(const Step& step, std::span<const PrimExpr> operands) -> PrimExpr;
  auto IsOutsideOfCall(const Step& step) -> bool;
  auto MakeShape(const Step& step, std::span<const PrimExpr> extents) -> PrimExpr;
  auto MakeArray(const Step& step, std::span<const PrimExpr> args) -> PrimExpr;
  auto MakeCall(const Step& step, std::span<const PrimExpr> args) -> PrimExpr;
  void SetArgument(PrimExpr arg, int64_t at, bool is_trace);
  void SetStruct(PrimExpr structs, int64_t index, int field, PrimExpr value);
  void Fail(Diagnostic fault) {
    if (!fault_) fault_ = std::move(fault);
  }
  auto frame() -> StackFrame& { return frames_.back(); }

  StmtBuilder& builder_;
  Terms& terms_;
  Tables& tables_;
  std::vector<StackFrame> frames_;
  absl::flat_hash_map<arith::CallOpId, Role> roles_;
  arith::CallOpId struct_get_;
  // Whether there is a call of interest in a term.
  absl::flat_hash_map<PrimExpr, bool> holds_;
  // The destination of statements; null while calls are only counted.
  std::vector<StmtId>* before_ = nullptr;
  SourceRange range_;
  std::optional<Diagnostic> fault_;
};

}  // namespace relayopt::tir
