// Modules: reading, printing, looking at and changing them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;
using object::SlotObj;

auto SlotNode(nb::handle value, graph::Node node) -> Ref<SlotObj> {
  Object* const object = Unwrap(value.ptr());
  if (!graph::Is(object, node)) {
    throw nb::type_error(("an object of type " + object::InfoOf(graph::TypeOf(node)).key + " is expected").c_str());
  }
  return Ref<SlotObj>(static_cast<SlotObj*>(object));
}

auto NewModule(nb::handle self) -> void {
  auto module = object::Make<ModuleObj>(std::make_shared<graph::Lineage>(std::make_shared<Context>()));
  if (!Adopt(self.ptr(), module.get())) throw nb::python_error();
}

// The module of a text. Where `initial` is a module, the text may name what that defines, and both are in the result.
auto Parse(const std::string& text, const std::string& name, nb::handle initial) -> nb::object {
  const ModuleObj* const before = initial.is_none() ? nullptr : &ModuleOf(initial);
  const graph::LineageRef lineage =
      before == nullptr ? std::make_shared<graph::Lineage>(std::make_shared<Context>()) : before->lineage();
  ReadOptions options;
  std::optional<Module> known;
  if (before != nullptr) {
    known = OrThrow(ModuleOf(initial).Core());
    options.initial = &*known;
  }
  auto source = SourceText::FromString(name, text);
  DiagnosticSink sink;
  std::optional<Module> module;
  {
    const Unlocked unlocked;
    module = ReadModule(source, lineage->shared_context(), sink, options);
  }
  if (!module) Throw(sink, source.get());
  return ToObject(ModuleObj::FromCore(lineage, std::move(*module), before).get());
}

// `metadata`: 0 leaves the section out without a word, 1 prints it, 2 leaves a comment in its place.
auto OptionsOf(int metadata) -> PrintOptions {
  PrintOptions options;
  options.metadata = metadata == 0   ? MetadataPrinting::kSilent
                     : metadata == 1 ? MetadataPrinting::kSection
                                     : MetadataPrinting::kOmitted;
  options.spans = true;
  return options;
}

auto ModuleText(nb::handle module, int metadata) -> std::string {
  const Module core = OrThrow(ModuleOf(module).Core());
  const Unlocked unlocked;
  return PrintModule(core, OptionsOf(metadata));
}

// The text of an expression as a function of the given name, in which variables that are free are declared as such; and
// whether there are any.
auto ExprText(nb::handle module, nb::handle expr, const std::string& name, int metadata) -> nb::object {
  std::vector<Ref<Object>> free_vars;
  const Module core = OrThrow(ModuleOf(module).CoreWith(name, NodeOf(expr), &free_vars, nullptr, false));
  return nb::make_tuple(PrintFunction(core, core.FindGlobal(name), OptionsOf(metadata)), !free_vars.empty());
}

auto TypeText(nb::handle type) -> std::string {
  graph::Lineage lineage(std::make_shared<Context>());
  const TypeId id = OrThrow(lineage.TypeIdOf(Value(NodeOf(type))));
  return TypeToString(lineage.context(), id);
}

auto Functions(nb::handle module) -> nb::dict {
  nb::dict all;
  for (const auto& [name, function] : ModuleOf(module).functions()) {
    all[ToObject(ModuleOf(module).lineage()->GlobalVar(name).get())] = ToObject(function.get());
  }
  for (const auto& [name, function] : ModuleOf(module).prim_funcs()) {
    all[ToObject(ModuleOf(module).lineage()->GlobalVar(name).get())] = ToObject(function.get());
  }
  return all;
}

auto FunctionNames(nb::handle module) -> nb::list {
  nb::list all;
  for (const auto& [name, function] : ModuleOf(module).functions()) all.append(nb::str(name.c_str(), name.size()));
  for (const auto& [name, function] : ModuleOf(module).prim_funcs()) all.append(nb::str(name.c_str(), name.size()));
  return all;
}

auto TypeDefs(nb::handle module) -> nb::dict {
  nb::dict all;
  for (const auto& [name, data] : ModuleOf(module).type_defs()) {
    all[ToObject(ModuleOf(module).lineage()->GlobalTypeVar(name).get())] = ToObject(data.get());
  }
  return all;
}

// The function of a name, or None.
auto GetFunction(nb::handle module, const std::string& name) -> nb::object {
  const ModuleObj& box = ModuleOf(module);
  const auto found = box.functions().find(name);
  if (found != box.functions().end()) return ToObject(found->second.get());
  const auto prim_func = box.prim_funcs().find(name);
  return prim_func == box.prim_funcs().end() ? nb::none() : ToObject(prim_func->second.get());
}

auto GlobalVar(nb::handle module, const std::string& name) -> nb::object {
  return ToObject(ModuleOf(module).lineage()->GlobalVar(name).get());
}

// The tensor program for modules of another lineage.
auto InLineage(const graph::PrimFuncObj& program, const graph::LineageRef& lineage) -> Ref<graph::PrimFuncObj> {
  Module alone = *program.module;
  for (const GlobalId id : program.module->SortedFunctions()) {
    if (id != program.id) alone.SetFunction(id, nullptr);
  }
  const auto moved = std::make_shared<const Module>(InContext(alone, lineage->shared_context()));
  return object::Make<graph::PrimFuncObj>(lineage, moved, moved->FindGlobal(alone.name(program.id)));
}

void SetFunction(nb::handle module, nb::handle global_var, nb::handle function) {
  if (auto* const prim_func = UnwrapAs<graph::PrimFuncObj>(function.ptr())) {
    const auto var = SlotNode(global_var, graph::Node::kGlobalVar);
    const std::string name(var->slot(graph::slot::kNameHint).text());
    ModuleObj& box = ModuleOf(module);
    const bool is_own = prim_func->lineage->shared_context() == box.lineage()->shared_context();
    box.SetPrimFunc(name, is_own ? Ref<graph::PrimFuncObj>(prim_func) : InLineage(*prim_func, box.lineage()));
    return;
  }
  ModuleOf(module).SetFunction(SlotNode(global_var, graph::Node::kGlobalVar),
                               SlotNode(function, graph::Node::kFunction));
}
void SetTypeDef(nb::handle module, nb::handle type_var, nb::handle data) {
  ModuleOf(module).SetTypeDef(SlotNode(type_var, graph::Node::kGlobalTypeVar), SlotNode(data, graph::Node::kTypeData));
}

auto Copy(nb::handle module, nb::handle self) -> void {
  const ModuleObj& from = ModuleOf(module);
  auto made = object::Make<ModuleObj>(from.lineage());
  for (const auto& [name, function] : from.functions()) {
    made->SetFunction(from.lineage()->GlobalVar(name), function);
  }
  for (const auto& [name, function] : from.prim_funcs()) made->SetPrimFunc(name, function);
  for (const auto& [name, data] : from.type_defs()) made->SetTypeDef(from.lineage()->GlobalTypeVar(name), data);
  made->set_attrs(from.attrs());
  if (!Adopt(self.ptr(), made.get())) throw nb::python_error();
}

}  // namespace

auto ModuleOf(nb::handle module) -> ModuleObj& {
  auto* const object = UnwrapAs<ModuleObj>(module.ptr());
  if (object == nullptr) throw nb::type_error("an IRModule is expected");
  return *object;
}

void AddModules(nb::module_& m) {
  m.def("module_new", &NewModule);
  m.def("module_copy", &Copy);
  m.def("parse", &Parse, nb::arg("text"), nb::arg("name"), nb::arg("family").none());
  m.def("module_text", &ModuleText);
  m.def("expr_text", &ExprText);
  m.def("type_text", &TypeText);
  m.def("module_functions", &Functions);
  m.def("module_function_names", &FunctionNames);
  m.def("module_type_defs", &TypeDefs);
  m.def("module_get", &GetFunction);
  m.def("module_global_var", &GlobalVar);
  m.def("module_set", &SetFunction);
  m.def("module_set_type", &SetTypeDef);
  m.def("module_remove", [](nb::handle module, const std::string& name) { ModuleOf(module).Remove(name); });
  m.def("module_attrs", [](nb::handle module) { return ToObject(ModuleOf(module).attrs()); });
  m.def(
      "module_set_attrs",
      [](nb::handle module, nb::handle attrs) {
        Value value;
        if (!FromPython(attrs.ptr(), value)) throw nb::python_error();
        ModuleOf(module).set_attrs(std::move(value));
      },
      nb::arg("module"), nb::arg("attrs").none());
  m.def("ctor_tags", [](nb::handle module) {
    // Tells the core's numbers of constructors.
    const Module core = OrThrow(ModuleOf(module).Core());
    nb::list all;
    for (const TypeDef& def : core.type_defs()) {
      for (const CtorId ctor : def.constructors) {
        all.append(ToObject(ModuleOf(module).lineage()->ConstructorOf(core, ctor).get()));
      }
    }
    return all;
  });
  m.def("verify_core", [](nb::handle module) { static_cast<void>(OrThrow(ModuleOf(module).Core())); });
}

}  // namespace relayopt::python
