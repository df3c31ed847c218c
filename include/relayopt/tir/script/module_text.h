// TVMScript of whole modules: how functions of the kind `tir` are read and printed.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "relayopt/module/function_kind.h"
#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt::tir {

// The row of PrimFuncs.
extern const FunctionKindDef kPrimFuncKind;

// Whether a text is TVMScript by its beginning: behind blanks and comments a decorator or an import.
auto IsScript(std::string_view text) -> bool;

// Adds what the text from `begin` on holds to a module, which keeps the source alive. False when an error was reported:
// also where a name of the module is taken.
auto ReadInto(Module& module, const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, uint32_t begin = 0)
    -> bool;

}  // namespace relayopt::tir
