// Modules: names of functions, types and constructors.
#include "relayopt/module/module.h"

#include <algorithm>

namespace relayopt {

auto Module::FindGlobal(std::string_view name) const -> GlobalId {
  const auto found = global_ids_.find(context_->Intern(name));
  return found == global_ids_.end() ? GlobalId() : found->second;
}

auto Module::NameGlobal(std::string_view name) -> GlobalId {
  const StringId id = context_->Intern(name);
  const auto [entry, is_new] = global_ids_.try_emplace(id, GlobalId(globals_.size()));
  if (is_new) {
    globals_.push_back({id, nullptr, {}});
    analyses_ = std::make_shared<ModuleAnalyses>();
  }
  return entry->second;
}

void Module::SetFunction(GlobalId id, GlobalFunctionRef function) {
  GlobalFunctionRef& place = globals_[id.value()].function;
  if (place == function) return;
  for (const GlobalFunction* changed : {place.get(), function.get()}) {
    if (changed != nullptr) std::erase(up_to_date_, &changed->function_kind());
  }
  place = std::move(function);
  analyses_ = std::make_shared<ModuleAnalyses>();
}

auto Module::Has(const FunctionKind& kind) const -> bool {
  return std::any_of(globals_.begin(), globals_.end(), [&](const Global& global) {
    return global.function != nullptr && &global.function->function_kind() == &kind;
  });
}

auto Module::IsUpToDate(const FunctionKind& kind) const -> bool {
  return std::find(up_to_date_.begin(), up_to_date_.end(), &kind) != up_to_date_.end();
}

void Module::MarkUpToDate(const FunctionKind& kind) {
  if (!IsUpToDate(kind)) up_to_date_.push_back(&kind);
}

auto Module::FindAttr(std::string_view key) const -> ObjectId {
  for (const DictAttr& attr : attrs_) {
    if (context_->text(attr.key) == key) return attr.value;
  }
  return {};
}

void Module::SetAttr(std::string_view key, ObjectId value) {
  const DictAttr attr = {context_->Intern(key), value};
  SetAttrs(std::span(&attr, 1));
}

void Module::SetAttrs(std::span<const DictAttr> attrs) {
  absl::flat_hash_map<StringId, size_t> places;
  for (size_t i = 0; i < attrs_.size(); ++i) places.emplace(attrs_[i].key, i);
  for (const DictAttr& attr : attrs) {
    const auto [place, is_new] = places.try_emplace(attr.key, attrs_.size());
    if (is_new) {
      attrs_.push_back(attr);
    } else {
      attrs_[place->second].value = attr.value;
    }
  }
  std::erase_if(attrs_, [](const DictAttr& attr) { return !attr.value; });
}

auto Module::SortedFunctions(const FunctionKind* kind) const -> std::vector<GlobalId> {
  std::vector<GlobalId> ids;
  for (size_t i = 0; i < globals_.size(); ++i) {
    const GlobalFunctionRef& function = globals_[i].function;
    if (function != nullptr && (kind == nullptr || &function->function_kind() == kind)) ids.emplace_back(i);
  }
  std::sort(ids.begin(), ids.end(), [this](GlobalId a, GlobalId b) { return name(a) < name(b); });
  return ids;
}

auto Module::FindTypeDef(StringId name) const -> TypeDefId {
  const auto found = type_def_ids_.find(name);
  return found == type_def_ids_.end() ? TypeDefId() : found->second;
}

auto Module::FindConstructor(StringId name) const -> CtorId {
  const auto found = constructor_ids_.find(name);
  return found == constructor_ids_.end() ? CtorId() : found->second;
}

auto Module::AddTypeDef(TypeDef type_def) -> TypeDefId {
  const TypeDefId id(type_defs_.size());
  const bool is_new = type_def_ids_.emplace(type_def.name, id).second;
  RELAYOPT_CHECK(is_new, "a type is defined once");
  type_defs_.push_back(std::move(type_def));
  return id;
}

auto Module::AddConstructor(TypeDefId type_def, StringId name, std::vector<TypeId> inputs) -> CtorId {
  const CtorId id(constructors_.size());
  const bool is_new = constructor_ids_.emplace(name, id).second;
  RELAYOPT_CHECK(is_new, "a constructor is defined once");
  auto& siblings = type_defs_[type_def.value()].constructors;
  constructors_.push_back({name, std::move(inputs), type_def, static_cast<uint32_t>(siblings.size())});
  siblings.push_back(id);
  return id;
}

}  // namespace relayopt
