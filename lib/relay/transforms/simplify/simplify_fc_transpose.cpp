// SimplifyFCTranspose: replaces weights that are always transposed by parameters that are transposed already.
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct SimplifyFCTransposeOptions {
  std::vector<std::string> target_weights;
  static constexpr auto Fields() {
    return std::array{RequiredOption<&SimplifyFCTransposeOptions::target_weights>(
        "names of the weights whose data the caller will transpose")};
  }
};

class Transposer {
 public:
  Transposer(const Function& function, const std::vector<std::string>& weights)
      : function_(function),
        weights_(weights.begin(), weights.end()),
        params_(function.params().begin(), function.params().end()),
        rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    rebuild_.ForEach([this](ExprId id) {
      if (id == function_.root()) return ExprId();
      const ExprId weight = TransposedWeight(id);
      if (!weight) return rebuild_.Copy(id);
      std::vector<ExprId> args(rebuild_.NewOperands(id).begin(), rebuild_.NewOperands(id).end());
      args[1] = NewWeight(weight);
      return rebuild_.to().Copy(function_, id, args);
    });
    if (made_.empty()) return std::nullopt;
    rebuild_.Set(function_.root(), EmitRoot());
    return rebuild_.Finish();
  }

 private:
  // Returns the parameter w of a call dense(x, transpose(w)); none of other expressions.
  auto TransposedWeight(ExprId id) const -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "nn.dense"_op) return {};
    const ExprId transpose = function_.operand(id, 1);
    if (function_.kind(transpose) != ExprKind::kOpCall || function_.op(transpose) != "transpose"_op) return {};
    const auto* attrs = function_.context().As<TransposeAttrs>(function_.attrs(transpose));
    if (attrs == nullptr || !Swaps(attrs->axes)) return {};
    const ExprId weight = function_.operand(transpose, 0);
    if (!params_.contains(weight)) return {};
    const std::string_view name = function_.context().text(function_.var(weight).name);
    const bool is_listed = weights_.contains(name);
    const bool is_matrix = function_.type(weight) && function_.context().type(function_.type(weight)).is_tensor() &&
                           function_.context().type(function_.type(weight)).rank() == 2;
    return is_listed && is_matrix ? weight : ExprId();
  }

  static auto Swaps(const DimList& axes) -> bool {
    if (axes.null || axes.empty()) return true;
    return axes.size() == 2 && (axes[0].is(1) || axes[0].is(-1)) && (axes[1].is(0) || axes[1].is(-2));
  }

  // One for all uses.
  auto NewWeight(ExprId weight) -> ExprId {
    ExprId& made = made_[weight];
    if (made) return made;
    Context& context = function_.context();
    const Type& type = context.type(function_.type(weight));
    const TypeId swapped = context.Tensor({type.shape[1], type.shape[0]}, type.dtype);
    const StringId name = context.Intern(std::string(context.text(function_.var(weight).name)) + ".T");
    made = rebuild_.to().Var({name, swapped, {}});
    rebuild_.to().SetType(made, swapped);
    order_.push_back(made);
    return made;
  }

  // The old parameters that are still used, in the order in which the body mentions them first, then the new ones.
  auto EmitRoot() -> ExprId {
    const Function& made = rebuild_.to().function();
    const ExprId body = rebuild_.New(function_.body());
    SideTable<ExprId, bool> is_param(made.size());
    for (const ExprId param : function_.params()) is_param[rebuild_.New(param)] = true;
    std::vector<ExprId> params;
    SideTable<ExprId, bool> seen(made.size());
    std::vector<std::pair<ExprId, size_t>> stack = {{body, 0}};
    seen[body] = true;
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      if (next == 0 && is_param[id]) params.push_back(id);
      if (next == made.operands(id).size()) {
        stack.pop_back();
        continue;
      }
      const ExprId operand = made.operand(id, next++);
      if (seen[operand]) continue;
      seen[operand] = true;
      stack.emplace_back(operand, 0);
    }
    params.insert(params.end(), order_.begin(), order_.end());
    params.push_back(body);
    return rebuild_.to().Copy(function_, function_.root(), params);
  }

  const Function& function_;
  absl::flat_hash_set<std::string_view> weights_;
  absl::flat_hash_set<ExprId> params_;
  Rebuild rebuild_;
  absl::flat_hash_map<ExprId, ExprId> made_;
  std::vector<ExprId> order_;
};

struct SimplifyFCTranspose {
  using Options = SimplifyFCTransposeOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Transposer(function, options.target_weights).Run();
  }
};

}  // namespace

constinit const PassDef kSimplifyFCTransposePass = DescribePass<SimplifyFCTranspose>({
    .name = "SimplifyFCTranspose",
    .opt_level = 0,
    .required = "InferType",
    .summary = "replaces transposed weights of dense layers by parameters that are transposed already",
    .details =
        R"(A weight of `target_weights` that a dense layer takes transposed becomes a new parameter NAME.T that is transposed already; whoever
calls the function transposes the data once:

  def @main(%x, %w: Tensor[(4, 3), float32]) {           def @main(%x, %w.T: Tensor[(3, 4), float32]) {
    %0 = transpose(%w, axes=[1, 0]);               =>      nn.dense(%x, %w.T, units=3)
    nn.dense(%x, %0, units=3)                            }
  }

Parameters that are used stand first, in the order of their first use, the new ones behind them; the others go. Only the function's own
parameters change, and only those of the list: weights that are computed, bound or of another name stay.)",
    .exactness = Exactness::kChanges,
    .idempotent = true,
});

}  // namespace relayopt
