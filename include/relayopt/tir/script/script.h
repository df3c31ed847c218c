// TVMScript of tensor programs: parsed, and printed byte for byte as TVM prints it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/support/diagnostic.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// A function in a TVMScript text.
struct ScriptFunction {
  // The name in the module.
  StringId name;
  std::shared_ptr<const PrimFunc> function;
  // The range of the name in the text.
  SourceRange range;
};

// The content of a TVMScript text.
struct ScriptModule {
  std::vector<DictAttr> attrs;
  std::vector<ScriptFunction> functions;
};

// Parses a class of functions, or a single function, from the offset `begin` on. Reports every error that it can find
// in one run, and returns nothing if there was one. A construct that only a Python interpreter could evaluate is an
// error that says so.
auto ReadScript(const SourceText& source, Context& context, DiagnosticSink& sink, uint32_t begin = 0)
    -> std::optional<ScriptModule>;

// How TVMScript is printed.
struct ScriptOptions {
  // The name of the printed class, by which functions of the module are called.
  std::string_view class_name = "Module";
};

// Prints a module as `script()` of TVM does: functions sorted by name, `main` last, no newline at the end.
auto PrintScript(const ScriptModule& module, Context& context, const ScriptOptions& options = {}) -> std::string;
// Prints a single function, without a class.
auto PrintScript(const PrimFunc& function, std::string_view name) -> std::string;
// Prints an expression in the form that passes use for messages in programs.
auto PrintExpr(Context& context, PrimExpr expr) -> std::string;

}  // namespace relayopt::tir
