// Operators on sparse tensors given as coordinates and values.
#pragma once

#include <optional>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `sparse_to_dense`.
struct SparseToDenseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SparseToDenseAttrs";
  DimList output_shape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&SparseToDenseAttrs::output_shape>("shape of the result")};
  }
};

// Checks the first three inputs of sparse_to_dense and of its dynamic form. Returns nothing if they are well-formed;
// otherwise the status to return.
auto CheckSparseEntries(RuleContext& rule) -> std::optional<RuleStatus>;

}  // namespace relayopt
