#include "relayopt/relay/analysis/call_emitter.h"

#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

auto CallEmitter::Cast(ExprId data, DataType dtype) const -> ExprId {
  return CallWith("cast"_op, CastAttrs{.dtype = dtype}, {data});
}

auto CallEmitter::Clip(ExprId data, double min, double max) const -> ExprId {
  return CallWith("clip"_op, ClipAttrs{.a_min = min, .a_max = max}, {data});
}

auto CallEmitter::Sum(ExprId data, DimList axes, bool keepdims) const -> ExprId {
  return CallWith("sum"_op, ReduceAttrs{.axis = std::move(axes), .keepdims = keepdims}, {data});
}

auto CallEmitter::EmitConstant(Constant constant) const -> ExprId {
  const DataType dtype = constant.dtype();
  const std::vector<Dim> shape(constant.shape().begin(), constant.shape().end());
  const ExprId made = to_->Constant(to_->context().AddConstant(std::move(constant)));
  to_->SetType(made, to_->context().Tensor(shape, dtype));
  return made;
}

}  // namespace relayopt
