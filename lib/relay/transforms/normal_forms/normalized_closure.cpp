// Binds the intermediate results of a closure under construction.
#include "normalized_closure.h"

#include "absl/container/flat_hash_map.h"
#include "let_builder.h"
#include "lib/relay/transforms/expr_copier.h"
#include "lib/relay/transforms/free_vars.h"
#include "lib/relay/transforms/let_list.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Straight-line code, in a single list.
class StraightLine {
 public:
  StraightLine(FunctionBuilder& to, PassContext& context) : to_(to), lets_(to, context) {}

  void Bind(ExprId var, ExprId value) { lets_.Push(var, Normalize(value, var)); }
  auto BindFresh(ExprId value) -> ExprId { return lets_.Push(Normalize(value, {})); }
  auto Rename(ExprId var) -> ExprId { return lets_.Push(var); }
  auto Close(ExprId result) -> ExprId { return lets_.Close(result); }

 private:
  auto IsAtom(ExprId id) const -> bool {
    switch (to_.function().kind(id)) {
      case ExprKind::kVar:
      case ExprKind::kGlobal:
      case ExprKind::kConstructor:
      case ExprKind::kOp: return true;
      default: return false;
    }
  }
  auto Made(ExprId id) const -> ExprId {
    if (IsAtom(id)) return id;
    const auto found = made_.find(id);
    return found == made_.end() ? ExprId() : found->second;
  }

  // Returns the expression with its parts bound; it will be bound to `var`, if that is given. As TVM: the parts of a
  // write are evaluated from the last to the first.
  auto Normalize(ExprId root, ExprId var) -> ExprId {
    if (const ExprId made = Made(root)) return made;
    std::vector<ExprId> stack = {root};
    while (true) {
      const ExprId id = stack.back();
      ExprId value;
      if (!Made(id)) {
        const auto operands = to_.function().operands(id);
        const bool is_write = to_.function().kind(id) == ExprKind::kRefWrite;
        ExprId pending;
        for (size_t i = 0; i < operands.size() && !pending; ++i) {
          const ExprId operand = operands[is_write ? operands.size() - 1 - i : i];
          if (!Made(operand)) pending = operand;
        }
        if (pending) {
          stack.push_back(pending);
          continue;
        }
        const auto made = MapToVector<ExprId>(operands, [&](ExprId operand) { return Made(operand); });
        value = to_.Copy(to_.function(), id, made);
      }
      stack.pop_back();
      if (stack.empty()) {
        if (var) made_[id] = var;
        return value;
      }
      if (value) made_[id] = lets_.Push(value);
    }
  }

  FunctionBuilder& to_;
  LetList lets_;
  absl::flat_hash_map<ExprId, ExprId> made_;
};

// Code with scopes of its own: ToANormalForm on a function of the free variables.
auto NormalizeScopes(FunctionBuilder& to, PassContext& context, ExprId body) -> ExprId {
  const std::vector<ExprId> outer = FreeVars(to.function(), body);
  FunctionBuilder alone(to.context());
  ExprCopier copier(to.function(), alone);
  const auto params = MapToVector<ExprId>(outer, [&](ExprId var) { return copier.Copy(var); });
  const ExprId copy = copier.Copy(body);
  const Function function = Relayout(alone.Finish(alone.Lambda({}, params, copy)));
  const Function normal = BindWithLet(function, ComputeScopes(function), nullptr, context);
  ExprCopier back(normal, to);
  for (size_t i = 0; i < outer.size(); ++i) back.Set(normal.params()[i], outer[i]);
  return back.Copy(normal.body());
}

}  // namespace

auto NormalizeClosure(FunctionBuilder& to, PassContext& context, std::vector<ExprId> steps, ExprId result, ExprId first)
    -> ExprId {
  const auto end = static_cast<uint32_t>(to.function().size());
  for (uint32_t i = first.value(); i < end; ++i) {
    if (to.function().kind(ExprId(i)) == ExprKind::kFunction) {
      return NormalizeScopes(to, context, to.Let(steps, result));
    }
  }
  StraightLine code(to, context);
  for (size_t i = 0; i < steps.size(); i += 2) code.Bind(steps[i], steps[i + 1]);
  ExprId value = code.BindFresh(result);
  for (size_t i = 0; i < steps.size(); i += 2) value = code.Rename(value);
  return code.Close(value);
}

}  // namespace relayopt
