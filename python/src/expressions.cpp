// Operators, comparisons and walks.
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "relayopt/graph/attrs_types.h"
#include "relayopt/graph/structural.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/analysis/match_coverage.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;

auto ValueOf(nb::handle given) -> Value {
  Value value;
  if (!FromPython(given.ptr(), value, true)) throw nb::python_error();
  return value;
}

auto FieldKindName(FieldKind kind) -> const char* {
  switch (kind) {
    case FieldKind::kInt: return "int";
    case FieldKind::kBool: return "bool";
    case FieldKind::kDouble: return "float";
    case FieldKind::kString: return "str";
    case FieldKind::kDataType: return "dtype";
    case FieldKind::kDim: return "dim";
    case FieldKind::kDimList: return "dims";
    case FieldKind::kDimLists: return "dim_lists";
    case FieldKind::kObject: return "object";
  }
  return "";
}

// The type key of an attribute class's objects.
auto KeyOf(const AttrsSchema& schema) -> const std::string& { return object::InfoOf(graph::AttrsType(schema)).key; }

// A record of an attribute class in which every field has its default, as an object.
auto DefaultAttrs(const std::string& key) -> nb::object {
  for (const OpDef* op : AllOps()) {
    if (op->attrs == nullptr || KeyOf(*op->attrs) != key) continue;
    graph::Lineage lineage(std::make_shared<Context>());
    return ToObject(lineage.ObjectOf(lineage.context().DefaultAttrs(*op->attrs)));
  }
  return nb::none();
}

// The fields of an attribute class: (name, kind, required, doc).
auto AttrsFields(const AttrsSchema& schema) -> nb::list {
  nb::list fields;
  for (const FieldInfo& field : schema.fields) {
    fields.append(nb::make_tuple(Text(field.name), FieldKindName(field.kind), field.required, Text(field.doc)));
  }
  return fields;
}

// The table of operators: name -> (inputs, attribute class or None, fusion, stateful, doc, ...).
auto OpTable() -> nb::dict {
  nb::dict all;
  for (const OpDef* op : AllOps()) {
    nb::list inputs;
    for (size_t i = 0; i < Arity(*op); ++i) inputs.append(Text(InputName(*op, i)));
    nb::dict row;
    row["inputs"] = inputs;
    row["attrs"] = op->attrs == nullptr ? nb::none() : nb::object(Text(KeyOf(*op->attrs)));
    row["attrs_undeclared"] = op->attrs_undeclared;
    row["fusion"] = static_cast<int>(op->fusion);
    row["stateful"] = op->stateful;
    row["non_computational"] = op->non_computational;
    row["doc"] = Text(op->doc);
    all[Text(op->name)] = row;
  }
  return all;
}

auto AttrsTable() -> nb::dict {
  nb::dict all;
  for (const OpDef* op : AllOps()) {
    if (op->attrs != nullptr) all[Text(KeyOf(*op->attrs))] = AttrsFields(*op->attrs);
  }
  return all;
}

auto Path(const std::vector<std::string>& steps) -> nb::list {
  nb::list list;
  for (const std::string& step : steps) list.append(Text(step));
  return list;
}

// True, or where the two differ first.
auto Equal(nb::handle a, nb::handle b, bool map_free_vars, bool want_path) -> nb::object {
  const Value left = ValueOf(a);
  const Value right = ValueOf(b);
  graph::Mismatch mismatch;
  if (graph::StructuralEqual(left, right, map_free_vars, want_path ? &mismatch : nullptr)) return nb::bool_(true);
  if (!want_path) return nb::bool_(false);
  return nb::make_tuple(Path(mismatch.lhs), Path(mismatch.rhs));
}

auto Walk(nb::handle expr) -> nb::list {
  nb::list all;
  for (const auto& node : graph::PostOrder(NodeOf(expr))) all.append(ToObject(node.get()));
  return all;
}

// The function that computes an expression, as @main of a module of its own: what is free becomes parameters.
auto Alone(nb::handle expr) -> Module {
  std::vector<Ref<Object>> free_vars;
  graph::ModuleObj module(std::make_shared<graph::Lineage>(std::make_shared<Context>()));
  DeclareConstructors(NodeOf(expr), module);
  return OrThrow(module.CoreWith("main", NodeOf(expr), &free_vars, nullptr));
}
auto FunctionIn(const Module& alone) -> const Function& { return *alone.function<Function>(alone.FindGlobal("main")); }

// Whether the pass that makes this form leaves an expression as it is.
auto IsBasicBlockNormalForm(nb::handle expr) -> bool {
  Module module = Alone(expr);
  const PassDef& def = *FindPass("ToBasicBlockNormalForm");
  const PassContextRef context = OrThrow(PassContext::Create({}));
  return !OrThrow(OrThrow(CreatePass(def, PassOptions(*def.options)))->Apply(module, *context));
}

// The patterns that no clause of a match in the types of a module covers.
auto Unmatched(nb::handle match, nb::handle module) -> nb::list {
  std::vector<Ref<Object>> free_vars;
  ModuleObj& box = ModuleOf(module);
  const Ref<Object> node = NodeOf(match);
  if (!graph::Is(node.get(), graph::Node::kMatch)) throw nb::type_error("a Match is expected");
  const Module core = OrThrow(box.CoreWith("", node, &free_vars, nullptr));
  const Function& function = *core.function<Function>(core.FindGlobal(""));
  nb::list all;
  for (const MatchCase& found : FindUnmatchedCases(core, function, function.body(), SIZE_MAX)) {
    std::vector<Value> made(found.size());
    for (size_t i = found.size(); i-- > 0;) {
      std::vector<Value> children;
      for (const uint32_t child : found[i].children) children.push_back(made[child]);
      const bool is_tuple = found[i].kind == PatternKind::kTuple;
      std::vector<Value> fields;
      if (found[i].ctor) fields.emplace_back(box.lineage()->ConstructorOf(core, found[i].ctor));
      if (found[i].ctor || is_tuple) fields.emplace_back(object::MakeArray(children));
      made[i] = object::MakeNode(graph::TypeOf(found[i].ctor ? graph::Node::kPatternConstructor
                                               : is_tuple    ? graph::Node::kPatternTuple
                                                             : graph::Node::kPatternWildcard),
                                 fields);
    }
    all.append(ToObject(made.front()));
  }
  return all;
}

}  // namespace

void AddExpressions(nb::module_& m) {
  m.def("op_table", &OpTable);
  m.def("attrs_table", &AttrsTable);
  m.def("default_attrs", &DefaultAttrs);
  m.def("get_op", [](const std::string& name) { return ToObject(graph::OpObject(name).get()); });
  m.def("structural_equal", &Equal, nb::arg("a").none(), nb::arg("b").none(), nb::arg("map_free_vars"),
        nb::arg("want_path"));
  m.def(
      "structural_hash",
      [](nb::handle value, bool map_free_vars) {
        return static_cast<int64_t>(graph::StructuralHash(ValueOf(value), map_free_vars));
      },
      nb::arg("value").none(), nb::arg("map_free_vars"));
  m.def("post_order", &Walk, nb::arg().none());
  m.def(
      "count_macs", [](nb::handle expr) { return CountMacs(FunctionIn(Alone(expr))); }, nb::arg().none());
  m.def(
      "well_formed",
      [](nb::handle expr) {
        const Module module = Alone(expr);
        return !Verify(module, FunctionIn(module));
      },
      nb::arg().none());
  m.def("is_basic_block_normal_form", &IsBasicBlockNormalForm, nb::arg().none());
  m.def("unmatched_cases", &Unmatched, nb::arg().none(), nb::arg());
}

}  // namespace relayopt::python
