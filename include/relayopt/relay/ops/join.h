// Operators that join tensors, and that split one.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `concatenate` and `qnn.concatenate`.
struct ConcatenateAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ConcatenateAttrs";
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{Field<&ConcatenateAttrs::axis>("axis along which the tensors follow each other")};
  }
};

// The attributes of `stack`.
struct StackAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.StackAttrs";
  Dim axis = 0;
  static constexpr auto Fields() {
    return std::array{Field<&StackAttrs::axis>("position of the new axis; negative counts from behind the last")};
  }
};

// The attributes of `split`.
struct SplitAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SplitAttrs";
  ObjectId indices_or_sections;
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&SplitAttrs::indices_or_sections>("number of equal parts, or the positions between parts"),
        Field<&SplitAttrs::axis>("axis to cut"),
    };
  }
};

// Returns the type rule of operators that join the tensors of their first input, a tuple; also for qnn.concatenate.
auto ConcatenateRule(RuleContext& rule) -> RuleStatus;

}  // namespace relayopt
