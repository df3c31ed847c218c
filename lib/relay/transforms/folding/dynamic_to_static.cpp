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
  explicit Rewriter(const Function& function) : function_(function), rebuild_(function), refresher_(function) {}

  // Returns nothing if no operator could be replaced.
  auto Run() -> std::optional<Function> {
    rebuild_.ForEach([this](ExprId id) {
      const ExprId made = function_.kind(id) == ExprKind::kOpCall ? Replace(id) : ExprId();
      changed_ |= made.has_value();
      if (made) return made;
      const ExprId refreshed = refresher_.Refresh(rebuild_, id);
      return refreshed ? refreshed : rebuild_.Copy(id);
    });
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  // Returns the static form of a call, or none if it stays.
  auto Replace(ExprId id) -> ExprId {
    const OpDef* op = function_.op(id);
    const StaticForm* form = op->name.starts_with("dyn.") ? FindStaticForm(op) : nullptr;
    return form == nullptr ? ExprId() : (this->*form->replace)(id, *form);
  }

  // A dynamic operator, the static one, how many of its arguments the latter has, and what makes one of the other.
  struct StaticForm {
    const OpDef* dynamic;
    const OpDef* op;
    size_t num_args;
    auto(Rewriter::*replace)(ExprId id, const StaticForm& form) -> ExprId;
  };

  // The arguments after those of the static operator become these attributes; others stay.
  template <auto... kMembers>
  auto WithAttributes(ExprId id, const StaticForm& form) -> ExprId {
    using A = std::common_type_t<MemberClass<kMembers>...>;
    const auto* attrs = Attrs<A>(id);
    A made = attrs == nullptr ? A() : *attrs;
    size_t at = form.num_args;
    if (!(... && Read(id, at++, made.*kMembers))) return {};
    // tile repeats at least once.
    if constexpr (std::same_as<A, TileAttrs>) {
      const auto is_none = [](const Dim& times) { return !times.is_int() || times.value() < 1; };
      if (std::ranges::any_of(made.reps.values, is_none)) return {};
    }
    // Operands that the dynamic operators do not read.
    if constexpr (std::same_as<A, StridedSliceAttrs>) made.axes = DimList::Null();
    if constexpr (std::same_as<A, InitOpAttrs>)
      made.dtype = form.op == "broadcast_to"_op ? DataType::Void() : made.dtype;
    const AttrsId interned = function_.context().InternAttrs(made);
    return EmitCall(rebuild_.to(), form.op, rebuild_.NewOperands(id).first(form.num_args), interned);
  }

  auto WithPadding(ExprId id, const StaticForm& form) -> ExprId {
    const auto* attrs = Attrs<PadAttrs>(id);
    const Constant* widths = ConstantAt(id, 1);
    const Constant* value = ConstantAt(id, 2);
    if (attrs == nullptr || widths == nullptr || value == nullptr || !value->is_scalar()) return {};
    if (widths->shape().size() != 2 || widths->shape()[1] != 2) return {};
    const auto numbers = Integers(*widths);
    if (!numbers) return {};
    PadAttrs made{{}, attrs->pad_mode};
    for (size_t i = 0; i < numbers->size(); i += 2) made.pad_width.values.push_back({(*numbers)[i], (*numbers)[i + 1]});
    return EmitCallWith(rebuild_.to(), form.op, made, {New(id, 0), New(id, 2)});
  }

  static auto FindStaticForm(const OpDef* dynamic) -> const StaticForm* {
    static constexpr StaticForm kForms[] = {
        {"dyn.broadcast_to"_op, "broadcast_to"_op, 1, &Rewriter::WithAttributes<&InitOpAttrs::shape>},
        {"dyn.full"_op, "full"_op, 1, &Rewriter::WithAttributes<&InitOpAttrs::shape>},
        {"dyn.image.resize2d"_op, "image.resize2d"_op, 1,
         &Rewriter::WithAttributes<&Resize2DAttrs::size, &Resize2DAttrs::roi>},
        {"dyn.nn.pad"_op, "nn.pad"_op, 2, &Rewriter::WithPadding},
        {"dyn.nn.upsampling"_op, "nn.upsampling"_op, 1,
         &Rewriter::WithAttributes<&UpSamplingAttrs::scale_h, &UpSamplingAttrs::scale_w>},
        {"dyn.nn.upsampling3d"_op, "nn.upsampling3d"_op, 1,
         &Rewriter::WithAttributes<&UpSampling3DAttrs::scale_d, &UpSampling3DAttrs::scale_h,
                                   &UpSampling3DAttrs::scale_w>},
        {"dyn.one_hot"_op, "one_hot"_op, 3, &Rewriter::WithAttributes<&OneHotAttrs::depth>},
        {"dyn.ones"_op, "ones"_op, 0, &Rewriter::WithAttributes<&InitOpAttrs::shape>},
        {"dyn.reshape"_op, "reshape"_op, 1, &Rewriter::WithAttributes<&ReshapeAttrs::newshape>},
        {"dyn.sparse_to_dense"_op, "sparse_to_dense"_op, 3,
         &Rewriter::WithAttributes<&SparseToDenseAttrs::output_shape>},
        {"dyn.squeeze"_op, "squeeze"_op, 1, &Rewriter::WithAttributes<&SqueezeAttrs::axis>},
        {"dyn.strided_slice"_op, "strided_slice"_op, 1,
         &Rewriter::WithAttributes<&StridedSliceAttrs::begin, &StridedSliceAttrs::end, &StridedSliceAttrs::strides>},
        {"dyn.tile"_op, "tile"_op, 1, &Rewriter::WithAttributes<&TileAttrs::reps>},
        {"dyn.topk"_op, "topk"_op, 1, &Rewriter::WithAttributes<&TopkAttrs::k>},
        {"dyn.zeros"_op, "zeros"_op, 0, &Rewriter::WithAttributes<&InitOpAttrs::shape>},
    };
    const auto* found = std::ranges::find(kForms, dynamic, &StaticForm::dynamic);
    return found == std::end(kForms) ? nullptr : found;
  }

  template <typename A>
  auto Attrs(ExprId id) const -> const A* {
    return function_.context().As<A>(function_.attrs(id));
  }
  auto New(ExprId call, size_t i) -> ExprId { return rebuild_.New(function_.operand(call, i)); }
  // Returns the i-th argument, if it is a constant.
  auto ConstantAt(ExprId call, size_t i) -> const Constant* {
    if (i >= function_.operands(call).size()) return nullptr;
    const Function& to = rebuild_.to().function();
    const ExprId arg = New(call, i);
    return to.kind(arg) == ExprKind::kConstant ? &to.constant(arg) : nullptr;
  }
  auto IntegersAt(ExprId call, size_t i) -> std::optional<std::vector<int64_t>> {
    const Constant* constant = ConstantAt(call, i);
    return constant == nullptr ? std::nullopt : Integers(*constant);
  }
  // Reads an argument into an attribute: a list, an integer, a number, or a list of float32. Returns whether it is
  // known.
  auto Read(ExprId call, size_t i, DimList& to) -> bool {
    const auto values = IntegersAt(call, i);
    if (!values || ConstantAt(call, i)->shape().size() != 1) return false;
    to = ToDims(*values);
    return true;
  }
  template <typename T>
  requires std::same_as<T, Dim> || std::same_as<T, int64_t>
  auto Read(ExprId call, size_t i, T& to) -> bool {
    const auto values = IntegersAt(call, i);
    if (!values || values->size() != 1) return false;
    to = values->front();
    return true;
  }
  auto Read(ExprId call, size_t i, double& to) -> bool {
    const Constant* constant = ConstantAt(call, i);
    if (constant == nullptr || !constant->is_scalar()) return false;
    const auto integer = constant->ScalarAsInt();
    const auto number = integer ? std::optional(static_cast<double>(*integer)) : constant->ScalarAsDouble();
    to = number.value_or(0);
    return number.has_value();
  }
  auto Read(ExprId call, size_t i, ObjectId& to) -> bool {
    const Constant* constant = ConstantAt(call, i);
    if (constant == nullptr || constant->shape().size() != 1 || constant->dtype() != DataType::Float(32)) return false;
    std::vector<ObjectId> items;
    const Tensor floats(*constant);
    for (const float element : floats.elements<float>()) {
      items.push_back(function_.context().AddFloat(element, DataType::Float(32)));
    }
    to = function_.context().AddArray(items);
    return true;
  }

  const Function& function_;
  Rebuild rebuild_;
  OperandRefresher refresher_;
  bool changed_ = false;
};

// Whether a function calls operators of the dyn family.
auto HasDynamic(const Function& function) -> bool {
  const OpDef* last = nullptr;
  return std::ranges::any_of(function.ids(), [&](ExprId id) {
    // Neighbours are often alike.
    if (function.kind(id) != ExprKind::kOpCall || function.op(id) == last) return false;
    last = function.op(id);
    return last->name.starts_with("dyn.");
  });
}

auto HasDevices(const Function& function) -> bool {
  return std::ranges::any_of(function.ids(), [&](ExprId e) {
    return function.kind(e) == ExprKind::kFunction && function.info(e).virtual_device;
  });
}

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

struct DynamicToStaticOptions {
  int64_t max_bytes = FoldOptions::kMaxBytes;
  static constexpr auto Fields() {
    return std::array{
        Option<&DynamicToStaticOptions::max_bytes>("leave calls whose result takes more bytes than this", {.min = 0}),
    };
  }
};

struct DynamicToStatic {
  using Options = DynamicToStaticOptions;
  Options options;
  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    // As TVM: the function need not have types. One that does stays where it is while nothing changes.
    FunctionRef current = IsUntyped(function) ? std::make_shared<const Function>(TypedUpwards(function))
                                              : FunctionRef(std::shared_ptr<const void>(), &function);
    // A copy of the module, created when types must be inferred in it: most functions have nothing dynamic.
    std::optional<Module> work;
    const auto retype = [&](Function next) {
      if (!work) work = module;
      work->SetFunction(id, std::make_shared<Function>(std::move(next)));
      if (!InferTypes(*work, context.diagnostics())) return false;
      current = work->function_ref<Function>(id);
      return true;
    };
    bool changed = false;
    if (HasDevices(*current) || HasUnknownResults(id, *current)) {
      Function open = *current;
      changed = ForgetDevices(open);
      if (ForgetUnknownResults(id, open)) {
        changed = true;
        if (!retype(std::move(open))) return std::optional<Function>();
      } else {
        current = std::make_shared<Function>(std::move(open));
      }
    }
    const auto fold = [&](bool fold_dynamic) {
      // Folds with the module of the running pass, whose cached analysis is shared by all functions.
      const FoldOptions limited = {.fold_dynamic = fold_dynamic,
                                   .max_bytes = static_cast<size_t>(std::max<int64_t>(options.max_bytes, 0))};
      auto folded = FoldConstants(module, *current, limited, context);
      if (!folded) return false;
      current = std::make_shared<Function>(*std::move(folded));
      changed = true;
      return true;
    };
    // Shapes that go through variables and closures are known in the round after the next. A dynamic operator is first
    // made static, so that its type is known, and computed only then.
    bool is_settled = false;
    while (true) {
      is_settled = !fold(false);
      if (!HasDynamic(*current)) break;
      is_settled = false;
      auto rewritten = Rewriter(*current).Run();
      if (!rewritten) break;
      changed = true;
      ForgetUnknownResults(id, *rewritten);
      if (!retype(*std::move(rewritten))) return std::optional<Function>();
    }
    if (!is_settled) fold(true);
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
