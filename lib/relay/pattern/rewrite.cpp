// Rewrites and partitions functions by patterns.
#include "relayopt/relay/pattern/rewrite.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/support/map_to_vector.h"

#include <fmt/format.h>

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoEnd = {"pattern-rewrite-no-end", Severity::kError,
                                   "rewriting did not terminate after {} rounds: do two callbacks undo each other?"};

constexpr int kMaxRounds = 1000;

// Applies one callback once. Returns nothing if it did not change anything.
auto ApplyOnce(const DFPatternCallback& callback, const Function& function) -> std::optional<Function> {
  const std::vector<PatternGroup> groups = FindPatternGroups(callback.pattern, function);
  if (groups.empty()) return std::nullopt;
  absl::flat_hash_map<ExprId, const PatternGroup*> roots;
  for (const PatternGroup& group : groups) roots.emplace(group.root, &group);
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
    const auto found = roots.find(id);
    return found == roots.end() ? ExprId() : callback.rewrite(rebuild, *found->second);
  });
}

}  // namespace

auto RewritePatterns(std::span<const DFPatternCallback> callbacks, const Function& function)
    -> Result<std::optional<Function>> {
  std::optional<Function> result;
  std::vector<bool> is_done(callbacks.size());
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (size_t i = 0; i < callbacks.size(); ++i) {
      if (is_done[i]) continue;
      auto made = ApplyOnce(callbacks[i], result ? *result : function);
      if (!made) continue;
      result = std::move(made);
      changed = true;
      is_done[i] = callbacks[i].rewrite_once;
    }
    if (!changed) return result;
  }
  return MakeDiagnostic(kNoEnd, {}, kMaxRounds);
}

namespace {

// Copies the inside of a group with parameters in place of its inputs.
auto EmitGroup(Rebuild& rebuild, const PatternGroup& group, std::span<const FunctionAttr> attrs) -> ExprId {
  const Function& from = rebuild.from();
  FunctionBuilder& to = rebuild.to();
  Context& context = from.context();
  absl::flat_hash_map<ExprId, ExprId> made;
  std::vector<ExprId> params;
  std::vector<ExprId> args;
  for (size_t i = 0; i < group.inputs.size(); ++i) {
    const ExprId input = group.inputs[i];
    params.push_back(to.Var({context.Intern(fmt::format("FunctionVar_{}_{}", group.number, i)), {}, {}}));
    to.SetType(params.back(), from.type(input));
    made.emplace(input, params.back());
    args.push_back(rebuild.New(input));
  }
  for (const ExprId id : group.inside) {
    const auto operands = MapToVector<ExprId>(from.operands(id), [&](ExprId operand) { return made.at(operand); });
    made.emplace(id, to.Copy(from, id, operands));
  }
  FunctionInfo info;
  info.attrs.push_back({context.Intern(attr::kPartitionedFromPattern), context.AddString(GroupName(from, group))});
  info.attrs.insert(info.attrs.end(), attrs.begin(), attrs.end());
  const ExprId call = to.Call(to.Lambda(std::move(info), params, made.at(group.root)), args);
  to.SetType(call, from.type(group.root));
  return call;
}

}  // namespace

auto PartitionPattern(DFPattern pattern, const Function& function, std::span<const FunctionAttr> attrs,
                      const std::function<bool(const Function&, ExprId)>& check) -> std::optional<Function> {
  // A function pattern at the root matches no expression that could be partitioned.
  if (pattern.table()[pattern.id()].kind == DFPatternKind::kFunction) return std::nullopt;
  const DFPatternCallback callback = {pattern, [&](Rebuild& rebuild, const PatternGroup& group) {
                                        if (check && !check(rebuild.from(), group.root)) return ExprId();
                                        return EmitGroup(rebuild, group, attrs);
                                      }};
  return ApplyOnce(callback, function);
}

}  // namespace relayopt
