// Constant folding for passes that emit calls on constants.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

class Module;
class PassContext;
class Rebuild;

// A part of the context: whether constants of its modules must not grow. Then a call stays when its result takes more
// bytes than its operands and a node; or, of operands of less than 128 bytes, more than 1 KiB. A chain of calls counts
// as one when its result is not larger than its nodes and the constants that only it uses. Thread-safe.
class FoldingLimit {
 public:
  explicit FoldingLimit(Context&) {}

  void Set() { is_set_.store(true, std::memory_order_relaxed); }
  auto is_set() const -> bool { return is_set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_ = false;
};

// Which operators are folded.
struct FoldOptions {
  // Whether to fold quantized operators, too.
  bool fold_qnn = false;
  // Whether to fold operators of the dyn family, too. Their results lose the information of their types.
  bool fold_dynamic = true;
  // The size of the largest constant that may be made, in bytes.
  static constexpr int64_t kMaxBytes = int64_t{1} << 30;
  size_t max_bytes = kMaxBytes;
  // Whether the call may be folded in spite of FoldingLimit.
  bool ignores_limit = false;
};

// Whether FoldConstant may evaluate the operator: it has arguments, a kernel and no state, and computes something.
auto IsFoldable(const OpDef& op, const FoldOptions& options = {}) -> bool;

// Whether the type of a call says that its result is too large for being a constant, where its operands have `given`
// bytes: known before anything is copied or computed.
auto IsTooLargeToFold(const Context& context, const OpDef& op, size_t given, TypeId type, const FoldOptions& options)
    -> bool;

// Evaluates a call of a foldable operator; returns nothing if that fails, or when the result is undefined or too large.
auto EvaluateForFolding(Context& context, const OpInstance& instance, std::span<const KernelInput> inputs, TypeId type,
                        const FoldOptions& options = {}) -> std::optional<KernelResult>;

// Whether the operator asks for the extents of its operand, as shape_of does.
auto IsShapeQuery(const OpDef& op) -> bool;
// Returns the result of a shape query for a tensor with these extents, or nothing if a number does not fit the type
// that the attributes ask for.
auto EvaluateShapeQuery(Context& context, const OpInstance& instance, std::span<const int64_t> extents)
    -> std::optional<Tensor>;

// Emits a typed constant with the value of the tensor.
auto EmitConstant(FunctionBuilder& to, const Tensor& tensor) -> ExprId;

// Folds the expression `id` of `to`, when it is a call of an operator on constants and tuples of constants, or a
// projection from a tuple of constants; returns `id` for anything else. Looks only at the expression itself: this
// suffices for a pass that folds whatever it emits.
auto FoldCall(FunctionBuilder& to, ExprId id, const FoldOptions& options = {}) -> ExprId;

// Emits a call of `op` as EmitCall does, and folds it.
auto EmitFolded(FunctionBuilder& to, const OpDef* op, std::span<const ExprId> args, AttrsId attrs = {}) -> ExprId;
inline auto EmitFolded(FunctionBuilder& to, const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs = {})
    -> ExprId {
  return EmitFolded(to, op, std::span(args.begin(), args.size()), attrs);
}

// Keeps a function up to date while it is rewritten: what uses an expression that has become a constant, or has got a
// better known type, is inferred again, and computed where it can be, so that a chain of shapes that depend on each
// other takes one walk. One for each walk over `function`, which must outlive it.
class OperandRefresher {
 public:
  explicit OperandRefresher(const Function& function);

  // Emits the call, tuple or projection `id` of the old function again, with its new operands. Returns invalid, and
  // emits nothing, if these are known as well as before, or if it is another kind of expression.
  auto Refresh(Rebuild& rebuild, ExprId id) const -> ExprId;

 private:
  auto HasBetterOperand(Rebuild& rebuild, ExprId id) const -> bool;
  auto FoldShapeQuery(Rebuild& rebuild, ExprId id) const -> ExprId;

  const Function& function_;
  // Whether an operand that is no longer evaluated may lose effects.
  bool has_effects_ = false;
};

// Runs the pass on one function: returns the folded function, or nothing if nothing folds. `module` is the module that
// the running pass was given.
auto FoldConstants(const Module& module, const Function& function, const FoldOptions& options, PassContext& context)
    -> std::optional<Function>;

}  // namespace relayopt
