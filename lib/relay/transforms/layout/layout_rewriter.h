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

// The replacement of a call; its operands stay.
struct LayoutChoice {
  const OpDef* op;
  AttrsId attrs;
};

// Chooses for the call `id` of the function, of an operator with a layout rule, whose attributes are `attrs` by now:
// the rule may have written them out.
using LayoutChooser = std::function<Result<LayoutChoice>(ExprId id, AttrsId attrs)>;

// Rewrites the layouts of a function; returns nothing if no call has a layout. All values keep their meaning: a result
// in another layout is converted back for users that need the original one. A choice is rejected if it would change the
// type of the call (other than by its layout). `pass` is the name used in remarks.
auto RewriteLayouts(const Module& module, const Function& function, PassContext& context, std::string_view pass,
                    const LayoutChooser& choose) -> Result<std::optional<Function>>;

}  // namespace relayopt
