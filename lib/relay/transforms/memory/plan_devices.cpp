// PlanDevices: on which device every value is.
//
// Annotations (`on_device`), copies and a few operators fix the devices of some values. The operands and the result of
// an operator are on one device, so are the branches of a conditional, the fields of a tuple and so on; that fixes
// others. Where this would contradict itself, an operand is copied. What is still open gets the default device, results
// of functions first, then their parameters, then what is bound by let.
//
//   subtract(on_device(add(%a, %b), CPU), add(%c, %d))
//
//   1 annotations    none here: values of lets, results of functions, and projections say for themselves where they are
//   2 equations      %a, %b and their sum are on the CPU; %c, %d, their sum and the result are on one device
//   3 defaults       that is the GPU
//   4 the result     subtract(device_copy(on_device(add(%a, %b), CPU, fixed), CPU, GPU), add(%c, %d))
//                    %a, %b: CPU; %c, %d and the result of the function: GPU
#include <algorithm>

#include "device_plan.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/annotation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

constexpr Statistic kCopies = {"PlanDevices", "copies", "copies to other devices that were added"};
constexpr Statistic kPlanStatistics[] = {kCopies};

// Parses TYPE, TYPE:NUMBER or TYPE:NUMBER:SCOPE, where TYPE is a kind of targets or a number of DLPack.
auto ParseDevice(std::string_view text) -> std::optional<Device> {
  Device device;
  const std::string_view type = text.substr(0, text.find(':'));
  std::string_view rest = text.substr(std::min(text.size(), type.size() + 1));
  const std::string_view number = rest.substr(0, rest.find(':'));
  const auto parse = [](std::string_view digits) -> std::optional<int64_t> {
    const auto value = ParseNumber<int64_t>(digits);
    return value.value_or(-1) < 0 ? std::nullopt : value;
  };
  const auto kind = DeviceTypeOfKind(type == "cpu" ? "llvm" : type);
  const auto numbered = number.empty() ? std::optional<int64_t>(0) : parse(number);
  const auto numeric = parse(type);
  if ((!kind && !numeric) || !numbered) return std::nullopt;
  device.type = kind ? int64_t{*kind} : *numeric;
  device.number = *numbered;
  if (number.size() < rest.size()) device.scope = rest.substr(number.size() + 1);
  return device;
}

auto CheckDevice(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& text = std::get<std::string>(value);
  if (text.empty() || ParseDevice(text)) return std::nullopt;
  return OptionFault{"a device such as `cuda` or `cuda:1`", text};
}

struct PlanDevicesOptions {
  std::string device;
  std::string host = "cpu";
  static constexpr auto Fields() {
    using Self = PlanDevicesOptions;
    return std::array{
        Option<&Self::device>("where values are by default; without it, on the device of the target",
                              {.check = CheckDevice}),
        Option<&Self::host>("where shapes and sizes are", {.check = CheckDevice}),
    };
  }
};

// Step 1. A let or a function whose value is annotated has that value on the device; a projection from an annotated
// tuple is annotated, so that the field is copied and not the tuple.
auto SpreadAnnotations(const Function& function, Devices& devices) -> std::optional<Function> {
  const auto is_annotation = [&](ExprId id) { return OnDevice(function, id) != nullptr; };
  if (std::ranges::none_of(function.ids(), is_annotation)) return std::nullopt;
  Rebuild rebuild(function);
  const SideTable<ExprId, bool> outside = OutsideOfKernels(function);
  // The annotation of a new expression if it constrains the body only.
  const auto annotation = [&](ExprId made) -> const OnDeviceAttrs* {
    const OnDeviceAttrs* const attrs = OnDevice(rebuild.to().function(), made);
    return attrs != nullptr && attrs->constrain_body && !attrs->constrain_result ? attrs : nullptr;
  };
  const auto fixed = [&](ExprId made) {
    const OnDeviceAttrs* const attrs = annotation(made);
    if (attrs == nullptr) return made;
    return devices.EmitFixed(rebuild.to(), rebuild.to().function().operand(made, 0), attrs->virtual_device);
  };
  bool changed = false;
  rebuild.ForEach([&](ExprId id) {
    const ExprKind kind = function.kind(id);
    if (!outside[id] || IsPrimitive(function, id)) return rebuild.Copy(id);
    if (kind == ExprKind::kTupleGetItem) {
      const OnDeviceAttrs* const attrs = annotation(rebuild.New(function.operand(id, 0)));
      if (attrs == nullptr) return rebuild.Copy(id);
      changed = true;
      return devices.EmitOnDevice(rebuild.to(), rebuild.Copy(id), attrs->virtual_device, false);
    }
    if (kind != ExprKind::kLet && kind != ExprKind::kFunction) return rebuild.Copy(id);
    const auto old = rebuild.NewOperands(id);
    std::vector<ExprId> operands(old.begin(), old.end());
    // Values of lets are operands 1, 3, ...; the body of a function is the last one.
    const bool is_let = kind == ExprKind::kLet;
    for (size_t i = is_let ? 1 : operands.size() - 1; i < operands.size(); i += 2) {
      const ExprId made = fixed(operands[i]);
      changed = changed || made != operands[i];
      operands[i] = made;
    }
    return rebuild.to().Copy(function, id, operands);
  });
  if (!changed) return std::nullopt;
  return rebuild.Finish();
}

struct PlanDevices {
  using Options = PlanDevicesOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Device device = ParseDevice(options.device).value_or(Device{.type = 1, .number = 0, .scope = {}});
    if (options.device.empty() && !context.target().empty()) {
      RELAYOPT_TRY(const Target target, Target::Parse(context.target()));
      device.type = target.device_type();
    }
    Module result = module;
    DevicePlan plan(module, ParseDevice(options.host).value_or(Device{.type = 1, .number = 0, .scope = {}}));
    std::vector<GlobalId> ids;
    for (const GlobalId id : result.SortedFunctions<Function>()) {
      const Function& function = *result.function<Function>(id);
      if (IsSkippedByFunctionPasses(function)) continue;
      ids.push_back(id);
      if (auto made = SpreadAnnotations(function, plan.devices)) {
        result.SetFunction(id, std::make_shared<const Function>(*std::move(made)));
      }
    }
    std::vector<FunctionDevices> plans;
    for (const GlobalId id : ids) {
      plans.emplace_back(plan, id, *result.function<Function>(id));
      if (auto error = plans.back().Analyze()) return *std::move(error);
    }
    for (FunctionDevices& each : plans) each.JoinFreeAnnotations();
    for (FunctionDevices& each : plans) each.FillIn(device);
    uint64_t copies = 0;
    auto made = MapToVector<Function>(plans, [&](FunctionDevices& each) { return each.Write(copies); });
    for (size_t i = 0; i < ids.size(); ++i) {
      result.SetFunction(ids[i], std::make_shared<const Function>(std::move(made[i])));
    }
    context.Count(kCopies, copies);
    if (!InferTypes(result, context.diagnostics())) return MakeDiagnostic(diag::kPassFailed, {}, "PlanDevices");
    return std::optional(std::move(result));
  }
};

}  // namespace

constinit const PassDef kPlanDevicesPass = DescribePass<PlanDevices>({
    .name = "PlanDevices",
    .opt_level = 0,
    .required = "InferType",
    .summary = "decides on which device every value is",
    .details =
        R"(Calls of on_device and device_copy say where some values are, and so do devices of parameters and functions. The operands and the result
of an operator are on one device, branches and fields likewise. What is still open is on `device`: KIND, KIND:NUMBER or
KIND:NUMBER:SCOPE, where KIND is a kind of targets or a DLPack number; shapes are on `host`.

  PlanDevices<device=cuda>

  def @main(%a: T, %b: T, %c: T) {               def @main(%a: T, %b: T, %c: T) {      %a, %b: CPU; %c, result: GPU
    subtract(on_device(add(%a, %b), CPU), %c)      subtract(device_copy(on_device(add(%a, %b), CPU), CPU, GPU), %c)
  }                                              }

Parameters and functions get virtual devices, values that are elsewhere than what surrounds them an on_device with both
constraints, and a value that is needed on another device a device_copy. Targets of virtual devices play no part.)",
    .statistics = kPlanStatistics,
});

}  // namespace relayopt
