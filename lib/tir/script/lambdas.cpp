// Combiners and maps of indices, which are written as lambdas.
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

// As TVM: the first half of the parameters are the left sides, the second half the right ones, and both have the types
// of the neutral elements.
auto Reader::ReducerFrom(const Value& lambda, std::span<const Value> identity, SourceRange range) -> Value {
  CommReducer reducer;
  for (const Value& value : identity) {
    const PrimExpr expr = ToExpr(value);
    if (!expr) return Value::Error();
    reducer.identity.push_back(expr);
  }
  for (const PrimExpr e : reducer.identity) reducer.lhs.push_back(terms_.Var("", VarType::Prim(terms_.dtype(e))));
  for (const PrimExpr e : reducer.identity) reducer.rhs.push_back(terms_.Var("", VarType::Prim(terms_.dtype(e))));
  std::vector<PrimExpr> params = reducer.lhs;
  params.insert(params.end(), reducer.rhs.begin(), reducer.rhs.end());
  const Value result = EvaluateLambda(lambda, params, range);
  if (result.is_error() || !ToExprs(result, reducer.result, BoolAs::kBool)) return Value::Error();
  if (reducer.result.size() != reducer.identity.size()) {
    return Error(diag::kUnpack, range, reducer.result.size(), reducer.identity.size());
  }
  return Value::Of(ValueKind::kReducer, tables_.Add(std::move(reducer)).value());
}

auto Reader::IndexMapFrom(const Value& lambda, SourceRange range) -> Value {
  // How many parameters there are is counted first.
  const Lexer::Mark after = lexer_.mark();
  lexer_.Return(lambdas_[lambda.id()]);
  IndexMap map;
  for (lexer_.Next(); lexer_.token().kind == TokenKind::kName; lexer_.Next()) {
    map.indices.push_back(terms_.Var("", DataType::Int(32)));
    lexer_.Next();
    if (lexer_.token().kind != TokenKind::kComma) break;
  }
  lexer_.Return(after);
  const Value result = EvaluateLambda(lambda, map.indices, range);
  if (result.is_error() || !ToExprs(result, map.result)) return Value::Error();
  return Value::Of(ValueKind::kIndexMap, tables_.Add(std::move(map)).value());
}

}  // namespace relayopt::tir
