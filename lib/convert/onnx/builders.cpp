// As TVM: the attributes that its builder functions leave, placeholders of dynamic operators included.
#include "builders.h"
#include "relayopt/support/map_to_vector.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace relayopt::onnx {

auto Add(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("add"_op, {a, b}); }
auto Sub(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("subtract"_op, {a, b}); }
auto Mul(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("multiply"_op, {a, b}); }
auto Div(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("divide"_op, {a, b}); }
auto Less(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("less"_op, {a, b}); }
auto Greater(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("greater"_op, {a, b}); }
auto Maximum(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("maximum"_op, {a, b}); }
auto Minimum(Emitter& em, ExprId a, ExprId b) -> ExprId { return em.Call("minimum"_op, {a, b}); }

auto Where(Emitter& em, ExprId condition, ExprId x, ExprId y) -> ExprId {
  return em.Call("where"_op, {condition, x, y});
}

auto Cast(Emitter& em, ExprId x, DataType dtype) -> ExprId { return em.Call("cast"_op, {x}, {{"dtype", dtype}}); }

auto CastTo(Emitter& em, ExprId x, DataType dtype) -> ExprId { return em.dtype(x) == dtype ? x : Cast(em, x, dtype); }

auto Clip(Emitter& em, ExprId x, double low, double high) -> ExprId {
  return em.Call("clip"_op, {x}, {{"a_min", low}, {"a_max", high}});
}

auto Power(Emitter& em, ExprId x, double exponent) -> ExprId {
  return em.Call("power"_op, {x, em.Scalar(em.dtype(x), exponent)});
}

auto RoundHalfEven(Emitter& em, ExprId x) -> ExprId {
  // Relay rounds halves away from zero; half of a half-integer is rounded to half of the even one.
  const DataType dtype = em.dtype(x);
  const ExprId fraction = em.Call("abs"_op, {Sub(em, x, em.Call("trunc"_op, {x}))});
  const ExprId is_half = em.Call("equal"_op, {fraction, em.Scalar(dtype, 0.5)});
  const ExprId even = Mul(em, em.Call("round"_op, {Mul(em, x, em.Scalar(dtype, 0.5))}), em.Scalar(dtype, 2.0));
  return Where(em, is_half, even, em.Call("round"_op, {x}));
}

auto IsNaN(Emitter& em, ExprId x) -> ExprId {
  // Relay has no test for 16-bit floats.
  if (em.dtype(x).bits >= 32) return em.Call("isnan"_op, {x});
  return em.Call("logical_not"_op, {em.Call("equal"_op, {x, x})});
}

auto Reshape(Emitter& em, ExprId x, const Ints& shape) -> ExprId {
  return em.Call("reshape"_op, {x}, {{"newshape", shape}});
}

auto ReshapeBy(Emitter& em, ExprId x, ExprId shape, bool allowzero) -> ExprId {
  if (const auto ints = em.IntsOf(shape)) {
    return em.Call("reshape"_op, {x}, {{"newshape", *ints}, {"allowzero", allowzero}});
  }
  return em.Call("dyn.reshape"_op, {x, shape}, {{"newshape", DimList()}, {"allowzero", allowzero}});
}

auto Transpose(Emitter& em, ExprId x, const Ints& axes) -> ExprId {
  return em.Call("transpose"_op, {x}, {{"axes", axes}});
}

auto ExpandDims(Emitter& em, ExprId x, int64_t axis, int64_t count) -> ExprId {
  return em.Call("expand_dims"_op, {x}, {{"axis", axis}, {"num_newaxis", count}});
}

auto Squeeze(Emitter& em, ExprId x, const Ints& axes) -> ExprId {
  const int64_t rank = em.rank(x);
  const auto is_outside = [&](int64_t axis) { return axis < -rank || axis >= rank; };
  const auto is_known = [&](int64_t axis) { return em.Extent(x, axis).has_value(); };
  if (std::ranges::any_of(axes, is_outside) || std::ranges::all_of(axes, is_known))
    return em.Call("squeeze"_op, {x}, {{"axis", axes}});
  // As TVM: squeeze takes axes of known extents only.
  Ints kept;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::ranges::find(axes, i) == axes.end() && std::ranges::find(axes, i - rank) == axes.end()) kept.push_back(i);
  }
  return ReshapeBy(em, x, Take(em, em.ShapeOf(x), em.Vector(kept), 0), true);
}

auto Concat(Emitter& em, const Exprs& parts, int64_t axis) -> ExprId {
  return em.Call("concatenate"_op, {em.Tuple(parts)}, {{"axis", axis}});
}

auto Stack(Emitter& em, const Exprs& parts, int64_t axis) -> ExprId {
  return em.Call("stack"_op, {em.Tuple(parts)}, {{"axis", axis}});
}

auto Split(Emitter& em, ExprId x, int64_t parts, int64_t axis) -> ExprId {
  return em.Call("split"_op, {x}, {{"indices_or_sections", em.context().AddInt(parts)}, {"axis", axis}});
}

auto SplitAt(Emitter& em, ExprId x, const Ints& positions, int64_t axis, int bits) -> ExprId {
  auto items = MapToVector<ObjectId>(
      positions, [&](int64_t position) { return em.context().AddInt(position, DataType::Int(bits)); });
  return em.Call("split"_op, {x}, {{"indices_or_sections", em.context().AddArray(items)}, {"axis", axis}});
}

auto Parts(Emitter& em, ExprId tuple, int64_t count) -> Exprs {
  em.CheckIterations(count);
  Exprs parts;
  for (int64_t i = 0; i < std::min(count, Emitter::kMostIterations); ++i)
    parts.push_back(em.Get(tuple, static_cast<size_t>(i)));
  return parts;
}

auto DimsOf(Emitter& em, ExprId constant) -> DimList {
  const auto ints = em.IntsOf(constant);
  return !ints ? DimList() : em.dtype(constant) == DataType::Int(64) ? WideDims(*ints) : PlainDims(*ints);
}

auto BroadcastTo(Emitter& em, ExprId x, ExprId shape) -> ExprId {
  if (em.is_constant(shape)) return em.Call("broadcast_to"_op, {x}, {{"shape", DimsOf(em, shape)}});
  return em.Call("dyn.broadcast_to"_op, {x, shape});
}

auto BroadcastToInts(Emitter& em, ExprId x, const Ints& shape) -> ExprId {
  return em.Call("broadcast_to"_op, {x}, {{"shape", shape}});
}

auto EmptyOf(Emitter& em, const Ints& shape, DataType dtype) -> ExprId { return em.Const(Tensor(dtype, shape)); }

auto Tile(Emitter& em, ExprId x, ExprId reps) -> ExprId {
  const auto counts = em.IntsOf(reps);
  const auto shape = em.StaticShape(x);
  const bool has_zero = counts && std::ranges::find(*counts, 0) != counts->end();
  if (has_zero && shape && counts->size() == shape->size()) {
    // Relay's tile wants each part once at least.
    Ints none = *shape;
    for (size_t i = 0; i < none.size(); ++i) none[i] *= (*counts)[i];
    return EmptyOf(em, none, em.dtype(x));
  }
  if (has_zero && em.rank(x) == static_cast<int64_t>(counts->size())) {
    // Of extents that are not known, those repeated no times are cut to nothing before.
    Ints reps = *counts;
    for (size_t i = 0; i < reps.size(); ++i) {
      if (reps[i] != 0) continue;
      x = SliceAxis(em, x, static_cast<int64_t>(i), 0, 0);
      reps[i] = 1;
    }
    return em.Call("tile"_op, {x}, {{"reps", reps}});
  }
  if (em.is_constant(reps)) return em.Call("tile"_op, {x}, {{"reps", DimsOf(em, reps)}});
  return em.Call("dyn.tile"_op, {x, reps}, {{"reps", DimList()}});
}

auto Full(Emitter& em, ExprId value, ExprId shape, DataType dtype) -> ExprId {
  if (em.is_constant(shape)) return em.Call("full"_op, {value}, {{"shape", DimsOf(em, shape)}, {"dtype", dtype}});
  return em.Call("dyn.full"_op, {value, shape}, {{"dtype", dtype}});
}

auto Zeros(Emitter& em, ExprId shape, DataType dtype) -> ExprId {
  if (em.is_constant(shape)) return em.Call("zeros"_op, {}, {{"shape", DimsOf(em, shape)}, {"dtype", dtype}});
  return em.Call("dyn.zeros"_op, {shape}, {{"dtype", dtype}});
}

auto Take(Emitter& em, ExprId x, ExprId indices, std::optional<int64_t> axis) -> ExprId {
  if (!axis) return em.Call("take"_op, {x, indices});
  return em.Call("take"_op, {x, indices}, {{"axis", *axis}});
}

auto SliceInts(Emitter& em, ExprId x, const Ints& begin, const Ints& end, const Ints& strides, std::optional<Ints> axes)
    -> ExprId {
  std::vector<AttrSetting> attrs = {{"begin", begin}, {"end", end}, {"strides", strides}};
  if (axes) attrs.emplace_back("axes", *axes);
  return em.Call("strided_slice"_op, {x}, attrs);
}

auto SliceAxis(Emitter& em, ExprId x, int64_t axis, int64_t begin, int64_t end) -> ExprId {
  return SliceInts(em, x, {begin}, {end}, {1}, Ints{axis});
}

auto SliceBy(Emitter& em, ExprId x, ExprId begin, ExprId end, ExprId strides) -> ExprId {
  if (em.is_constant(begin) && em.is_constant(end) && em.is_constant(strides)) {
    return em.Call("strided_slice"_op, {x},
                   {{"begin", DimsOf(em, begin)}, {"end", DimsOf(em, end)}, {"strides", DimsOf(em, strides)}});
  }
  // Only the beginning is made non-negative; the operator handles negative ends.
  const ExprId zero = em.Scalar(DataType::Int(32), 0);
  const ExprId shape =
      em.CallBare("cast_like"_op, {em.Call("shape_of"_op, {x}, {{"dtype", DataType::Int(32)}}), begin});
  const ExprId sliced = em.Call("slice_like"_op, {shape, begin});
  const ExprId below = Less(em, begin, em.CallBare("cast_like"_op, {zero, begin}));
  const ExprId from = Where(em, below, Add(em, begin, sliced), begin);
  const ExprId beyond = em.Call("greater_equal"_op, {from, sliced});
  const ExprId limited = Where(em, beyond, sliced, from);
  return em.Call("dyn.strided_slice"_op, {x, limited, end, strides});
}

auto Gather(Emitter& em, ExprId x, ExprId indices, int64_t axis) -> ExprId {
  return em.Call("gather"_op, {x, indices}, {{"axis", axis}});
}

auto ScatterElements(Emitter& em, ExprId x, ExprId indices, ExprId updates, int64_t axis, std::string_view reduction)
    -> ExprId {
  return em.Call("scatter_elements"_op, {x, indices, updates}, {{"axis", axis}, {"reduction", reduction}});
}

auto OneHot(Emitter& em, ExprId indices, ExprId on, ExprId off, int64_t depth, int64_t axis, DataType dtype) -> ExprId {
  return em.Call("one_hot"_op, {indices, on, off}, {{"depth", depth}, {"axis", axis}, {"dtype", dtype}});
}

auto PadInts(Emitter& em, ExprId x, const std::vector<std::pair<int64_t, int64_t>>& widths, ExprId value,
             std::string_view mode, int bits) -> ExprId {
  DimLists pairs;
  for (const auto& [before, after] : widths) {
    DimList pair;
    pair.values =
        bits == 64 ? std::vector<Dim>{Dim(before, 64), Dim(after, 64)} : std::vector<Dim>{Dim(before), Dim(after)};
    pairs.values.push_back(std::move(pair));
  }
  return em.Call("nn.pad"_op, {x, value}, {{"pad_width", pairs}, {"pad_mode", mode}});
}

auto PadBy(Emitter& em, ExprId x, ExprId widths, ExprId value, std::string_view mode) -> ExprId {
  if (const auto ints = em.IntsOf(widths)) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i + 1 < ints->size(); i += 2) pairs.emplace_back((*ints)[i], (*ints)[i + 1]);
    return PadInts(em, x, pairs, value, mode, em.dtype(widths).bits);
  }
  return em.Call("dyn.nn.pad"_op, {x, widths, value}, {{"pad_width", DimLists()}, {"pad_mode", mode}});
}

auto Reduce(Emitter& em, const OpDef* op, ExprId x, const Ints& axes, bool keepdims) -> ExprId {
  return em.Call(op, {x}, {{"axis", axes}, {"keepdims", keepdims}});
}

auto ReduceAll(Emitter& em, const OpDef* op, ExprId x) -> ExprId { return em.Call(op, {x}); }

auto Dense(Emitter& em, ExprId x, ExprId weight, Dim units, DataType out_dtype) -> ExprId {
  return em.Call("nn.dense"_op, {x, weight}, {{"units", units}, {"out_dtype", out_dtype}});
}

auto Iota(int64_t n) -> Ints {
  Ints values(static_cast<size_t>(std::max<int64_t>(n, 0)));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace relayopt::onnx
