// Finds answers.
#include "answers.h"

#include <algorithm>
#include <array>

#include "arith.h"
#include "lists.h"
#include "monitor.h"
#include "onnx_input.h"
#include "reports.h"
#include "run.h"

namespace relayopt {

namespace {

constexpr const AnswerDef* kAnswers[] = {
#define RELAYOPT_ANSWER(name) &k##name##Answer,
#include "answers.def"
};

}  // namespace

auto Answers() -> std::span<const AnswerDef* const> { return kAnswers; }

auto FlagTables() -> std::span<const std::span<const FlagDef>> {
  static const std::array tables = {ReportFlags(),     LimitFlags(), EvaluationFlags(),
                                    OnnxFormatFlags(), ListFlags(),  ArithFlags()};
  return tables;
}

auto FindAnswer(std::string_view flag) -> const AnswerDef* {
  const auto found =
      std::ranges::find_if(kAnswers, [&](const AnswerDef* answer) { return answer->flag().name == flag; });
  return found == std::ranges::end(kAnswers) ? nullptr : *found;
}

auto WantedAnswer(const ToolOptions& options) -> const AnswerDef* {
  const auto is_given = [&](const AnswerDef* answer) { return !FlagValues(answer->flag(), options).empty(); };
  const auto found = std::ranges::find_if(kAnswers, is_given);
  return found == std::ranges::end(kAnswers) ? nullptr : *found;
}

}  // namespace relayopt
