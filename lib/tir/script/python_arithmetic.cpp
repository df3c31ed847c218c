// Arithmetic on numbers, strings and sequences that only Python sees, computed as Python does.
#include <cmath>

#include "lib/tir/script/operators.h"
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {
namespace {

auto FloorDiv(double a, double b) -> double { return std::floor(a / b); }

// The result of a comparison.
template <typename T>
auto Ordered(Op op, T x, T y) -> bool {
  switch (op) {
    case Op::kLess: return x < y;
    case Op::kLessEqual: return x <= y;
    case Op::kEqual: return x == y;
    case Op::kNotEqual: return x != y;
    case Op::kGreater: return x > y;
    default: return x >= y;
  }
}

// `base` to the power of `exponent` >= 0; true when it overflows.
auto PowerOverflows(int64_t base, int64_t exponent, int64_t& result) -> bool {
  result = 1;
  if (exponent > 0 && (base == 0 || base == 1)) {
    result = base;
    return false;
  }
  bool overflow = false;
  for (int64_t i = 0; i < exponent && !overflow && base != 0 && base != 1; ++i) {
    overflow = i > 64 || __builtin_mul_overflow(result, base, &result);
  }
  return overflow;
}

}  // namespace

auto Reader::PythonBinary(int op, const Value& a, const Value& b, SourceRange range) -> Value {
  const OpRow& row = RowOf(static_cast<Op>(op));
  if (row.op == Op::kAnd || row.op == Op::kOr) {
    const bool is_true = a.is(ValueKind::kFloat)    ? a.real != 0
                         : a.is_python_number()     ? a.integer != 0
                         : a.is(ValueKind::kString) ? !context_.text(a.text()).empty()
                                                    : a.size != 0;
    return (row.op == Op::kAnd) == is_true ? b : a;
  }
  if (a.is(ValueKind::kString) && b.is(ValueKind::kString)) {
    const std::string x(context_.text(a.text()));
    const std::string y(context_.text(b.text()));
    if (row.op == Op::kEqual) return Value::Bool(x == y);
    if (row.op == Op::kNotEqual) return Value::Bool(x != y);
    if (row.op == Op::kAdd) return Value::String(context_.Intern(x + y));
  } else if (a.is_sequence() && b.is_sequence() && row.op == Op::kAdd) {
    std::vector<Value> all(elements(a).begin(), elements(a).end());
    all.insert(all.end(), elements(b).begin(), elements(b).end());
    return Sequence(a.kind, all);
  } else if (a.is_sequence() && b.is(ValueKind::kInt) && row.op == Op::kMul && b.integer >= 0 && b.integer <= 64) {
    std::vector<Value> all;
    for (int64_t i = 0; i < b.integer; ++i) all.insert(all.end(), elements(a).begin(), elements(a).end());
    return Sequence(a.kind, all);
  } else if (a.is_python_number() && b.is_python_number()) {
    const bool floats = a.is(ValueKind::kFloat) || b.is(ValueKind::kFloat);
    return floats || row.op == Op::kDiv ? PythonFloats(row, a, b, range) : PythonInts(row, a, b, range);
  }
  return Error(diag::kOperands, range, row.text, Name(a.kind), Name(b.kind));
}

auto Reader::PythonFloats(const OpRow& row, const Value& a, const Value& b, SourceRange range) -> Value {
  const double x = a.is(ValueKind::kFloat) ? a.real : static_cast<double>(a.integer);
  const double y = b.is(ValueKind::kFloat) ? b.real : static_cast<double>(b.integer);
  if (row.precedence == RowOf(Op::kLess).precedence) return Value::Bool(Ordered(row.op, x, y));
  if ((row.op == Op::kDiv || row.op == Op::kFloorDiv || row.op == Op::kMod) && y == 0)
    return Error(diag::kDivideByZero, range);
  switch (row.op) {
    case Op::kAdd: return Value::Float(x + y);
    case Op::kSub: return Value::Float(x - y);
    case Op::kMul: return Value::Float(x * y);
    case Op::kDiv: return Value::Float(x / y);
    case Op::kFloorDiv: return Value::Float(FloorDiv(x, y));
    case Op::kMod: return Value::Float(x - y * FloorDiv(x, y));
    case Op::kPower: return Value::Float(std::pow(x, y));
    default: return Error(diag::kOperands, range, row.text, Name(a.kind), Name(b.kind));
  }
}

auto Reader::PythonInts(const OpRow& row, const Value& a, const Value& b, SourceRange range) -> Value {
  const auto fail = [&] { return Error(diag::kOperands, range, row.text, Name(a.kind), Name(b.kind)); };
  if (a.flag || b.flag) return Error(diag::kIntegerRange, range, "in arithmetic");
  const int64_t x = a.integer;
  const int64_t y = b.integer;
  if (row.precedence == RowOf(Op::kLess).precedence) return Value::Bool(Ordered(row.op, x, y));
  int64_t result = 0;
  bool overflow = false;
  switch (row.op) {
    case Op::kAdd: overflow = __builtin_add_overflow(x, y, &result); break;
    case Op::kSub: overflow = __builtin_sub_overflow(x, y, &result); break;
    case Op::kMul: overflow = __builtin_mul_overflow(x, y, &result); break;
    case Op::kFloorDiv:
    case Op::kMod:
      if (y == 0) return Error(diag::kDivideByZero, range);
      result = row.op == Op::kMod ? arith::FloorModInt(x, y) : arith::FloorDivInt(x, y);
      overflow = row.op == Op::kFloorDiv && x == INT64_MIN && y == -1;
      break;
    case Op::kBitAnd: result = x & y; break;
    case Op::kBitOr: result = x | y; break;
    case Op::kBitXor: result = x ^ y; break;
    case Op::kShiftRight:
      if (y < 0) return fail();
      result = x >> std::min<int64_t>(y, 63);
      break;
    case Op::kShiftLeft:
      if (y < 0) return fail();
      overflow = x != 0 && (y > 62 || (x << y) >> y != x);
      result = overflow ? 0 : x << y;
      break;
    case Op::kPower:
      if (y < 0) return Value::Float(std::pow(static_cast<double>(x), static_cast<double>(y)));
      overflow = PowerOverflows(x, y, result);
      break;
    default: return fail();
  }
  if (overflow) return Error(diag::kIntegerRange, range, "of this arithmetic");
  return Value::Int(result);
}

}  // namespace relayopt::tir
