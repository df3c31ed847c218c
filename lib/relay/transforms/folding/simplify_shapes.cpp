// SimplifyShapes: simplifies computations on extents that are not known.
//
// SymbolicShapes knows every extent as a sum of products of unknowns. What follows looks at one call at a time:
// - numbers that do not depend on the unknowns become constants, and a condition among them chooses its branch;
// - a reshape is expressed from the first tensor with these elements, by extents that stay (0), one that follows from
//   the others (-1), two that become one (-3) and one that becomes two (-4);
// - a tensor that is broadcast, reshaped or cut to the extents that it has is that tensor;
// - a sequence of numbers between constants has a known length;
// - where a shape is still computed, a reshape after it states those extents that are numbers.
// The shapes that were computed for that are dead then.
//
//   %x: Tensor[(?, ?, 32)]: b, s, 32
//   %0 = shape_of(%x)                                         b, s, 32
//   %1 = (strided_slice(%0, begin=[0], end=[2]), [4, 8])
//   %2 = dyn.reshape(%x, concatenate(%1))       =>   reshape(%x, newshape=[0, 0, 4, 8])
//   %3 = dyn.broadcast_to(%2, shape_of(%2))     =>   %2
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "unknown_results.h"

namespace relayopt {

namespace {

using Numbers = SymbolicShapes::Numbers;
using Codes = std::vector<int64_t>;

// Encodes the shape with copied extents, numbers, and at most one inferred extent.
auto PlainCodes(const ExtentTable& table, const Numbers& from, const Numbers& to) -> std::optional<Codes> {
  Codes codes;
  bool has_inferred = false;
  for (size_t i = 0; i < to.size(); ++i) {
    const auto number = table.NumberOf(to[i]);
    // 0 means something else.
    if (number && *number <= 0) return std::nullopt;
    if (number) {
      codes.push_back(*number);
    } else if (i < from.size() && from[i] == to[i]) {
      codes.push_back(0);
    } else if (!has_inferred) {
      has_inferred = true;
      codes.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return codes;
}

// The same with extents that are merged and split. Only one extent may follow from others, by -1, -3 or -4: ONNX can
// infer one.
auto MovedCodes(ExtentTable& table, const Numbers& from, const Numbers& to) -> std::optional<Codes> {
  Codes codes;
  size_t source = 0;
  int inferred = 0;
  for (size_t i = 0; i < to.size(); ++i, ++source) {
    const auto number = table.NumberOf(to[i]);
    if (number && *number <= 0) return std::nullopt;
    const bool has_one = source < from.size();
    if (has_one && from[source] == to[i]) {
      codes.push_back(0);
    } else if (source + 1 < from.size() && table.Product(from[source], from[source + 1]) == to[i]) {
      codes.push_back(-3);
      ++source;
      ++inferred;
    } else if (has_one && i + 1 < to.size() && table.Product(to[i], to[i + 1]) == from[source] &&
               (number || table.NumberOf(to[i + 1]))) {
      const auto second = table.NumberOf(to[i + 1]);
      codes.insert(codes.end(), {-4, number.value_or(-1), number && !second ? -1 : *second});
      ++i;
      inferred += number && second ? 0 : 1;
    } else if (number) {
      codes.push_back(*number);
    } else {
      codes.push_back(-1);
      ++inferred;
    }
  }
  return inferred <= 1 ? std::optional(std::move(codes)) : std::nullopt;
}

class ShapeSimplifier {
 public:
  ShapeSimplifier(const Function& function, const ExtentNames::Names& names)
      : function_(function),
        rebuild_(function),
        refresher_(function),
        walk_(function, names),
        users_(function.size()),
        last_user_(function.size()) {
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) {
        ++users_[operand];
        last_user_[operand] = id;
      }
    }
  }

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) {
      walk_.Add(id);
      ExprId made = Visit(id);
      // Nothing is known better before the first call that was rewritten.
      if (!made && has_changed_) made = refresher_.Refresh(rebuild_, id);
      if (made) Learn(id, made);
      return made;
    });
  }

 private:
  // What follows a call with a better type knows it in the same walk, so that a chain of shapes takes one.
  void Learn(ExprId id, ExprId made) {
    has_changed_ = true;
    const Function& to = rebuild_.to().function();
    if (to.type(made) == function_.type(id)) return;
    if (const Type* type = TensorType(to, made)) walk_.Learn(id, *type);
  }

  auto Visit(ExprId id) -> ExprId {
    if (function_.kind(id) == ExprKind::kIf) return VisitIf(id);
    if (function_.kind(id) != ExprKind::kOpCall || function_.op(id)->stateful) return {};
    if (const ExprId constant = AsConstant(id)) return constant;
    const OpDef* op = function_.op(id);
    if (op == "reshape"_op || op == "dyn.reshape"_op) return VisitReshape(id, op == "dyn.reshape"_op);
    if (op == "arange"_op) return WithBounds(id);
    const bool may_be_whole = op == "dyn.broadcast_to"_op || op == "broadcast_to"_op || HasStridesOfOne(id, op);
    if (may_be_whole && IsWhole(id, function_.operand(id, 0))) return rebuild_.New(function_.operand(id, 0));
    return op->name.starts_with("dyn.") ? WithNumbers(id) : ExprId();
  }

  // Returns a reshape of the call that states its known extents if the type does not.
  auto WithNumbers(ExprId id) -> ExprId {
    const Type* type = TensorType(function_, id);
    const Numbers* extents = shapes_.ExtentsOf(id);
    if (type == nullptr || extents == nullptr) return {};
    Codes codes;
    bool is_better = false;
    for (size_t i = 0; i < extents->size(); ++i) {
      const int64_t number = shapes_.table().NumberOf((*extents)[i]).value_or(0);
      is_better = is_better || (number > 0 && !type->shape[i].is_int());
      codes.push_back(std::max<int64_t>(0, number));
    }
    return is_better && !IsStated(id, codes) ? EmitReshape(rebuild_.Copy(id), codes) : ExprId();
  }

  // Returns the arange with its operands as attributes, by which its length is known, if they have become constants.
  // One without elements has no such type.
  auto WithBounds(ExprId id) -> ExprId {
    Context& context = function_.context();
    const auto* old = context.As<ArangeAttrs>(function_.attrs(id));
    if (old == nullptr || (old->start && old->stop && old->step)) return {};
    const auto operands = rebuild_.NewOperands(id);
    const std::vector<ExprId> bounds(operands.begin(), operands.end());
    if (bounds.size() != 3) return {};
    const Function& to = rebuild_.to().function();
    std::array<ObjectId, 3> objects;
    std::array<double, 3> numbers = {};
    for (size_t i = 0; i < bounds.size(); ++i) {
      if (to.kind(bounds[i]) != ExprKind::kConstant) return {};
      const auto number = to.constant(bounds[i]).ScalarAsDouble();
      if (!number) return {};
      numbers[i] = *number;
      objects[i] = ConstantObject(context, to.constant_id(bounds[i]));
    }
    if (!ArangeLength(numbers[0], numbers[1], numbers[2])) return {};
    const ArangeAttrs attrs{.start = objects[0], .stop = objects[1], .step = objects[2], .dtype = old->dtype};
    return EmitCallWith(rebuild_.to(), "arange"_op, attrs, {bounds[0], bounds[1], bounds[2]});
  }

  // Whether the only user is the reshape that would be made.
  auto IsStated(ExprId id, const Codes& codes) const -> bool {
    const ExprId user = last_user_[id];
    if (users_[id] != 1 || function_.kind(user) != ExprKind::kOpCall || function_.op(user) != "reshape"_op)
      return false;
    const auto* attrs = function_.context().As<ReshapeAttrs>(function_.attrs(user));
    return attrs != nullptr &&
           std::ranges::equal(attrs->newshape, codes, [](const Dim& dim, int64_t code) { return dim.is(code); });
  }

  auto VisitIf(ExprId id) -> ExprId {
    const auto condition = shapes_.IntegersOf(function_.operand(id, 0));
    if (!condition || condition->size() != 1) return {};
    return rebuild_.New(function_.operand(id, (*condition)[0] != 0 ? 1 : 2));
  }

  // Returns a list of integers that does not depend on unknown extents.
  auto AsConstant(ExprId id) -> ExprId {
    const auto integers = shapes_.IntegersOf(id);
    if (!integers) return {};
    const Type& type = function_.context().type(function_.type(id));
    const DataType dtype = type.dtype;
    std::vector<std::byte> bytes;
    for (const int64_t integer : *integers) {
      const auto bits = static_cast<uint64_t>(integer);
      if (Constant::Scalar(dtype, bits).ScalarAsInt() != integer) return {};
      const auto* first = reinterpret_cast<const std::byte*>(&bits);
      bytes.insert(bytes.end(), first, first + dtype.bytes());
    }
    std::vector<int64_t> shape;
    if (type.rank() == 1) shape.push_back(static_cast<int64_t>(integers->size()));
    const std::vector<Dim> extents(shape.begin(), shape.end());
    FunctionBuilder& to = rebuild_.to();
    const ExprId made = to.Constant(to.context().AddConstant({dtype, std::move(shape), std::move(bytes)}));
    to.SetType(made, to.context().Tensor(extents, dtype));
    return made;
  }

  auto VisitReshape(ExprId id, bool is_dynamic) -> ExprId {
    const Numbers* wanted = shapes_.ExtentsOf(id);
    if (wanted == nullptr) return {};
    const ExprId data = function_.operand(id, 0);
    const ExprId source = SourceOf(data);
    for (const ExprId whole : {source, data}) {
      if (IsWhole(id, whole)) return rebuild_.New(whole);
    }
    if (source != data && users_[data] == 1) {
      if (const auto codes = PlainCodes(shapes_.table(), *shapes_.ExtentsOf(source), *wanted)) {
        return EmitReshape(rebuild_.New(source), *codes);
      }
    }
    if (!is_dynamic) return {};
    const Numbers& extents = *shapes_.ExtentsOf(data);
    auto codes = PlainCodes(shapes_.table(), extents, *wanted);
    if (!codes && !IsPutTogether(function_.operand(id, 1))) codes = MovedCodes(shapes_.table(), extents, *wanted);
    return codes ? EmitReshape(rebuild_.New(data), *codes) : WithNumbers(id);
  }

  // Whether a shape consists of constants and of extents that are computed for others, too: it costs next to nothing.
  auto IsPutTogether(ExprId shape) const -> bool {
    if (function_.kind(shape) != ExprKind::kOpCall || function_.op(shape) != "concatenate"_op) return false;
    const ExprId parts = function_.operand(shape, 0);
    return function_.kind(parts) == ExprKind::kTuple &&
           std::ranges::all_of(function_.operands(parts), [&](ExprId part) {
             return function_.kind(part) == ExprKind::kConstant || users_[part] > 1;
           });
  }

  // Returns the tensor that has these elements, in a different shape.
  auto SourceOf(ExprId id) const -> ExprId {
    // A limit, so that a long chain is not walked from each of its members.
    constexpr int kMaxSteps = 8;
    for (int i = 0; i < kMaxSteps; ++i) {
      if (function_.kind(id) != ExprKind::kOpCall) break;
      const OpDef* op = function_.op(id);
      if (op != "reshape"_op && op != "dyn.reshape"_op && op != "expand_dims"_op && op != "squeeze"_op) break;
      id = function_.operand(id, 0);
    }
    return id;
  }

  // For an expression of the new function.
  auto EmitReshape(ExprId data, const Codes& codes) -> ExprId {
    ReshapeAttrs attrs;
    attrs.newshape = DimList(std::vector<Dim>(codes.begin(), codes.end()));
    return EmitCallWith(rebuild_.to(), "reshape"_op, attrs, {data});
  }

  // Whether the result has the extents of its data, and its type does not contain more about them.
  auto IsWhole(ExprId id, ExprId data) -> bool {
    const Numbers* extents = shapes_.ExtentsOf(id);
    const Numbers* given = shapes_.ExtentsOf(data);
    if (extents == nullptr || given == nullptr || *extents != *given) return false;
    const Function& to = rebuild_.to().function();
    const TypeId made = to.type(rebuild_.New(data));
    const Shape known = made ? to.context().type(made).shape : TensorType(function_, data)->shape;
    const Shape wanted = TensorType(function_, id)->shape;
    return std::equal(known.begin(), known.end(), wanted.begin(),
                      [](const Dim& a, const Dim& b) { return a.is_int() || !b.is_int(); });
  }

  // Whether it selects adjacent elements in order.
  auto HasStridesOfOne(ExprId id, const OpDef* op) const -> bool {
    const auto is_one = [](int64_t stride) { return stride == 1; };
    if (op == "dyn.strided_slice"_op) {
      const auto strides = shapes_.IntegersOf(function_.operand(id, 3));
      return strides && std::ranges::all_of(*strides, is_one);
    }
    if (op != "strided_slice"_op) return false;
    const auto* attrs = function_.context().As<StridedSliceAttrs>(function_.attrs(id));
    if (attrs == nullptr) return false;
    return attrs->slice_mode == "size" || attrs->strides.null ||
           std::ranges::all_of(attrs->strides, [](const Dim& stride) { return stride.is(1); });
  }

  const Function& function_;
  Rebuild rebuild_;
  OperandRefresher refresher_;
  ShapeWalk walk_;
  SymbolicShapes& shapes_ = walk_.shapes();
  bool has_changed_ = false;
  SideTable<ExprId, uint32_t> users_;
  SideTable<ExprId, ExprId> last_user_;
};

// If all extents are known there is nothing to do.
auto HasUnknownExtent(const Function& function) -> bool {
  const Context& context = function.context();
  return std::ranges::any_of(function.ids(), [&](ExprId id) {
    if (!function.type(id)) return false;
    const Type& type = context.type(function.type(id));
    return type.is_tensor() && std::ranges::any_of(type.shape, [](const Dim& dim) { return dim.is_any(); });
  });
}

struct SimplifyShapes {
  auto Run(const Module& module, GlobalId id, const Function& function, PassContext&) const
      -> Result<std::optional<Function>> {
    if (!HasUnknownExtent(function)) return std::optional<Function>();
    const bool is_main = id == module.FindGlobal("main");
    const auto names = is_main ? module.context().Part<ExtentNames>().Get() : ExtentNames::Names();
    auto made = ShapeSimplifier(function, names).Run();
    if (made) ForgetUnknownResults(id, *made);
    return made;
  }
};

}  // namespace

constinit const PassDef kSimplifyShapesPass = DescribePass<SimplifyShapes>({
    .name = "SimplifyShapes",
    .opt_level = 2,
    .required = "InferType",
    .summary = "simplifies computations on unknown extents",
    .details =
        R"(A type has `?` for every unknown extent. This pass distinguishes them, follows the computations on them, and
replaces these by shorter ones:

  %0 = shape_of(%x, dtype="int64");          %x: Tensor[(?, ?, 32), float32]
  %1 = strided_slice(%0, begin=[0], end=[2], ...);
  %2 = (%1, meta[relay.Constant][0]);        [4, 8]
  %3 = concatenate(%2);
  dyn.reshape(%x, %3)                        =>    reshape(%x, newshape=[0, 0, 4, 8])

Numbers that do not depend on unknown extents become constants, the length of an arange between constants becomes known,
a condition that is known by that chooses its branch, and a tensor that is reshaped, broadcast or cut to the extents that
it has stays as it is. Extents of @main that an ONNX model calls by one name are one.

An extent that is broadcast against 1, or that cancels in a quotient, is assumed not to be 0.

Left alone: shapes that depend on values, reshapes with two unknown extents that follow from nothing else, and functions
without `?`.)",
    .idempotent = true,
});

}  // namespace relayopt
