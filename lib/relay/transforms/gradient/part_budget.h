// A limit on the size of gradients, which are written out for every field of a tuple.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Gradients take values apart tensor by tensor (MapTensors), again at every use. Nested tuples cause quadratic, and
// shared ones exponential work, because types share parts. Therefore the limit is a million parts, and a hundred for
// each expression of the function that is differentiated.
class PartBudget {
 public:
  explicit PartBudget(const Function& function)
      : context_(function.context()), left_(kLeast + kForEach * function.size()), all_(left_) {}

  // Must be called before the parts of a type are written out. Returns an error if there are too many.
  auto Charge(TypeId type, SourceRange range) -> std::optional<Diagnostic>;

 private:
  static constexpr uint64_t kLeast = 1'000'000;
  static constexpr uint64_t kForEach = 100;

  // The number of tuples and other values in a value of this type. Each type is visited once; saturates.
  auto CountParts(TypeId type) -> uint64_t;

  const Context& context_;
  uint64_t left_;
  uint64_t all_;
  absl::flat_hash_map<TypeId, uint64_t> counts_;
  std::vector<TypeId> stack_;
};

}  // namespace relayopt
