// LambdaLift: function literals become global functions.
//
// ClosureAnalysis lists the literals, inner ones first, with what each captures. A literal without
// captures becomes the global itself. One with captures becomes a global with the attribute Closure
// that takes them and returns the literal, and a call of that global replaces it: so callers of the
// value call it as before. Type parameters of outer functions that the literal mentions become
// those of the global. A literal that is bound by let and calls itself calls, inside, the global
// with the same captures. Names come from a structural hash, and equal literals share a global.
//
//   def @main(%x) {                                  def @lifted_name1(%x, Closure=1) { fn (%y) { add(%x, %y) } }
//     let %f = fn (%y) { add(%x, %y) };              def @lifted_name2(%f, Closure=1) { fn (%z) { %f(%z) } }
//     let %g = fn (%z) { %f(%z) };             =>    def @main(%x) {
//     %g(1f)                                           let %f = @lifted_name1(%x);
//   }                                                  let %g = @lifted_name2(%f);
//                                                      %g(1f) }
//
// Left alone: kernels, and generic literals that mention type parameters of functions around them and are used as
// values.
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "lib/relay/transforms/partial_evaluate/closure_analysis.h"
#include "lib/relay/transforms/structural_hash.h"
#include "lib/relay/transforms/type_var_collector.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/annotation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// The result of lifting a literal.
struct LiftedLiteral {
  // Invalid if the literal stays.
  GlobalId global;
  // Type variables of outer functions that it mentions.
  std::vector<TypeId> type_vars;
};

// The functions that the pass makes. Equal literals share one.
class LiftedFunctions {
 public:
  explicit LiftedFunctions(Module& module) : module_(module) {}

  // Returns the global of a new function, named from its hash.
  auto Name(uint64_t hash) -> GlobalId {
    while (true) {
      const std::string name = fmt::format("lifted_name{}", hash++);
      const GlobalId taken = module_.FindGlobal(name);
      if (!taken || (module_.function(taken) == nullptr && !named_.contains(taken))) {
        return *named_.insert(module_.NameGlobal(name)).first;
      }
    }
  }
  void Define(GlobalId id, Function function) {
    module_.SetFunction(id, std::make_shared<Function>(std::move(function)));
  }
  // Returns the global for literals with this description; invalid the first time.
  auto Find(const std::vector<uint32_t>& key) -> GlobalId& { return by_key_[key]; }

 private:
  Module& module_;
  absl::flat_hash_map<std::vector<uint32_t>, GlobalId> by_key_;
  absl::flat_hash_set<GlobalId> named_;
};

class Lifter {
 public:
  Lifter(const Function& function, uint32_t number, LiftedFunctions& made)
      : function_(function), number_(number), made_(made), closures_(function), lifted_(function.size()) {}

  auto Run() -> std::optional<Function> {
    if (closures_.literals().empty() && !HasFixedDevice()) return std::nullopt;
    for (const ExprId literal : closures_.literals()) {
      // The name is needed before the literal is lifted.
      if (closures_[literal].is_known_inside)
        lifted_[literal].global = made_.Name(HashOf(literal, closures_.Region(literal)));
    }
    for (const ExprId literal : closures_.literals()) Lift(literal);
    Rebuild rebuild(function_);
    rebuild.ForEach([&](ExprId id) {
      if (IsFixedDevice(id) && HasDeviceAnyway(rebuild.to(), rebuild.New(function_.operand(id, 0)))) {
        return rebuild.New(function_.operand(id, 0));
      }
      if (!IsLifted(id)) return rebuild.Copy(id);
      const auto captures = MapToVector<ExprId>(closures_[id].captures, [&](ExprId var) { return rebuild.New(var); });
      return EmitClosure(rebuild.to(), id, captures);
    });
    return rebuild.Finish();
  }

 private:
  auto context() const -> Context& { return function_.context(); }
  auto IsLifted(ExprId id) const -> bool { return closures_.IsLiteral(id); }

  // Whether it determines where its operand is computed and where the result is wanted.
  auto IsFixedDevice(ExprId id) const -> bool {
    if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "on_device"_op) return false;
    const auto* attrs = context().As<OnDeviceAttrs>(function_.attrs(id));
    return attrs != nullptr && attrs->constrain_result && attrs->constrain_body;
  }
  // As TVM: on_device around an expression that has a device of its own, or needs none, goes.
  static auto HasDeviceAnyway(const FunctionBuilder& to, ExprId made) -> bool {
    const ExprKind kind = to.function().kind(made);
    return kind == ExprKind::kVar || kind == ExprKind::kGlobal || kind == ExprKind::kOp ||
           kind == ExprKind::kConstructor || kind == ExprKind::kFunction;
  }
  auto HasFixedDevice() const -> bool {
    for (const ExprId id : function_.ids_below_root()) {
      if (IsFixedDevice(id)) return true;
    }
    return false;
  }

  void Lift(ExprId literal) {
    const std::vector<ExprId> region = closures_.Region(literal);
    LiftedLiteral& lifted = lifted_[literal];
    lifted.type_vars = FreeTypeVars(literal, region);
    if (!lifted.global) {
      GlobalId& known = made_.Find(Describe(literal, region));
      if (known) {
        lifted.global = known;
        return;
      }
      known = made_.Name(HashOf(literal, region));
      lifted.global = known;
    }
    made_.Define(lifted.global, Build(literal, region));
  }

  auto HashOf(ExprId literal, const std::vector<ExprId>& region) const -> uint64_t {
    const absl::flat_hash_set<ExprId> bound = closures_.BoundVars(literal, region);
    StructuralHash hash(function_, bound);
    for (const ExprId id : region) {
      // A nested literal is described by its name.
      if (IsLifted(id))
        hash.Set(id, lifted_[id].global ? lifted_[id].global.value() : id.value());
      else
        hash.Add(id);
    }
    return hash.OfLiteral(literal);
  }

  // Describes a literal by numbers that are equal for literals that differ only in the names of bound variables.
  auto Describe(ExprId literal, const std::vector<ExprId>& region) const -> std::vector<uint32_t> {
    absl::flat_hash_map<ExprId, uint32_t> numbers;
    // Inside a recursive literal, its variable means the literal itself. Inside another literal, it is a capture.
    std::vector<uint32_t> key = {closures_[literal].self ? 1U : 0U};
    absl::flat_hash_set<ExprId> free(closures_[literal].captures.begin(), closures_[literal].captures.end());
    if (closures_[literal].self) free.insert(closures_[literal].self);
    const auto add = [&](ExprId id) {
      numbers.emplace(id, static_cast<uint32_t>(numbers.size()));
      key.push_back(static_cast<uint32_t>(function_.kind(id)));
      const bool is_free =
          free.contains(id) || (function_.kind(id) == ExprKind::kVar && closures_.EnclosingGlobal(id, literal));
      AddPayload(id, is_free, key);
      if (IsLifted(id) && id != literal) {
        for (const ExprId var : closures_[id].captures) {
          const auto number = numbers.find(var);
          if (number != numbers.end())
            key.push_back(number->second);
          else
            key.insert(key.end(), {UINT32_MAX, number_, var.value()});
        }
        return;
      }
      key.push_back(static_cast<uint32_t>(function_.operands(id).size()));
      for (const ExprId operand : function_.operands(id)) key.push_back(numbers[operand]);
    };
    for (const ExprId id : region) add(id);
    add(literal);
    return key;
  }

  void AddPayload(ExprId id, bool is_free, std::vector<uint32_t>& key) const {
    switch (function_.kind(id)) {
      case ExprKind::kVar:
        // A variable from outside is itself; one that is bound inside is its type.
        key.push_back(is_free ? number_ : UINT32_MAX);
        key.push_back(is_free ? id.value() : function_.var(id).annotation.value());
        return;
      case ExprKind::kFunction:
        if (IsLifted(id) && lifted_[id].global) {
          key.push_back(lifted_[id].global.value());
          return;
        }
        key.push_back(function_.info(id).result.value());
        for (const TypeId var : function_.info(id).type_params) key.push_back(var.value());
        for (const FunctionAttr& attr : function_.info(id).attrs) {
          key.push_back(attr.key.value());
          key.push_back(Canonical(attr.value));
        }
        return;
      case ExprKind::kMatch:
        for (const Pattern& pattern : function_.match(id).patterns) {
          key.insert(key.end(), {static_cast<uint32_t>(pattern.kind), pattern.ctor.value(), pattern.operand,
                                 pattern.num_children});
        }
        key.insert(key.end(), function_.match(id).children.begin(), function_.match(id).children.end());
        key.push_back(function_.match(id).complete ? 1 : 0);
        return;
      default: key.push_back(function_.payload(id)); return;
    }
  }

  // Returns the number of an attribute value; small values that are equal have the same number.
  auto Canonical(ObjectId value) const -> uint32_t {
    if (!value) return value.value();
    const Object& object = context().object(value);
    if (object.kind == ObjectKind::kInt) return static_cast<uint32_t>(object.integer);
    return object.kind == ObjectKind::kString ? object.text.value() : value.value();
  }

  auto Build(ExprId literal, const std::vector<ExprId>& region) const -> Function {
    const LiftedLiteral& lifted = lifted_[literal];
    FunctionBuilder to(context());
    absl::flat_hash_map<ExprId, ExprId> map;
    std::vector<ExprId> captures;
    for (const ExprId var : closures_[literal].captures) {
      VarInfo info = function_.var(var);
      info.annotation = TypeOf(var);
      captures.push_back(to.Var(info));
      to.SetType(captures.back(), info.annotation);
      map.emplace(var, captures.back());
    }
    // Inside of itself, the literal is the global function applied to its captured values.
    if (closures_[literal].self) map.emplace(closures_[literal].self, EmitClosure(to, literal, captures));
    for (const ExprId id : region) {
      if (!map.contains(id)) map.emplace(id, Emit(to, id, literal, map));
    }
    auto operands = MapToVector<ExprId>(function_.operands(literal), [&](ExprId operand) { return map.at(operand); });
    const ExprId inner = to.Copy(function_, literal, operands);
    const std::vector<TypeId>& type_params = lifted.type_vars;
    if (captures.empty()) {
      FunctionInfo info = function_.info(literal);
      info.type_params.insert(info.type_params.begin(), type_params.begin(), type_params.end());
      const std::span<const ExprId> params = std::span<const ExprId>(operands).first(operands.size() - 1);
      return Relayout(to.Finish(to.Lambda(std::move(info), params, operands.back())));
    }
    FunctionInfo info;
    info.virtual_device = function_.info(literal).virtual_device;
    info.result = Annotation(literal);
    info.type_params = type_params;
    info.attrs.push_back({context().Intern(attr::kClosure), context().AddInt(1)});
    return Relayout(to.Finish(to.Lambda(std::move(info), captures, inner)));
  }

  auto Emit(FunctionBuilder& to, ExprId id, ExprId literal, const absl::flat_hash_map<ExprId, ExprId>& map) const
      -> ExprId {
    if (function_.kind(id) == ExprKind::kVar) {
      if (const auto outer = closures_.EnclosingGlobal(id, literal)) return EmitClosure(to, *outer, {});
    }
    std::vector<ExprId> operands;
    if (IsLifted(id)) {
      for (const ExprId var : closures_[id].captures) operands.push_back(map.at(var));
      return EmitClosure(to, id, operands);
    }
    for (const ExprId operand : function_.operands(id)) operands.push_back(map.at(operand));
    if (IsFixedDevice(id) && HasDeviceAnyway(to, operands[0])) return operands[0];
    return to.Copy(function_, id, operands);
  }

  // Returns the value of a literal: its global function, applied to the captured values.
  auto EmitClosure(FunctionBuilder& to, ExprId literal, std::span<const ExprId> captures) const -> ExprId {
    const ExprId global = to.Global(lifted_[literal].global);
    if (captures.empty()) return global;
    const ExprId closure = to.Call(global, captures);
    to.SetType(closure, function_.type(literal));
    return closure;
  }

  auto TypeOf(ExprId var) const -> TypeId {
    return function_.type(var) ? function_.type(var) : function_.var(var).annotation;
  }

  auto Annotation(ExprId literal) const -> TypeId {
    std::vector<TypeId> params;
    for (const ExprId param : function_.params(literal)) {
      const TypeId annotation = function_.var(param).annotation;
      params.push_back(annotation ? annotation : TypeOf(param));
    }
    const FunctionInfo& info = function_.info(literal);
    return context().FunctionType(params, info.result, info.type_params);
  }

  // Type variables of outer functions, in the order in which the literal mentions them.
  auto FreeTypeVars(ExprId literal, const std::vector<ExprId>& region) const -> std::vector<TypeId> {
    TypeVarCollector vars(context());
    // Generic literals that stay inside bind theirs; their parameters come before them.
    for (const ExprId id : region) {
      if (function_.kind(id) == ExprKind::kFunction && !IsLifted(id)) vars.Bind(function_.info(id).type_params);
    }
    AddTypeVars(literal, vars);
    for (const ExprId id : region) {
      // Type variables bound by an inner literal are not in scope here.
      if (!IsLifted(id)) AddTypeVars(id, vars);
      for (const TypeId var : lifted_[id].type_vars) vars.Add(var);
    }
    vars.Add(function_.info(literal).result);
    for (const ExprId var : closures_[literal].captures) vars.Add(TypeOf(var));
    return vars.found();
  }

  void AddTypeVars(ExprId id, TypeVarCollector& vars) const {
    if (function_.kind(id) == ExprKind::kVar) vars.Add(function_.var(id).annotation);
    if (function_.kind(id) != ExprKind::kFunction) return;
    vars.Bind(function_.info(id).type_params);
    for (const ExprId param : function_.params(id)) vars.Add(function_.var(param).annotation);
  }

  const Function& function_;
  // Distinguishes the variables of this function from those of others.
  uint32_t number_;
  LiftedFunctions& made_;
  ClosureAnalysis closures_;
  SideTable<ExprId, LiftedLiteral> lifted_;
};

struct LambdaLift {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    Module result = module;
    LiftedFunctions made(result);
    bool changed = false;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function* function = module.function<Function>(id);
      if (CompilerAttr(*function, function->root())) continue;
      auto lifted = Lifter(*function, id.value(), made).Run();
      if (!lifted) continue;
      changed = true;
      result.SetFunction(id, std::make_shared<Function>(*std::move(lifted)));
    }
    if (!changed) return std::nullopt;
    return result;
  }
};

}  // namespace

constinit const PassDef kLambdaLiftPass = DescribePass<LambdaLift>({
    .name = "LambdaLift",
    .opt_level = 1,
    .summary = "moves function literals into global functions",
    .details =
        R"(Every function literal becomes a global function, called `lifted_name` and the hash of the literal. One
that uses variables of functions around it becomes a function of those variables that returns the literal, marked
Closure=1:

  def @main(%x: int32) {                 def @lifted_name123(%x: int32, Closure=1) -> fn (int32) -> int32 {
    let %f = fn (%y: int32) {              fn (%y: int32) -> int32 { add(%x, %y) }
      add(%x, %y)                  =>    }
    };                                   def @main(%x: int32) {
    %f(1)                                  let %f = @lifted_name123(%x);
  }                                        %f(1)
                                         }

Inside a recursive literal its own let variable becomes the global function again. Shared expressions that do not
depend on the parameters move into the function with their variables as captures. Type variables of outer functions
become type parameters. Equal literals share one function. An on_device around a variable or a function, which has a
device anyway, goes. Left alone: kernels (Primitive) with everything in them, and functions for an external
compiler.)",
    .idempotent = false,
});

}  // namespace relayopt
