// Statements of TVMScript on one line: assignments, stores, expressions.
#include "lib/tir/script/operators.h"
#include "lib/tir/script/reader_state.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

// A statement on one line: an assignment, a store, or an expression.
auto Reader::ReadSimple() -> bool {
  const Token token = lexer_.token();
  if (token.kind == TokenKind::kName) {
    const char next = lexer_.FollowingChar();
    if (next == '=' && lexer_.FollowedByEqual()) {
      lexer_.Next();
      return ReadAssignment({&token, 1});
    }
    if (next == ':') {
      lexer_.Next();
      return ReadAnnotated(token);
    }
    if (next == ',') {
      Targets targets;
      if (!ReadTargets(targets)) return false;
      if (lexer_.token().kind != TokenKind::kEqual) {
        Report(diag::kExpected, lexer_.token().range(), "`=`", TokenName(lexer_.token().kind));
        return false;
      }
      return ReadAssignment(targets);
    }
  }
  const uint32_t values = values_.size();
  const Value value = ParseExpr(false, true);
  if (value.is_error()) {
    // No further error unless the line goes on.
    return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  }
  if (lexer_.token().kind == TokenKind::kAugmented) return ReadAugmented(token, value);
  if (lexer_.token().kind == TokenKind::kEqual) {
    const bool fine = ReadElementAssignment(token, value);
    // Nothing that lasts consists of these values.
    values_.Reuse(values);
    return fine;
  }
  return ExpressionStatement(value) && EndOfLine();
}

// `target op= value`, from the operator on; `first` is the first token of the statement.
auto Reader::ReadAugmented(const Token& first, const Value& target) -> bool {
  const Token op = lexer_.token();
  const OpRow* row = AugmentedOp(lexer_.text(op));
  if (row == nullptr) {
    Report(diag::kNeedsPython, op.range(), lexer_.text(op));
    return false;
  }
  lexer_.Next();
  const Value right = ParseExpr();
  if (right.is_error()) return false;
  const SourceRange range{first.begin, lexer_.last_end()};
  if (target.is(ValueKind::kTarget)) {
    const std::span<const Value> parts = elements(target);
    const Value old = Index(parts[0], parts.subspan(1), target.range);
    return Store(target, Binary(static_cast<int>(row->op), old, right, range), range) && EndOfLine();
  }
  if (first.kind == TokenKind::kName &&
      lexer_.text().substr(first.begin, target.range.end - first.begin) == names_.text(first.name)) {
    // As TVM: `x += e` binds a new `x`, which the scope may forbid.
    return Assign(first, Binary(static_cast<int>(row->op), target, right, range)) && EndOfLine();
  }
  Report(diag::kExpected, op.range(), "a name or an element before it", Name(target.kind));
  return false;
}

// `buffer.data = T.allocate(...)`, from the equals sign on: how the printer writes the allocation of memory whose
// buffer is declared before it, which TVM does not read.
auto Reader::ReadMemoryOf(const Value& target) -> bool {
  lexer_.Next();
  const Value right = ParseExpr(true);
  if (right.is_error()) return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  const bool allocates = right.is(ValueKind::kFrame) && frame(right).kind == FrameKind::kAllocate;
  if (!allocates || terms_.var(frame(right).var).type != terms_.var(target.expr()).type) {
    Report(diag::kExpected, right.range, "an allocation of this type of elements and memory", Name(right.kind));
    return false;
  }
  Frame opened = std::move(frame(right));
  opened.var = target.expr();
  Open(std::move(opened));
  return EndOfLine();
}

// `buffer[...] = value`, from the equals sign on; `first` is the first token of the statement.
auto Reader::ReadElementAssignment(const Token& first, const Value& target) -> bool {
  const bool is_pointer = target.is(ValueKind::kExpr) && terms_.is_var(target.expr()) &&
                          terms_.var(target.expr()).type.kind == VarType::Kind::kPointer;
  if (is_pointer) return ReadMemoryOf(target);
  if (!target.is(ValueKind::kTarget)) {
    Report(diag::kExpected, target.range, "a name or an element of a buffer", Name(target.kind));
    return false;
  }
  lexer_.Next();
  const Value right = ParseExpr(true);
  if (right.is_error()) return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  if (lexer_.token().kind == TokenKind::kEqual) {
    Report(diag::kConsequential, lexer_.token().range());
    return false;
  }
  return Store(target, right, {first.begin, lexer_.last_end()}) && EndOfLine();
}

auto Reader::ReadAssignment(std::span<const Token> targets) -> bool {
  lexer_.Next();
  const uint32_t begin = lexer_.token().begin;
  early_views_.may_wait = targets.size() == 1 && lexer_.text().substr(begin).starts_with("T.Buffer(");
  Value value = ParseExpr(true);
  early_views_.may_wait = false;
  if (const NameIndex awaited = std::exchange(early_views_.awaited, UINT32_MAX); awaited != UINT32_MAX) {
    early_views_.waiting[awaited].push_back({targets[0], begin, lexer_.last_end()});
    return EndOfLine();
  }
  if (!early_values_.empty()) {
    if (const auto early = early_values_.find(begin); early != early_values_.end()) value = early->second;
  }
  if (lexer_.token().kind == TokenKind::kEqual) {
    Report(diag::kConsequential, lexer_.token().range());
    value = Value::Error();
  }
  if (value.is_error()) {
    BindPoison(targets);
    if (!early_views_.waiting.empty()) ReadViewsOf(targets[0].name);
    return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  }
  bool fine = true;
  const bool is_meta = value.is(ValueKind::kMeta) && targets.size() > 1;
  if (is_meta) value = values_[value.id()];
  if (targets.size() == 1) {
    fine = Assign(targets[0], value);
  } else if (!value.is_sequence() || value.size != targets.size()) {
    Report(diag::kUnpack, value.range, value.is_sequence() ? value.size : 1, targets.size());
    fine = false;
  } else {
    const std::span<const Value> all = elements(value);
    for (size_t i = 0; i < all.size() && fine; ++i) {
      fine = is_meta ? BindName(targets[i], all[i]) : Assign(targets[i], all[i]);
    }
  }
  if (!early_views_.waiting.empty()) fine = fine && ReadViewsOf(targets[0].name);
  if (!fine) BindPoison(targets);
  return EndOfLine();
}

// `x: T.int32 = value`: a let, or in text of TVM 0.27 a scalar, unless it says `T.let`.
auto Reader::ReadAnnotated(const Token& target) -> bool {
  const uint32_t begin = target.begin;
  lexer_.Next();
  const std::string_view rest = lexer_.text().substr(lexer_.token().begin);
  const bool is_let = rest.substr(0, rest.find_first_of("[ =\n")).ends_with(".let");
  const Value type = ParseExpr();
  if (speaks_tirx() && !is_let && type.is(ValueKind::kDType)) return ReadScalar(target, type.dtype);
  if (type.is_error() || !Expect(TokenKind::kEqual)) {
    BindPoison({&target, 1});
    return false;
  }
  const Value value = ParseExpr();
  PrimExpr expr = value.is_error() ? PrimExpr() : ToExpr(value);
  // `x: T.let = value` leaves the type to the value.
  const bool has_type = !type.is(ValueKind::kBuiltin) || type.builtin->name != "let";
  const PrimExpr var = !expr ? PrimExpr() : has_type ? ToVar(type) : terms_.Var("", VarType::Prim(terms_.dtype(expr)));
  if (!var || !CheckLet(var, expr, value.range)) {
    BindPoison({&target, 1});
    return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  }
  terms_.Rename(var, names_.id(target.name));
  Frame let;
  let.kind = FrameKind::kLet;
  let.range = {begin, lexer_.last_end()};
  let.var = var;
  let.value = expr;
  Open(std::move(let));
  return BindName(target, Value::Expr(var)) && EndOfLine();
}

auto Reader::CheckLet(PrimExpr var, PrimExpr& value, SourceRange range) -> bool {
  // The type of a packed call's result is not printed: take that of the variable.
  if (arith::IsHandle(terms_.dtype(var)) && terms_.kind(value) == PrimKind::kCall) {
    const std::string_view name = context_.text(terms_.op(terms_.call_op(value)).name);
    const bool is_packed = name == "tir.tvm_call_packed_lowered"_intrin || name == "tir.tvm_call_packed"_intrin;
    if (is_packed) value = terms_.WithOperands(value, terms_.operands(value), terms_.dtype(var));
  }
  const bool both_handles = arith::IsHandle(terms_.dtype(var)) && arith::IsHandle(terms_.dtype(value));
  if (terms_.dtype(var) == terms_.dtype(value) || both_handles) return true;
  Report(diag::kTypes, range, DTypeText(var), DTypeText(value));
  return false;
}

auto Reader::ExpressionStatement(const Value& value) -> bool {
  switch (value.kind) {
    case ValueKind::kNone:
    case ValueKind::kString: return true;
    case ValueKind::kFrame: {
      Frame opened = std::move(frame(value));
      if (!opened.range.valid()) opened.range = value.range;
      Open(std::move(opened));
      return true;
    }
    case ValueKind::kExpr:
    case ValueKind::kInt:
    case ValueKind::kBool:
    case ValueKind::kFloat:
    case ValueKind::kRegion: {
      const PrimExpr expr = ToExpr(value, BoolAs::kBool);
      if (!expr) return false;
      const StmtId made = builder_->Evaluate(expr);
      builder_->SetRange(made, value.range);
      Emit(made);
      return true;
    }
    default: Report(diag::kUnexpectedType, value.range, Name(value.kind)); return false;
  }
}

// `A[i] = value`.
auto Reader::Store(const Value& target, const Value& value, SourceRange range) -> bool {
  const std::span<const Value> parts = elements(target);
  for (const Value& part : parts) {
    if (part.is_error()) return true;
  }
  if (value.is_error()) return true;
  const BufferId buffer = parts[0].buffer();
  const DataType element = tables_.buffer(buffer).dtype;
  PrimExpr expr = ToExpr(value, arith::IsBool(element) ? BoolAs::kBool : BoolAs::kInt32);
  if (!expr) return true;
  const auto indices = StoreIndices(buffer, parts.subspan(1), target.range);
  if (!indices) return true;
  StoreTo(buffer, expr, *indices, range);
  return true;
}

void Reader::StoreTo(BufferId buffer, PrimExpr value, std::span<const PrimExpr> indices, SourceRange range) {
  const DataType element = tables_.buffer(buffer).dtype;
  const int index_lanes = indices.empty() ? 1 : terms_.lanes(indices.back());
  const DataType wanted = arith::WithLanes(element, element.lanes * index_lanes);
  const DataType given = terms_.dtype(value);
  if (given != wanted) {
    // A value of another element type is cast; lanes must agree.
    if (given.lanes != wanted.lanes || arith::IsHandle(given) != arith::IsHandle(wanted)) {
      Report(diag::kStoreTypes, range, TypeText(element), TypeText(given), index_lanes);
      return;
    }
    if (!arith::IsHandle(given)) value = CastTo(wanted, value, range);
    if (!value) return;
  }
  const StmtId made = builder_->Store(buffer, value, indices);
  builder_->SetRange(made, range);
  Emit(made);
}

}  // namespace relayopt::tir
