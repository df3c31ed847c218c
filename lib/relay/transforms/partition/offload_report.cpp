// Counts which parts of a partitioned module run on external compilers.
#include "relayopt/relay/transforms/offload_report.h"

#include <fmt/format.h>

#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/json.h"
#include "relayopt/support/plural.h"

namespace relayopt {

namespace {

auto BytesOf(const Context& context, TypeId id) -> uint64_t {
  uint64_t bytes = 0;
  std::vector<TypeId> pending = {id};
  while (!pending.empty()) {
    const TypeId next = pending.back();
    pending.pop_back();
    if (!next) continue;
    const Type& type = context.type(next);
    if (type.is_tuple()) pending.insert(pending.end(), type.args.begin(), type.args.end());
    if (!type.is_tensor()) continue;
    uint64_t size = type.dtype.bytes();
    for (const Dim& extent : type.shape) {
      if (!extent.is_int() || extent.value() < 0 ||
          __builtin_mul_overflow(size, static_cast<uint64_t>(extent.value()), &size)) {
        size = 0;
      }
    }
    bytes += size;
  }
  return bytes;
}

auto CountOf(const Function& function) -> OffloadCount {
  OffloadCount count{.macs = CountMacs(function)};
  for (const ExprId id : function.ids()) count.operators += function.kind(id) == ExprKind::kOpCall ? 1 : 0;
  return count;
}

void Add(OffloadCount& to, const OffloadCount& more) {
  to.operators += more.operators;
  to.macs += more.macs;
}

auto Percent(uint64_t part, uint64_t whole) -> double {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

auto ReportOffload(const Module& module) -> OffloadReport {
  OffloadReport report;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    const OffloadCount count = CountOf(function);
    Add(report.total, count);
    const StringId compiler = CompilerAttr(function, function.root());
    if (!compiler) {
      for (const ExprId call : function.ids()) {
        if (function.kind(call) == ExprKind::kOpCall) ++report.staying[std::string(function.op(call)->name)];
      }
      continue;
    }
    OffloadReport::Region region{.compiler = std::string(module.context().text(compiler)),
                                 .function = std::string(module.name(id)),
                                 .count = count};
    for (const ExprId param : function.params()) region.bytes_in += BytesOf(module.context(), function.type(param));
    region.bytes_out = BytesOf(module.context(), function.type(function.body()));
    Add(report.inside, count);
    report.bytes_over_border += region.bytes_in + region.bytes_out;
    report.regions.push_back(std::move(region));
  }
  return report;
}

auto ToText(const OffloadReport& report) -> std::string {
  std::string out = "=== relayopt offload report ===\n";
  out += fmt::format("regions                 {}\n", report.regions.size());
  out += fmt::format("operators               {} of {} ({:.1f} %)\n", report.inside.operators, report.total.operators,
                     Percent(report.inside.operators, report.total.operators));
  out += fmt::format("multiply-accumulates    {} of {} ({:.1f} %)\n", report.inside.macs, report.total.macs,
                     Percent(report.inside.macs, report.total.macs));
  out += fmt::format("bytes over the border   {}\n", report.bytes_over_border);
  for (const OffloadReport::Region& region : report.regions) {
    out += fmt::format("  {}: @{}: {}, {}, {} bytes in, {} bytes out\n", region.compiler, region.function,
                       Counted(region.count.operators, "operator"), Counted(region.count.macs, "multiply-accumulate"),
                       region.bytes_in, region.bytes_out);
  }
  for (const auto& [name, count] : report.staying)
    out += fmt::format("  stays: {} of {}\n", Counted(count, "call"), name);
  for (const auto& [reason, count] : report.reasons) out += fmt::format("  {}: {}\n", Counted(count, "time"), reason);
  return out;
}

auto ToJson(const OffloadReport& report) -> std::string {
  using Json = OrderedJson;
  Json regions = Json::array();
  for (const OffloadReport::Region& region : report.regions) {
    regions.push_back({{"compiler", region.compiler},
                       {"function", region.function},
                       {"operators", region.count.operators},
                       {"macs", region.count.macs},
                       {"bytes_in", region.bytes_in},
                       {"bytes_out", region.bytes_out}});
  }
  const Json json = {{"version", 1},
                     {"operators", {{"inside", report.inside.operators}, {"total", report.total.operators}}},
                     {"macs", {{"inside", report.inside.macs}, {"total", report.total.macs}}},
                     {"bytes_over_border", report.bytes_over_border},
                     {"regions", std::move(regions)},
                     {"staying", report.staying},
                     {"reasons", report.reasons}};
  return json.dump(2) + "\n";
}

}  // namespace relayopt
