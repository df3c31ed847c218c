// Prints the lines of a function, which PrinterNumbering has laid out.
#include "printer_expr.h"

#include "printer_literals.h"
#include "printer_names.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// One piece of text that remains to be written. Pieces are pushed in reverse order.
enum class ExprPrinter::Step : uint8_t {
  // The lines of a scope from `line` on; `id` and `arg` are the let chain and its next step, if there is one.
  kLines,
  // An expression that is printed in place, or its name.
  kExpr,
  // The text of an expression with scopes of its own: a function, let, if or match.
  kLeaf,
  kInfo,
  kEndLine,
  // The end of a parenthesis around a let chain.
  kCloseParen,
  // Between the branches of an if.
  kElse,
  kCloseBrace,
  // Clause `arg` of a match, and its end.
  kArm,
  kCloseArm,
};

namespace {

// Whether the text of a node may have several lines.
auto IsLeaf(ExprKind kind) -> bool { return kind >= ExprKind::kFunction; }

}  // namespace

ExprPrinter::ExprPrinter(PrinterState& state, const Function& function, TextBuffer& buffer, PrintTrace* trace)
    : state_(state),
      function_(function),
      numbering_(state, function),
      buffer_(buffer),
      out_(buffer.text()),
      trace_(trace) {}

void ExprPrinter::PrintGlobal(GlobalId id) {
  global_ = id;
  TracePlace(function_.root());
  out_ += "def @";
  out_ += state_.module.name(id);
  BeginFunction(function_.root());
  Run();
}

void ExprPrinter::Run() {
  while (!work_.empty()) {
    const Task task = work_.back();
    work_.pop_back();
    Do(task);
  }
}

void ExprPrinter::Do(const Task& task) {
  switch (task.step) {
    case Step::kLines: Lines(task.line, task.id, task.arg); break;
    case Step::kExpr: Print(task.id); break;
    case Step::kLeaf: PrintLeaf(task.id); break;
    case Step::kInfo: AppendInfo(task.id); break;
    case Step::kEndLine:
      out_ += ';';
      Newline();
      break;
    case Step::kCloseParen:
      --indent_;
      Newline();
      out_ += ')';
      break;
    case Step::kElse:
      --indent_;
      Newline();
      out_ += "} else {";
      ++indent_;
      Newline();
      break;
    case Step::kCloseBrace:
      --indent_;
      Newline();
      out_ += '}';
      break;
    case Step::kArm: PrintArm(task.id, task.arg); break;
    case Step::kCloseArm:
      --indent_;
      Newline();
      out_ += "},";
      break;
  }
}

void ExprPrinter::Lines(ExprId line, ExprId let, uint32_t step) {
  for (; line; line = numbering_.next_line(line)) {
    if (trace_ == nullptr && function_.kind(line) == ExprKind::kOpCall) {
      CallLine(line);
      continue;
    }
    ExprId expr = line;
    const bool is_var = function_.kind(line) == ExprKind::kVar;
    const bool is_step = is_var && !numbering_.is_free(line);
    if (is_step && StepLine(line, function_.let_value(let, step))) {
      ++step;
      continue;
    }
    TracePlace(is_step ? function_.let_value(let, step) : line);
    if (is_var && numbering_.is_free(line)) {
      out_ += "free_var ";
      AppendDeclaration(line);
    } else if (is_var) {
      out_ += "let ";
      AppendDeclaration(line);
      out_ += " = ";
      expr = function_.let_value(let, step++);
      if (!IsLeaf(function_.kind(expr)) || numbering_.number(expr) != Numbering::kNoNumber) {
        PrintPlaced(expr);
      } else {
        Push(Step::kLines, let, numbering_.next_line(line), step);
        Push(Step::kEndLine);
        Push(Step::kInfo, expr);
        Push(Step::kLeaf, expr);
        return;
      }
    } else {
      AppendNumber(line, /*is_definition=*/true);
      out_ += " = ";
      if (IsLeaf(function_.kind(line))) {
        Push(Step::kLines, let, numbering_.next_line(line), step);
        Push(Step::kEndLine);
        Push(Step::kInfo, line);
        if (function_.kind(line) == ExprKind::kLet) {
          out_ += '(';
          ++indent_;
          Newline();
          Push(Step::kCloseParen);
        }
        Push(Step::kLeaf, line);
        return;
      }
      AppendDataflow(line);
    }
    out_ += ';';
    Newline();
  }
}

// An expression as the result of a scope.
void ExprPrinter::Print(ExprId id) {
  if (function_.kind(id) != ExprKind::kLet) TracePlace(id);
  PrintPlaced(id);
}

// Prints an expression that is not bound to a number, or the value of a let step.
void ExprPrinter::PrintPlaced(ExprId id) {
  if (function_.kind(id) <= ExprKind::kConstant || numbering_.number(id) != Numbering::kNoNumber) {
    AppendRef(id);
  } else if (IsLeaf(function_.kind(id))) {
    Push(Step::kInfo, id);
    Push(Step::kLeaf, id);
  } else {
    AppendDataflow(id);
  }
}

void ExprPrinter::PrintLeaf(ExprId id) {
  const auto operands = function_.operands(id);
  const auto append_operands = [&](std::string_view name) {
    out_ += name;
    scratch_.clear();
    AppendList(operands);
  };
  switch (function_.kind(id)) {
    case ExprKind::kFunction:
      out_ += "fn ";
      BeginFunction(id);
      break;
    case ExprKind::kLet: PushScope(id, 0, operands.back()); break;
    case ExprKind::kIf:
      out_ += "if (";
      AppendRef(operands[0]);
      out_ += ") {";
      ++indent_;
      Newline();
      Push(Step::kCloseBrace);
      PushScope(id, 1, operands[2]);
      Push(Step::kElse);
      PushScope(id, 0, operands[1]);
      break;
    case ExprKind::kMatch:
      out_ += function_.match(id).complete ? "match (" : "match? (";
      AppendRef(operands[0]);
      out_ += ") {";
      ++indent_;
      Newline();
      Push(Step::kCloseBrace);
      if (!function_.match(id).clauses.empty()) Push(Step::kArm, id, {}, 0);
      break;
    case ExprKind::kRefCreate: append_operands("ref"); break;
    case ExprKind::kRefRead: append_operands("ref_read"); break;
    case ExprKind::kRefWrite: append_operands("ref_write"); break;
    default: break;
  }
}

void ExprPrinter::PrintArm(ExprId id, uint32_t clause_index) {
  const MatchInfo& match = function_.match(id);
  const MatchClause& clause = match.clauses[clause_index];
  if (clause_index != 0) Newline();
  AppendPattern(id, clause);
  out_ += " => {";
  ++indent_;
  Newline();
  if (clause_index + 1 < match.clauses.size()) Push(Step::kArm, id, {}, clause_index + 1);
  Push(Step::kCloseArm);
  PushScope(id, clause_index, function_.operand(id, clause.rhs));
}

void ExprPrinter::BeginFunction(ExprId id) {
  const FunctionInfo& info = function_.info(id);
  if (!info.type_params.empty()) {
    out_ += '[';
    for (size_t i = 0; i < info.type_params.size(); ++i) {
      if (i != 0) out_ += ", ";
      state_.types.Append(out_, info.type_params[i]);
    }
    out_ += ']';
  }
  out_ += '(';
  const auto params = function_.params(id);
  for (size_t i = 0; i < params.size(); ++i) {
    if (i != 0) out_ += ", ";
    TracePlace(params[i]);
    AppendDeclaration(params[i], true);
    if (trace_ != nullptr) trace_->places.back().end = buffer_.offset();
  }
  scratch_.clear();
  state_.attrs.AppendFunction(scratch_, info);
  if (!params.empty() && !scratch_.empty()) out_ += ", ";
  out_ += scratch_;
  out_ += ") ";
  const size_t before_result = out_.size();
  out_ += "-> ";
  if (info.result && state_.types.AppendOptional(out_, info.result)) {
    out_ += ' ';
  } else {
    out_.resize(before_result);
  }
  out_ += '{';
  ++indent_;
  Newline();
  Push(Step::kCloseBrace);
  PushScope(id, 0, function_.body(id));
}

void ExprPrinter::AppendRef(ExprId id) {
  const Context& context = state_.module.context();
  switch (function_.kind(id)) {
    case ExprKind::kVar:
      out_ += '%';
      out_ += numbering_.name(id);
      break;
    case ExprKind::kGlobal:
      out_ += '@';
      out_ += state_.module.name(function_.global(id));
      break;
    case ExprKind::kConstructor: out_ += context.text(state_.module.constructor(function_.constructor(id)).name); break;
    case ExprKind::kOp: out_ += function_.op(id)->name; break;
    case ExprKind::kConstant: AppendConstant(id); break;
    default: AppendNumber(id, /*is_definition=*/false);
  }
}

void ExprPrinter::AppendNumber(ExprId id, bool is_definition) {
  const size_t begin = buffer_.offset();
  out_ += '%';
  AppendInt(out_, numbering_.number(id));
  if (trace_ != nullptr) trace_->numbers.push_back({begin, buffer_.offset(), is_definition});
}

void ExprPrinter::TracePlace(ExprId id) {
  if (trace_ != nullptr) trace_->places.push_back({global_, id, buffer_.offset(), 0});
}

void ExprPrinter::CallLine(ExprId id) {
  {
    Pieces line(out_);
    line.Add('%');
    line.Add(numbering_.number(id));
    line.Add(" = ");
    AppendOpCall(line, id);
    AppendLineEnd(line);
  }
  buffer_.Flow();
}

auto ExprPrinter::StepLine(ExprId var, ExprId value) -> bool {
  const VarInfo& info = function_.var(var);
  const ExprKind kind = function_.kind(value);
  const bool is_call = kind == ExprKind::kOpCall && numbering_.number(value) == Numbering::kNoNumber;
  if (trace_ != nullptr || state_.options.spans || (!is_call && kind != ExprKind::kConstant) ||
      !IsUnconstrained(state_.module.context(), info.virtual_device)) {
    return false;
  }
  const std::string* literal = is_call ? nullptr : LiteralText(value);
  if (!is_call && literal == nullptr) return false;
  const std::string* types = TypesText(info.annotation, numbering_.ShownType(var));
  if (types == nullptr) return false;
  {
    Pieces line(out_);
    line.Add("let %");
    line.Add(numbering_.name(var));
    line.Add(*types);
    line.Add(" = ");
    if (is_call)
      AppendOpCall(line, value);
    else
      line.Add(*literal);
    AppendLineEnd(line);
  }
  buffer_.Flow();
  return true;
}

auto ExprPrinter::TypesText(TypeId annotation, TypeId type) -> const std::string* {
  auto& slot = state_.types_texts[(annotation.value() + 3 * type.value()) % state_.types_texts.size()];
  if (slot.annotation == annotation && slot.type == type) return &slot.text;
  std::string text;
  const auto append = [&](std::string_view before, TypeId id, std::string_view after) {
    const std::string* remembered = id ? state_.types.Remembered(id) : nullptr;
    if (remembered != nullptr) text.append(before).append(*remembered).append(after);
    return !id || remembered != nullptr;
  };
  if (!append(": ", annotation, "") || !append(" /* ty=", type, " */")) return nullptr;
  slot = {annotation, type, std::move(text)};
  return &slot.text;
}

void ExprPrinter::AppendOpCall(Pieces& line, ExprId id) {
  line.Add(function_.op(id)->name);
  line.Add('(');
  const auto operands = function_.operands(id);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) line.Add(", ");
    const ExprKind kind = function_.kind(operands[i]);
    if (kind == ExprKind::kVar) {
      line.Add('%');
      line.Add(numbering_.name(operands[i]));
    } else if (kind > ExprKind::kConstant && trace_ == nullptr) {
      line.Add('%');
      line.Add(numbering_.number(operands[i]));
    } else if (const auto* literal = kind == ExprKind::kConstant ? LiteralText(operands[i]) : nullptr) {
      line.Add(*literal);
    } else {
      line.Flush();
      AppendRef(operands[i]);
    }
  }
  std::optional<std::string_view> attrs = state_.attrs.OpCallText(function_.op_instance(id));
  if (!attrs) {
    scratch_.clear();
    state_.attrs.AppendOpCall(scratch_, function_.op_instance(id), numbering_.call_key(id));
    attrs = scratch_;
  }
  if (!operands.empty() && !attrs->empty()) line.Add(", ");
  line.Add(*attrs);
  line.Add(')');
  const TypeId type = numbering_.ShownType(id);
  const std::string* text = state_.options.spans && function_.span(id) ? nullptr : TypesText({}, type);
  if (text != nullptr) {
    line.Add(*text);
  } else {
    line.Flush();
    AppendInfo(id);
  }
}

auto ExprPrinter::LiteralText(ExprId id) -> const std::string* {
  const ConstantId constant = function_.constant_id(id);
  const TypeId type = numbering_.ShownType(id);
  auto& slot = state_.literals[constant.value() % state_.literals.size()];
  if (state_.options.spans && function_.span(id)) return nullptr;
  if (slot.constant == constant && slot.type == type) return &slot.text;
  if (!IsLiteral(function_.constant(id))) return nullptr;
  const size_t begin = out_.size();
  AppendConstant(id);
  slot = {constant, type, out_.substr(begin)};
  out_.resize(begin);
  return &slot.text;
}

void ExprPrinter::AppendConstant(ExprId id) {
  const Constant& constant = function_.constant(id);
  if (IsLiteral(constant)) {
    const size_t begin = out_.size();
    AppendLiteral(out_, constant);
    if (state_.number_constructors.contains(std::string_view(out_).substr(begin))) out_ += "i32";
  } else {
    state_.meta.Append(out_, {MetaRef::Kind::kConstant, function_.constant_id(id).value()});
  }
  AppendInfo(id);
}

// A node without lines of its own, with its comment.
void ExprPrinter::AppendDataflow(ExprId id) {
  if (function_.kind(id) == ExprKind::kOpCall) {
    Pieces line(out_);
    return AppendOpCall(line, id);
  }
  const auto operands = function_.operands(id);
  switch (function_.kind(id)) {
    case ExprKind::kTuple:
      out_ += '(';
      AppendArgs(operands);
      out_ += operands.size() == 1 ? ",)" : ")";
      break;
    case ExprKind::kTupleGetItem:
      AppendRef(operands[0]);
      out_ += '.';
      AppendInt(out_, function_.index(id));
      break;
    default: AppendCall(id);
  }
  AppendInfo(id);
}

void ExprPrinter::AppendCall(ExprId id) {
  const auto operands = function_.operands(id);
  const auto args = operands.subspan(1);
  AppendRef(operands[0]);
  if (function_.kind(operands[0]) == ExprKind::kConstructor && args.empty() &&
      state_.module.constructor(function_.constructor(operands[0])).inputs.empty()) {
    return;
  }
  scratch_.clear();
  state_.attrs.AppendCall(scratch_, function_.attrs(id));
  AppendList(args);
}

void ExprPrinter::AppendList(std::span<const ExprId> args) {
  out_ += '(';
  AppendArgs(args);
  if (!args.empty() && !scratch_.empty()) out_ += ", ";
  out_ += scratch_;
  out_ += ')';
}

void ExprPrinter::AppendArgs(std::span<const ExprId> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (i != 0) out_ += ", ";
    AppendRef(args[i]);
  }
}

void ExprPrinter::AppendDeclaration(ExprId var, bool is_param) {
  const VarInfo& info = function_.var(var);
  out_ += '%';
  out_ += numbering_.name(var);
  if (!IsUnconstrained(state_.module.context(), info.virtual_device)) {
    out_ += " {virtual_device=";
    state_.attrs.AppendValue(out_, info.virtual_device);
    out_ += '}';
  }
  const size_t before_annotation = out_.size();
  out_ += ": ";
  if (is_param && info.annotation) {
    state_.types.Append(out_, info.annotation);
  } else if (!info.annotation || !state_.types.AppendOptional(out_, info.annotation)) {
    out_.resize(before_annotation);
  }
  AppendInfo(var);
}

// Patterns nest, but their text is one line: a list is closed when all its members are written.
void ExprPrinter::AppendPattern(ExprId id, const MatchClause& clause) {
  const Context& context = state_.module.context();
  // For each open list, the number of patterns that are left.
  std::vector<uint32_t> left;
  ForEachPattern(function_.match(id), clause, [&](const Pattern& pattern) {
    switch (pattern.kind) {
      case PatternKind::kWildcard: out_ += '_'; break;
      case PatternKind::kVar: AppendDeclaration(function_.operand(id, pattern.operand)); break;
      case PatternKind::kConstructor: out_ += context.text(state_.module.constructor(pattern.ctor).name); break;
      case PatternKind::kTuple: break;
    }
    if (pattern.num_children != 0) {
      out_ += '(';
      left.push_back(pattern.num_children);
      return;
    }
    if (pattern.kind == PatternKind::kTuple) out_ += "()";
    while (!left.empty() && --left.back() == 0) {
      out_ += ')';
      left.pop_back();
    }
    if (!left.empty()) out_ += ", ";
  });
}

void ExprPrinter::AppendInfo(ExprId id) {
  if (function_.kind(id) > ExprKind::kFunction) return;
  const TypeId type = numbering_.ShownType(id);
  const SpanId span = state_.options.spans ? function_.span(id) : SpanId();
  if (!type && !span) return;
  const size_t start = out_.size();
  out_ += " /*";
  if (type) {
    out_ += " ty=";
    if (!state_.types.AppendOptional(out_, type)) {
      out_.resize(start);
      return;
    }
  }
  if (span) {
    const Span& at = state_.module.context().span(span);
    out_ += " span=";
    AppendSpanSource(out_, state_.module.context().text(at.source));
    out_ += ':';
    AppendInt(out_, at.line);
    out_ += ':';
    AppendInt(out_, at.column);
  }
  out_ += " */";
}

void ExprPrinter::Newline() {
  {
    Pieces line(out_);
    line.Add('\n');
    AppendIndent(line);
  }
  buffer_.Flow();
}

namespace {

// The end of a line, and blanks for the next one.
constexpr std::string_view kLineEnd = ";\n                                                                ";
constexpr std::string_view kBlanks = kLineEnd.substr(2);

}  // namespace

void ExprPrinter::AppendIndent(Pieces& line) {
  // Deeper nesting is not indented further: text would grow with the square of the depth, to gigabytes.
  constexpr size_t kMostBlanks = 2000;
  const size_t blanks = std::min(2 * indent_, kMostBlanks);
  if (buffer_.takes_indentation()) {
    line.Flush();
    return buffer_.PassIndentation(blanks);
  }
  for (size_t spaces = blanks; spaces != 0;) {
    const size_t count = std::min(spaces, kBlanks.size());
    line.Add(kBlanks.substr(0, count));
    spaces -= count;
    if (spaces == 0) break;
    line.Flush();
    buffer_.Flow();
  }
}

void ExprPrinter::AppendLineEnd(Pieces& line) {
  if (!buffer_.takes_indentation() && 2 * indent_ <= kBlanks.size())
    return line.Add(kLineEnd.substr(0, 2 + 2 * indent_));
  line.Add(kLineEnd.substr(0, 2));
  AppendIndent(line);
}

void ExprPrinter::PushScope(ExprId owner, uint32_t region, ExprId result) {
  Push(Step::kExpr, result);
  Push(Step::kLines, owner, numbering_.first_line(owner, region), 0);
}

}  // namespace relayopt
