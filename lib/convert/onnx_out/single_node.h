// Calls that are a single node of ONNX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"
#include "value_names.h"

namespace relayopt::onnx::out {

// Answers what nodes calls are written as. Calls of one context on operands of the same types are asked about once,
// unless constants are among the operands.
class SingleNodes {
 public:
  // Returns the operator of the node that a call is written as, empty if it is its operand and no node is written, or
  // nullopt if it is written as several nodes. The function may be under construction.
  auto Find(const Function& function, ExprId call) -> const std::optional<std::string>&;

 private:
  // The operator instance, the type of the result, and those of the operands.
  using Key = std::vector<uint32_t>;

  // The names of the values of all calls that are written.
  NameTable names_;
  absl::flat_hash_map<Key, std::optional<std::string>> known_;
  // The key of the last call and, if it has constants, its answer.
  Key key_;
  std::optional<std::string> last_;
};

// Whether the call adds a bias that the writer gives to the convolution in its first operand.
auto IsBiased(const Function& function, ExprId call) -> bool;

}  // namespace relayopt::onnx::out
