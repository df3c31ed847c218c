// Methods of buffers with arguments: B.access_ptr("r", offset=8), B.offset_of([i, j]), B.vstore([i], value).
#include <algorithm>

#include "lib/tir/script/catalogue.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir::catalogue {

namespace {

// "r", "w" and "rw" as the bits 1 and 2.
auto MaskOf(Reader& r, const Value& value) -> std::optional<int64_t> {
  if (!value.is(ValueKind::kString)) return r.ToInt(value);
  int64_t mask = 0;
  for (const char c : r.context().text(value.text())) {
    if (c != 'r' && c != 'w') {
      r.Report(diag::kWrongValue, value.range, R"("r", "w" or "rw")", r.context().text(value.text()));
      return std::nullopt;
    }
    mask |= c == 'r' ? 1 : 2;
  }
  return mask;
}

// The number of elements from the first one to the end of the buffer.
auto ElementsOf(Reader& r, const Buffer& b, SourceRange range) -> PrimExpr {
  Terms& terms = r.terms();
  if (b.shape.empty()) return terms.Int32(1);
  if (!b.strides.empty()) return r.Operate(PrimKind::kMul, b.strides[0], b.shape[0], range);
  PrimExpr count = b.shape[0];
  for (size_t i = 1; i < b.shape.size() && count; ++i) count = r.Operate(PrimKind::kMul, count, b.shape[i], range);
  return count;
}

// `T.tvm_access_ptr(T.type_annotation(...), B.data, ...)`.
auto AccessPtr(Reader& r, CallArgs& args) -> Value {
  enum : size_t { kSelf, kMask, kType, kLanes, kOffset, kExtent };
  Terms& terms = r.terms();
  const Buffer b = r.tables().buffer(args[kSelf].buffer());
  const auto mask = MaskOf(r, args[kMask]);
  const auto type = args.has(kType) ? r.ToDType(args[kType]) : std::optional(arith::kHandleType);
  const auto lanes = args.has(kLanes) ? r.ToInt(args[kLanes]) : std::optional<int64_t>(1);
  if (!mask || !type || !lanes) return Value::Error();
  if (*lanes < 1 || *lanes * b.dtype.lanes > UINT16_MAX)
    return r.Error(diag::kWrongValue, args[kLanes].range, "a number of lanes", std::to_string(*lanes));
  PrimExpr offset = b.elem_offset;
  PrimExpr extent = ElementsOf(r, b, args.range);
  if (args.has(kOffset)) {
    const PrimExpr given = r.ToExpr(args[kOffset]);
    if (!given) return Value::Error();
    offset = r.Operate(PrimKind::kAdd, offset, given, args.range);
    if (offset && extent) extent = r.Operate(PrimKind::kSub, extent, given, args.range);
  }
  DataType element = b.dtype;
  if (*lanes > 1 && offset && extent) {
    element.lanes = static_cast<uint16_t>(element.lanes * *lanes);
    extent = arith::TruncDiv(terms, extent, terms.IntImm(terms.dtype(extent), *lanes));
    offset = arith::TruncDiv(terms, offset, terms.IntImm(terms.dtype(offset), *lanes));
  }
  if (args.has(kExtent)) extent = r.ToExpr(args[kExtent]);
  if (!offset || !extent) return Value::Error();
  const PrimExpr annotation = terms.Call(element, terms.Intrinsic("tir.type_annotation"_intrin), {});
  return Value::Expr(terms.Call(*type, terms.Intrinsic("tir.tvm_access_ptr"_intrin),
                                {annotation, b.data, offset, extent, terms.Int32(*mask)}));
}

// The indices of an element in memory, as a list.
auto OffsetOf(Reader& r, CallArgs& args) -> Value {
  const Buffer b = r.tables().buffer(args[0].buffer());
  std::vector<PrimExpr> indices;
  for (const Value& index : r.ListOf(args[1])) {
    indices.push_back(r.ToExpr(index));
    if (!indices.back()) return Value::Error();
  }
  if (indices.size() != b.ndim())
    return r.Error(diag::kDimensions, args[1].range, r.context().text(b.name), b.ndim(), indices.size());
  arith::Analyzer analyzer(r.terms());
  const auto offsets =
      MapToVector<Value>(ElemOffset(analyzer, b, indices), [&](PrimExpr offset) { return Value::Expr(offset); });
  return r.Sequence(ValueKind::kList, offsets);
}

// `B.vstore([i], value)`: B[i] = value, or as many elements from there on as the value has lanes.
auto VStore(Reader& r, CallArgs& args) -> Value {
  Terms& terms = r.terms();
  const BufferId buffer = args[0].buffer();
  const PrimExpr value = r.ToExpr(args[2]);
  if (!value) return Value::Error();
  const auto made = r.StoreIndices(buffer, r.ListOf(args[1]), args.range);
  if (!made) return Value::Error();
  std::vector<PrimExpr> indices(made->begin(), made->end());
  const int lanes = terms.lanes(value) / std::max<int>(r.tables().buffer(buffer).dtype.lanes, 1);
  if (lanes > 1 && !indices.empty() && terms.lanes(indices.back()) == 1)
    indices.back() = terms.Ramp(indices.back(), terms.IntImm(terms.dtype(indices.back()), 1), lanes);
  r.StoreTo(buffer, value, indices, args.range);
  return {};
}

struct MethodBuiltin {
  Method method;
  Builtin row;
};
const MethodBuiltin kMethodRows[] = {
    {Method::kAccessPtr,
     {"Buffer.access_ptr",
      {"self", "access_mask", "ptr_type", "content_lanes", "offset", "extent"},
      2,
      false,
      AccessPtr}},
    {Method::kOffsetOf, {"Buffer.offset_of", {"self", "indices"}, 2, false, OffsetOf}},
    {Method::kVstore, {"Buffer.vstore", {"self", "begin", "value"}, 3, false, VStore}},
};

}  // namespace

auto MethodRow(Method method) -> const Builtin* {
  const auto* found = std::ranges::find(kMethodRows, method, &MethodBuiltin::method);
  return found == std::end(kMethodRows) ? nullptr : &found->row;
}

}  // namespace relayopt::tir::catalogue
