// Names, attributes and calls of TVMScript.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "lib/tir/script/catalogue.h"
#include "lib/tir/script/reader_state.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

auto NamespaceName(Namespace space) -> std::string_view {
  switch (space) {
    case Namespace::kT: return "module 'tvm.script.parser.tir'";
    case Namespace::kI: return "module 'tvm.script.parser.ir'";
    case Namespace::kAxis: return "T.axis";
    default: return "the namespace";
  }
}

auto SpaceValue(Namespace space) -> Value { return Value::Of(ValueKind::kNamespace, static_cast<uint32_t>(space)); }

}  // namespace

// Returns what a name means that nothing binds.
auto Reader::LookUpUnbound(const Token& token) -> Value {
  const std::string_view text = names_.text(token.name);
  if (is_outside_)
    return Error(diag::kNeedsPython, token.range(), "a definition outside of the module by " + std::string(text));
  if (text == "T" || text == "tir") return binding(token.name).value = SpaceValue(Namespace::kT);
  if (text == "I" || text == "ir") return binding(token.name).value = SpaceValue(Namespace::kI);
  if (const PrimExpr extent = HeaderExtent(token)) return Value::Expr(extent);
  if (token.name == class_name_) return Value::Of(ValueKind::kModule, 0);
  static const Builtin& serial = *FindBuiltin(Namespace::kT, "serial");
  if (text == "range") return Value::Function(serial);
  if (text == "metadata") return SpaceValue(Namespace::kMetadata);
  if (text == "float") return Value::DType(DataType::Float(32));
  if (text == "cls") return Value::Of(ValueKind::kModule, 0);
  if (loop_header_) {
    if (const Value value = DeclaredBelow(token); !value.is_none()) return value;
  }
  if (early_views_.may_wait && IsAllocatedBelow(token)) {
    early_views_.awaited = token.name;
    return Value::Error();
  }
  static constexpr std::string_view kPython[] = {"len",  "min", "max",       "int",   "np",         "numpy",
                                                 "tvm",  "zip", "enumerate", "print", "isinstance", "tuple",
                                                 "list", "sum", "abs",       "math",  "te",         "R"};
  if (std::find(std::begin(kPython), std::end(kPython), text) != std::end(kPython)) {
    return Error(diag::kNeedsPython, token.range(), text);
  }
  std::vector<std::string_view> near;
  for (NameIndex name = 0; name < bindings_.size(); ++name) {
    if (bindings_[name].bound) near.push_back(names_.text(name));
  }
  return Error(diag::kUndefined, token.range(), text, DidYouMean(text, near));
}

auto Reader::Attribute(const Value& object, const Token& token) -> Value {
  const std::string_view text = lexer_.text(token);
  const auto unknown = [&](std::string_view what, std::string_view hint = "") {
    return Error(diag::kNoAttribute, token.range(), what, text, hint);
  };
  switch (object.kind) {
    case ValueKind::kError: return object;
    case ValueKind::kNamespace: return NamespaceAttribute(static_cast<Namespace>(object.id()), token);
    case ValueKind::kModule: {
      const StringId name = context_.Intern(text);
      if (!declared_.contains(name)) return Error(diag::kNoFunction, token.range(), text);
      return Value::Of(ValueKind::kGlobal, name.value());
    }
    case ValueKind::kBuffer: {
      const Buffer& b = tables_.buffer(object.buffer());
      const auto list = [&](const std::vector<PrimExpr>& exprs) {
        const auto all = MapToVector<Value>(exprs, [&](PrimExpr expr) { return Value::Expr(expr); });
        return Sequence(ValueKind::kTuple, all);
      };
      if (text == "data") return Value::Expr(b.data);
      if (text == "shape") return list(b.shape);
      if (text == "strides") return list(b.strides);
      if (text == "elem_offset") return Value::Expr(b.elem_offset);
      if (text == "dtype") return Value::String(context_.Intern(TypeText(b.dtype)));
      if (text == "name") return Value::String(b.name);
      // The buffer of a scalar.
      if (text == "source" && IsScalar(object)) return object;
      break;
    }
    case ValueKind::kExpr:
      if (text == "dtype" || (text == "ty" && speaks_tirx()))
        return Value::String(context_.Intern(DTypeText(object.expr())));
      break;
    case ValueKind::kIterVar:
      if (text == "var") return Value::Expr(tables_.iter_var(IterVarId(object.id())).var);
      if (text == "dtype")
        return Value::String(context_.Intern(DTypeText(tables_.iter_var(IterVarId(object.id())).var)));
      break;
    default: break;
  }
  static constexpr std::pair<std::string_view, Method> kMethods[] = {
      {"vload", Method::kVload},        {"vstore", Method::kVstore}, {"access_ptr", Method::kAccessPtr},
      {"offset_of", Method::kOffsetOf}, {"scope", Method::kScope},   {"astype", Method::kAstype},
      {"view", Method::kView}};
  for (const auto& [name, method] : kMethods) {
    const bool of_expr = method == Method::kAstype;
    if (name == text && object.is(of_expr ? ValueKind::kExpr : ValueKind::kBuffer)) {
      const Value self = Sequence(ValueKind::kTuple, {&object, 1});
      return Value::Of(ValueKind::kMethod, self.id(), static_cast<uint32_t>(method));
    }
  }
  return unknown(Name(object.kind));
}

auto Reader::NamespaceAttribute(Namespace space, const Token& token) -> Value {
  if (const Value* known = KnownAttribute(space, token)) return *known;
  const std::string_view text = lexer_.text(token);
  Value found = Value::Error();
  const auto intrinsic = [&](std::string_view printed) {
    const arith::IntrinsicRow* row = arith::FindPrintedIntrinsic(printed);
    if (row == nullptr) return false;
    found.kind = ValueKind::kIntrinsic;
    found.intrinsic = row;
    return true;
  };
  switch (space) {
    case Namespace::kT:
      if (const Builtin* row = FindBuiltin(space, text)) {
        found = Value::Function(*row);
      } else if (text == "axis") {
        found = SpaceValue(Namespace::kAxis);
      } else if (text == "tir") {
        found = SpaceValue(Namespace::kTir);
      } else if (text == "boolean") {
        found = Value::DType(DataType::Bool());
      } else if (const auto dtype = ParseDataType(text); dtype && !text.empty() && !intrinsic(text)) {
        found = Value::DType(*dtype);
      } else if (found.is_error() && !intrinsic(text)) {
        if (text == "macro" || text == "inline") {
          return Error(diag::kNeedsPython, token.range(), "T." + std::string(text));
        }
        if (text == "If" || text == "Then" || text == "Else")
          return Error(diag::kNeedsPython, token.range(), "T." + std::string(text) + " (write if and else)");
        if (text == "Any" || text == "reduce" || text == "Tuple" || text == "ProducerRealize") {
          return Error(diag::kUnreadable, token.range(), "T." + std::string(text));
        }
      }
      break;
    case Namespace::kTir:
      if (text == "cuda")
        found = SpaceValue(Namespace::kTirCuda);
      else if (text == "metal")
        found = SpaceValue(Namespace::kTirMetal);
      break;
    case Namespace::kTirCuda: intrinsic("tir.cuda." + std::string(text)); break;
    case Namespace::kTirMetal: intrinsic("tir.metal." + std::string(text)); break;
    default:
      if (const Builtin* row = FindBuiltin(space, text)) found = Value::Function(*row);
  }
  if (found.is_error()) {
    return Error(diag::kNoAttribute, token.range(), NamespaceName(space), text, DidYouMean(text, BuiltinNames(space)));
  }
  if (space == Namespace::kT && token.kind == TokenKind::kName) {
    if (token.name >= t_attributes_.size()) t_attributes_.resize(names_.size() + 64, Value::Error());
    t_attributes_[token.name] = found;
  }
  return found;
}

// `metadata["type key"]`, and an element of that: an object that is identified by its position only.
auto Reader::MetadataClass(std::span<const Value> indices, SourceRange range) -> Value {
  if (indices.size() != 1 || !indices[0].is(ValueKind::kString)) {
    return Error(diag::kWrongValue, range, "a type key", indices.empty() ? "nothing" : Name(indices[0].kind));
  }
  const Value list = Sequence(ValueKind::kTuple, {&indices[0], 1});
  return Value::Of(ValueKind::kMetadata, list.id(), 1);
}

auto Reader::MetadataObject(const Value& type_key, std::span<const Value> indices, SourceRange range) -> Value {
  const std::optional<int64_t> place = indices.size() == 1 ? ToInt(indices[0]) : std::nullopt;
  if (!place) return Value::Error();
  const StringId key = values_[type_key.id()].text();
  ObjectId& object = metadata_[std::string(context_.text(key)) + "#" + std::to_string(*place)];
  if (!object) {
    Object made;
    made.kind = ObjectKind::kNode;
    made.type_key = key;
    object = context_.Add(made);
  }
  static_cast<void>(range);
  return Value::Of(ValueKind::kObject, object.value());
}

auto Reader::Call(const Value& callee, std::span<const Value> args, std::span<const NameIndex> keywords,
                  SourceRange range) -> Value {
  if (callee.is_error()) return callee;
  for (const Value& arg : args) {
    if (arg.is_error()) return arg;
  }
  switch (callee.kind) {
    case ValueKind::kBuiltin: return CallBuiltin(*callee.builtin, args, keywords, range);
    case ValueKind::kDType: return CallDType(callee, args, keywords, range);
    case ValueKind::kMethod: return CallMethod(callee, args, keywords, range);
    case ValueKind::kGlobal: {
      std::vector<PrimExpr> exprs;
      for (const Value& arg : args) {
        if (arg.is(ValueKind::kBuffer)) return Error(diag::kWrongValue, arg.range, "its data", Name(arg.kind));
        exprs.push_back(ToExpr(arg));
        if (!exprs.back()) return Value::Error();
      }
      const VarType& type = declared_[callee.text()].ret_type;
      const arith::CallOpId op = terms_.GlobalFunction(context_.text(callee.text()));
      return Value::Expr(terms_.Call(type.value_dtype(), op, exprs));
    }
    case ValueKind::kIntrinsic: {
      std::optional<DataType> given;
      if (keywords.empty()) return CallIntrinsic(*callee.intrinsic, args, given, range);
      std::vector<Value> rest;
      for (size_t i = 0; i < args.size(); ++i) {
        if (keywords[i] == UINT32_MAX) {
          rest.push_back(args[i]);
          continue;
        }
        if (names_.text(keywords[i]) != "dtype") {
          return Error(diag::kArguments, args[i].range, "T." + std::string(callee.intrinsic->printed),
                       "has no argument " + std::string(names_.text(keywords[i])));
        }
        given = ToDType(args[i]);
        if (!given) return Value::Error();
      }
      return CallIntrinsic(*callee.intrinsic, rest, given, range);
    }
    default: return Error(diag::kCannotCall, range, Name(callee.kind));
  }
}

auto Reader::CallBuiltin(const Builtin& row, std::span<const Value> args, std::span<const NameIndex> keywords,
                         SourceRange range) -> Value {
  CallArgs call;
  call.row = &row;
  call.range = range;
  const size_t num_params = row.num_params();
  // Used only when a positional argument follows a named one.
  std::vector<Value> scattered;
  const auto name = [&] { return "T." + std::string(row.name); };
  if (frames_.empty() && catalogue::IsStatement(row))
    return Error(diag::kNeedsPython, range, "the statement " + name() + " outside of a function");
  size_t position = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (keywords.empty() || keywords[i] == UINT32_MAX) {
      if (row.variadic) {
        if (scattered.empty() && call.rest.size() == i) {
          call.rest = args.first(i + 1);
        } else {
          if (scattered.empty()) scattered.assign(call.rest.begin(), call.rest.end());
          scattered.push_back(args[i]);
          call.rest = scattered;
        }
        continue;
      }
      if (position == num_params) return Error(diag::kArguments, args[i].range, name(), "has fewer arguments");
      call.params[position++] = &args[i];
      continue;
    }
    const std::string_view keyword = names_.text(keywords[i]);
    size_t param = 0;
    while (param < num_params && row.params[param] != keyword) ++param;
    if (param == num_params)
      return Error(diag::kArguments, args[i].range, name(), "has no argument " + std::string(keyword));
    if (call.params[param] != nullptr) {
      return Error(diag::kArguments, args[i].range, name(), "gets " + std::string(keyword) + " twice");
    }
    call.params[param] = &args[i];
  }
  for (size_t i = 0; i < row.required; ++i) {
    if (call.params[i] == nullptr) {
      return Error(diag::kArguments, range, name(), "needs the argument " + std::string(row.params[i]));
    }
  }
  Value result = row.call(*this, call);
  result.range = range;
  return result;
}

// `T.int32()`, `T.int64(e)`, `T.float32("inf")`.
auto Reader::CallDType(const Value& callee, std::span<const Value> args, std::span<const NameIndex> keywords,
                       SourceRange range) -> Value {
  const DataType dtype = callee.dtype;
  bool size_var = false;
  const Value* operand = nullptr;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_named = !keywords.empty() && keywords[i] != UINT32_MAX;
    const std::string_view keyword = is_named ? names_.text(keywords[i]) : "";
    if (keyword == "is_size_var" && (args[i].is(ValueKind::kBool) || args[i].is(ValueKind::kInt))) {
      size_var = args[i].integer != 0;
    } else if ((keyword.empty() && operand == nullptr) || keyword == "expr") {
      operand = &args[i];
    } else {
      return Error(diag::kArguments, args[i].range, "T." + TypeText(dtype), "has no such argument");
    }
  }
  if (operand == nullptr || operand->is_none()) {
    return Value::Expr(size_var ? terms_.SizeVar("", dtype) : terms_.Var("", VarType::Prim(dtype)));
  }
  const auto float_literal = [&](double real) {
    const PrimExpr made = FloatLiteral(dtype, real, operand->range);
    return made ? Value::Expr(made) : Value::Error();
  };
  if (operand->is(ValueKind::kString)) {
    const std::string text(context_.text(operand->text()));
    char* end = nullptr;
    const double real = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !dtype.is_float()) return Error(diag::kNumber, operand->range, text);
    return float_literal(real);
  }
  if (operand->is(ValueKind::kInt) || operand->is(ValueKind::kBool)) {
    const int64_t value = operand->integer;
    if (arith::IsBool(dtype)) return Value::Expr(arith::MakeConst(terms_, dtype, value != 0 ? 1 : 0));
    if (arith::IsInteger(dtype)) {
      const DataType element = arith::ElementOf(dtype);
      if (operand->flag) {
        if (!element.is_uint() || element.bits != 64)
          return Error(diag::kLiteralRange, operand->range, static_cast<uint64_t>(value), TypeText(dtype));
        return Value::Expr(arith::MakeUInt(terms_, dtype, static_cast<uint64_t>(value)));
      }
      if (!arith::FitsType(element, value)) return Error(diag::kLiteralRange, operand->range, value, TypeText(dtype));
      return Value::Expr(arith::MakeConst(terms_, dtype, value));
    }
    if (dtype.is_float()) {
      return float_literal(operand->flag ? static_cast<double>(static_cast<uint64_t>(value))
                                         : static_cast<double>(value));
    }
  }
  if (operand->is(ValueKind::kFloat) && dtype.is_float()) return float_literal(operand->real);
  const PrimExpr value = ToExpr(*operand);
  const PrimExpr made = value ? CastTo(dtype, value, range) : PrimExpr();
  return made ? Value::Expr(made) : Value::Error();
}

// `A.view(4, 4)` of TVM 0.27: the elements of A as a buffer of another shape, from here to the end of the statements
// around it.
auto Reader::View(BufferId of, std::span<const Value> shape, SourceRange range) -> Value {
  const Buffer& whole = tables_.buffer(of);
  Buffer view;
  view.dtype = whole.dtype;
  view.data = whole.data;
  view.data_alignment = whole.data_alignment;
  view.name = Text("buffer");
  for (const Value& extent : shape) {
    if (extent.is(ValueKind::kString) || (extent.is(ValueKind::kInt) && extent.integer < 0)) {
      return Error(diag::kWrongValue, extent.range, "the extents of the view", Name(extent.kind));
    }
    view.shape.push_back(ToExpr(extent));
    if (!view.shape.back()) return Value::Error();
  }
  if (!whole.strides.empty() || !terms_.IsInt(whole.elem_offset, 0)) {
    return Error(diag::kNeedsPython, range, "a view of a buffer with strides or an offset");
  }
  Frame frame;
  frame.kind = FrameKind::kDecl;
  frame.range = range;
  frame.buffer = tables_.Add(std::move(view));
  frame.yields = Value::Buffer(frame.buffer);
  return Pending(std::move(frame));
}

auto Reader::CallMethod(const Value& method, std::span<const Value> args, std::span<const NameIndex> keywords,
                        SourceRange range) -> Value {
  const Value self = values_[method.id()];
  if (const Builtin* row = catalogue::MethodRow(static_cast<Method>(method.size))) {
    std::vector<Value> all = {self};
    all.insert(all.end(), args.begin(), args.end());
    std::vector<NameIndex> names(keywords.empty() ? 0 : 1, UINT32_MAX);
    names.insert(names.end(), keywords.begin(), keywords.end());
    return CallBuiltin(*row, all, names, range);
  }
  switch (static_cast<Method>(method.size)) {
    case Method::kAstype: {
      const auto dtype = args.size() == 1 ? ToDType(args[0]) : std::nullopt;
      const PrimExpr made = dtype ? CastTo(*dtype, self.expr(), range) : PrimExpr();
      return made ? Value::Expr(made) : Value::Error();
    }
    case Method::kScope: return Value::String(context_.Intern(tables_.Scope(self.buffer())));
    case Method::kVload: {
      if (args.empty()) break;
      std::vector<PrimExpr> exprs;
      for (const Value& index : ElementsOrOne(args[0])) {
        exprs.push_back(ToExpr(index));
        if (!exprs.back()) return Value::Error();
      }
      if (args.size() > 1) {
        const auto dtype = ToDType(args[1]);
        if (!dtype) return Value::Error();
        const int lanes = dtype->lanes / std::max<int>(tables_.buffer(self.buffer()).dtype.lanes, 1);
        if (lanes > 1 && !exprs.empty() && terms_.lanes(exprs.back()) == 1) {
          exprs.back() = terms_.Ramp(exprs.back(), terms_.IntImm(terms_.dtype(exprs.back()), 1), lanes);
        }
      }
      const PrimExpr load = Load(self.buffer(), exprs, range);
      return load ? Value::Expr(load) : Value::Error();
    }
    case Method::kView: return View(self.buffer(), args, range);
    default: return Error(diag::kNeedsPython, range, "this method of a buffer");
  }
  return Error(diag::kArguments, range, "the method", "needs arguments");
}

// The type of a call by the row's rule, which may match the types of operands. Returns nothing if operands are missing.
auto Reader::IntrinsicType(const arith::IntrinsicRow& row, std::vector<PrimExpr>& exprs, std::optional<DataType> given,
                           SourceRange range) -> std::optional<DataType> {
  const auto needs = [&](size_t count) {
    if (exprs.size() >= count) return true;
    Report(diag::kArguments, range, "T." + std::string(row.printed), "needs more arguments");
    return false;
  };
  // The type of operand `i`, when there are `count` operands.
  const auto type_of = [&](size_t i, size_t count) {
    return needs(count) ? std::optional(terms_.dtype(exprs[i])) : std::nullopt;
  };
  // The type of operand `i` and the next one, once they are matched.
  const auto matched = [&](size_t i) {
    return needs(i + 2) && MatchArms(exprs[i], exprs[i + 1], range) ? std::optional(terms_.dtype(exprs[i]))
                                                                    : std::nullopt;
  };
  switch (row.dtype) {
    case arith::CallDType::kGiven:
      if (!given) Report(diag::kUnknownIntrinsicType, range, row.printed);
      return given.value_or(arith::kHandleType);
    case arith::CallDType::kOfFirst: return type_of(0, 1);
    case arith::CallDType::kOfSecond: return type_of(1, 2);
    case arith::CallDType::kOfLast: return type_of(exprs.size() - 1, 1);
    case arith::CallDType::kMatched: return matched(0);
    case arith::CallDType::kMatchedArms: return matched(1);
    case arith::CallDType::kBoolLike:
      if (!needs(1)) return std::nullopt;
      return arith::WithLanes(DataType::Bool(), terms_.lanes(exprs[0]));
    case arith::CallDType::kInt32OrGiven: return given.value_or(DataType::Int(32));
    case arith::CallDType::kHandle: return arith::kHandleType;
    case arith::CallDType::kInt32: return DataType::Int(32);
    case arith::CallDType::kUInt32: return DataType::UInt(32);
    case arith::CallDType::kUInt64: return DataType::UInt(64);
    case arith::CallDType::kBool: return DataType::Bool();
    case arith::CallDType::kVoid: return DataType::Void();
  }
  return std::nullopt;
}

// Reports a call with a number of operands that the intrinsic does not take.
auto Reader::HasArity(const arith::IntrinsicRow& row, size_t count, SourceRange range) -> bool {
  const arith::IntrinsicArity arity = row.arity();
  if (arity.Accepts(count)) return true;
  Report(diag::kArguments, range, "T." + std::string(row.printed),
         "takes " + arity.text() + " arguments, found " + std::to_string(count));
  return false;
}

// Returns an intrinsic by its row: arguments converted, the type by the row's rule.
auto Reader::CallIntrinsic(const arith::IntrinsicRow& row, std::span<const Value> args, std::optional<DataType> given,
                           SourceRange range) -> Value {
  const auto name = [&] { return "T." + std::string(row.printed); };
  if (row.dtype_argument == arith::DTypeArgument::kFirst && !given) {
    if (args.empty()) return Error(diag::kArguments, range, name(), "needs a data type");
    given = ToDType(args[0]);
    if (!given) return Value::Error();
    args = args.subspan(1);
  } else if (row.dtype_argument == arith::DTypeArgument::kLast && !given) {
    if (args.empty()) return Error(diag::kArguments, range, name(), "needs a data type");
    given = ToDType(args.back());
    if (!given) return Value::Error();
    args = args.first(args.size() - 1);
  }
  std::vector<PrimExpr> exprs;
  exprs.reserve(args.size());
  for (const Value& arg : args) {
    exprs.push_back(ToExpr(arg, BoolAs::kBool));
    if (!exprs.back()) return Value::Error();
  }
  if (!HasArity(row, exprs.size(), range)) return Value::Error();
  const auto dtype = IntrinsicType(row, exprs, given, range);
  if (dtype && row.name == "tir.pow"_intrin && !dtype->is_float())
    return Error(diag::kTypeOf, range, "an operand of T.pow", "a float", TypeText(*dtype));
  return dtype ? Value::Expr(terms_.Call(*dtype, terms_.Intrinsic(row.name), exprs)) : Value::Error();
}

}  // namespace relayopt::tir
