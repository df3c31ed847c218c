// Moves conversions from and to floats into functions of their own.
#include "conversions.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "lib/relay/transforms/expr_copier.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNameTaken = {"conversion-name-taken", Severity::kError,
                                       "the module has a function @{} already"};
constexpr DiagnosticKind kNotIntegral = {"not-fully-integral", Severity::kError,
                                         "partition_conversions=fully_integral: {} computes more than {}"};

constexpr std::array kNames = {std::string_view("quantize_inputs"), std::string_view("quantized_main"),
                               std::string_view("dequantize_outputs")};

// Operators that conversions consist of.
auto IsConversion(const OpDef* op) -> bool {
  static constexpr const OpDef* kOps[] = {"add"_op, "cast"_op, "clip"_op, "multiply"_op, "right_shift"_op, "round"_op};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

class Partition {
 public:
  Partition(const Function& function, const QuantizeConfig& config)
      : function_(function),
        dtypes_{config.dtype_input, config.dtype_weight, config.dtype_activation},
        converted_(function.size()) {
    FindInputs();
    FindOutput();
  }

  // From the parameters to a tuple of what the network takes.
  auto InputFunction() const -> Function {
    FunctionBuilder to(function_.context());
    ExprCopier copier(function_, to);
    const auto params = MapToVector<ExprId>(function_.params(), [&](ExprId param) { return copier.Copy(param); });
    std::vector<ExprId> steps;
    std::vector<ExprId> fields;
    for (const ExprId input : inputs_) {
      if (IsParam(input)) {
        fields.push_back(copier.Copy(input));
        continue;
      }
      const ExprId value = copier.Copy(input);
      steps.push_back(to.Var({.name = NameOf(input)}));
      fields.push_back(steps.back());
      steps.push_back(value);
    }
    const ExprId tuple = to.Tuple(fields);
    return Finish(to, params, steps.empty() ? tuple : to.Let(steps, tuple), {});
  }

  // From these to the integers of the result.
  auto MainFunction() const -> Function {
    FunctionBuilder to(function_.context());
    ExprCopier copier(function_, to);
    std::vector<ExprId> params;
    for (const ExprId input : inputs_) {
      params.push_back(to.Var({.name = NameOf(input), .annotation = function_.type(input)}));
      copier.Set(input, params.back());
    }
    const ExprId result = copier.Copy(output_);
    return Finish(to, params, result, {});
  }

  // From these to the result.
  auto OutputFunction() const -> Function {
    FunctionBuilder to(function_.context());
    ExprCopier copier(function_, to);
    const ExprId input = to.Var({.name = to.context().Intern("input"), .annotation = function_.type(output_)});
    copier.Set(output_, input);
    const ExprId result = copier.Copy(function_.body());
    return Finish(to, {&input, 1}, result, function_.info().result);
  }

  auto num_inputs() const -> size_t { return inputs_.size(); }
  auto dtypes() const -> std::span<const DataType> { return dtypes_; }

 private:
  auto IsParam(ExprId id) const -> bool { return function_.kind(id) == ExprKind::kVar; }
  // Returns the name of the parameter that the input is derived from.
  auto NameOf(ExprId input) const -> StringId { return function_.var(converted_[input]).name; }

  static auto Finish(FunctionBuilder& to, std::span<const ExprId> params, ExprId body, TypeId result) -> Function {
    return Relayout(to.Finish(to.Lambda({.result = result}, params, body)));
  }

  // Finds the network's inputs: conversions of a single parameter each, up to their last operator, and parameters that
  // the network uses directly.
  void FindInputs() {
    SideTable<ExprId, bool> is_param(function_.size());
    for (const ExprId param : function_.params()) is_param[param] = true;
    SideTable<ExprId, bool> is_input(function_.size());
    const auto take = [&](ExprId id) {
      if (converted_[id] && !is_input[id]) inputs_.push_back(id);
      is_input[id] = is_input[id] || converted_[id];
    };
    for (const ExprId id : function_.ids_below_root()) {
      converted_[id] = is_param[id] ? id : SourceOf(id);
      if (converted_[id]) continue;
      for (const ExprId operand : function_.operands(id)) take(operand);
    }
    // Whether only conversions are below.
    take(function_.body());
  }

  // Returns the parameter that a call of a conversion is computed from, with constants; none for anything else.
  auto SourceOf(ExprId id) const -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall || !IsConversion(function_.op(id))) return {};
    ExprId source;
    for (const ExprId operand : function_.operands(id)) {
      if (function_.kind(operand) == ExprKind::kConstant) continue;
      if (!converted_[operand] || (source && source != converted_[operand])) return {};
      source = converted_[operand];
    }
    return source;
  }

  // Finds the integers from which the rest is computed; the result itself when there is no such value.
  void FindOutput() {
    output_ = function_.body();
    SideTable<ExprId, bool> is_behind(function_.size());
    is_behind[function_.body()] = true;
    ExprId found;
    for (uint32_t i = function_.body().value() + 1; i-- > 0;) {
      const ExprId id(i);
      if (!is_behind[id] || function_.kind(id) == ExprKind::kConstant) continue;
      if (IsIntegral(id)) {
        if (found) return;
        found = id;
        continue;
      }
      const ExprKind kind = function_.kind(id);
      if (kind != ExprKind::kOpCall && kind != ExprKind::kTuple && kind != ExprKind::kTupleGetItem) return;
      for (const ExprId operand : function_.operands(id)) is_behind[operand] = true;
    }
    if (found && !converted_[found]) output_ = found;
  }

  auto IsIntegral(ExprId id) const -> bool {
    if (!function_.type(id)) return false;
    const Type& type = function_.context().type(function_.type(id));
    return type.is_tensor() && std::ranges::find(dtypes_, type.dtype) != dtypes_.end();
  }

  const Function& function_;
  std::array<DataType, 3> dtypes_;
  // The parameter that an expression is a conversion of; parameters are those of themselves.
  SideTable<ExprId, ExprId> converted_;
  std::vector<ExprId> inputs_;
  ExprId output_;
};

// Whether everything but the functions themselves is a conversion.
auto HasOnlyConversions(const Function& function) -> bool {
  for (const ExprId id : function.ids()) {
    if (function.kind(id) == ExprKind::kCall) return false;
    if (function.kind(id) == ExprKind::kOpCall && !IsConversion(function.op(id))) return false;
  }
  return true;
}

auto HasOnlyTypes(const Function& function, std::span<const DataType> dtypes) -> bool {
  for (const ExprId id : function.ids()) {
    const TypeId type = function.type(id);
    if (!type || !function.context().type(type).is_tensor()) continue;
    if (std::ranges::find(dtypes, function.context().type(type).dtype) == dtypes.end()) return false;
  }
  return true;
}

// Calls the parts one after the other.
auto CallerOf(const Function& function, std::span<const GlobalId> parts, size_t num_inputs) -> Function {
  Context& context = function.context();
  FunctionBuilder to(context);
  const auto params =
      MapToVector<ExprId>(function.params(), [&](ExprId param) { return to.Copy(function, param, {}); });
  std::vector<ExprId> steps;
  const auto bind = [&](std::string_view name, GlobalId callee, std::span<const ExprId> args) {
    const ExprId var = to.Var({.name = context.Intern(name)});
    const ExprId value = to.Call(to.Global(callee), args);
    steps.insert(steps.end(), {var, value});
    return var;
  };
  const ExprId inputs = bind("quantized_inputs", parts[0], params);
  std::vector<ExprId> fields;
  fields.reserve(num_inputs);
  for (uint32_t i = 0; i < num_inputs; ++i) fields.push_back(to.TupleGetItem(inputs, i));
  const ExprId outputs = bind("quantized_outputs", parts[1], fields);
  const ExprId result = bind("dequantized_outputs", parts[2], {&outputs, 1});
  const ExprId body = to.Let(steps, result);
  return Relayout(to.Finish(to.Lambda(function.info(), params, body)));
}

}  // namespace

auto PartitionIntoConversions(const Module& module, GlobalId id, const QuantizeConfig& config) -> Result<Module> {
  for (const std::string_view name : kNames) {
    const GlobalId taken = module.FindGlobal(name);
    if (taken && module.function(taken) != nullptr) return MakeDiagnostic(kNameTaken, {}, name);
  }
  const Function& function = *module.function<Function>(id);
  const Partition partition(function, config);
  std::array<Function, 3> functions = {partition.InputFunction(), partition.MainFunction(), partition.OutputFunction()};
  if (config.partition_conversions == PartitionConversions::kFullyIntegral) {
    if (!HasOnlyConversions(functions[0])) return MakeDiagnostic(kNotIntegral, {}, "@quantize_inputs", "conversions");
    if (!HasOnlyTypes(functions[1], partition.dtypes())) {
      return MakeDiagnostic(kNotIntegral, {}, "@quantized_main", "integers");
    }
    if (!HasOnlyConversions(functions[2])) {
      return MakeDiagnostic(kNotIntegral, {}, "@dequantize_outputs", "conversions");
    }
  }
  Module made = module;
  std::array<GlobalId, 3> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = made.NameGlobal(kNames[i]);
    made.SetFunction(parts[i], std::make_shared<const Function>(std::move(functions[i])));
  }
  made.SetFunction(id, std::make_shared<const Function>(CallerOf(function, parts, partition.num_inputs())));
  return made;
}

}  // namespace relayopt
