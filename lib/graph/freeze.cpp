// From a graph of objects to a table: a walk in post-order on a stack of its own. What an object became is noted in its
// mark, so that no hash table is needed.
#include <atomic>
#include <unordered_set>

#include "relayopt/graph/table_face.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::graph {
namespace {

OpSource g_op_source = nullptr;

class Freezing {
 public:
  Freezing(Lineage& lineage, Module& module, std::vector<Ref<Object>>* free_vars, bool want_objects, bool bind_free)
      : lineage_(lineage),
        module_(module),
        builder_(lineage.context()),
        free_vars_(free_vars),
        want_objects_(want_objects),
        bind_free_(bind_free) {
    static std::atomic<uint32_t> walks{0};
    // Zero marks an object that no walk has seen.
    do {
      walk_ = ++walks;
    } while (walk_ == 0);
  }

  auto Run(const Ref<Object>& expr) -> Result<FreezeResult> {
    if (auto error = Visit(expr.get())) return *std::move(error);
    ExprId root(expr->mark.id);
    const bool is_function = IsExactly(expr.get(), Node::kFunction);
    std::vector<ExprId> free_params;
    if (auto error = CheckFreeVars(free_params)) return *std::move(error);
    if (!is_function || !free_params.empty()) {
      // Free variables become parameters of a function around it.
      root = builder_.Lambda({}, bind_free_ ? free_params : std::vector<ExprId>(), root);
    }
    FreezeResult frozen{builder_.Finish(root), {}};
    if (want_objects_) frozen.objects = std::move(objects_);
    return frozen;
  }

 private:
  struct Frame {
    const SlotObj* node;
    bool opened;
  };

  auto Seen(const Object* object) const -> bool { return object->mark.owner == walk_; }
  auto IdOf(const Value& value) const -> ExprId { return ExprId(value.object()->mark.id); }
  void Note(const SlotObj* node, ExprId id) {
    node->mark = {walk_, id.value()};
    if (!want_objects_) return;
    if (objects_.size() <= id.value()) objects_.resize(id.value() + 1);
    objects_[id.value()] = Ref<Object>(const_cast<SlotObj*>(node));
  }
  auto Need(const Value& value) -> std::optional<Diagnostic> {
    if (!Is(value.object(), Node::kRelayExpr)) {
      return GraphError("an expression is expected" +
                        (value.is_object() ? ", not " + value.object()->type_key() : std::string()));
    }
    if (!Seen(value.object())) stack_.push_back({static_cast<const SlotObj*>(value.object()), false});
    return std::nullopt;
  }

  auto Visit(const Object* root) -> std::optional<Diagnostic> {
    stack_.push_back({static_cast<const SlotObj*>(root), false});
    while (!stack_.empty()) {
      const Frame frame = stack_.back();
      if (Seen(frame.node)) {
        stack_.pop_back();
        continue;
      }
      if (!frame.opened) {
        stack_.back().opened = true;
        if (auto error = Open(*frame.node)) return error;
        continue;
      }
      stack_.pop_back();
      if (auto error = Emit(*frame.node)) return error;
    }
    return std::nullopt;
  }

  // Pushes the parts of a node in reverse order, so that operands are visited from left to right.
  auto Open(const SlotObj& node) -> std::optional<Diagnostic> {
    const auto slots = SlotsOf(node);
    const auto need_all = [&](std::span<const Value> items) -> std::optional<Diagnostic> {
      for (size_t i = items.size(); i-- > 0;) {
        if (auto error = Need(items[i])) return error;
      }
      return std::nullopt;
    };
    if (IsExactly(&node, Node::kCall)) {
      if (auto error = need_all(object::Items(slots[slot::kArgs]))) return error;
      if (IsExactly(slots[slot::kCallee].object(), Node::kOp)) return std::nullopt;
      return Need(slots[slot::kCallee]);
    }
    if (IsExactly(&node, Node::kTuple)) return need_all(object::Items(slots[slot::kFields]));
    if (IsExactly(&node, Node::kTupleGetItem)) return Need(slots[slot::kTupleValue]);
    if (IsExactly(&node, Node::kFunction)) {
      for (const Value& param : object::Items(slots[slot::kParams])) {
        if (auto error = Bind(param)) return error;
      }
      return Need(slots[slot::kBody]);
    }
    if (IsExactly(&node, Node::kLet)) {
      std::vector<Value> operands;
      for (const SlotObj* let : Chain(node)) {
        if (auto error = Bind(let->slot(slot::kLetVar))) return error;
        operands.push_back(let->slot(slot::kLetValue));
        if (!Continues(let->slot(slot::kLetBody))) operands.push_back(let->slot(slot::kLetBody));
      }
      return need_all(operands);
    }
    if (IsExactly(&node, Node::kIf)) return need_all(slots.subspan(slot::kCond, 3));
    if (IsExactly(&node, Node::kRefCreate) || IsExactly(&node, Node::kRefRead)) return Need(slots[slot::kRefValue]);
    if (IsExactly(&node, Node::kRefWrite)) return need_all(slots.subspan(slot::kRefValue, 2));
    if (IsExactly(&node, Node::kMatch)) {
      const auto clauses = object::Items(slots[slot::kClauses]);
      for (size_t i = clauses.size(); i-- > 0;) {
        if (auto error = Need(SlotsOf(*clauses[i].object())[slot::kRhs])) return error;
      }
      return Need(slots[slot::kMatchData]);
    }
    return std::nullopt;
  }

  // Returns the lets of the chain that begins here.
  auto Chain(const SlotObj& first) const -> std::vector<const SlotObj*> {
    std::vector<const SlotObj*> chain = {&first};
    while (Continues(chain.back()->slot(slot::kLetBody))) {
      chain.push_back(static_cast<const SlotObj*>(chain.back()->slot(slot::kLetBody).object()));
    }
    return chain;
  }
  auto Continues(const Value& body) const -> bool {
    return IsExactly(body.object(), Node::kLet) && !Seen(body.object());
  }

  auto Bind(const Value& var) -> std::optional<Diagnostic> {
    if (!IsExactly(var.object(), Node::kVar)) return GraphError("only a variable can be bound");
    if (auto error = EmitVar(static_cast<const SlotObj&>(*var.object()))) return error;
    bound_.insert(var.object());
    return std::nullopt;
  }

  auto EmitVar(const SlotObj& var) -> std::optional<Diagnostic> {
    if (Seen(&var)) return std::nullopt;
    VarInfo info;
    const Value& vid = var.slot(slot::kVid);
    info.name = lineage_.context().Intern(vid.is_object() ? SlotsOf(*vid.object())[slot::kIdName].text() : "");
    auto annotation = lineage_.TypeIdOf(var.slot(slot::kAnnotation));
    if (!annotation) return std::move(annotation).error();
    info.annotation = *annotation;
    auto device = DeviceOf(var);
    if (!device) return std::move(device).error();
    info.virtual_device = *device;
    const ExprId id = builder_.Var(info);
    return Finish(var, id);
  }

  // Returns the virtual device of a variable or function, or none if it leaves everything open.
  auto DeviceOf(const SlotObj& node) -> Result<ObjectId> {
    const Value& device = node.slot(slot::kVirtualDevice);
    if (!IsExactly(device.object(), Node::kVirtualDevice)) return ObjectId();
    const auto slots = SlotsOf(*device.object());
    if (slots[slot::kDeviceType].integer() <= 0 && slots[slot::kDeviceId].integer() < 0 &&
        slots[slot::kDeviceTarget].is_null() && slots[slot::kMemoryScope].text().empty()) {
      return ObjectId();
    }
    return lineage_.ObjectIdOf(device);
  }

  auto Finish(const SlotObj& node, ExprId id) -> std::optional<Diagnostic> {
    Note(&node, id);
    const Value& checked = node.slot(slot::kCheckedType);
    if (checked.is_object()) {
      auto type = lineage_.TypeIdOf(checked);
      if (!type) return std::move(type).error();
      builder_.SetType(id, *type);
    }
    if (const SpanId span = lineage_.SpanIdOf(node.slot(slot::kSpan))) builder_.SetSpan(id, span);
    return std::nullopt;
  }

  auto Ids(std::span<const Value> items) const -> std::vector<ExprId> {
    return MapToVector<ExprId>(items, [&](const Value& item) { return IdOf(item); });
  }

  auto Emit(const SlotObj& node) -> std::optional<Diagnostic> {
    if (IsExactly(&node, Node::kVar)) {
      if (auto error = EmitVar(node)) return error;
      met_.emplace_back(const_cast<SlotObj*>(&node));
      return std::nullopt;
    }
    auto id = EmitNode(node);
    if (!id) return std::move(id).error();
    return Finish(node, *id);
  }

  auto EmitNode(const SlotObj& node) -> Result<ExprId> {
    const auto slots = SlotsOf(node);
    if (IsExactly(&node, Node::kCall)) return EmitCall(slots);
    if (IsExactly(&node, Node::kConstant)) {
      auto* const tensor = slots[slot::kData].as<object::TensorObj>();
      if (tensor == nullptr) return GraphError("a constant holds a tensor");
      return builder_.Constant(lineage_.ConstantIdOf(*tensor));
    }
    if (IsExactly(&node, Node::kTuple)) return builder_.Tuple(Ids(object::Items(slots[slot::kFields])));
    if (IsExactly(&node, Node::kTupleGetItem)) {
      const int64_t index = slots[slot::kIndex].integer();
      if (index < 0 || index >= UINT32_MAX) return GraphError(fmt::format("no tuple has a field {}", index));
      return builder_.TupleGetItem(IdOf(slots[slot::kTupleValue]), static_cast<uint32_t>(index));
    }
    if (IsExactly(&node, Node::kFunction)) return EmitFunction(node, slots);
    if (IsExactly(&node, Node::kLet)) {
      std::vector<ExprId> steps;
      const auto chain = Chain(node);
      for (const SlotObj* let : chain) {
        steps.push_back(IdOf(let->slot(slot::kLetVar)));
        steps.push_back(IdOf(let->slot(slot::kLetValue)));
      }
      return builder_.Let(steps, IdOf(chain.back()->slot(slot::kLetBody)));
    }
    if (IsExactly(&node, Node::kIf)) {
      return builder_.If(IdOf(slots[slot::kCond]), IdOf(slots[slot::kThen]), IdOf(slots[slot::kElse]));
    }
    if (IsExactly(&node, Node::kRefCreate)) return builder_.RefCreate(IdOf(slots[slot::kRefValue]));
    if (IsExactly(&node, Node::kRefRead)) return builder_.RefRead(IdOf(slots[slot::kRefValue]));
    if (IsExactly(&node, Node::kRefWrite)) {
      return builder_.RefWrite(IdOf(slots[slot::kRefValue]), IdOf(slots[slot::kRefContent]));
    }
    if (IsExactly(&node, Node::kMatch)) return EmitMatch(slots);
    if (IsExactly(&node, Node::kGlobalVar)) {
      return builder_.Global(module_.NameGlobal(slots[slot::kNameHint].text()));
    }
    if (IsExactly(&node, Node::kOp)) {
      RELAYOPT_TRY(const OpDef* op, OpOf(node));
      return builder_.Op(Instance(op, {}));
    }
    if (IsExactly(&node, Node::kConstructor)) {
      RELAYOPT_TRY(const CtorId ctor, CtorOf(node));
      return builder_.Constructor(ctor);
    }
    return GraphError("no expression of a Relay program: " + node.type_key());
  }

  static auto OpOf(const Object& op) -> Result<const OpDef*> {
    const std::string_view name = SlotsOf(op)[slot::kNameHint].text();
    if (const OpDef* def = FindOp(name)) return def;
    if (const OpDef* def = g_op_source == nullptr ? nullptr : g_op_source(name)) return def;
    return GraphError(fmt::format("the operator {} has no type rule", name));
  }

  auto Instance(const OpDef* op, AttrsId attrs) -> OpInstanceId {
    return InternOpInstance(lineage_.context(), {op, attrs});
  }

  auto CtorOf(const SlotObj& ctor) -> Result<CtorId> {
    const std::string_view name = ctor.slot(slot::kCtorName).text();
    const CtorId id = module_.FindConstructor(lineage_.context().Intern(name));
    if (!id) return GraphError(fmt::format("the module has no constructor {}", name));
    return id;
  }

  auto EmitCall(std::span<const Value> slots) -> Result<ExprId> {
    const auto args = Ids(object::Items(slots[slot::kArgs]));
    RELAYOPT_TRY(const AttrsId attrs, lineage_.AttrsIdOf(slots[slot::kAttrs]));
    if (IsExactly(slots[slot::kCallee].object(), Node::kOp)) {
      RELAYOPT_TRY(const OpDef* op, OpOf(*slots[slot::kCallee].object()));
      return builder_.OpCall(Instance(op, attrs), args);
    }
    return builder_.Call(IdOf(slots[slot::kCallee]), args, attrs);
  }

  auto EmitFunction(const SlotObj& node, std::span<const Value> slots) -> Result<ExprId> {
    FunctionInfo info;
    RELAYOPT_TRY(info.result, lineage_.TypeIdOf(slots[slot::kResultType]));
    for (const Value& param : object::Items(slots[slot::kTypeParams])) {
      RELAYOPT_TRY(const TypeId id, lineage_.TypeIdOf(param));
      info.type_params.push_back(id);
    }
    if (const Object* attrs = slots[slot::kFunctionAttrs].object()) {
      const auto* map = SlotsOf(*attrs)[slot::kDict].as<object::MapObj>();
      for (const auto& [key, value] : map == nullptr ? std::span<const std::pair<Value, Value>>() : map->entries()) {
        RELAYOPT_TRY(const ObjectId id, lineage_.ObjectIdOf(value));
        info.attrs.push_back({lineage_.context().Intern(key.text()), id});
      }
    }
    RELAYOPT_TRY(info.virtual_device, DeviceOf(node));
    return builder_.Lambda(std::move(info), Ids(object::Items(slots[slot::kParams])), IdOf(slots[slot::kBody]));
  }

  auto EmitMatch(std::span<const Value> slots) -> Result<ExprId> {
    MatchInfo info;
    info.complete = slots[slot::kComplete].integer() != 0;
    std::vector<ExprId> operands = {IdOf(slots[slot::kMatchData])};
    for (const Value& clause : object::Items(slots[slot::kClauses])) {
      const auto parts = SlotsOf(*clause.object());
      MatchClause out;
      out.first_operand = static_cast<uint32_t>(operands.size());
      RELAYOPT_TRY(out.pattern, AddPattern(info, parts[slot::kLhs], operands));
      out.rhs = static_cast<uint32_t>(operands.size());
      operands.push_back(IdOf(parts[slot::kRhs]));
      info.clauses.push_back(out);
    }
    return builder_.Match(std::move(info), operands);
  }

  // Level by level: the parts of a pattern get consecutive numbers.
  auto AddPattern(MatchInfo& info, const Value& root, std::vector<ExprId>& operands) -> Result<uint32_t> {
    const auto first = static_cast<uint32_t>(info.patterns.size());
    info.patterns.emplace_back();
    std::vector<std::pair<uint32_t, const Object*>> work = {{first, root.object()}};
    while (!work.empty()) {
      const auto [at, object] = work.back();
      work.pop_back();
      if (!Is(object, Node::kPattern)) return GraphError("a pattern is expected");
      const auto slots = SlotsOf(*object);
      Pattern pattern;
      std::span<const Value> children;
      if (IsExactly(object, Node::kPatternVar)) {
        pattern.kind = PatternKind::kVar;
        if (auto error = Bind(slots[slot::kPatternVariable])) return *std::move(error);
        pattern.operand = static_cast<uint32_t>(operands.size());
        operands.push_back(IdOf(slots[slot::kPatternVariable]));
      } else if (IsExactly(object, Node::kPatternConstructor)) {
        pattern.kind = PatternKind::kConstructor;
        RELAYOPT_TRY(pattern.ctor, CtorOf(static_cast<const SlotObj&>(*slots[slot::kPatternCtor].object())));
        children = object::Items(slots[slot::kCtorPatterns]);
      } else if (IsExactly(object, Node::kPatternTuple)) {
        pattern.kind = PatternKind::kTuple;
        children = object::Items(slots[slot::kTuplePatterns]);
      }
      pattern.first_child = static_cast<uint32_t>(info.children.size());
      pattern.num_children = static_cast<uint32_t>(children.size());
      const auto base = static_cast<uint32_t>(info.patterns.size());
      for (uint32_t i = 0; i < children.size(); ++i) {
        info.children.push_back(base + i);
        info.patterns.emplace_back();
      }
      // From left to right: variables are operands in this order.
      for (uint32_t i = pattern.num_children; i-- > 0;) work.emplace_back(base + i, children[i].object());
      info.patterns[at] = pattern;
    }
    return first;
  }

  // Free variables become parameters if requested.
  auto CheckFreeVars(std::vector<ExprId>& params) -> std::optional<Diagnostic> {
    std::string names;
    for (const Ref<Object>& var : met_) {
      if (bound_.contains(var.get())) continue;
      params.emplace_back(var->mark.id);
      if (free_vars_ != nullptr) free_vars_->push_back(var);
      const Value& vid = static_cast<const SlotObj&>(*var).slot(slot::kVid);
      names += (names.empty() ? "%" : ", %") + std::string(SlotsOf(*vid.object())[slot::kIdName].text());
    }
    if (params.empty() || free_vars_ != nullptr) return std::nullopt;
    return GraphError(fmt::format("the function uses variables that it does not bind: {}", names));
  }

  Lineage& lineage_;
  Module& module_;
  FunctionBuilder builder_;
  std::vector<Ref<Object>>* free_vars_;
  uint32_t walk_ = 0;
  bool want_objects_;
  bool bind_free_;
  std::vector<Frame> stack_;
  std::vector<Ref<Object>> objects_;
  // Variables that occur as expressions, and bound variables.
  std::vector<Ref<Object>> met_;
  std::unordered_set<const Object*> bound_;
};

}  // namespace

void SetOpSource(OpSource source) { g_op_source = source; }

auto Freeze(Lineage& lineage, Module& module, const Ref<Object>& expr, std::vector<Ref<Object>>* free_vars,
            bool want_objects, bool bind_free) -> Result<FreezeResult> {
  return Freezing(lineage, module, free_vars, want_objects, bind_free).Run(expr);
}

}  // namespace relayopt::graph
