// Module: global functions of any kind, type definitions and attributes, which share a context.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"
#include "relayopt/module/analyses.h"
#include "relayopt/module/function_kind.h"
#include "relayopt/support/id_range.h"

namespace relayopt {

// A constructor of an algebraic data type.
struct Constructor {
  StringId name;
  std::vector<TypeId> inputs;
  TypeDefId type_def;
  // The position among the constructors of its type.
  uint32_t tag = 0;
};

// An algebraic data type: `type Name[A] { C1(T), C2 }`.
struct TypeDef {
  StringId name;
  // The type parameters, each of kind kVar.
  std::vector<TypeId> params;
  std::vector<CtorId> constructors;
  bool is_extern = false;
};

// A global name and its function; `function` is null when only the name is known, or after the function was removed.
struct Global {
  StringId name;
  GlobalFunctionRef function;
  SourceRange range;
};

// A module is a value: copies share the immutable functions and the context. Ids of globals, types and constructors
// mean the same in a module and in everything made from it.
class Module {
 public:
  Module() : context_(std::make_shared<Context>()) {}
  explicit Module(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  auto context() const -> Context& { return *context_; }
  auto shared_context() const -> const std::shared_ptr<Context>& { return context_; }

  // Globals, in the order in which they were first named.
  auto globals() const -> const std::vector<Global>& { return globals_; }
  auto ids() const -> IdRange<GlobalId> { return IdRange<GlobalId>(globals_.size()); }
  auto global(GlobalId id) const -> const Global& { return globals_[id.value()]; }
  auto name(GlobalId id) const -> std::string_view { return context_->text(global(id).name); }
  auto function(GlobalId id) const -> const GlobalFunctionRef& { return global(id).function; }
  // Returns the function as an F: `module.function<Function>(id)` is a function of Relay. Returns null if there is
  // none, or when it is of another kind.
  template <typename F>
  auto function(GlobalId id) const -> const F* {
    return As<F>(global(id).function.get());
  }
  // The same as a shared pointer, for callers that keep it beyond the life of the module.
  template <typename F>
  auto function_ref(GlobalId id) const -> std::shared_ptr<const F> {
    return function<F>(id) == nullptr ? nullptr : std::static_pointer_cast<const F>(global(id).function);
  }
  // Returns the global of this name, or invalid if there is none.
  auto FindGlobal(std::string_view name) const -> GlobalId;
  // Returns the global of this name, which is added when there is none yet.
  auto NameGlobal(std::string_view name) -> GlobalId;
  // Sets the function of a global, or removes it (null).
  void SetFunction(GlobalId id, GlobalFunctionRef function);
  void SetRange(GlobalId id, SourceRange range) { globals_[id.value()].range = range; }
  // Returns the ids of globals that have a function, sorted by name: the order in which they print.
  auto SortedFunctions() const -> std::vector<GlobalId> { return SortedFunctions(nullptr); }
  // Returns the ids of the globals with a function of the class F, sorted by name.
  template <typename F>
  auto SortedFunctions() const -> std::vector<GlobalId> {
    return SortedFunctions(&F::kFunctionKind);
  }
  // Whether the module has functions of this kind.
  auto Has(const FunctionKind& kind) const -> bool;

  // Whether no function of this kind was set since MarkUpToDate: for Relay, whether all types are inferred.
  auto IsUpToDate(const FunctionKind& kind) const -> bool;
  void MarkUpToDate(const FunctionKind& kind);

  // Attributes of the module as a whole, in the order in which they were set.
  auto attrs() const -> const std::vector<DictAttr>& { return attrs_; }
  // Returns the value of an attribute of the module, or invalid if there is none.
  auto FindAttr(std::string_view key) const -> ObjectId;
  // Sets an attribute of the module, or removes it (invalid value).
  void SetAttr(std::string_view key, ObjectId value);
  // The same for several, the last of which counts if they have one key, in one walk over the attributes.
  void SetAttrs(std::span<const DictAttr> attrs);

  // Type definitions and constructors.
  auto type_defs() const -> const std::vector<TypeDef>& { return type_defs_; }
  auto type_def(TypeDefId id) const -> const TypeDef& { return type_defs_[id.value()]; }
  auto constructor(CtorId id) const -> const Constructor& { return constructors_[id.value()]; }
  auto FindTypeDef(StringId name) const -> TypeDefId;
  auto FindConstructor(StringId name) const -> CtorId;
  // Adds a type definition. The names of the type and its constructors must be new; the Find functions check.
  auto AddTypeDef(TypeDef type_def) -> TypeDefId;
  auto AddConstructor(TypeDefId type_def, StringId name, std::vector<TypeId> inputs) -> CtorId;

  // Returns the result of the analysis A, `A(const Module&)`, which neither refers to the module later nor asks it for
  // an analysis. It is computed when somebody first asks, and lives until a function of this module is set or a global
  // is named; copies of the module share it.
  template <typename A>
  auto Analysis() const -> const A& {
    static constexpr char kind = 0;
    return *static_cast<const A*>(analyses_->Get(&kind, [this] { return std::make_shared<const A>(*this); }));
  }

  // Returns the text that the module was read from, for diagnostics; may be null.
  auto source() const -> const std::shared_ptr<const SourceText>& { return source_; }
  void set_source(std::shared_ptr<const SourceText> source) { source_ = std::move(source); }

 private:
  // Returns the functions of one kind, or all when `kind` is null.
  auto SortedFunctions(const FunctionKind* kind) const -> std::vector<GlobalId>;

  std::shared_ptr<Context> context_;
  std::shared_ptr<const SourceText> source_;
  std::vector<Global> globals_;
  std::vector<DictAttr> attrs_;
  // A short list: at most one entry for each kind.
  std::vector<const FunctionKind*> up_to_date_;
  // The analyses, which copies with the same functions share. Never null.
  std::shared_ptr<ModuleAnalyses> analyses_ = std::make_shared<ModuleAnalyses>();
  std::vector<TypeDef> type_defs_;
  std::vector<Constructor> constructors_;
  absl::flat_hash_map<StringId, GlobalId> global_ids_;
  absl::flat_hash_map<StringId, TypeDefId> type_def_ids_;
  absl::flat_hash_map<StringId, CtorId> constructor_ids_;
};

}  // namespace relayopt
