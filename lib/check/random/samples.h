// Sample values of the expressions of a program that is being generated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Sample values of the generated expressions, computed from random arguments. A call without a defined value makes the
// rest of its program useless for checking passes.
class Samples {
 public:
  struct Sample {
    // The tensor, or the fields of a tuple of tensors.
    std::vector<Tensor> tensors;
    bool is_tuple = false;
  };

  explicit Samples(Context& context) : context_(context) {}

  // Returns the result of the operator on the samples of `args`, or nothing if it has no kernel, fails or is undefined,
  // and when floats become infinite or NaN.
  auto Run(const Function& function, const OpInstance& instance, std::span<const ExprId> args, TypeId result)
      -> std::optional<Sample>;
  void Set(ExprId id, Sample sample) { samples_.insert_or_assign(id.value(), std::move(sample)); }
  // Gives `to` the value of `from`.
  void Copy(ExprId from, ExprId to);

 private:
  // Returns null if no value can be made.
  auto Of(const Function& function, ExprId id) -> const Sample*;
  auto Make(TypeId type) -> std::optional<Sample>;

  Context& context_;
  absl::flat_hash_map<uint32_t, Sample> samples_;
};

}  // namespace relayopt
