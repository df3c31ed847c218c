// The plan of PlanDevices for a function: which values must share a device, and the final device of each value.
#pragma once

#include <optional>
#include <span>

#include "device_domains.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/annotation.h"

namespace relayopt {

// Returns the attributes of a call of on_device, or null for other expressions.
auto OnDevice(const Function& function, ExprId id) -> const OnDeviceAttrs*;
// Returns whether the expression computes no value of its own: it has the device of its use.
auto IsPlaceless(const Function& function, ExprId id) -> bool;
// Returns which expressions to plan. Kernels are not looked into: they run where they are called.
auto OutsideOfKernels(const Function& function) -> SideTable<ExprId, bool>;

// Devices as objects, and calls of on_device.
class Devices {
 public:
  explicit Devices(Context& context) : objects_(context) {}

  auto Read(ObjectId object) -> Device { return objects_.Read(object); }
  auto Write(const Device& device) -> ObjectId { return objects_.Write(device); }

  auto EmitOnDevice(FunctionBuilder& to, ExprId body, ObjectId device, bool constrain_result) -> ExprId;
  // Returns the body on a device, inside and outside. What is bound or defined elsewhere is where it says there.
  auto EmitFixed(FunctionBuilder& to, ExprId body, ObjectId device) -> ExprId;

 private:
  DeviceObjects objects_;
};

// The functions of a module and what is known of their devices.
struct DevicePlan {
  DevicePlan(const Module& module, const Device& host_device)
      : devices(module.context()), domains(module.context()), globals(module.globals().size()), host(host_device) {}

  Devices devices;
  DeviceDomains domains;
  SideTable<GlobalId, DomainId> globals;
  Device host;
};

// Steps 2 to 4 of PlanDevices for one function.
class FunctionDevices {
 public:
  FunctionDevices(DevicePlan& plan, GlobalId id, const Function& function)
      : plan_(plan),
        domains_(plan.domains),
        function_(function),
        shown_(OutsideOfKernels(function)),
        of_(function.size()),
        callees_(function.size()) {
    if (!plan.globals[id]) plan.globals[id] = domains_.OfType(function.type(function.root()));
    of_[function.root()] = plan.globals[id];
  }

  // Collects the constraints between the devices of expressions.
  auto Analyze() -> std::optional<Diagnostic>;
  // An on_device without constraints allows a copy; if none is needed there is none.
  void JoinFreeAnnotations();
  // Gives a device to what is open.
  void FillIn(const Device& device);

  // Returns the function with devices, and counts the copies that it needs.
  auto Write(uint64_t& copies) -> Function;

 private:
  auto Of(ExprId id) -> DomainId {
    DomainId& of = function_.kind(id) == ExprKind::kGlobal ? plan_.globals[function_.global(id)] : of_[id];
    if (!of) of = domains_.OfType(function_.type(id));
    return of;
  }

  void Fail(Diagnostic diagnostic) {
    if (!error_) error_ = std::move(diagnostic);
  }
  // The expression is where the domain is.
  void Same(ExprId id, DomainId domain);
  // The value is where everything of the domain is.
  void Collapsed(ExprId value, DomainId domain);

  // Returns the domain of what a call asks of its callee: one for each call, where the callee is on no device itself.
  auto Callee(ExprId call) -> DomainId {
    if (!callees_[call]) callees_[call] = NewCallee(call);
    return callees_[call];
  }
  auto NewCallee(ExprId call) -> DomainId;
  auto Arguments(ExprId call) const -> std::span<const ExprId> {
    return function_.operands(call).subspan(function_.kind(call) == ExprKind::kCall ? 1 : 0);
  }

  void AnalyzeExpr(ExprId id);
  void AnalyzeFunction(ExprId id);
  void AnalyzeMatch(ExprId id);
  void SetOpenCallee(ExprId call, const Device& device) {
    const DomainId callee = Callee(call);
    if (!domains_.IsKnown(callee)) domains_.SetResultThenParams(callee, device);
  }

  // Returns where a value is; what is annotated is where its operand is.
  auto Lies(ExprId id) -> Device {
    return domains_.DeviceOf(Of(OnDevice(function_, id) == nullptr ? id : function_.operand(id, 0)));
  }
  auto Child(Rebuild& rebuild, const Device& lexical, const Device& expected, const Device& own, ExprId child)
      -> ExprId;
  auto Part(Rebuild& rebuild, ExprId parent, ExprId child) -> ExprId {
    const Device expected = Lies(parent);
    return Child(rebuild, expected, expected, Lies(child), child);
  }
  auto WriteExpr(Rebuild& rebuild, ExprId id) -> ExprId;
  auto WriteParam(Rebuild& rebuild, ExprId param) -> ExprId;
  auto WriteCall(Rebuild& rebuild, ExprId call) -> ExprId;
  auto WriteFunction(Rebuild& rebuild, ExprId id) -> ExprId;
  auto WriteLet(Rebuild& rebuild, ExprId id) -> ExprId;
  auto WriteMatch(Rebuild& rebuild, ExprId id) -> ExprId;

  DevicePlan& plan_;
  DeviceDomains& domains_;
  const Function& function_;
  SideTable<ExprId, bool> shown_;
  SideTable<ExprId, DomainId> of_;
  SideTable<ExprId, DomainId> callees_;
  std::optional<Diagnostic> error_;
  uint64_t copies_ = 0;
};

}  // namespace relayopt
