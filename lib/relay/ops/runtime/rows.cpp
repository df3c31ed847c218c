// Type rules and rows of the operators that lowering introduces.
#include "relayopt/relay/ops/runtime.h"

#include <cstring>

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction ReshapeTensorKernel;

namespace {

// Returns the algebraic data type that TVM's prelude declares for memory.
auto StorageType(RuleContext& rule) -> TypeId { return rule.context().TypeCall(rule.context().Intern("Storage"), {}); }

// Returns nothing if input `i` is a scalar of 64-bit integers, else the status to return.
auto NeedByteCount(RuleContext& rule, size_t i) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(i, i + 1)) return status;
  const Type& type = rule.type(i);
  if (type.is_scalar() && type.dtype == DataType::Int(64)) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must be a scalar of type int64, found shape {} of {}", rule.op().name,
                      InputName(rule.op(), i), ToString(type.shape), ToString(type.dtype));
}

// Returns the numbers of a constant of rank 1 as extents, or nothing, with a diagnostic, if it is another constant.
auto ConstantShape(RuleContext& rule, const Constant& constant) -> std::optional<std::vector<Dim>> {
  const DataType dtype = constant.dtype();
  if (constant.shape().size() != 1 || (dtype != DataType::Int(32) && dtype != DataType::Int(64))) {
    rule.Error("{}: const_shape must be a constant of rank 1 of type int32 or int64", rule.op().name);
    return std::nullopt;
  }
  const auto bytes = constant.Bytes();
  std::vector<Dim> shape;
  for (size_t i = 0; i < bytes->size() / dtype.bytes(); ++i) {
    const std::byte* at = bytes->data() + i * dtype.bytes();
    if (dtype.bytes() == 4) {
      int32_t value = 0;
      std::memcpy(&value, at, sizeof(value));
      shape.emplace_back(value);
    } else {
      int64_t value = 0;
      std::memcpy(&value, at, sizeof(value));
      shape.emplace_back(value);
    }
  }
  return shape;
}

auto AllocTensor(RuleContext& rule, const AllocTensorAttrs& attrs) -> RuleStatus {
  if (!rule.AssignInput(0, StorageType(rule))) return RuleStatus::kFailed;
  if (const auto status = rule.NeedTensors(1, 3)) return *status;
  size_t rank = 0;
  if (!rule.type(2).is_scalar()) {
    const auto length = StaticLength(rule, 2);
    if (!length) return RuleStatus::kFailed;
    rank = *length;
  }
  if (!attrs.const_shape) {
    if (attrs.assert_shape.null) {
      return rule.Error("memory.alloc_tensor: one of const_shape and assert_shape must be given");
    }
    // This form does not determine the result's type, which has to come from elsewhere.
    const bool known = rule.known_result() && !rule.context().type(rule.known_result()).is_incomplete();
    return known ? RuleStatus::kDone : rule.Wait();
  }
  const Object& object = rule.context().object(attrs.const_shape);
  if (object.kind != ObjectKind::kConstant) return rule.Error("memory.alloc_tensor: const_shape must be a constant");
  const Constant& constant = rule.context().constant(object.constant);
  if (constant.num_elements() != rank) {
    return rule.ErrorAt(2, "memory.alloc_tensor: const_shape has {}, shape has {}",
                        Counted(constant.num_elements(), "element"), rank);
  }
  const auto shape = ConstantShape(rule, constant);
  if (!shape) return RuleStatus::kFailed;
  return DoneShape(rule, *shape, attrs.dtype);
}

auto ReshapeTensor(RuleContext& rule, const ReshapeTensorAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto shape = ShapeOf(rule, "newshape", attrs.newshape);
  if (!shape) return RuleStatus::kFailed;
  return rule.Done(*shape, rule.type(0).dtype);
}

// Returns nothing if input `i` is known to be a function (or a tuple), else the status to return.
auto NeedKind(RuleContext& rule, size_t i, TypeKind kind) -> std::optional<RuleStatus> {
  if (rule.unknown(i)) return rule.Wait();
  if (rule.type(i).kind == kind) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must be a {}", rule.op().name, InputName(rule.op(), i),
                      kind == TypeKind::kFunction ? "function" : "tuple");
}

auto AllocTensorRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, AllocTensor); }
auto ReshapeTensorRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ReshapeTensor); }

auto AllocStorageRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = NeedByteCount(rule, 0)) return *status;
  if (const auto status = rule.NeedTensors(1, 2)) return *status;
  if (const auto status = NeedByteCount(rule, 2)) return *status;
  return rule.Done(StorageType(rule));
}

auto CallLoweredRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = NeedKind(rule, 0, TypeKind::kFunction)) return *status;
  if (const auto status = NeedKind(rule, 1, TypeKind::kTuple)) return *status;
  const Type& function = rule.type(0);
  if (!rule.AssignInput(1, rule.context().Tuple(function.args))) return RuleStatus::kFailed;
  return function.result ? rule.Done(function.result) : rule.Wait();
}

auto InvokeTvmOpRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = NeedKind(rule, 0, TypeKind::kFunction)) return *status;
  for (const size_t i : {1, 2}) {
    if (const auto status = NeedKind(rule, i, TypeKind::kTuple)) return *status;
  }
  Context& context = rule.context();
  const Type& function = rule.type(0);
  if (!function.result) return rule.Wait();
  if (!rule.AssignInput(1, context.Tuple(function.args))) return RuleStatus::kFailed;
  const bool is_single = context.type(function.result).is_tensor();
  const TypeId outs = is_single ? context.Tuple(std::array{function.result}) : function.result;
  if (!rule.AssignInput(2, outs)) return RuleStatus::kFailed;
  return rule.Done(context.UnitType());
}

auto KillRule(RuleContext& rule) -> RuleStatus { return rule.Done(rule.context().UnitType()); }
// Operands that are not tensors are handled by the evaluator.
auto KillKernel(KernelContext& kernel) -> KernelStatus { return kernel.ReturnTuple({}); }

// Returns the shape that these rows share.
constexpr auto RuntimeOp(std::string_view name, std::string_view inputs, const AttrsSchema* attrs, TypeRule type,
                         Kernel kernel, bool stateful, std::string_view doc) -> OpDef {
  return {.name = name,
          .inputs = inputs,
          .attrs = attrs,
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kOpaque,
          .stateful = stateful,
          .non_computational = true,
          .layout = ElementwiseLayout,
          .doc = doc};
}

}  // namespace

constinit const OpRows<OpFamily::kRuntime> kRuntimeOps = NumberedRows<OpFamily::kRuntime>({
    RuntimeOp("call_lowered", "func, call_args", &kSchema<CallLoweredAttrs>, CallLoweredRule, nullptr, false,
              "calls a compiled function with a tuple of arguments"),
    RuntimeOp("memory.alloc_storage", "size, shape, alignment", &kSchema<AllocStorageAttrs>, AllocStorageRule, nullptr,
              false, "allocates storage"),
    RuntimeOp("memory.alloc_tensor", "storage, offset, shape", &kSchema<AllocTensorAttrs>, AllocTensorRule, nullptr,
              false, "a tensor inside a storage"),
    RuntimeOp("memory.kill", "to_free", nullptr, KillRule, KillKernel, true, "ends the life of a value"),
    RuntimeOp("vm.invoke_tvm_op", "op, ins, outs", &kSchema<DictAttrs>, InvokeTvmOpRule, nullptr, true,
              "calls a kernel that writes its results into given tensors"),
    RuntimeOp("vm.reshape_tensor", "data, shape", &kSchema<ReshapeTensorAttrs>, ReshapeTensorRule, ReshapeTensorKernel,
              false, "the same storage with another shape"),
});

}  // namespace relayopt
