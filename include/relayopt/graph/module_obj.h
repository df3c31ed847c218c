// ModuleObj: a module as users hold it, a mutable collection of function objects around a Module.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "relayopt/graph/table_face.h"

namespace relayopt::graph {

// A function of a kind other than Relay's, such as a tensor program: it has no graph of objects and is its text to
// users.
struct PrimFuncObj final : Object {
  static constexpr std::string_view kTypeKey = "tir.PrimFunc";
  using Base = Object;
  PrimFuncObj(LineageRef l, std::shared_ptr<const Module> m, GlobalId i)
      : Object(object::IndexOf<PrimFuncObj>()), lineage(std::move(l)), module(std::move(m)), id(i) {}

  auto function() const -> const GlobalFunctionRef& { return module->function(id); }

  LineageRef lineage;
  // A module that contains the function, under `id`.
  std::shared_ptr<const Module> module;
  GlobalId id;
};

// A module as users hold it. Users may add, replace and remove functions; conversions to and from Module are lazy.
class ModuleObj final : public Object {
 public:
  static constexpr std::string_view kTypeKey = "IRModule";
  using Base = Object;

  explicit ModuleObj(LineageRef lineage)
      : Object(TypeOf(Node::kIRModule)), lineage_(std::move(lineage)), core_(lineage_->shared_context()) {}
  // Makes an object from the result of a pass on `before`, or from a module that was read (`before` is null). Functions
  // that the pass did not change keep their objects.
  static auto FromCore(const LineageRef& lineage, Module module, const ModuleObj* before) -> Ref<ModuleObj>;

  auto lineage() const -> const LineageRef& { return lineage_; }
  // Returns the functions by name.
  auto functions() const -> const std::map<std::string, Ref<SlotObj>, std::less<>>& { return functions_; }
  // Returns the functions that are not Relay's, by name. No name is in both maps.
  auto prim_funcs() const -> const std::map<std::string, Ref<PrimFuncObj>, std::less<>>& { return prim_funcs_; }
  auto type_defs() const -> const std::map<std::string, Ref<SlotObj>, std::less<>>& { return type_defs_; }
  // Returns the attributes (DictAttrs), or null.
  auto attrs() const -> const Value& { return attrs_; }
  void set_attrs(Value attrs) { attrs_ = std::move(attrs); }

  void SetFunction(const Ref<SlotObj>& global_var, Ref<SlotObj> function);
  // Sets a function that is not Relay's. Requires that it has the context of this module.
  void SetPrimFunc(const std::string& name, Ref<PrimFuncObj> function);
  void Remove(std::string_view name);
  void SetTypeDef(const Ref<SlotObj>& global_type_var, Ref<SlotObj> type_data);

  // Returns the Module with the same content. Functions that have no table yet get one. An error names the function.
  auto Core() -> Result<Module>;
  // The Module with an expression added as one more function. Its free variables are appended to `free_vars` and become
  // parameters, unless `bind_free` is false; `objects`, if not null, gets what FreezeResult has.
  auto CoreWith(std::string_view name, const Ref<Object>& expr, std::vector<Ref<Object>>* free_vars,
                std::vector<Ref<Object>>* objects, bool bind_free = true) -> Result<Module>;

 private:
  auto SyncTypeDefs() -> std::optional<Diagnostic>;
  auto SyncAttrs() -> std::optional<Diagnostic>;
  auto HasTable(const SlotObj& function, GlobalId id) const -> bool;

  LineageRef lineage_;
  Module core_;
  std::map<std::string, Ref<SlotObj>, std::less<>> functions_;
  std::map<std::string, Ref<PrimFuncObj>, std::less<>> prim_funcs_;
  std::map<std::string, Ref<SlotObj>, std::less<>> type_defs_;
  Value attrs_;
};

}  // namespace relayopt::graph
