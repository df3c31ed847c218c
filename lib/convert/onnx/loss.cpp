// Losses of classification.
#include "builders.h"
#include "families.h"
#include "importer.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// As TVM: the weight of each element's class is looked up as if the target were a vector of positions.
auto NegativeLogLikelihood(Node& n, ExprId x, ExprId target) -> ExprId {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(x);
  const int64_t classes = n.NeedExtent(x, 1, "the scores");
  const bool ignores = n.Has("ignore_index");
  const int64_t ignored = ignores ? n.Int("ignore_index") : 0;
  const std::string reduction = n.Choice("reduction", "mean,sum,none");
  if (n.failed()) return {};
  const DataType index = em.dtype(target);
  // Classes that are not valid positions are replaced by valid ones before the look-up; their result is not used.
  ExprId position = target;
  if (ignores && (ignored < 0 || ignored >= classes)) {
    const ExprId is_ignored = em.Call("equal"_op, {target, em.Scalar(index, ignored)});
    position = ignored >= classes ? Where(em, is_ignored, em.Scalar(index, 0), target) : target;
  }
  const ExprId indices = NormalizedIndices(em, x, position, 1);
  const ExprId weights = n.has(2) ? n.in(2) : em.Call("ones"_op, {}, {{"shape", Ints{classes}}, {"dtype", dtype}});
  const ExprId picked = Gather(em, x, ExpandDims(em, indices, 1), 1);
  ExprId loss = Squeeze(em, em.Call("negative"_op, {picked}), {1});
  const ExprId flat = em.Call("nn.batch_flatten"_op, {ExpandDims(em, indices, 0)});
  const ExprId looked_up = em.Call("gather_nd"_op, {weights, flat});
  ExprId weight = em.Call("reshape_like"_op, {looked_up, loss});
  loss = Mul(em, loss, weight);
  if (ignores) {
    const DataType i8 = DataType::Int(8);
    const ExprId is_ignored = em.Call("equal"_op, {target, em.Scalar(index, ignored)});
    const ExprId kept = Sub(em, em.Scalar(i8, 1), Cast(em, is_ignored, i8));
    loss = Where(em, kept, loss, em.Scalar(dtype, 0));
    weight = Mul(em, weight, em.CallBare("cast_like"_op, {kept, weight}));
  }
  if (reduction == "none") return loss;
  const ExprId sum = ReduceAll(em, "sum"_op, loss);
  return reduction == "sum" ? sum : Div(em, sum, ReduceAll(em, "sum"_op, weight));
}

auto ConvertNegativeLogLikelihoodLoss(Node& n) -> Results { return NegativeLogLikelihood(n, n.in(0), n.in(1)); }

auto ConvertSoftmaxCrossEntropyLoss(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId probabilities = em.Call("nn.softmax"_op, {n.in(0)}, {{"axis", 1}});
  const ExprId logs = em.Call("log"_op, {probabilities});
  return {NegativeLogLikelihood(n, logs, n.in(1)), logs};
}

constexpr OpRow kLossRows[] = {
    {"NegativeLogLikelihoodLoss", "12 13", "input, target, weight?", "int ignore_index; string reduction = mean",
     ConvertNegativeLogLikelihoodLoss},
    {"SoftmaxCrossEntropyLoss", "12 13", "scores, labels, weights?", "int ignore_index; string reduction = mean",
     ConvertSoftmaxCrossEntropyLoss},
};

}  // namespace

auto LossRows() -> std::span<const OpRow> { return kLossRows; }

}  // namespace relayopt::onnx
