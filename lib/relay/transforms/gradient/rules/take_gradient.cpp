// The gradient of take: a loop, because the same index may occur several times.
#include "take_gradient.h"

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

auto EmitInts(FunctionBuilder& to, std::span<const int64_t> values) -> ExprId {
  std::vector<std::byte> bytes(values.size() * sizeof(int32_t));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto bits = static_cast<uint32_t>(values[i]);
    for (size_t k = 0; k < 4; ++k) bytes[4 * i + k] = static_cast<std::byte>(bits >> (8 * k));
  }
  const auto size = static_cast<int64_t>(values.size());
  const DataType int32 = DataType::Int(32);
  const ExprId made = to.Constant(to.context().AddConstant(Constant(int32, {size}, std::move(bytes))));
  to.SetType(made, to.context().Tensor({Dim(size)}, int32));
  return made;
}

namespace {

const DataType kInt32 = DataType::Int(32);

class TakeLoop {
 public:
  TakeLoop(GradientContext& r, int64_t axis, std::vector<int64_t> shape)
      : r_(r), axis_(axis), shape_(std::move(shape)), indices_(r.arg(1)), slices_(r.gradient()) {
    zero_ = Boxed(0);
    one_ = Boxed(1);
    const Type* type = r.tensor(indices_);
    // The loop counts in int32.
    if (type != nullptr && type->dtype != kInt32)
      indices_ = r.CallWith("cast"_op, CastAttrs{.dtype = kInt32}, {indices_});
    if (type == nullptr || type->rank() == 0) {
      // The gradient does not have the axis.
      count_ = one_;
      indices_ = r.CallWith("reshape"_op, ReshapeAttrs{.newshape = {Dim(1)}}, {indices_});
      slices_ = r.CallWith("expand_dims"_op, ExpandDimsAttrs{.axis = axis}, {slices_});
    } else {
      const ExprId extents = r.CallWith("shape_of"_op, ShapeOfAttrs{.dtype = kInt32}, {indices_});
      count_ = Take(extents, zero_, 0);
    }
  }

  // Returns the loop function, called on `start` and the first index.
  auto Emit(ExprId start) -> ExprId {
    Context& context = r_.context();
    FunctionBuilder& to = r_.to();
    const auto dims = MapToVector<Dim>(shape_, [&](int64_t extent) { return Dim(extent); });
    const TypeId sum_type = context.Tensor(dims, r_.ElementType(r_.arg(0)));
    const ExprId sum = NewVar("data_grad", sum_type);
    const ExprId i = NewVar("i", context.Tensor({Dim(1)}, kInt32));
    const std::vector<ExprId> params = {sum, i};
    const ExprId state = EmitTuple(to, params);
    const TypeId state_type = to.function().type(state);
    const TypeId param_types[] = {sum_type, to.function().type(i)};
    const TypeId loop_type = context.FunctionType(param_types, state_type);
    const ExprId loop = to.Var({.name = context.Intern("while_loop"), .annotation = {}, .virtual_device = {}});
    to.SetType(loop, loop_type);

    const ExprId more =
        r_.CallWith("squeeze"_op, SqueezeAttrs{.axis = DimList::Null()}, {r_.Call("less"_op, {i, count_})});
    const ExprId args[] = {Step(sum, i), r_.Add(i, one_)};
    const ExprId next = Typed(to.Call(loop, args), state_type);
    const ExprId body = Typed(to.If(more, next, state), state_type);
    const ExprId literal = Typed(to.Lambda({}, params, body), loop_type);
    const ExprId step[] = {loop, literal};
    const ExprId function = Typed(to.Let(step, loop), loop_type);
    const ExprId first[] = {start, zero_};
    return EmitTupleGetItem(to, Typed(to.Call(function, first), state_type), 0);
  }

 private:
  auto Typed(ExprId id, TypeId type) -> ExprId {
    r_.to().SetType(id, type);
    return id;
  }
  auto NewVar(std::string_view name, TypeId type) -> ExprId {
    const StringId id = r_.context().Intern(name);
    return Typed(r_.to().Var({.name = id, .annotation = type, .virtual_device = {}}), type);
  }
  // Returns a number as a tensor of one element.
  auto Boxed(int64_t value) -> ExprId {
    return r_.CallWith("reshape"_op, ReshapeAttrs{.newshape = {Dim(1)}}, {EmitScalar(r_.to(), kInt32, value)});
  }
  auto Take(ExprId data, ExprId indices, int64_t axis) -> ExprId {
    return r_.CallWith("take"_op, TakeAttrs{.axis = Dim(axis)}, {data, indices});
  }
  auto Concatenate(std::span<const ExprId> parts) -> ExprId {
    return r_.CallWith("concatenate"_op, ConcatenateAttrs{.axis = 0}, {EmitTuple(r_.to(), parts)});
  }

  // `sum` with slice number `i` added where it was taken.
  auto Step(ExprId sum, ExprId i) -> ExprId {
    const ExprId index = Take(indices_, i, 0);
    const ExprId slice = Take(slices_, i, axis_);
    std::vector<ExprId> begins;
    std::vector<ExprId> ends;
    for (size_t k = 0; k < shape_.size(); ++k) {
      const bool is_axis = static_cast<int64_t>(k) == axis_;
      begins.push_back(is_axis ? index : zero_);
      ends.push_back(is_axis ? r_.Add(index, one_) : Boxed(shape_[k]));
    }
    const ExprId begin = Concatenate(begins);
    const ExprId end = Concatenate(ends);
    const std::vector<int64_t> strides(shape_.size(), 1);
    const ExprId old = r_.CallWith("dyn.strided_slice"_op, StridedSliceAttrs(),
                                   {sum, InRange(sum, begin), end, EmitInts(r_.to(), strides)});
    const ExprId updated = r_.Add(old, slice);
    return r_.Call("strided_set"_op, {sum, updated, begin, end, EmitInts(r_.to(), strides)});
  }

  // Positions counted from the start and not beyond the end, as dyn.strided_slice requires.
  auto InRange(ExprId data, ExprId begin) -> ExprId {
    const ExprId zero = r_.Call("cast_like"_op, {EmitScalar(r_.to(), kInt32, int64_t{0}), begin});
    const ExprId shape = r_.CallWith("shape_of"_op, ShapeOfAttrs{.dtype = kInt32}, {data});
    const ExprId cast = r_.Call("cast_like"_op, {shape, begin});
    const ExprId extents = r_.CallWith("slice_like"_op, SliceLikeAttrs{.axes = DimList::Null()}, {cast, begin});
    const ExprId is_negative = r_.Call("less"_op, {begin, zero});
    const ExprId counted = r_.Where(is_negative, r_.Add(begin, extents), begin);
    return r_.Where(r_.Call("greater_equal"_op, {counted, extents}), extents, counted);
  }

  GradientContext& r_;
  int64_t axis_;
  // The shape of the sum: that of the data, flattened when take has no axis.
  std::vector<int64_t> shape_;
  ExprId indices_;
  ExprId slices_;
  ExprId zero_;
  ExprId one_;
  ExprId count_;
};

}  // namespace

auto TakeGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<TakeAttrs>();
  const ExprId data = r.arg(0);
  RELAYOPT_TRY(std::vector<int64_t> shape, r.StaticShape(data));
  const Type* indices = r.tensor(r.arg(1));
  if (indices == nullptr || indices->rank() > 1) return r.Error("the indices must be a scalar or of rank 1");
  if (attrs.batch_dims.is_int() && !attrs.batch_dims.is(0)) return r.Error("batch_dims must be 0");
  const bool is_flat = !attrs.axis.is_int();
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = is_flat ? 0 : attrs.axis.value() < 0 ? attrs.axis.value() + rank : attrs.axis.value();
  if (!is_flat && (axis < 0 || axis >= rank)) return r.Error("axis {} of {}", attrs.axis.value(), rank);
  ExprId start = r.ZerosLike(data);
  if (is_flat) {
    shape = {Product(shape)};
    start = r.CallWith("reshape"_op, ReshapeAttrs{.newshape = {Dim(-1)}}, {start});
  }
  ExprId sum = TakeLoop(r, axis, std::move(shape)).Emit(start);
  if (is_flat) sum = r.Call("reshape_like"_op, {sum, data});
  return std::vector<ExprId>{sum, r.ZerosLike(r.arg(1))};
}

}  // namespace relayopt
