// The remarks of FuseOps.
#include "fusion_remarks.h"

#include <fmt/format.h>

#include <vector>

#include "primitive_scopes.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

namespace {

constexpr std::string_view kPass = "FuseOps";
// The maximum number of operators of a kernel that are listed by name.
constexpr size_t kMostNames = 8;

auto NamesOf(const Function& function, const std::vector<ExprId>& calls) -> std::string {
  std::vector<std::string_view> names;
  for (const ExprId id : calls) {
    if (names.size() < kMostNames) names.push_back(function.op(id)->name);
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (calls.size() > kMostNames) text += fmt::format(" and {} more", calls.size() - kMostNames);
  return text;
}

}  // namespace

void ReportFusion(const Module& module, GlobalId id, const Function& function, const FusionLimits& limits,
                  PassContext& context) {
  const std::string_view name = module.name(id);
  const auto groups = FindFusionGroups(function, limits);
  const auto reasons = ExplainFusion(function, limits);
  PrimitiveScopes kernels(function);
  SideTable<ExprId, std::vector<ExprId>> calls(function.size());
  for (const ExprId call : function.ids()) {
    if (function.kind(call) == ExprKind::kOpCall && !kernels.Contains(call)) calls[groups[call]].push_back(call);
  }
  for (const ExprId last : function.ids()) {
    if (calls[last].size() > 1) {
      context.Report(Remark(RemarkKind::kPassed, kPass, "Fused", name, FindRange(function, last))
                         .Arg("Operators", NamesOf(function, calls[last]))
                         .Text(" are one kernel"));
    }
    if (function.kind(last) != ExprKind::kOpCall || kernels.Contains(last) || reasons[last].empty()) continue;
    context.Report(Remark(RemarkKind::kMissed, kPass, "Apart", name, FindRange(function, last))
                       .Arg("Operator", function.op(last)->name)
                       .Text(" is not computed with what uses it: ")
                       .Arg("Reason", reasons[last]));
  }
}

}  // namespace relayopt
