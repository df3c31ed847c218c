// Checks option values that name operators, patterns or layouts.
#include "relayopt/relay/transforms/option_checks.h"

#include "relayopt/core/context.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

auto FaultOfOperator(const std::string& name) -> std::optional<OptionFault> {
  if (FindOp(name) != nullptr) return std::nullopt;
  return OptionFault{"names of operators", name, DidYouMean(name, OperatorNames())};
}

}  // namespace

auto OperatorNames() -> std::vector<std::string_view> { return MapToVector<std::string_view>(AllOps(), &OpDef::name); }

auto CheckOperators(const OptionValue& value) -> std::optional<OptionFault> {
  for (const std::string& name : std::get<std::vector<std::string>>(value)) {
    if (auto fault = FaultOfOperator(name)) return fault;
  }
  return std::nullopt;
}

auto CheckPatterns(const OptionValue& value) -> std::optional<OptionFault> {
  Context context;
  PatternTable table;
  for (const auto& [name, texts] : std::get<StringListMap>(value)) {
    for (const std::string& text : texts) {
      const Result<DFPattern> pattern = ParsePattern(context, table, text);
      if (!pattern) return OptionFault{"patterns", text, ": " + pattern.error().text};
    }
  }
  return std::nullopt;
}

auto CheckLayouts(const OptionValue& value) -> std::optional<OptionFault> {
  for (const auto& [name, layouts] : std::get<StringListMap>(value)) {
    if (auto fault = FaultOfOperator(name)) return fault;
    for (const std::string& layout : layouts) {
      if (layout == "default" || layout.empty() || Layout::Parse(layout)) continue;
      return OptionFault{"layouts", layout, ""};
    }
  }
  return std::nullopt;
}

}  // namespace relayopt
