// Buffers: declared, allocated, matched.
#include "lib/tir/script/catalogue.h"

namespace relayopt::tir::catalogue {

namespace {

// The parameters that all forms of buffers share, from `shape` on.
enum Param : size_t {
  kShape,
  kDType,
  kData,
  kStrides,
  kElemOffset,
  kScope,
  kAlign,
  kOffsetFactor,
  kBufferType,
  kAxisSeparators,
  // For TVM 0.27.
  kAnnotations
};

// A stride that is a string makes a variable of that name.
auto StridesOf(Reader& r, const Value& value, DataType named, std::vector<PrimExpr>& strides) -> bool {
  const std::vector<Value> all(r.ElementsOrOne(value).begin(), r.ElementsOrOne(value).end());
  for (const Value& stride : all) {
    strides.push_back(stride.is(ValueKind::kString)
                          ? r.terms().Var(r.context().text(stride.text()), VarType::Prim(named))
                          : r.ToExpr(stride));
    if (!strides.back()) return false;
  }
  return true;
}

auto ToInt32(Reader& r, const Value& value) -> std::optional<int32_t> {
  const auto number = r.ToInt(value);
  if (!number) return std::nullopt;
  return static_cast<int32_t>(*number);
}

// Extents; in the header of a function also, in quotes, of variables that come later.
auto ShapeOf(Reader& r, const Value& value, std::vector<PrimExpr>& shape) -> bool {
  const std::vector<Value> all(r.ElementsOrOne(value).begin(), r.ElementsOrOne(value).end());
  for (const Value& extent : all) {
    const bool is_quoted = extent.is(ValueKind::kString) && r.frames().size() == 1;
    const PrimExpr expr = is_quoted ? r.QuotedExtent(extent) : r.ToExpr(extent);
    if (!expr) return false;
    shape.push_back(expr);
  }
  return true;
}

// A buffer from the arguments at `first` on. Shape and dtype may be given already (of a matched region);
// `default_scope` counts where neither data nor scope is given.
auto MakeBuffer(Reader& r, CallArgs& args, size_t first, DataType stride_type, Buffer b,
                std::string_view default_scope = "global") -> std::optional<BufferId> {
  const auto has = [&](Param param) { return args.has(first + param); };
  const auto arg = [&](Param param) -> const Value& { return args[first + param]; };
  Terms& terms = r.terms();
  Context& context = r.context();
  if (has(kShape)) {
    b.shape.clear();
    if (!ShapeOf(r, arg(kShape), b.shape)) return std::nullopt;
  }
  for (const PrimExpr extent : b.shape) {
    if (arith::IsInteger(terms.dtype(extent)) && terms.lanes(extent) == 1) continue;
    r.Report(diag::kTypeOf, args.range, "an extent", "an integer", r.DTypeText(extent));
    return std::nullopt;
  }
  if (has(kDType)) {
    const auto dtype = r.ToDType(arg(kDType));
    if (!dtype) return std::nullopt;
    b.dtype = *dtype;
  }
  const DataType index = b.shape.empty() ? DataType::Int(32) : terms.dtype(b.shape[0]);
  if (has(kData)) {
    b.data = r.ToVar(arg(kData));
    if (!b.data) return std::nullopt;
    if (terms.var(b.data).type.kind != VarType::Kind::kPointer) {
      r.Report(diag::kTypeOf, arg(kData).range, "the data of a buffer", "a pointer", r.DTypeText(b.data));
      return std::nullopt;
    }
  } else {
    StringId scope = r.Text(default_scope);
    if (has(kScope)) {
      const auto text = r.ToText(arg(kScope));
      if (!text) return std::nullopt;
      scope = *text;
    }
    b.data = terms.Var("", VarType::Pointer(arith::IsBool(b.dtype) ? DataType::Int(8) : b.dtype, scope));
  }
  if (has(kStrides) && !StridesOf(r, arg(kStrides), stride_type, b.strides)) return std::nullopt;
  if (!b.strides.empty() && b.strides.size() != b.shape.size()) {
    r.Report(diag::kUnpack, arg(kStrides).range, b.strides.size(), b.shape.size());
    return std::nullopt;
  }
  if (has(kAlign)) {
    const auto align = ToInt32(r, arg(kAlign));
    if (!align) return std::nullopt;
    if (*align > 0) b.data_alignment = *align;
  }
  int32_t factor = 0;
  if (has(kOffsetFactor)) {
    const auto given = ToInt32(r, arg(kOffsetFactor));
    if (!given) return std::nullopt;
    factor = *given;
  }
  if (has(kElemOffset)) {
    b.elem_offset = r.ToExpr(arg(kElemOffset));
    if (!b.elem_offset) return std::nullopt;
  } else if (factor != 0) {
    b.elem_offset = terms.Var("elem_offset", VarType::Prim(index));
  }
  b.offset_factor = factor == 0 ? 1 : factor;
  if (has(kBufferType)) {
    const auto type = r.ToText(arg(kBufferType));
    if (!type) return std::nullopt;
    const std::string_view text = context.text(*type);
    const bool automatic = text == "auto" || text == "auto_broadcast";
    if (!automatic && text != "default" && !text.empty()) {
      r.Report(diag::kWrongValue, arg(kBufferType).range, "\"auto\" or \"default\"", text);
      return std::nullopt;
    }
    if (automatic) {
      b.type = BufferType::kAutoBroadcast;
      for (size_t i = 0; b.strides.size() < b.shape.size() && (i > 0 || b.strides.empty()); ++i) {
        b.strides.push_back(terms.Var("stride", VarType::Prim(terms.dtype(b.shape[i]))));
      }
    }
  }
  if (has(kAxisSeparators)) {
    const std::vector<Value> all(r.ElementsOrOne(arg(kAxisSeparators)).begin(),
                                 r.ElementsOrOne(arg(kAxisSeparators)).end());
    for (const Value& axis : all) {
      const auto number = ToInt32(r, axis);
      if (!number) return std::nullopt;
      b.axis_separators.push_back(*number);
    }
  }
  b.name = r.Text("buffer");
  return r.tables().Add(std::move(b));
}

auto Float32Buffer() -> Buffer {
  Buffer buffer;
  buffer.dtype = DataType::Float(32);
  return buffer;
}

auto BufferOf(Reader& r, CallArgs& args) -> Value {
  const auto made = MakeBuffer(r, args, 0, DataType::Int(32), Float32Buffer());
  return made ? Value::Buffer(*made) : Value::Error();
}

// `made`, allocated from here to the end of the statements around it unless its data is given.
auto PendingBuffer(Reader& r, BufferId made, bool has_data, SourceRange range, ObjectId annotations = {}) -> Value {
  Frame frame;
  frame.kind = has_data ? FrameKind::kDecl : FrameKind::kDeclAllocate;
  frame.range = range;
  frame.buffer = made;
  frame.annotations = annotations;
  frame.yields = Value::Buffer(made);
  return r.Pending(std::move(frame));
}

// TVM 0.27 allocates buffers where they stand.
auto AllocHere(Reader& r, CallArgs& args, std::string_view scope) -> Value {
  ObjectId annotations;
  if (args.has(kAnnotations)) {
    const auto given = r.ToAnnotations(args[kAnnotations]);
    if (!given) return Value::Error();
    annotations = *given;
  }
  const auto made = MakeBuffer(r, args, 0, DataType::Int(32), Float32Buffer(), scope);
  return made ? PendingBuffer(r, *made, false, args.range, annotations) : Value::Error();
}

auto AllocShared(Reader& r, CallArgs& args) -> Value { return AllocHere(r, args, "shared"); }
auto AllocLocal(Reader& r, CallArgs& args) -> Value { return AllocHere(r, args, "local"); }

auto AllocBuffer(Reader& r, CallArgs& args) -> Value {
  std::vector<BufferId>* list = nullptr;
  if (!r.frames().empty() && r.frames().back().kind == FrameKind::kBlock) {
    list = &r.frames().back().block->info.alloc_buffers;
  } else if (!r.frames().empty() && r.frames().back().kind == FrameKind::kFunction) {
    list = &r.function().root_allocs;
  } else {
    return r.Error(diag::kPlace, args.range, "T.alloc_buffer", "a block or a PrimFunc");
  }
  const auto made = MakeBuffer(r, args, 0, DataType::Int(32), Float32Buffer());
  if (!made) return Value::Error();
  list->push_back(*made);
  r.ShowBuffer(*made);
  return Value::Buffer(*made);
}

// As AllocBuffer, but in text of TVM 0.27 the buffer is allocated where it stands.
auto AllocBufferOrHere(Reader& r, CallArgs& args) -> Value {
  if (r.speaks_tirx()) return AllocHere(r, args, "global");
  if (args.has(kAnnotations))
    return r.Error(diag::kArguments, args.range, "T.alloc_buffer", "has no argument annotations");
  return AllocBuffer(r, args);
}

auto DeclBufferOf(Reader& r, CallArgs& args) -> Value {
  const auto made = MakeBuffer(r, args, 0, DataType::Int(32), Float32Buffer());
  return made ? PendingBuffer(r, *made, args.has(kData), args.range) : Value::Error();
}

// A scalar of TVM 0.27 in memory that is there already; the scope is that of its data.
auto DeclScalar(Reader& r, CallArgs& args) -> Value {
  enum : size_t { kType, kPointer, kItsScope, kOffset };
  Buffer b;
  const auto dtype = r.ToDType(args[kType]);
  if (!dtype) return Value::Error();
  b.dtype = *dtype;
  b.shape = {r.terms().Int32(1)};
  b.data = r.ToVar(args[kPointer]);
  if (!b.data) return Value::Error();
  if (r.terms().var(b.data).type.kind != VarType::Kind::kPointer) {
    return r.Error(diag::kTypeOf, args[kPointer].range, "the data of a buffer", "a pointer", r.DTypeText(b.data));
  }
  if (args.has(kOffset) && !args[kOffset].is_none()) {
    b.elem_offset = r.ToExpr(args[kOffset]);
    if (!b.elem_offset) return Value::Error();
  }
  b.offset_factor = 1;
  b.name = r.Text("buffer");
  return PendingBuffer(r, r.tables().Add(std::move(b)), true, args.range);
}

// The properties in which a view must agree with its region; returns an explanation when it does not.
auto Disagreement(Reader& r, const Buffer& view, BufferId view_id, const RegionValue& source) -> std::string {
  const Tables& tables = r.tables();
  const Terms& terms = r.terms();
  const Buffer& of = tables.buffer(source.buffer);
  if (tables.Scope(view_id) != tables.Scope(source.buffer)) return "their scopes differ";
  if (view.dtype != of.dtype) return "their types differ";
  if (view.data_alignment == 0 || of.data_alignment % view.data_alignment != 0) return "their alignments do not agree";
  const size_t ndim = source.bounds.size() / 2;
  if (view.ndim() > ndim) return "it has fewer dimensions";
  const size_t surplus = ndim - view.ndim();
  for (size_t i = 0; i < ndim; ++i) {
    const PrimExpr extent = source.bounds[2 * i + 1];
    if (i < surplus) {
      if (terms.AsInt(extent) && !terms.IsInt(extent, 1)) return "a leading extent is not 1";
      continue;
    }
    const PrimExpr wanted = view.shape[i - surplus];
    const auto a = terms.AsInt(wanted);
    const auto b = terms.AsInt(extent);
    if (a && b && *a != *b) return "its extents differ";
  }
  return "";
}

auto MatchBuffer(Reader& r, CallArgs& args) -> Value {
  const Value& param = args[0];
  Terms& terms = r.terms();
  const bool has_shape = args.has(1);
  if (param.is(ValueKind::kExpr) && terms.is_var(param.expr())) {
    if (r.FunctionFrame("T.match_buffer", args.range) == nullptr) return Value::Error();
    const auto& params = r.function().info.params;
    if (std::find(params.begin(), params.end(), param.expr()) == params.end())
      return r.Error(diag::kMatchBufferParam, param.range);
    if (!has_shape) return r.Error(diag::kMatchBufferShape, args.range);
    std::vector<PrimExpr> shape;
    if (!r.ToExprs(args[1], shape)) return Value::Error();
    const DataType strides = shape.empty() || args[1].is(ValueKind::kInt) ? DataType::Int(32) : terms.dtype(shape[0]);
    const auto made = MakeBuffer(r, args, 1, strides, Float32Buffer());
    if (!made) return Value::Error();
    r.function().info.buffer_map.push_back({param.expr(), *made});
    r.ShowBuffer(*made);
    return Value::Buffer(*made);
  }
  OpenBlock* block = r.BlockAbove("T.match_buffer", args.range);
  const auto region = block != nullptr ? r.ToRegion(param) : std::nullopt;
  if (!region) return Value::Error();
  Buffer from = Float32Buffer();
  if (!has_shape) {
    for (size_t i = 1; i < region->bounds.size(); i += 2) from.shape.push_back(region->bounds[i]);
  }
  // As TVM: without a dtype it is that of the region.
  from.dtype = r.tables().buffer(region->buffer).dtype;
  if (has_shape && !args.has(2)) from.dtype = DataType::Float(32);
  std::vector<PrimExpr> shape = from.shape;
  if (has_shape && !r.ToExprs(args[1], shape)) return Value::Error();
  const DataType strides = shape.empty() ? DataType::Int(32) : terms.dtype(shape[0]);
  const auto made = MakeBuffer(r, args, 1, strides, std::move(from));
  if (!made) return Value::Error();
  const std::string fault = Disagreement(r, r.tables().buffer(*made), *made, *region);
  if (!fault.empty()) return r.Error(diag::kRegionMatch, args.range, fault);
  const auto ndim = static_cast<uint32_t>(region->bounds.size() / 2);
  block->info.match_buffers.push_back(
      {*made, {region->buffer, static_cast<uint32_t>(block->match_bounds.size()), ndim}});
  r.ShowBuffer(*made);
  block->match_bounds.insert(block->match_bounds.end(), region->bounds.begin(), region->bounds.end());
  return Value::Buffer(*made);
}

const Builtin kBufferRows[] = {
    {"Buffer",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators"},
     1,
     false,
     BufferOf},
    {"buffer_decl",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators"},
     1,
     false,
     BufferOf},
    {"alloc_buffer",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators", "annotations"},
     1,
     false,
     AllocBufferOrHere},
    {"alloc_shared",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators", "annotations"},
     1,
     false,
     AllocShared},
    {"alloc_local",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators", "annotations"},
     1,
     false,
     AllocLocal},
    {"sblock_alloc_buffer",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators"},
     1,
     false,
     AllocBuffer},
    {"decl_buffer",
     {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators"},
     1,
     false,
     DeclBufferOf},
    {"decl_scalar", {"dtype", "data", "scope", "elem_offset"}, 2, false, DeclScalar},
    {"match_buffer",
     {"param", "shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type",
      "axis_separators"},
     1,
     false,
     MatchBuffer},
};

}  // namespace

auto Buffers() -> std::span<const Builtin> { return kBufferRows; }

}  // namespace relayopt::tir::catalogue
