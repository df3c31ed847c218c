// Renders the row of a pass, or of a pipeline, as help.
#include "pass_help.h"

#include <fmt/format.h>

#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

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
  for (const NamedPipeline* pipeline : NamedPipelines()) {
    if (name == fmt::format("default<{}>", pipeline->name)) return HelpOn(*pipeline);
  }
  return std::nullopt;
}

}  // namespace relayopt
