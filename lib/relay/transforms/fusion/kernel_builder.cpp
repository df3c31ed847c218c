// Builds a kernel: first its parameters, in the order in which members use values from outside; then the members,
// operands before users.
#include "kernel_builder.h"

#include <string>
#include <utility>

#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelBuilder::Attrs::Attrs(Context& context)
    : primitive(context.Intern(attr::kPrimitive)),
      reshape_only(context.Intern(attr::kReshapeOnly)),
      zero(context.AddInt(0)),
      one(context.AddInt(1)) {}

KernelBuilder::KernelBuilder(const FusionPlan& plan, FunctionBuilder& to, SideTable<ExprId, ExprId>& made)
    : plan_(plan),
      function_(plan.function()),
      to_(to),
      made_(made),
      attrs_(function_.context()),
      param_of_(function_.size()),
      inner_(function_.size()) {}

auto KernelBuilder::Make(ExprId last, std::vector<ExprId>& args) -> ExprId {
  signature_.params.clear();
  signature_.types.clear();
  bool has_call = false;
  bool reshapes_only = true;
  plan_.ForEachMember(last, [&](ExprId id) {
    if (function_.kind(id) == ExprKind::kOpCall) {
      has_call = true;
      reshapes_only = reshapes_only && function_.op(id)->reshape_only;
    }
    for (const ExprId operand : function_.operands(id)) {
      if (!plan_.IsInside(operand, last)) AddParam(last, plan_.Substitute(operand), function_.type(operand), args);
    }
  });
  for (const TypeId type : signature_.types) {
    reshapes_only = reshapes_only && type && function_.context().type(type).is_tensor();
  }
  CopyBody(last);
  const TypeId result = function_.type(last);
  FunctionInfo info{.result = result, .type_params = {}, .attrs = {}, .virtual_device = {}};
  info.attrs.reserve(2);
  info.attrs.push_back({attrs_.primitive, has_call ? attrs_.one : attrs_.zero});
  if (has_call && reshapes_only) info.attrs.push_back({attrs_.reshape_only, attrs_.one});
  const ExprId kernel = to_.Lambda(std::move(info), signature_.params, inner_[last]);
  to_.SetType(kernel, function_.context().FunctionType(signature_.types, result));
  return kernel;
}

void KernelBuilder::AddParam(ExprId last, ExprId arg, TypeId type, std::vector<ExprId>& args) {
  Param& known = param_of_[arg];
  if (known.group == last) return;
  const StringId name = ParamName(signature_.params.size());
  const ExprId param = to_.Var({.name = name, .annotation = type, .virtual_device = {}});
  to_.SetType(param, type);
  known = {last, param};
  signature_.params.push_back(param);
  signature_.types.push_back(type);
  args.push_back(arg);
}

auto KernelBuilder::ParamName(size_t number) -> StringId {
  while (names_.size() <= number) names_.push_back(function_.context().Intern("p" + std::to_string(names_.size())));
  return names_[number];
}

void KernelBuilder::CopyConstant(ExprId constant) {
  if (!made_[constant]) made_[constant] = to_.Copy(function_, constant, {});
}

void KernelBuilder::CopyBody(ExprId last) {
  stack_.assign({{last, 0}});
  while (!stack_.empty()) {
    const ExprId id = stack_.back().id;
    const auto operands = function_.operands(id);
    size_t i = stack_.back().next;
    for (; i < operands.size(); ++i) {
      if (!plan_.IsInside(operands[i], last)) continue;
      const ExprId operand = plan_.Substitute(operands[i]);
      if (function_.kind(operand) == ExprKind::kConstant) {
        CopyConstant(operand);
      } else if (!inner_[operand]) {
        break;
      }
    }
    if (i != operands.size()) {
      stack_.back().next = static_cast<uint32_t>(i + 1);
      stack_.push_back({operands[i], 0});
      continue;
    }
    operands_.clear();
    for (const ExprId old : operands) {
      const ExprId operand = plan_.Substitute(old);
      const bool is_constant = function_.kind(operand) == ExprKind::kConstant;
      operands_.push_back(!plan_.IsInside(old, last) ? param_of_[operand].param
                          : is_constant              ? made_[operand]
                                                     : inner_[operand]);
    }
    inner_[id] = to_.Copy(function_, id, operands_);
    stack_.pop_back();
  }
}

}  // namespace relayopt
