// Writes modules as graph JSON: each expression is a node, and so is all that the tables keep in other forms, such as
// the variables of a let chain one by one. Fields come in the order in which TVM's classes visit them.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/convert/tvm_json/tvm_json.h"
#include "relayopt/module/constructor_tag.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/text/graph_nodes.h"
#include "relayopt/relay/text/map_order.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kTvmJsonKind = {"tvm-json-kind", Severity::kError,
                                         "graph JSON holds functions of Relay only, and @{} is one of {}"};

// The nodes of a module that are not values of the context: NodeRef::a of kOwn and kOwnShared.
enum Part : uint32_t {
  kModule,
  kFunctions,
  kTypes,
  kGlobalVars,      // by name
  kGlobalTypeVars,  // by name
  kSourceMap,
  kNoSources,
  kModuleAttrs,
  kModuleDict,
  kGlobalVar,      // b: the global
  kGlobalTypeVar,  // b: the type
  kTypeData,       // b: the type
  kTypeVars,       // b: the type
  kCtors,          // b: the type
  kCtor,           // b: the constructor
  kCtorInputs,     // b: the constructor
  kOp,             // b: the number of the operator
  // b: the global of the function that contains it, c: the expression.
  kExpr,        // d: of a let chain, the step
  kId,          // the identity of a variable
  kOperands,    // the fields of a tuple, the arguments of a call, the parameters of a function
  kTypeArgs,    // of a call
  kTypeParams,  // of a function
  kAttrs,       // of a function
  kDict,        // of a function
  kClauses,     // of a match
  kClause,      // d: its number
  kPattern,     // d: its number
  kSubpatterns,
};

using Kind = NodeRef::Kind;

auto Own(Part part, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0) -> NodeRef { return {Kind::kOwn, part, b, c, d}; }
auto Shared(Part part, uint32_t b, uint32_t c = 0, uint32_t d = 0) -> NodeRef {
  return {Kind::kOwnShared, part, b, c, d};
}

class ModuleSource final : public GraphSource {
 public:
  explicit ModuleSource(const Module& module) : module_(module), context_(module.context()), values_(context_) {}

  void Describe(const NodeRef& ref, NodeVisitor& visitor) override {
    visitor_ = &visitor;
    if (ref.kind == Kind::kTypeHead) {
      // The name of a type is one object: TVM finds definitions by it.
      DescribeTypeName(context_.text(context_.type(TypeId(ref.a)).name));
    } else if (ref.kind != Kind::kOwn && ref.kind != Kind::kOwnShared) {
      NamesOfTypes names(*this, visitor);
      values_.Describe(ref, names);
    } else {
      DescribePart(ref);
    }
  }

 private:
  // Passes nodes on, except for names of types, which are nodes of the module.
  class NamesOfTypes final : public NodeVisitor {
   public:
    NamesOfTypes(const ModuleSource& source, NodeVisitor& to) : source_(source), to_(to) {}

    void TypeKey(std::string_view key) override { to_.TypeKey(key); }
    void Bytes(std::string_view bytes) override { to_.Bytes(bytes); }
    void Literal(std::string_view field, std::string_view value) override { to_.Literal(field, value); }
    void Child(std::string_view field, const NodeRef& child) override {
      if (child.kind == Kind::kTypeHead) {
        const StringId name = source_.context_.type(TypeId(child.a)).name;
        if (const TypeDefId def = source_.module_.FindTypeDef(name)) {
          return to_.Child(field, Shared(kGlobalTypeVar, def.value()));
        }
      }
      to_.Child(field, child);
    }
    void Item(const NodeRef& child) override { to_.Item(child); }
    void Key(std::string_view key) override { to_.Key(key); }
    void Tensor(std::string_view field, ConstantId constant) override { to_.Tensor(field, constant); }

   private:
    const ModuleSource& source_;
    NodeVisitor& to_;
  };

  void TypeKey(std::string_view key) { visitor_->TypeKey(key); }
  void Child(std::string_view field, const NodeRef& child) { visitor_->Child(field, child); }
  void Literal(std::string_view field, int64_t value) { visitor_->Literal(field, std::to_string(value)); }
  void Text(std::string_view field, StringId text) { Child(field, {Kind::kText, text.value()}); }
  void Span(SpanId span = {}) { Child("span", span ? NodeRef{Kind::kSpan, span.value()} : NodeRef()); }
  auto TypeNode(TypeId type) const -> NodeRef {
    const bool is_null = !type || context_.type(type).kind == TypeKind::kNull;
    return is_null ? NodeRef() : NodeRef{Kind::kType, type.value()};
  }
  // Writes the field that every expression has last.
  void Device(ObjectId device) { Child("virtual_device_", device ? values_.NodeOf(device) : NodeRef{Kind::kDevice}); }
  void Rest(const Function& function, ExprId id, ObjectId device = {}) {
    Device(device);
    Span(function.span(id));
    Child("_checked_type_", TypeNode(function.type(id)));
  }

  void DescribePart(const NodeRef& ref) {
    switch (static_cast<Part>(ref.a)) {
      case kModule:
        TypeKey("IRModule");
        Child("functions", Own(kFunctions));
        Child("type_definitions", Own(kTypes));
        Child("global_var_map_", Own(kGlobalVars));
        Child("global_type_var_map_", Own(kGlobalTypeVars));
        Child("source_map", Own(kSourceMap));
        Child("attrs", module_.attrs().empty() ? NodeRef() : Own(kModuleAttrs));
        break;
      case kFunctions:
      case kGlobalVars: DescribeGlobals(ref.a == kGlobalVars); break;
      case kTypes:
      case kGlobalTypeVars: DescribeTypes(ref.a == kGlobalTypeVars); break;
      case kSourceMap:
        TypeKey("SourceMap");
        Child("source_map", Own(kNoSources));
        break;
      case kNoSources: TypeKey("Map"); break;
      case kModuleAttrs: DescribeDictAttrs(Own(kModuleDict)); break;
      case kModuleDict: DescribeDict(module_.attrs()); break;
      case kGlobalVar: DescribeGlobalVar(GlobalId(ref.b)); break;
      case kGlobalTypeVar: DescribeTypeName(context_.text(module_.type_def(TypeDefId(ref.b)).name)); break;
      case kTypeData: DescribeTypeData(ref.b); break;
      case kTypeVars: DescribeTypeArray(module_.type_def(TypeDefId(ref.b)).params); break;
      case kCtors:
        TypeKey("Array");
        for (const CtorId ctor : module_.type_def(TypeDefId(ref.b)).constructors) {
          visitor_->Item(Shared(kCtor, ctor.value()));
        }
        break;
      case kCtor: DescribeCtor(ref.b); break;
      case kCtorInputs: DescribeTypeArray(module_.constructor(CtorId(ref.b)).inputs); break;
      case kOp:
        TypeKey("Op");
        visitor_->Bytes(ops_[ref.b]->name);
        break;
      default: DescribeInside(ref, *module_.function<Function>(GlobalId(ref.b)), ExprId(ref.c)); break;
    }
  }

  void DescribeGlobals(bool by_name) {
    TypeKey("Map");
    for (const GlobalId id : module_.SortedFunctions()) {
      if (by_name) {
        visitor_->Key(module_.name(id));
        visitor_->Item(Shared(kGlobalVar, id.value()));
      } else {
        visitor_->Item(Shared(kGlobalVar, id.value()));
        visitor_->Item(Shared(kExpr, id.value(), module_.function<Function>(id)->root().value()));
      }
    }
  }

  void DescribeTypes(bool by_name) {
    TypeKey("Map");
    for (uint32_t i = 0; i < module_.type_defs().size(); ++i) {
      if (by_name) visitor_->Key(context_.text(module_.type_def(TypeDefId(i)).name));
      visitor_->Item(Shared(kGlobalTypeVar, i));
      if (!by_name) visitor_->Item(Shared(kTypeData, i));
    }
  }

  void DescribeGlobalVar(GlobalId id) {
    const Function* function = module_.function<Function>(id);
    TypeKey("GlobalVar");
    Text("name_hint", module_.global(id).name);
    Device({});
    Span();
    Child("_checked_type_", function == nullptr ? NodeRef() : TypeNode(function->type(function->root())));
  }

  void DescribeTypeName(std::string_view name) {
    TypeKey("GlobalTypeVar");
    Text("name_hint", module_.context().Intern(name));
    // TypeKind::kAdtHandle.
    Literal("kind", 5);
  }

  void DescribeTypeData(uint32_t id) {
    TypeKey("relay.TypeData");
    Child("header", Shared(kGlobalTypeVar, id));
    Child("type_vars", Own(kTypeVars, id));
    Child("constructors", Own(kCtors, id));
    Span();
  }

  void DescribeTypeArray(std::span<const TypeId> types) {
    TypeKey("Array");
    for (const TypeId type : types) visitor_->Item(TypeNode(type));
  }

  void DescribeCtor(uint32_t id) {
    const Constructor& ctor = module_.constructor(CtorId(id));
    TypeKey("relay.Constructor");
    Text("name_hint", ctor.name);
    Child("inputs", Own(kCtorInputs, id));
    Child("belong_to", Shared(kGlobalTypeVar, ctor.type_def.value()));
    Literal("tag", ConstructorTag(context_.text(module_.type_def(ctor.type_def).name), ctor.tag));
    Span();
    Child("_checked_type_", {});
  }

  void DescribeDictAttrs(const NodeRef& dict) {
    TypeKey("DictAttrs");
    Child("__dict__", dict);
  }

  void DescribeDict(std::span<const DictAttr> attrs) {
    TypeKey("Map");
    for (const size_t i : OrderToWrite(attrs)) {
      visitor_->Key(context_.text(attrs[i].key));
      visitor_->Item(values_.NodeOf(attrs[i].value));
    }
  }

  // Reading inserts the entries into a hash table, which usually reverses them. Returns an order that reading turns
  // into the present one, if a short search finds such an order.
  auto OrderToWrite(std::span<const DictAttr> attrs) const -> std::vector<size_t> {
    constexpr size_t kMostToPermute = 6;
    std::vector<size_t> order(attrs.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto comes_back = [&] {
      const auto keys = MapToVector<std::string_view>(order, [&](size_t i) { return context_.text(attrs[i].key); });
      size_t next = 0;
      return std::ranges::all_of(CollectedMapOrder(keys), [&](size_t at) { return order[at] == next++; });
    };
    std::ranges::reverse(order);
    if (comes_back()) return order;
    std::ranges::reverse(order);
    if (attrs.size() > kMostToPermute) return order;
    do {
      if (comes_back()) return order;
    } while (std::ranges::next_permutation(order).found);
    return order;
  }

  // A part of an expression.
  void DescribeInside(const NodeRef& ref, const Function& function, ExprId id) {
    switch (static_cast<Part>(ref.a)) {
      case kExpr: DescribeExpr(ref, function, id); break;
      case kId:
        TypeKey("relay.Id");
        Text("name_hint", function.var(id).name);
        break;
      case kOperands: DescribeOperands(ref, function, id); break;
      case kTypeArgs:
        TypeKey("Array");
        if (function.kind(id) != ExprKind::kOpCall) break;
        for (const ExprId arg : function.operands(id)) visitor_->Item(TypeNode(function.type(arg)));
        break;
      case kTypeParams: DescribeTypeArray(function.info(id).type_params); break;
      case kAttrs: DescribeDictAttrs(Own(kDict, ref.b, ref.c)); break;
      case kDict: DescribeDict(function.info(id).attrs); break;
      case kClauses:
        TypeKey("Array");
        for (uint32_t i = 0; i < function.match(id).clauses.size(); ++i) visitor_->Item(Own(kClause, ref.b, ref.c, i));
        break;
      case kClause: {
        const MatchClause& clause = function.match(id).clauses[ref.d];
        TypeKey("relay.Clause");
        Child("lhs", Own(kPattern, ref.b, ref.c, clause.pattern));
        Child("rhs", NodeOf(ref.b, function, function.operand(id, clause.rhs)));
        break;
      }
      case kPattern: DescribePattern(ref, function, id); break;
      case kSubpatterns: {
        const MatchInfo& match = function.match(id);
        const Pattern& pattern = match.patterns[ref.d];
        TypeKey("Array");
        for (uint32_t i = 0; i < pattern.num_children; ++i) {
          visitor_->Item(Own(kPattern, ref.b, ref.c, match.children[pattern.first_child + i]));
        }
        break;
      }
      default: break;
    }
  }

  void DescribeOperands(const NodeRef& ref, const Function& function, ExprId id) {
    auto operands = function.operands(id);
    if (function.kind(id) == ExprKind::kFunction) operands = function.params(id);
    if (function.kind(id) == ExprKind::kCall) operands = operands.subspan(1);
    TypeKey("Array");
    for (const ExprId operand : operands) visitor_->Item(NodeOf(ref.b, function, operand));
  }

  void DescribePattern(const NodeRef& ref, const Function& function, ExprId id) {
    const Pattern& pattern = function.match(id).patterns[ref.d];
    switch (pattern.kind) {
      case PatternKind::kWildcard: TypeKey("relay.PatternWildcard"); break;
      case PatternKind::kVar:
        TypeKey("relay.PatternVar");
        Child("var", ExprNode(ref.b, function.operand(id, pattern.operand)));
        break;
      case PatternKind::kConstructor:
        TypeKey("relay.PatternConstructor");
        Child("constructor", Shared(kCtor, pattern.ctor.value()));
        Child("patterns", Own(kSubpatterns, ref.b, ref.c, ref.d));
        break;
      case PatternKind::kTuple:
        TypeKey("relay.PatternTuple");
        Child("patterns", Own(kSubpatterns, ref.b, ref.c, ref.d));
        break;
    }
    Span();
  }

  static auto ExprNode(uint32_t global, ExprId id) -> NodeRef { return Shared(kExpr, global, id.value()); }

  // Returns the node of an expression. Some expressions are the same node in all functions.
  auto NodeOf(uint32_t global, const Function& function, ExprId id) -> NodeRef {
    switch (function.kind(id)) {
      case ExprKind::kGlobal: return Shared(kGlobalVar, function.global(id).value());
      case ExprKind::kConstructor: return Shared(kCtor, function.constructor(id).value());
      case ExprKind::kOp: return OpNode(function.op(id));
      default: return ExprNode(global, id);
    }
  }

  auto OpNode(const OpDef* op) -> NodeRef {
    const auto [entry, is_new] = op_numbers_.try_emplace(op, static_cast<uint32_t>(ops_.size()));
    if (is_new) ops_.push_back(op);
    return Shared(kOp, entry->second);
  }

  void DescribeExpr(const NodeRef& ref, const Function& function, ExprId id) {
    const auto operand = [&](size_t i) { return NodeOf(ref.b, function, function.operand(id, i)); };
    switch (function.kind(id)) {
      case ExprKind::kVar: return DescribeVar(ref, function, id);
      case ExprKind::kConstant:
        TypeKey("relay.Constant");
        visitor_->Tensor("data", function.constant_id(id));
        break;
      case ExprKind::kTuple:
        TypeKey("relay.Tuple");
        Child("fields", Own(kOperands, ref.b, ref.c));
        break;
      case ExprKind::kTupleGetItem:
        TypeKey("relay.TupleGetItem");
        Child("tuple_value", operand(0));
        Literal("index", function.index(id));
        break;
      case ExprKind::kOpCall:
      case ExprKind::kCall: DescribeCall(ref, function, id); break;
      case ExprKind::kFunction: return DescribeFunction(ref, function, id);
      case ExprKind::kLet: return DescribeLet(ref, function, id);
      case ExprKind::kIf:
        TypeKey("relay.If");
        Child("cond", operand(0));
        Child("true_branch", operand(1));
        Child("false_branch", operand(2));
        break;
      case ExprKind::kMatch:
        TypeKey("relay.Match");
        Child("data", operand(0));
        Child("clauses", Own(kClauses, ref.b, ref.c));
        Literal("complete", function.match(id).complete ? 1 : 0);
        break;
      case ExprKind::kRefCreate:
        TypeKey("relay.RefCreate");
        Child("value", operand(0));
        break;
      case ExprKind::kRefRead:
        TypeKey("relay.RefRead");
        Child("ref", operand(0));
        break;
      case ExprKind::kRefWrite:
        TypeKey("relay.RefWrite");
        Child("ref", operand(0));
        Child("value", operand(1));
        break;
      // Nodes of the module: see NodeOf.
      case ExprKind::kGlobal:
      case ExprKind::kConstructor:
      case ExprKind::kOp: return;
    }
    Rest(function, id);
  }

  void DescribeVar(const NodeRef& ref, const Function& function, ExprId id) {
    const VarInfo& info = function.var(id);
    TypeKey("relay.Var");
    Child("vid", Own(kId, ref.b, ref.c));
    Child("type_annotation", TypeNode(info.annotation));
    Rest(function, id, info.virtual_device);
  }

  void DescribeCall(const NodeRef& ref, const Function& function, ExprId id) {
    TypeKey("relay.Call");
    Child("op", function.kind(id) == ExprKind::kOpCall ? OpNode(function.op(id))
                                                       : NodeOf(ref.b, function, function.operand(id, 0)));
    Child("args", Own(kOperands, ref.b, ref.c));
    const AttrsId attrs = function.attrs(id);
    Child("attrs", attrs ? NodeRef{Kind::kAttrs, attrs.value()} : NodeRef());
    Child("type_args", Own(kTypeArgs, ref.b, ref.c));
  }

  void DescribeFunction(const NodeRef& ref, const Function& function, ExprId id) {
    const FunctionInfo& info = function.info(id);
    TypeKey("relay.Function");
    Child("params", Own(kOperands, ref.b, ref.c));
    Child("body", NodeOf(ref.b, function, function.body(id)));
    Child("ret_type", TypeNode(info.result));
    Child("type_params", Own(kTypeParams, ref.b, ref.c));
    Child("attrs", info.attrs.empty() ? NodeRef() : Own(kAttrs, ref.b, ref.c));
    Rest(function, id, info.virtual_device);
  }

  // Writes one step of a let chain. The next step, or the result, is visited last.
  void DescribeLet(const NodeRef& ref, const Function& function, ExprId id) {
    const size_t step = ref.d;
    const bool is_last = step + 1 == function.let_size(id);
    TypeKey("relay.Let");
    Child("var", NodeOf(ref.b, function, function.let_var(id, step)));
    Child("value", NodeOf(ref.b, function, function.let_value(id, step)));
    Rest(function, id);
    Child("body", is_last ? NodeOf(ref.b, function, function.let_result(id)) : Own(kExpr, ref.b, ref.c, ref.d + 1));
  }

  const Module& module_;
  const Context& context_;
  ValueNodes values_;
  NodeVisitor* visitor_ = nullptr;
  std::vector<const OpDef*> ops_;
  absl::flat_hash_map<const OpDef*, uint32_t> op_numbers_;
};

}  // namespace

auto PrintTvmJson(const Module& module, const PrintOptions& options, TextSink& sink) -> std::optional<Diagnostic> {
  for (const GlobalId id : module.SortedFunctions()) {
    if (module.function<Function>(id) != nullptr) continue;
    return MakeDiagnostic(kTvmJsonKind, module.global(id).range, module.name(id),
                          module.function(id)->function_kind().name);
  }
  ModuleSource source(module);
  WriteObjectGraph(module.context(), source, Own(kModule), options, sink);
  sink.Write("\n");
  return std::nullopt;
}

}  // namespace relayopt
