// The memory that a module uses.
#include "memory_report.h"

#include <fmt/format.h>

#include <array>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/process.h"

namespace relayopt {

namespace {

// In the order of ExprKind.
constexpr std::array<std::string_view, 16> kExprKinds = {
    "variables",        "global names",       "constructors",        "operators as values", "constants", "tuples",
    "fields of tuples", "calls of operators", "other calls",         "functions",           "lets",      "ifs",
    "matches",          "new references",     "reads of references", "writes of references"};
static_assert(kExprKinds.size() == static_cast<size_t>(ExprKind::kRefWrite) + 1);

void AppendRow(std::string& out, const MemoryUse& row) {
  if (row.count == 0) return;
  out += fmt::format("{:10}  {:9.3f}  {}\n", row.count, static_cast<double>(row.bytes) / (1 << 20), row.what);
}

// A node is counted with its operands.
void AppendRelay(std::string& out, const Module& module) {
  std::array<MemoryUse, kExprKinds.size()> rows;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      MemoryUse& row = rows[static_cast<size_t>(function.kind(expr))];
      ++row.count;
      row.bytes += sizeof(ExprNode) + function.operands(expr).size() * sizeof(ExprId);
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string what = fmt::format("expressions: {}", kExprKinds[i]);
    AppendRow(out, {what, rows[i].count, rows[i].bytes});
  }
}

}  // namespace

auto MemoryReport(const Module& module) -> std::string {
  const ProcessUsage usage = MeasureProcess();
  std::string out =
      fmt::format("=== relayopt memory === peak {} MiB, now {} MiB\n", usage.peak >> 20, usage.resident >> 20);
  out += "     count        MiB  what\n";
  for (const FunctionKindDef* kind : FunctionKinds()) {
    size_t functions = 0;
    size_t nodes = 0;
    for (const GlobalId id : module.ids()) {
      const GlobalFunctionRef& function = module.function(id);
      if (function == nullptr || &function->function_kind() != kind->kind) continue;
      ++functions;
      nodes += kind->size(*function);
    }
    if (functions == 0) continue;
    out += fmt::format("{:10}             functions of {}, with {} expressions or statements\n", functions,
                       kind->kind->name, nodes);
  }
  AppendRelay(out, module);
  for (const MemoryUse& row : module.context().Memory()) AppendRow(out, row);
  return out;
}

}  // namespace relayopt
