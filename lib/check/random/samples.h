// Sample values of the expressions of a program that is being made.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// What expressions would be on made-up arguments. A call that has no defined value on them makes the rest of its
// program worth little: no pass can be judged by it.
class Samples {
 public:
  struct Sample {
    // The tensor, or the fields of a tuple of tensors.
    std::vector<Tensor> tensors;
    bool is_tuple = false;
  };

  explicit Samples(Context& context) : context_(context) {}

  // What the operator gives for samples of `args`; nothing where it has no kernel, fails, or leaves its result open,
  // and where floats leave the finite range.
  auto Run(const Function& function, const OpInstance& instance, std::span<const ExprId> args, TypeId result)
      -> std::optional<Sample>;
  void Set(ExprId id, Sample sample) { samples_.insert_or_assign(id.value(), std::move(sample)); }
  // `to` has the value of `from`.
  void Copy(ExprId from, ExprId to);

 private:
  // Null where no value can be made.
  auto Of(const Function& function, ExprId id) -> const Sample*;
  auto Make(TypeId type) -> std::optional<Sample>;

  Context& context_;
  absl::flat_hash_map<uint32_t, Sample> samples_;
};

}  // namespace relayopt
