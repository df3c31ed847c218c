// Type inference.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Infers the type of every expression of every function of `module`, fills in missing annotations and result types, and
// reports every type error it can find in one run. Functions whose result is not annotated are typed before their
// callers. False when there was an error; the module is then left as it was. Afterwards the module says that its
// functions of Relay are up to date. The result is the same for every number of threads.
auto InferTypes(Module& module, DiagnosticSink& sink, size_t threads = 1) -> bool;

// Names a type in messages. Set by layers that can print types in full; the default prints them without symbolic parts.
auto TypeName(const Context& context, TypeId type) -> std::string;

}  // namespace relayopt
