// Expressions that are more than an intrinsic: plain constructors, folding operators, types, targets.
#include <cmath>

#include "lib/tir/script/catalogue.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/script/target_object.h"

namespace relayopt::tir::catalogue {

namespace {

auto Done(PrimExpr made) -> Value { return made ? Value::Expr(made) : Value::Error(); }

// The first two arguments as expressions; none after a report.
auto Two(Reader& r, CallArgs& args, PrimExpr& a, PrimExpr& b) -> bool {
  a = r.ToExpr(args[0], Reader::BoolAs::kBool);
  b = a ? r.ToExpr(args[1], Reader::BoolAs::kBool) : PrimExpr();
  return static_cast<bool>(b);
}

template <PrimKind kind>
auto RawOf(Reader& r, CallArgs& args) -> Value {
  PrimExpr a, b;
  return Two(r, args, a, b) ? Done(r.Raw(kind, a, b, args.range)) : Value::Error();
}

template <PrimKind kind>
auto FoldingOf(Reader& r, CallArgs& args) -> Value {
  PrimExpr a, b;
  return Two(r, args, a, b) ? Done(r.Operate(kind, a, b, args.range)) : Value::Error();
}

auto TruncDivOf(Reader& r, CallArgs& args) -> Value {
  PrimExpr a, b;
  if (!Two(r, args, a, b) || !r.AreIntegers(a, b, args.range)) return Value::Error();
  return Done(r.Operate(PrimKind::kDiv, a, b, args.range));
}

auto CeilDivOf(Reader& r, CallArgs& args) -> Value {
  PrimExpr a, b;
  if (!Two(r, args, a, b)) return Value::Error();
  // Checks types and the divisor.
  if (!r.Operate(PrimKind::kFloorDiv, a, b, args.range)) return Value::Error();
  return Done(arith::CeilDiv(r.terms(), a, b));
}

template <arith::CallOpId arith::Terms::KnownOps::*op>
auto BitwiseOf(Reader& r, CallArgs& args) -> Value {
  PrimExpr a, b;
  return Two(r, args, a, b) ? Done(r.Bitwise(r.terms().ops().*op, a, b, args.range)) : Value::Error();
}

auto BitwiseNotOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr a = r.ToExpr(args[0]);
  if (!a) return Value::Error();
  if (!arith::IsInteger(r.terms().dtype(a)))
    return r.Error(diag::kTypeOf, args.range, "the operand", "an integer", r.DTypeText(a));
  return Done(arith::BitwiseNot(r.terms(), a));
}

auto NotOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr a = r.ToBool(args[0]);
  if (!a) return Value::Error();
  if (!arith::IsBool(r.terms().dtype(a)))
    return r.Error(diag::kTypeOf, args.range, "the operand", "bool", r.DTypeText(a));
  return Done(r.terms().Not(a));
}

auto SelectOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr c = r.ToBool(args[0]);
  const PrimExpr t = c ? r.ToExpr(args[1]) : PrimExpr();
  const PrimExpr f = t ? r.ToExpr(args[2]) : PrimExpr();
  if (!f) return Value::Error();
  if (!arith::IsBool(r.terms().dtype(c)))
    return r.Error(diag::kTypeOf, args.range, "a condition", "bool", r.DTypeText(c));
  if (r.terms().dtype(t) != r.terms().dtype(f))
    return r.Error(diag::kTypes, args.range, r.DTypeText(t), r.DTypeText(f));
  const int lanes = r.terms().lanes(c);
  if (lanes != 1 && lanes != r.terms().lanes(t))
    return r.Error(diag::kTypes, args.range, r.DTypeText(c), r.DTypeText(t));
  return Done(r.terms().Select(c, t, f));
}

auto CastOf(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[0]);
  const PrimExpr value = dtype ? r.ToExpr(args[1]) : PrimExpr();
  if (!value) return Value::Error();
  if (dtype->lanes != r.terms().lanes(value))
    return r.Error(diag::kTypes, args.range, Reader::TypeText(*dtype), r.DTypeText(value));
  return Done(r.terms().Cast(*dtype, value));
}

auto FoldingCast(Reader& r, CallArgs& args) -> Value {
  const PrimExpr value = r.ToExpr(args[0]);
  const auto dtype = value ? r.ToDType(args[1]) : std::nullopt;
  return dtype ? Done(r.CastTo(*dtype, value, args.range)) : Value::Error();
}

auto LanesOf(Reader& r, const Value& value) -> int {
  const auto lanes = r.ToInt(value);
  if (lanes && (*lanes < 2 || *lanes > UINT16_MAX)) {
    r.Report(diag::kWrongValue, value.range, "2 to 65535 lanes", *lanes);
    return 0;
  }
  return lanes ? static_cast<int>(*lanes) : 0;
}

auto IsScalar(Reader& r, PrimExpr e, SourceRange range) -> bool {
  if (r.terms().lanes(e) == 1) return true;
  r.Report(diag::kTypeOf, range, "the operand", "a scalar", r.DTypeText(e));
  return false;
}

auto BroadcastOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr value = r.ToExpr(args[0], Reader::BoolAs::kBool);
  const int lanes = value ? LanesOf(r, args[1]) : 0;
  if (lanes == 0 || !IsScalar(r, value, args.range)) return Value::Error();
  return Done(r.terms().Broadcast(value, lanes));
}

auto RampOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr base = r.ToExpr(args[0]);
  PrimExpr stride = base ? r.ToExpr(args[1]) : PrimExpr();
  const int lanes = stride ? LanesOf(r, args[2]) : 0;
  if (lanes == 0 || !IsScalar(r, base, args.range) || !IsScalar(r, stride, args.range)) return Value::Error();
  stride = r.CastTo(r.terms().dtype(base), stride, args.range);
  return stride ? Done(r.terms().Ramp(base, stride, lanes)) : Value::Error();
}

auto ShuffleOf(Reader& r, CallArgs& args) -> Value {
  std::vector<PrimExpr> vectors, indices;
  if (!r.ToExprs(args[0], vectors) || !r.ToExprs(args[1], indices)) return Value::Error();
  if (vectors.empty() || indices.empty())
    return r.Error(diag::kArguments, args.range, "T.Shuffle", "needs vectors and indices");
  size_t lanes = 0;
  for (const PrimExpr vector : vectors) {
    if (arith::ElementOf(r.terms().dtype(vector)) != arith::ElementOf(r.terms().dtype(vectors[0]))) {
      return r.Error(diag::kTypes, args.range, r.DTypeText(vectors[0]), r.DTypeText(vector));
    }
    lanes += static_cast<size_t>(r.terms().lanes(vector));
  }
  if (indices.size() > lanes)
    return r.Error(diag::kWrongValue, args[1].range, "as many indices as lanes at most", "more");
  return Done(r.terms().Shuffle(vectors, indices));
}

auto LetExprOf(Reader& r, CallArgs& args) -> Value {
  PrimExpr made = r.ToExpr(args[0], Reader::BoolAs::kBool);
  if (!made) return Value::Error();
  if (!args[1].is(ValueKind::kDict)) return r.Error(diag::kWrongValue, args[1].range, "a dict", Name(args[1].kind));
  const std::span<const Value> items = r.elements(args[1]);
  // The first variable is the outermost.
  for (size_t i = items.size(); i >= 2; i -= 2) {
    const PrimExpr var = r.ToVar(items[i - 2]);
    PrimExpr value = var ? r.ToExpr(items[i - 1], Reader::BoolAs::kBool) : PrimExpr();
    if (!value || !r.CheckLet(var, value, args.range)) return Value::Error();
    made = r.terms().Let(var, value, made);
  }
  return Done(made);
}

auto IfThenElseOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr c = r.ToBool(args[0]);
  PrimExpr t = c ? r.ToExpr(args[1], Reader::BoolAs::kBool) : PrimExpr();
  PrimExpr f = t ? r.ToExpr(args[2], Reader::BoolAs::kBool) : PrimExpr();
  if (!f) return Value::Error();
  if (r.terms().dtype(c) != DataType::Bool())
    return r.Error(diag::kTypeOf, args.range, "a condition", "bool", r.DTypeText(c));
  if (!r.MatchArms(t, f, args.range)) return Value::Error();
  return Done(arith::IfThenElse(r.terms(), c, t, f));
}

auto LikelyOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr c = r.ToBool(args[0]);
  return c ? Done(arith::Likely(r.terms(), c)) : Value::Error();
}

template <auto(*fold)(Terms&, PrimExpr)->PrimExpr>
auto RoundingOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr a = r.ToExpr(args[0]);
  if (!a) return Value::Error();
  if (arith::IsHandle(r.terms().dtype(a)))
    return r.Error(diag::kTypeOf, args.range, "the operand", "a number", r.DTypeText(a));
  return Done(fold(r.terms(), a));
}

auto IsNanOf(Terms& terms, PrimExpr a) -> PrimExpr {
  const DataType type = terms.dtype(a);
  const DataType result = arith::WithLanes(DataType::Bool(), type.lanes);
  if (arith::IsInteger(type)) return arith::MakeConst(terms, result, 0);
  if (terms.kind(a) == PrimKind::kFloatImm) return terms.Bool(std::isnan(terms.float_value(a)));
  if (type.is_float() && type.bits == 16)
    a = arith::CastTo(terms, arith::WithLanes(DataType::Float(32), type.lanes), a);
  return terms.Call(result, terms.Intrinsic("tir.isnan"_intrin), {a});
}

auto IsInfOf(Terms& terms, PrimExpr a) -> PrimExpr {
  const DataType type = terms.dtype(a);
  if (arith::IsInteger(type)) return arith::MakeConst(terms, arith::WithLanes(DataType::Bool(), type.lanes), 0);
  const PrimExpr infinity = arith::Infinity(terms, type).value_or(arith::MakeFloat(terms, type, INFINITY));
  return arith::And(terms, arith::Eq(terms, arith::Abs(terms, a), infinity), arith::Not(terms, IsNanOf(terms, a)));
}

auto IsFiniteOf(Terms& terms, PrimExpr a) -> PrimExpr {
  return arith::And(terms, arith::Not(terms, IsInfOf(terms, a)), arith::Not(terms, IsNanOf(terms, a)));
}

auto RangeOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr begin = r.ToExpr(args[0]);
  if (!begin || !r.IsExtent(begin, args[0].range)) return Value::Error();
  PrimExpr min = begin;
  PrimExpr extent;
  if (!args.has(1)) {
    min = r.terms().IntImm(arith::ElementOf(r.terms().dtype(begin)), 0);
    extent = begin;
  } else {
    const PrimExpr end = r.ToExpr(args[1]);
    if (!end || !r.IsExtent(end, args[1].range)) return Value::Error();
    extent = r.terms().IsInt(begin, 0) ? end : r.Operate(PrimKind::kSub, end, begin, args.range);
    if (!extent) return Value::Error();
  }
  const Value parts[] = {Value::Expr(min), Value::Expr(extent)};
  return r.Sequence(ValueKind::kRange, parts);
}

auto IterVarOf(Reader& r, CallArgs& args) -> Value {
  IterVar iter;
  if (args[0].is(ValueKind::kString)) {
    iter.var = r.terms().Var(r.context().text(args[0].text()), DataType::Int(32));
  } else {
    iter.var = r.ToVar(args[0]);
  }
  if (!iter.var) return Value::Error();
  if (!args[1].is_none()) {
    const Value& domain = args[1];
    if (!domain.is(ValueKind::kRange)) return r.Error(diag::kWrongValue, domain.range, "T.Range", Name(domain.kind));
    iter.domain = {r.elements(domain)[0].expr(), r.elements(domain)[1].expr()};
  }
  const auto type = r.ToText(args[2]);
  const auto tag = type ? r.ToText(args[3]) : std::nullopt;
  if (!tag) return Value::Error();
  const auto parsed = ParseIterType(r.context().text(*type));
  if (!parsed)
    return r.Error(diag::kWrongValue, args[2].range, "the type of an iteration variable", r.context().text(*type));
  iter.type = *parsed;
  iter.thread_tag = *tag;
  return Value::Of(ValueKind::kIterVar, r.tables().Add(iter).value());
}

auto CommReducerOf(Reader& r, CallArgs& args) -> Value {
  if (!args[0].is(ValueKind::kLambda))
    return r.Error(diag::kNeedsPython, args[0].range, "a combiner that is not a lambda");
  const ValueList identity = r.ListOf(args[1]);
  return r.ReducerFrom(args[0], identity, args.range);
}

auto IndexMapOf(Reader& r, CallArgs& args) -> Value {
  if (!args[0].is(ValueKind::kLambda)) return r.Error(diag::kNeedsPython, args[0].range, "a map that is not a lambda");
  return r.IndexMapFrom(args[0], args.range);
}

// Types.

auto HandleOf(Reader& r, CallArgs& args) -> Value {
  const bool size_var = args.has(2) && args[2].integer != 0;
  StringId scope = r.Text("global");
  bool global = true;
  if (args.has(1)) {
    const auto text = r.ToText(args[1]);
    if (!text) return Value::Error();
    scope = *text;
    global = r.context().text(*text) == "global";
  }
  VarType type = VarType::Prim(DataType{TypeCode::kHandle, 64, 1});
  if (args.has(0)) {
    const auto dtype = r.ToDType(args[0]);
    if (!dtype) return Value::Error();
    type = VarType::Pointer(*dtype, scope);
  } else if (!global) {
    type = VarType::Pointer(DataType::Void(), scope);
  }
  static_cast<void>(size_var);
  return Value::Expr(r.terms().Var("", type));
}

auto VoidOf(Reader& r, CallArgs&) -> Value { return Value::Expr(r.terms().Var("", VarType::Prim(DataType::Void()))); }

auto NamedVar(Reader& r, CallArgs& args) -> Value {
  const auto name = r.ToText(args[0]);
  const auto dtype = name ? r.ToDType(args[1]) : std::nullopt;
  return dtype ? Value::Expr(r.terms().Var(r.context().text(*name), VarType::Prim(*dtype))) : Value::Error();
}

auto NamedSizeVar(Reader& r, CallArgs& args) -> Value {
  const auto name = r.ToText(args[0]);
  const auto dtype = name ? r.ToDType(args[1]) : std::nullopt;
  return dtype ? Value::Expr(r.terms().SizeVar(r.context().text(*name), *dtype)) : Value::Error();
}

auto OldVar(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[0]);
  return dtype ? Value::Expr(r.terms().Var("", VarType::Prim(*dtype))) : Value::Error();
}

template <auto(*limit)(Terms&, DataType)->std::optional<PrimExpr>>
auto LimitOf(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[0]);
  if (!dtype) return Value::Error();
  const auto made = limit(r.terms(), *dtype);
  if (!made) return r.Error(diag::kWrongValue, args.range, "a type of numbers", Reader::TypeText(*dtype));
  return Value::Expr(*made);
}

auto IntImmOf(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[0]);
  const auto value = dtype ? r.ToInt(args[1]) : std::nullopt;
  if (!value) return Value::Error();
  if (!arith::FitsType(*dtype, *value))
    return r.Error(diag::kLiteralRange, args.range, *value, Reader::TypeText(*dtype));
  return Value::Expr(r.terms().IntImm(*dtype, *value));
}

auto FloatImmOf(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[0]);
  if (!dtype) return Value::Error();
  if (!dtype->is_float() || !args[1].is_python_number())
    return r.Error(diag::kWrongValue, args.range, "a float", Name(args[1].kind));
  const double real = args[1].is(ValueKind::kFloat) ? args[1].real : static_cast<double>(args[1].integer);
  const PrimExpr made = dtype->lanes == 1 ? r.FloatLiteral(*dtype, real, args[1].range) : PrimExpr();
  if (!made && dtype->lanes != 1)
    return r.Error(diag::kWrongValue, args.range, "a scalar type", Reader::TypeText(*dtype));
  return made ? Value::Expr(made) : Value::Error();
}

auto StringImmOf(Reader& r, CallArgs& args) -> Value {
  const auto text = r.ToText(args[0]);
  return text ? Value::Expr(r.terms().StringImm(r.context().text(*text))) : Value::Error();
}

// Calls.

// Returns a buffer as an argument of a packed call is an array on the stack.
auto PackedArgument(Reader& r, const Value& value) -> PrimExpr {
  if (!value.is(ValueKind::kBuffer)) return r.ToExpr(value, Reader::BoolAs::kBool);
  Terms& terms = r.terms();
  const Buffer& b = r.tables().buffer(value.buffer());
  const DataType handle{TypeCode::kHandle, 64, 1};
  const auto shape_op = terms.Intrinsic("tir.tvm_stack_make_shape"_intrin);
  const PrimExpr shape = terms.Call(handle, shape_op, b.shape);
  const PrimExpr strides = b.strides.empty() ? terms.Int32(0) : terms.Call(handle, shape_op, b.strides);
  const PrimExpr args[] = {
      b.data,       shape, strides, terms.Int32(static_cast<int64_t>(b.ndim())), arith::MakeZero(terms, b.dtype),
      b.elem_offset};
  return terms.Call(handle, terms.Intrinsic("tir.tvm_stack_make_array"_intrin), args);
}

auto PackedCall(Reader& r, CallArgs& args, std::string_view op) -> Value {
  std::vector<PrimExpr> exprs;
  for (const Value& value : args.rest) {
    exprs.push_back(PackedArgument(r, value));
    if (!exprs.back()) return Value::Error();
  }
  if (!r.HasArity(*arith::FindIntrinsic(op), exprs.size(), args.range)) return Value::Error();
  return Value::Expr(r.terms().Call(DataType::Int(32), r.terms().Intrinsic(op), exprs));
}

auto CallPacked(Reader& r, CallArgs& args) -> Value { return PackedCall(r, args, "tir.tvm_call_packed"_intrin); }
auto CallCPacked(Reader& r, CallArgs& args) -> Value { return PackedCall(r, args, "tir.tvm_call_cpacked"_intrin); }

// Calls of unregistered operators are not created.
auto CallByName(Reader& r, const Value& name, DataType dtype, std::span<const PrimExpr> exprs, SourceRange range)
    -> Value {
  const auto text = r.ToText(name);
  if (!text) return Value::Error();
  const std::string_view op = r.context().text(*text);
  const arith::IntrinsicRow* row = arith::FindIntrinsic(op);
  if (row == nullptr) return r.Error(diag::kUnknownOperator, name.range, op);
  if (!r.HasArity(*row, exprs.size(), range)) return Value::Error();
  return Value::Expr(r.terms().Call(dtype, r.terms().Intrinsic(op), exprs));
}

auto IntrinOf(Reader& r, CallArgs& args) -> Value {
  if (args.rest.size() < 2)
    return r.Error(diag::kArguments, args.range, "T.call_intrin", "needs a data type and an operator");
  const auto dtype = r.ToDType(args.rest[0]);
  if (!dtype) return Value::Error();
  std::vector<PrimExpr> exprs;
  for (size_t i = 2; i < args.rest.size(); ++i) {
    exprs.push_back(r.ToExpr(args.rest[i], Reader::BoolAs::kBool));
    if (!exprs.back()) return Value::Error();
  }
  return CallByName(r, args.rest[1], *dtype, exprs, args.range);
}

// `T.Call(dtype, op, args)`.
auto CallOf(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[0]);
  std::vector<PrimExpr> exprs;
  if (!dtype || !r.ToExprs(args[2], exprs, Reader::BoolAs::kBool)) return Value::Error();
  return CallByName(r, args[1], *dtype, exprs, args.range);
}

auto StructGet(Reader& r, CallArgs& args) -> Value {
  const auto dtype = r.ToDType(args[3]);
  std::vector<PrimExpr> exprs;
  for (size_t i = 0; i < 3; ++i) {
    exprs.push_back(r.ToExpr(args[i]));
    if (!exprs.back()) return Value::Error();
  }
  return dtype ? Value::Expr(r.terms().Call(*dtype, r.terms().Intrinsic("tir.tvm_struct_get"_intrin), exprs))
               : Value::Error();
}

// Most functions of a module have the same target.
auto TargetFrom(Reader& r, CallArgs& args) -> Value {
  const std::optional<std::vector<int64_t>> key = r.LiteralKey(args[0]);
  const bool may_be_known = key && !args.has(1);
  if (may_be_known) {
    if (const auto known = r.targets().find(*key); known != r.targets().end()) {
      return Value::Of(ValueKind::kObject, known->second.value());
    }
  }
  std::optional<ObjectId> made = r.ToObject(args[0]);
  std::optional<ObjectId> host = made && args.has(1) ? r.ToObject(args[1]) : std::optional<ObjectId>(ObjectId());
  if (!made || !host) return Value::Error();
  const Result<ObjectId> target = MakeTarget(r.context(), *made, *host);
  if (!target) return r.Error(diag::kNotATarget, args.range, target.error().text);
  if (may_be_known) r.targets()[*key] = target.value();
  return Value::Of(ValueKind::kObject, target.value().value());
}

// A value that an assignment gives a name to, without a variable.
auto MetaVarOf(Reader& r, CallArgs& args) -> Value {
  return Value::Of(ValueKind::kMeta, r.Sequence(ValueKind::kTuple, {args.params[0], 1}).id());
}

const Builtin kExpressionRows[] = {
    {"Add", {"a", "b"}, 2, false, RawOf<PrimKind::kAdd>},
    {"Sub", {"a", "b"}, 2, false, RawOf<PrimKind::kSub>},
    {"Mul", {"a", "b"}, 2, false, RawOf<PrimKind::kMul>},
    {"Div", {"a", "b"}, 2, false, RawOf<PrimKind::kDiv>},
    {"Mod", {"a", "b"}, 2, false, RawOf<PrimKind::kMod>},
    {"FloorDiv", {"a", "b"}, 2, false, RawOf<PrimKind::kFloorDiv>},
    {"FloorMod", {"a", "b"}, 2, false, RawOf<PrimKind::kFloorMod>},
    {"Min", {"a", "b"}, 2, false, RawOf<PrimKind::kMin>},
    {"Max", {"a", "b"}, 2, false, RawOf<PrimKind::kMax>},
    {"EQ", {"a", "b"}, 2, false, RawOf<PrimKind::kEQ>},
    {"NE", {"a", "b"}, 2, false, RawOf<PrimKind::kNE>},
    {"LT", {"a", "b"}, 2, false, RawOf<PrimKind::kLT>},
    {"LE", {"a", "b"}, 2, false, RawOf<PrimKind::kLE>},
    {"GT", {"a", "b"}, 2, false, RawOf<PrimKind::kGT>},
    {"GE", {"a", "b"}, 2, false, RawOf<PrimKind::kGE>},
    {"And", {"a", "b"}, 2, false, RawOf<PrimKind::kAnd>},
    {"Or", {"a", "b"}, 2, false, RawOf<PrimKind::kOr>},
    {"Not", {"a"}, 1, false, NotOf},
    {"min", {"a", "b"}, 2, false, FoldingOf<PrimKind::kMin>},
    {"max", {"a", "b"}, 2, false, FoldingOf<PrimKind::kMax>},
    {"truncdiv", {"a", "b"}, 2, false, TruncDivOf},
    {"truncmod", {"a", "b"}, 2, false, FoldingOf<PrimKind::kMod>},
    {"floordiv", {"a", "b"}, 2, false, FoldingOf<PrimKind::kFloorDiv>},
    {"floormod", {"a", "b"}, 2, false, FoldingOf<PrimKind::kFloorMod>},
    {"indexdiv", {"a", "b"}, 2, false, FoldingOf<PrimKind::kFloorDiv>},
    {"indexmod", {"a", "b"}, 2, false, FoldingOf<PrimKind::kFloorMod>},
    {"div", {"a", "b"}, 2, false, FoldingOf<PrimKind::kDiv>},
    {"ceildiv", {"a", "b"}, 2, false, CeilDivOf},
    {"bitwise_and", {"a", "b"}, 2, false, BitwiseOf<&Terms::KnownOps::bitwise_and>},
    {"bitwise_or", {"a", "b"}, 2, false, BitwiseOf<&Terms::KnownOps::bitwise_or>},
    {"bitwise_xor", {"a", "b"}, 2, false, BitwiseOf<&Terms::KnownOps::bitwise_xor>},
    {"shift_left", {"a", "b"}, 2, false, BitwiseOf<&Terms::KnownOps::shift_left>},
    {"shift_right", {"a", "b"}, 2, false, BitwiseOf<&Terms::KnownOps::shift_right>},
    {"bitwise_not", {"a"}, 1, false, BitwiseNotOf},
    {"Select", {"condition", "true_value", "false_value"}, 3, false, SelectOf},
    {"Cast", {"dtype", "value"}, 2, false, CastOf},
    {"cast", {"value", "dtype"}, 2, false, FoldingCast},
    {"Broadcast", {"value", "lanes"}, 2, false, BroadcastOf},
    {"broadcast", {"value", "lanes"}, 2, false, BroadcastOf},
    {"Ramp", {"base", "stride", "lanes"}, 3, false, RampOf},
    {"ramp", {"base", "stride", "lanes"}, 3, false, RampOf},
    {"Shuffle", {"vectors", "indices"}, 2, false, ShuffleOf},
    {"Let", {"expr", "where"}, 2, false, LetExprOf},
    {"if_then_else", {"cond", "t", "f"}, 3, false, IfThenElseOf},
    {"likely", {"cond"}, 1, false, LikelyOf},
    {"floor", {"x"}, 1, false, RoundingOf<arith::Floor>},
    {"ceil", {"x"}, 1, false, RoundingOf<arith::Ceil>},
    {"round", {"x"}, 1, false, RoundingOf<arith::Round>},
    {"nearbyint", {"x"}, 1, false, RoundingOf<arith::NearbyInt>},
    {"trunc", {"x"}, 1, false, RoundingOf<arith::Trunc>},
    {"abs", {"x"}, 1, false, RoundingOf<arith::Abs>},
    {"fabs", {"x"}, 1, false, RoundingOf<arith::Abs>},
    {"isnan", {"x"}, 1, false, RoundingOf<IsNanOf>},
    {"isinf", {"x"}, 1, false, RoundingOf<IsInfOf>},
    {"isfinite", {"x"}, 1, false, RoundingOf<IsFiniteOf>},
    {"meta_var", {"value"}, 1, false, MetaVarOf},
    {"Range", {"begin", "end"}, 1, false, RangeOf},
    {"iter_var", {"var", "dom", "iter_type", "thread_tag"}, 4, false, IterVarOf},
    {"comm_reducer", {"combiner", "identity"}, 2, false, CommReducerOf},
    {"index_map", {"mapping", "inverse_index_map"}, 1, false, IndexMapOf},
    {"target", {"target", "host"}, 1, false, TargetFrom},
    {"handle", {"dtype", "storage_scope", "is_size_var"}, 0, false, HandleOf},
    {"ptr", {"dtype", "storage_scope"}, 1, false, HandleOf},
    {"Ptr", {"dtype", "storage_scope"}, 1, false, HandleOf},
    {"buffer_var", {"dtype", "storage_scope"}, 1, false, HandleOf},
    {"void", {}, 0, false, VoidOf},
    {"var", {"dtype", "name"}, 1, false, OldVar},
    {"Var", {"name", "dtype"}, 2, false, NamedVar},
    {"SizeVar", {"name", "dtype"}, 2, false, NamedSizeVar},
    {"min_value", {"dtype"}, 1, false, LimitOf<arith::MinValue>},
    {"max_value", {"dtype"}, 1, false, LimitOf<arith::MaxValue>},
    {"infinity", {"dtype"}, 1, false, LimitOf<arith::Infinity>},
    {"IntImm", {"dtype", "value"}, 2, false, IntImmOf},
    {"FloatImm", {"dtype", "value"}, 2, false, FloatImmOf},
    {"StringImm", {"value"}, 1, false, StringImmOf},
    {"call_packed", {}, 0, true, CallPacked},
    {"tvm_call_packed", {}, 0, true, CallPacked},
    {"call_cpacked", {}, 0, true, CallCPacked},
    {"tvm_call_cpacked", {}, 0, true, CallCPacked},
    {"call_intrin", {}, 0, true, IntrinOf},
    {"Call", {"dtype", "op", "args"}, 3, false, CallOf},
    {"tvm_struct_get", {"arr", "index", "field", "dtype"}, 4, false, StructGet},
};

}  // namespace

auto Expressions() -> std::span<const Builtin> { return kExpressionRows; }

}  // namespace relayopt::tir::catalogue
