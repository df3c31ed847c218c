#include "device_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/runtime.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kTwoDevices = {"two-devices", Severity::kError,
                                        "PlanDevices: this has to be on {} and on {}; put a device_copy between"};
constexpr DiagnosticKind kMixedFunction = {"mixed-device-function", Severity::kError,
                                           "PlanDevices: a function inside of a value must be on the device of that "
                                           "value, with its parameters and its result"};
auto DeviceText(const Device& device) -> std::string {
  if (device.type == -1) return "an open device";
  std::string text = fmt::format("device {}:{}", device.type, device.number);
  return device.scope.empty() ? text : text + ":" + device.scope;
}

}  // namespace

auto OnDevice(const Function& function, ExprId id) -> const OnDeviceAttrs* {
  const Expr expr(function, id);
  return expr.is_call_of("on_device"_op) ? expr.attrs<OnDeviceAttrs>() : nullptr;
}

auto IsPlaceless(const Function& function, ExprId id) -> bool {
  const ExprKind kind = function.kind(id);
  return kind == ExprKind::kOp || kind == ExprKind::kConstructor || IsPrimitive(function, id);
}

auto OutsideOfKernels(const Function& function) -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> outside(function.size(), false);
  outside[function.root()] = true;
  for (uint32_t i = function.root().value() + 1; i-- != 0;) {
    const ExprId id(i);
    if (!outside[id] || IsPrimitive(function, id)) continue;
    for (const ExprId operand : function.operands(id)) outside[operand] = true;
  }
  return outside;
}

auto Devices::EmitOnDevice(FunctionBuilder& to, ExprId body, ObjectId device, bool constrain_result) -> ExprId {
  return EmitCallWith(to, "on_device"_op, OnDeviceAttrs{.virtual_device = device, .constrain_result = constrain_result},
                      {body});
}

auto Devices::EmitFixed(FunctionBuilder& to, ExprId body, ObjectId device) -> ExprId {
  const Function& function = to.function();
  const ExprKind kind = function.kind(body);
  const bool says_itself = kind == ExprKind::kVar || kind == ExprKind::kGlobal || kind == ExprKind::kFunction;
  const Device wanted = Read(device);
  if (says_itself || IsPlaceless(function, body) || wanted.is_open()) return body;
  const OnDeviceAttrs* const inner = OnDevice(function, body);
  if (inner != nullptr && Read(inner->virtual_device) == wanted) body = function.operand(body, 0);
  return EmitOnDevice(to, body, device, true);
}

auto FunctionDevices::Analyze() -> std::optional<Diagnostic> {
  for (const ExprId id : function_.ids_to_root()) {
    if (shown_[id]) AnalyzeExpr(id);
    if (error_) return error_;
  }
  return std::nullopt;
}

void FunctionDevices::JoinFreeAnnotations() {
  for (const ExprId id : function_.ids_to_root()) {
    const OnDeviceAttrs* const attrs = OnDevice(function_, id);
    if (!shown_[id] || attrs == nullptr || attrs->constrain_body || attrs->constrain_result) continue;
    domains_.Unify(Of(id), Of(function_.operand(id, 0)));
  }
}

void FunctionDevices::Same(ExprId id, DomainId domain) {
  if (domains_.Unify(Of(id), domain)) return;
  const Device one = domains_.DeviceOf(Of(id));
  Fail(MakeDiagnostic(kTwoDevices, function_.range(id), DeviceText(one), DeviceText(domains_.DeviceOf(domain))));
}

void FunctionDevices::Collapsed(ExprId value, DomainId domain) {
  if (!domains_.Collapse(Of(value), domain)) Fail(MakeDiagnostic(kMixedFunction, function_.range(value)));
}

auto FunctionDevices::NewCallee(ExprId call) -> DomainId {
  const auto args = Arguments(call);
  if (function_.kind(call) == ExprKind::kCall) {
    const ExprId callee = function_.operand(call, 0);
    if (!IsPlaceless(function_, callee) && domains_.IsFunction(Of(callee))) return Of(callee);
  }
  const DomainId anywhere = domains_.Value();
  std::vector<DomainId> parts(args.size() + 1, anywhere);
  const Expr expr(function_, call);
  const TypeId data = args.empty() ? TypeId() : function_.type(args.front());
  if (const OnDeviceAttrs* const attrs = OnDevice(function_, call)) {
    const Device device = plan_.devices.Read(attrs->virtual_device);
    parts = {domains_.OfType(data, attrs->constrain_body ? device : Device()),
             domains_.OfType(data, attrs->constrain_result ? device : Device())};
  } else if (const auto* const copy = expr.is(ExprKind::kOpCall) ? expr.attrs<DeviceCopyAttrs>() : nullptr) {
    parts = {domains_.OfType(data, plan_.devices.Read(copy->src_virtual_device)),
             domains_.OfType(data, plan_.devices.Read(copy->dst_virtual_device))};
  } else if (const auto* const alloc = expr.is(ExprKind::kOpCall) ? expr.attrs<AllocStorageAttrs>() : nullptr) {
    std::ranges::generate(parts, [&] { return domains_.Value(plan_.host); });
    parts.back() = domains_.Value(plan_.devices.Read(alloc->virtual_device));
  } else if (expr.is_call_of("memory.alloc_tensor"_op) && args.size() == 3) {
    parts[1] = domains_.Value(plan_.host);
    parts[2] = domains_.Value(plan_.host);
  } else if (expr.is_call_of("shape_of"_op) || expr.is_call_of("vm.shape_of"_op)) {
    parts.back() = domains_.Value(plan_.host);
  } else if (expr.is_call_of("vm.reshape_tensor"_op) && args.size() == 2) {
    parts[1] = domains_.Value(plan_.host);
  }
  return domains_.OfFunction(parts);
}

void FunctionDevices::AnalyzeExpr(ExprId id) {
  switch (function_.kind(id)) {
    case ExprKind::kOpCall:
    case ExprKind::kCall: {
      const DomainId callee = Callee(id);
      Same(id, domains_.Result(callee));
      const auto args = Arguments(id);
      const size_t count = std::min(args.size(), domains_.Parts(callee).size() - 1);
      // An argument that has to be elsewhere, because others need it there, is copied.
      for (size_t i = 0; i < count; ++i) {
        const DomainId arg = Of(args[i]);
        domains_.Unify(domains_.Parts(callee)[i], arg);
      }
      return;
    }
    case ExprKind::kLet:
      for (size_t i = function_.let_size(id); i-- != 0;) {
        Same(function_.let_var(id, i), Of(function_.let_value(id, i)));
        if (i + 1 == function_.let_size(id)) Same(id, Of(function_.let_result(id)));
      }
      return;
    case ExprKind::kFunction:
      if (!IsPrimitive(function_, id)) AnalyzeFunction(id);
      return;
    case ExprKind::kTuple:
      for (const ExprId field : function_.operands(id)) Collapsed(id, Of(field));
      return;
    case ExprKind::kTupleGetItem:
    case ExprKind::kRefRead: return Collapsed(function_.operand(id, 0), Of(id));
    case ExprKind::kIf:
      Collapsed(function_.operand(id, 0), Of(id));
      Same(function_.operand(id, 1), Of(id));
      return Same(function_.operand(id, 2), Of(id));
    case ExprKind::kMatch: return AnalyzeMatch(id);
    case ExprKind::kRefCreate: return Collapsed(id, Of(function_.operand(id, 0)));
    case ExprKind::kRefWrite:
      Collapsed(function_.operand(id, 0), Of(function_.operand(id, 1)));
      return Collapsed(id, Of(function_.operand(id, 1)));
    default: return;
  }
}

void FunctionDevices::AnalyzeFunction(ExprId id) {
  const DomainId own = Of(id);
  Same(function_.body(id), domains_.Result(own));
  const auto params = function_.params(id);
  for (size_t i = 0; i < params.size(); ++i) Same(params[i], domains_.Parts(own)[i]);
  const Device result = plan_.devices.Read(function_.info(id).virtual_device);
  if (result.is_open()) return;
  auto known = MapToVector<DomainId>(params, [&](ExprId param) {
    return domains_.OfType(function_.type(param), plan_.devices.Read(function_.var(param).virtual_device));
  });
  known.push_back(domains_.OfType(function_.type(function_.body(id)), result));
  Same(id, domains_.OfFunction(known));
}

void FunctionDevices::AnalyzeMatch(ExprId id) {
  const auto operands = function_.operands(id);
  const ExprId data = operands[0];
  Collapsed(data, Of(id));
  for (const MatchClause& clause : function_.match(id).clauses) {
    for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) Collapsed(data, Of(operands[i]));
    Same(operands[clause.rhs], Of(id));
  }
}

// Step 3, from results to operands.
void FunctionDevices::FillIn(const Device& device) {
  // An expression, or with a step the rest of a let chain from there on.
  std::vector<std::pair<ExprId, std::optional<size_t>>> work = {{function_.root(), {}}};
  SideTable<ExprId, bool> seen(function_.size(), false);
  while (!work.empty()) {
    const auto [id, step] = work.back();
    work.pop_back();
    if (step) {
      if (*step == function_.let_size(id)) {
        work.emplace_back(function_.let_result(id), std::nullopt);
        continue;
      }
      const ExprId var = function_.let_var(id, *step);
      const Device around = domains_.DeviceOf(Of(id));
      if (!domains_.IsKnown(Of(var))) domains_.SetDefault(Of(var), around);
      work.emplace_back(id, *step + 1);
      work.emplace_back(function_.let_value(id, *step), std::nullopt);
      continue;
    }
    if (seen[id] || IsPrimitive(function_, id)) continue;
    seen[id] = true;
    switch (function_.kind(id)) {
      case ExprKind::kFunction:
        if (!domains_.IsKnown(Of(id))) domains_.SetResultThenParams(Of(id), device);
        work.emplace_back(function_.body(id), std::nullopt);
        continue;
      case ExprKind::kLet: work.emplace_back(id, 0); continue;
      case ExprKind::kOpCall:
      case ExprKind::kCall: SetOpenCallee(id, device); break;
      default: break;
    }
    const auto operands = function_.operands(id);
    for (size_t i = operands.size(); i-- != 0;) work.emplace_back(operands[i], std::nullopt);
  }
  // Operands that do not share the device of their operator, and that nothing else constrains.
  for (const ExprId id : function_.ids_to_root()) {
    if (shown_[id] && !IsPlaceless(function_, id) && !domains_.IsKnown(Of(id))) domains_.SetDefault(Of(id), device);
  }
}

}  // namespace relayopt
