// Statements: loops, lets, attributes, allocations, stores.
#include <bit>
#include <cstring>

#include "lib/tir/script/catalogue.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir::catalogue {

namespace {

auto MakeFrame(FrameKind kind, SourceRange range) -> Frame {
  Frame frame;
  frame.kind = kind;
  frame.range = range;
  return frame;
}

auto FuncAttr(Reader& r, CallArgs& args) -> Value {
  if (r.FunctionFrame("T.func_attr", args.range) == nullptr) return Value::Error();
  if (r.function().has_attrs) return r.Error(diag::kTwice, args.range, "prim func annotations");
  if (!args[0].is(ValueKind::kDict)) return r.Error(diag::kWrongValue, args[0].range, "a dict", Name(args[0].kind));
  r.function().has_attrs = true;
  auto& attrs = r.function().info.attrs;
  absl::flat_hash_map<StringId, size_t> places;
  for (size_t i = 0; i < attrs.size(); ++i) places.emplace(attrs[i].key, i);
  const std::span<const Value> items = r.elements(args[0]);
  for (size_t i = 0; i < items.size(); i += 2) {
    const auto key = r.ToText(items[i]);
    const auto value = key ? r.ToObject(items[i + 1]) : std::nullopt;
    if (!value) return Value::Error();
    const auto [place, is_new] = places.try_emplace(*key, attrs.size());
    if (is_new)
      attrs.push_back({*key, *value});
    else
      attrs[place->second].value = *value;
  }
  return {};
}

auto ModuleAttrs(Reader& r, CallArgs& args) -> Value {
  if (!r.module_attrs().empty()) return r.Error(diag::kTwice, args.range, "module attrs");
  if (!args[0].is(ValueKind::kDict)) return r.Error(diag::kWrongValue, args[0].range, "a dict", Name(args[0].kind));
  const std::span<const Value> items = r.elements(args[0]);
  for (size_t i = 0; i < items.size(); i += 2) {
    const auto key = r.ToText(items[i]);
    const auto value = key ? r.ToObject(items[i + 1]) : std::nullopt;
    if (!value) return Value::Error();
    r.module_attrs().push_back({*key, *value});
  }
  return {};
}

// Loops.

auto Loop(Reader& r, CallArgs& args, ForKind kind, size_t annotations) -> Value {
  auto frame = LoopFrame(r, args[0], args.has(1) ? &args[1] : nullptr, kind, args.range);
  if (!frame) return Value::Error();
  if (args.has(annotations)) {
    const auto made = r.ToAnnotations(args[annotations]);
    if (!made) return Value::Error();
    frame->annotations = *made;
  }
  return r.Pending(std::move(*frame));
}

template <ForKind kind>
auto LoopOf(Reader& r, CallArgs& args) -> Value {
  return Loop(r, args, kind, 2);
}

// `unroll` of TVM 0.27: True or a number, and False.
auto Serial(Reader& r, CallArgs& args) -> Value {
  if (args.has(2) && args[2].is(ValueKind::kInt)) {
    return r.Error(diag::kArguments, args[2].range, "a loop", "cannot have a step");
  }
  Value loop = Loop(r, args, ForKind::kSerial, 2);
  if (!args.has(3) || loop.is_error()) return loop;
  const Value& unroll = args[3];
  if (!unroll.is(ValueKind::kBool) && !unroll.is(ValueKind::kInt))
    return r.Error(diag::kWrongValue, unroll.range, "a bool or an int", Name(unroll.kind));
  const bool never = unroll.is(ValueKind::kBool) && unroll.integer == 0;
  const Value entry[] = {Value::String(r.context().Intern(never ? "disable_unroll" : "pragma_unroll")),
                         never ? Value::Bool(true) : unroll};
  Frame& frame = r.frame(loop);
  if (frame.annotations) return r.Error(diag::kArguments, args.range, "T.serial", "has unroll beside annotations");
  const auto made = r.ToAnnotations(r.Sequence(ValueKind::kDict, entry));
  if (!made) return Value::Error();
  frame.annotations = *made;
  return loop;
}

auto ThreadBinding(Reader& r, CallArgs& args) -> Value {
  const Value* stop = args.has(1) ? &args[1] : nullptr;
  const Value* thread = args.has(2) ? &args[2] : nullptr;
  // As TVM: the tag may be the second argument.
  if (thread == nullptr && stop != nullptr && stop->is(ValueKind::kString)) std::swap(thread, stop);
  if (thread == nullptr) return r.Error(diag::kArguments, args.range, "T.thread_binding", "needs the argument thread");
  const auto tag = r.ToText(*thread);
  auto frame = tag ? LoopFrame(r, args[0], stop, ForKind::kThreadBinding, args.range) : std::nullopt;
  if (!frame) return Value::Error();
  if (args.has(3)) {
    const auto made = r.ToAnnotations(args[3]);
    if (!made) return Value::Error();
    frame->annotations = *made;
  }
  IterVar iter;
  iter.var = r.terms().Var("iter", DataType::Int(32));
  iter.type = IterType::kThreadIndex;
  iter.thread_tag = *tag;
  frame->iter = r.tables().Add(iter);
  return r.Pending(std::move(*frame));
}

auto Grid(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kFor, args.range);
  frame.loops.reserve(args.rest.size());
  for (const Value& arg : args.rest) {
    const PrimExpr extent = r.ToExpr(arg);
    if (!extent) return Value::Error();
    const DataType type = r.terms().dtype(extent);
    if (!arith::IsInteger(type) || type.lanes != 1) {
      return r.Error(diag::kTypeOf, arg.range, "an extent", "an integer", r.DTypeText(extent));
    }
    const PrimExpr var = r.terms().Var("", type);
    r.Rename(var, r.Text("v"));
    frame.loops.push_back({var, r.terms().IntImm(type, 0), extent, ForKind::kSerial});
  }
  if (frame.loops.empty()) return r.Error(diag::kArguments, args.range, "T.grid", "needs an extent");
  return r.Pending(std::move(frame));
}

// Lets, assertions, attributes.

auto LetOf(Reader& r, PrimExpr var, PrimExpr value, SourceRange range) -> Value {
  if (!r.CheckLet(var, value, range)) return Value::Error();
  Frame frame = MakeFrame(FrameKind::kLet, range);
  frame.var = var;
  frame.value = value;
  frame.yields = Value::Expr(var);
  return r.Pending(std::move(frame));
}

auto LetStmtOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr value = r.ToExpr(args[0]);
  if (!value) return Value::Error();
  PrimExpr var;
  if (args.has(2)) {
    var = r.ToVar(args[2]);
  } else if (args.has(1)) {
    // A variable is accepted for its type.
    var = r.ToVar(args[1]);
    if (var && args[1].is(ValueKind::kExpr)) var = r.terms().CopyVar(var, "v");
  } else {
    var = r.terms().Var("v", VarType::Prim(r.terms().dtype(value)));
  }
  return var ? LetOf(r, var, value, args.range) : Value::Error();
}

// As TVM: an old spelling; with a body it is an expression.
auto OldLet(Reader& r, CallArgs& args) -> Value {
  const PrimExpr var = r.ToVar(args[0]);
  PrimExpr value = var ? r.ToExpr(args[1]) : PrimExpr();
  if (!value) return Value::Error();
  if (!args.has(2)) return LetOf(r, var, value, args.range);
  const PrimExpr body = r.ToExpr(args[2]);
  if (!body || !r.CheckLet(var, value, args.range)) return Value::Error();
  return Value::Expr(r.terms().Let(var, value, body));
}

auto AssertOf(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kAssert, args.range);
  frame.value = r.ToBool(args[0]);
  const auto text = frame.value ? r.AssertMessage(args[1]) : std::nullopt;
  if (!text) return Value::Error();
  if (!arith::IsBool(r.terms().dtype(frame.value))) {
    return r.Error(diag::kTypeOf, args[0].range, "a condition", "bool", r.DTypeText(frame.value));
  }
  frame.var = r.terms().StringImm(r.context().text(*text));
  return r.Pending(std::move(frame));
}

auto Attr(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kAttr, args.range);
  const auto node = r.ToNode(args[0]);
  const auto key = node ? r.ToText(args[1]) : std::nullopt;
  frame.value = key ? r.ToExpr(args[2]) : PrimExpr();
  if (!frame.value) return Value::Error();
  // The values of these attributes are numbers.
  static constexpr std::string_view kCounts[] = {"thread_extent", "virtual_thread", "async_wait_inflight_count",
                                                 "async_wait_queue_scope", "async_commit_queue_scope"};
  if (std::ranges::find(kCounts, r.context().text(*key)) != std::end(kCounts) &&
      !r.IsExtent(frame.value, args[2].range))
    return Value::Error();
  frame.node = *node;
  frame.key = *key;
  return r.Pending(std::move(frame));
}

auto Realize(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kRealize, args.range);
  const auto region = r.ToRegion(args[0]);
  const auto scope = region ? r.ToText(args[1]) : std::nullopt;
  if (!scope) return Value::Error();
  frame.buffer = region->buffer;
  frame.exprs.assign(region->bounds.begin(), region->bounds.end());
  frame.var = r.terms().StringImm(r.context().text(*scope));
  if (args.has(2)) frame.value = r.ToBool(args[2]);
  if (args.has(2) && !frame.value) return Value::Error();
  return r.Pending(std::move(frame));
}

// Threads.

auto EnvThread(Reader& r, CallArgs& args) -> Value {
  const auto tag = r.ToText(args[0]);
  if (!tag) return Value::Error();
  IterVar iter;
  iter.var = r.terms().Var("", DataType::Int(32));
  iter.type = IterType::kThreadIndex;
  iter.thread_tag = *tag;
  r.function().env_threads[iter.var] = r.tables().Add(iter);
  return Value::Expr(iter.var);
}

auto LaunchThread(Reader& r, CallArgs& args) -> Value {
  PrimExpr var;
  if (args[0].is(ValueKind::kString)) {
    const Value made = EnvThread(r, args);
    var = made.is_error() ? PrimExpr() : made.expr();
  } else {
    var = r.ToVar(args[0]);
  }
  const PrimExpr extent = var ? r.ToExpr(args[1]) : PrimExpr();
  if (!extent || !r.IsExtent(extent, args[1].range)) return Value::Error();
  auto& threads = r.function().env_threads;
  const auto found = threads.find(var);
  if (found == threads.end()) {
    return r.Error(diag::kNotAThread, args[0].range, r.context().text(r.terms().var(var).name));
  }
  PrimExpr& before = r.function().thread_extents[var];
  if (before && before != extent && !r.terms().IsInt(r.Difference(before, extent, args.range), 0)) {
    return r.Error(diag::kThreadExtents, args[1].range);
  }
  if (!before) {
    before = extent;
    IterVar iter = r.tables().iter_var(found->second);
    iter.domain = {r.terms().IntImm(r.terms().dtype(extent), 0), extent};
    found->second = r.tables().Add(iter);
  }
  Frame frame = MakeFrame(FrameKind::kAttr, args.range);
  frame.node = found->second;
  const std::string_view tag = r.context().text(r.tables().iter_var(found->second).thread_tag);
  frame.key = r.context().Intern(tag == "vthread" ? "virtual_thread" : "thread_extent");
  frame.value = extent;
  frame.yields = Value::Expr(var);
  return r.Pending(std::move(frame));
}

// Memory.

auto AllocateOf(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kAllocate, args.range);
  const auto dtype = r.ToExprs(args[0], frame.exprs) ? r.ToDType(args[1]) : std::nullopt;
  if (!dtype || !r.IsElementType(*dtype, args[1].range)) return Value::Error();
  for (const PrimExpr extent : frame.exprs) {
    if (!r.IsExtent(extent, args[0].range)) return Value::Error();
  }
  StringId scope = r.Text("global");
  if (args.has(2)) {
    const auto text = r.ToText(args[2]);
    if (!text) return Value::Error();
    scope = *text;
  }
  if (args.has(3)) frame.value = r.ToBool(args[3]);
  if (args.has(3) && !frame.value) return Value::Error();
  if (args.has(4)) {
    const auto made = r.ToAnnotations(args[4]);
    if (!made) return Value::Error();
    frame.annotations = *made;
  }
  frame.dtype = *dtype;
  frame.var = r.terms().Var("", VarType::Pointer(*dtype, scope));
  frame.yields = Value::Expr(frame.var);
  return r.Pending(std::move(frame));
}

// One number as the element of a constant.
auto AppendElement(Reader& r, const Value& value, DataType dtype, std::vector<std::byte>& bytes) -> bool {
  uint64_t bits = 0;
  const PrimExpr expr = r.ToExpr(value);
  if (!expr) return false;
  const Terms& terms = r.terms();
  const bool is_int = terms.kind(expr) == PrimKind::kIntImm;
  if (!is_int && terms.kind(expr) != PrimKind::kFloatImm) {
    r.Report(diag::kWrongValue, value.range, "a number", "an expression");
    return false;
  }
  if (dtype.code == TypeCode::kFloat && dtype.bits >= 32) {
    const double real = is_int ? static_cast<double>(terms.int_value(expr)) : terms.float_value(expr);
    bits = dtype.bits == 64 ? std::bit_cast<uint64_t>(real) : std::bit_cast<uint32_t>(static_cast<float>(real));
  } else if (is_int) {
    // As TVM: a float16 is printed as its bits, which are those of an int16.
    const int64_t whole = terms.int_value(expr);
    const DataType stored = arith::IsInteger(dtype) ? dtype : DataType::Int(dtype.bits);
    const bool fits = arith::FitsType(stored, whole) || arith::FitsType(DataType::UInt(stored.bits), whole);
    if (dtype.lanes == 1 && (arith::IsInteger(dtype) ? !arith::FitsType(dtype, whole) : !fits)) {
      r.Report(diag::kLiteralRange, value.range, whole, Reader::TypeText(dtype));
      return false;
    }
    bits = static_cast<uint64_t>(whole);
  } else {
    r.Report(diag::kWrongValue, value.range, "an integer", "a float");
    return false;
  }
  const size_t size = dtype.bytes();
  const size_t at = bytes.size();
  bytes.resize(at + size);
  std::memcpy(bytes.data() + at, &bits, size);
  return true;
}

auto AllocateConstOf(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kAllocateConst, args.range);
  const auto dtype = r.ToDType(args[1]);
  if (!dtype || !r.ToExprs(args[2], frame.exprs)) return Value::Error();
  const bool has_elements = dtype->lanes == 1 && dtype->bytes() >= 1 && dtype->bytes() <= sizeof(uint64_t);
  if (!has_elements || arith::IsHandle(*dtype))
    return r.Error(diag::kWrongValue, args[1].range, "a type of numbers", Reader::TypeText(*dtype));
  int64_t wanted = 1;
  std::vector<int64_t> shape;
  for (const PrimExpr extent : frame.exprs) {
    const auto literal = r.terms().AsInt(extent);
    if (!literal) return r.Error(diag::kWrongValue, args[2].range, "literal extents", "an expression");
    if (*literal < 0 || __builtin_mul_overflow(wanted, *literal, &wanted))
      return r.Error(diag::kWrongValue, args[2].range, "extents of a constant", *literal);
    shape.push_back(*literal);
  }
  // Nested lists are flattened.
  std::vector<std::byte> bytes;
  std::vector<Value> stack = {args[0]};
  int64_t count = 0;
  while (!stack.empty()) {
    const Value top = stack.back();
    stack.pop_back();
    if (top.is_sequence()) {
      const auto inner = r.elements(top);
      stack.insert(stack.end(), inner.rbegin(), inner.rend());
    } else {
      if (!AppendElement(r, top, *dtype, bytes)) return Value::Error();
      ++count;
    }
  }
  if (count != wanted) return r.Error(diag::kConstantSize, args[0].range, wanted, count);
  frame.dtype = *dtype;
  frame.data = r.context().AddConstant(Constant(*dtype, std::move(shape), std::move(bytes)));
  if (args.has(3)) {
    const auto made = r.ToAnnotations(args[3]);
    if (!made) return Value::Error();
    frame.annotations = *made;
  }
  frame.var = r.terms().Var("", VarType::Pointer(*dtype, r.Text("")));
  frame.yields = Value::Expr(frame.var);
  return r.Pending(std::move(frame));
}

// Control.

auto WhileOf(Reader& r, CallArgs& args) -> Value {
  Frame frame = MakeFrame(FrameKind::kWhile, args.range);
  frame.value = r.ToCondition(args[0]);
  if (!frame.value) return Value::Error();
  if (r.terms().AsInt(frame.value)) return r.Error(diag::kTrivialWhile, args.range);
  return r.Pending(std::move(frame));
}

auto EvaluateOf(Reader& r, CallArgs& args) -> Value {
  const PrimExpr value = r.ToBool(args[0]);
  if (!value) return Value::Error();
  const StmtId made = r.builder().Evaluate(value);
  r.builder().SetRange(made, args.range);
  r.Emit(made);
  return {};
}

auto BufferStoreOf(Reader& r, CallArgs& args) -> Value {
  if (!args[0].is(ValueKind::kBuffer)) return r.Error(diag::kWrongValue, args[0].range, "a buffer", Name(args[0].kind));
  const BufferId buffer = args[0].buffer();
  const PrimExpr value = r.ToExpr(
      args[1], arith::IsBool(r.tables().buffer(buffer).dtype) ? Reader::BoolAs::kBool : Reader::BoolAs::kInt32);
  if (!value) return Value::Error();
  const ValueList indices = r.ListOf(args[2]);
  const auto made = r.StoreIndices(buffer, indices, args.range);
  if (!made) return Value::Error();
  r.StoreTo(buffer, value, *made, args.range);
  return {};
}

// Returns the statement of two arguments, or the intrinsic of four.
auto PrefetchOf(Reader& r, CallArgs& args) -> Value {
  if (args.rest.size() == 4) {
    return r.CallIntrinsic(*arith::FindIntrinsic("tir.prefetch"_intrin), args.rest, DataType::Int(32), args.range);
  }
  if (args.rest.size() != 2)
    return r.Error(diag::kArguments, args.range, "T.prefetch", "takes a buffer and its bounds");
  if (!args.rest[0].is(ValueKind::kBuffer)) {
    return r.Error(diag::kWrongValue, args.rest[0].range, "a buffer", Name(args.rest[0].kind));
  }
  std::vector<PrimExpr> bounds;
  for (const Value& range : r.ElementsOrOne(args.rest[1])) {
    if (!range.is(ValueKind::kRange)) return r.Error(diag::kWrongValue, range.range, "T.Range", Name(range.kind));
    const auto ends = r.elements(range);
    bounds.push_back(ends[0].expr());
    bounds.push_back(ends[1].expr());
  }
  const BufferId buffer = args.rest[0].buffer();
  if (bounds.size() != 2 * r.tables().buffer(buffer).ndim()) {
    return r.Error(diag::kDimensions, args.range, r.context().text(r.tables().buffer(buffer).name),
                   r.tables().buffer(buffer).ndim(), bounds.size() / 2);
  }
  const StmtId made = r.builder().Prefetch(buffer, bounds);
  r.builder().SetRange(made, args.range);
  r.Emit(made);
  return {};
}

const Builtin kStatementRows[] = {
    {"func_attr", {"attrs"}, 1, false, FuncAttr},
    {"range", {"start", "stop", "annotations"}, 1, false, LoopOf<ForKind::kSerial>},
    {"serial", {"start", "stop", "annotations", "unroll"}, 1, false, Serial},
    {"parallel", {"start", "stop", "annotations"}, 1, false, LoopOf<ForKind::kParallel>},
    {"vectorized", {"start", "stop", "annotations"}, 1, false, LoopOf<ForKind::kVectorized>},
    {"unroll", {"start", "stop", "annotations"}, 1, false, LoopOf<ForKind::kUnrolled>},
    {"thread_binding", {"start", "stop", "thread", "annotations"}, 1, false, ThreadBinding},
    {"grid", {}, 0, true, Grid},
    {"LetStmt", {"value", "type_annotation", "var"}, 1, false, LetStmtOf},
    {"let", {"v", "value", "body"}, 2, false, OldLet},
    {"Assert", {"condition", "message"}, 2, false, AssertOf},
    {"attr", {"node", "attr_key", "value"}, 3, false, Attr},
    {"realize", {"region", "storage_scope", "condition"}, 2, false, Realize},
    {"env_thread", {"thread_tag"}, 1, false, EnvThread},
    {"launch_thread", {"thread", "extent"}, 2, false, LaunchThread},
    {"allocate", {"extents", "dtype", "scope", "condition", "annotations"}, 2, false, AllocateOf},
    {"allocate_const", {"data", "dtype", "extents", "annotations"}, 3, false, AllocateConstOf},
    {"While", {"condition"}, 1, false, WhileOf},
    {"evaluate", {"value"}, 1, false, EvaluateOf},
    {"buffer_store", {"buffer", "value", "indices"}, 3, false, BufferStoreOf},
    {"prefetch", {}, 0, true, PrefetchOf},
};

const Builtin kModuleRows[] = {{"module_attrs", {"attrs"}, 1, false, ModuleAttrs}};

}  // namespace

auto Statements() -> std::span<const Builtin> { return kStatementRows; }
auto Modules() -> std::span<const Builtin> { return kModuleRows; }

auto LoopFrame(Reader& r, const Value& start, const Value* stop, ForKind kind, SourceRange range)
    -> std::optional<Frame> {
  Terms& terms = r.terms();
  PrimExpr first = r.ToExpr(start);
  PrimExpr last = first && stop != nullptr ? r.ToExpr(*stop) : first;
  if (!last) return std::nullopt;
  for (const PrimExpr e : {first, last}) {
    if (arith::IsInteger(terms.dtype(e)) && terms.lanes(e) == 1) continue;
    r.Report(diag::kTypeOf, range, "a bound of a loop", "an integer", r.DTypeText(e));
    return std::nullopt;
  }
  LoopSpec loop;
  loop.kind = kind;
  if (stop == nullptr) {
    loop.min = terms.IntImm(terms.dtype(last), 0);
    loop.extent = r.Simplify(last);
  } else {
    loop.min = first;
    loop.extent = r.Difference(last, first, range);
    if (!loop.extent) return std::nullopt;
  }
  // The variable has the wider type; literals follow it.
  DataType type = terms.dtype(loop.min);
  type.bits = std::max(type.bits, terms.dtype(loop.extent).bits);
  for (PrimExpr* e : {&loop.min, &loop.extent}) {
    const bool narrow = terms.dtype(*e).bits < type.bits;
    const auto literal = terms.AsInt(*e);
    if (literal && narrow && arith::FitsType(type, *literal)) *e = terms.IntImm(type, *literal);
    if (terms.dtype(*e) == type) continue;
    r.Report(diag::kTypes, range, r.DTypeText(*e), Reader::TypeText(type));
    return std::nullopt;
  }
  loop.var = terms.Var("", type);
  r.Rename(loop.var, r.Text("v"));
  std::optional<Frame> frame(std::in_place);
  frame->kind = FrameKind::kFor;
  frame->range = range;
  frame->loops.push_back(loop);
  return frame;
}

}  // namespace relayopt::tir::catalogue
