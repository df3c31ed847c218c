// DynamicToStatic: operators whose shape arguments are constants become their static forms.
//
// A round has three steps:
// 1. fold: constants are folded, but for operators of the dyn family, so that shapes that can be computed are.
// 2. rewrite: a dynamic operator whose shape argument is a constant by now becomes the static operator with that
//    shape as an attribute. The types of its users are inferred again in the same walk, and what becomes computable by
//    that is computed, so that a chain of shapes that depend on each other takes one round.
// 3. retype: types are inferred over a copy of the module, because a better known type goes through variables,
//    closures and calls of other functions.
// Rounds end when nothing was rewritten; each one makes at least one dynamic operator static, so that they do end. A
// last fold computes the dynamic operators that are left on constants.
//
// Results with unknown extents that were annotated before would keep inference from finding better ones, so that they
// are forgotten first, except where the function calls itself.
//
//   %0 = shape_of(%x);               Tensor[(2), int64], and %x is Tensor[(2, 3), float32]
//   %1 = dyn.reshape(%y, %0)         Tensor[(?, ?), float32]
//
//   round 1: fold makes %0 the constant [2, 3]; rewrite makes %1 = reshape(%y, newshape=[2, 3]), Tensor[(2, 3),
//   float32] round 2: nothing is left to rewrite
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/sparse_tensor.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "unknown_results.h"

namespace relayopt {

namespace {

// Returns the elements of a constant as integers, or nothing if one is not an integer. Sizes of resize2d are floats.
auto Integers(const Constant& constant) -> std::optional<std::vector<int64_t>> {
  const DataType dtype = constant.dtype();
  const auto bytes = constant.Bytes();
  std::vector<int64_t> values;
  for (size_t offset = 0; offset < bytes->size(); offset += dtype.bytes()) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes->data() + offset, std::min(dtype.bytes(), sizeof bits));
    const Constant element = Constant::Scalar(dtype, bits);
    if (const auto integer = element.ScalarAsInt()) {
      values.push_back(*integer);
      continue;
    }
    constexpr double kLargest = 1 << 24;
    const auto real = element.ScalarAsDouble();
    if (!real || !(std::fabs(*real) <= kLargest) || std::trunc(*real) != *real) return std::nullopt;
    values.push_back(static_cast<int64_t>(*real));
  }
  return values;
}

auto ToDims(std::span<const int64_t> values) -> DimList {
  DimList dims;
  for (const int64_t value : values) dims.values.emplace_back(value);
  return dims;
}

// Rewrites a whole function once.
class Rewriter {
 public:
  explicit Rewriter(const Function& function) : function_(function), rebuild_(function) {
    for (const ExprId id : function.ids()) {
      const ExprKind kind = function.kind(id);
      has_effects_ |= kind == ExprKind::kCall || kind == ExprKind::kRefRead || kind == ExprKind::kRefWrite ||
                      (kind == ExprKind::kOpCall && function.op(id)->stateful);
    }
  }

  // Returns nothing if no operator could be replaced.
  auto Run() -> std::optional<Function> {
    rebuild_.ForEach([this](ExprId id) {
      const ExprId made = function_.kind(id) == ExprKind::kOpCall ? Replace(id) : ExprId();
      if (!made) return Refresh(id);
      changed_ = true;
      return made;
    });
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  // Returns the expression with its new operands. Where their types have become better known its own is inferred again,
  // and what has become computable is computed: a chain of shapes that depend on each other takes one round.
  auto Refresh(ExprId id) -> ExprId {
    const ExprKind kind = function_.kind(id);
    FunctionBuilder& to = rebuild_.to();
    const bool depends = kind == ExprKind::kOpCall || kind == ExprKind::kTuple || kind == ExprKind::kTupleGetItem;
    if (!depends || !HasBetterOperand(id)) return rebuild_.Copy(id);
    std::vector<ExprId> operands;
    for (const ExprId operand : function_.operands(id)) operands.push_back(rebuild_.New(operand));
    if (kind == ExprKind::kTuple) return EmitTuple(to, operands);
    if (kind == ExprKind::kTupleGetItem) return EmitTupleGetItem(to, operands[0], function_.index(id));
    if (const ExprId shape = FoldShapeQuery(id)) return shape;
    return EmitFolded(to, function_.op(id), operands, function_.attrs(id));
  }
  auto HasBetterOperand(ExprId id) -> bool {
    const Function& to = rebuild_.to().function();
    const auto operands = function_.operands(id);
    return std::any_of(operands.begin(), operands.end(), [&](ExprId operand) {
      const ExprId made = rebuild_.New(operand);
      return to.type(made) != function_.type(operand) || to.kind(made) != function_.kind(operand);
    });
  }
  auto FoldShapeQuery(ExprId id) -> ExprId {
    // The operand would no longer be evaluated, so its effects would be lost.
    if (has_effects_ || !IsShapeQuery(*function_.op(id))) return {};
    Context& context = function_.context();
    const Type* type = TensorType(rebuild_.to().function(), New(id, 0));
    const auto extents = type == nullptr ? std::nullopt : KnownExtents(type->shape);
    if (!extents) return {};
    const auto result = EvaluateShapeQuery(context, function_.instance(id), *extents);
    return result ? EmitConstant(rebuild_.to(), *result) : ExprId();
  }

  // Returns the static form of a call, or none if it stays.
  auto Replace(ExprId id) -> ExprId {
    const OpDef* op = function_.op(id);
    if (!op->name.starts_with("dyn.")) return {};
    if (op == "dyn.reshape"_op) {
      const auto* attrs = Attrs<ReshapeAttrs>(id);
      return WithList(id, 1, [&](DimList list) {
        return Emit("reshape"_op, ReshapeAttrs{std::move(list), attrs != nullptr && attrs->allowzero}, {New(id, 0)});
      });
    }
    if (op == "dyn.squeeze"_op) {
      return WithList(id, 1,
                      [&](DimList list) { return Emit("squeeze"_op, SqueezeAttrs{std::move(list)}, {New(id, 0)}); });
    }
    if (op == "dyn.tile"_op) {
      return WithList(id, 1, [&](DimList list) { return Emit("tile"_op, TileAttrs{std::move(list)}, {New(id, 0)}); });
    }
    if (op == "dyn.broadcast_to"_op) {
      return WithList(id, 1, [&](DimList list) {
        return Emit("broadcast_to"_op, InitOpAttrs{std::move(list), DataType::Void()}, {New(id, 0)});
      });
    }
    if (op == "dyn.zeros"_op || op == "dyn.ones"_op || op == "dyn.full"_op) return ReplaceFill(id, op);
    if (op == "dyn.sparse_to_dense"_op) {
      return WithList(id, 3, [&](DimList list) {
        return Emit("sparse_to_dense"_op, SparseToDenseAttrs{std::move(list)}, {New(id, 0), New(id, 1), New(id, 2)});
      });
    }
    if (op == "dyn.topk"_op || op == "dyn.one_hot"_op) return ReplaceByNumber(id, op);
    if (op == "dyn.strided_slice"_op) return ReplaceStridedSlice(id);
    if (op == "dyn.nn.pad"_op) return ReplacePad(id);
    return ReplaceResampling(id, op);
  }

  auto ReplaceFill(ExprId id, const OpDef* op) -> ExprId {
    const auto* attrs = Attrs<InitOpAttrs>(id);
    if (attrs == nullptr) return {};
    return WithList(id, op == "dyn.full"_op ? 1 : 0, [&](DimList list) {
      const InitOpAttrs made{std::move(list), attrs->dtype};
      if (op == "dyn.full"_op) return Emit("full"_op, made, {New(id, 0)});
      return op == "dyn.zeros"_op ? Emit("zeros"_op, made, {}) : Emit("ones"_op, made, {});
    });
  }

  auto ReplaceByNumber(ExprId id, const OpDef* op) -> ExprId {
    if (op == "dyn.topk"_op) {
      const auto* attrs = Attrs<TopkAttrs>(id);
      const auto k = IntegersAt(id, 1);
      if (attrs == nullptr || !k || k->size() != 1) return {};
      TopkAttrs made = *attrs;
      made.k = Dim(k->front());
      return Emit("topk"_op, made, {New(id, 0)});
    }
    const auto* attrs = Attrs<OneHotAttrs>(id);
    const auto depth = IntegersAt(id, 3);
    if (attrs == nullptr || !depth || depth->size() != 1) return {};
    OneHotAttrs made = *attrs;
    made.depth = depth->front();
    return Emit("one_hot"_op, made, {New(id, 0), New(id, 1), New(id, 2)});
  }

  auto ReplaceStridedSlice(ExprId id) -> ExprId {
    const auto* attrs = Attrs<StridedSliceAttrs>(id);
    const auto begin = ListAt(id, 1);
    const auto end = ListAt(id, 2);
    const auto strides = ListAt(id, 3);
    if (attrs == nullptr || !begin || !end || !strides) return {};
    StridedSliceAttrs made{*begin, *end, *strides, attrs->slice_mode, DimList::Null()};
    return Emit("strided_slice"_op, made, {New(id, 0)});
  }

  auto ReplacePad(ExprId id) -> ExprId {
    const auto* attrs = Attrs<PadAttrs>(id);
    const Constant* widths = ConstantAt(id, 1);
    const Constant* value = ConstantAt(id, 2);
    if (attrs == nullptr || widths == nullptr || value == nullptr || !value->is_scalar()) return {};
    if (widths->shape().size() != 2 || widths->shape()[1] != 2) return {};
    const auto numbers = Integers(*widths);
    if (!numbers) return {};
    PadAttrs made{{}, attrs->pad_mode};
    for (size_t i = 0; i < numbers->size(); i += 2) made.pad_width.values.push_back({(*numbers)[i], (*numbers)[i + 1]});
    return Emit("nn.pad"_op, made, {New(id, 0), New(id, 2)});
  }

  auto ReplaceResampling(ExprId id, const OpDef* op) -> ExprId {
    if (op == "dyn.image.resize2d"_op) {
      const auto* attrs = Attrs<Resize2DAttrs>(id);
      const auto size = ListAt(id, 1);
      const auto roi = FloatsAt(id, 2);
      if (attrs == nullptr || !size || !roi) return {};
      Resize2DAttrs made = *attrs;
      made.size = *size;
      made.roi = *roi;
      return Emit("image.resize2d"_op, made, {New(id, 0)});
    }
    std::vector<double> scales;
    for (size_t i = 1; i < function_.operands(id).size(); ++i) {
      const auto scale = NumberAt(id, i);
      if (!scale) return {};
      scales.push_back(*scale);
    }
    if (op == "dyn.nn.upsampling"_op) {
      const auto* attrs = Attrs<UpSamplingAttrs>(id);
      if (attrs == nullptr) return {};
      UpSamplingAttrs made = *attrs;
      made.scale_h = scales[0];
      made.scale_w = scales[1];
      return Emit("nn.upsampling"_op, made, {New(id, 0)});
    }
    const auto* attrs = Attrs<UpSampling3DAttrs>(id);
    if (op != "dyn.nn.upsampling3d"_op || attrs == nullptr) return {};
    UpSampling3DAttrs made = *attrs;
    made.scale_d = scales[0];
    made.scale_h = scales[1];
    made.scale_w = scales[2];
    return Emit("nn.upsampling3d"_op, made, {New(id, 0)});
  }

  template <typename A>
  auto Attrs(ExprId id) const -> const A* {
    return function_.context().As<A>(function_.attrs(id));
  }
  auto New(ExprId call, size_t i) -> ExprId { return rebuild_.New(function_.operand(call, i)); }
  template <typename A>
  auto Emit(const OpDef* op, const A& attrs, std::initializer_list<ExprId> args) -> ExprId {
    return EmitCallWith(rebuild_.to(), op, attrs, args);
  }

  // Returns the i-th argument, if it is a constant.
  auto ConstantAt(ExprId call, size_t i) -> const Constant* {
    const Function& to = rebuild_.to().function();
    const ExprId arg = New(call, i);
    return to.kind(arg) == ExprKind::kConstant ? &to.constant(arg) : nullptr;
  }
  auto IntegersAt(ExprId call, size_t i) -> std::optional<std::vector<int64_t>> {
    const Constant* constant = ConstantAt(call, i);
    return constant == nullptr ? std::nullopt : Integers(*constant);
  }
  // The same for a tensor of rank 1.
  auto ListAt(ExprId call, size_t i) -> std::optional<DimList> {
    const auto values = IntegersAt(call, i);
    if (!values || ConstantAt(call, i)->shape().size() != 1) return std::nullopt;
    return ToDims(*values);
  }
  template <typename Make>
  auto WithList(ExprId call, size_t i, Make&& make) -> ExprId {
    auto list = ListAt(call, i);
    return list ? make(*std::move(list)) : ExprId();
  }
  auto NumberAt(ExprId call, size_t i) -> std::optional<double> {
    const Constant* constant = ConstantAt(call, i);
    if (constant == nullptr || !constant->is_scalar()) return std::nullopt;
    if (const auto integer = constant->ScalarAsInt()) return static_cast<double>(*integer);
    return constant->ScalarAsDouble();
  }
  // Returns a list of float32 as an attribute value.
  auto FloatsAt(ExprId call, size_t i) -> std::optional<ObjectId> {
    const Constant* constant = ConstantAt(call, i);
    if (constant == nullptr || constant->shape().size() != 1 || constant->dtype() != DataType::Float(32))
      return std::nullopt;
    const auto bytes = constant->Bytes();
    std::vector<ObjectId> items;
    for (size_t offset = 0; offset < bytes->size(); offset += sizeof(float)) {
      float element = 0;
      std::memcpy(&element, bytes->data() + offset, sizeof element);
      items.push_back(function_.context().AddFloat(element, DataType::Float(32)));
    }
    return function_.context().AddArray(items);
  }

  const Function& function_;
  Rebuild rebuild_;
  bool changed_ = false;
  bool has_effects_ = false;
};

// As TVM: every function is rebuilt, without its device.
auto ForgetDevices(Function& function) -> bool {
  bool changed = false;
  for (const ExprId e : function.ids()) {
    if (function.kind(e) != ExprKind::kFunction || !function.info(e).virtual_device) continue;
    function.mutable_info(e).virtual_device = {};
    changed = true;
  }
  return changed;
}

// Whether an expression of the function has no type yet: it was built, but its type was never inferred.
auto IsUntyped(const Function& function) -> bool {
  return std::any_of(function.ids().begin(), function.ids().end(), [&](ExprId id) { return !function.type(id); });
}

// Returns the function with the types that follow upwards from annotations and constants. What cannot be typed yet
// stays untyped: inference would refuse a function whose shapes have an unknown rank until they are folded.
auto TypedUpwards(const Function& function) -> Function {
  Rebuild rebuild(function);
  Context& context = function.context();
  rebuild.ForEach([&](ExprId id) {
    FunctionBuilder& to = rebuild.to();
    switch (function.kind(id)) {
      case ExprKind::kOpCall: return EmitCall(to, function.op(id), rebuild.NewOperands(id), function.attrs(id));
      case ExprKind::kTuple: return EmitTuple(to, rebuild.NewOperands(id));
      case ExprKind::kTupleGetItem:
        return EmitTupleGetItem(to, rebuild.New(function.operand(id, 0)), function.index(id));
      default: break;
    }
    const ExprId made = rebuild.Copy(id);
    if (to.function().type(made)) return made;
    if (function.kind(id) == ExprKind::kVar) to.SetType(made, function.var(id).annotation);
    if (function.kind(id) == ExprKind::kConstant) to.SetType(made, TypeOf(context, Tensor(function.constant(id))));
    return made;
  });
  return rebuild.Finish();
}

struct DynamicToStatic {
  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    // As TVM: the function need not have types.
    FunctionRef current = std::make_shared<Function>(IsUntyped(function) ? TypedUpwards(function) : function);
    // A copy of the module, created when types must be inferred in it: most functions have nothing dynamic.
    std::optional<Module> work;
    const auto retype = [&](Function next) {
      if (!work) work = module;
      work->SetFunction(id, std::make_shared<Function>(std::move(next)));
      if (!InferTypes(*work, context.diagnostics())) return false;
      current = work->function_ref<Function>(id);
      return true;
    };
    Function open = *current;
    bool changed = ForgetDevices(open);
    if (ForgetUnknownResults(id, open)) {
      changed = true;
      if (!retype(std::move(open))) return std::optional<Function>();
    } else if (changed) {
      current = std::make_shared<Function>(std::move(open));
    }
    const auto fold = [&](bool fold_dynamic) {
      // Folds with the module of the running pass, whose cached analysis is shared by all functions.
      auto folded = FoldConstants(module, *current, {.fold_dynamic = fold_dynamic}, context);
      if (!folded) return;
      current = std::make_shared<Function>(*std::move(folded));
      changed = true;
    };
    // Shapes that go through variables and closures are known in the round after the next. A dynamic operator is first
    // made static, so that its type is known, and computed only then.
    while (true) {
      fold(false);
      auto rewritten = Rewriter(*current).Run();
      if (!rewritten) break;
      changed = true;
      ForgetUnknownResults(id, *rewritten);
      if (!retype(*std::move(rewritten))) return std::optional<Function>();
    }
    fold(true);
    if (!changed) return std::optional<Function>();
    return std::optional<Function>(*current);
  }
};

}  // namespace

constinit const PassDef kDynamicToStaticPass = DescribePass<DynamicToStatic>({
    .name = "DynamicToStatic",
    .opt_level = 2,
    .summary = "replaces dynamic operators by static ones where their shape arguments are constant",
    .details =
        R"(An operator of the dyn family whose shape arguments are constants, or fold to constants, becomes the
operator that has them as attributes:

  %0 = shape_of(%y, dtype="int32");
  dyn.reshape(%x, %0)                    =>    reshape(%x, newshape=[8, 3])

for %y of type Tensor[(8, 3), float32]. It knows dyn.reshape, squeeze, tile, broadcast_to, topk, zeros, ones, full,
one_hot, image.resize2d, nn.upsampling, nn.upsampling3d, nn.pad, strided_slice and sparse_to_dense. Result types
that have become better known are inferred anew, and the whole function is folded by FoldConstant.

An operator with an argument that is not constant stays dynamic.)",
    .idempotent = true,
});

}  // namespace relayopt
