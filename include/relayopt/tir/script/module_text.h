// The text of modules with functions of kind `tir`, which is TVMScript.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "relayopt/module/function_kind.h"
#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt::tir {

// The row of the kind of PrimFuncs.
extern const FunctionKindDef kPrimFuncKind;

// Whether a text is TVMScript: after blanks and comments, it begins with a decorator or an import.
auto IsScript(std::string_view text) -> bool;

// Reads the text from `begin` on, and adds its functions to the module, which keeps the source alive. Returns false if
// an error was reported, including a name that the module has already.
auto ReadInto(Module& module, const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, uint32_t begin = 0)
    -> bool;

}  // namespace relayopt::tir
