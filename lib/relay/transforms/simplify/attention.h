// Recognizes multi-head attention in a graph of ordinary operators.
#pragma once

#include <vector>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// softmax(scale * q k^T + mask) v, where q, k and v are projections: nn.dense, then perhaps a bias, reshapes and
// transposes.
struct Attention {
  // Calls of nn.dense whose weights are constants or parameters of the function.
  ExprId query;
  ExprId key;
  ExprId value;
  // The call of divide or multiply by a constant that scales the product, as `factor` does; none if there is none.
  ExprId scale;
  double factor = 1;
  // The constant bias that is added to the query; none if there is none.
  ExprId query_bias;
  // Whether the scale can go into the query's weight and bias: these are constants, and nothing but the scaled product
  // depends on them.
  bool can_fold_scale = false;

  // The expressions from the product of queries and keys to the product of scores and values, including both, in this
  // order.
  std::vector<ExprId> core;
  // Whether nothing else uses what the core computes on the way.
  bool is_core_closed = false;
  // How masks come into the scores: added, or as a choice. Several masks count as another kind.
  enum class Mask : uint8_t { kNone, kAdd, kWhere, kSeveral };
  Mask mask = Mask::kNone;
  // Number of heads, and of columns of each; 0 when they are not known.
  int64_t num_heads = 0;
  int64_t head_dim = 0;
};

// Returns the attentions of a function, by their last product.
auto FindAttentions(const Function& function) -> std::vector<Attention>;

}  // namespace relayopt
