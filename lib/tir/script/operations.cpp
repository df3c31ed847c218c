// Operators, subscripts and casts of TVMScript, checked: a fault of the text is a diagnostic.
#include <cmath>

#include "lib/tir/script/operators.h"
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

namespace {

auto IsZero(const Terms& terms, PrimExpr e) -> bool {
  return terms.IsInt(e, 0) || (terms.kind(e) == PrimKind::kFloatImm && terms.float_value(e) == 0);
}

}  // namespace

auto Reader::AreIntegers(PrimExpr a, PrimExpr b, SourceRange range) -> bool {
  for (const PrimExpr e : {a, b}) {
    if (arith::IsInteger(terms_.dtype(e))) continue;
    Report(diag::kTypeOf, range, "an operand of an integer division", "an integer", DTypeText(e));
    return false;
  }
  return true;
}

auto Reader::Operate(PrimKind kind, PrimExpr a, PrimExpr b, SourceRange range) -> PrimExpr {
  const bool needs_integers = kind == PrimKind::kFloorDiv || kind == PrimKind::kFloorMod || kind == PrimKind::kMod;
  if (needs_integers && !AreIntegers(a, b, range)) return {};
  if (!arith::TypesMatch(terms_.dtype(a), terms_.dtype(b))) {
    Report(diag::kCannotMatch, range, DTypeText(a), DTypeText(b));
    return {};
  }
  const bool divides = kind == PrimKind::kDiv || kind == PrimKind::kFloorDiv;
  const bool remains = kind == PrimKind::kMod || kind == PrimKind::kFloorMod;
  if ((divides || (remains && arith::IsIndexType(terms_.dtype(a)))) && IsZero(terms_, b)) {
    Report(diag::kDivideByZero, range);
    return {};
  }
  return arith::Operate(terms_, kind, a, b);
}

auto Reader::Raw(PrimKind kind, PrimExpr a, PrimExpr b, SourceRange range) -> PrimExpr {
  if (terms_.dtype(a) != terms_.dtype(b)) {
    Report(diag::kTypes, range, DTypeText(a), DTypeText(b));
    return {};
  }
  if ((kind == PrimKind::kAnd || kind == PrimKind::kOr) && !arith::IsBool(terms_.dtype(a))) {
    Report(diag::kTypeOf, range, "an operand of and, or", "bool", DTypeText(a));
    return {};
  }
  return terms_.Binary(kind, a, b);
}

// A comparison does not match types: a number of Python becomes a literal of the other side's type, a scalar is
// broadcast, and then the plain node is created.
auto Reader::Compare(PrimKind kind, const Value& a, const Value& b, SourceRange range) -> Value {
  const auto literal = [&](const Value& number, PrimExpr other, bool on_left) -> PrimExpr {
    const DataType type = arith::ElementOf(terms_.dtype(other));
    if (number.is(ValueKind::kFloat)) {
      if (type.is_float()) return FloatLiteral(type, number.real, number.range);
      if (on_left) return FloatLiteral(DataType::Float(32), number.real, number.range);
      Report(diag::kTypes, range, TypeText(type), "float32");
      return {};
    }
    if (arith::IsInteger(type)) {
      if (number.flag || !arith::FitsType(type, number.integer)) {
        Report(diag::kLiteralRange, number.range, number.integer, TypeText(type));
        return {};
      }
      return terms_.IntImm(type, number.integer);
    }
    if (type.is_float()) return FloatLiteral(type, static_cast<double>(number.integer), number.range);
    return ToExpr(number);
  };
  PrimExpr x;
  PrimExpr y;
  if (a.is_python_number()) {
    y = ToExpr(b);
    x = y ? literal(a, y, true) : PrimExpr();
  } else {
    x = ToExpr(a);
    y = !x ? PrimExpr() : b.is_python_number() ? literal(b, x, false) : ToExpr(b);
  }
  if (!x || !y) return Value::Error();
  if (terms_.lanes(x) != terms_.lanes(y)) {
    // A handle of type void has no lanes at all.
    if (terms_.lanes(x) == 1 && terms_.lanes(y) > 1)
      x = terms_.Broadcast(x, terms_.lanes(y));
    else if (terms_.lanes(y) == 1 && terms_.lanes(x) > 1)
      y = terms_.Broadcast(y, terms_.lanes(x));
  }
  const PrimExpr made = Raw(kind, x, y, range);
  return made ? Value::Expr(made) : Value::Error();
}

auto Reader::Bitwise(arith::CallOpId op, PrimExpr a, PrimExpr b, SourceRange range) -> PrimExpr {
  for (const PrimExpr e : {a, b}) {
    if (!arith::IsInteger(terms_.dtype(e))) {
      Report(diag::kTypeOf, range, "an operand of a bitwise operation", "an integer", DTypeText(e));
      return {};
    }
  }
  if (!arith::TypesMatch(terms_.dtype(a), terms_.dtype(b))) {
    Report(diag::kCannotMatch, range, DTypeText(a), DTypeText(b));
    return {};
  }
  const Terms::KnownOps& ops = terms_.ops();
  if (op == ops.shift_left) return arith::ShiftLeft(terms_, a, b);
  if (op == ops.shift_right) return arith::ShiftRight(terms_, a, b);
  if (op == ops.bitwise_and) return arith::BitwiseAnd(terms_, a, b);
  if (op == ops.bitwise_or) return arith::BitwiseOr(terms_, a, b);
  return arith::BitwiseXor(terms_, a, b);
}

auto Reader::CastTo(DataType type, PrimExpr value, SourceRange range) -> PrimExpr {
  const DataType from = terms_.dtype(value);
  if (from == type) return value;
  if (arith::IsHandle(from) || arith::IsHandle(type)) {
    Report(diag::kCannotMatch, range, TypeText(from), TypeText(type));
    return {};
  }
  if (from.lanes != type.lanes && from.lanes != 1) {
    Report(diag::kCannotMatch, range, TypeText(from), TypeText(type));
    return {};
  }
  const bool is_literal = arith::IsInteger(type) && !arith::IsBool(type) && terms_.kind(value) == PrimKind::kIntImm;
  if (is_literal && !arith::FitsType(arith::ElementOf(type), terms_.int_value(value))) {
    Report(diag::kLiteralRange, range, terms_.int_value(value), TypeText(type));
    return {};
  }
  return arith::CastTo(terms_, type, value);
}

auto Reader::Unary(int op, const Value& a, SourceRange range) -> Value {
  if (a.is_error()) return a;
  const Op which = static_cast<Op>(op);
  if (a.is_python_number()) {
    const bool is_float = a.is(ValueKind::kFloat);
    switch (which) {
      case Op::kNot: return Value::Bool(is_float ? a.real == 0 : a.integer == 0);
      case Op::kPlus: return is_float ? Value::Float(a.real) : Value::Int(a.integer);
      case Op::kNegate: {
        if (is_float) return Value::Float(-a.real);
        // The magnitude of the smallest integer is above the largest.
        if (a.flag && a.integer != INT64_MIN) return Error(diag::kIntegerRange, range, "below the least integer");
        return Value::Int(static_cast<int64_t>(0 - static_cast<uint64_t>(a.integer)));
      }
      case Op::kInvert:
        if (!is_float) return Value::Int(~a.integer);
        break;
      default: break;
    }
    return Error(diag::kOperands, range, RowOf(which).text, Name(a.kind), "nothing");
  }
  const PrimExpr x = ToExpr(a);
  if (!x) return Value::Error();
  switch (which) {
    case Op::kNot:
      if (!arith::IsBool(terms_.dtype(x)))
        return Error(diag::kTypeOf, range, "the operand of not", "bool", DTypeText(x));
      return Value::Expr(terms_.Not(x));
    case Op::kPlus: return Value::Expr(x);
    case Op::kNegate: {
      if (arith::IsHandle(terms_.dtype(x)))
        return Error(diag::kTypeOf, range, "the operand of -", "a number", DTypeText(x));
      const PrimExpr made = Operate(PrimKind::kMul, x, terms_.Int32(-1), range);
      return made ? Value::Expr(made) : Value::Error();
    }
    default:
      if (!arith::IsInteger(terms_.dtype(x)))
        return Error(diag::kTypeOf, range, "the operand of ~", "an integer", DTypeText(x));
      return Value::Expr(arith::BitwiseNot(terms_, x));
  }
}

auto Reader::Binary(int op, const Value& a, const Value& b, SourceRange range) -> Value {
  if (a.is_error() || b.is_error()) return Value::Error();
  const OpRow& row = RowOf(static_cast<Op>(op));
  const bool python = (a.is_python_number() || a.is(ValueKind::kString) || a.is_sequence()) &&
                      (b.is_python_number() || b.is(ValueKind::kString) || b.is_sequence());
  if (python) return PythonBinary(op, a, b, range);
  if (row.op == Op::kAnd || row.op == Op::kOr) return Logical(row.op == Op::kAnd, a, b, range);
  if (row.precedence == RowOf(Op::kLess).precedence) return Compare(row.kind, a, b, range);
  const PrimExpr x = ToExpr(a);
  const PrimExpr y = x ? ToExpr(b) : PrimExpr();
  if (!y) return Value::Error();
  PrimExpr made;
  const Terms::KnownOps& ops = terms_.ops();
  switch (row.op) {
    case Op::kShiftLeft: made = Bitwise(ops.shift_left, x, y, range); break;
    case Op::kShiftRight: made = Bitwise(ops.shift_right, x, y, range); break;
    case Op::kBitAnd: made = Bitwise(ops.bitwise_and, x, y, range); break;
    case Op::kBitOr: made = Bitwise(ops.bitwise_or, x, y, range); break;
    case Op::kBitXor: made = Bitwise(ops.bitwise_xor, x, y, range); break;
    case Op::kPower: return Error(diag::kOperands, range, row.text, Name(a.kind), Name(b.kind));
    case Op::kDiv:
      if (arith::IsInteger(terms_.dtype(x)) && arith::IsInteger(terms_.dtype(y)))
        return Error(diag::kIntegerDivision, range);
      [[fallthrough]];
    default: made = Operate(row.kind, x, y, range);
  }
  return made ? Value::Expr(made) : Value::Error();
}

auto Reader::Logical(bool is_and, const Value& a, const Value& b, SourceRange range) -> Value {
  PrimExpr x = ToBool(a);
  PrimExpr y = x ? ToBool(b) : PrimExpr();
  if (!y) return Value::Error();
  if (terms_.lanes(x) > 1 || terms_.lanes(y) > 1) {
    const PrimExpr made = Bitwise(is_and ? terms_.ops().bitwise_and : terms_.ops().bitwise_or, x, y, range);
    return made ? Value::Expr(made) : Value::Error();
  }
  const PrimExpr made = Raw(is_and ? PrimKind::kAnd : PrimKind::kOr, x, y, range);
  return made ? Value::Expr(made) : Value::Error();
}

auto Reader::Load(BufferId buffer, std::span<const PrimExpr> indices, SourceRange range) -> PrimExpr {
  const Buffer& b = tables_.buffer(buffer);
  if (indices.size() != b.ndim()) {
    Report(diag::kDimensions, range, context_.text(b.name), b.ndim(), indices.size());
    return {};
  }
  for (const PrimExpr index : indices) {
    if (!IsIndex(index, range)) return {};
  }
  for (size_t i = 0; i + 1 < indices.size(); ++i) {
    if (terms_.lanes(indices[i]) != 1) {
      Report(diag::kVectorIndex, range);
      return {};
    }
  }
  return LoadAt(buffer, indices, range);
}

auto Reader::LoadAt(BufferId buffer, std::span<const PrimExpr> indices, SourceRange range) -> PrimExpr {
  const int lanes = indices.empty() ? 1 : terms_.lanes(indices.back());
  const std::optional<DataType> type = VectorOf(tables_.buffer(buffer).dtype, lanes, range);
  return type ? terms_.BufferLoad(buffer, indices, *type) : PrimExpr();
}

auto Reader::LoadRegion(const RegionValue& region, SourceRange range) -> PrimExpr {
  std::vector<PrimExpr> indices;
  for (size_t i = 0; i < region.bounds.size(); i += 2) {
    const PrimExpr min = region.bounds[i];
    const std::optional<int64_t> extent = terms_.AsInt(region.bounds[i + 1]);
    if (!extent || *extent < 1 || *extent > UINT16_MAX || terms_.lanes(min) != 1) {
      Report(diag::kSliceLength, range);
      return {};
    }
    const PrimExpr one = terms_.IntImm(terms_.dtype(min), 1);
    indices.push_back(*extent == 1 ? min : terms_.Ramp(min, one, static_cast<int>(*extent)));
  }
  return Load(region.buffer, indices, range);
}

// Returns the index that a slice with a step means: a ramp, or its start when it has one element.
auto Reader::SliceIndex(const Value& slice, PrimExpr extent) -> PrimExpr {
  const auto parts = elements(slice);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): elements move when values are made.
  const Value lower = parts[0], upper = parts[1], step_value = parts[2];
  PrimExpr start = lower.is_none() ? terms_.IntImm(terms_.dtype(extent), 0) : ToExpr(lower);
  PrimExpr stop = !start ? PrimExpr() : upper.is_none() ? extent : ToExpr(upper);
  PrimExpr step = !stop ? PrimExpr() : step_value.is_none() ? terms_.Int32(1) : ToExpr(step_value);
  if (!step) return {};
  const PrimExpr one = terms_.Int32(1);
  const SourceRange range = slice.range;
  PrimExpr count = Difference(stop, start, range);
  if (count && !terms_.IsInt(step, 1)) {
    // Downwards the last element is one above the end.
    const bool is_down = terms_.AsInt(step).value_or(0) < 0;
    count = Operate(PrimKind::kAdd, count, step, range);
    count = count ? Operate(is_down ? PrimKind::kAdd : PrimKind::kSub, count, one, range) : count;
    count = count ? Operate(PrimKind::kFloorDiv, count, step, range) : count;
    count = count ? Simplify(count) : count;
  }
  if (!count) return {};
  const std::optional<int64_t> lanes = terms_.AsInt(count);
  if (!lanes || *lanes < 1 || *lanes > UINT16_MAX) {
    Report(diag::kSliceLength, range);
    return {};
  }
  if (*lanes == 1) return start;
  if (terms_.dtype(step) != terms_.dtype(start)) step = CastTo(terms_.dtype(start), step, range);
  return step ? terms_.Ramp(start, step, static_cast<int>(*lanes)) : PrimExpr();
}

auto Reader::IsIndex(PrimExpr index, SourceRange range) -> bool {
  if (arith::IsInteger(terms_.dtype(index))) return true;
  Report(diag::kTypeOf, range, "an index", "an integer", DTypeText(index));
  return false;
}

auto Reader::IsExtent(PrimExpr extent, SourceRange range) -> bool {
  if (arith::IsInteger(terms_.dtype(extent)) && terms_.lanes(extent) == 1) return true;
  Report(diag::kTypeOf, range, "an extent", "an integer", DTypeText(extent));
  return false;
}

auto Reader::IsElementType(DataType type, SourceRange range) -> bool {
  const bool is_float = type.code != TypeCode::kFloat || type.bits == 16 || type.bits == 32 || type.bits == 64;
  if (type.bits != 0 && type.lanes != 0 && is_float) return true;
  Report(diag::kWrongValue, range, "a type of elements", type.is_void() ? "void" : TypeText(type));
  return false;
}

auto Reader::VectorOf(DataType element, int lanes, SourceRange range) -> std::optional<DataType> {
  if (int64_t{element.lanes} * lanes <= UINT16_MAX) return arith::WithLanes(element, element.lanes * lanes);
  Report(diag::kSliceLength, range);
  return std::nullopt;
}

auto Reader::StoreIndices(BufferId buffer, std::span<const Value> indices, SourceRange range)
    -> std::optional<std::span<const PrimExpr>> {
  const Buffer& b = tables_.buffer(buffer);
  if (indices.size() != b.ndim()) {
    Report(diag::kDimensions, range, context_.text(b.name), b.ndim(), indices.size());
    return std::nullopt;
  }
  indices_.Shrink(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    const PrimExpr made = indices[i].is(ValueKind::kSlice) ? SliceIndex(indices[i], b.shape[i]) : ToExpr(indices[i]);
    if (!made || !IsIndex(made, range)) return std::nullopt;
    if (i + 1 < indices.size() && terms_.lanes(made) != 1) {
      Report(diag::kVectorIndex, range);
      return std::nullopt;
    }
    indices_.push_back(made);
  }
  return indices_.From(0);
}

auto Reader::Index(const Value& object, std::span<const Value> indices, SourceRange range) -> Value {
  if (object.is_error()) return object;
  for (const Value& index : indices) {
    if (index.is_error()) return index;
  }
  if (object.is_sequence() && indices.size() == 1) {
    const std::optional<int64_t> at = ToInt(indices[0]);
    if (!at) return Value::Error();
    const int64_t k = *at < 0 ? *at + object.size : *at;
    if (k < 0 || k >= object.size) return Error(diag::kElementIndex, range, *at, object.size);
    return elements(object)[static_cast<size_t>(k)];
  }
  // TVM 0.27 annotates variables with `T.let[T.int32]`.
  if (object.is(ValueKind::kBuiltin) && object.builtin->name == "let" && indices.size() == 1) return indices[0];
  // As TVM: `T.Buffer[shape, dtype]` is a call.
  if (object.is(ValueKind::kBuiltin)) return CallBuiltin(*object.builtin, indices, {}, range);
  if (object.is(ValueKind::kNamespace) && static_cast<Namespace>(object.id()) == Namespace::kMetadata) {
    return MetadataClass(indices, range);
  }
  if (object.is(ValueKind::kMetadata)) return MetadataObject(object, indices, range);
  if (!object.is(ValueKind::kBuffer)) return Error(diag::kCannotIndex, range, Name(object.kind));
  const BufferId buffer = object.buffer();
  const size_t ndim = tables_.buffer(buffer).ndim();
  if (indices.size() != ndim) {
    return Error(diag::kDimensions, range, context_.text(tables_.buffer(buffer).name), ndim, indices.size());
  }
  bool slices = false;
  bool steps = false;
  for (const Value& index : indices) {
    if (!index.is(ValueKind::kSlice)) continue;
    slices = true;
    steps = steps || !elements(index)[2].is_none();
  }
  if (slices && !steps) return RegionOf(buffer, indices, range);
  const auto made = StoreIndices(buffer, indices, range);
  if (!made) return Value::Error();
  const PrimExpr load = LoadAt(buffer, *made, range);
  return load ? Value::Expr(load) : Value::Error();
}

// `A[a:b, c]` as a region.
auto Reader::RegionOf(BufferId buffer, std::span<const Value> indices, SourceRange range) -> Value {
  RegionValue region;
  region.buffer = buffer;
  for (size_t i = 0; i < indices.size(); ++i) {
    const PrimExpr extent = tables_.buffer(buffer).shape[i];
    if (!indices[i].is(ValueKind::kSlice)) {
      const PrimExpr index = ToExpr(indices[i]);
      if (!index || !IsIndex(index, range)) return Value::Error();
      region.bounds.push_back(index);
      region.bounds.push_back(terms_.IntImm(arith::ElementOf(terms_.dtype(index)), 1));
      continue;
    }
    const Value lower = elements(indices[i])[0], upper = elements(indices[i])[1];
    const PrimExpr start = lower.is_none() ? terms_.IntImm(terms_.dtype(extent), 0) : ToExpr(lower);
    const PrimExpr stop = !start ? PrimExpr() : upper.is_none() ? extent : ToExpr(upper);
    const PrimExpr size = stop ? Difference(stop, start, range) : PrimExpr();
    if (!size || !IsIndex(start, range) || !IsIndex(size, range)) return Value::Error();
    region.bounds.push_back(start);
    region.bounds.push_back(size);
  }
  regions_.push_back(std::move(region));
  return Value::Of(ValueKind::kRegion, static_cast<uint32_t>(regions_.size() - 1));
}

auto Reader::Difference(PrimExpr stop, PrimExpr start, SourceRange range) -> PrimExpr {
  if (terms_.IsInt(start, 0) && terms_.dtype(stop) == terms_.dtype(start)) return Simplify(stop);
  // Sums of vectors are not simplified, so that regions as they are printed would not read back.
  const bool is_printed = terms_.kind(stop) == PrimKind::kAdd && terms_.operand(stop, 0) == start;
  if (is_printed && terms_.lanes(start) > 1) return terms_.operand(stop, 1);
  // What the general case makes of `i:i + 4`.
  const bool has_extent = is_printed && terms_.is_var(start) && terms_.AsInt(terms_.operand(stop, 1)).value_or(0) > 0;
  if (has_extent && arith::IsIndexType(terms_.dtype(start))) return terms_.operand(stop, 1);
  const PrimExpr difference = Operate(PrimKind::kSub, stop, start, range);
  return difference ? Simplify(difference) : difference;
}

auto Reader::MatchArms(PrimExpr& a, PrimExpr& b, SourceRange range) -> bool {
  if (arith::MatchTypes(terms_, a, b)) return true;
  Report(diag::kCannotMatch, range, DTypeText(a), DTypeText(b));
  return false;
}

namespace {

// A sum as a list of its terms with their signs.
struct Summand {
  PrimExpr term;
  int64_t factor;
};

}  // namespace

// Cancels equal terms of a sum and collects its literals. Terms keep their order of appearance.
auto Reader::Simplify(PrimExpr expr) -> PrimExpr {
  if (!arith::IsIndexType(terms_.dtype(expr))) return expr;
  const PrimKind kind = terms_.kind(expr);
  if (kind != PrimKind::kAdd && kind != PrimKind::kSub) return expr;
  std::vector<Summand> stack = {{expr, 1}};
  std::vector<Summand> sum;
  absl::flat_hash_map<PrimExpr, size_t> position;
  int64_t constant = 0;
  bool has_literal = false;
  bool merged = false;
  while (!stack.empty()) {
    const Summand top = stack.back();
    stack.pop_back();
    const PrimKind k = terms_.kind(top.term);
    if (k == PrimKind::kAdd || k == PrimKind::kSub) {
      stack.push_back({terms_.operand(top.term, 1), k == PrimKind::kAdd ? top.factor : -top.factor});
      stack.push_back({terms_.operand(top.term, 0), top.factor});
    } else if (k == PrimKind::kIntImm) {
      const int64_t value = terms_.int_value(top.term);
      const bool overflows = top.factor > 0 ? __builtin_add_overflow(constant, value, &constant)
                                            : __builtin_sub_overflow(constant, value, &constant);
      if (overflows) return expr;
      // Two literals are one, or none.
      merged = merged || has_literal;
      has_literal = true;
    } else if (const auto [found, is_new] = position.try_emplace(top.term, sum.size()); is_new) {
      sum.push_back(top);
    } else {
      sum[found->second].factor += top.factor;
      merged = true;
    }
  }
  // Nothing cancels, and no literal moves.
  if (!merged && !sum.empty() && constant == 0) return expr;
  const DataType type = terms_.dtype(expr);
  if (constant == INT64_MIN || !arith::FitsType(type, constant) || !arith::FitsType(type, -constant)) return expr;
  // The terms that are added, a positive literal, the terms that are taken away, a negative literal.
  PrimExpr result;
  const auto add = [&](PrimExpr term) { result = result ? arith::Add(terms_, result, term) : term; };
  for (const Summand& s : sum) {
    if (s.factor > 0) add(arith::Mul(terms_, s.term, terms_.IntImm(type, s.factor)));
  }
  if (constant > 0) add(terms_.IntImm(type, constant));
  for (const Summand& s : sum) {
    if (s.factor >= 0) continue;
    if (!result) result = terms_.IntImm(type, 0);
    result = arith::Sub(terms_, result, arith::Mul(terms_, s.term, terms_.IntImm(type, -s.factor)));
  }
  if (!result) return terms_.IntImm(type, constant);
  if (constant < 0) result = arith::Sub(terms_, result, terms_.IntImm(type, -constant));
  return result;
}

}  // namespace relayopt::tir
