// MultiHeadAttentionOpt: merges the projections of an attention into one product, and moves its scale into a weight.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "attention.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct AttentionOptions {
  bool fold_scale = true;
  bool merge_projections = true;
  bool wrap_core = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&AttentionOptions::fold_scale>("multiply constant weights by the scale of the scores"),
        Option<&AttentionOptions::merge_projections>("compute projections of the same data as one product"),
        Option<&AttentionOptions::wrap_core>("make a composite function of what follows the projections"),
    };
  }
};

class AttentionRewriter {
 public:
  AttentionRewriter(const Function& function, const AttentionOptions& options)
      : function_(function), options_(options), rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    for (const Attention& attention : FindAttentions(function_)) Plan(attention);
    if (group_of_.empty() && factors_.empty() && cores_.empty()) return std::nullopt;
    rebuild_.ForEach([this](ExprId id) { return Visit(id); });
    return rebuild_.Finish();
  }

 private:
  // Dense layers that become one.
  struct Group {
    std::vector<ExprId> layers;
    // The split result, once it is emitted.
    ExprId split = {};
  };

  void Plan(const Attention& attention) {
    if (options_.fold_scale && attention.can_fold_scale && !dropped_.contains(attention.scale)) PlanScale(attention);
    if (options_.wrap_core) PlanCore(attention);
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

  void PlanCore(const Attention& attention) {
    const bool has_name = attention.mask != Attention::Mask::kSeveral;
    if (!attention.is_core_closed || !has_name || attention.num_heads == 0 || attention.head_dim == 0) return;
    for (const ExprId member : attention.core) core_of_.emplace(member, cores_.size());
    cores_.push_back(attention);
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

  // Whether both are the same expression, or equal reshapes of one.
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
    // The last expression of a core represents the core.
    if (const auto core = core_of_.find(id); core != core_of_.end()) {
      const Attention& attention = cores_[core->second];
      return attention.core.back() == id ? CompositeCall(attention) : ExprId();
    }
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

  // Returns the call of a function that computes the core.
  auto CompositeCall(const Attention& attention) -> ExprId {
    FunctionBuilder& to = rebuild_.to();
    absl::flat_hash_map<ExprId, ExprId> inside;
    std::vector<ExprId> params;
    std::vector<ExprId> args;
    std::vector<TypeId> types;
    std::string pattern;
    const auto value = [&](ExprId operand) {
      const auto known = inside.find(operand);
      if (known != inside.end()) return known->second;
      const ExprId arg = rebuild_.New(operand);
      const bool is_literal = function_.kind(operand) == ExprKind::kConstant && function_.constant(operand).is_scalar();
      if (is_literal) return arg;
      const TypeId type = function_.type(operand);
      const ExprId param = to.Var({.name = ParamName(attention, operand), .annotation = type, .virtual_device = {}});
      to.SetType(param, type);
      params.push_back(param);
      args.push_back(arg);
      types.push_back(type);
      inside.emplace(operand, param);
      return param;
    };
    std::vector<ExprId> operands;
    for (const ExprId member : attention.core) {
      if (const auto dropped = dropped_.find(member); dropped != dropped_.end()) {
        inside[member] = value(dropped->second);
        continue;
      }
      operands.clear();
      for (const ExprId operand : function_.operands(member)) operands.push_back(value(operand));
      inside[member] = to.Copy(function_, member, operands);
      pattern += std::string(function_.op(member)->name) + "_";
    }
    const ExprId output = attention.core.back();
    const TypeId result = function_.type(output);
    FunctionInfo info{
        .result = result, .type_params = {}, .attrs = CompositeAttrs(attention, pattern), .virtual_device = {}};
    const ExprId function = to.Lambda(std::move(info), params, inside[output]);
    to.SetType(function, to.context().FunctionType(types, result));
    const ExprId call = to.Call(function, args);
    to.SetType(call, result);
    return call;
  }

  auto ParamName(const Attention& attention, ExprId operand) const -> StringId {
    const auto products = {attention.core.front(), attention.core.back()};
    const char* name = "mask";
    for (const ExprId product : products) {
      const bool is_last = product == attention.core.back();
      if (function_.operand(product, 1) == operand) name = is_last ? "value" : "key";
      if (function_.operand(product, 0) == operand) name = "query";
    }
    return function_.context().Intern(name);
  }

  auto CompositeAttrs(const Attention& attention, std::string_view pattern) const -> std::vector<FunctionAttr> {
    Context& context = function_.context();
    const char* mask = attention.mask == Attention::Mask::kAdd     ? "add"
                       : attention.mask == Attention::Mask::kWhere ? "where"
                                                                   : "none";
    return {{context.Intern(attr::kPartitionedFromPattern), context.AddString(pattern)},
            {context.Intern(attr::kComposite), context.AddString("mha.attention")},
            {context.Intern("num_heads"), context.AddInt(attention.num_heads)},
            {context.Intern("head_dim"), context.AddInt(attention.head_dim)},
            {context.Intern("mask_kind"), context.AddString(mask)}};
  }

  // Returns the new weight of a dense layer.
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

  // Returns the part of the merged product that one layer computed.
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
  // Attentions whose core becomes a function, and the position of each by the core's expressions.
  std::vector<Attention> cores_;
  absl::flat_hash_map<ExprId, size_t> core_of_;
  // The old scalings that are removed, and their operands.
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
  wrap_core           both products and all between them become one function that a back end can take (off unless asked for):
                        fn (%query, %key, %mask, %value, PartitionedFromPattern="nn.batch_matmul_add_nn.softmax_nn.batch_matmul_",
                            Composite="mha.attention", num_heads=12, head_dim=64, mask_kind="add") { ... }
                      Scalar constants are literals inside. mask_kind is none, add or where.

FoldConstant computes the new weights afterwards. Transposes that meet are left to SimplifyExpr.

Left alone: attentions whose weights are computed, whose softmax is over another axis, and whose projections are no
nn.dense layers. No function is made where something else uses the scores, where there is more than one mask, or where the number
of heads or their size is not known.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
