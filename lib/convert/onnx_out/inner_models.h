// Graphs inside of nodes (If, Loop, Scan) as models of their own.
//
// Each graph becomes a model: its captures (the values that it takes from the graph around it) are added to its inputs,
// with the types that these values have there, and small captured constants to its initializers. The model is read,
// changed, and written in a context of its own. In the result the captures are captures again, and new names get a
// prefix that no other graph has:
//
//   y = If(c, then_branch={z = Reshape(x, s)}, ...)    captures x: float32(2, 3), s = [2, 3]
//     =>  model (x float[2,3]) -> z, initializer s: z = Reshape(x, s)     changed: z = Identity(x)
//     =>  y = If(c, then_branch={z = Identity(x)}, ...)                   captures x
//
// Graphs inside of such a graph are part of the model.
#pragma once

#include <functional>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/relay/analysis/constant_uses.h"
#include "relayopt/relay/ir/rebuild.h"

namespace relayopt::onnx::out {

struct InnerModels {
  // Returns the changed module of a graph, or nothing when the graph stays; if empty, graphs are only written again.
  std::function<std::optional<Module>(const Module&)> change;
  // The version of the operators that the node and its graphs get instead of theirs. Then all graphs have to change,
  // else each of them may, and only to what has fewer nodes, or as many and not more bytes.
  std::optional<int64_t> opset;
  // Of the function with the node. If given, a loop may compute with constants that nothing else uses before it runs.
  const ConstantUses* uses = nullptr;
};

// Emits the node `id`, a call in `rebuild.from()`, with its graphs changed. Returns nothing when it has none or stays
// as it is: when graphs have weights in files beside the model, are nested too deeply, or cannot be read or written.
auto RewriteInnerModels(Rebuild& rebuild, ExprId id, const InnerModels& models) -> ExprId;

}  // namespace relayopt::onnx::out
