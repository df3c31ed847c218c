// Rules of SimplifyExpr: operators that take a shape or type from another tensor get it as an attribute.
#include <cstring>

#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "rules.h"

namespace relayopt {

namespace {

// Returns the shape of the result when all of it is known.
auto StaticShape(const Simplifier& to, const CallSite& call) -> std::optional<DimList> {
  const Type* type = to.TensorType(call.type);
  if (type == nullptr || !AllKnown(type->shape)) return std::nullopt;
  return DimList(std::vector<Dim>(type->shape.begin(), type->shape.end()));
}

// Emits `op` on the result's shape and dtype; `data` are its arguments, the rest of the call's goes.
auto Init(Simplifier& to, const CallSite& call, const OpDef* op, std::initializer_list<ExprId> data, ExprId like)
    -> ExprId {
  const auto shape = StaticShape(to, call);
  if (!shape || !to.MayDrop({like})) return {};
  to.Commit(call);
  return to.EmitWith(op, InitOpAttrs{.shape = *shape, .dtype = to.TensorType(call.type)->dtype}, data);
}

}  // namespace

auto simplify_rules::ConcretizeZerosLike(Simplifier& to, const CallSite& call) -> ExprId {
  return Init(to, call, "zeros"_op, {}, call.args[0]);
}

auto simplify_rules::ConcretizeOnesLike(Simplifier& to, const CallSite& call) -> ExprId {
  return Init(to, call, "ones"_op, {}, call.args[0]);
}

auto simplify_rules::ConcretizeFullLike(Simplifier& to, const CallSite& call) -> ExprId {
  return Init(to, call, "full"_op, {call.args[1]}, call.args[0]);
}

auto simplify_rules::ConcretizeReshapeLike(Simplifier& to, const CallSite& call) -> ExprId {
  const auto shape = StaticShape(to, call);
  if (!shape || !to.MayDrop({call.args[1]})) return {};
  to.Commit(call);
  return EmitReshape(to, call.args[0], *shape);
}

auto simplify_rules::ConcretizeCollapseSumLike(Simplifier& to, const CallSite& call) -> ExprId {
  const auto shape = StaticShape(to, call);
  if (!shape || !to.MayDrop({call.args[1]})) return {};
  std::vector<std::byte> extents(4 * shape->size());
  for (size_t i = 0; i < shape->size(); ++i) {
    const auto extent = static_cast<int32_t>((*shape)[i].value());
    if (extent != (*shape)[i].value()) return {};
    std::memcpy(extents.data() + 4 * i, &extent, sizeof extent);
  }
  to.Commit(call);
  const ExprId constant =
      to.Constant(Constant(DataType::Int(32), {static_cast<int64_t>(shape->size())}, std::move(extents)));
  return to.EmitWith("collapse_sum_to"_op, InitOpAttrs{.shape = *shape}, {call.args[0], constant});
}

auto simplify_rules::ConcretizeBroadcastToLike(Simplifier& to, const CallSite& call) -> ExprId {
  const auto shape = StaticShape(to, call);
  if (!shape || !to.MayDrop({call.args[1]})) return {};
  to.Commit(call);
  return to.EmitWith("broadcast_to"_op, InitOpAttrs{.shape = *shape}, {call.args[0]});
}

auto simplify_rules::ConcretizeCastLike(Simplifier& to, const CallSite& call) -> ExprId {
  const Type* type = to.TensorType(call.type);
  if (type == nullptr || !to.MayDrop({call.args[1]})) return {};
  to.Commit(call);
  return to.EmitWith("cast"_op, CastAttrs{.dtype = type->dtype}, {call.args[0]});
}

auto EmitReshape(Simplifier& to, ExprId data, const DimList& shape) -> ExprId {
  ReshapeAttrs attrs{.newshape = shape};
  // Without it, 0 would mean the extent of the data.
  for (const Dim& extent : shape) attrs.allowzero = attrs.allowzero || extent.is(0);
  return to.EmitWith("reshape"_op, attrs, {data});
}

}  // namespace relayopt
