// From a table to a graph of objects: one scan upwards.
#include <absl/container/flat_hash_map.h>

#include <unordered_map>
#include <utility>

#include "relayopt/graph/table_face.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/relay/types/unifier.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::graph {
namespace {

class Thawing {
 public:
  Thawing(Lineage& lineage, const Module& module, const Function& table, std::span<const Value> param_ids)
      : lineage_(lineage), module_(module), table_(table), objects_(table.size()) {
    for (const Value& id : param_ids) {
      // A name that two variables have does not identify either.
      const auto [entry, is_new] = ids_.try_emplace(NameOf(id), id);
      if (!is_new) entry->second = {};
    }
    is_param_.resize(table.size());
    for (const ExprId param : table.params()) is_param_[param.value()] = true;
  }

  auto Run() -> std::vector<Ref<Object>> {
    FindReachable();
    for (uint32_t i = 0; i < table_.size(); ++i) {
      const ExprId id(i);
      if (!reached_[i]) continue;
      const Ref<SlotObj> made = Make(id);
      objects_[i] = made;
      const ExprKind kind = table_.kind(id);
      // All uses of an operator or constructor share one object, which must not change.
      if (kind == ExprKind::kOp || kind == ExprKind::kConstructor) continue;
      if (table_.type(id)) made->set(slot::kCheckedType, lineage_.ObjectOf(table_.type(id)));
      if (kind == ExprKind::kGlobal) continue;
      if (const SpanId span = SpanOf(id)) made->set(slot::kSpan, lineage_.ObjectOf(span));
    }
    return std::move(objects_);
  }

 private:
  void FindReachable() {
    reached_.resize(table_.size());
    reached_[table_.root().value()] = true;
    for (uint32_t i = table_.root().value() + 1; i-- > 0;) {
      if (!reached_[i]) continue;
      for (const ExprId operand : table_.operands(ExprId(i))) reached_[operand.value()] = true;
    }
  }

  // Returns the span of the expression in the original model, or else in the text of the module.
  auto SpanOf(ExprId id) const -> SpanId {
    const SourceRange range = table_.range(id);
    if (table_.span(id) || !range.valid() || module_.source() == nullptr) return table_.span(id);
    const SourceText& source = *module_.source();
    const LineColumn begin = source.Position(range.begin);
    const LineColumn end = source.Position(range.end);
    Context& context = lineage_.context();
    return context.Intern(Span{context.Intern(source.name()), static_cast<int32_t>(begin.line),
                               static_cast<int32_t>(begin.column), static_cast<int32_t>(end.line),
                               static_cast<int32_t>(end.column)});
  }

  static auto Node_(Node node, std::initializer_list<Value> own_fields) -> Ref<SlotObj> {
    const object::TypeInfo& info = object::InfoOf(TypeOf(node));
    auto made = SlotObj::Create(info.index, info.fields.size());
    size_t i = info.own_fields;
    for (const Value& field : own_fields) made->set(i++, field);
    return made;
  }

  auto At(ExprId id) const -> Value { return objects_[id.value()]; }
  auto Array(std::span<const ExprId> ids) const -> Value {
    auto array = object::MakeArray(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) array->set(i, At(ids[i]));
    return array;
  }
  // Returns the types of an operator's operands, which are its type arguments, or none if one is not known. Equal ones
  // are shared.
  auto TypesOf(std::span<const ExprId> operands) -> const Value& {
    std::vector<TypeId> types;
    for (const ExprId operand : operands) {
      types.push_back(table_.type(operand));
      if (!types.back()) return EmptyArray();
    }
    return Shared(types);
  }
  // Returns the type arguments of a call of a generic function, or null if they are not known.
  auto TypeArgsOf(ExprId call) -> const Value& {
    const TypeId callee = table_.type(table_.operand(call, 0));
    Context& context = lineage_.context();
    if (!callee || !table_.type(call) || !context.type(callee).is_function()) return EmptyArray();
    const Type& generic = context.type(callee);
    if (generic.type_params.empty()) return EmptyArray();
    const std::vector<TypeId> params(generic.type_params.begin(), generic.type_params.end());
    const std::vector<TypeId> wanted(generic.args.begin(), generic.args.end());
    std::vector<TypeId> given;
    for (const ExprId operand : table_.operands(call).subspan(1)) {
      given.push_back(table_.type(operand));
      if (!given.back()) return EmptyArray();
    }
    Unifier unifier(context);
    std::vector<TypeId> unknowns;
    unknowns.reserve(params.size());
    for (size_t i = 0; i < params.size(); ++i) unknowns.push_back(unifier.Fresh());
    const TypeId open = Substitute(context, context.FunctionType(wanted, generic.result), params, unknowns);
    if (!unifier.Unify(open, context.FunctionType(given, table_.type(call)))) return EmptyArray();
    for (TypeId& unknown : unknowns) {
      unknown = unifier.Resolve(unknown);
      if (context.type(unknown).has_incomplete) return EmptyArray();
    }
    return Shared(unknowns);
  }
  auto Shared(const std::vector<TypeId>& types) -> const Value& {
    Value& made = type_args_[types];
    if (made.is_null()) {
      auto array = object::MakeArray(types.size());
      for (size_t i = 0; i < types.size(); ++i) array->set(i, lineage_.ObjectOf(types[i]));
      made = array;
    }
    return made;
  }
  auto EmptyArray() -> const Value& {
    if (empty_.is_null()) empty_ = object::MakeArray(size_t{0});
    return empty_;
  }

  auto Make(ExprId id) -> Ref<SlotObj> {
    const auto operands = table_.operands(id);
    switch (table_.kind(id)) {
      case ExprKind::kVar: {
        const VarInfo& info = table_.var(id);
        auto var = Node_(Node::kVar, {IdOf(id, info), lineage_.ObjectOf(info.annotation)});
        if (info.virtual_device) var->set(slot::kVirtualDevice, lineage_.ObjectOf(info.virtual_device));
        return var;
      }
      case ExprKind::kGlobal: return lineage_.GlobalVar(module_.name(table_.global(id)));
      case ExprKind::kConstructor: return lineage_.ConstructorOf(module_, table_.constructor(id));
      case ExprKind::kOp: return OpObject(table_.op(id)->name);
      case ExprKind::kConstant: return Node_(Node::kConstant, {lineage_.ObjectOf(table_.constant_id(id))});
      case ExprKind::kTuple: return Node_(Node::kTuple, {Array(operands)});
      case ExprKind::kTupleGetItem: return Node_(Node::kTupleGetItem, {At(operands[0]), table_.index(id)});
      case ExprKind::kOpCall:
        return Node_(Node::kCall, {OpObject(table_.op(id)->name), Array(operands), lineage_.ObjectOf(table_.attrs(id)),
                                   TypesOf(operands)});
      case ExprKind::kCall:
        return Node_(Node::kCall, {At(operands[0]), Array(operands.subspan(1)), lineage_.ObjectOf(table_.attrs(id)),
                                   TypeArgsOf(id)});
      case ExprKind::kFunction: return MakeFunction(id);
      case ExprKind::kLet: return MakeLet(id);
      case ExprKind::kIf: return Node_(Node::kIf, {At(operands[0]), At(operands[1]), At(operands[2])});
      case ExprKind::kMatch: return MakeMatch(id);
      case ExprKind::kRefCreate: return Node_(Node::kRefCreate, {At(operands[0])});
      case ExprKind::kRefRead: return Node_(Node::kRefRead, {At(operands[0])});
      case ExprKind::kRefWrite: return Node_(Node::kRefWrite, {At(operands[0]), At(operands[1])});
    }
    return {};
  }

  static auto NameOf(const Value& id) -> std::string_view { return SlotsOf(*id.object())[slot::kIdName].text(); }

  // Every parameter of the function takes the identity of its name, once.
  auto IdOf(ExprId id, const VarInfo& info) -> Value {
    const std::string_view name = lineage_.context().text(info.name);
    const auto known = ids_.find(name);
    if (known != ids_.end() && known->second.is_object() && is_param_[id.value()]) {
      return std::exchange(known->second, {});
    }
    return Node_(Node::kId, {name});
  }

  auto MakeFunction(ExprId id) -> Ref<SlotObj> {
    const FunctionInfo& info = table_.info(id);
    auto type_params = object::MakeArray(info.type_params.size());
    for (size_t i = 0; i < info.type_params.size(); ++i) {
      type_params->set(i, lineage_.ObjectOf(info.type_params[i]));
    }
    auto function = SlotObj::Create(TypeOf(Node::kFunction), kFaceSlot + 1);
    function->set(slot::kFunctionAttrs, Attrs(info));
    function->set(slot::kParams, Array(table_.params(id)));
    function->set(slot::kBody, At(table_.body(id)));
    function->set(slot::kResultType, lineage_.ObjectOf(info.result));
    function->set(slot::kTypeParams, type_params);
    if (info.virtual_device) function->set(slot::kVirtualDevice, lineage_.ObjectOf(info.virtual_device));
    return function;
  }

  auto Attrs(const FunctionInfo& info) -> Value {
    if (info.attrs.empty()) return {};
    auto entries = MapToVector<std::pair<Value, Value>>(info.attrs, [&](const FunctionAttr& attr) {
      return std::pair<Value, Value>(lineage_.context().text(attr.key), lineage_.ObjectOf(attr.value));
    });
    return Node_(Node::kDictAttrs, {object::Make<object::MapObj>(std::move(entries))});
  }

  auto MakeLet(ExprId id) -> Ref<SlotObj> {
    Value body = At(table_.let_result(id));
    Ref<SlotObj> let;
    for (size_t i = table_.let_size(id); i-- > 0;) {
      let = Node_(Node::kLet, {At(table_.let_var(id, i)), At(table_.let_value(id, i)), body});
      if (i != 0 && table_.type(id)) let->set(slot::kCheckedType, lineage_.ObjectOf(table_.type(id)));
      body = let;
    }
    return let;
  }

  auto MakeMatch(ExprId id) -> Ref<SlotObj> {
    const MatchInfo& info = table_.match(id);
    const auto operands = table_.operands(id);
    auto clauses = object::MakeArray(info.clauses.size());
    for (size_t i = 0; i < info.clauses.size(); ++i) {
      clauses->set(i, Node_(Node::kClause,
                            {MakePattern(info, info.clauses[i].pattern, operands), At(operands[info.clauses[i].rhs])}));
    }
    return Node_(Node::kMatch, {At(operands[0]), clauses, info.complete});
  }

  // Sub-patterns first, from a stack.
  auto MakePattern(const MatchInfo& info, uint32_t root, std::span<const ExprId> operands) -> Value {
    std::vector<std::pair<uint32_t, bool>> work = {{root, false}};
    std::vector<Value> made(info.patterns.size());
    while (!work.empty()) {
      const auto [at, opened] = work.back();
      work.pop_back();
      const Pattern& pattern = info.patterns[at];
      const std::span children(info.children.data() + pattern.first_child, pattern.num_children);
      if (!opened && !children.empty()) {
        work.emplace_back(at, true);
        for (const uint32_t child : children) work.emplace_back(child, false);
        continue;
      }
      auto list = object::MakeArray(children.size());
      for (size_t i = 0; i < children.size(); ++i) list->set(i, made[children[i]]);
      switch (pattern.kind) {
        case PatternKind::kWildcard: made[at] = Node_(Node::kPatternWildcard, {}); break;
        case PatternKind::kVar: made[at] = Node_(Node::kPatternVar, {At(operands[pattern.operand])}); break;
        case PatternKind::kConstructor:
          made[at] = Node_(Node::kPatternConstructor, {lineage_.ConstructorOf(module_, pattern.ctor), list});
          break;
        case PatternKind::kTuple: made[at] = Node_(Node::kPatternTuple, {list}); break;
      }
    }
    return made[root];
  }

  Lineage& lineage_;
  const Module& module_;
  const Function& table_;
  std::vector<Ref<Object>> objects_;
  std::vector<bool> reached_;
  std::vector<bool> is_param_;
  std::unordered_map<std::string_view, Value> ids_;
  Value empty_;
  absl::flat_hash_map<std::vector<TypeId>, Value> type_args_;
};

}  // namespace

auto ThawAll(Lineage& lineage, const Module& module, const Function& table, std::span<const Value> param_ids)
    -> std::vector<Ref<Object>> {
  return Thawing(lineage, module, table, param_ids).Run();
}

auto FunctionFromTable(const LineageRef& lineage, const std::shared_ptr<const Module>& module, FunctionRef table,
                       std::vector<Value> param_ids) -> Ref<SlotObj> {
  auto function = SlotObj::Create(TypeOf(Node::kFunction), kFaceSlot + 1);
  auto face = object::Make<TableFaceObj>(lineage, module, std::move(table));
  face->param_ids = std::move(param_ids);
  function->set(kFaceSlot, std::move(face));
  return function;
}

auto ParamIds(const SlotObj& function) -> std::vector<Value> {
  const TableFaceObj* const face = FaceOf(function);
  if (function.slot(slot::kParams).is_null()) return face == nullptr ? std::vector<Value>() : face->param_ids;
  std::vector<Value> ids;
  for (const Value& param : object::Items(function.slot(slot::kParams))) {
    if (IsExactly(param.object(), Node::kVar)) ids.push_back(SlotsOf(*param.object())[slot::kVid]);
  }
  return ids;
}

auto FaceOf(const SlotObj& function) -> const TableFaceObj* { return function.slot(kFaceSlot).as<TableFaceObj>(); }

void Thaw(SlotObj& function) {
  const TableFaceObj* const face = FaceOf(function);
  RELAYOPT_CHECK(face != nullptr, "a function has one face at least");
  const auto objects = ThawAll(*face->lineage, *face->module, *face->table, face->param_ids);
  const auto& root = static_cast<const SlotObj&>(*objects[face->table->root().value()]);
  for (size_t i = 0; i < kFaceSlot; ++i) function.set(i, root.slot(i));
}

}  // namespace relayopt::graph
