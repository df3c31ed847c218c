// Adds the layer of the original model to remarks.
#pragma once

#include "relayopt/pass/remarks.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Appends the layer that the expression belongs to, if its span names one: `nn.relu merged with an equal one (layer
// block1/relu)`.
inline auto WithLayer(Remark remark, const Function& function, ExprId id) -> Remark {
  const SpanId span = function.span(id);
  if (!span) return remark;
  const Context& context = function.context();
  remark.args.emplace_back("String", " (layer ");
  remark.args.emplace_back("Layer", context.text(context.span(span).source));
  remark.args.emplace_back("String", ")");
  return remark;
}

}  // namespace relayopt
