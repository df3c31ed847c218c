// Remarks about expressions that a model has a name for.
#pragma once

#include "relayopt/pass/remarks.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The remark with the layer of the original model that the expression belongs to, where its span says one:
// `nn.relu merged with an equal one (layer block1/relu)`.
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
