// A plugin with one pass, built out of tree against the installed package.
#include "relayopt/pass/plugin.h"

#include "relayopt/pass/registry.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"

namespace {

using namespace relayopt;

// `negative(negative(%x))` becomes `%x`.
struct DropNegation {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    Rebuild rebuild(function);
    bool changed = false;
    const auto is_negation = [&](ExprId id) {
      return function.kind(id) == ExprKind::kOpCall && function.op(id) == FindOp("negative");
    };
    rebuild.ForEach([&](ExprId id) {
      if (!is_negation(id) || !is_negation(function.operand(id, 0))) return rebuild.Copy(id);
      changed = true;
      return rebuild.New(function.operand(function.operand(id, 0), 0));
    });
    if (!changed) return std::nullopt;
    return rebuild.Finish();
  }
};

constinit const PassDef kDropNegationPass = DescribePass<DropNegation>({
    .name = "example.DropNegation",
    .summary = "removes negations that cancel",
});

}  // namespace

extern "C" auto relayopt_pass_plugin() -> const PassPlugin* {
  static constexpr PassPlugin plugin = {PLUGIN_ABI_VERSION, RELAYOPT_VERSION, "example",
                                        [] { return RegisterPass(kDropNegationPass); }};
  return &plugin;
}
