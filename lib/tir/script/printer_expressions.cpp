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

// How an operator prints infix: iff the operator of the text would bring back this very node, so that nothing folds and
// no type is matched. Empty otherwise.
auto Printer::Infix(PrimExpr expr) const -> std::string_view {
  const PrimKind kind = terms_.kind(expr);
  const InfixRow& row = RowOfKind(kind);
  if (row.text.empty()) return {};
  const PrimExpr a = terms_.operand(expr, 0);
  const PrimExpr b = terms_.operand(expr, 1);
  if (terms_.dtype(a) != terms_.dtype(b)) return {};
  const bool int_a = terms_.kind(a) == PrimKind::kIntImm;
  const bool int_b = terms_.kind(b) == PrimKind::kIntImm;
  const bool float_a = terms_.kind(a) == PrimKind::kFloatImm;
  const bool float_b = terms_.kind(b) == PrimKind::kFloatImm;
  const bool is_integer = arith::IsInteger(terms_.dtype(a));
  if (kind == PrimKind::kDiv && is_integer) return {};
  // TVM prints those of floats infix as well, and cannot read them.
  if ((kind == PrimKind::kFloorDiv || kind == PrimKind::kFloorMod) && !is_integer) return {};
  if (!int_a && !int_b && !float_a && !float_b) return row.text;
  const DataType type = terms_.dtype(a);
  const auto is = [&](bool is_int, bool is_float, PrimExpr e, int64_t value) {
    return (is_int && terms_.int_value(e) == value) ||
           (is_float && terms_.float_value(e) == static_cast<double>(value));
  };
  const bool wide_floats = float_a && float_b && type.code == TypeCode::kFloat && type.bits >= 32;
  bool folds = false;
  switch (kind) {
    case PrimKind::kAdd:
      folds = (int_a && int_b) || wide_floats || is(int_a, float_a, a, 0) || is(int_b, float_b, b, 0);
      break;
    case PrimKind::kSub: folds = (int_a && int_b) || wide_floats || is(int_b, float_b, b, 0); break;
    case PrimKind::kMul:
      folds = (int_a && int_b) || wide_floats || is(int_a, float_a, a, 0) || is(int_a, float_a, a, 1) ||
              is(int_b, float_b, b, 0) || is(int_b, float_b, b, 1);
      break;
    case PrimKind::kDiv:
    case PrimKind::kFloorDiv:
      folds = (int_a && int_b) || wide_floats || is(int_a, float_a, a, 0) || is(int_b, float_b, b, 0) ||
              is(int_b, float_b, b, 1);
      break;
    case PrimKind::kFloorMod:
      folds = arith::IsIndexType(type) &&
              ((int_a && int_b) || is(int_a, false, a, 0) || is(int_b, false, b, 0) || is(int_b, false, b, 1));
      break;
    case PrimKind::kAnd:
    case PrimKind::kOr: folds = int_a || int_b; break;
    default: folds = (int_a && int_b) || (float_a && float_b);
  }
  return folds ? std::string_view() : row.text;
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
  out.append("T.").append(ToString(dtype)).append("(").append(ScriptFloat(value)).append(")");
}

void Printer::VarOut(PrimExpr var, TextBuilder& out) {
  auto found = vars_.find(var);
  if (found == vars_.end()) {
    DeclareVar(var);
    found = vars_.find(var);
  }
  const VarText& text = found->second;
  if (text.kind == VarText::Kind::kName) {
    out += text.name;
    return;
  }
  const VarText::Kind kind = text.kind;
  const uint32_t index = text.index;
  out += BufferName(text.buffer);
  switch (kind) {
    case VarText::Kind::kName: break;
    case VarText::Kind::kData: out += ".data"; break;
    case VarText::Kind::kElemOffset: out += ".elem_offset"; break;
    case VarText::Kind::kStride: out += ".strides[" + std::to_string(index) + "]"; break;
  }
}

void Printer::Expr(PrimExpr expr, TextBuilder& out, int level) {
  const size_t bottom = items_.size();
  for (Item item = {{}, expr, level};;) {
    if (!item.expr) {
      out += item.text;
    } else if (const PrimKind kind = terms_.kind(item.expr); arith::IsVarKind(kind)) {
      VarOut(item.expr, out);
    } else {
      const std::string_view infix = arith::IsBinary(kind) ? Infix(item.expr) : std::string_view();
      const int own = !infix.empty() ? RowOfKind(kind).level : kind == PrimKind::kNot ? kNotLevel : kAtomLevel;
      if (own < item.level) {
        out += '(';
        items_.push_back({")", {}, 0});
      }
      if (!infix.empty()) {
        items_.push_back({{}, terms_.operand(item.expr, 1), own + 1});
        items_.push_back({infix, {}, 0});
        item = {{}, terms_.operand(item.expr, 0), own};
        continue;
      }
      PushExpr(item.expr, out);
    }
    if (items_.size() == bottom) return;
    item = items_.back();
    items_.pop_back();
  }
}

void Printer::PushText(std::string_view text) { items_.push_back({text, {}, 0}); }

void Printer::PushPart(PrimExpr expr) { items_.push_back({{}, expr, 0}); }

// The expressions, separated by commas.
void Printer::PushList(std::span<const PrimExpr> exprs) {
  for (size_t i = exprs.size(); i-- > 0;) {
    PushPart(exprs[i]);
    if (i > 0) PushText(", ");
  }
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
  for (size_t i = args.size(); i-- > 0;) {
    items_.push_back({{}, args[i], 0});
    if (i > 0) items_.push_back({", ", {}, 0});
  }
}

void Printer::PushIndices(BufferId buffer, std::span<const PrimExpr> indices, TextBuilder& out) {
  out += BufferName(buffer);
  out += indices.empty() ? "[()" : "[";
  items_.push_back({"]", {}, 0});
  for (size_t i = indices.size(); i-- > 0;) {
    const PrimExpr index = indices[i];
    const bool is_ramp = terms_.kind(index) == PrimKind::kRamp;
    const int64_t step = is_ramp ? terms_.AsInt(terms_.operand(index, 1)).value_or(0) : 0;
    // A slice of step 0 has no elements.
    if (step == 0) {
      items_.push_back({{}, index, 0});
    } else {
      const PrimExpr base = terms_.operand(index, 0);
      const PrimExpr stride = terms_.operand(index, 1);
      const int64_t length = arith::WrapToType(terms_.dtype(stride), step * terms_.lanes(index));
      if (step != 1) {
        items_.push_back({{}, stride, 0});
        items_.push_back({":", {}, 0});
      }
      items_.push_back({{}, arith::Add(terms_, base, terms_.IntImm(terms_.dtype(stride), length)), 0});
      items_.push_back({":", {}, 0});
      items_.push_back({{}, base, 0});
    }
    if (i > 0) items_.push_back({", ", {}, 0});
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
    if (item.expr) {
      Expr(item.expr, out, item.level);
    } else {
      out += item.text;
    }
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
