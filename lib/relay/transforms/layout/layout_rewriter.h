// The engine of the layout passes. It walks a function forward, lets a pass choose another operator or other attributes
// for each call, and propagates layouts such that data is converted as rarely as possible.
#pragma once

#include <functional>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/result.h"

namespace relayopt {

// What becomes of a call; its operands stay.
struct LayoutChoice {
  const OpDef* op;
  AttrsId attrs;
};

// Chooses for the call `id` of the function, of an operator with a layout rule, whose attributes are `attrs` by now:
// the rule may have written them out.
using LayoutChooser = std::function<Result<LayoutChoice>(ExprId id, AttrsId attrs)>;

// The rewritten function; nothing when no call has a layout. Every value keeps its meaning: what a chosen layout does
// to a result is undone where somebody needs it as it was. A choice after which the call would not have the type that
// it had (in the other layout) is not taken.
// `pass` is the name that remarks go by.
auto RewriteLayouts(const Module& module, const Function& function, PassContext& context, std::string_view pass,
                    const LayoutChooser& choose) -> Result<std::optional<Function>>;

}  // namespace relayopt
