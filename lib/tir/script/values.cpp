// Values of TVMScript: names for messages, sequences, and what they become where an expression, a type, a region or an
// attribute is wanted.
#include <cmath>

#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

auto Name(ValueKind kind) -> std::string_view {
  switch (kind) {
    case ValueKind::kError: return "an error";
    case ValueKind::kNone: return "None";
    case ValueKind::kBool: return "a bool";
    case ValueKind::kInt: return "an int";
    case ValueKind::kFloat: return "a float";
    case ValueKind::kString: return "a str";
    case ValueKind::kTuple: return "a tuple";
    case ValueKind::kList: return "a list";
    case ValueKind::kDict: return "a dict";
    case ValueKind::kSlice: return "a slice";
    case ValueKind::kExpr: return "an expression";
    case ValueKind::kBuffer: return "a buffer";
    case ValueKind::kRegion: return "a region of a buffer";
    case ValueKind::kIterVar: return "an iteration variable";
    case ValueKind::kRange: return "a range";
    case ValueKind::kReducer: return "a combiner";
    case ValueKind::kIndexMap: return "a map of indices";
    case ValueKind::kObject: return "an object";
    case ValueKind::kGlobal: return "a function of the module";
    case ValueKind::kModule: return "the module";
    case ValueKind::kFrame: return "a statement";
    case ValueKind::kBuiltin:
    case ValueKind::kIntrinsic: return "a function";
    case ValueKind::kDType: return "a data type";
    case ValueKind::kNamespace:
    case ValueKind::kMetadata: return "a namespace";
    case ValueKind::kMethod: return "a method";
    case ValueKind::kLambda: return "a lambda";
    case ValueKind::kMeta: return "T.meta_var";
    case ValueKind::kTarget: return "an assigned element";
  }
  return "";
}

auto Reader::TypeText(DataType dtype) -> std::string {
  const std::string text = ToString(dtype);
  return text.empty() ? "void" : text;
}

auto Reader::Sequence(ValueKind kind, std::span<const Value> elements) -> Value {
  return Value::Of(kind, values_.Add(elements), static_cast<uint32_t>(elements.size()));
}

auto Reader::elements(const Value& sequence) const -> std::span<const Value> {
  return values_.Elements(sequence.id(), sequence.size);
}

auto Reader::ElementsOrOne(const Value& value) const -> std::span<const Value> {
  if (value.is_sequence()) return elements(value);
  return {&value, 1};
}

auto Reader::LiteralKey(const Value& value) const -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> key;
  key.reserve(64);
  std::vector<std::span<const Value>> pending = {{&value, 1}};
  while (!pending.empty()) {
    const std::span<const Value> values = pending.back();
    pending.pop_back();
    for (const Value& v : values) {
      key.push_back(static_cast<int64_t>(v.kind));
      switch (v.kind) {
        case ValueKind::kNone: break;
        case ValueKind::kBool:
        case ValueKind::kFloat: key.push_back(v.integer); break;
        case ValueKind::kInt: key.insert(key.end(), {v.integer, v.flag ? 1 : 0}); break;
        case ValueKind::kString: key.push_back(v.id()); break;
        case ValueKind::kTuple:
        case ValueKind::kList:
        case ValueKind::kDict:
          key.push_back(v.size);
          pending.push_back(elements(v));
          break;
        default: return std::nullopt;
      }
    }
  }
  return key;
}

auto Reader::ToExpr(const Value& value, BoolAs bools) -> PrimExpr {
  switch (value.kind) {
    case ValueKind::kExpr: return value.expr();
    case ValueKind::kInt:
      if (value.flag) {
        Report(diag::kIntegerRange, value.range, static_cast<uint64_t>(value.integer));
        return {};
      }
      return terms_.IntImm(DataType::Int(value.integer == static_cast<int32_t>(value.integer) ? 32 : 64),
                           value.integer);
    case ValueKind::kBool:
      return bools == BoolAs::kBool ? terms_.Bool(value.integer != 0) : terms_.Int32(value.integer);
    case ValueKind::kFloat: return FloatLiteral(DataType::Float(32), value.real, value.range);
    case ValueKind::kString: return terms_.StringImm(context_.text(value.text()));
    case ValueKind::kIterVar: return tables_.iter_var(IterVarId(value.id())).var;
    case ValueKind::kRegion: return LoadRegion(regions_[value.id()], value.range);
    case ValueKind::kError: return {};
    case ValueKind::kBuffer:
      if (IsScalar(value)) return LoadScalar(value);
      [[fallthrough]];
    default: Report(diag::kNotAnExpression, value.range, Name(value.kind)); return {};
  }
}

auto Reader::ToExprs(const Value& value, std::vector<PrimExpr>& exprs, BoolAs bools) -> bool {
  for (const Value& element : ElementsOrOne(value)) {
    const PrimExpr expr = ToExpr(element, bools);
    if (!expr) return false;
    exprs.push_back(expr);
  }
  return true;
}

auto Reader::ToText(const Value& value) -> std::optional<StringId> {
  if (value.is(ValueKind::kString)) return value.text();
  if (value.is(ValueKind::kExpr) && terms_.kind(value.expr()) == PrimKind::kStringImm) {
    return terms_.string_value(value.expr());
  }
  if (!value.is_error()) Report(diag::kWrongValue, value.range, "a str", Name(value.kind));
  return std::nullopt;
}

auto Reader::ToInt(const Value& value) -> std::optional<int64_t> {
  if ((value.is(ValueKind::kInt) && !value.flag) || value.is(ValueKind::kBool)) return value.integer;
  if (value.is(ValueKind::kExpr) && terms_.AsInt(value.expr())) return terms_.AsInt(value.expr());
  if (!value.is_error()) Report(diag::kWrongValue, value.range, "an integer", Name(value.kind));
  return std::nullopt;
}

auto Reader::ToDType(const Value& value) -> std::optional<DataType> {
  if (value.is(ValueKind::kDType)) return value.dtype;
  if (!value.is(ValueKind::kString)) {
    if (!value.is_error()) Report(diag::kWrongValue, value.range, "a data type", Name(value.kind));
    return std::nullopt;
  }
  const std::string_view text = context_.text(value.text());
  const std::optional<DataType> dtype = ParseDataType(text);
  if (!dtype) Report(diag::kUnknownDType, value.range, text);
  return dtype;
}

auto Reader::ToVar(const Value& value) -> PrimExpr {
  if (value.is(ValueKind::kExpr) && terms_.is_var(value.expr())) return value.expr();
  if (value.is(ValueKind::kIterVar)) return tables_.iter_var(IterVarId(value.id())).var;
  if (value.is(ValueKind::kDType)) return terms_.Var("", VarType::Prim(value.dtype));
  if (value.is(ValueKind::kBuiltin)) {
    // `T.handle` and its kin are called without arguments.
    Value made = CallBuiltin(*value.builtin, {}, {}, value.range);
    if (made.is(ValueKind::kExpr) && terms_.is_var(made.expr())) return made.expr();
    if (made.is_error()) return {};
  }
  if (!value.is_error()) Report(diag::kAnnotation, value.range);
  return {};
}

auto Reader::ToRegion(const Value& value) -> std::optional<RegionValue> {
  if (value.is(ValueKind::kRegion)) return regions_[value.id()];
  RegionValue region;
  if (value.is(ValueKind::kBuffer)) {
    region.buffer = value.buffer();
    for (const PrimExpr extent : tables_.buffer(value.buffer()).shape) {
      region.bounds.push_back(terms_.IntImm(arith::ElementOf(terms_.dtype(extent)), 0));
      region.bounds.push_back(extent);
    }
    return region;
  }
  if (value.is(ValueKind::kExpr) && terms_.kind(value.expr()) == PrimKind::kBufferLoad) {
    region.buffer = terms_.buffer(value.expr());
    for (const PrimExpr index : terms_.operands(value.expr())) {
      region.bounds.push_back(index);
      // A vector of indices that was printed as such counts as a point.
      region.bounds.push_back(terms_.IntImm(arith::ElementOf(terms_.dtype(index)), 1));
    }
    return region;
  }
  if (!value.is_error()) Report(diag::kWrongValue, value.range, "a region of a buffer", Name(value.kind));
  return std::nullopt;
}

auto Reader::ToNode(const Value& value) -> std::optional<AttrNode> {
  switch (value.kind) {
    case ValueKind::kBuffer: return AttrNode(value.buffer());
    case ValueKind::kIterVar: return AttrNode(IterVarId(value.id()));
    case ValueKind::kReducer: return AttrNode(ReducerId(value.id()));
    case ValueKind::kInt:
    case ValueKind::kBool:
    case ValueKind::kFloat:
    case ValueKind::kExpr: {
      const PrimExpr expr = ToExpr(value);
      return expr ? std::optional<AttrNode>(expr) : std::nullopt;
    }
    default: {
      const std::optional<ObjectId> object = ToObject(value);
      return object ? std::optional<AttrNode>(*object) : std::nullopt;
    }
  }
}

auto Reader::ObjectOfExpr(PrimExpr expr) -> ObjectId {
  switch (terms_.kind(expr)) {
    case PrimKind::kIntImm: return context_.AddInt(terms_.int_value(expr), terms_.dtype(expr));
    case PrimKind::kFloatImm: return context_.AddFloat(terms_.float_value(expr), terms_.dtype(expr));
    case PrimKind::kStringImm: {
      Object object;
      object.kind = ObjectKind::kStringImm;
      object.text = terms_.string_value(expr);
      return context_.Add(object);
    }
    default: return AddRef(context_, RefKind::kPrimExpr, expr.value());
  }
}

auto Reader::FloatLiteral(DataType type, double value, SourceRange range) -> PrimExpr {
  if (arith::FitsFloat(type, value)) return arith::MakeFloat(terms_, type, value);
  Report(diag::kLiteralRange, range, value, TypeText(type));
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kMostLevels.
auto Reader::ToObject(const Value& value, int depth) -> std::optional<ObjectId> {
  switch (value.kind) {
    case ValueKind::kNone: return ObjectId();
    case ValueKind::kString: return context_.AddString(context_.text(value.text()));
    case ValueKind::kObject: return ObjectId(value.id());
    case ValueKind::kFloat: {
      const bool fits =
          std::isinf(value.real) || std::isnan(value.real) || std::abs(value.real) <= 3.4028234663852886e38;
      return context_.AddFloat(value.real, DataType::Float(fits ? 32 : 64));
    }
    case ValueKind::kInt:
    case ValueKind::kBool:
    case ValueKind::kExpr: {
      const PrimExpr expr = ToExpr(value, BoolAs::kBool);
      if (!expr) return std::nullopt;
      return ObjectOfExpr(expr);
    }
    case ValueKind::kBuffer: return AddRef(context_, RefKind::kBuffer, value.id());
    case ValueKind::kIterVar: return AddRef(context_, RefKind::kIterVar, value.id());
    case ValueKind::kReducer: return AddRef(context_, RefKind::kReducer, value.id());
    case ValueKind::kIndexMap: return AddRef(context_, RefKind::kIndexMap, value.id());
    case ValueKind::kRange:
    case ValueKind::kTuple:
    case ValueKind::kList:
    case ValueKind::kDict: {
      // Attributes are printed and compared recursively.
      constexpr int kMostLevels = 256;
      if (depth == kMostLevels) {
        Report(diag::kNesting, value.range, kMostLevels);
        return std::nullopt;
      }
      std::vector<ObjectId> items;
      for (const Value& element : elements(value)) {
        const std::optional<ObjectId> item = ToObject(element, depth + 1);
        if (!item) return std::nullopt;
        items.push_back(*item);
      }
      return value.is(ValueKind::kDict) ? context_.AddMap(items) : context_.AddArray(items);
    }
    case ValueKind::kGlobal: {
      Object object;
      object.kind = ObjectKind::kGlobalVar;
      object.text = value.text();
      return context_.Add(object);
    }
    case ValueKind::kError: return std::nullopt;
    default: Report(diag::kWrongValue, value.range, "a value of an attribute", Name(value.kind)); return std::nullopt;
  }
}

auto Reader::ToAnnotations(const Value& value) -> std::optional<ObjectId> {
  if (value.is_none()) return ObjectId();
  if (!value.is(ValueKind::kDict)) {
    if (!value.is_error()) Report(diag::kWrongValue, value.range, "a dict", Name(value.kind));
    return std::nullopt;
  }
  if (value.size == 0) return ObjectId();
  return ToObject(value);
}

}  // namespace relayopt::tir
