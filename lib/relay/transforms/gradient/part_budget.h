// A limit on the size of gradients, which are written out for every field of a tuple.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Gradients take values apart tensor by tensor (MapTensors), again at every use. Tuples in tuples make quadratically
// much of that, and shared ones exponentially much, because types share parts. So there is an end at a million parts,
// and a hundred for each expression of the function that is differentiated.
class PartBudget {
 public:
  explicit PartBudget(const Function& function)
      : context_(function.context()), left_(kLeast + kForEach * function.size()), all_(left_) {}

  // To be asked before the parts of a type are written out. The error when they are too many.
  auto Charge(TypeId type, SourceRange range) -> std::optional<Diagnostic>;

 private:
  static constexpr uint64_t kLeast = 1'000'000;
  static constexpr uint64_t kForEach = 100;

  // How many tuples and other values a value of this type is made of. Each type is looked at once; saturates.
  auto CountParts(TypeId type) -> uint64_t;

  const Context& context_;
  uint64_t left_;
  uint64_t all_;
  absl::flat_hash_map<TypeId, uint64_t> counts_;
  std::vector<TypeId> stack_;
};

}  // namespace relayopt
