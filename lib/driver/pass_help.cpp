// Renders the row of a pass, or of a pipeline, as help.
#include "pass_help.h"

#include <fmt/format.h>

#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

// The syntax around passes in a pipeline.
struct CombinatorHelp {
  std::string_view name;
  std::string_view text;
};

constexpr CombinatorHelp kCombinators[] = {
    {"fixpoint",
     "fixpoint<max=N>(PASSES): repeats the passes until they change nothing\n\n"
     "It stops after N runs (10 by default), and with a warning when a module comes again.\n"
     "Example: fixpoint<max=4>(SimplifyExpr,FoldConstant)\n"},
    {"repeat", "repeat<N>(PASSES): runs the passes N times\n\nExample: repeat<2>(FoldConstant)\n"},
    {"with-target", "with-target(PASSES): runs the passes when the context has a target\n\n--target gives it one.\n"},
    {"with-config",
     "with-config<KEY>(PASSES): runs the passes when a boolean key of the config is true\n\n"
     "--list-config shows the keys. Example: with-config<tir.disable_vectorize>(tir.VectorizeLoop)\n"},
    {"without-config",
     "without-config<KEY>(PASSES): runs the passes unless a boolean key of the config is true\n\n"
     "--list-config shows the keys.\n"},
    {"where",
     "where<ATTR=N>(PASSES): runs the passes on functions whose attribute is N\n\n"
     "where<ATTR!=N>(PASSES) runs them on the other functions.\n"},
};

auto HelpOn(const PassDef& def) -> std::string {
  const PassInfo info = InfoOf(def);
  std::string out = fmt::format("{}: {}\n\n", def.name, def.summary);
  if (!def.details.empty()) out += fmt::format("{}\n\n", def.details);
  out += fmt::format("A {} pass of level {}; {}{}.\n", KindName(def), def.opt_level, Explain(def.exactness),
                     def.idempotent ? "; a second run changes nothing" : "");
  if (info.name != def.name) out += fmt::format("Contexts know it as '{}'.\n", info.name);
  if (!def.required.empty()) out += fmt::format("Runs after: {}.\n", def.required);
  if (!def.sequence.empty()) out += fmt::format("Stands for: {}.\n", def.sequence);
  const PassOptions defaults(*def.options);
  if (!def.options->fields.empty()) out += "\nOptions:\n";
  for (const OptionInfo& option : def.options->fields) {
    out += fmt::format("  {}: {}\n      {}{}\n", option.name, KindName(option.kind), option.doc,
                       option.required ? "; must be given" : "; default " + ToString(defaults.Get(option)));
  }
  if (!def.config.empty()) {
    out += fmt::format("\nWhat is not given is taken from --config='{}={{\"name\": value}}'.\n", def.config);
  }
  if (!def.statistics.empty()) out += "\nStatistics:\n";
  for (const Statistic& statistic : def.statistics) {
    out += fmt::format("  {}: {}{}\n", statistic.name, statistic.doc,
                       statistic.is_debug_counter ? " (a debug counter)" : "");
  }
  return out;
}

auto HelpOn(const NamedPipeline& pipeline) -> std::string {
  return fmt::format("default<{}>: {}\n\nStands for, at level {}:\n{}\n", pipeline.name, pipeline.doc,
                     pipeline.opt_level, pipeline.text);
}

}  // namespace

auto Explain(Exactness exactness) -> std::string_view {
  switch (exactness) {
    case Exactness::kExact: return "results stay the same bit for bit";
    case Exactness::kApproximate: return "results stay the same up to rounding";
    case Exactness::kReorders: return "results stay the same up to rounding in an order that the program leaves open";
    case Exactness::kNarrows: return "results stay the same up to the rounding of floats of 16 bits";
    case Exactness::kQuantizes: return "results stay the same up to some steps of quantized numbers";
    case Exactness::kExtends: return "results become the first field of a tuple, the same bit for bit";
    case Exactness::kChanges: return "the result is another program on purpose";
  }
  return "";
}

auto PassHelp(std::string_view name) -> std::optional<std::string> {
  if (const PassDef* def = FindPass(name)) return HelpOn(*def);
  for (const CombinatorHelp& combinator : kCombinators) {
    if (name == combinator.name) return std::string(combinator.text);
  }
  for (const NamedPipeline* pipeline : NamedPipelines()) {
    if (name == fmt::format("default<{}>", pipeline->name)) return HelpOn(*pipeline);
  }
  return std::nullopt;
}

}  // namespace relayopt
