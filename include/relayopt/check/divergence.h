// Where the values inside of two versions of a program part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/compare.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The first pair of values that correspond and differ.
struct Divergence {
  GlobalId function;
  ExprId before;
  ExprId after;
  // How the values differ.
  std::string difference;
  // The number of values that were compared before and agree.
  size_t agreed = 0;
};

// Evaluates a function of Relay in both modules on the same arguments, and compares the values inside of it in the
// order of evaluation. Two values correspond if they came from the same operator of the input (TrackOrigins), and are
// of the same type: of an operator that a pass replaced by several, the last one has its value. Values inside of
// branches and closures are not compared. Returns nullopt if all values that were compared agree, or the evaluation
// fails.
auto FindDivergence(const Module& before, const Module& after, std::string_view function,
                    std::span<const Value> arguments, const Tolerance& tolerance, const EvaluationLimits& limits = {})
    -> std::optional<Divergence>;

// Describes it for people: `nn.relu 6:8 "relu1" in @main  [1, 2]  expected 1  got 2  (3 earlier values agree)`.
auto ToText(const Divergence& divergence, const Module& before) -> std::string;

}  // namespace relayopt
