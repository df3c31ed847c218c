// The attributes of functions that mean something to passes: their names, and what they say of a function.
#pragma once

#include <string_view>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

namespace attr {

// Of kernels, which passes made of several operators: 1.
inline constexpr std::string_view kPrimitive = "Primitive";
// Of a kernel that only reshapes: 1.
inline constexpr std::string_view kReshapeOnly = "relay.reshape_only";
// The external compiler that a function is for.
inline constexpr std::string_view kCompiler = "Compiler";
// The name under which an external compiler finds a function.
inline constexpr std::string_view kGlobalSymbol = "global_symbol";
// A function without a body of ours: 1.
inline constexpr std::string_view kExtern = "Extern";
// Function passes leave it alone: 1.
inline constexpr std::string_view kSkipOptimization = "SkipOptimization";
// Inline replaces its calls: 1.
inline constexpr std::string_view kInline = "Inline";
// Made by LambdaLift, returns a function: 1.
inline constexpr std::string_view kClosure = "Closure";
// The pattern of an accelerator that a function stands for, `dnnl.conv2d_relu`.
inline constexpr std::string_view kComposite = "Composite";
// The operators of the pattern that the function was cut out by.
inline constexpr std::string_view kPartitionedFromPattern = "PartitionedFromPattern";
// What distinguishes the kernel from others of the module, see LabelOps.
inline constexpr std::string_view kHash = "hash";

}  // namespace attr

// Of any expression; what is no function has none of the attributes.

// Whether it is a kernel of ours: it has `Primitive` (not 0).
inline auto IsPrimitive(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kFunction && function.IntAttr(id, attr::kPrimitive) != 0;
}
// The external compiler that the function is for; none without one.
inline auto CompilerAttr(const Function& function, ExprId id) -> StringId {
  return function.kind(id) == ExprKind::kFunction ? function.StringAttr(id, attr::kCompiler) : StringId();
}
// Whether it is launched as a whole: it is a kernel, or it is for an external compiler.
inline auto IsKernel(const Function& function, ExprId id) -> bool {
  return IsPrimitive(function, id) || CompilerAttr(function, id);
}
// The pattern of an accelerator that the function stands for; none without one.
inline auto CompositeAttr(const Function& function, ExprId id) -> StringId {
  return function.kind(id) == ExprKind::kFunction ? function.StringAttr(id, attr::kComposite) : StringId();
}
// Whether the function was cut out by a pattern.
inline auto IsPartition(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kFunction && function.FindAttr(id, attr::kPartitionedFromPattern);
}

// Of global functions.

// Whether somebody else compiles the function: it has `Compiler`, or `Extern` (not 0).
auto IsExternal(const Function& function) -> bool;
// Whether function passes leave it alone: it is external, or has `SkipOptimization` (not 0).
auto IsSkippedByFunctionPasses(const Function& function) -> bool;

}  // namespace relayopt
