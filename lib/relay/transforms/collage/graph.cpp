// The expressions of a function as CollagePartition sees them.
#include <fmt/format.h>

#include <algorithm>

#include "part.h"
#include "relayopt/core/type_walk.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

// For each scope the innermost scope around it, or itself, that is not a step of a let chain.
auto BlocksOf(const Function& function, const Scopes& scopes) -> std::vector<uint32_t> {
  std::vector<uint32_t> blocks(scopes.scopes.size());
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const Scope& scope = scopes.scopes[i];
    const bool is_step = scope.owner && function.kind(scope.owner) == ExprKind::kLet;
    // A scope comes after the one around it.
    blocks[i] = is_step && scope.parent ? blocks[scope.parent.value()] : i;
  }
  return blocks;
}

}  // namespace

CollageGraph::CollageGraph(const Function& function)
    : function_(function),
      budget_(function.size()),
      first_user_(function.size() + 1),
      block_(function.size()),
      seen_(function.size()) {
  const auto for_uses = [&](auto&& visit) {
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) visit(operand, id);
      if (function.kind(id) != ExprKind::kLet) continue;
      // A use of a variable depends on its value.
      for (size_t i = 0; i < function.let_size(id); ++i) visit(function.let_value(id, i), function.let_var(id, i));
    }
  };
  for_uses([&](ExprId used, ExprId) { ++first_user_[used.value() + 1]; });
  for (size_t i = 0; i < function.size(); ++i) first_user_[i + 1] += first_user_[i];
  users_.resize(first_user_.back());
  std::vector<uint32_t> next(first_user_.begin(), first_user_.end() - 1);
  for_uses([&](ExprId used, ExprId user) { users_[next[used.value()]++] = user; });

  const Scopes scopes = ComputeScopes(function);
  const std::vector<uint32_t> blocks = BlocksOf(function, scopes);
  for (const ExprId id : function.ids()) {
    if (scopes.of[id]) block_[id] = blocks[scopes.of[id].value()];
  }
  NoteFlatTuples();
}

// The fields of a type are looked at once, and not for each projection.
void CollageGraph::NoteFlatTuples() {
  const Context& context = function_.context();
  for (const ExprId id : function_.ids()) {
    const ExprId tuple = TupleOf(id);
    const TypeId type = tuple ? function_.type(tuple) : TypeId();
    if (!type) continue;
    const auto [flat, is_new] = is_flat_.try_emplace(type);
    if (!is_new) continue;
    flat->second =
        std::ranges::all_of(context.type(type).args, [&](TypeId field) { return context.type(field).is_tensor(); });
  }
}

auto CollageGraph::TupleOf(ExprId id) const -> ExprId {
  const ExprKind kind = function_.kind(id);
  if (kind == ExprKind::kTuple) return id;
  return kind == ExprKind::kTupleGetItem ? function_.operand(id, 0) : ExprId();
}

auto CollageGraph::IsInline(ExprId id) const -> bool {
  switch (function_.kind(id)) {
    case ExprKind::kOp:
    case ExprKind::kConstructor:
    case ExprKind::kFunction: return true;
    case ExprKind::kConstant: return function_.constant(id).is_scalar();
    default: return false;
  }
}

auto CollageGraph::MustBeLowered(ExprId id) const -> bool {
  if (function_.kind(id) == ExprKind::kCall) return IsPrimitive(function_, function_.operand(id, 0));
  if (function_.kind(id) != ExprKind::kOpCall) return false;
  // Operators that the virtual machine implements itself.
  const OpDef* const op = function_.op(id);
  return !op->non_computational && op != "device_copy"_op && op != "shape_of"_op && op != "vm.shape_of"_op;
}

auto CollageGraph::CalleeFusion(ExprId call) const -> Fusion {
  const ExprId callee = function_.operand(call, 0);
  if (function_.kind(callee) != ExprKind::kFunction || !function_.FindAttr(callee, "TOpPattern")) {
    return Fusion::kOpaque;
  }
  return static_cast<Fusion>(function_.IntAttr(callee, "TOpPattern"));
}

auto CollageGraph::FusionOf(ExprId id) const -> Fusion {
  const Context& context = function_.context();
  switch (function_.kind(id)) {
    case ExprKind::kOpCall: {
      const OpDef* const op = function_.op(id);
      const bool depends_on_values = op->shape_function.find('d') != ShapeFunction::npos;
      if (op->fusion == Fusion::kNone || (depends_on_values && HasUnknownExtent(context, function_.type(id)))) {
        return Fusion::kOpaque;
      }
      return op->fusion;
    }
    case ExprKind::kCall: return CalleeFusion(id);
    case ExprKind::kConstant: return Fusion::kElemWise;
    case ExprKind::kTuple:
    case ExprKind::kTupleGetItem: {
      const auto flat = is_flat_.find(function_.type(TupleOf(id)));
      return flat != is_flat_.end() && flat->second ? Fusion::kInjective : Fusion::kOpaque;
    }
    default: return Fusion::kOpaque;
  }
}

auto CollageGraph::LabelOf(ExprId id) const -> std::string {
  const Context& context = function_.context();
  switch (function_.kind(id)) {
    case ExprKind::kVar: return fmt::format("%{}", context.text(function_.var(id).name));
    case ExprKind::kGlobal: return "@";
    case ExprKind::kConstructor:
    case ExprKind::kOp: return "`";
    case ExprKind::kConstant: return function_.constant(id).is_scalar() ? "scalar" : "const";
    case ExprKind::kTuple: return "tuple";
    case ExprKind::kTupleGetItem: return "proj";
    case ExprKind::kOpCall: return std::string(function_.op(id)->name);
    case ExprKind::kCall: {
      if (function_.kind(function_.operand(id, 0)) != ExprKind::kFunction) return "call_any";
      return CalleeFusion(id) == Fusion::kOpaque ? "call_fun" : "call_prim";
    }
    case ExprKind::kFunction: return "fn";
    case ExprKind::kLet: return "let";
    case ExprKind::kIf: return "if";
    case ExprKind::kMatch: return "match";
    case ExprKind::kRefCreate: return "ref";
    case ExprKind::kRefRead: return "ref_read";
    case ExprKind::kRefWrite: return "ref_write";
  }
  return {};
}

auto CollageGraph::Reaches(std::span<const ExprId> from, std::span<const ExprId> to) const -> bool {
  if (to.empty()) return false;
  ++search_;
  std::vector<ExprId> pending;
  for (const ExprId start : from) {
    pending.push_back(start);
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      budget_.Take(1 + users(id).size());
      if (budget_.is_spent()) return true;
      for (const ExprId user : users(id)) {
        // Users have larger ids; the users of a variable have larger ids than its value.
        if (user > to.back() || seen_[user] == search_) continue;
        if (std::ranges::binary_search(to, user)) return true;
        seen_[user] = search_;
        pending.push_back(user);
      }
    }
  }
  return false;
}

}  // namespace relayopt
