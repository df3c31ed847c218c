// Buffers: declared, allocated, matched.
#include "lib/tir/script/catalogue.h"
#include "relayopt/arith/analyzer.h"

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
  const ValueList all = r.ListOf(value);
  strides.reserve(all.size());
  for (const Value& stride : all) {
    strides.push_back(stride.is(ValueKind::kString)
                          ? r.terms().Var(r.context().text(stride.text()), VarType::Prim(named))
                          : r.ToExpr(stride));
    if (!strides.back() || !r.IsExtent(strides.back(), stride.range)) return false;
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
  const ValueList all = r.ListOf(value);
  shape.reserve(all.size());
  for (const Value& extent : all) {
    const bool is_quoted = extent.is(ValueKind::kString) && r.frames().size() == 1;
    const PrimExpr expr = is_quoted ? r.QuotedExtent(extent) : r.ToExpr(extent);
    if (!expr) return false;
    shape.push_back(expr);
  }
  return true;
}

// Makes a buffer from the arguments at `first` on. Each step reports an error and returns false if an argument is
// wrong.
class BufferMaker {
 public:
  BufferMaker(Reader& reader, CallArgs& args, size_t first, Buffer buffer)
      : r_(reader), args_(args), first_(first), b_(std::move(buffer)) {}

  // Shape and dtype may be given already (of a matched region); `default_scope` is used when neither data nor scope is
  // given.
  auto Make(DataType stride_type, std::string_view default_scope) -> std::optional<BufferId> {
    if (!SetShape() || !SetType() || !SetData(default_scope) || !SetStrides(stride_type) || !SetOffset() ||
        !SetKind() || !SetSeparators()) {
      return std::nullopt;
    }
    b_.name = r_.Text("buffer");
    return r_.tables().Add(std::move(b_));
  }

 private:
  auto has(Param param) const -> bool { return args_.has(first_ + param); }
  auto arg(Param param) const -> const Value& { return args_[first_ + param]; }

  auto SetShape() -> bool {
    if (has(kShape)) {
      b_.shape.clear();
      if (!ShapeOf(r_, arg(kShape), b_.shape)) return false;
    }
    const Terms& terms = r_.terms();
    for (const PrimExpr extent : b_.shape) {
      if (arith::IsInteger(terms.dtype(extent)) && terms.lanes(extent) == 1) continue;
      r_.Report(diag::kTypeOf, args_.range, "an extent", "an integer", r_.DTypeText(extent));
      return false;
    }
    return true;
  }

  auto SetType() -> bool {
    if (!has(kDType)) return true;
    const auto dtype = r_.ToDType(arg(kDType));
    if (dtype) b_.dtype = *dtype;
    return dtype && r_.IsElementType(*dtype, arg(kDType).range);
  }

  auto SetData(std::string_view default_scope) -> bool {
    Terms& terms = r_.terms();
    if (has(kData)) {
      b_.data = r_.ToVar(arg(kData));
      if (!b_.data) return false;
      if (terms.var(b_.data).type.kind == VarType::Kind::kPointer) return true;
      r_.Report(diag::kTypeOf, arg(kData).range, "the data of a buffer", "a pointer", r_.DTypeText(b_.data));
      return false;
    }
    StringId scope = r_.Text(default_scope);
    if (has(kScope)) {
      const auto text = r_.ToText(arg(kScope));
      if (!text) return false;
      scope = *text;
    }
    b_.data = terms.Var("", VarType::Pointer(arith::IsBool(b_.dtype) ? DataType::Int(8) : b_.dtype, scope));
    return true;
  }

  auto SetStrides(DataType stride_type) -> bool {
    if (has(kStrides) && !StridesOf(r_, arg(kStrides), stride_type, b_.strides)) return false;
    if (b_.strides.empty() || b_.strides.size() == b_.shape.size()) return true;
    r_.Report(diag::kUnpack, arg(kStrides).range, b_.strides.size(), b_.shape.size());
    return false;
  }

  auto SetOffset() -> bool {
    if (has(kAlign)) {
      const auto align = ToInt32(r_, arg(kAlign));
      if (!align) return false;
      if (*align > 0) b_.data_alignment = *align;
    }
    int32_t factor = 0;
    if (has(kOffsetFactor)) {
      const auto given = ToInt32(r_, arg(kOffsetFactor));
      if (!given) return false;
      factor = *given;
    }
    Terms& terms = r_.terms();
    if (has(kElemOffset)) {
      b_.elem_offset = r_.ToExpr(arg(kElemOffset));
      if (!b_.elem_offset || !r_.IsExtent(b_.elem_offset, arg(kElemOffset).range)) return false;
    } else if (factor != 0) {
      const DataType index = b_.shape.empty() ? DataType::Int(32) : terms.dtype(b_.shape[0]);
      b_.elem_offset = terms.Var("elem_offset", VarType::Prim(index));
    }
    b_.offset_factor = factor == 0 ? 1 : factor;
    return true;
  }

  auto SetKind() -> bool {
    if (!has(kBufferType)) return true;
    const auto type = r_.ToText(arg(kBufferType));
    if (!type) return false;
    const std::string_view text = r_.context().text(*type);
    const bool automatic = text == "auto" || text == "auto_broadcast";
    if (!automatic && text != "default" && !text.empty()) {
      r_.Report(diag::kWrongValue, arg(kBufferType).range, "\"auto\" or \"default\"", text);
      return false;
    }
    if (!automatic) return true;
    Terms& terms = r_.terms();
    b_.type = BufferType::kAutoBroadcast;
    for (size_t i = 0; b_.strides.size() < b_.shape.size() && (i > 0 || b_.strides.empty()); ++i) {
      b_.strides.push_back(terms.Var("stride", VarType::Prim(terms.dtype(b_.shape[i]))));
    }
    return true;
  }

  auto SetSeparators() -> bool {
    if (!has(kAxisSeparators)) return true;
    const ValueList all = r_.ListOf(arg(kAxisSeparators));
    for (const Value& axis : all) {
      const auto number = ToInt32(r_, axis);
      if (!number) return false;
      b_.axis_separators.push_back(*number);
    }
    return true;
  }

  Reader& r_;
  CallArgs& args_;
  size_t first_;
  Buffer b_;
};

auto MakeBuffer(Reader& r, CallArgs& args, size_t first, DataType stride_type, Buffer buffer,
                std::string_view default_scope = "global") -> std::optional<BufferId> {
  return BufferMaker(r, args, first, std::move(buffer)).Make(stride_type, default_scope);
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

// TVM 0.27 allocates buffers at their declaration.
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

// As AllocBuffer, but in text of TVM 0.27 the buffer is allocated at its declaration.
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

// Returns a scalar of TVM 0.27 in memory that is there already; the scope is that of its data.
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

// Whether the extents are equal whatever the variables are.
auto AreEqual(Reader& r, PrimExpr a, PrimExpr b) -> bool {
  return a == b || arith::Analyzer(r.terms()).CanProveEqual(a, b);
}

// Returns the properties in which a view must agree with its region; returns an explanation when it does not.
auto Disagreement(Reader& r, const Buffer& view, BufferId view_id, const RegionValue& source) -> std::string_view {
  const Tables& tables = r.tables();
  Terms& terms = r.terms();
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
      if (!AreEqual(r, extent, terms.Int32(1))) return "a leading extent is not 1";
      continue;
    }
    // A variable gets its value from the region.
    const PrimExpr wanted = view.shape[i - surplus];
    if (!terms.is_var(wanted) && !AreEqual(r, wanted, extent)) return "its extents differ";
  }
  return "";
}

auto MatchBuffer(Reader& r, CallArgs& args) -> Value {
  const Value& param = args[0];
  Terms& terms = r.terms();
  const bool has_shape = args.has(1);
  if (param.is(ValueKind::kExpr) && terms.is_var(param.expr())) {
    if (r.FunctionFrame("T.match_buffer", args.range) == nullptr) return Value::Error();
    auto& has_buffer = r.function().has_buffer;
    if (has_buffer.empty()) {
      for (const PrimExpr each : r.function().info.params) has_buffer.emplace(each, false);
      for (const BufferBinding& binding : r.function().info.buffer_map) has_buffer[binding.param] = true;
    }
    const auto known = has_buffer.find(param.expr());
    if (known == has_buffer.end()) return r.Error(diag::kMatchBufferParam, param.range);
    // TVM does not say so: of two buffers of a parameter one would be lost, and a number has none.
    if (known->second || !arith::IsHandle(terms.dtype(param.expr())))
      return r.Error(diag::kParameterBuffer, param.range, known->second ? "has a buffer already" : "is not a handle");
    if (!has_shape) return r.Error(diag::kMatchBufferShape, args.range);
    std::vector<PrimExpr> shape;
    if (!r.ToExprs(args[1], shape)) return Value::Error();
    const DataType strides = shape.empty() || args[1].is(ValueKind::kInt) ? DataType::Int(32) : terms.dtype(shape[0]);
    const auto made = MakeBuffer(r, args, 1, strides, Float32Buffer());
    if (!made) return Value::Error();
    has_buffer[param.expr()] = true;
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
  const std::string_view fault = Disagreement(r, r.tables().buffer(*made), *made, *region);
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
