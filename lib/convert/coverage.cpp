// Reports of what can be expressed in another system.
#include "relayopt/convert/coverage.h"

#include <fmt/format.h>

#include <set>

#include "relayopt/convert/lower.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/convert/relax.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

auto CoverageReport(const Module& module, std::string_view system, const std::function<void(DiagnosticSink&)>& write,
                    bool& complete) -> std::string {
  size_t calls = 0;
  std::set<std::string_view> operators;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      if (function.kind(expr) != ExprKind::kOpCall) continue;
      ++calls;
      operators.insert(function.op(expr)->name);
    }
  }
  DiagnosticSink sink;
  write(sink);
  std::string lines;
  size_t without = 0;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.kind->severity != Severity::kError) continue;
    ++without;
    const SourceText* source = module.source().get();
    std::string place;
    if (source != nullptr && diagnostic.range.valid()) {
      const LineColumn at = source->Position(diagnostic.range.begin);
      place = fmt::format("{}:{}:{}: ", source->name(), at.line, at.column);
    }
    lines += fmt::format("  {}{}\n", place, diagnostic.text);
  }
  complete = without == 0;
  return fmt::format("{} call{} of {} operator{}; {}: {}\n{}", calls, calls == 1 ? "" : "s", operators.size(),
                     operators.size() == 1 ? "" : "s", system,
                     complete ? std::string("fully supported") : fmt::format("{} unsupported", without), lines);
}

auto FormStateOf(std::string_view op, std::string_view system) -> std::string_view {
  const std::string form = system == "onnx" ? OnnxFormOf(op) : RelaxFormOf(op);
  if (!form.empty()) return "direct";
  if (HasLowering(op, system)) return "decomposed";
  const bool is_quantized =
      op.starts_with("qnn.") && op != "qnn.simulated_quantize" && op != "qnn.simulated_dequantize";
  return is_quantized ? "lowered-first" : "none";
}

}  // namespace relayopt
