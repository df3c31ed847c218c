// Small modules for tests of passes.
#pragma once

#include <memory>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::testing {

// `def @NAME(%x: int32) { %x }` with the attribute `key` = `value`, when it is not empty.
inline void AddIdentity(Module& module, std::string_view name, std::string_view key = {}, int64_t value = 0) {
  Context& context = module.context();
  FunctionBuilder builder(context);
  const ExprId x = builder.Var({context.Intern("x"), context.Scalar(DataType::Int(32)), {}});
  FunctionInfo info;
  if (!key.empty()) info.attrs.push_back({context.Intern(key), context.AddInt(value)});
  const ExprId root = builder.Lambda(std::move(info), {&x, 1}, x);
  const GlobalId id = module.NameGlobal(name);
  module.SetFunction(id, std::make_shared<const Function>(Relayout(builder.Finish(root))));
}

// A module with a function @main.
inline auto MainModule() -> Module {
  Module module;
  AddIdentity(module, "main");
  return module;
}

}  // namespace relayopt::testing
