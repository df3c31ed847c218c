// Writes the devices of a plan into its function.
#include <utility>
#include <vector>

#include "device_plan.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

// Returns the operand `child`, which is on `own`, where it is expected on `expected`. `lexical` is the device of an
// expression here that is not annotated.
auto FunctionDevices::Child(Rebuild& rebuild, const Device& lexical, const Device& expected, const Device& own,
                            ExprId child) -> ExprId {
  ExprId made = rebuild.New(child);
  if (function_.kind(child) == ExprKind::kOp || function_.kind(child) == ExprKind::kConstructor) return made;
  FunctionBuilder& to = rebuild.to();
  Devices& devices = plan_.devices;
  if (own != expected) {
    const DeviceCopyAttrs attrs{.src_virtual_device = devices.Write(own),
                                .dst_virtual_device = devices.Write(expected)};
    made = EmitCallWith(to, "device_copy"_op, attrs, {devices.EmitFixed(to, made, devices.Write(own))});
    ++copies_;
  }
  return expected == lexical ? made : devices.EmitFixed(to, made, devices.Write(expected));
}

auto FunctionDevices::WriteParam(Rebuild& rebuild, ExprId param) -> ExprId {
  VarInfo info = function_.var(param);
  info.virtual_device = plan_.devices.Write(Lies(param));
  FunctionBuilder& to = rebuild.to();
  const ExprId made = to.Var(info);
  to.SetType(made, function_.type(param));
  to.SetRange(made, function_.range(param));
  to.SetSpan(made, function_.span(param));
  return made;
}

auto FunctionDevices::WriteCall(Rebuild& rebuild, ExprId call) -> ExprId {
  if (OnDevice(function_, call) != nullptr) return rebuild.New(function_.operand(call, 0));
  const Expr expr(function_, call);
  if (const auto* const copy = expr.is_call_of("device_copy"_op) ? expr.attrs<DeviceCopyAttrs>() : nullptr) {
    const Device source = plan_.devices.Read(copy->src_virtual_device);
    const Device target = plan_.devices.Read(copy->dst_virtual_device);
    const ExprId data = function_.operand(call, 0);
    if (source == target) return rebuild.New(data);
    const uint64_t before = copies_;
    const ExprId made = Child(rebuild, target, target, source, data);
    copies_ = before;
    return made;
  }
  const Device here = Lies(call);
  const DomainId callee = Callee(call);
  std::vector<ExprId> operands;
  if (function_.kind(call) == ExprKind::kCall) operands.push_back(rebuild.New(function_.operand(call, 0)));
  const auto args = Arguments(call);
  for (size_t i = 0; i < args.size(); ++i) {
    const bool has_part = i + 1 < domains_.Parts(callee).size();
    const Device expected = has_part ? domains_.DeviceOf(domains_.Parts(callee)[i]) : Lies(args[i]);
    operands.push_back(Child(rebuild, here, expected, Lies(args[i]), args[i]));
  }
  return rebuild.to().Copy(function_, call, operands);
}

auto FunctionDevices::WriteFunction(Rebuild& rebuild, ExprId id) -> ExprId {
  const Device result = domains_.DeviceOf(Of(id));
  const ExprId body = Child(rebuild, result, result, Lies(function_.body(id)), function_.body(id));
  const auto params = MapToVector<ExprId>(function_.params(id), [&](ExprId param) { return rebuild.New(param); });
  FunctionInfo info = function_.info(id);
  info.virtual_device = plan_.devices.Write(result);
  FunctionBuilder& to = rebuild.to();
  const ExprId made = to.Lambda(std::move(info), params, body);
  to.SetType(made, function_.type(id));
  to.SetRange(made, function_.range(id));
  to.SetSpan(made, function_.span(id));
  return made;
}

auto FunctionDevices::WriteLet(Rebuild& rebuild, ExprId id) -> ExprId {
  std::vector<ExprId> operands;
  for (size_t i = 0; i < function_.let_size(id); ++i) {
    const ExprId var = function_.let_var(id, i);
    const ExprId value = function_.let_value(id, i);
    operands.push_back(rebuild.New(var));
    // Values of lets always have an annotation.
    operands.push_back(Child(rebuild, Device(), Lies(var), Lies(value), value));
  }
  operands.push_back(Part(rebuild, id, function_.let_result(id)));
  return rebuild.to().Copy(function_, id, operands);
}

auto FunctionDevices::WriteMatch(Rebuild& rebuild, ExprId id) -> ExprId {
  const auto old = rebuild.NewOperands(id);
  std::vector<ExprId> operands(old.begin(), old.end());
  operands[0] = Part(rebuild, id, function_.operand(id, 0));
  for (const MatchClause& clause : function_.match(id).clauses) {
    operands[clause.rhs] = Part(rebuild, id, function_.operand(id, clause.rhs));
  }
  return rebuild.to().Copy(function_, id, operands);
}

auto FunctionDevices::WriteExpr(Rebuild& rebuild, ExprId id) -> ExprId {
  switch (function_.kind(id)) {
    case ExprKind::kOpCall:
    case ExprKind::kCall: return WriteCall(rebuild, id);
    case ExprKind::kFunction: return IsPrimitive(function_, id) ? rebuild.Copy(id) : WriteFunction(rebuild, id);
    case ExprKind::kLet: return WriteLet(rebuild, id);
    case ExprKind::kMatch: return WriteMatch(rebuild, id);
    case ExprKind::kTuple:
    case ExprKind::kTupleGetItem:
    case ExprKind::kIf:
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite: {
      const auto operands =
          MapToVector<ExprId>(function_.operands(id), [&](ExprId operand) { return Part(rebuild, id, operand); });
      return rebuild.to().Copy(function_, id, operands);
    }
    default: return rebuild.Copy(id);
  }
}

// Step 4.
auto FunctionDevices::Write(uint64_t& copies) -> Function {
  SideTable<ExprId, bool> is_param(function_.size(), false);
  for (const ExprId id : function_.ids_to_root()) {
    if (!shown_[id] || function_.kind(id) != ExprKind::kFunction || IsPrimitive(function_, id)) continue;
    for (const ExprId param : function_.params(id)) is_param[param] = true;
  }
  Rebuild rebuild(function_);
  rebuild.ForEach([&](ExprId id) {
    if (!shown_[id]) return rebuild.Copy(id);
    return is_param[id] ? WriteParam(rebuild, id) : WriteExpr(rebuild, id);
  });
  copies += copies_;
  return rebuild.Finish();
}

}  // namespace relayopt
