// Reading and writing terms as people write them.
#include "relayopt/arith/text.h"

#include <array>
#include <cstdio>
#include <optional>

#include "lib/arith/term_syntax.h"
#include "relayopt/arith/diagnostics.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

struct TermFunction {
  std::string_view name;
  PrimKind kind;
};

constexpr TermFunction kTermFunctions[] = {
    {"min", kMin},  {"max", kMax},      {"floordiv", kFloorDiv}, {"floormod", kFloorMod}, {"truncdiv", kDiv},
    {"tdiv", kDiv}, {"truncmod", kMod}, {"tmod", kMod},          {"select", kSelect},
};

// Makes terms of the nodes of a syntax table, in order.
class TermBuilder {
 public:
  TermBuilder(Terms& terms, TermReader& reader) : terms_(terms), reader_(reader) {}

  auto Run(const SyntaxTable& table) -> Result<PrimExpr> {
    for (const SyntaxNode& node : table) {
      auto made = Build(node);
      if (!made) return std::move(made).error();
      made_.push_back(*made);
    }
    return made_.back();
  }

 private:
  auto Build(const SyntaxNode& node) -> Result<PrimExpr> {
    switch (node.kind) {
      case SyntaxNode::Kind::kInt: {
        const bool fits = FitsType(kInt32, node.int_value);
        return terms_.IntImm(fits ? kInt32 : kInt64, node.int_value);
      }
      case SyntaxNode::Kind::kFloat: return terms_.FloatImm(kFloat32, node.float_value);
      case SyntaxNode::Kind::kName:
        if (node.name == "True" || node.name == "False") return terms_.Bool(node.name == "True");
        return reader_.Variable(node.name);
      case SyntaxNode::Kind::kOperation: return Operation(node, node.op);
      case SyntaxNode::Kind::kCall: break;
    }
    return Call(node);
  }

  auto Operand(const SyntaxNode& node, size_t i) const -> PrimExpr { return made_[node.operands[i]]; }

  auto Operation(const SyntaxNode& node, PrimKind kind) -> Result<PrimExpr> {
    PrimExpr a = Operand(node, 0);
    if (kind == kNot) {
      if (!IsBool(terms_.dtype(a))) return NotACondition(node.range, a);
      return terms_.Not(a);
    }
    PrimExpr b = Operand(node, 1);
    if (kind == kAnd || kind == kOr) {
      for (const PrimExpr x : {a, b}) {
        if (!IsBool(terms_.dtype(x))) return NotACondition(node.range, x);
      }
    }
    // A literal takes the type beside it.
    const auto take_type = [&](PrimExpr& literal, PrimExpr beside) {
      const DataType type = ElementOf(terms_.dtype(beside));
      const bool fits = !IsInteger(type) || FitsType(type, terms_.int_value(literal));
      if (fits) literal = CastTo(terms_, type, literal);
    };
    if (terms_.kind(a) == kIntImm && terms_.kind(b) != kIntImm) take_type(a, b);
    if (terms_.kind(b) == kIntImm && terms_.kind(a) != kIntImm) take_type(b, a);
    if (!MatchTypes(terms_, a, b)) {
      return MakeDiagnostic(kTermTypes, node.range, KindName(kind), ToString(terms_.dtype(a)),
                            ToString(terms_.dtype(b)));
    }
    return terms_.Binary(kind, a, b);
  }

  auto NotACondition(SourceRange range, PrimExpr e) const -> Diagnostic {
    return MakeDiagnostic(kNotACondition, range, ToString(terms_.dtype(e)));
  }

  auto CheckCount(const SyntaxNode& node, size_t count) const -> std::optional<Diagnostic> {
    if (node.operands.size() == count) return std::nullopt;
    return MakeDiagnostic(kTermArguments, node.range, node.name, count, node.operands.size());
  }

  auto Call(const SyntaxNode& node) -> Result<PrimExpr> {
    for (const TermFunction& function : kTermFunctions) {
      if (function.name != node.name) continue;
      if (function.kind == kSelect) return Conditional(node, true);
      if (auto fault = CheckCount(node, 2)) return *fault;
      return Operation(node, function.kind);
    }
    if (node.name == "if_then_else") return Conditional(node, false);
    if (const auto type = ParseDataType(node.name); type && !type->is_void() && !IsHandle(*type)) {
      if (auto fault = CheckCount(node, 1)) return *fault;
      return CastTo(terms_, *type, Operand(node, 0));
    }
    const IntrinsicRow* row = FindPrintedIntrinsic(node.name);
    const bool known = row != nullptr && row->effect <= CallEffect::kPure && row->dtype != CallDType::kGiven;
    if (!known || node.operands.empty()) {
      auto names = MapToVector<std::string_view>(kTermFunctions, &TermFunction::name);
      for (const IntrinsicRow& candidate : Intrinsics()) names.push_back(candidate.printed);
      return MakeDiagnostic(kUnknownTermFunction, node.range, node.name, DidYouMean(node.name, names));
    }
    if (!row->arity().Accepts(node.operands.size())) {
      if (auto fault = CheckCount(node, row->arity().min)) return *fault;
    }
    const auto args = MapToVector<PrimExpr>(node.operands, [&](uint32_t operand) { return made_[operand]; });
    const DataType first = terms_.dtype(args[0]);
    const DataType type = row->dtype == CallDType::kBoolLike || row->dtype == CallDType::kBool
                              ? WithLanes(DataType::Bool(), first.lanes)
                              : first;
    return terms_.Call(type, terms_.Intrinsic(row->name), args);
  }

  auto Conditional(const SyntaxNode& node, bool select) -> Result<PrimExpr> {
    if (auto fault = CheckCount(node, 3)) return *fault;
    const PrimExpr condition = Operand(node, 0);
    PrimExpr a = Operand(node, 1);
    PrimExpr b = Operand(node, 2);
    if (!IsBool(terms_.dtype(condition))) return NotACondition(node.range, condition);
    if (!MatchTypes(terms_, a, b)) {
      return MakeDiagnostic(kTermTypes, node.range, node.name, ToString(terms_.dtype(a)), ToString(terms_.dtype(b)));
    }
    if (select) return terms_.Select(condition, a, b);
    return terms_.Call(terms_.dtype(a), terms_.ops().if_then_else, {condition, a, b});
  }

  Terms& terms_;
  TermReader& reader_;
  std::vector<PrimExpr> made_;
};

// How an operation is written between its operands.
struct InfixForm {
  std::string_view sign;
  int precedence = 0;  // 0: as a function
};

constexpr int kWeakest = 0;

auto InfixOf(PrimKind kind) -> InfixForm {
  switch (kind) {
    case kOr: return {" or ", 1};
    case kAnd: return {" and ", 2};
    case kEQ: return {" == ", 4};
    case kNE: return {" != ", 4};
    case kLT: return {" < ", 4};
    case kLE: return {" <= ", 4};
    case kGT: return {" > ", 4};
    case kGE: return {" >= ", 4};
    case kAdd: return {" + ", 5};
    case kSub: return {" - ", 5};
    case kMul: return {"*", 6};
    case kFloorDiv: return {" // ", 6};
    case kFloorMod: return {" % ", 6};
    default: return {};
  }
}

class TermWriter {
 public:
  explicit TermWriter(const Terms& terms) : terms_(terms) {}

  auto Run(PrimExpr root) -> std::string {
    pending_.push_back({root, kWeakest, {}});
    while (!pending_.empty()) {
      const Piece piece = std::move(pending_.back());
      pending_.pop_back();
      if (piece.e) {
        Write(piece.e, piece.level);
      } else {
        out_ += piece.text;
      }
    }
    return std::move(out_);
  }

 private:
  // A term in a context of precedence `level`, or text.
  struct Piece {
    PrimExpr e;
    int level = kWeakest;
    std::string text;
  };

  void Later(std::vector<Piece> pieces) {
    for (auto it = pieces.rbegin(); it != pieces.rend(); ++it) pending_.push_back(std::move(*it));
  }
  void Function(std::string_view name, std::span<const PrimExpr> args, std::string_view last = "") {
    std::vector<Piece> pieces = {{{}, 0, std::string(name) + "("}};
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) pieces.push_back({{}, 0, ", "});
      pieces.push_back({args[i], kWeakest, {}});
    }
    pieces.push_back({{}, 0, std::string(last) + ")"});
    Later(std::move(pieces));
  }
  auto Text(StringId id) const -> std::string { return std::string(terms_.context().text(id)); }

  void WriteInfix(const InfixForm& form, bool is_comparison, std::span<const PrimExpr> operands, int level) {
    const bool parenthesis = form.precedence < level;
    // Comparisons do not chain when written back; other operators group to the left.
    const int left = is_comparison ? form.precedence + 1 : form.precedence;
    std::vector<Piece> pieces;
    if (parenthesis) pieces.push_back({{}, 0, "("});
    pieces.push_back({operands[0], left, {}});
    pieces.push_back({{}, 0, std::string(form.sign)});
    pieces.push_back({operands[1], form.precedence + 1, {}});
    if (parenthesis) pieces.push_back({{}, 0, ")"});
    Later(std::move(pieces));
  }

  void Write(PrimExpr e, int level) {
    const PrimKind kind = terms_.kind(e);
    const auto operands = terms_.operands(e);
    if (const InfixForm form = InfixOf(kind); form.precedence != 0) {
      return WriteInfix(form, IsComparison(kind), operands, level);
    }
    switch (kind) {
      case kVar:
      case kSizeVar: out_ += Text(terms_.var(e).name); return;
      case kIntImm: {
        const bool is_bool = IsBool(terms_.dtype(e));
        const int64_t value = terms_.int_value(e);
        out_ += is_bool ? (value != 0 ? "True" : "False") : std::to_string(value);
        return;
      }
      case kFloatImm: {
        std::array<char, 40> digits{};
        std::snprintf(digits.data(), digits.size(), "%.9g", terms_.float_value(e));
        out_ += digits.data();
        if (out_.find_last_of(".en") == std::string::npos) out_ += ".0";
        return;
      }
      case kStringImm: out_ += "\"" + Text(terms_.string_value(e)) + "\""; return;
      case kNot: {
        // `not` binds less tightly than a comparison.
        constexpr int kNotPrecedence = 3;
        const bool parenthesis = kNotPrecedence < level;
        return Later({{{}, 0, parenthesis ? "(not " : "not "},
                      {operands[0], kNotPrecedence, {}},
                      {{}, 0, parenthesis ? ")" : ""}});
      }
      case kCast: return Function(ToString(terms_.dtype(e)), operands);
      case kDiv: return Function("truncdiv", operands);
      case kMod: return Function("truncmod", operands);
      case kMin: return Function("min", operands);
      case kMax: return Function("max", operands);
      case kSelect: return Function("select", operands);
      case kRamp: return Function("ramp", operands, ", " + std::to_string(terms_.lanes(e)));
      case kBroadcast: return Function("broadcast", operands, ", " + std::to_string(terms_.lanes(e)));
      case kLet: return Function("let", operands);
      case kCall: {
        const CallOp& op = terms_.op(terms_.call_op(e));
        std::string_view name = terms_.context().text(op.name);
        if (op.kind == CallOpKind::kIntrinsic && name.starts_with("tir.")) name.remove_prefix(4);
        return Function(name, operands);
      }
      case kBufferLoad: return Function("buffer" + std::to_string(terms_.buffer(e).value()), operands);
      case kShuffle: return Function("shuffle", operands);
      case kReduce: return Function("reduce", operands);
      default: out_ += '?'; return;
    }
  }

  const Terms& terms_;
  std::vector<Piece> pending_;
  std::string out_;
};

}  // namespace

auto TermReader::Variable(std::string_view name) -> PrimExpr { return Declare(name, kInt32); }

auto TermReader::Declare(std::string_view name, DataType type) -> PrimExpr {
  for (const Named& named : variables_) {
    if (named.name == name) return named.var;
  }
  variables_.push_back({std::string(name), terms_.Var(name, type)});
  return variables_.back().var;
}

auto TermReader::Read(std::string_view text) -> Result<PrimExpr> {
  RELAYOPT_TRY(const SyntaxTable table, ParseTermSyntax(text));
  return TermBuilder(terms_, *this).Run(table);
}

auto TermReader::ReadCondition(std::string_view text) -> Result<PrimExpr> {
  RELAYOPT_TRY(const PrimExpr e, Read(text));
  if (IsBool(terms_.dtype(e))) return e;
  const SourceRange all = {0, static_cast<uint32_t>(text.size())};
  return MakeDiagnostic(kNotACondition, all, ToString(terms_.dtype(e)));
}

auto TermText(const Terms& terms, PrimExpr e) -> std::string { return TermWriter(terms).Run(e); }

auto SimplifyText(std::string_view term, std::string_view where) -> Result<ArithAnswer> {
  Context context;
  Terms& terms = context.Part<Terms>();
  TermReader reader(terms);
  Analyzer analyzer(terms);
  ArithAnswer answer;
  if (!where.empty()) {
    RELAYOPT_TRY(const PrimExpr condition, reader.ReadCondition(where));
    analyzer.EnterConstraint(condition);
  }
  RELAYOPT_TRY(const PrimExpr e, reader.Read(term));
  analyzer.LogRules(&answer.rules);
  answer.simplified = TermText(terms, analyzer.Simplify(e));
  return answer;
}

auto CheckConditionText(std::string_view where) -> std::optional<Diagnostic> {
  Context context;
  TermReader reader(context.Part<Terms>());
  Result<PrimExpr> condition = reader.ReadCondition(where);
  if (condition) return std::nullopt;
  return std::move(condition).error();
}

}  // namespace relayopt::arith
