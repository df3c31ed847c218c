// Questions that some passes ask whoever embeds the library, before they look into their own tables.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// A callback that is empty, or that answers nothing, leaves the question to the tables. Callbacks are asked in the
// thread that runs the pass.
struct PassCallbacks {
  // AnnotateTarget: whether an external compiler takes a kOpCall of the function.
  std::function<std::optional<bool>(std::string_view compiler, const Function& function, ExprId call)> supports;
  // AlterOpLayout, ConvertLayout: what becomes of a kOpCall, whose attributes are `attrs` by now: operator and
  // attributes.
  std::function<std::optional<OpInstance>(const Function& function, ExprId call, AttrsId attrs)> choose_layout;
};

// The callbacks of this thread, or null.
auto CurrentPassCallbacks() -> const PassCallbacks*;
// Replaces them; gives back those before. They must live until they are replaced again.
auto SetPassCallbacks(const PassCallbacks* callbacks) -> const PassCallbacks*;

}  // namespace relayopt
