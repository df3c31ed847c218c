// Writes a call into a temporary graph to see its nodes.
#include "single_node.h"

#include "forms.h"
#include "layers.h"
#include "leaves.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::onnx::out {

namespace {

auto WriteAlone(NameTable& names, const Function& function, ExprId call) -> std::optional<std::string> {
  const OnnxForm* form = FindOnnxForm(function.op(call));
  if (form == nullptr || !function.type(call)) return std::nullopt;
  constexpr int64_t kOpset = 18;
  ModelBuilder model(names, kOpset);
  Graph graph;
  std::vector<Values> args;
  for (const ExprId operand : function.operands(call)) {
    if (!function.type(operand)) return std::nullopt;
    Values& values = args.emplace_back();
    for (size_t i = LeavesOf(function.context(), function.type(operand)).size(); i > 0; --i) {
      values.push_back(model.NewName());
    }
  }
  OnnxCall one(model, graph, function, call, std::move(args));
  if (!WriteForm(one, *form)) return std::nullopt;
  if (graph.nodes.size() > 1) return std::nullopt;
  return graph.nodes.empty() ? std::string() : std::string(graph.nodes[0].op_type);
}

}  // namespace

auto SingleNodes::Find(const Function& function, ExprId call) -> const std::optional<std::string>& {
  key_ = {function.op_instance(call).value(), function.type(call).value()};
  for (const ExprId operand : function.operands(call)) {
    // Forms look at the elements of constants.
    if (function.kind(operand) == ExprKind::kConstant) return last_ = WriteAlone(names_, function, call);
    key_.push_back(function.type(operand).value());
  }
  const auto [known, is_new] = known_.try_emplace(key_);
  if (is_new) known->second = WriteAlone(names_, function, call);
  return known->second;
}

auto IsBiased(const Function& function, ExprId call) -> bool {
  if (function.kind(call) != ExprKind::kOpCall || function.op(call) != "nn.bias_add"_op) return false;
  const ExprId layer = function.operand(call, 0);
  if (function.kind(layer) != ExprKind::kOpCall || !IsConvolution(function.op(layer))) return false;
  return HasBias(function, call);
}

}  // namespace relayopt::onnx::out
