// Data types that represent functions, and the functions that apply them.
#include "function_encoding.h"

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"

namespace relayopt {

namespace {

// Returns a name of the module like `base` that is still free.
template <typename IsTaken>
auto FreeName(const std::string& base, IsTaken&& is_taken) -> std::string {
  std::string name = base;
  for (int i = 1; is_taken(name); ++i) name = fmt::format("{}{}", base, i);
  return name;
}

}  // namespace

auto HasFunctionType(const Context& types, TypeId type) -> bool {
  absl::flat_hash_set<TypeId> seen;
  std::vector<TypeId> stack = {type};
  while (!stack.empty()) {
    const TypeId id = stack.back();
    stack.pop_back();
    if (!id || !seen.insert(id).second) continue;
    const Type& term = types.type(id);
    if (term.is_function()) return true;
    if (term.result) stack.push_back(term.result);
    stack.insert(stack.end(), term.args.begin(), term.args.end());
  }
  return false;
}

auto Program::EncodingOf(TypeId function) -> Encoding& {
  const auto found = encodings_.find(function);
  if (found != encodings_.end()) return *found->second;
  Encoding& made = all_.emplace_back(types());
  encodings_[function] = &made;
  const std::string type_name = FreeName(
      "DefuncFuncType", [&](const std::string& name) { return bool(result_.FindTypeDef(types().Intern(name))); });
  made.name = types().Intern(type_name);
  made.type = types().TypeCall(made.name, {});
  made.type_def = result_.AddTypeDef({.name = made.name});
  made.apply_name = result_.NameGlobal(
      FreeName("applyFuncType", [&](const std::string& name) { return bool(result_.FindGlobal(name)); }));
  AddParam(made, "x", made.type);
  for (const TypeId arg : types().type(function).args) AddParam(made, "y", arg);
  results_.push_back(types().type(function).result);
  made.match_operands.push_back(made.params[0]);
  return made;
}

auto Program::NewConstructor(Encoding& encoding, bool is_global, std::vector<TypeId> inputs) -> CtorId {
  uint64_t number = is_global ? counter_++ : ++counter_;
  while (result_.FindConstructor(types().Intern(fmt::format("{}", number)))) number = ++counter_;
  const StringId name = types().Intern(fmt::format("{}", number));
  return result_.AddConstructor(encoding.type_def, name, std::move(inputs));
}

void Program::AddClause(Encoding& encoding, CtorId ctor, std::span<const ExprId> fields, ExprId callee) {
  MatchInfo& match = encoding.match;
  MatchClause clause;
  clause.first_operand = static_cast<uint32_t>(encoding.match_operands.size());
  const auto first_child = static_cast<uint32_t>(match.children.size());
  for (const ExprId field : fields) {
    match.children.push_back(static_cast<uint32_t>(match.patterns.size()));
    Pattern pattern{.kind = PatternKind::kVar};
    pattern.operand = static_cast<uint32_t>(encoding.match_operands.size());
    match.patterns.push_back(pattern);
    encoding.match_operands.push_back(field);
  }
  clause.pattern = static_cast<uint32_t>(match.patterns.size());
  match.patterns.push_back({.kind = PatternKind::kConstructor,
                            .ctor = ctor,
                            .first_child = first_child,
                            .num_children = static_cast<uint32_t>(fields.size())});
  clause.rhs = static_cast<uint32_t>(encoding.match_operands.size());
  const auto args = std::span<const ExprId>(encoding.params).subspan(1);
  encoding.match_operands.push_back(encoding.apply.Call(callee, args));
  match.clauses.push_back(clause);
}

auto Program::CloneOf(GlobalId callee, const std::vector<TypeId>& type_args) -> GlobalId {
  const auto [found, is_new] = clones_.try_emplace({callee, type_args});
  if (is_new) {
    const auto is_taken = [&](const std::string& name) { return bool(result_.FindGlobal(name)); };
    found->second = result_.NameGlobal(FreeName(fmt::format("{}FuncType", module_.name(callee)), is_taken));
    pending_.push_back({callee, found->second, type_args});
  }
  return found->second;
}

auto Program::TakePending() -> std::optional<Clone> {
  if (pending_.empty()) return std::nullopt;
  Clone clone = std::move(pending_.front());
  pending_.pop_front();
  return clone;
}

void Program::Finish() {
  for (size_t i = 0; i < all_.size(); ++i) {
    Encoding& encoding = all_[i];
    const ExprId body = encoding.apply.Match(std::move(encoding.match), encoding.match_operands);
    FunctionInfo info;
    info.result = results_[i];
    Function apply = encoding.apply.Finish(encoding.apply.Lambda(std::move(info), encoding.params, body));
    result_.SetFunction(encoding.apply_name, std::make_shared<Function>(Relayout(apply)));
  }
}

void Program::AddParam(Encoding& encoding, std::string_view name, TypeId type) {
  const VarInfo info{.name = types().Intern(name), .annotation = type, .virtual_device = {}};
  encoding.params.push_back(encoding.apply.Var(info));
  encoding.apply.SetType(encoding.params.back(), type);
}

}  // namespace relayopt
