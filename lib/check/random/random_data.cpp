// Algebraic data and matches of random functions.
#include "function_generator.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

// `type List[A] { Cons(A, List[A]), Nil }` and `type Tree[A] { Leaf(A), Node(Tree[A], Tree[A]) }`, defined when they
// are first needed. The first constructor of each holds an element, so that a value of it determines its type.
auto FunctionGenerator::DataDefinition(std::string_view name) -> TypeDefId {
  const StringId id = context_.Intern(name);
  if (const TypeDefId found = module_.FindTypeDef(id)) return found;
  TypeDef def;
  def.name = id;
  def.params = {context_.FreshVar(context_.Intern("A"))};
  const TypeId element = def.params.front();
  const TypeId data = context_.TypeCall(id, def.params);
  const TypeDefId made = module_.AddTypeDef(std::move(def));
  if (name == "List") {
    module_.AddConstructor(made, context_.Intern("Cons"), {element, data});
    module_.AddConstructor(made, context_.Intern("Nil"), {});
  } else {
    module_.AddConstructor(made, context_.Intern("Leaf"), {element});
    module_.AddConstructor(made, context_.Intern("Node"), {data, data});
  }
  return made;
}

auto FunctionGenerator::ConstructorCall(CtorId ctor, TypeId type, std::span<const ExprId> args) -> ExprId {
  const ExprId call = to_.Call(to_.Constructor(ctor), args);
  to_.SetType(call, type);
  return call;
}

auto FunctionGenerator::DataOf(TypeId type) -> ExprId {
  const StringId name = context_.type(type).name;
  const TypeId element = context_.type(type).args.front();
  const std::vector<CtorId> ctors = module_.type_def(module_.FindTypeDef(name)).constructors;
  if (context_.text(name) == "List") {
    ExprId list = ConstructorCall(ctors[1], type, {});
    for (size_t n = 1 + random_.Below(2); n != 0; --n) {
      const ExprId args[] = {ValueOf(element), list};
      list = ConstructorCall(ctors[0], type, args);
    }
    return list;
  }
  const ExprId value[] = {ValueOf(element)};
  ExprId tree = ConstructorCall(ctors[0], type, value);
  for (size_t n = random_.Below(3); n != 0; --n) {
    const ExprId other[] = {ValueOf(element)};
    ExprId parts[] = {tree, ConstructorCall(ctors[0], type, other)};
    if (random_.Chance(50)) std::swap(parts[0], parts[1]);
    tree = ConstructorCall(ctors[1], type, parts);
  }
  return tree;
}

// A match that is being generated.
struct FunctionGenerator::MatchParts {
  MatchInfo info;
  // The data, then the variables and the right-hand side of each clause.
  std::vector<ExprId> operands;
};

// Adds a pattern for values of the type, with its variables; returns its number. Recurses no deeper than `depth`.
auto FunctionGenerator::AddPattern(TypeId type, int depth, MatchParts& parts) -> uint32_t {
  const Type& term = context_.type(type);
  std::vector<TypeId> fields;
  Pattern pattern;
  if (depth > 0 && term.kind == TypeKind::kCall && random_.Chance(70)) {
    const TypeDef& def = module_.type_def(module_.FindTypeDef(term.name));
    const std::vector<TypeId> args(term.args.begin(), term.args.end());
    pattern.kind = PatternKind::kConstructor;
    pattern.ctor = random_.Pick(std::span<const CtorId>(def.constructors));
    for (const TypeId input : module_.constructor(pattern.ctor).inputs) {
      fields.push_back(Substitute(context_, input, def.params, args));
    }
  } else if (depth > 0 && term.is_tuple() && random_.Chance(70)) {
    pattern.kind = PatternKind::kTuple;
    fields.assign(term.args.begin(), term.args.end());
  } else if (random_.Chance(60)) {
    pattern.kind = PatternKind::kVar;
    pattern.operand = static_cast<uint32_t>(parts.operands.size());
    parts.operands.push_back(FreshVar(type));
  }
  auto children = MapToVector<uint32_t>(fields, [&](TypeId field) { return AddPattern(field, depth - 1, parts); });
  pattern.first_child = static_cast<uint32_t>(parts.info.children.size());
  pattern.num_children = static_cast<uint32_t>(children.size());
  parts.info.children.insert(parts.info.children.end(), children.begin(), children.end());
  parts.info.patterns.push_back(pattern);
  return static_cast<uint32_t>(parts.info.patterns.size() - 1);
}

void FunctionGenerator::AddClause(TypeId data, int depth, TypeId result, MatchParts& parts) {
  MatchClause clause;
  clause.first_operand = static_cast<uint32_t>(parts.operands.size());
  clause.pattern = AddPattern(data, depth, parts);
  const size_t outer = values_.size();
  values_.insert(values_.end(), parts.operands.begin() + clause.first_operand, parts.operands.end());
  const ExprId rhs = Block(static_cast<int>(random_.Below(4)), result);
  values_.resize(outer);
  clause.rhs = static_cast<uint32_t>(parts.operands.size());
  parts.operands.push_back(rhs);
  parts.info.clauses.push_back(clause);
}

void FunctionGenerator::StepMatch() {
  ExprId data = AnyValue([this](ExprId id) {
    const Type& type = context_.type(TypeOf(id));
    return type.kind == TypeKind::kCall || (type.is_tuple() && random_.Chance(30));
  });
  if (!data) {
    const TypeId element[] = {TypeOf(AnyTensor())};
    const TypeDefId def = DataDefinition(random_.Chance(70) ? "List" : "Tree");
    data = DataOf(context_.TypeCall(module_.type_def(def).name, element));
    Keep(data, TypeOf(data));
  }
  const TypeId type = TypeOf(data);
  const TypeKind kind = context_.type(type).kind;
  const TypeId element = kind == TypeKind::kCall ? context_.type(type).args.front() : TypeId();
  const TypeId result = element && random_.Chance(60) ? element : TypeOf(AnyTensor());
  MatchParts parts;
  parts.operands.push_back(data);
  constexpr int kMostNested = 3;
  for (size_t n = 1 + random_.Below(2); n != 0; --n) AddClause(type, kMostNested, result, parts);
  // An incomplete match must be marked as such; a value that no clause handles has no result.
  parts.info.complete = !random_.Chance(3);
  if (parts.info.complete) AddClause(type, 0, result, parts);
  Keep(to_.Match(std::move(parts.info), parts.operands), result);
}

}  // namespace relayopt
