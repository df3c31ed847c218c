// The attributes of functions that passes understand: their names, and queries about them.
#pragma once

#include <string_view>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

namespace attr {

// 1 for kernels, which passes make from several operators.
inline constexpr std::string_view kPrimitive = "Primitive";
// 1 for a kernel that only reshapes.
inline constexpr std::string_view kReshapeOnly = "relay.reshape_only";
// The name of the external compiler that compiles the function.
inline constexpr std::string_view kCompiler = "Compiler";
// The name by which an external compiler knows the function.
inline constexpr std::string_view kGlobalSymbol = "global_symbol";
// 1 for a function that is implemented elsewhere.
inline constexpr std::string_view kExtern = "Extern";
// 1 when function passes must not change the function.
inline constexpr std::string_view kSkipOptimization = "SkipOptimization";
// 1 when Inline replaces its calls by its body.
inline constexpr std::string_view kInline = "Inline";
// 1 for a function made by LambdaLift that returns a function.
inline constexpr std::string_view kClosure = "Closure";
// The name of the accelerator pattern that the function implements, such as `dnnl.conv2d_relu`.
inline constexpr std::string_view kComposite = "Composite";
// The operators of the pattern that the function was cut out by.
inline constexpr std::string_view kPartitionedFromPattern = "PartitionedFromPattern";
// A hash that distinguishes the kernel from others of the module; see LabelOps.
inline constexpr std::string_view kHash = "hash";

}  // namespace attr

// Queries about any expression; expressions that are not functions have no attributes.

// Whether it is a kernel of ours: `Primitive` is set and not 0.
inline auto IsPrimitive(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kFunction && function.IntAttr(id, attr::kPrimitive) != 0;
}
// Returns the external compiler of the function, or invalid if there is none.
inline auto CompilerAttr(const Function& function, ExprId id) -> StringId {
  return function.kind(id) == ExprKind::kFunction ? function.StringAttr(id, attr::kCompiler) : StringId();
}
// Whether it is launched as a whole: it is a kernel, or is compiled by an external compiler.
inline auto IsKernel(const Function& function, ExprId id) -> bool {
  return IsPrimitive(function, id) || CompilerAttr(function, id);
}
// Returns the accelerator pattern that the function implements, or invalid if there is none.
inline auto CompositeAttr(const Function& function, ExprId id) -> StringId {
  return function.kind(id) == ExprKind::kFunction ? function.StringAttr(id, attr::kComposite) : StringId();
}
// Whether the function was cut out by a pattern.
inline auto IsPartition(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kFunction && function.FindAttr(id, attr::kPartitionedFromPattern);
}

// Queries about global functions.

// Whether the function is compiled elsewhere: it has `Compiler`, or `Extern` is set and not 0.
auto IsExternal(const Function& function) -> bool;
// Whether function passes must not change it: it is external, or `SkipOptimization` is set and not 0.
auto IsSkippedByFunctionPasses(const Function& function) -> bool;

}  // namespace relayopt
