// Lowers calls with packed arguments.
#include "lib/tir/transforms/utils/packed_call_lowering.h"

#include <fmt/core.h>

#include <algorithm>

#include "lib/tir/transforms/utils/address_of.h"
#include "lib/tir/transforms/utils/arg_binder.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/calling_convention.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoDevice{
    "builtin-device", Severity::kError,
    "LowerTVMBuiltin: the device is not specified (attributes device_type and device_id)"};
constexpr DiagnosticKind kUnknownDevice{"builtin-device-name", Severity::kError,
                                        "LowerTVMBuiltin: the method {} needs a device that is known here"};
constexpr DiagnosticKind kOutsideOfCall{"builtin-outside", Severity::kError,
                                        "LowerTVMBuiltin: shapes and arrays live as long as the packed call that gets "
                                        "them; this one is not in a call"};
constexpr DiagnosticKind kBadArgument{"builtin-argument", Severity::kError,
                                      "LowerTVMBuiltin: a value of type {} cannot be passed packed"};
constexpr DiagnosticKind kTracedArray{"builtin-trace", Severity::kError, "LowerTVMBuiltin: an array cannot be traced"};
constexpr DiagnosticKind kBuiltinForm{"builtin-form", Severity::kError,
                                      "LowerTVMBuiltin: this call has too few arguments"};

// As the methods of devices are named; empty for an unknown number.
auto DeviceName(int64_t device_type) -> std::string_view {
  constexpr std::pair<int64_t, std::string_view> kNames[] = {
      {1, "cpu"},     {2, "cuda"},     {3, "cuda_host"},  {4, "opencl"},   {7, "vulkan"},        {8, "metal"},
      {9, "vpi"},     {10, "rocm"},    {11, "rocm_host"}, {12, "ext_dev"}, {13, "cuda_managed"}, {14, "oneapi"},
      {15, "webgpu"}, {16, "hexagon"}, {32, "aocl"},      {33, "sdaccel"}, {34, "opengl"},       {35, "microdev"}};
  for (const auto& [number, name] : kNames) {
    if (number == device_type) return name;
  }
  return {};
}

}  // namespace

PackedCallLowering::PackedCallLowering(StmtBuilder& builder)
    : builder_(builder),
      terms_(builder.terms()),
      tables_(builder.tables()),
      struct_get_(terms_.Intrinsic("tir.tvm_struct_get"_intrin)) {
  const std::pair<std::string_view, Role> roles[] = {{"tir.tvm_call_packed"_intrin, Role::kPacked},
                                                     {"tir.tvm_call_cpacked"_intrin, Role::kCPacked},
                                                     {"tir.tvm_call_trace_packed"_intrin, Role::kTrace},
                                                     {"tir.tvm_stack_make_shape"_intrin, Role::kShape},
                                                     {"tir.tvm_stack_make_array"_intrin, Role::kArray},
                                                     {"tir.tvm_context_id"_intrin, Role::kContextId},
                                                     {"tir.dma_copy"_intrin, Role::kDma},
                                                     {"tir.dma_wait"_intrin, Role::kDma},
                                                     {"tir.dma_start_group"_intrin, Role::kDma},
                                                     {"tir.dma_end_group"_intrin, Role::kDma}};
  for (const auto& [name, role] : roles) roles_[terms_.Intrinsic(name)] = role;
}

auto PackedCallLowering::RoleOf(PrimExpr expr) const -> Role {
  if (terms_.kind(expr) != PrimKind::kCall) return Role::kNone;
  const auto found = roles_.find(terms_.call_op(expr));
  return found == roles_.end() ? Role::kNone : found->second;
}

auto PackedCallLowering::HoldsCall(PrimExpr expr) -> bool {
  if (terms_.operands(expr).empty() && terms_.kind(expr) != PrimKind::kCall) return false;
  if (const auto known = holds_.find(expr); known != holds_.end()) return known->second;
  for (const PrimExpr part : arith::PostOrder(terms_, expr)) {
    const auto [at, is_new] = holds_.try_emplace(part, false);
    if (!is_new) continue;
    at->second = RoleOf(part) != Role::kNone ||
                 std::ranges::any_of(terms_.operands(part), [&](PrimExpr operand) { return holds_.at(operand); });
  }
  return holds_.at(expr);
}

void PackedCallLowering::Count(PrimExpr expr) {
  before_ = nullptr;
  Run(expr);
}

auto PackedCallLowering::Lower(PrimExpr expr, SourceRange range, std::vector<StmtId>& before) -> PrimExpr {
  before_ = &before;
  range_ = range;
  const PrimExpr made = Run(expr);
  before_ = nullptr;
  return made;
}

void PackedCallLowering::SealFrame() {
  Context& context = builder_.context();
  StackFrame& open = frame();
  open.used = {};
  const auto stack = [&](std::string_view name, DataType type, PrimExpr extent) {
    return tables_.Add(Buffer{.data = terms_.Var(name, VarType::Pointer(type)),
                              .dtype = type,
                              .name = context.Intern(name),
                              .shape = {extent}});
  };
  if (open.most.shape != -1) {
    open.shape = stack("stack_shape", DataType::Int(64), terms_.IntImm(DataType::Int(64), open.most.shape));
  }
  if (open.most.array != 0) open.array = terms_.Var("stack_array", arith::kHandleType);
  if (open.most.argument != 0) {
    open.value = terms_.Var("stack_value", arith::kHandleType);
    open.code = stack("stack_tcode", DataType::Int(32), terms_.IntImm(DataType::UInt(64), open.most.argument));
  }
}

auto PackedCallLowering::CloseFrame(StmtId body) -> StmtId {
  const StackFrame closed = frame();
  frames_.pop_back();
  const auto alloca_of = [&](std::string_view kind, int64_t count) {
    return terms_.Call(arith::kHandleType, terms_.Intrinsic("tir.tvm_stack_alloca"_intrin),
                       {terms_.StringImm(kind), terms_.Int32(count)});
  };
  const auto declare = [&](BufferId buffer, PrimExpr value) {
    body = builder_.Let(tables_.buffer(buffer).data, value, builder_.DeclBuffer(buffer, body));
  };
  if (closed.shape) declare(closed.shape, alloca_of("shape", closed.most.shape));
  if (closed.array) body = builder_.Let(closed.array, alloca_of("array", closed.most.array), body);
  if (closed.value) {
    body = builder_.Let(closed.value, alloca_of("arg_value", closed.most.argument), body);
    declare(closed.code, alloca_of("arg_tcode", closed.most.argument));
  }
  return body;
}

// Terms with calls are lowered as trees, operands first: a call that is written twice happens twice.
auto PackedCallLowering::Run(PrimExpr expr) -> PrimExpr {
  if (!HoldsCall(expr)) return expr;
  std::vector<Step> steps;
  std::vector<PrimExpr> values;
  steps.push_back(Open(expr, 0));
  while (true) {
    Step& top = steps.back();
    if (top.next < terms_.num_operands(top.expr)) {
      const PrimExpr operand = terms_.operand(top.expr, top.next++);
      if (HoldsCall(operand)) {
        steps.push_back(Open(operand, values.size()));
      } else {
        values.push_back(operand);
      }
      continue;
    }
    const Step done = top;
    steps.pop_back();
    const PrimExpr made = Close(done, std::span(values).subspan(done.first));
    values.resize(done.first);
    if (steps.empty()) return made;
    values.push_back(made);
  }
}

auto PackedCallLowering::Open(PrimExpr expr, size_t first) -> Step {
  Step step{.expr = expr, .role = RoleOf(expr), .before = frame().used, .first = first};
  StackSizes& used = frame().used;
  if (step.role == Role::kDma) {
    step.role = Role::kPacked;
    // The name of the method is an argument, too.
    if (before_ == nullptr) {
      used.argument += static_cast<int64_t>(terms_.num_operands(expr)) + 1;
      return step;
    }
    const std::string_view name = builder_.context().text(terms_.op(terms_.call_op(expr)).name);
    const auto args = terms_.operands(expr);
    step.expr =
        CallMethod(DataType::Int(32), name.substr(std::string_view("tir.").size()), {args.begin(), args.end()}, range_);
  }
  const auto count = static_cast<int64_t>(terms_.num_operands(step.expr));
  switch (step.role) {
    case Role::kPacked:
    case Role::kCPacked:
    case Role::kTrace: used.argument += count; break;
    case Role::kShape: used.shape = std::max<int64_t>(used.shape, 0) + count; break;
    case Role::kArray: ++used.array; break;
    default: break;
  }
  return step;
}

auto PackedCallLowering::Close(const Step& step, std::span<const PrimExpr> operands) -> PrimExpr {
  switch (step.role) {
    case Role::kContextId: return arith::MakeZero(terms_, terms_.dtype(step.expr));
    case Role::kShape: return MakeShape(step, operands);
    case Role::kArray: return MakeArray(step, operands);
    case Role::kPacked:
    case Role::kCPacked:
    case Role::kTrace: return MakeCall(step, operands);
    default: return terms_.WithOperands(step.expr, operands);
  }
}

auto PackedCallLowering::IsOutsideOfCall(const Step& step) -> bool {
  if (step.before.argument == 0) Fail(MakeDiagnostic(kOutsideOfCall, range_));
  return step.before.argument == 0;
}

auto PackedCallLowering::MakeShape(const Step& step, std::span<const PrimExpr> extents) -> PrimExpr {
  if (before_ == nullptr) return step.expr;
  if (IsOutsideOfCall(step)) return step.expr;
  const int64_t begin = std::max<int64_t>(step.before.shape, 0);
  for (size_t i = 0; i < extents.size(); ++i) {
    const PrimExpr at = terms_.Int32(begin + static_cast<int64_t>(i));
    before_->push_back(builder_.Store(frame().shape, arith::CastTo(terms_, DataType::Int(64), extents[i]), {&at, 1}));
  }
  return AddressOf(tables_, tables_.buffer(frame().shape).data, DataType::Int(64), terms_.Int32(begin));
}

auto PackedCallLowering::MakeArray(const Step& step, std::span<const PrimExpr> args) -> PrimExpr {
  if (before_ == nullptr) return step.expr;
  if (IsOutsideOfCall(step)) return step.expr;
  if (args.size() < 6) {
    Fail(MakeDiagnostic(kBuiltinForm, range_));
    return step.expr;
  }
  if (!RequireDevice(range_)) return step.expr;
  const PrimExpr array = frame().array;
  const int64_t index = step.before.array;
  const DataType dtype = terms_.dtype(args[4]);
  const auto set = [&](StructField field, PrimExpr value) { SetStruct(array, index, static_cast<int>(field), value); };
  const auto as = [&](DataType type, PrimExpr value) { return arith::CastTo(terms_, type, value); };
  set(StructField::kData, args[0]);
  set(StructField::kShape, args[1]);
  set(StructField::kStrides, terms_.IsInt(args[2], 0) ? NullHandle(terms_) : args[2]);
  set(StructField::kNdim, args[3]);
  set(StructField::kTypeCode, terms_.IntImm(DataType::UInt(8), static_cast<int64_t>(dtype.code)));
  set(StructField::kTypeBits, terms_.IntImm(DataType::UInt(8), dtype.bits));
  set(StructField::kTypeLanes, terms_.IntImm(DataType::UInt(16), dtype.lanes));
  PrimExpr offset = args[5];
  if (!terms_.IsInt(offset, 0)) {
    offset = arith::Mul(terms_, offset, terms_.IntImm(terms_.dtype(offset), VectorBytes(dtype)));
  }
  set(StructField::kByteOffset, as(DataType::UInt(64), offset));
  set(StructField::kDeviceId, as(DataType::Int(32), device_id));
  set(StructField::kDeviceType, as(DataType::Int(32), device_type));
  return StructGet(terms_, arith::kHandleType, array, terms_.Int32(index), StructField::kAddress);
}

auto PackedCallLowering::MakeCall(const Step& step, std::span<const PrimExpr> args) -> PrimExpr {
  StackFrame& open = frame();
  const int64_t begin = step.before.argument;
  const auto size = static_cast<int64_t>(args.size());
  const bool is_trace = step.role == Role::kTrace;
  const bool is_c = step.role == Role::kCPacked;
  if (before_ == nullptr) {
    open.most.shape = std::max(open.most.shape, open.used.shape);
    open.most.array = std::max(open.most.array, open.used.array);
    open.most.argument = std::max(open.most.argument, open.used.argument);
  }
  open.used = step.before;
  // As TVM: traced values stay on the stack.
  if (is_trace) open.used.argument = begin + size - 1;
  if (before_ == nullptr) return step.expr;
  if (size < (is_c ? 2 : 1)) {
    Fail(MakeDiagnostic(kBuiltinForm, range_));
    return step.expr;
  }
  const int64_t passed = is_c ? size - 1 : size;
  for (int64_t i = 1; i < passed; ++i) SetArgument(args[static_cast<size_t>(i)], begin + i - 1, is_trace);
  std::vector<PrimExpr> lowered = {args[0], open.value, tables_.buffer(open.code).data, terms_.Int32(begin),
                                   terms_.Int32(begin + size - 1)};
  if (is_trace) lowered.push_back(args.back());
  if (is_c) {
    // As TVM: a variable is passed by its name.
    const PrimExpr last = args.back();
    const Context& context = builder_.context();
    lowered.push_back(terms_.is_var(last) ? terms_.StringImm(context.text(terms_.var(last).name)) : last);
  }
  const std::string_view name = is_trace ? "tir.tvm_call_trace_packed_lowered"_intrin
                                : is_c   ? "tir.tvm_call_cpacked_lowered"_intrin
                                         : "tir.tvm_call_packed_lowered"_intrin;
  return terms_.Call(terms_.dtype(step.expr), terms_.Intrinsic(name), lowered);
}

void PackedCallLowering::SetArgument(PrimExpr arg, int64_t at, bool is_trace) {
  const DataType type = terms_.dtype(arg);
  DataType packed = type;
  int code = kArgHandle;
  if (arith::IsInteger(type)) {
    packed = DataType::Int(64);
    code = kArgInt;
  } else if (arith::IsFloat(type)) {
    packed = DataType::Float(64);
    code = kArgFloat;
  } else if (!arith::IsHandle(type)) {
    return Fail(MakeDiagnostic(kBadArgument, range_, ToString(type)));
  }
  if (type.lanes != 1 && !type.is_void()) return Fail(MakeDiagnostic(kBadArgument, range_, ToString(type)));
  const bool is_array = terms_.IsCall(arg, struct_get_) && terms_.IsInt(terms_.operand(arg, 2), 0);
  if (is_array && is_trace) return Fail(MakeDiagnostic(kTracedArray, range_));
  if (is_array) code = kArgDLTensor;
  if (terms_.kind(arg) == PrimKind::kStringImm && !is_trace) code = kArgString;
  if (packed != type) arg = terms_.Cast(packed, arg);
  SetStruct(frame().value, at, static_cast<int>(StructField::kValue), arg);
  const PrimExpr index = terms_.Int32(at);
  before_->push_back(builder_.Store(frame().code, terms_.Int32(code), {&index, 1}));
}

void PackedCallLowering::SetStruct(PrimExpr structs, int64_t index, int field, PrimExpr value) {
  const PrimExpr call = terms_.Call(DataType::Int(32), terms_.Intrinsic("tir.tvm_struct_set"_intrin),
                                    {structs, terms_.Int32(index), terms_.Int32(field), value});
  before_->push_back(builder_.Evaluate(call));
}

auto PackedCallLowering::RequireDevice(SourceRange range) -> bool {
  if (!device_type || !device_id) Fail(MakeDiagnostic(kNoDevice, range));
  return device_type && device_id;
}

auto PackedCallLowering::CallMethod(DataType type, std::string_view method, std::vector<PrimExpr> args,
                                    SourceRange range) -> PrimExpr {
  const auto literal = device_type ? terms_.AsInt(device_type) : std::nullopt;
  const std::string_view device = literal ? DeviceName(*literal) : std::string_view();
  if (device.empty()) Fail(MakeDiagnostic(kUnknownDevice, range, method));
  args.insert(args.begin(), terms_.StringImm(fmt::format("device_api.{}.{}", device, method)));
  return terms_.Call(type, terms_.Intrinsic("tir.tvm_call_packed"_intrin), args);
}

}  // namespace relayopt::tir
