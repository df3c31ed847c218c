// A module: global functions and type definitions that share a context.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"

namespace relayopt {

class Function;
using FunctionRef = std::shared_ptr<const Function>;

// A constructor of an algebraic data type.
struct Constructor {
  StringId name;
  std::vector<TypeId> inputs;
  TypeDefId type_def;
  // Position among the constructors of its type.
  uint32_t tag = 0;
};

// `type Name[A] { C1(T), C2 }`.
struct TypeDef {
  StringId name;
  // Each of kind kVar.
  std::vector<TypeId> params;
  std::vector<CtorId> constructors;
  bool is_extern = false;
};

// A global function; `function` is null when only the name is known or after it was removed.
struct Global {
  StringId name;
  FunctionRef function;
  SourceRange range;
};

// A value: copies share the functions, which are immutable, and the context. Ids of globals, types and constructors
// mean the same in a module and in everything made from it.
class Module {
 public:
  Module() : context_(std::make_shared<Context>()) {}
  explicit Module(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  auto context() const -> Context& { return *context_; }
  auto shared_context() const -> const std::shared_ptr<Context>& { return context_; }

  // Globals, in the order in which they were first named.
  auto globals() const -> const std::vector<Global>& { return globals_; }
  auto global(GlobalId id) const -> const Global& { return globals_[id.value()]; }
  auto name(GlobalId id) const -> std::string_view { return context_->text(global(id).name); }
  auto function(GlobalId id) const -> const FunctionRef& { return global(id).function; }
  // The global of this name; none when there is none.
  auto FindGlobal(std::string_view name) const -> GlobalId;
  // The same, named now if it was not.
  auto NameGlobal(std::string_view name) -> GlobalId;
  // Defines, replaces or (null) removes.
  void SetFunction(GlobalId id, FunctionRef function) { globals_[id.value()].function = std::move(function); }
  void SetRange(GlobalId id, SourceRange range) { globals_[id.value()].range = range; }
  // The ids of globals that have a function, sorted by name: the order in which they print.
  auto SortedFunctions() const -> std::vector<GlobalId>;

  // Type definitions and constructors.
  auto type_defs() const -> const std::vector<TypeDef>& { return type_defs_; }
  auto type_def(TypeDefId id) const -> const TypeDef& { return type_defs_[id.value()]; }
  auto constructor(CtorId id) const -> const Constructor& { return constructors_[id.value()]; }
  auto FindTypeDef(StringId name) const -> TypeDefId;
  auto FindConstructor(StringId name) const -> CtorId;
  // Names must be new: see Find*.
  auto AddTypeDef(TypeDef type_def) -> TypeDefId;
  auto AddConstructor(TypeDefId type_def, StringId name, std::vector<TypeId> inputs) -> CtorId;

  // The text it was read from, for diagnostics; may be null.
  auto source() const -> const std::shared_ptr<const SourceText>& { return source_; }
  void set_source(std::shared_ptr<const SourceText> source) { source_ = std::move(source); }

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<const SourceText> source_;
  std::vector<Global> globals_;
  std::vector<TypeDef> type_defs_;
  std::vector<Constructor> constructors_;
  absl::flat_hash_map<StringId, GlobalId> global_ids_;
  absl::flat_hash_map<StringId, TypeDefId> type_def_ids_;
  absl::flat_hash_map<StringId, CtorId> constructor_ids_;
};

}  // namespace relayopt
