// Dataflow patterns that are built in Python, matched by the core: the pattern becomes a table of the core's patterns,
// the expression a function, and what matched becomes objects again.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "bindings.h"
#include "relayopt/graph/structural.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/pattern/grouper.h"

namespace relayopt::python {
namespace {

using object::SlotObj;

constexpr std::string_view kPatternClasses = "relay.dataflow_pattern.";

// An expression as a function of a module, and the Python object of each of its expressions.
struct Subjects {
  Module module;
  GlobalId id;
  // The expression; everything after it was put around it.
  ExprId root;
  std::vector<Ref<Object>> objects;
  // The steps of let chains, where asked for.
  std::unordered_map<uint32_t, std::vector<Ref<Object>>> steps = {};

  auto function() const -> const Function& { return *module.function<Function>(id); }

  // Returns the objects of a let chain, one for each step.
  auto StepsOf(ExprId let) -> const std::vector<Ref<Object>>& {
    std::vector<Ref<Object>>& found = steps[let.value()];
    for (Ref<Object> at = objects[let.value()]; found.size() < function().let_size(let);) {
      found.push_back(at);
      at = graph::SlotsOf(*at)[graph::slot::kLetBody].ref();
    }
    return found;
  }

  auto ObjectOf(ExprId id) const -> Value { return objects[id.value()]; }
  auto ObjectOf(Subject subject) -> Value {
    if (subject.is_callee()) return graph::OpObject(function().op(subject.id)->name);
    return subject.part == 0 ? ObjectOf(subject.id) : Value(StepsOf(subject.id)[subject.part]);
  }
};

// The slots of a node; none for texts, tensors and the like.
auto SlotsOf(const Object* object) -> std::span<const Value> {
  const bool is_node = dynamic_cast<const SlotObj*>(object) != nullptr;
  return is_node && !object->info().fields.empty() ? graph::SlotsOf(*object) : std::span<const Value>();
}

// The type variables of the inputs of constructors that none of these binds.
auto FreeTypeVars(const std::vector<Value>& ctors) -> std::vector<Value> {
  std::vector<Value> found;
  std::unordered_set<const Object*> seen;
  std::vector<Value> work;
  for (const Value& ctor : ctors) work.push_back(graph::SlotsOf(*ctor.object())[graph::slot::kCtorInputs]);
  std::ranges::reverse(work);
  while (!work.empty()) {
    const Value at = work.back();
    work.pop_back();
    if (!at.is_object() || !seen.insert(at.object()).second) continue;
    const auto parts = object::IsArray(at.object()) ? object::Items(at) : SlotsOf(at.object());
    if (graph::IsExactly(at.object(), graph::Node::kTypeVar)) found.push_back(at);
    // Type variables that a function type binds are not free.
    if (graph::IsExactly(at.object(), graph::Node::kFuncType)) {
      for (const Value& bound : object::Items(parts[graph::slot::kFuncTypeParams])) seen.insert(bound.object());
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) work.push_back(*part);
  }
  return found;
}

}  // namespace

void DeclareConstructors(const Ref<Object>& expr, graph::ModuleObj& module) {
  std::unordered_map<const Object*, std::vector<Value>> ctors;
  std::unordered_set<const Object*> seen = {expr.get()};
  std::vector<const Object*> work = {expr.get()};
  std::vector<Ref<Object>> types;
  while (!work.empty()) {
    const Object* const at = work.back();
    work.pop_back();
    const auto slots = object::IsArray(at) ? object::Items(Value(Ref<Object>(const_cast<Object*>(at)))) : SlotsOf(at);
    if (graph::IsExactly(at, graph::Node::kConstructor)) {
      const Value& type = slots[graph::slot::kCtorBelongsTo];
      std::vector<Value>& found = ctors[type.object()];
      if (found.empty()) types.push_back(type.ref());
      found.emplace_back(Ref<Object>(const_cast<Object*>(at)));
    }
    for (const Value& slot : slots) {
      if (slot.is_object() && seen.insert(slot.object()).second) work.push_back(slot.object());
    }
  }
  for (const Ref<Object>& type : types) {
    const std::vector<Value>& made = ctors[type.get()];
    const Value fields[] = {type, object::MakeArray(FreeTypeVars(made)), object::MakeArray(made)};
    module.SetTypeDef(Ref<SlotObj>(static_cast<SlotObj*>(type.get())),
                      object::MakeNode(graph::TypeOf(graph::Node::kTypeData), fields));
  }
}

namespace {

auto SubjectsOf(const Ref<Object>& expr, graph::ModuleObj& scratch) -> Subjects {
  std::vector<Ref<Object>> free_vars;
  std::vector<Ref<Object>> objects;
  auto made = scratch.CoreWith("main", expr, &free_vars, &objects);
  if (!made) {
    DeclareConstructors(expr, scratch);
    free_vars.clear();
    made = scratch.CoreWith("main", expr, &free_vars, &objects);
  }
  Module module = OrThrow(std::move(made));
  const GlobalId id = module.FindGlobal("main");
  const Function& function = *module.function<Function>(id);
  const bool is_function = graph::IsExactly(expr.get(), graph::Node::kFunction);
  const ExprId root = is_function ? function.root() : function.body(function.root());
  return {std::move(module), id, root, std::move(objects)};
}

// Converts patterns of Python to the core's, each once, after its operands.
class PatternReader {
 public:
  PatternReader(graph::Lineage& lineage, Subjects& subjects, PatternTable& table)
      : lineage_(lineage), subjects_(subjects), table_(table) {}

  // Whether a pattern asks for types.
  auto needs_types() const -> bool { return needs_types_; }
  // The patterns by their objects.
  auto ids() const -> const std::unordered_map<const Object*, PatternId>& { return ids_; }

  auto Read(const Object* root) -> DFPattern {
    std::vector<std::pair<const Object*, bool>> work = {{root, false}};
    std::unordered_set<const Object*> opened;
    std::vector<std::pair<const Object*, const Object*>> redirected;
    size_t visited = 0;
    while (!work.empty() || visited < redirected.size()) {
      // The targets of wildcards come after the patterns that contain the wildcards.
      if (work.empty()) work.emplace_back(redirected[visited++].second, false);
      const auto [pattern, is_open] = work.back();
      work.pop_back();
      if (is_open) {
        ids_.emplace(pattern, Make(*pattern).id());
        continue;
      }
      if (!opened.insert(pattern).second) continue;
      if (ClassOf(*pattern) == "WildcardPattern") {
        // Its target may contain it.
        ids_.emplace(pattern, table_.Wildcard().id());
        const Object* const target = Field(*pattern, "pattern").object();
        if (target != nullptr) redirected.emplace_back(pattern, target);
        continue;
      }
      work.emplace_back(pattern, true);
      const auto children = ChildrenOf(*pattern);
      for (auto child = children.rbegin(); child != children.rend(); ++child) work.emplace_back(*child, false);
    }
    for (const auto& [pattern, target] : redirected) {
      table_.Redirect({table_, ids_.at(pattern)}, {table_, ids_.at(target)});
    }
    return {table_, ids_.at(root)};
  }

 private:
  static auto ClassOf(const Object& pattern) -> std::string_view {
    const std::string_view key = pattern.type_key();
    if (!key.starts_with(kPatternClasses)) throw nb::type_error(("no pattern: " + std::string(key)).c_str());
    return key.substr(kPatternClasses.size());
  }

  static auto Field(const Object& pattern, std::string_view name) -> const Value& {
    const int slot = pattern.info().Find(name);
    RELAYOPT_CHECK(slot >= 0, "a pattern has the fields of its class");
    return graph::SlotsOf(pattern)[static_cast<size_t>(slot)];
  }

  static auto IsPattern(const Value& value) -> bool {
    return value.is_object() && value.object()->type_key().starts_with(kPatternClasses);
  }

  static auto ChildrenOf(const Object& pattern) -> std::vector<const Object*> {
    std::vector<const Object*> children;
    for (size_t i = 0; i < pattern.info().fields.size(); ++i) {
      const Value& value = graph::SlotsOf(pattern)[i];
      const std::string& name = pattern.info().fields[i].name;
      if (IsPattern(value)) {
        children.push_back(value.object());
      } else if (name == "args" || name == "params" || name == "fields") {
        for (const Value& item : object::Items(value)) {
          if (!IsPattern(item)) throw nb::type_error((pattern.type_key() + " is made of patterns").c_str());
          children.push_back(item.object());
        }
      }
    }
    return children;
  }

  auto Make(const Object& pattern) -> DFPattern {
    const std::string_view name = ClassOf(pattern);
    if (name == "ExprPattern") return MakeExpr(Field(pattern, "expr"));
    if (name == "VarPattern") return table_.Var(Field(pattern, "name").text());
    if (name == "ConstantPattern") return table_.Constant();
    DFPatternNode node;
    for (const Object* child : ChildrenOf(pattern)) node.children.push_back(ids_.at(child));
    if (name == "CallPattern") {
      node.kind = DFPatternKind::kCall;
      node.any_children = Field(pattern, "args").is_null();
    } else if (name == "FunctionPattern") {
      node.kind = DFPatternKind::kFunction;
      node.any_children = Field(pattern, "params").is_null();
    } else if (name == "TuplePattern") {
      node.kind = DFPatternKind::kTuple;
      node.any_children = Field(pattern, "fields").is_null();
    } else if (name == "TupleGetItemPattern") {
      node.kind = DFPatternKind::kTupleGetItem;
      node.index = IntegerOf(Field(pattern, "index")).value_or(-1);
    } else if (name == "AttrPattern") {
      node.kind = DFPatternKind::kAttrs;
      node.attrs = AttrsOf(Field(pattern, "attrs"));
    } else if (name == "TypePattern" || name == "DataTypePattern" || name == "ShapePattern") {
      needs_types_ = true;
      MakeTyped(pattern, name, node);
    } else {
      node.kind = KindOf(name);
    }
    const bool is_whole = node.children.size() >= LeastChildren(node.kind);
    if (!is_whole) throw nb::type_error((pattern.type_key() + " is made of patterns").c_str());
    return table_.Add(std::move(node));
  }

  static auto LeastChildren(DFPatternKind kind) -> size_t {
    switch (kind) {
      case DFPatternKind::kIf:
      case DFPatternKind::kLet:
      case DFPatternKind::kDominator: return 3;
      case DFPatternKind::kAlt: return 2;
      case DFPatternKind::kTuple: return 0;
      default: return 1;
    }
  }

  static auto KindOf(std::string_view name) -> DFPatternKind {
    if (name == "AltPattern") return DFPatternKind::kAlt;
    if (name == "IfPattern") return DFPatternKind::kIf;
    if (name == "LetPattern") return DFPatternKind::kLet;
    if (name == "DominatorPattern") return DFPatternKind::kDominator;
    throw nb::type_error(("no pattern that is matched: " + std::string(name)).c_str());
  }

  static auto IntegerOf(const Value& value) -> std::optional<int64_t> {
    if (value.is_int()) return value.integer();
    if (!graph::IsExactly(value.object(), graph::Node::kIntImm)) return std::nullopt;
    return graph::SlotsOf(*value.object())[graph::slot::kImmValue].integer();
  }

  void MakeTyped(const Object& pattern, std::string_view name, DFPatternNode& node) {
    if (name == "TypePattern") {
      node.kind = DFPatternKind::kType;
      node.type = OrThrow(lineage_.TypeIdOf(Field(pattern, "type")));
    } else if (name == "DataTypePattern") {
      const auto text = Field(pattern, "dtype").text();
      const auto dtype = ParseDataType(text);
      if (!dtype) throw nb::value_error(("'" + std::string(text) + "' is not a data type").c_str());
      node.kind = DFPatternKind::kDType;
      node.dtype = *dtype;
    } else {
      node.kind = DFPatternKind::kShape;
      for (const Value& extent : object::Items(Field(pattern, "shape"))) {
        node.shape.push_back(OrThrow(lineage_.DimOf(extent)));
      }
    }
  }

  auto AttrsOf(const Value& attrs) -> std::vector<RequiredAttr> {
    std::vector<RequiredAttr> required;
    const Value dict = graph::IsExactly(attrs.object(), graph::Node::kDictAttrs)
                           ? graph::SlotsOf(*attrs.object())[graph::slot::kDict]
                           : attrs;
    const auto* const map = dict.as<object::MapObj>();
    if (map == nullptr) return required;
    for (const auto& [name, value] : map->entries()) {
      RequiredAttr& attr = required.emplace_back(RequiredAttr{.name = std::string(name.text())});
      if (const auto integer = IntegerOf(value)) {
        attr.integer = *integer;
      } else if (value.is_float() || graph::IsExactly(value.object(), graph::Node::kFloatImm)) {
        attr.kind = RequiredAttr::Kind::kFloat;
        attr.real = value.is_float() ? value.real() : graph::SlotsOf(*value.object())[graph::slot::kImmValue].real();
      } else if (value.as<object::StringObj>() != nullptr) {
        attr.kind = RequiredAttr::Kind::kString;
        attr.text = value.text();
      } else {
        attr.kind = RequiredAttr::Kind::kObject;
        attr.object = OrThrow(lineage_.ObjectIdOf(value));
      }
    }
    return required;
  }

  // A pattern of one expression: of its operator, its value, or whatever in the function is equal to it.
  auto MakeExpr(const Value& expr) -> DFPattern {
    if (!graph::Is(expr.object(), graph::Node::kRelayExpr))
      throw nb::type_error("ExprPattern is made of an expression");
    if (graph::IsExactly(expr.object(), graph::Node::kOp)) {
      const std::string_view name = graph::SlotsOf(*expr.object())[graph::slot::kNameHint].text();
      return table_.Op(FindOp(name));
    }
    if (graph::IsExactly(expr.object(), graph::Node::kConstant)) {
      if (auto* const tensor = graph::SlotsOf(*expr.object())[graph::slot::kData].as<object::TensorObj>()) {
        return table_.Constant(lineage_.ConstantIdOf(*tensor));
      }
    }
    DFPatternNode node{.kind = DFPatternKind::kOneOf};
    for (size_t i = 0; i < subjects_.objects.size(); ++i) {
      const Ref<Object>& each = subjects_.objects[i];
      if (!each || each->type_index() != expr.object()->type_index()) continue;
      if (each.get() == expr.object() || graph::StructuralEqual(expr, each, false)) node.exprs.emplace_back(i);
    }
    return table_.Add(std::move(node));
  }

  graph::Lineage& lineage_;
  Subjects& subjects_;
  PatternTable& table_;
  std::unordered_map<const Object*, PatternId> ids_;
  bool needs_types_ = false;
};

// A pattern and what it is matched with.
class Search {
 public:
  Search(nb::handle pattern, nb::handle expr)
      : pattern_(NodeOf(pattern)),
        scratch_(std::make_shared<graph::Lineage>(std::make_shared<Context>())),
        subjects_(SubjectsOf(NodeOf(expr), scratch_)),
        reader_(*scratch_.lineage(), subjects_, table_),
        wanted_(reader_.Read(pattern_.get())) {
    if (reader_.needs_types()) InferMissingTypes();
  }

  auto Matches() -> bool { return MatchPattern(wanted_, subjects_.function(), subjects_.root); }

  // [(expression, {pattern: [expressions]})] of all expressions that match, operands first.
  auto All() -> nb::list {
    nb::list found;
    DFPatternMatcher matcher(subjects_.function(), table_);
    for (const ExprId id : subjects_.function().ids()) {
      if (id > subjects_.root || subjects_.ObjectOf(id).is_null() || !matcher.Match(wanted_.id(), id)) continue;
      nb::dict matched;
      for (const auto& [object, pattern] : reader_.ids()) Add(matched, object, matcher.matched(pattern));
      found.append(nb::make_tuple(ToObject(subjects_.ObjectOf(id)), matched));
    }
    return found;
  }

  // [(root, {pattern: [expressions]}, inputs, inside, name, number)] of places that do not overlap.
  auto Groups() -> nb::list {
    nb::list found;
    for (const PatternGroup& group : FindPatternGroups(wanted_, subjects_.function(), subjects_.root)) {
      nb::dict matched;
      for (const auto& [object, pattern] : reader_.ids()) {
        std::vector<Subject> subjects;
        for (const PatternMatch& match : group.MatchesOf(pattern)) subjects.push_back(match.subject);
        Add(matched, object, subjects);
      }
      nb::list inputs;
      for (const ExprId id : group.inputs) inputs.append(ToObject(subjects_.ObjectOf(id)));
      nb::list inside;
      for (const ExprId id : group.inside) AddInside(inside, id);
      found.append(nb::make_tuple(ToObject(subjects_.ObjectOf(group.root)), matched, inputs, inside,
                                  GroupName(subjects_.function(), group), group.number));
    }
    return found;
  }

 private:
  void Add(nb::dict& matched, const Object* pattern, const std::vector<Subject>& subjects) {
    if (subjects.empty()) return;
    nb::list exprs;
    for (const Subject& subject : subjects) exprs.append(ToObject(subjects_.ObjectOf(subject)));
    matched[ToObject(const_cast<Object*>(pattern))] = exprs;
  }

  void AddInside(nb::list& inside, ExprId id) {
    if (subjects_.function().kind(id) != ExprKind::kLet) {
      inside.append(ToObject(subjects_.ObjectOf(id)));
      return;
    }
    const auto& steps = subjects_.StepsOf(id);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) inside.append(ToObject(step->get()));
  }

  void InferMissingTypes() {
    const Function& function = subjects_.function();
    const auto ids = function.ids();
    if (std::ranges::all_of(ids, [&](ExprId id) { return static_cast<bool>(function.type(id)); })) return;
    DiagnosticSink sink;
    const size_t size = function.size();
    if (!InferTypes(subjects_.module, sink)) Throw(sink, nullptr);
    RELAYOPT_CHECK(subjects_.function().size() == size, "type inference keeps the expressions");
  }

  Ref<Object> pattern_;
  graph::ModuleObj scratch_;
  Subjects subjects_;
  PatternTable table_;
  PatternReader reader_;
  DFPattern wanted_;
};

}  // namespace

void AddPatterns(nb::module_& m) {
  m.def("declare_constructors",
        [](nb::handle module, nb::handle expr) { DeclareConstructors(NodeOf(expr), ModuleOf(module)); });
  const auto pattern = nb::arg("pattern").none();
  const auto expr = nb::arg("expr").none();
  m.def(
      "match_pattern", [](nb::handle p, nb::handle e) { return Search(p, e).Matches(); }, pattern, expr);
  m.def(
      "pattern_matches", [](nb::handle p, nb::handle e) { return Search(p, e).All(); }, pattern, expr);
  m.def(
      "pattern_groups", [](nb::handle p, nb::handle e) { return Search(p, e).Groups(); }, pattern, expr);
}

}  // namespace relayopt::python
