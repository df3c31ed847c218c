// Evaluates one operator.
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/core/extents.h"

#include <algorithm>
#include <cstring>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/macs.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/ops/foreign_ops.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// A tensor, or a tuple of tensors, with every extent known.
auto IsStatic(const Context& context, TypeId id) -> bool {
  const Type& type = context.type(id);
  if (type.kind == TypeKind::kTuple) {
    return std::all_of(type.args.begin(), type.args.end(),
                       [&](TypeId field) { return context.type(field).is_tensor() && IsStatic(context, field); });
  }
  return type.is_tensor() && AllKnown(type.shape);
}

auto TypeOfInput(Context& context, const KernelInput& input) -> TypeId {
  if (!input.is_tuple) return TypeOf(context, input.tensors[0]);
  const auto fields = MapToVector<TypeId>(input.tensors, [&](const Tensor& tensor) { return TypeOf(context, tensor); });
  return context.Tuple(fields);
}

// Returns the type of the result for operands of these types.
auto ResultType(Context& context, const OpInstance& instance, std::span<const TypeId> types, TypeId known) -> TypeId {
  // The inferred type of the call may depend on unknown
  // extents: tensors whose shapes do not match are found here.
  const TypeId found = TypeOfCall(context, *instance.op, instance.attrs, types);
  return found && known && !IsStatic(context, found) && IsStatic(context, known) ? known : found;
}

// Integers of odd widths are computed as 64 bits: everything that kernels do with integers is right modulo the width.
auto IsOdd(DataType dtype) -> bool {
  if (dtype.lanes != 1 || dtype.bits > 64 || dtype.is_bool() || (!dtype.is_int() && !dtype.is_uint())) return false;
  return dtype.bits != 8 && dtype.bits != 16 && dtype.bits != 32 && dtype.bits != 64;
}
auto Widened(DataType dtype) -> DataType {
  if (!IsOdd(dtype)) return dtype;
  return dtype.is_int() ? DataType::Int(64) : DataType::UInt(64);
}
auto WidenedType(Context& context, TypeId id) -> TypeId {
  const Type& type = context.type(id);
  if (type.is_tensor()) return IsOdd(type.dtype) ? context.Tensor(type.shape, Widened(type.dtype)) : id;
  if (type.kind != TypeKind::kTuple) return id;
  const auto fields = MapToVector<TypeId>(type.args, [&](TypeId field) { return WidenedType(context, field); });
  return context.Tuple(fields);
}

// Returns the lowest `bits` bits as a number.
auto Extended(uint64_t value, DataType dtype) -> uint64_t {
  const int unused = 64 - dtype.bits;
  const uint64_t high = value << unused;
  return dtype.is_int() ? static_cast<uint64_t>(static_cast<int64_t>(high) >> unused) : high >> unused;
}

auto Widen(const Tensor& tensor) -> Tensor {
  const DataType dtype = tensor.dtype();
  if (!IsOdd(dtype)) return tensor;
  Tensor wide(Widened(dtype), ShapeOf(tensor));
  auto* to = wide.mutable_data<uint64_t>();
  const std::byte* from = tensor.bytes().data();
  for (int64_t i = 0; i < tensor.size(); ++i, from += dtype.bytes()) {
    uint64_t value = 0;
    std::memcpy(&value, from, dtype.bytes());
    to[i] = Extended(value, dtype);
  }
  return wide;
}

auto Narrow(const Tensor& wide, DataType dtype) -> Tensor {
  if (!IsOdd(dtype)) return wide;
  Tensor tensor(dtype, ShapeOf(wide));
  const auto* from = wide.data<uint64_t>();
  std::byte* to = tensor.MutableBytes();
  for (int64_t i = 0; i < wide.size(); ++i, to += dtype.bytes()) {
    const uint64_t value = Extended(from[i], dtype);
    std::memcpy(to, &value, dtype.bytes());
  }
  return tensor;
}

auto HasOdd(std::span<const KernelInput> inputs) -> bool {
  return std::any_of(inputs.begin(), inputs.end(), [](const KernelInput& input) {
    return std::any_of(input.tensors.begin(), input.tensors.end(),
                       [](const Tensor& tensor) { return IsOdd(tensor.dtype()); });
  });
}

auto TypeFields(const Context& context, const TypeId& id) -> std::span<const TypeId> {
  const Type& type = context.type(id);
  return type.kind == TypeKind::kTuple ? type.args : std::span(&id, 1);
}

// Whether a result has the extents of its type.
auto HasShapeOf(const Tensor& tensor, const Type& type) -> bool {
  return !type.is_tensor() || std::ranges::equal(tensor.shape(), type.shape, [](int64_t extent, const Dim& dim) {
    return !dim.is_int() || dim.value() == extent;
  });
}

// Whether the kernel supports all operands. Type rules accept some that they do not examine: of all kernels whose
// result has the type of the operand, only that of copies supports tuples, and an empty tuple has nothing to compute
// with.
auto AreFit(const OpDef& op, std::span<const KernelInput> inputs) -> bool {
  if (op.kernel == CopyKernel || IsForeignOp(op)) return true;
  return std::none_of(inputs.begin(), inputs.end(), [&](const KernelInput& input) {
    return input.tensors.empty() || (input.is_tuple && op.type == IdentityRule);
  });
}

}  // namespace

auto PassesThrough(const OpDef& op) -> bool { return FamilyOf(op) == OpFamily::kAnnotation && op.kernel == CopyKernel; }

auto RunKernel(Context& context, const OpInstance& instance, std::span<const KernelInput> inputs, TypeId known,
               const KernelLimits& limits) -> Result<KernelResult> {
  const OpDef& op = *instance.op;
  if (PassesThrough(op))
    return KernelResult{{inputs[0].tensors.begin(), inputs[0].tensors.end()}, inputs[0].is_tuple, {}};
  if (op.kernel == nullptr) return MakeDiagnostic(diag::kNoKernel, {}, op.name);
  if (!AreFit(op, inputs)) return MakeDiagnostic(diag::kEvaluationFailed, {}, op.name, "an operand is not a tensor");
  const auto types = MapToVector<TypeId>(inputs, [&](const KernelInput& input) { return TypeOfInput(context, input); });
  const TypeId type = ResultType(context, instance, types, known);
  if (!type) return MakeDiagnostic(diag::kEvaluationFailed, {}, op.name, "the operands do not fit the operator");
  for (const TypeId field : TypeFields(context, type)) {
    if (!context.type(field).is_tensor()) continue;
    if (!IsStatic(context, field)) continue;
    KernelContext probe(context, op, instance.attrs, inputs, type, limits.max_tensor_bytes);
    if (!probe.Fits(KernelContext::Extents(context.type(field)), context.type(field).dtype)) {
      return MakeDiagnostic(diag::kEvaluationFailed, {}, op.name, probe.error());
    }
  }
  const uint64_t steps = WorkOf({context, op, instance.attrs, types, type}) / kWorkOfStep;
  if (steps > limits.max_steps) return MakeDiagnostic(diag::kTooManySteps, {}, limits.max_steps);

  // Owns the widened inputs. Reserved in advance, because the inputs refer to its elements.
  std::vector<Tensor> widened;
  std::vector<KernelInput> wide_inputs;
  const TypeId wide_type = WidenedType(context, type);
  if (HasOdd(inputs)) {
    size_t count = 0;
    for (const KernelInput& input : inputs) count += input.tensors.size();
    widened.reserve(count);
    for (const KernelInput& input : inputs) {
      const size_t first = widened.size();
      for (const Tensor& tensor : input.tensors) widened.push_back(Widen(tensor));
      wide_inputs.push_back({std::span(widened).subspan(first), input.is_tuple});
    }
    inputs = wide_inputs;
  }

  KernelContext kernel(context, op, instance.attrs, inputs, wide_type, limits.max_tensor_bytes);
  if (op.kernel(kernel) != KernelStatus::kDone) {
    return MakeDiagnostic(diag::kEvaluationFailed, {}, op.name, kernel.error());
  }
  KernelResult result = {std::move(kernel.outputs()), context.type(type).kind == TypeKind::kTuple, kernel.undefined(),
                         steps};
  std::vector<Tensor>& results = result.tensors;
  const auto fields = TypeFields(context, type);
  RELAYOPT_CHECK(results.size() == fields.size(), "a kernel makes as many tensors as the type says");
  for (size_t i = 0; i < results.size(); ++i) {
    const Type& field = context.type(fields[i]);
    // The values contradict the type: an operand is a shape, and an attribute gives another one.
    if (!HasShapeOf(results[i], field)) {
      return MakeDiagnostic(diag::kEvaluationFailed, {}, op.name, "the shape of the result differs from its type");
    }
    results[i] = Narrow(results[i], field.dtype);
  }
  return result;
}

}  // namespace relayopt
