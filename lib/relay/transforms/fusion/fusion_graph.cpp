// Fusion patterns of expressions and of their uses.
#include "fusion_graph.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/type_walk.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/function_attrs.h"

namespace relayopt {

namespace {

// Whether an extent of the tensors in a type is `?`.
auto IsDynamic(const Context& context, TypeId root) -> bool {
  return AnyPart(context, root, [](const Type& part) { return std::ranges::any_of(part.shape, &Dim::is_any); });
}

// Scalars of these types are written into kernels as literals.
auto IsLiteral(const Constant& constant) -> bool {
  const DataType dtype = constant.dtype();
  return constant.is_scalar() && (dtype == DataType::Int(32) || dtype == DataType::Int(64) ||
                                  dtype == DataType::Float(32) || dtype == DataType::Float(64) || dtype.is_bool());
}

}  // namespace

class FusionGraph::Builder {
 public:
  Builder(const Function& function, FusionGraph& graph)
      : function_(function), graph_(graph), reached_(function.size()) {}

  void Run() {
    FindReached();
    for (const ExprId id : function_.ids()) {
      if (reached_[id]) Visit(id);
    }
    SortEdges();
  }

 private:
  struct Use {
    ExprId value;
    Edge edge;
  };

  // Finds all expressions except those that only functions for external compilers contain.
  void FindReached() {
    reached_[function_.root()] = true;
    for (const ExprId id : function_.ids_to_root().reversed()) {
      if (!reached_[id]) continue;
      if (CompilerAttr(function_, id)) continue;
      for (const ExprId operand : function_.operands(id)) reached_[operand] = true;
    }
  }

  void Visit(ExprId id) {
    switch (function_.kind(id)) {
      case ExprKind::kConstant:
        if (IsLiteral(function_.constant(id))) graph_.patterns_[id] = Fusion::kElemWise;
        return;
      case ExprKind::kOpCall: return VisitOpCall(id);
      case ExprKind::kCall:
        graph_.external_[function_.operand(id, 0)] = true;
        for (const ExprId arg : function_.operands(id).subspan(1)) AddUse(arg, id, Fusion::kOpaque);
        return;
      case ExprKind::kTuple:
        graph_.patterns_[id] = Fusion::kTuple;
        for (const ExprId field : function_.operands(id)) {
          if (TensorType(function_, field) == nullptr) {
            graph_.external_[field] = true;
          } else {
            AddUse(field, id, Fusion::kInjective);
          }
        }
        return;
      case ExprKind::kTupleGetItem: {
        const ExprId tuple = function_.operand(id, 0);
        // A kernel takes and returns only tensors.
        if (!HasTensorsOnly(function_.type(tuple))) {
          graph_.external_[tuple] = true;
          return;
        }
        graph_.patterns_[id] = Fusion::kInjective;
        return AddUse(tuple, id, Fusion::kInjective);
      }
      default:
        for (const ExprId operand : function_.operands(id)) graph_.external_[operand] = true;
    }
  }

  void VisitOpCall(ExprId id) {
    const Fusion pattern = PatternOf(id);
    graph_.patterns_[id] = pattern;
    const Type* result = TensorType(function_, id);
    for (const ExprId arg : function_.operands(id)) {
      const Type* type = TensorType(function_, arg);
      const bool same_shape = result != nullptr && type != nullptr && std::ranges::equal(result->shape, type->shape);
      AddUse(arg, id, pattern == Fusion::kBroadcast && same_shape ? Fusion::kElemWise : pattern);
    }
  }

  auto PatternOf(ExprId call) const -> Fusion {
    const OpDef* op = function_.op(call);
    if (op->fusion == Fusion::kNone) return Fusion::kOpaque;
    // The extents of its result must be computed before the kernel is launched.
    const bool needs_values = op->shape_function.find('d') != ShapeFunction::npos;
    return needs_values && IsDynamic(function_.context(), function_.type(call)) ? Fusion::kOpaque : op->fusion;
  }

  auto HasTensorsOnly(TypeId id) -> bool {
    if (!id) return false;
    const auto [entry, is_new] = tensors_only_.try_emplace(id, false);
    if (is_new) {
      const Context& context = function_.context();
      const Type& type = context.type(id);
      entry->second = type.is_tuple() && std::ranges::all_of(type.args, [&context](TypeId field) {
                        return field && context.type(field).is_tensor();
                      });
    }
    return entry->second;
  }

  void AddUse(ExprId value, ExprId user, Fusion pattern) {
    uses_.push_back({value, {user, pattern}});
    ++graph_.last_edge_[value];
  }

  // Gathers the uses of each value; several by one user become one, of the worst pattern.
  void SortEdges() {
    uint32_t end = 0;
    for (const ExprId id : function_.ids()) {
      graph_.first_edge_[id] = end;
      end += graph_.last_edge_[id];
      graph_.last_edge_[id] = graph_.first_edge_[id];
    }
    graph_.edges_.resize(end);
    for (const Use& use : uses_) {
      uint32_t& last = graph_.last_edge_[use.value];
      if (last != graph_.first_edge_[use.value] && graph_.edges_[last - 1].user == use.edge.user) {
        Fusion& pattern = graph_.edges_[last - 1].pattern;
        pattern = std::max(pattern, use.edge.pattern);
      } else {
        graph_.edges_[last++] = use.edge;
      }
    }
  }

  const Function& function_;
  FusionGraph& graph_;
  SideTable<ExprId, bool> reached_;
  // In the order of their users.
  std::vector<Use> uses_;
  absl::flat_hash_map<TypeId, bool> tensors_only_;
};

FusionGraph::FusionGraph(const Function& function)
    : patterns_(function.size(), Fusion::kOpaque),
      external_(function.size()),
      first_edge_(function.size()),
      last_edge_(function.size()) {
  Builder(function, *this).Run();
}

}  // namespace relayopt
