// Tuples, closures, calls, branches, matches and references of random functions.
#include <algorithm>

#include "lib/fuzz/function_generator.h"
#include "relayopt/ir/emit.h"

namespace relayopt {

void FunctionGenerator::StepTuple() {
  const ExprId tuple = AnyValue([this](ExprId id) { return context_.type(TypeOf(id)).is_tuple(); });
  if (tuple && random_.Chance(60)) {
    const auto fields = context_.type(TypeOf(tuple)).args;
    if (fields.empty()) return;
    const auto index = static_cast<uint32_t>(random_.Below(fields.size()));
    Keep(EmitTupleGetItem(to_, tuple, index), fields[index]);
    return;
  }
  std::vector<ExprId> fields;
  for (size_t n = random_.Below(4); n != 0; --n) fields.push_back(AnyTensor());
  const ExprId made = EmitTuple(to_, fields);
  Keep(made, TypeOf(made));
}

auto FunctionGenerator::Closure(std::span<const TypeId> params, TypeId result) -> ExprId {
  const std::vector<TypeId> types(params.begin(), params.end());
  const size_t outer = values_.size();
  std::vector<ExprId> vars;
  for (const TypeId type : types) vars.push_back(FreshVar(type));
  values_.insert(values_.end(), vars.begin(), vars.end());
  const ExprId body = Block(depth_ > 0 ? static_cast<int>(random_.Below(5)) : 0, result);
  values_.resize(outer);
  const TypeId type = context_.FunctionType(types, TypeOf(body));
  const ExprId closure = to_.Lambda({}, vars, body);
  to_.SetType(closure, type);
  return closure;
}

void FunctionGenerator::StepClosure() {
  std::vector<TypeId> params;
  for (size_t n = random_.Below(3); n != 0; --n) params.push_back(TypeOf(AnyTensor()));
  const ExprId closure = Closure(params, random_.Chance(50) ? TypeOf(AnyTensor()) : TypeId());
  // Bound, so that it can be called by name: a literal as callee prints its body before the arguments, and what both
  // share is then defined in a place where the arguments cannot see it.
  BindByLet(closure);
}

// Calls a closure at hand or a global function that is there already.
void FunctionGenerator::StepCall() {
  ExprId callee = AnyValue([this](ExprId id) { return context_.type(TypeOf(id)).is_function(); });
  const auto globals = module_.SortedFunctions();
  if (!globals.empty() && (!callee || random_.Chance(50))) {
    const GlobalId id = globals[random_.Below(globals.size())];
    const relayopt::Function& function = *module_.function(id);
    std::vector<TypeId> params;
    for (const ExprId param : function.params()) params.push_back(function.var(param).annotation);
    const TypeId result = function.info().result ? function.info().result : function.type(function.body());
    if (!result) return;
    callee = to_.Global(id);
    to_.SetType(callee, context_.FunctionType(params, result));
  }
  if (!callee) return;
  const Type& type = context_.type(TypeOf(callee));
  std::vector<ExprId> args;
  for (const TypeId param : type.args) args.push_back(ValueOf(param));
  Keep(to_.Call(callee, args), type.result);
}

auto FunctionGenerator::If(ExprId condition, TypeId type) -> ExprId {
  const ExprId then_value = Block(static_cast<int>(random_.Below(5)), type);
  const ExprId else_value = Block(static_cast<int>(random_.Below(5)), type);
  const ExprId made = to_.If(condition, then_value, else_value);
  to_.SetType(made, type);
  return made;
}

void FunctionGenerator::StepIf() {
  const ExprId condition = Condition();
  const TypeId type = TypeOf(AnyTensor());
  Keep(If(condition, type), type);
}

// `type List[A] { Cons(A, List[A]), Nil }`, defined when it is first needed.
auto FunctionGenerator::List() -> TypeDefId {
  const StringId name = context_.Intern("List");
  if (const TypeDefId found = module_.FindTypeDef(name)) return found;
  TypeDef def;
  def.name = name;
  def.params = {context_.FreshVar(context_.Intern("A"))};
  const TypeId element = def.params.front();
  const TypeId list = context_.TypeCall(name, def.params);
  const TypeDefId id = module_.AddTypeDef(std::move(def));
  module_.AddConstructor(id, context_.Intern("Cons"), {element, list});
  module_.AddConstructor(id, context_.Intern("Nil"), {});
  return id;
}

auto FunctionGenerator::ListOf(TypeId element) -> ExprId {
  const TypeDef& def = module_.type_def(List());
  const TypeId element_types[] = {element};
  const TypeId type = context_.TypeCall(def.name, element_types);
  const std::vector<CtorId> ctors = def.constructors;
  ExprId list = to_.Call(to_.Constructor(ctors[1]), {});
  to_.SetType(list, type);
  // At least one element: an empty list alone would not tell its type.
  for (size_t n = 1 + random_.Below(2); n != 0; --n) {
    const ExprId args[] = {ValueOf(element), list};
    list = to_.Call(to_.Constructor(ctors[0]), args);
    to_.SetType(list, type);
  }
  return list;
}

void FunctionGenerator::StepMatch() {
  ExprId data = AnyValue([this](ExprId id) { return context_.type(TypeOf(id)).kind == TypeKind::kCall; });
  if (!data) {
    data = ListOf(TypeOf(AnyTensor()));
    Keep(data, TypeOf(data));
  }
  const TypeId list = TypeOf(data);
  const TypeId element = context_.type(list).args.front();
  const TypeId result = random_.Chance(60) ? element : TypeOf(AnyTensor());
  const std::vector<CtorId> ctors = module_.type_def(List()).constructors;
  // Cons(%head, %tail) => ..., then Nil or a wildcard => ...
  const ExprId head = FreshVar(element);
  const ExprId tail = FreshVar(list);
  const size_t outer = values_.size();
  values_.push_back(head);
  values_.push_back(tail);
  const ExprId first = Block(static_cast<int>(random_.Below(4)), result);
  values_.resize(outer);
  const ExprId second = Block(static_cast<int>(random_.Below(3)), result);
  MatchInfo info;
  info.children = {1, 2};
  info.patterns = {{PatternKind::kConstructor, ctors[0], 0, 0, 2},
                   {PatternKind::kVar, {}, 1, 0, 0},
                   {PatternKind::kVar, {}, 2, 0, 0}};
  if (random_.Chance(50))
    info.patterns.push_back({PatternKind::kConstructor, ctors[1], 0, 2, 0});
  else
    info.patterns.push_back({PatternKind::kWildcard, {}, 0, 0, 0});
  info.clauses = {{0, 1, 3}, {3, 4, 4}};
  const ExprId operands[] = {data, head, tail, first, second};
  Keep(to_.Match(std::move(info), operands), result);
}

// References are bound by let, and so is every read and write: their order is the order of the steps.
void FunctionGenerator::StepRef() {
  ExprId ref = AnyValue([this](ExprId id) {
    return context_.type(TypeOf(id)).kind == TypeKind::kRef && to_.function().kind(id) == ExprKind::kVar;
  });
  const auto bind = [this](ExprId value, TypeId type) {
    to_.SetType(value, type);
    BindByLet(value);
    return values_.back();
  };
  if (!ref) {
    const ExprId content = AnyTensor();
    has_refs_ = true;
    ref = bind(to_.RefCreate(content), context_.RefType(TypeOf(content)));
    return;
  }
  const TypeId content = context_.type(TypeOf(ref)).result;
  if (random_.Chance(50))
    bind(to_.RefWrite(ref, ValueOf(content)), context_.UnitType());
  else
    bind(to_.RefRead(ref), content);
}

}  // namespace relayopt
