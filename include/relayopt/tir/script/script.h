// TVMScript of tensor programs: read and printed, byte for byte as the reference prints it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/support/diagnostic.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

struct ScriptFunction {
  // The name in the module.
  StringId name;
  std::shared_ptr<const PrimFunc> function;
  // Where the name stands in the text.
  SourceRange range;
};

// What a text of TVMScript holds.
struct ScriptModule {
  std::vector<DictAttr> attrs;
  std::vector<ScriptFunction> functions;
};

// Reads a class of functions or a single function. Reports every error it can find in one run; nothing is returned when
// there was one. What needs a Python interpreter is an error that says so.
// `begin`: where in the text it begins.
auto ReadScript(const SourceText& source, Context& context, DiagnosticSink& sink, uint32_t begin = 0)
    -> std::optional<ScriptModule>;

struct ScriptOptions {
  // The name that functions of the module are called by and the class prints with.
  std::string_view class_name = "Module";
};

// The module as `script()` of the reference prints it: functions by name, `main` last; no newline at the end.
auto PrintScript(const ScriptModule& module, Context& context, const ScriptOptions& options = {}) -> std::string;
// One function alone, without a class.
auto PrintScript(const PrimFunc& function, std::string_view name) -> std::string;
// An expression alone, as messages that passes put into programs hold it.
auto PrintExpr(Context& context, PrimExpr expr) -> std::string;

}  // namespace relayopt::tir
