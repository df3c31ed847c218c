// MultiHeadAttentionOpt: the projections of an attention become one product, and its scale goes into a weight.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "attention.h"
#include "relayopt/ir/emit.h"
#include "relayopt/ir/rebuild.h"
#include "relayopt/ops/op_table.h"
#include "relayopt/transforms/all_passes.h"

namespace relayopt {

namespace {

struct AttentionOptions {
  bool fold_scale = true;
  bool merge_projections = true;
  static constexpr auto Fields() {
    return std::array{
        Option<&AttentionOptions::fold_scale>("fold_scale", "multiply constant weights by the scale of the scores"),
        Option<&AttentionOptions::merge_projections>("merge_projections",
                                                     "compute projections of the same data as one product"),
    };
  }
};

class AttentionRewriter {
 public:
  AttentionRewriter(const Function& function, const AttentionOptions& options)
      : function_(function), options_(options), rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    for (const Attention& attention : FindAttentions(function_)) Plan(attention);
    if (group_of_.empty() && factors_.empty()) return std::nullopt;
    rebuild_.ForEach([this](ExprId id) { return Visit(id); });
    return rebuild_.Finish();
  }

 private:
  // Dense layers that become one.
  struct Group {
    std::vector<ExprId> layers;
    // The split result, once it is made.
    ExprId split = {};
  };

  void Plan(const Attention& attention) {
    if (options_.fold_scale && attention.can_fold_scale && !dropped_.contains(attention.scale)) PlanScale(attention);
    if (!options_.merge_projections) return;
    if (CanMerge({attention.query, attention.key, attention.value})) {
      AddGroup({attention.query, attention.key, attention.value});
    } else if (CanMerge({attention.key, attention.value})) {
      AddGroup({attention.key, attention.value});
    }
  }

  void PlanScale(const Attention& attention) {
    if (!factors_.emplace(attention.query, attention.factor).second) return;
    if (attention.query_bias) factors_.emplace(attention.query_bias, attention.factor);
    const bool constant_first = function_.kind(function_.operand(attention.scale, 0)) == ExprKind::kConstant;
    dropped_.emplace(attention.scale, function_.operand(attention.scale, constant_first ? 1 : 0));
  }

  void AddGroup(std::vector<ExprId> layers) {
    for (const ExprId layer : layers) group_of_.emplace(layer, groups_.size());
    groups_.push_back({std::move(layers)});
  }

  // Whether these are different layers on the same data with weights of one kind.
  auto CanMerge(const std::vector<ExprId>& layers) const -> bool {
    const auto* first = function_.context().As<DenseAttrs>(function_.attrs(layers.front()));
    const Type* first_weight = WeightType(layers.front());
    if (first == nullptr || first_weight == nullptr) return false;
    for (size_t i = 0; i < layers.size(); ++i) {
      const auto* attrs = function_.context().As<DenseAttrs>(function_.attrs(layers[i]));
      const Type* weight = WeightType(layers[i]);
      if (attrs == nullptr || attrs->out_dtype != first->out_dtype || weight == nullptr ||
          group_of_.contains(layers[i])) {
        return false;
      }
      if (weight->dtype != first_weight->dtype || weight->shape[1] != first_weight->shape[1]) return false;
      if (!IsSameData(layers[i], layers.front())) return false;
      for (size_t j = 0; j < i; ++j) {
        if (layers[i] == layers[j]) return false;
      }
    }
    return true;
  }

  auto WeightType(ExprId layer) const -> const Type* {
    const TypeId id = function_.type(function_.operand(layer, 1));
    if (!id) return nullptr;
    const Type& type = function_.context().type(id);
    return type.is_tensor() && type.rank() == 2 && type.shape[0].is_int() ? &type : nullptr;
  }

  // The same expression, or equal reshapes of one.
  auto IsSameData(ExprId a, ExprId b) const -> bool {
    const ExprId left = function_.operand(a, 0);
    const ExprId right = function_.operand(b, 0);
    if (left == right) return true;
    const auto is_reshape = [&](ExprId id) {
      return function_.kind(id) == ExprKind::kOpCall && function_.op(id) == "reshape"_op;
    };
    return is_reshape(left) && is_reshape(right) && function_.attrs(left) == function_.attrs(right) &&
           function_.operand(left, 0) == function_.operand(right, 0);
  }

  auto Visit(ExprId id) -> ExprId {
    // A weight that a merged product needed early.
    if (rebuild_.New(id)) return rebuild_.New(id);
    const auto dropped = dropped_.find(id);
    if (dropped != dropped_.end()) return rebuild_.New(dropped->second);
    const auto group = group_of_.find(id);
    if (group != group_of_.end()) return Projection(groups_[group->second], id);
    if (function_.kind(id) == ExprKind::kConstant && factors_.contains(id))
      return Scaled(rebuild_.Copy(id), factors_.at(id));
    if (!factors_.contains(id)) return rebuild_.Copy(id);
    const ExprId data = rebuild_.New(function_.operand(id, 0));
    const ExprId made = EmitCall(rebuild_.to(), "nn.dense"_op, {data, Weight(id)}, function_.attrs(id));
    rebuild_.to().SetType(made, function_.type(id));
    return made;
  }

  // The new weight of a dense layer.
  auto Weight(ExprId layer) -> ExprId {
    const ExprId old = function_.operand(layer, 1);
    if (!rebuild_.New(old)) rebuild_.Set(old, rebuild_.Copy(old));
    const auto factor = factors_.find(layer);
    return factor == factors_.end() ? rebuild_.New(old) : Scaled(rebuild_.New(old), factor->second);
  }

  auto Scaled(ExprId weight, double factor) -> ExprId {
    const Type& type = function_.context().type(rebuild_.to().function().type(weight));
    return EmitCall(rebuild_.to(), "multiply"_op, {weight, EmitScalar(rebuild_.to(), type.dtype, factor)});
  }

  // The part of the merged product that one layer computed.
  auto Projection(Group& group, ExprId layer) -> ExprId {
    if (!group.split) group.split = MergedProduct(group);
    const auto position = std::ranges::find(group.layers, layer) - group.layers.begin();
    const ExprId part = EmitTupleGetItem(rebuild_.to(), group.split, static_cast<uint32_t>(position));
    rebuild_.to().SetType(part, function_.type(layer));
    return part;
  }

  auto MergedProduct(const Group& group) -> ExprId {
    FunctionBuilder& to = rebuild_.to();
    Context& context = to.context();
    std::vector<ExprId> weights;
    std::vector<int64_t> ends;
    int64_t units = 0;
    for (const ExprId layer : group.layers) {
      weights.push_back(Weight(layer));
      units += WeightType(layer)->shape[0].value();
      ends.push_back(units);
    }
    const ExprId weight = EmitCallWith(to, "concatenate"_op, ConcatenateAttrs{.axis = 0}, {EmitTuple(to, weights)});
    DenseAttrs attrs = *context.As<DenseAttrs>(function_.attrs(group.layers.front()));
    attrs.units = units;
    const ExprId data = rebuild_.New(function_.operand(group.layers.front(), 0));
    const ExprId product = EmitCallWith(to, "nn.dense"_op, attrs, {data, weight});
    std::vector<ObjectId> indices;
    for (size_t i = 0; i + 1 < ends.size(); ++i) indices.push_back(context.AddInt(ends[i]));
    const SplitAttrs split{.indices_or_sections = context.AddArray(indices), .axis = -1};
    return EmitCallWith(to, "split"_op, split, {product});
  }

  const Function& function_;
  const AttentionOptions& options_;
  Rebuild rebuild_;
  std::vector<Group> groups_;
  // Old dense layer -> position of its group.
  absl::flat_hash_map<ExprId, size_t> group_of_;
  // Old dense layers, and biases, that are multiplied by a factor.
  absl::flat_hash_map<ExprId, double> factors_;
  // Old scalings that disappear, and what they scaled.
  absl::flat_hash_map<ExprId, ExprId> dropped_;
};

struct MultiHeadAttentionOpt {
  using Options = AttentionOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return AttentionRewriter(function, options).Run();
  }
};

}  // namespace

constinit const PassDef kMultiHeadAttentionOptPass = DescribePass<MultiHeadAttentionOpt>({
    .name = "MultiHeadAttentionOpt",
    .opt_level = 4,
    .required = "InferType",
    .summary = "computes the projections of an attention as one product and folds its scale into a weight",
    .details =
        R"(Finds softmax(scale * q k^T + mask) v, as models exported from training frameworks spell it: q, k and v are
nn.dense layers with a bias, reshaped and transposed into heads, scores and outputs are nn.batch_matmul.

  merge_projections   nn.dense(%x, %wq), nn.dense(%x, %wk), nn.dense(%x, %wv)
                        =>   %0 = (%wq, %wk, %wv);  %1 = concatenate(%0);
                             %2 = nn.dense(%x, %1);  %3 = split(%2, axis=-1);  %3.0, %3.1, %3.2
                      for layers on the same data; of a cross attention only those of k and v. Each element of the
                      result is the same sum as before.
  fold_scale          divide(nn.batch_matmul(q, k), 8f)   =>   nn.batch_matmul(q, k), the weight and the bias of q
                      multiplied by 0.125, where they are constants that nothing else depends on. Rounding changes.

FoldConstant computes the new weights afterwards. Transposes that meet are left to SimplifyExpr.

Left alone: attentions whose weights are computed, whose softmax is over another axis, and whose projections are no
nn.dense layers.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
