// Evaluates one operator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/op_instance.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Limits of the evaluation of one operator; exceeding one is an error.
struct KernelLimits {
  // The size of the largest tensor that may be made, in bytes.
  size_t max_tensor_bytes = size_t{1} << 30;
  // The operations on elements, as WorkOf bounds them, in steps.
  uint64_t max_steps = uint64_t{1} << 20;
};

// The operations on elements that count as one step.
inline constexpr uint64_t kWorkOfStep = uint64_t{1} << 14;

// The result of an operator.
struct KernelResult {
  // The result; its fields when it is a tuple.
  std::vector<Tensor> tensors;
  bool is_tuple = false;
  // Why TVM leaves the result undefined; empty if it does not. See KernelContext::MarkUndefined.
  std::string undefined;
  // Its cost.
  uint64_t steps = 0;
};

// Whether the operator only marks, places or observes its argument and returns it. Evaluation needs no kernel for such
// operators.
auto PassesThrough(const OpDef& op) -> bool;

// Evaluates the operator on these inputs. `type` is the inferred type of the call, or invalid; where it has unknown
// extents it is inferred again from the inputs. An error for a missing kernel, for element types other than floats and
// integers of up to 64 bits, for tensors above the limit, and for work above the limit (diag::kTooManySteps).
auto RunKernel(Context& context, const OpInstance& instance, std::span<const KernelInput> inputs, TypeId type,
               const KernelLimits& limits = {}) -> Result<KernelResult>;

}  // namespace relayopt
