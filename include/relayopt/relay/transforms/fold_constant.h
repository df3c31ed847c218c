// Folding calls of operators on constants, for passes that emit such calls.
#pragma once

#include <optional>
#include <span>

#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

class Module;
class PassContext;

struct FoldOptions {
  // Fold quantized operators too.
  bool fold_qnn = false;
  // Fold operators of the dyn family, whose results lose what their types could say of them, too.
  bool fold_dynamic = true;
  // The largest constant that may be made.
  size_t max_bytes = size_t{1} << 30;
};

// Whether FoldConstant evaluates calls of the operator on constants: it has arguments and a kernel, no state, and
// computes something.
auto IsFoldable(const OpDef& op, const FoldOptions& options = {}) -> bool;

// The result of a call of a foldable operator; nothing when it cannot be evaluated, is undefined or too large.
auto EvaluateForFolding(Context& context, const OpInstance& instance, std::span<const KernelInput> inputs, TypeId type,
                        const FoldOptions& options = {}) -> std::optional<KernelResult>;

// Whether the operator asks for the extents of its operand: shape_of and its like.
auto IsShapeQuery(const OpDef& op) -> bool;
// Its result for a tensor of these extents; nothing when a number does not fit the type that the attributes ask for.
auto EvaluateShapeQuery(Context& context, const OpInstance& instance, std::span<const int64_t> extents)
    -> std::optional<Tensor>;

// Emits a constant that holds the tensor, typed.
auto EmitConstant(FunctionBuilder& to, const Tensor& tensor) -> ExprId;

// What the expression `id` of `to`, a call of an operator or a projection, folds to: a constant, or a tuple of
// constants, when its operands are constants or tuples of constants; the field, when it projects a literal tuple of
// constants; else `id`. Looks at the expression itself only, not into its operands: a pass that folds whatever it emits
// needs no more.
auto FoldCall(FunctionBuilder& to, ExprId id, const FoldOptions& options = {}) -> ExprId;

// Emits a call of `op` as EmitCall does, folded.
auto EmitFolded(FunctionBuilder& to, const OpDef* op, std::span<const ExprId> args, AttrsId attrs = {}) -> ExprId;
inline auto EmitFolded(FunctionBuilder& to, const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs = {})
    -> ExprId {
  return EmitFolded(to, op, std::span(args.begin(), args.size()), attrs);
}
// The same with the attributes as their struct.
template <typename A>
auto EmitFoldedWith(FunctionBuilder& to, const OpDef* op, const A& attrs, std::initializer_list<ExprId> args)
    -> ExprId {
  return EmitFolded(to, op, args, to.context().InternAttrs(attrs));
}

// The pass as a function: the function with everything folded, or nothing when it stays as it is. `module` is the one
// that the running pass was given.
auto FoldConstants(const Module& module, const Function& function, const FoldOptions& options, PassContext& context)
    -> std::optional<Function>;

}  // namespace relayopt
