// Evaluating one operator on values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/op_instance.h"
#include "relayopt/support/result.h"

namespace relayopt {

struct KernelLimits {
  // The largest tensor that may be made.
  size_t max_tensor_bytes = size_t{1} << 30;
};

struct KernelResult {
  // The result, or its fields where it is a tuple.
  std::vector<Tensor> tensors;
  bool is_tuple = false;
  // Why the reference leaves the result open; empty when it does not. See KernelContext::MarkUndefined.
  std::string undefined;
};

// Whether the operator marks, places or observes a value of any kind and gives it back: evaluation does without a
// kernel then.
auto PassesThrough(const OpDef& op) -> bool;

// The result of the operator on these inputs. `type` is the inferred type of
// the call, or none; where it has extents that are not known it is inferred anew from the inputs. Integers of any width
// up to 64 bits are computed with; other element types and tensors above the limit are errors, as is a missing kernel.
auto RunKernel(Context& context, const OpInstance& instance, std::span<const KernelInput> inputs, TypeId type,
               const KernelLimits& limits = {}) -> Result<KernelResult>;

}  // namespace relayopt
