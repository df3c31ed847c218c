// Prints a module as check lines for FileCheck.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"

namespace relayopt {

// Returns the text of the module, line by line, as comments that FileCheck reads:
//
//   // CHECK-LABEL: def @main(%x: Tensor[(2), float32] /* ty=Tensor[(2), float32] */)
//   // CHECK-NEXT: %[[#V0:]] = nn.relu(%x) /* ty=Tensor[(2), float32] */;
//   // CHECK-NEXT: add(%[[#V0]], %[[#V0]]) /* ty=Tensor[(2), float32] */
//
// Numbers of values are captured where they are defined and compared where they are used; what is a number the printer
// says. `indent` is put before each line; usually it is `// `. The metadata section is left out, and `types` says which
// comments with types are in.
auto CheckLines(const Module& module, std::string_view prefix, std::string_view indent, TypePrinting types)
    -> std::string;

}  // namespace relayopt
