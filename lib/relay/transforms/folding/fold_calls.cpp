// Folds calls of operators on constants.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "folded_bytes.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/foreign_ops.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Appends the constants that make up an expression: a constant, or the fields of a tuple.
auto AppendConstants(const Function& function, ExprId id, std::vector<Tensor>& tensors) -> bool {
  if (function.kind(id) == ExprKind::kConstant) {
    tensors.push_back(Tensor::View(function.constant(id)));
    return true;
  }
  if (function.kind(id) != ExprKind::kTuple) return false;
  const auto fields = function.operands(id);
  if (!std::all_of(fields.begin(), fields.end(),
                   [&](ExprId field) { return function.kind(field) == ExprKind::kConstant; })) {
    return false;
  }
  for (const ExprId field : fields) tensors.push_back(Tensor::View(function.constant(field)));
  return true;
}

// Returns nothing if a number does not fit the type.
auto CastExactly(Context& context, const Tensor& numbers, DataType dtype) -> std::optional<Tensor> {
  const auto cast = [&](const Tensor& tensor, DataType to) -> std::optional<Tensor> {
    const KernelInput input = {std::span(&tensor, 1), false};
    auto result = RunKernel(context, {"cast"_op, context.InternAttrs(CastAttrs{to})}, std::span(&input, 1), {});
    if (!result || !result->undefined.empty()) return std::nullopt;
    return std::move(result->tensors.front());
  };
  auto narrow = cast(numbers, dtype);
  if (!narrow || dtype.is_float() || dtype.is_bool()) return narrow;
  const auto back = cast(*narrow, DataType::Int(64));
  if (!back || !std::ranges::equal(back->elements<int64_t>(), numbers.elements<int64_t>())) return std::nullopt;
  return narrow;
}

auto BytesOf(std::span<const Tensor> tensors) -> size_t {
  size_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.num_bytes();
  return bytes;
}

// Returns the bytes of the constants that make up operands, of one that is there several times once.
auto BytesOfConstants(const Function& function, std::span<const ExprId> operands) -> size_t {
  absl::flat_hash_set<ConstantId> counted;
  size_t bytes = 0;
  const auto count = [&](ExprId id) {
    if (function.kind(id) != ExprKind::kConstant || !counted.insert(function.constant_id(id)).second) return;
    bytes += function.constant(id).num_bytes();
  };
  for (const ExprId operand : operands) {
    count(operand);
    if (function.kind(operand) == ExprKind::kTuple) std::ranges::for_each(function.operands(operand), count);
  }
  return bytes;
}

// Returns how many bytes the result of a call may have whose operands have `given`. A foreign node exists to keep its
// operands small: 8-bit weights that become floats where they are used stay 8-bit. So do half-precision weights of a
// model, which would become twice as large.
auto LargestResult(const Context& context, const OpDef& op, size_t given, const FoldOptions& options) -> size_t {
  constexpr size_t kSmall = 1024;
  const bool is_foreign = IsForeignOp(op);
  if (options.ignores_limit) return options.max_bytes;
  if (!is_foreign && !context.Part<FoldingLimit>().is_set()) return options.max_bytes;
  const size_t most = is_foreign ? given : given < kNodeBytes ? kSmall : given + kNodeBytes;
  return std::min(options.max_bytes, most);
}

auto FoldProjection(const Function& function, ExprId id) -> ExprId {
  const ExprId tuple = function.operand(id, 0);
  std::vector<Tensor> fields;
  if (function.kind(tuple) != ExprKind::kTuple || !AppendConstants(function, tuple, fields)) return id;
  return function.operand(tuple, function.index(id));
}

}  // namespace

auto IsFoldable(const OpDef& op, const FoldOptions& options) -> bool {
  if (op.stateful || Arity(op) == 0) return false;
  // A mark with attributes has information that a constant lacks.
  if (PassesThrough(op)) return op.attrs == nullptr;
  // A shape is derived from the type.
  if (op.kernel == nullptr || IsShapeQuery(op)) return false;
  if (!options.fold_dynamic && op.name.starts_with("dyn.")) return false;
  return !op.non_computational || (options.fold_qnn && op.name.starts_with("qnn."));
}

auto IsShapeQuery(const OpDef& op) -> bool {
  return &op == "shape_of"_op || &op == "vm.shape_of"_op || &op == "ndarray_size"_op;
}

auto EvaluateShapeQuery(Context& context, const OpInstance& instance, std::span<const int64_t> extents)
    -> std::optional<Tensor> {
  if (instance.op == "ndarray_size"_op) {
    int64_t size = 1;
    for (const int64_t extent : extents) {
      if (__builtin_mul_overflow(size, extent, &size)) return std::nullopt;
    }
    const auto* attrs = context.As<NdarraySizeAttrs>(instance.attrs);
    if (attrs == nullptr) return std::nullopt;
    return CastExactly(context, Tensor::Scalar(DataType::Int(64), size), attrs->dtype);
  }
  // For a scalar, the result type says that its shape is a scalar, but no such number exists.
  const auto* attrs = context.As<ShapeOfAttrs>(instance.attrs);
  if (attrs == nullptr || extents.empty()) return std::nullopt;
  Tensor numbers(DataType::Int(64), {static_cast<int64_t>(extents.size())});
  std::copy(extents.begin(), extents.end(), numbers.mutable_data<int64_t>());
  return CastExactly(context, numbers, attrs->dtype);
}

auto IsTooLargeToFold(const Context& context, const OpDef& op, size_t given, TypeId type, const FoldOptions& options)
    -> bool {
  const auto bytes = BytesOfType(context, type);
  return bytes && *bytes > LargestResult(context, op, given, options);
}

auto EvaluateForFolding(Context& context, const OpInstance& instance, std::span<const KernelInput> inputs, TypeId type,
                        const FoldOptions& options) -> std::optional<KernelResult> {
  size_t given = 0;
  for (const KernelInput& input : inputs) given += BytesOf(input.tensors);
  if (IsTooLargeToFold(context, *instance.op, given, type, options)) return std::nullopt;
  auto result = RunKernel(context, instance, inputs, type, {.max_tensor_bytes = options.max_bytes});
  if (!result || !result->undefined.empty() ||
      BytesOf(result->tensors) > LargestResult(context, *instance.op, given, options))
    return std::nullopt;
  return std::move(result).value();
}

auto EmitConstant(FunctionBuilder& to, const Tensor& tensor) -> ExprId {
  const ExprId constant = to.Constant(to.context().AddConstant(tensor.ToConstant()));
  to.SetType(constant, TypeOf(to.context(), tensor));
  return constant;
}

namespace {

// Returns the first of the operands that are constants with the most elements.
auto LargestConstant(const Function& function, ExprId id) -> ConstantId {
  ConstantId largest;
  int64_t most = 0;
  for (const ExprId operand : function.operands(id)) {
    if (function.kind(operand) != ExprKind::kConstant) continue;
    const auto elements = static_cast<int64_t>(function.constant(operand).num_elements());
    if (elements <= most) continue;
    most = elements;
    largest = function.constant_id(operand);
  }
  return largest;
}

}  // namespace

auto FoldCall(FunctionBuilder& to, ExprId id, const FoldOptions& options) -> ExprId {
  const Function& function = to.function();
  if (function.kind(id) == ExprKind::kTupleGetItem) return FoldProjection(function, id);
  if (function.kind(id) != ExprKind::kOpCall || !IsFoldable(*function.op(id), options)) return id;
  const size_t given = BytesOfConstants(function, function.operands(id));
  if (IsTooLargeToFold(to.context(), *function.op(id), given, function.type(id), options)) return id;
  std::vector<Tensor> tensors;
  std::vector<size_t> ends;
  for (const ExprId operand : function.operands(id)) {
    if (!AppendConstants(function, operand, tensors)) return id;
    ends.push_back(tensors.size());
  }
  std::vector<KernelInput> inputs;
  size_t first = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const bool is_tuple = function.kind(function.operand(id, i)) == ExprKind::kTuple;
    inputs.push_back({std::span<const Tensor>(tensors).subspan(first, ends[i] - first), is_tuple});
    first = ends[i];
  }
  Context& context = to.context();
  const auto result = EvaluateForFolding(context, function.instance(id), inputs, function.type(id), options);
  if (!result) return id;
  if (!result->is_tuple) {
    const ExprId made = EmitConstant(to, result->tensors.front());
    if (const ConstantId base = LargestConstant(function, id)) {
      context.Part<ConstantNames>().SetOrigin(function.constant_id(made), {{}, base});
    }
    return made;
  }
  const auto fields =
      MapToVector<ExprId>(result->tensors, [&](const Tensor& tensor) { return EmitConstant(to, tensor); });
  return EmitTuple(to, fields);
}

auto EmitFolded(FunctionBuilder& to, const OpDef* op, std::span<const ExprId> args, AttrsId attrs) -> ExprId {
  return FoldCall(to, EmitCall(to, op, args, attrs));
}

OperandRefresher::OperandRefresher(const Function& function) : function_(function) {
  for (const ExprId id : function.ids()) {
    const ExprKind kind = function.kind(id);
    has_effects_ |= kind == ExprKind::kCall || kind == ExprKind::kRefRead || kind == ExprKind::kRefWrite ||
                    (kind == ExprKind::kOpCall && function.op(id)->stateful);
  }
}

auto OperandRefresher::Refresh(Rebuild& rebuild, ExprId id) const -> ExprId {
  const ExprKind kind = function_.kind(id);
  const bool depends = kind == ExprKind::kOpCall || kind == ExprKind::kTuple || kind == ExprKind::kTupleGetItem;
  // A call that was written without its attributes cannot be emitted again.
  const bool lacks_attributes = kind == ExprKind::kOpCall && !function_.attrs(id) && function_.op(id)->attrs != nullptr;
  if (!depends || lacks_attributes || !HasBetterOperand(rebuild, id)) return {};
  FunctionBuilder& to = rebuild.to();
  const auto operands =
      MapToVector<ExprId>(function_.operands(id), [&](ExprId operand) { return rebuild.New(operand); });
  if (kind == ExprKind::kTuple) return EmitTuple(to, operands);
  if (kind == ExprKind::kTupleGetItem) return EmitTupleGetItem(to, operands[0], function_.index(id));
  if (const ExprId shape = FoldShapeQuery(rebuild, id)) return shape;
  const ExprId made = EmitFolded(to, function_.op(id), operands, function_.attrs(id));
  if (to.function().kind(made) == ExprKind::kOpCall) to.SetSpan(made, function_.span(id));
  return made;
}

namespace {

// Whether an operand is a constant or a tuple of constants.
auto IsKnown(const Function& function, ExprId id) -> bool {
  if (function.kind(id) != ExprKind::kTuple) return function.kind(id) == ExprKind::kConstant;
  return std::ranges::all_of(function.operands(id),
                             [&](ExprId field) { return function.kind(field) == ExprKind::kConstant; });
}

}  // namespace

auto OperandRefresher::HasBetterOperand(Rebuild& rebuild, ExprId id) const -> bool {
  const Function& made = rebuild.to().function();
  const bool is_call = function_.kind(id) == ExprKind::kOpCall;
  return std::ranges::any_of(function_.operands(id), [&](ExprId operand) {
    const ExprId now = rebuild.New(operand);
    return made.type(now) != function_.type(operand) || made.kind(now) != function_.kind(operand) ||
           (is_call && IsKnown(made, now) && !IsKnown(function_, operand));
  });
}

auto OperandRefresher::FoldShapeQuery(Rebuild& rebuild, ExprId id) const -> ExprId {
  if (has_effects_ || !IsShapeQuery(*function_.op(id))) return {};
  const Type* type = TensorType(rebuild.to().function(), rebuild.New(function_.operand(id, 0)));
  const auto extents = type == nullptr ? std::nullopt : KnownExtents(type->shape);
  if (!extents) return {};
  const auto result = EvaluateShapeQuery(function_.context(), function_.instance(id), *extents);
  return result ? EmitConstant(rebuild.to(), *result) : ExprId();
}

}  // namespace relayopt
