#include "relayopt/graph/module_obj.h"

#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::graph {
namespace {

auto NameOf(const SlotObj& global_var) -> std::string_view { return global_var.slot(slot::kNameHint).text(); }
auto TypeNameOf(const SlotObj& type_var) -> std::string_view { return type_var.slot(slot::kTypeName).text(); }

// Whether ids of globals and constructors of `old` mean the same in `now`.
auto SameIds(const Module& old, const Module& now) -> bool {
  if (old.globals().size() > now.globals().size() || old.type_defs().size() > now.type_defs().size()) return false;
  for (size_t i = 0; i < old.globals().size(); ++i) {
    if (old.globals()[i].name != now.globals()[i].name) return false;
  }
  for (size_t i = 0; i < old.type_defs().size(); ++i) {
    if (old.type_defs()[i].name != now.type_defs()[i].name) return false;
  }
  return true;
}

}  // namespace

using PrimFuncMap = std::map<std::string, Ref<PrimFuncObj>, std::less<>>;

auto ModuleObj::FromCore(const LineageRef& lineage, Module module, const ModuleObj* before) -> Ref<ModuleObj> {
  auto made = object::Make<ModuleObj>(lineage);
  made->core_ = module;
  const auto snapshot = std::make_shared<const Module>(std::move(module));
  for (const GlobalId id : snapshot->SortedFunctions()) {
    const FunctionRef table = snapshot->function_ref<Function>(id);
    const std::string name(snapshot->name(id));
    if (table == nullptr) {
      const auto found = before == nullptr ? PrimFuncMap::const_iterator() : before->prim_funcs_.find(name);
      const bool is_same = before != nullptr && found != before->prim_funcs_.end() &&
                           found->second->function() == snapshot->function(id);
      made->prim_funcs_.emplace(name, is_same ? found->second : object::Make<PrimFuncObj>(lineage, snapshot, id));
      continue;
    }
    Ref<SlotObj> function;
    std::vector<Value> param_ids;
    if (before != nullptr) {
      const auto found = before->functions_.find(name);
      if (found != before->functions_.end()) {
        const TableFaceObj* const face = FaceOf(*found->second);
        if (face != nullptr && face->table == table) function = found->second;
        param_ids = ParamIds(*found->second);
      }
    }
    if (!function) function = FunctionFromTable(lineage, snapshot, table, std::move(param_ids));
    if (table->type(table->root())) {
      lineage->GlobalVar(name)->set(slot::kCheckedType, lineage->ObjectOf(table->type(table->root())));
    }
    made->functions_.emplace(name, std::move(function));
  }
  if (before != nullptr) {
    made->type_defs_ = before->type_defs_;
  }
  if (!snapshot->attrs().empty()) {
    auto entries = MapToVector<std::pair<Value, Value>>(snapshot->attrs(), [&](const DictAttr& attr) {
      return std::pair<Value, Value>(snapshot->context().text(attr.key), lineage->ObjectOf(attr.value));
    });
    const Value fields[] = {object::Make<object::MapObj>(std::move(entries))};
    made->attrs_ = object::MakeNode(TypeOf(Node::kDictAttrs), fields);
  }
  for (const TypeDef& def : snapshot->type_defs()) {
    const std::string_view name = snapshot->context().text(def.name);
    if (made->type_defs_.contains(name)) continue;
    auto params = object::MakeArray(def.params.size());
    for (size_t i = 0; i < def.params.size(); ++i) params->set(i, lineage->ObjectOf(def.params[i]));
    auto ctors = object::MakeArray(def.constructors.size());
    for (size_t i = 0; i < def.constructors.size(); ++i) {
      ctors->set(i, lineage->ConstructorOf(*snapshot, def.constructors[i]));
    }
    const Value fields[] = {lineage->GlobalTypeVar(name), params, ctors};
    made->type_defs_.emplace(name, object::MakeNode(TypeOf(Node::kTypeData), fields));
  }
  return made;
}

void ModuleObj::SetFunction(const Ref<SlotObj>& global_var, Ref<SlotObj> function) {
  lineage_->Adopt(global_var);
  const std::string name(NameOf(*global_var));
  prim_funcs_.erase(name);
  functions_.insert_or_assign(name, std::move(function));
}

void ModuleObj::SetPrimFunc(const std::string& name, Ref<PrimFuncObj> function) {
  RELAYOPT_CHECK(function->lineage->shared_context() == lineage_->shared_context(),
                 "a tensor program of another context");
  functions_.erase(name);
  prim_funcs_.insert_or_assign(name, std::move(function));
}

void ModuleObj::Remove(std::string_view name) {
  functions_.erase(std::string(name));
  prim_funcs_.erase(std::string(name));
}

void ModuleObj::SetTypeDef(const Ref<SlotObj>& global_type_var, Ref<SlotObj> type_data) {
  const std::string name(TypeNameOf(*global_type_var));
  lineage_->AdoptType(global_type_var);
  const auto ctors = object::Items(type_data->slot(slot::kCtors));
  for (size_t i = 0; i < ctors.size(); ++i) {
    const Ref<SlotObj> ctor(static_cast<SlotObj*>(ctors[i].object()));
    lineage_->AdoptConstructor(ctor, name);
  }
  type_defs_.insert_or_assign(name, std::move(type_data));
}

auto ModuleObj::SyncTypeDefs() -> std::optional<Diagnostic> {
  Context& context = lineage_->context();
  for (const auto& [name, data] : type_defs_) {
    const StringId id = context.Intern(name);
    if (core_.FindTypeDef(id)) continue;
    TypeDef def;
    def.name = id;
    for (const Value& param : object::Items(data->slot(slot::kTypeVars))) {
      auto type = lineage_->TypeIdOf(param);
      if (!type) return std::move(type).error();
      def.params.push_back(*type);
    }
    const auto ctors = object::Items(data->slot(slot::kCtors));
    def.is_extern = ctors.empty();
    const TypeDefId type_def = core_.AddTypeDef(std::move(def));
    for (const Value& value : ctors) {
      const auto& ctor = static_cast<const SlotObj&>(*value.object());
      const StringId ctor_name = context.Intern(ctor.slot(slot::kCtorName).text());
      if (core_.FindConstructor(ctor_name)) {
        return GraphError(fmt::format("two types have a constructor {}", context.text(ctor_name)));
      }
      std::vector<TypeId> inputs;
      for (const Value& input : object::Items(ctor.slot(slot::kCtorInputs))) {
        auto type = lineage_->TypeIdOf(input);
        if (!type) return std::move(type).error();
        inputs.push_back(*type);
      }
      core_.AddConstructor(type_def, ctor_name, std::move(inputs));
    }
  }
  return std::nullopt;
}

auto ModuleObj::SyncAttrs() -> std::optional<Diagnostic> {
  const Object* const attrs = attrs_.object();
  const auto* map = attrs == nullptr ? nullptr : SlotsOf(*attrs)[slot::kDict].as<object::MapObj>();
  std::vector<DictAttr> changes;
  for (const DictAttr& attr : core_.attrs()) {
    const std::string_view key = lineage_->context().text(attr.key);
    if (map == nullptr || map->Find(key) == nullptr) changes.push_back({attr.key, {}});
  }
  if (map != nullptr) {
    for (const auto& [key, value] : map->entries()) {
      auto id = lineage_->ObjectIdOf(value);
      if (!id) return std::move(id).error();
      changes.push_back({lineage_->context().Intern(key.text()), *id});
    }
  }
  core_.SetAttrs(changes);
  return std::nullopt;
}

auto ModuleObj::HasTable(const SlotObj& function, GlobalId id) const -> bool {
  const TableFaceObj* const face = FaceOf(function);
  if (face == nullptr || face->lineage != lineage_) return false;
  return core_.function(id) == face->table || SameIds(*face->module, core_);
}

auto ModuleObj::Core() -> Result<Module> {
  if (auto error = SyncTypeDefs()) return *std::move(error);
  if (auto error = SyncAttrs()) return *std::move(error);
  for (const auto& [name, function] : functions_) core_.NameGlobal(name);
  std::vector<std::pair<Ref<SlotObj>, FunctionRef>> frozen;
  for (const auto& [name, function] : functions_) {
    const GlobalId id = core_.FindGlobal(name);
    if (HasTable(*function, id)) {
      core_.SetFunction(id, FaceOf(*function)->table);
      continue;
    }
    auto made = Freeze(*lineage_, core_, Ref<Object>(function));
    if (!made) return std::move(made).error().Note(fmt::format("in the function @{}", name));
    if (const auto broken = Verify(core_, made->table)) {
      return GraphError(fmt::format("the function @{} is not well formed: {}", name, broken->text));
    }
    auto table = std::make_shared<const Function>(Relayout(made->table));
    core_.SetFunction(id, table);
    frozen.emplace_back(function, std::move(table));
  }
  for (const auto& [name, function] : prim_funcs_) {
    const GlobalId id = core_.NameGlobal(name);
    if (core_.function(id) != function->function()) core_.SetFunction(id, function->function());
  }
  // Functions that were removed.
  for (const GlobalId id : core_.ids()) {
    const std::string_view name = core_.name(id);
    if (core_.function(id) != nullptr && !functions_.contains(name) && !prim_funcs_.contains(name)) {
      core_.SetFunction(id, nullptr);
    }
  }
  if (!frozen.empty()) {
    const auto snapshot = std::make_shared<const Module>(core_);
    for (auto& [function, table] : frozen) {
      function->set(kFaceSlot, object::Make<TableFaceObj>(lineage_, snapshot, std::move(table)));
    }
  }
  return core_;
}

auto ModuleObj::CoreWith(std::string_view name, const Ref<Object>& expr, std::vector<Ref<Object>>* free_vars,
                         std::vector<Ref<Object>>* objects, bool bind_free) -> Result<Module> {
  RELAYOPT_TRY(Module module, Core());
  const GlobalId id = module.NameGlobal(name);
  RELAYOPT_TRY(FreezeResult frozen, Freeze(*lineage_, module, expr, free_vars, objects != nullptr, bind_free));
  if (objects != nullptr) {
    *objects = std::move(frozen.objects);
    module.SetFunction(id, std::make_shared<const Function>(std::move(frozen.table)));
  } else {
    module.SetFunction(id, std::make_shared<const Function>(Relayout(frozen.table)));
  }
  return module;
}

}  // namespace relayopt::graph
