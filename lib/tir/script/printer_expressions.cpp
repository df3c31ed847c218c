// Printing expressions, with a stack of what is still to be written.
#include <charconv>
#include <cmath>

#include "lib/tir/script/printer_state.h"
#include "relayopt/arith/intrinsics.h"

namespace relayopt::tir {

namespace {

struct InfixRow {
  PrimKind kind;
  std::string_view text;
  int level;
};

constexpr int kNotLevel = 5;
constexpr int kAtomLevel = 15;

// Indexed by kind, from kAdd to kOr; kinds without text never print infix.
constexpr InfixRow kInfix[] = {
    {PrimKind::kAdd, " + ", 11},      {PrimKind::kSub, " - ", 11}, {PrimKind::kMul, " * ", 12},
    {PrimKind::kDiv, " / ", 12},      {PrimKind::kMod, "", 15},    {PrimKind::kFloorDiv, " // ", 12},
    {PrimKind::kFloorMod, " % ", 12}, {PrimKind::kMin, "", 15},    {PrimKind::kMax, "", 15},
    {PrimKind::kEQ, " == ", 6},       {PrimKind::kNE, " != ", 6},  {PrimKind::kLT, " < ", 6},
    {PrimKind::kLE, " <= ", 6},       {PrimKind::kGT, " > ", 6},   {PrimKind::kGE, " >= ", 6},
    {PrimKind::kAnd, " and ", 4},     {PrimKind::kOr, " or ", 3}};

auto RowOfKind(PrimKind kind) -> const InfixRow& {
  return kInfix[static_cast<size_t>(kind) - static_cast<size_t>(PrimKind::kAdd)];
}

// For names, operators and brackets, most of which are so short that each character costs less than a call.
void AppendShort(TextBuilder& out, std::string_view text) {
  constexpr size_t kShort = 4;
  if (text.size() > kShort) {
    out += text;
    return;
  }
  for (const char c : text) out += c;
}

}  // namespace

auto ScriptFloat(double value) -> std::string {
  if (std::isnan(value)) return std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  // Most are whole. Below this they have neither a point nor an exponent; of the zeros, one has a sign.
  constexpr double kPlain = 1e15;
  if (std::abs(value) < kPlain && value == std::trunc(value) && (value != 0 || !std::signbit(value))) {
    return std::to_string(static_cast<int64_t>(value));
  }
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17).ptr};
}

// Whether the operator of the text would make another term of these operands, one of which is a literal.
auto Printer::Folds(PrimKind kind, PrimExpr a, PrimExpr b) const -> bool {
  const bool int_a = terms_.kind(a) == PrimKind::kIntImm;
  const bool int_b = terms_.kind(b) == PrimKind::kIntImm;
  const bool float_a = terms_.kind(a) == PrimKind::kFloatImm;
  const bool float_b = terms_.kind(b) == PrimKind::kFloatImm;
  const DataType type = terms_.dtype(a);
  const auto is = [&](bool is_int, bool is_float, PrimExpr e, int64_t value) {
    return (is_int && terms_.int_value(e) == value) ||
           (is_float && terms_.float_value(e) == static_cast<double>(value));
  };
  const bool wide_floats = float_a && float_b && type.code == TypeCode::kFloat && type.bits >= 32;
  const bool both = (int_a && int_b) || wide_floats;
  switch (kind) {
    case PrimKind::kAdd: return both || is(int_a, float_a, a, 0) || is(int_b, float_b, b, 0);
    case PrimKind::kSub: return both || is(int_b, float_b, b, 0);
    case PrimKind::kMul:
      return both || is(int_a, float_a, a, 0) || is(int_a, float_a, a, 1) || is(int_b, float_b, b, 0) ||
             is(int_b, float_b, b, 1);
    case PrimKind::kDiv:
    case PrimKind::kFloorDiv:
      return both || is(int_a, float_a, a, 0) || is(int_b, float_b, b, 0) || is(int_b, float_b, b, 1);
    case PrimKind::kFloorMod:
      return arith::IsIndexType(type) &&
             ((int_a && int_b) || is(int_a, false, a, 0) || is(int_b, false, b, 0) || is(int_b, false, b, 1));
    case PrimKind::kAnd:
    case PrimKind::kOr: return int_a || int_b;
    default: return (int_a && int_b) || (float_a && float_b);
  }
}

// Whether an operator prints infix: iff the operator of the text would bring back this very node, so that nothing folds
// and no type is matched.
auto Printer::PrintsInfix(PrimKind kind, PrimExpr a, PrimExpr b) const -> bool {
  const DataType type = terms_.dtype(a);
  if (type != terms_.dtype(b)) return false;
  const bool is_integer = arith::IsInteger(type);
  if (kind == PrimKind::kDiv && is_integer) return false;
  // TVM prints those of floats infix as well, and cannot read them.
  if ((kind == PrimKind::kFloorDiv || kind == PrimKind::kFloorMod) && !is_integer) return false;
  const auto is_number = [this](PrimExpr e) {
    const PrimKind of = terms_.kind(e);
    return of == PrimKind::kIntImm || of == PrimKind::kFloatImm;
  };
  return !(is_number(a) || is_number(b)) || !Folds(kind, a, b);
}

void Printer::IntText(DataType dtype, int64_t value, TextBuilder& out) {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view number(digits, static_cast<size_t>(end - digits));
  if (dtype == DataType::Int(32)) {
    out += number;
    return;
  }
  uses_t_ = true;
  if (arith::IsBool(dtype)) {
    out += value != 0 ? "T.bool(True)" : "T.bool(False)";
    return;
  }
  out.append("T.").append(ToString(dtype)).append("(").append(number).append(")");
}

void Printer::FloatText(DataType dtype, double value, TextBuilder& out) {
  uses_t_ = true;
  if (dtype == DataType::Float(32)) {
    out += "T.float32(";
  } else {
    out.append("T.").append(ToString(dtype)).append("(");
  }
  out.append(ScriptFloat(value)).append(")");
}

void Printer::VarOut(PrimExpr var, TextBuilder& out) {
  auto found = vars_.find(var);
  if (found == vars_.end()) {
    DeclareVar(var);
    found = vars_.find(var);
  }
  const VarText& text = found->second;
  if (text.kind == VarText::Kind::kName) {
    return AppendShort(out, text.name);
  }
  const VarText::Kind kind = text.kind;
  const uint32_t index = text.index;
  AppendShort(out, BufferName(text.buffer));
  switch (kind) {
    case VarText::Kind::kName: break;
    case VarText::Kind::kData: out += ".data"; break;
    case VarText::Kind::kElemOffset: out += ".elem_offset"; break;
    case VarText::Kind::kStride: out += ".strides[" + std::to_string(index) + "]"; break;
  }
}

void Printer::Expr(PrimExpr expr, TextBuilder& out, int level) {
  const size_t bottom = items_.size();
  for (;;) {
    // From an operator to its left operand, and so on.
    while (expr) {
      const PrimKind kind = terms_.kind(expr);
      if (arith::IsVarKind(kind)) {
        VarOut(expr, out);
        break;
      }
      const InfixRow* row = nullptr;
      if (arith::IsBinary(kind) && !RowOfKind(kind).text.empty()) {
        const std::span<const PrimExpr> both = terms_.operands(expr);
        if (PrintsInfix(kind, both[0], both[1])) row = &RowOfKind(kind);
      }
      const int own = row != nullptr ? row->level : kind == PrimKind::kNot ? kNotLevel : kAtomLevel;
      if (own < level) {
        out += '(';
        PushText(")");
      }
      if (row == nullptr) {
        PushExpr(expr, out);
        break;
      }
      items_.push_back({row->text, terms_.operand(expr, 1), own + 1});
      expr = terms_.operand(expr, 0);
      level = own;
    }
    if (items_.size() == bottom) return;
    const Item& item = items_.back();
    AppendShort(out, item.text);
    expr = item.expr;
    level = item.level;
    items_.pop_back();
  }
}

void Printer::PushText(std::string_view text) { items_.push_back({text, {}, 0}); }

void Printer::PushPart(PrimExpr expr) { items_.push_back({{}, expr, 0}); }

// The expressions, separated by commas.
void Printer::PushList(std::span<const PrimExpr> exprs) {
  for (size_t i = exprs.size(); i-- > 0;) items_.push_back({i > 0 ? ", " : "", exprs[i], 0});
}

// The frame of a call `T.name(...)`, whose arguments are pushed next.
void Printer::PushNamed(std::string_view name, TextBuilder& out) {
  uses_t_ = true;
  out += "T.";
  out += name;
  out += '(';
  PushText(")");
}

// Writes the beginning of an expression and stacks its parts, the last one first.
void Printer::PushExpr(PrimExpr expr, TextBuilder& out) {
  const auto operands = terms_.operands(expr);
  const auto call = [&](std::string_view name) {
    PushNamed(name, out);
    PushList(operands);
  };
  const PrimKind kind = terms_.kind(expr);
  switch (kind) {
    case PrimKind::kVar:
    case PrimKind::kSizeVar: return VarOut(expr, out);
    case PrimKind::kIntImm: return IntText(terms_.dtype(expr), terms_.int_value(expr), out);
    case PrimKind::kFloatImm: return FloatText(terms_.dtype(expr), terms_.float_value(expr), out);
    case PrimKind::kStringImm: {
      const std::string_view string = context_.text(terms_.string_value(expr));
      if (string.find('\n') != std::string_view::npos) return Metadata("tir.StringImm", expr.value(), out);
      return AppendQuoted(out, string);
    }
    case PrimKind::kNot:
      out += "not ";
      items_.push_back({{}, operands[0], kNotLevel});
      return;
    case PrimKind::kCast:
    case PrimKind::kRamp:
    case PrimKind::kBroadcast:
    case PrimKind::kShuffle:
    case PrimKind::kLet: return PushIrregular(expr, out);
    case PrimKind::kBufferLoad: return PushIndices(terms_.buffer(expr), operands, out);
    case PrimKind::kCall: return PushCall(expr, out);
    case PrimKind::kMod: return call(arith::IsInteger(terms_.dtype(expr)) ? "truncmod" : "Mod");
    case PrimKind::kMin: return call("min");
    case PrimKind::kMax: return call("max");
    case PrimKind::kReduce: return call("reduce");
    default: return call(arith::KindName(kind));
  }
}

// Expressions whose arguments are not just their operands.
void Printer::PushIrregular(PrimExpr expr, TextBuilder& out) {
  const auto operands = terms_.operands(expr);
  const PrimKind kind = terms_.kind(expr);
  // The definitions in a let are not made in the order of the text.
  if (kind == PrimKind::kLet && !named_lets_.contains(expr)) NeedAll(expr);
  PushNamed(arith::KindName(kind), out);
  switch (kind) {
    case PrimKind::kCast:
      AppendQuoted(out, ToString(terms_.dtype(expr)));
      out += ", ";
      return PushPart(operands[0]);
    case PrimKind::kShuffle:
      out += '[';
      PushText("]");
      PushList(operands.subspan(terms_.num_vectors(expr)));
      PushText("], [");
      return PushList(operands.first(terms_.num_vectors(expr)));
    case PrimKind::kLet:
      PushText("}");
      PushPart(operands[1]);
      PushText(": ");
      PushPart(operands[0]);
      PushText(", where={");
      return PushPart(operands[2]);
    default:
      // A ramp or a broadcast: the number of lanes follows the operands.
      PushPart(terms_.Int32(terms_.lanes(expr)));
      PushText(", ");
      return PushList(operands);
  }
}

void Printer::PushCall(PrimExpr expr, TextBuilder& out) {
  const arith::CallOp& op = terms_.op(terms_.call_op(expr));
  std::span<const PrimExpr> args = terms_.operands(expr);
  const std::string_view name = context_.text(op.name);
  items_.push_back({")", {}, 0});
  if (op.kind == arith::CallOpKind::kGlobal) {
    if (globals_.contains(op.name)) out.append(class_name_).append(".");
    out += name;
    out += '(';
  } else {
    uses_t_ = true;
    const arith::IntrinsicRow* row = arith::FindIntrinsic(name);
    out += "T.";
    out += row != nullptr ? row->printed : name;
    out += '(';
    if (row != nullptr && row->dtype_argument == arith::DTypeArgument::kFirst) {
      const std::string dtype = ToString(terms_.dtype(expr));
      AppendQuoted(out, dtype.empty() ? "void" : dtype);
      if (!args.empty()) out += ", ";
    }
    if (row != nullptr && row->dtype_argument == arith::DTypeArgument::kLast) {
      const std::string dtype = ToString(terms_.dtype(expr));
      const std::string_view known = context_.text(context_.Intern(dtype.empty() ? "void" : dtype));
      items_.push_back({"\"", {}, 0});
      items_.push_back({known, {}, 0});
      items_.push_back({args.empty() ? "\"" : ", \"", {}, 0});
    }
  }
  PushList(args);
}

void Printer::PushIndices(BufferId buffer, std::span<const PrimExpr> indices, TextBuilder& out) {
  AppendShort(out, BufferName(buffer));
  AppendShort(out, indices.empty() ? "[()" : "[");
  PushText("]");
  for (size_t i = indices.size(); i-- > 0;) {
    const PrimExpr index = indices[i];
    const bool is_ramp = terms_.kind(index) == PrimKind::kRamp;
    const int64_t step = is_ramp ? terms_.AsInt(terms_.operand(index, 1)).value_or(0) : 0;
    const std::string_view comma = i > 0 ? ", " : "";
    // A slice of step 0 has no elements.
    if (step == 0) {
      items_.push_back({comma, index, 0});
    } else {
      const PrimExpr base = terms_.operand(index, 0);
      const PrimExpr stride = terms_.operand(index, 1);
      const int64_t length = arith::WrapToType(terms_.dtype(stride), step * terms_.lanes(index));
      if (step != 1) items_.push_back({":", stride, 0});
      items_.push_back({":", arith::Add(terms_, base, terms_.IntImm(terms_.dtype(stride), length)), 0});
      items_.push_back({comma, base, 0});
    }
  }
}

void Printer::Exprs(std::span<const PrimExpr> exprs, TextBuilder& out) {
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (i > 0) out += ", ";
    Expr(exprs[i], out);
  }
}

void Printer::Tuple(std::span<const PrimExpr> exprs, TextBuilder& out) {
  out += '(';
  Exprs(exprs, out);
  out += exprs.size() == 1 ? ",)" : ")";
}

// The left side of a store.
void Printer::Indices(BufferId buffer, std::span<const PrimExpr> indices, TextBuilder& out) {
  const size_t bottom = items_.size();
  PushIndices(buffer, indices, out);
  while (items_.size() > bottom) {
    const Item item = items_.back();
    items_.pop_back();
    AppendShort(out, item.text);
    if (item.expr) Expr(item.expr, out, item.level);
  }
}

// `A[i, 0:n]`; extents of 1 as points where `points`.
void Printer::Region(BufferId buffer, Bounds bounds, TextBuilder& out, bool points) {
  out += BufferName(buffer);
  out += bounds.empty() ? "[()" : "[";
  for (size_t i = 0; i < bounds.size(); i += 2) {
    if (i > 0) out += ", ";
    Expr(bounds[i], out);
    if (points && terms_.IsInt(bounds[i + 1], 1)) continue;
    out += ':';
    PrimExpr min = bounds[i];
    PrimExpr extent = bounds[i + 1];
    Expr(arith::TypesMatch(terms_.dtype(min), terms_.dtype(extent)) ? arith::Add(terms_, min, extent) : extent, out);
  }
  out += ']';
}

}  // namespace relayopt::tir
