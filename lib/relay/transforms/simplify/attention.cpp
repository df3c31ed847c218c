// Recognizes multi-head attention in a graph of ordinary operators.
#include "attention.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

// Exporters put only a few operators between the parts.
constexpr int kMostSteps = 10;

class AttentionFinder {
 public:
  explicit AttentionFinder(const Function& function) : function_(function), uses_(function.size(), 0) {
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) ++uses_[operand];
    }
    for (const ExprId param : function.params()) params_.insert(param);
  }

  // Returns the attention whose last product this call is.
  auto Match(ExprId output) const -> std::optional<Attention> {
    if (!IsCallOf(function_, output, "nn.batch_matmul"_op)) return std::nullopt;
    Attention attention;
    attention.core.push_back(output);
    const ExprId softmax = SkipReshapes(function_.operand(output, 0), attention.core);
    if (!IsCallOf(function_, softmax, "nn.softmax"_op) || !IsOverLastAxis(softmax)) return std::nullopt;
    attention.core.push_back(softmax);
    attention.value = Projection(function_.operand(output, 1)).dense;
    const ExprId product = Product(function_.operand(softmax, 0), attention);
    if (!attention.value || !product) return std::nullopt;
    const Chain query = Projection(function_.operand(product, 0));
    attention.query = query.dense;
    attention.query_bias = query.bias;
    attention.key = Projection(function_.operand(product, 1)).dense;
    if (!attention.query || !attention.key) return std::nullopt;
    attention.can_fold_scale = attention.scale && uses_[product] == 1 && query.is_only_use &&
                               function_.kind(function_.operand(query.dense, 1)) == ExprKind::kConstant;
    std::ranges::reverse(attention.core);
    attention.is_core_closed = std::all_of(attention.core.begin(), attention.core.end() - 1,
                                           [this](ExprId member) { return uses_[member] == 1; });
    FindExtents(softmax, function_.operand(product, 0), attention);
    return attention;
  }

 private:
  auto SkipReshapes(ExprId id, std::vector<ExprId>& path) const -> ExprId {
    for (int i = 0; i < kMostSteps && IsCallOf(function_, id, "reshape"_op); ++i) {
      path.push_back(id);
      id = function_.operand(id, 0);
    }
    return id;
  }

  // Extent `axis` of a tensor of rank `rank`; 0 when it is not known.
  auto ExtentOf(ExprId id, size_t rank, size_t axis) const -> int64_t {
    if (!function_.type(id)) return 0;
    const Type& type = function_.context().type(function_.type(id));
    return type.is_tensor() && type.rank() == rank && type.shape[axis].is_int() ? type.shape[axis].value() : 0;
  }

  // Heads are the second axis if there are four: of the scores, or of the queries before batch and heads become one.
  void FindExtents(ExprId softmax, ExprId queries, Attention& attention) const {
    attention.head_dim = ExtentOf(queries, 3, 2);
    attention.num_heads = ExtentOf(softmax, 4, 1);
    std::vector<ExprId> path;
    if (attention.num_heads == 0) attention.num_heads = ExtentOf(SkipReshapes(queries, path), 4, 1);
    // Without a batch the heads are the batch of the products.
    if (attention.num_heads == 0 && path.empty()) attention.num_heads = ExtentOf(queries, 3, 0);
  }

  auto IsOverLastAxis(ExprId softmax) const -> bool {
    const auto* attrs = function_.context().As<SoftmaxAttrs>(function_.attrs(softmax));
    if (attrs == nullptr || attrs->axis == -1) return attrs != nullptr;
    const TypeId type = function_.type(softmax);
    return type && attrs->axis + 1 == static_cast<int64_t>(function_.context().type(type).rank());
  }

  auto IsWeight(ExprId id) const -> bool { return function_.kind(id) == ExprKind::kConstant || params_.contains(id); }

  // A multiplication or division by a scalar constant, as a factor and its operand.
  struct Scaling {
    ExprId data;
    double factor = 1;
  };
  auto AsScaling(ExprId id) const -> std::optional<Scaling> {
    const bool divides = IsCallOf(function_, id, "divide"_op);
    if (!divides && !IsCallOf(function_, id, "multiply"_op)) return std::nullopt;
    for (const size_t i : {size_t{1}, size_t{0}}) {
      if (divides && i == 0) break;
      if (function_.kind(function_.operand(id, i)) != ExprKind::kConstant) continue;
      const auto factor = function_.constant(function_.operand(id, i)).ScalarAsDouble();
      if (!factor || !std::isfinite(*factor) || (divides && *factor == 0)) continue;
      return Scaling{function_.operand(id, 1 - i), divides ? 1 / *factor : *factor};
    }
    return std::nullopt;
  }

  // Returns the product of queries and keys that softmax normalizes, through masks, a scale and reshapes.
  auto Product(ExprId id, Attention& attention) const -> ExprId {
    // A mask is added from either side and may be computed, so both operands are tried.
    const auto add_mask = [&attention](Attention::Mask mask) {
      attention.mask = attention.mask == Attention::Mask::kNone ? mask : Attention::Mask::kSeveral;
    };
    for (int i = 0; i < kMostSteps; ++i) {
      attention.core.push_back(id);
      if (IsCallOf(function_, id, "nn.batch_matmul"_op)) return id;
      if (const auto scaling = AsScaling(id)) {
        if (attention.scale) return {};
        attention.scale = id;
        attention.factor = scaling->factor;
        id = scaling->data;
      } else if (IsCallOf(function_, id, "reshape"_op)) {
        if (attention.scale && uses_[id] != 1) return {};
        id = function_.operand(id, 0);
      } else if (IsCallOf(function_, id, "add"_op)) {
        add_mask(Attention::Mask::kAdd);
        id = function_.operand(id, LeadsToProduct(function_.operand(id, 0)) ? 0 : 1);
      } else if (IsCallOf(function_, id, "where"_op)) {
        add_mask(Attention::Mask::kWhere);
        id = function_.operand(id, LeadsToProduct(function_.operand(id, 1)) ? 1 : 2);
      } else {
        return {};
      }
    }
    return {};
  }

  auto LeadsToProduct(ExprId id) const -> bool {
    for (int i = 0; i < kMostSteps; ++i) {
      if (IsCallOf(function_, id, "nn.batch_matmul"_op)) return true;
      const auto scaling = AsScaling(id);
      const bool is_step = scaling || IsCallOf(function_, id, "reshape"_op) || IsCallOf(function_, id, "add"_op);
      if (!is_step) return false;
      id = scaling ? scaling->data : function_.operand(id, 0);
    }
    return false;
  }

  // A dense layer whose result goes through reshapes, transposes and a bias.
  struct Chain {
    ExprId dense;
    ExprId bias;
    // Whether each step has only one user.
    bool is_only_use = true;
  };
  auto Projection(ExprId id) const -> Chain {
    Chain chain;
    for (int i = 0; i < kMostSteps; ++i) {
      if (function_.kind(id) != ExprKind::kOpCall) return {};
      chain.is_only_use = chain.is_only_use && uses_[id] == 1;
      const OpDef* op = function_.op(id);
      if (op == "nn.dense"_op) {
        if (!IsWeight(function_.operand(id, 1))) return {};
        chain.dense = id;
        return chain;
      }
      if (op == "add"_op || op == "nn.bias_add"_op) {
        const bool is_swapped = op == "add"_op && function_.kind(function_.operand(id, 0)) == ExprKind::kConstant;
        const ExprId bias = function_.operand(id, is_swapped ? 0 : 1);
        const bool is_constant = function_.kind(bias) == ExprKind::kConstant;
        chain.is_only_use = chain.is_only_use && is_constant && !chain.bias && uses_[bias] == 1;
        chain.bias = bias;
        id = function_.operand(id, is_swapped ? 1 : 0);
      } else if (op == "reshape"_op || op == "transpose"_op) {
        id = function_.operand(id, 0);
      } else if (const auto scaling = AsScaling(id)) {
        chain.is_only_use = false;
        id = scaling->data;
      } else {
        return {};
      }
    }
    return {};
  }

  const Function& function_;
  SideTable<ExprId, uint32_t> uses_;
  absl::flat_hash_set<ExprId> params_;
};

}  // namespace

auto FindAttentions(const Function& function) -> std::vector<Attention> {
  std::vector<Attention> found;
  const AttentionFinder finder(function);
  for (const ExprId id : function.ids()) {
    if (auto attention = finder.Match(id)) found.push_back(*attention);
  }
  return found;
}

}  // namespace relayopt
