// Types from Python: solving constraints between them step by step, and operators that are registered at run time.
#include <absl/container/flat_hash_map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings.h"
#include "relayopt/graph/table_face.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/relay/types/unifier.h"

namespace relayopt::python {
namespace {

constexpr DiagnosticKind kConflict{"type-conflict", Severity::kError, "{} and {} cannot be one type: {}"};
constexpr DiagnosticKind kRelation{"type-relation", Severity::kError, "{}"};

// A problem of types: what is unified and related stays so. Types go in and come out as objects; the same
// IncompleteType object is the same unknown.
class TypeSolver {
 public:
  TypeSolver() : lineage_(std::make_shared<Context>()), unifier_(lineage_.context()) {}

  // Makes two types equal and gives what both are; DiagnosticError where they cannot be. The type parameters of
  // functions stand for any type; those that stay open are parameters of the result.
  auto Unify(nb::handle a, nb::handle b) -> nb::object {
    if (a.is(b)) return nb::borrow(a);
    const TypeId left = IdOf(a);
    const TypeId right = IdOf(b);
    std::vector<std::pair<TypeId, TypeId>> opened;
    const auto unified = unifier_.Unify(Open(left, opened), Open(right, opened));
    if (!unified) {
      Throw(MakeDiagnostic(kConflict, {}, TypeToString(context(), left), TypeToString(context(), right),
                           unifier_.mismatch()));
    }
    const TypeId result = Close(unifier_.Resolve(*unified), opened);
    if (!opened.empty()) united_[left] = united_[right] = result;
    return ToObject(lineage_.ObjectOf(result));
  }

  auto Resolve(nb::handle type) -> nb::object {
    const TypeId id = IdOf(type);
    const auto united = united_.find(id);
    return ToObject(lineage_.ObjectOf(unifier_.Resolve(united == united_.end() ? id : united->second)));
  }

  // The types, the result last, are to be related as inputs and result of the operator are.
  void AddConstraint(const std::string& op, nb::list types, nb::handle attrs) {
    Relation relation{FindOp(op), OrThrow(lineage_.AttrsIdOf(attrs.is_none() ? Value() : Value(NodeOf(attrs)))), {}};
    if (relation.op == nullptr) throw nb::value_error(("unknown operator " + op).c_str());
    for (const nb::handle type : types) relation.types.push_back(IdOf(type));
    pending_.push_back(std::move(relation));
  }

  // Applies relations until none knows more; whether all are settled. A relation that does not hold is a
  // DiagnosticError.
  auto Solve() -> bool {
    bool progress = true;
    while (progress && !pending_.empty()) {
      progress = false;
      for (size_t i = 0; i < pending_.size();) {
        unifier_.TakeBound();
        if (Apply(pending_[i])) {
          pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
          progress = true;
        } else {
          ++i;
          progress |= unifier_.has_bound();
        }
      }
    }
    return pending_.empty();
  }

 private:
  struct Relation {
    const OpDef* op;
    AttrsId attrs;
    std::vector<TypeId> types;
  };

  class Solver final : public RuleSolver {
   public:
    Solver(Unifier& unifier, std::span<const TypeId> types) : unifier_(unifier), types_(types) {}
    auto UnifyInput(size_t i, TypeId type) -> bool override { return Join(types_[i], type); }
    auto UnifyResult(TypeId type) -> bool override { return Join(types_.back(), type); }
    auto MergeResultWithInput(size_t i) -> bool override { return Join(types_.back(), types_[i]); }
    void Report(std::optional<size_t>, std::string text) override { fault_ = std::move(text); }
    auto InputConstant(size_t) const -> const Constant* override { return nullptr; }
    auto fault() const -> const std::string& { return fault_; }

   private:
    auto Join(TypeId a, TypeId b) -> bool {
      if (unifier_.Unify(a, b)) return true;
      fault_ = unifier_.mismatch();
      return false;
    }
    Unifier& unifier_;
    std::span<const TypeId> types_;
    std::string fault_;
  };

  auto context() -> Context& { return lineage_.context(); }
  auto IdOf(nb::handle type) -> TypeId { return OrThrow(lineage_.TypeIdOf(Value(NodeOf(type)))); }

  // A function type with unknowns in the place of its parameters; both are noted.
  auto Open(TypeId type, std::vector<std::pair<TypeId, TypeId>>& opened) -> TypeId {
    const Type& term = context().type(type);
    if (!term.is_function() || term.type_params.empty()) return type;
    const std::vector<TypeId> params(term.type_params.begin(), term.type_params.end());
    const std::vector<TypeId> args(term.args.begin(), term.args.end());
    const TypeId plain = context().FunctionType(args, term.result);
    std::vector<TypeId> unknowns;
    for (const TypeId param : params) {
      unknowns.push_back(unifier_.Fresh());
      opened.emplace_back(unknowns.back(), param);
    }
    return Substitute(context(), plain, params, unknowns);
  }

  // The type with parameters where unknowns of `opened` are left, in the order in which they were opened.
  auto Close(TypeId type, const std::vector<std::pair<TypeId, TypeId>>& opened) -> TypeId {
    std::vector<TypeId> unknowns;
    std::vector<TypeId> params;
    for (const auto& [unknown, param] : opened) {
      const TypeId now = unifier_.Resolve(unknown);
      if (!context().type(now).is_incomplete() || std::ranges::find(unknowns, now) != unknowns.end()) continue;
      unknowns.push_back(now);
      const bool taken = std::ranges::find(params, param) != params.end();
      params.push_back(taken ? context().FreshVar(context().type(param).name) : param);
    }
    if (params.empty()) return type;
    const TypeId closed = RewriteType(
        context(), type,
        [&](TypeId leaf) {
          const auto found = std::ranges::find(unknowns, leaf);
          return found == unknowns.end() ? leaf : params[static_cast<size_t>(found - unknowns.begin())];
        },
        [](const Dim& dim) { return dim; });
    const Type& term = context().type(closed);
    const std::vector<TypeId> args(term.args.begin(), term.args.end());
    return context().FunctionType(args, term.result, params);
  }

  // Whether the relation is settled.
  auto Apply(const Relation& relation) -> bool {
    std::vector<TypeId> inputs;
    for (const TypeId type : relation.types) inputs.push_back(unifier_.Resolve(type));
    const TypeId result = inputs.back();
    inputs.pop_back();
    Solver solver(unifier_, relation.types);
    const bool open = context().type(result).is_incomplete();
    RuleContext rule(context(), *relation.op, relation.attrs, inputs, open ? TypeId() : result, solver);
    const AttrsSchema* const schema = relation.op->attrs;
    const bool fits = schema == nullptr || (relation.attrs && context().attrs(relation.attrs).schema == schema);
    const RuleStatus status = fits ? relation.op->type(rule)
                                   : rule.Error("{} needs attributes of class {}", relation.op->name, schema->type_key);
    if (status == RuleStatus::kFailed) Throw(MakeDiagnostic(kRelation, {}, solver.fault()));
    return status == RuleStatus::kDone;
  }

  graph::Lineage lineage_;
  Unifier unifier_;
  std::vector<Relation> pending_;
  // The overridden generic functions.
  absl::flat_hash_map<TypeId, TypeId> united_;
};

// Type rules in Python by name of the operator, until the interpreter ends.
auto TypeFunctions() -> std::unordered_map<std::string_view, PyObject*>& {
  static auto& all = *new std::unordered_map<std::string_view, PyObject*>;
  return all;
}
thread_local std::optional<Diagnostic> t_failed;

// f(types of the arguments, attributes) gives the type of the result, or None while it cannot tell.
auto PythonRule(RuleContext& rule) -> RuleStatus {
  for (size_t i = 0; i < rule.size(); ++i) {
    if (rule.context().type(rule.input(i)).has_incomplete) return rule.Wait();
  }
  const Locked locked;
  graph::Lineage* const running = RunningLineage();
  const bool mine = running != nullptr && &running->context() == &rule.context();
  // Outside of a pass that Python runs: the context is not ours to keep.
  graph::Lineage scratch(std::shared_ptr<Context>(&rule.context(), [](Context*) {}));
  graph::Lineage& lineage = mine ? *running : scratch;
  try {
    nb::list types;
    for (size_t i = 0; i < rule.size(); ++i) types.append(ToObject(lineage.ObjectOf(rule.input(i))));
    const auto found = TypeFunctions().find(rule.op().name);
    if (found == TypeFunctions().end()) return rule.Error("{}: the interpreter is shut down", rule.op().name);
    const nb::handle function(found->second);
    const nb::object result = CallPython(function, types, ToObject(lineage.ObjectOf(rule.attrs_id())));
    if (result.is_none()) return rule.Wait();
    return rule.Done(OrThrow(lineage.TypeIdOf(Value(NodeOf(result)))));
  } catch (...) {
    t_failed = ParkCurrentException();
    return rule.Error("{}: {}", rule.op().name, t_failed->text);
  }
}

// Makes an operator known to the core. `relation` is an operator that has its type rule, or empty, where `function` is
// it.
void RegisterRunTimeOp(const std::string& name, const std::string& inputs, const std::string& relation,
                       nb::handle function, int fusion, bool stateful) {
  // Rows live as long as the process.
  auto* const texts = new std::pair<std::string, std::string>(name, inputs);
  TypeRule rule = &PythonRule;
  if (!relation.empty()) {
    const OpDef* const like = FindOp(relation);
    if (like == nullptr) throw nb::value_error(("unknown operator " + relation).c_str());
    rule = like->type;
  } else {
    TypeFunctions().emplace(texts->first, nb::object(nb::borrow(function)).release().ptr());
  }
  const OpDef row{.name = texts->first,
                  .inputs = texts->second,
                  .type = rule,
                  .fusion = static_cast<Fusion>(fusion),
                  .stateful = stateful,
                  .doc = "registered at run time"};
  if (RegisterOp(row) == nullptr) throw nb::value_error(("the operator " + name + " is known already").c_str());
}

// Asks Python for the operators that the core does not know: op_source(name) registers one, if it can.
PyObject* g_op_source = nullptr;
auto AskPython(std::string_view name) -> const OpDef* {
  const Locked locked;
  try {
    const nb::handle source(g_op_source);
    CallPython(source, nb::str(name.data(), name.size()));
  } catch (...) {
    t_failed = ParkCurrentException();
  }
  return FindOp(name);
}

}  // namespace

auto HasTypeFunctions() -> bool { return !TypeFunctions().empty(); }

auto TakeRuleFailure() -> std::optional<Diagnostic> { return std::exchange(t_failed, std::nullopt); }

void AddTypes(nb::module_& m) {
  nb::class_<TypeSolver>(m, "TypeSolver")
      .def(nb::init<>())
      .def("Unify", &TypeSolver::Unify)
      .def("Resolve", &TypeSolver::Resolve)
      .def("AddConstraint", &TypeSolver::AddConstraint, nb::arg("op"), nb::arg("types"), nb::arg("attrs").none())
      .def("Solve", &TypeSolver::Solve);
  m.def("register_op", &RegisterRunTimeOp, nb::arg("name"), nb::arg("inputs"), nb::arg("relation"),
        nb::arg("function").none(), nb::arg("fusion"), nb::arg("stateful"));
  m.def("set_op_source", [](nb::handle function) {
    g_op_source = nb::object(nb::borrow(function)).release().ptr();
    graph::SetOpSource(&AskPython);
  });
  m.def("release_op_functions", [] {
    for (const auto& [name, function] : TypeFunctions()) Py_DECREF(function);
    TypeFunctions().clear();
  });
  m.def("has_op", [](const std::string& name) { return FindOp(name) != nullptr; });
}

}  // namespace relayopt::python
