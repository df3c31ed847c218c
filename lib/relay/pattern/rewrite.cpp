// Rewrites and partitions functions by patterns.
#include "relayopt/relay/pattern/rewrite.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/support/side_table.h"

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
  SideTable<ExprId, const PatternGroup*> roots(function.size());
  for (const PatternGroup& group : groups) roots[group.root] = &group;
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
    return roots[id] == nullptr ? ExprId() : callback.rewrite(rebuild, *roots[id]);
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

// Copies the insides of groups with parameters in place of their inputs.
class GroupEmitter {
 public:
  GroupEmitter(const Function& from, std::span<const FunctionAttr> attrs)
      : attrs_(attrs), name_key_(from.context().Intern(attr::kPartitionedFromPattern)), made_(from.size()) {}

  auto Emit(Rebuild& rebuild, const PatternGroup& group) -> ExprId {
    const Function& from = rebuild.from();
    FunctionBuilder& to = rebuild.to();
    Context& context = from.context();
    std::vector<ExprId> params;
    std::vector<ExprId> args;
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      const ExprId input = group.inputs[i];
      params.push_back(to.Var({context.Intern(ParameterName(group.number, i)), {}, {}}));
      to.SetType(params.back(), from.type(input));
      made_[input] = params.back();
      args.push_back(rebuild.New(input));
    }
    for (const ExprId id : group.inside) {
      operands_.clear();
      for (const ExprId operand : from.operands(id)) operands_.push_back(made_[operand]);
      made_[id] = to.Copy(from, id, operands_);
    }
    FunctionInfo info;
    info.attrs.reserve(1 + attrs_.size());
    info.attrs.push_back({name_key_, context.AddString(GroupName(from, group))});
    info.attrs.insert(info.attrs.end(), attrs_.begin(), attrs_.end());
    const ExprId call = to.Call(to.Lambda(std::move(info), params, made_[group.root]), args);
    to.SetType(call, from.type(group.root));
    return call;
  }

 private:
  // FunctionVar_3_0 for the first parameter of the group with the number 3.
  static auto ParameterName(size_t number, size_t place) -> std::string {
    return "FunctionVar_" + std::to_string(number) + '_' + std::to_string(place);
  }

  std::span<const FunctionAttr> attrs_;
  StringId name_key_;
  // What the expressions of a group, and its inputs, have become in it.
  SideTable<ExprId, ExprId> made_;
  std::vector<ExprId> operands_;
};

}  // namespace

auto PartitionPattern(DFPattern pattern, const Function& function, std::span<const FunctionAttr> attrs,
                      const std::function<bool(const Function&, ExprId)>& check) -> std::optional<Function> {
  // A function pattern at the root matches no expression that could be partitioned.
  if (pattern.table()[pattern.id()].kind == DFPatternKind::kFunction) return std::nullopt;
  std::optional<GroupEmitter> emitter;
  const DFPatternCallback callback = {pattern, [&](Rebuild& rebuild, const PatternGroup& group) {
                                        if (check && !check(rebuild.from(), group.root)) return ExprId();
                                        if (!emitter) emitter.emplace(rebuild.from(), attrs);
                                        return emitter->Emit(rebuild, group);
                                      }};
  return ApplyOnce(callback, function);
}

}  // namespace relayopt
