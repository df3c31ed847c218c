// Type inference.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Infers the type of every expression in every function of `module`, and fills in missing annotations and result types.
// Reports every type error that it can find in one run. Functions without an annotated result are typed before their
// callers. Returns false if there was an error; the module is then left as it was. Afterwards the module's Relay
// functions count as up to date. The result does not depend on the number of threads.
auto InferTypes(Module& module, DiagnosticSink& sink, size_t threads = 1) -> bool;

// Returns the name of a type in messages. Layers that can print types in full install their printer; the default omits
// symbolic parts.
auto TypeName(const Context& context, TypeId type) -> std::string;

}  // namespace relayopt
