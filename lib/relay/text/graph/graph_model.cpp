// Builds the graph of a module: nodes, edges and boxes.
#include "graph_model.h"

#include <fmt/format.h>

#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

// Adds one global function to a graph.
class FunctionGraph {
 public:
  FunctionGraph(const Module& module, GlobalId id, Graph& graph)
      : module_(module),
        name_(module.name(id)),
        function_(*module.function<Function>(id)),
        scopes_(ComputeScopes(function_)),
        stands_for_(function_.size()),
        uses_(function_.size()),
        node_of_(function_.size(), kNone),
        is_weight_(function_.size()),
        global_(id),
        graph_(graph) {
    if (name_ != "main") return;
    for (const ExprId weight : FindWeights(module, function_)) is_weight_[weight] = true;
  }

  void Build() {
    FindAliases();
    AddFunctions();
    for (const ExprId id : function_.ids()) {
      if (IsNode(id)) AddNode(id);
    }
    const uint32_t result = AddResult();
    for (const ExprId id : function_.ids()) {
      if (IsNode(id)) AddEdges(id);
    }
    AddEdge(function_.body(), result, 0, "");
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  auto IsReachable(ExprId id) const -> bool { return id == function_.root() || scopes_.of[id]; }

  // A call of a closure without other uses has no node: the values flow through.
  auto IsDirectCall(ExprId id) const -> bool {
    if (function_.kind(id) != ExprKind::kCall) return false;
    const ExprId callee = function_.operand(id, 0);
    return function_.kind(callee) == ExprKind::kFunction && uses_[callee] == 1;
  }

  // Finds the expressions that are aliases of others.
  void FindAliases() {
    for (const ExprId id : function_.ids()) {
      if (!IsReachable(id)) continue;
      for (const ExprId operand : function_.operands(id)) ++uses_[operand];
    }
    for (const ExprId id : function_.ids()) {
      if (!IsReachable(id)) continue;
      if (function_.kind(id) == ExprKind::kLet) {
        for (size_t i = 0; i < function_.let_size(id); ++i) {
          stands_for_[function_.let_var(id, i)] = function_.let_value(id, i);
        }
        stands_for_[id] = function_.let_result(id);
      } else if (IsDirectCall(id)) {
        const ExprId callee = function_.operand(id, 0);
        const auto params = function_.params(callee);
        for (size_t i = 0; i < params.size(); ++i) stands_for_[params[i]] = function_.operand(id, i + 1);
        stands_for_[callee] = id;
        stands_for_[id] = function_.body(callee);
      }
    }
  }

  // Returns the expression whose value this is, or the expression itself if aliases form a cycle. Compresses the path
  // for later queries.
  auto Resolve(ExprId id) -> ExprId {
    ExprId end = id;
    for (size_t steps = 0; stands_for_[end]; ++steps) {
      if (steps > function_.size()) return id;
      end = stands_for_[end];
    }
    while (stands_for_[id]) {
      const ExprId next = stands_for_[id];
      stands_for_[id] = end;
      id = next;
    }
    return end;
  }

  auto IsNode(ExprId id) const -> bool {
    if (!IsReachable(id) || id == function_.root() || stands_for_[id]) return false;
    switch (function_.kind(id)) {
      // Callees are part of the label of the call.
      case ExprKind::kOp:
      case ExprKind::kGlobal:
      case ExprKind::kConstructor: return IsValue(id);
      default: return true;
    }
  }

  // Whether a global, constructor or operator is used otherwise than as a callee. Those with two uses are treated as
  // values.
  auto IsValue(ExprId id) const -> bool { return uses_[id] != calls_[id]; }

  // The boxes: the box of each scope is that of the nearest function around it.
  void AddFunctions() {
    box_of_scope_.assign(scopes_.scopes.size(), kNone);
    calls_.resize(function_.size());
    for (const ExprId id : function_.ids()) {
      if (IsReachable(id) && function_.kind(id) == ExprKind::kCall) ++calls_[function_.operand(id, 0)];
    }
    for (size_t i = 1; i < scopes_.scopes.size(); ++i) {
      const Scope& scope = scopes_.scopes[i];
      const uint32_t around = box_of_scope_[scope.parent.value()];
      if (function_.kind(scope.owner) != ExprKind::kFunction) {
        box_of_scope_[i] = around;
        continue;
      }
      const bool is_root = scope.owner == function_.root();
      const bool is_kernel = IsPrimitive(function_, scope.owner);
      const std::string label = is_root ? fmt::format("@{}", name_) : ComputationName(function_, scope.owner);
      box_of_scope_[i] = static_cast<uint32_t>(graph_.functions.size());
      graph_.functions.push_back({label, is_root ? GraphFunction::kTop : around, is_kernel, global_, scope.owner,
                                  ExprId(stands_for_[scope.owner])});
    }
  }

  auto BoxOf(ExprId id) const -> uint32_t { return box_of_scope_[scopes_.of[id].value()]; }

  void AddNode(ExprId id) {
    using Kind = GraphNode::Kind;
    const auto add = [&](Kind kind, std::string label) {
      node_of_[id] = static_cast<uint32_t>(graph_.nodes.size());
      graph_.nodes.push_back({kind, std::move(label), ShortTypeText(function_.context(), function_.type(id)), BoxOf(id),
                              id, 0, is_weight_[id]});
    };
    switch (function_.kind(id)) {
      case ExprKind::kVar:
        return add(Kind::kParam, fmt::format("%{}", function_.context().text(function_.var(id).name)));
      case ExprKind::kConstant: return add(Kind::kConstant, "constant");
      case ExprKind::kOpCall:
        add(Kind::kOperator, std::string(function_.op(id)->name));
        graph_.nodes.back().macs = CallMacs(function_, id).value_or(0);
        graph_.nodes.back().short_label = ComputationName(function_, id);
        return;
      case ExprKind::kCall: return add(Kind::kCall, CalleeName(function_.operand(id, 0)));
      case ExprKind::kTuple: return add(Kind::kData, "tuple");
      case ExprKind::kTupleGetItem: return add(Kind::kData, fmt::format(".{}", function_.index(id)));
      case ExprKind::kRefCreate: return add(Kind::kData, "ref");
      case ExprKind::kRefRead: return add(Kind::kData, "ref_read");
      case ExprKind::kRefWrite: return add(Kind::kData, "ref_write");
      case ExprKind::kIf: return add(Kind::kControl, "if");
      case ExprKind::kMatch: return add(Kind::kControl, "match");
      case ExprKind::kFunction: return add(Kind::kFunction, "fn");
      case ExprKind::kGlobal:
      case ExprKind::kConstructor:
      case ExprKind::kOp: return add(Kind::kFunction, CalleeName(id));
      case ExprKind::kLet: return;
    }
  }

  auto CalleeName(ExprId id) const -> std::string {
    switch (function_.kind(id)) {
      case ExprKind::kGlobal: return fmt::format("@{}", module_.name(function_.global(id)));
      case ExprKind::kConstructor:
        return std::string(function_.context().text(module_.constructor(function_.constructor(id)).name));
      case ExprKind::kOp: return std::string(function_.op(id)->name);
      case ExprKind::kFunction: return IsPrimitive(function_, id) ? ComputationName(function_, id) : "call";
      default: return "call";
    }
  }

  auto AddResult() -> uint32_t {
    const ExprId body = function_.body();
    graph_.nodes.push_back(
        {GraphNode::Kind::kResult, "result", ShortTypeText(function_.context(), function_.type(body)), BoxOf(body)});
    return static_cast<uint32_t>(graph_.nodes.size() - 1);
  }

  void AddEdges(ExprId id) {
    const auto operands = function_.operands(id);
    const ExprKind kind = function_.kind(id);
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_binder = (kind == ExprKind::kFunction && i + 1 < operands.size()) ||
                             (kind == ExprKind::kMatch && function_.kind(operands[i]) == ExprKind::kVar &&
                              IsBound(id, static_cast<uint32_t>(i)));
      if (is_binder) continue;
      AddEdge(operands[i], node_of_[id], static_cast<uint32_t>(i), Role(id, i));
    }
  }

  // Whether the i-th operand of a match is a variable that a pattern binds.
  auto IsBound(ExprId id, uint32_t i) const -> bool {
    for (const MatchClause& clause : function_.match(id).clauses) {
      if (i >= clause.first_operand && i < clause.rhs) return true;
    }
    return false;
  }

  auto Role(ExprId id, size_t i) const -> std::string_view {
    constexpr std::string_view kIf[] = {"condition", "then", "else"};
    switch (function_.kind(id)) {
      case ExprKind::kIf: return kIf[i];
      case ExprKind::kCall: return i == 0 ? "callee" : "";
      case ExprKind::kMatch: return i == 0 ? "" : "clause";
      case ExprKind::kFunction: return "body";
      default: return "";
    }
  }

  void AddEdge(ExprId from, uint32_t to, uint32_t operand, std::string_view role) {
    const uint32_t source = node_of_[Resolve(from)];
    if (source != kNone) graph_.edges.push_back({source, to, operand, role});
  }

  const Module& module_;
  std::string_view name_;
  const Function& function_;
  Scopes scopes_;
  // The expression that an expression is an alias of; invalid if it is none.
  SideTable<ExprId, ExprId> stands_for_;
  SideTable<ExprId, uint32_t> uses_;
  // The number of uses that are calls.
  SideTable<ExprId, uint32_t> calls_;
  SideTable<ExprId, uint32_t> node_of_;
  SideTable<ExprId, bool> is_weight_;
  std::vector<uint32_t> box_of_scope_;
  GlobalId global_;
  Graph& graph_;
};

}  // namespace

auto MakeGraph(const Module& module) -> Graph {
  Graph graph;
  for (const GlobalId id : module.SortedFunctions<Function>()) FunctionGraph(module, id, graph).Build();
  return graph;
}

auto Name(GraphNode::Kind kind) -> std::string_view {
  switch (kind) {
    case GraphNode::Kind::kParam: return "param";
    case GraphNode::Kind::kConstant: return "constant";
    case GraphNode::Kind::kOperator: return "operator";
    case GraphNode::Kind::kCall: return "call";
    case GraphNode::Kind::kData: return "data";
    case GraphNode::Kind::kControl: return "control";
    case GraphNode::Kind::kFunction: return "function";
    case GraphNode::Kind::kResult: return "result";
  }
  return "";
}

}  // namespace relayopt
