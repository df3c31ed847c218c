// Infers types of patterns, and checks that matches are exhaustive.
#include "inferencer.h"
#include "relayopt/relay/analysis/diagnostics.h"
#include "relayopt/relay/analysis/match_coverage.h"
#include "relayopt/support/plural.h"

namespace relayopt {

void Inferencer::CheckClause(ExprId match, size_t clause) {
  const MatchInfo& info = function_.match(match);
  if (!clauses_.IsFirst(match, clause, info.clauses.size())) return;
  for (uint32_t k = info.clauses[clause].first_operand; k < info.clauses[clause].rhs; ++k) {
    const ExprId var = function_.operand(match, k);
    const TypeId annotation = function_.var(var).annotation;
    slots_.Set(var, annotation ? annotation : unifier_.Fresh());
  }
  std::vector<std::pair<uint32_t, TypeId>> work = {
      {info.clauses[clause].pattern, slots_.TypeOf(function_.operand(match, 0))}};
  while (!work.empty()) {
    const auto [index, type] = work.back();
    work.pop_back();
    const Pattern& pattern = info.patterns[index];
    if (pattern.kind == PatternKind::kVar) {
      Constrain(function_.operand(match, pattern.operand), type);
    } else if (pattern.kind == PatternKind::kConstructor) {
      CheckConstructorPattern(match, pattern, type, work);
    } else if (pattern.kind == PatternKind::kTuple) {
      std::vector<TypeId> fields;
      fields.reserve(pattern.num_children);
      for (uint32_t i = 0; i < pattern.num_children; ++i) fields.push_back(unifier_.Fresh());
      if (!unifier_.Unify(type, context_.Tuple(fields))) {
        messages_.Mismatch(match, "the matched value", type, context_.Tuple(fields));
        continue;
      }
      for (uint32_t i = 0; i < pattern.num_children; ++i) {
        work.emplace_back(info.children[pattern.first_child + i], unifier_.Head(fields[i]));
      }
    }
  }
}

void Inferencer::CheckConstructorPattern(ExprId match, const Pattern& pattern, TypeId type,
                                         std::vector<std::pair<uint32_t, TypeId>>& work) {
  const Constructor& ctor = module_.constructor(pattern.ctor);
  if (ctor.inputs.size() != pattern.num_children) {
    messages_.sink().Report(diag::kPatternArity, function_.range(match), context_.text(ctor.name),
                            Counted(ctor.inputs.size(), "argument"), pattern.num_children);
    return;
  }
  const Type& signature = context_.type(Instantiate(TypeOfConstructor(pattern.ctor)));
  if (!unifier_.Unify(type, signature.result)) {
    messages_.Mismatch(match, "the matched value", type, signature.result);
    return;
  }
  for (uint32_t i = 0; i < pattern.num_children; ++i) {
    work.emplace_back(function_.match(match).children[pattern.first_child + i], unifier_.Head(signature.args[i]));
  }
}

void Inferencer::VisitMatch(ExprId id) {
  const MatchInfo& info = function_.match(id);
  const size_t errors = messages_.sink().errors();
  for (size_t i = 0; i < info.clauses.size(); ++i) {
    CheckClause(id, i);
    const ExprId rhs = function_.operand(id, info.clauses[i].rhs);
    if (!slots_.Merge(id, rhs)) messages_.Mismatch(rhs, "this clause", slots_.TypeOf(rhs), slots_.TypeOf(id));
  }
  // Coverage of patterns that are wrong would only repeat the error.
  if (!info.complete || messages_.sink().errors() != errors) return;
  const std::vector<std::string> missing = UnmatchedCases(module_, function_, id);
  if (missing.empty()) return;
  std::string text;
  for (const std::string& pattern : missing) text += (text.empty() ? "" : ", ") + pattern;
  messages_.sink().Report(diag::kMissingCases, function_.range(id), text);
}

}  // namespace relayopt
