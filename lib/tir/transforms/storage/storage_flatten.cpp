// StorageFlatten: programs made from schedules access their buffers through flat ones.
//
// Unlike FlattenBuffer this is for functions with the attribute from_legacy_te_schedule. A buffer that is flat already
// stays the one that it is, and indices are simplified without the ranges of loops. A prefetch of a region becomes the
// loops that touch each cache line of it:
//
//   T.prefetch(A, [T.Range(i, i + 2), T.Range(0, 8)])    ->   for p0, p1 in T.grid(2, 2):
//   (cache lines of 4 elements, A of (16, 8))                     T.prefetch(T.address_of(A_1[(i + p0) * 8 + p1 * 4]),
//   ...)
//
// A buffer that T.realize makes becomes an allocation (realized_buffers.h):
//
//   with T.realize(B[i * 2:i * 2 + 3], ""):      ->    B = T.allocate([3], "float32", "global")
//       B[i * 2 + 1] = A[i]                            B_1[1] = A[i]
//
// In the end assertions that are always true go.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/realized_buffers.h"
#include "lib/tir/transforms/utils/separated_buffers.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kUnknownBuffer{"storage-flatten-unknown", Severity::kError,
                                        "tir.StorageFlatten: nothing allocates the memory of buffer {}"};
constexpr DiagnosticKind kFlattenUnsupported{"storage-flatten-unsupported", Severity::kError,
                                             "tir.StorageFlatten: {} is not supported"};

struct StorageFlattenOptions {
  int64_t cache_line_size = 64;
  bool create_bound_attribute = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&StorageFlattenOptions::cache_line_size>("bytes that one prefetch brings", {.min = 1}),
        Option<&StorageFlattenOptions::create_bound_attribute>(
            "note the number of elements of accessed buffers around each store"),
    };
  }
};

class StorageFlattener : public Rewriter {
 public:
  StorageFlattener(const PrimFunc& func, const StorageFlattenOptions& options)
      : Rewriter(func), options_(options), plain_(func.terms()) {
    for (const BufferBinding& binding : func.buffer_map()) known_.insert(tables().buffer(binding.buffer).data);
    if (func.FindAttr("layout_transform_map")) {
      Fail(MakeDiagnostic(kFlattenUnsupported, {}, "the attribute layout_transform_map"));
    }
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto alloc = stmt.As<Allocate>()) known_.insert(alloc->buffer_var());
    if (const auto alloc = stmt.As<AllocateConst>()) known_.insert(alloc->buffer_var());
    if (const auto realize = stmt.As<BufferRealize>()) known_.insert(tables().buffer(realize->buffer()).data);
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->key_text() == "buffer_bind_scope") {
      Fail(MakeDiagnostic(kFlattenUnsupported, stmt.range(), "the attribute buffer_bind_scope"));
    }
    place_ = stmt.range();
    return Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t, Exprs) override {
    if (const auto let = stmt.As<LetStmt>(); let && arith::IsHandle(terms().dtype(let->var()))) {
      known_.insert(let->var());
    }
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kStore: return LeaveStore(BufferStore(stmt), parts);
      case StmtKind::kRealize: return LeaveRealize(BufferRealize(stmt), parts.stmts[0]);
      case StmtKind::kPrefetch: return PrefetchLines(Prefetch(stmt));
      case StmtKind::kAllocate:
      case StmtKind::kAllocateConst: return LeaveAllocate(stmt, parts);
      case StmtKind::kAttr: {
        const AttrStmt attr(stmt);
        const BufferId buffer = attr.node().buffer();
        if (!buffer) break;
        // As TVM: other notes name the buffer as it was.
        if (attr.key_text() != "double_buffer_scope")
          return builder().Attr(buffer, attr.key(), parts.exprs[0], parts.stmts[0]);
        return builder().Attr(tables().buffer(buffer).data, attr.key(), parts.exprs[0], parts.stmts[0]);
      }
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) != PrimKind::kBufferLoad) return Rewriter::RewriteNode(old, made);
    return Load(terms().buffer(made), terms().operands(made), terms().dtype(made));
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    BufferId& flat = flat_[id];
    if (flat) return flat;
    const BufferId made = FlattenedBuffer(tables(), id);
    Buffer buffer = tables().buffer(made);
    const bool is_bool = buffer.dtype == DataType::Bool();
    if (!is_bool && terms().IsInt(buffer.elem_offset, 0)) return flat = made;
    if (is_bool) buffer.dtype = DataType::Int(8);
    CountOffset(terms(), buffer);
    return flat = tables().Add(std::move(buffer));
  }

 private:
  void Touch(BufferId id) {
    const Buffer& buffer = tables().buffer(id);
    if (!known_.contains(buffer.data)) {
      Fail(MakeDiagnostic(kUnknownBuffer, place_, context().text(buffer.name)));
    }
  }

  auto Load(BufferId buffer, std::span<const PrimExpr> indices, DataType type) -> PrimExpr {
    Touch(buffer);
    const std::vector<PrimExpr> flat = ElemOffset(plain_, tables().buffer(buffer), indices);
    if (type != DataType::Bool()) return terms().BufferLoad(RewriteBuffer(buffer), flat, type);
    return terms().Cast(type, terms().BufferLoad(RewriteBuffer(buffer), flat, DataType::Int(8)));
  }

  auto LeaveStore(BufferStore store, Parts parts) -> StmtId {
    Touch(store.buffer());
    PrimExpr value = parts.exprs[0];
    if (terms().dtype(value) == DataType::Bool()) value = terms().Cast(DataType::Int(8), value);
    const std::vector<PrimExpr> flat = ElemOffset(plain_, tables().buffer(store.buffer()), parts.exprs.subspan(1));
    StmtId made = builder().Store(RewriteBuffer(store.buffer()), value, flat);
    if (!options_.create_bound_attribute) return made;
    const DataType type = tables().buffer(store.buffer()).dtype;
    const auto note = [&](BufferId id) {
      const Buffer& buffer = tables().buffer(id);
      if (!buffer.shape.empty()) made = builder().Attr(buffer.data, "buffer_bound", Bound(type, buffer), made);
    };
    for (const PrimExpr part : arith::PostOrder(terms(), store.exprs())) {
      if (terms().kind(part) == PrimKind::kBufferLoad) note(terms().buffer(part));
    }
    note(store.buffer());
    return made;
  }

  auto LeaveRealize(BufferRealize realize, StmtId body) -> StmtId {
    const Buffer& buffer = tables().buffer(realize.buffer());
    known_.erase(buffer.data);
    const Buffer& flat = tables().buffer(RewriteBuffer(realize.buffer()));
    const PrimExpr always = arith::MakeConst(terms(), arith::WithLanes(DataType::Bool(), flat.dtype.lanes), 1);
    const StmtId made = builder().Allocate(flat.data, flat.dtype, flat.shape, always, body);
    if (!options_.create_bound_attribute || buffer.shape.empty()) return made;
    return builder().Attr(buffer.data, "buffer_bound", Bound(buffer.dtype, buffer), made);
  }

  // Returns the number of elements, in a tuple.
  auto Bound(DataType type, const Buffer& buffer) const -> PrimExpr {
    PrimExpr bound;
    for (const PrimExpr extent : buffer.shape) {
      const PrimExpr lanes = arith::MakeConst(terms(), terms().dtype(extent), type.lanes);
      const PrimExpr part = terms().Binary(PrimKind::kMul, lanes, extent);
      bound = bound ? terms().Binary(PrimKind::kMul, bound, part) : part;
    }
    return terms().Call(arith::kHandleType, terms().Intrinsic("tir.tvm_tuple"_intrin), {bound});
  }

  auto LeaveAllocate(Stmt stmt, Parts parts) -> StmtId {
    const auto alloc = stmt.As<Allocate>();
    const size_t ndim = parts.exprs.size() - (alloc ? 1 : 0);
    PrimExpr product = terms().Int32(1);
    for (const PrimExpr extent : parts.exprs.first(ndim)) product = arith::Mul(terms(), product, extent);
    if (alloc) {
      std::vector<PrimExpr> extents = {product};
      const BufferId separated = ndim > 1 ? separated_.On(*alloc) : BufferId();
      if (separated) extents = tables().buffer(RewriteBuffer(separated)).shape;
      return builder().Allocate(alloc->buffer_var(), alloc->dtype(), extents, parts.exprs.back(), parts.stmts[0],
                                alloc->annotations());
    }
    const AllocateConst constant(stmt);
    return builder().AllocateConst(constant.buffer_var(), constant.dtype(), {&product, 1}, constant.data(),
                                   constant.module_index(), parts.stmts[0], constant.annotations());
  }

  // Loops over the lines: the inner dimensions that fit into one line are not looped over.
  auto PrefetchLines(Prefetch prefetch) -> StmtId {
    const Buffer& buffer = tables().buffer(prefetch.buffer());
    const Bounds bounds = prefetch.bounds();
    if (buffer.shape.empty()) return builder().NoOp();
    const int64_t bytes = std::max<int64_t>(1, (int64_t{buffer.dtype.bits} * buffer.dtype.lanes + 7) / 8);
    const int64_t elements = std::max<int64_t>(1, options_.cache_line_size / bytes);
    size_t first = buffer.ndim() - 1;
    int64_t block = 1;
    for (; first > 0; --first) {
      const auto extent = terms().AsInt(buffer.shape[first]);
      if (!extent || *extent <= 0 || *extent > elements / block) break;
      block *= *extent;
    }
    const int64_t stride = elements / block;
    std::vector<PrimExpr> vars, indices;
    for (size_t i = 0; i < buffer.ndim(); ++i) {
      const PrimExpr min = bounds[2 * i];
      indices.push_back(min);
      if (i > first) continue;
      const std::string name = fmt::format("prefetch.{}.{}", context().text(buffer.name), i);
      vars.push_back(terms().Var(name, DataType::Int(32)));
      indices[i] = i == first ? arith::Add(terms(), min, arith::Mul(terms(), terms().Int32(stride), vars[i]))
                              : arith::Add(terms(), vars[i], min);
    }
    const PrimExpr load = Load(prefetch.buffer(), indices, buffer.dtype);
    const PrimExpr address = terms().Call(arith::kHandleType, terms().Intrinsic("tir.address_of"_intrin), {load});
    const PrimExpr args[] = {address, terms().Int32(0), terms().Int32(3), terms().Int32(1)};
    StmtId made = builder().Evaluate(terms().Call(buffer.dtype, terms().Intrinsic("tir.prefetch"_intrin), args));
    for (size_t i = vars.size(); i-- > 0;) {
      PrimExpr extent = bounds[2 * i + 1];
      if (i == first) {
        const PrimExpr last = arith::Sub(terms(), extent, terms().Int32(1));
        extent = arith::Add(terms(), arith::TruncDiv(terms(), last, terms().Int32(stride)), terms().Int32(1));
      }
      made = builder().For(vars[i], terms().Int32(0), extent, ForKind::kSerial, made);
    }
    return made;
  }

  StorageFlattenOptions options_;
  SeparatedBuffers separated_{func()};
  // Knows nothing of the program.
  arith::Analyzer plain_;
  // Data variables whose memory is there.
  absl::flat_hash_set<PrimExpr> known_;
  absl::flat_hash_map<BufferId, BufferId> flat_;
  SourceRange place_;
};

// Assertions that always hold are replaced by their bodies.
class AssertSimplifier : public Rewriter {
 public:
  explicit AssertSimplifier(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto loop = stmt.As<For>()) analyzer_.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    if (const auto attr = stmt.As<AttrStmt>()) {
      if (const IterVarId thread = attr->launched_thread()) {
        const PrimExpr zero = arith::MakeZero(terms(), terms().dtype(attr->value()));
        analyzer_.Bind(tables().iter_var(thread).var, Range{zero, attr->value()});
      }
    }
    return Descent::Into();
  }
  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    const auto let = stmt.As<LetStmt>();
    if (let && terms().effect(exprs[0]) <= arith::CallEffect::kPure) analyzer_.BindLet(let->var(), exprs[0]);
  }
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const bool holds = stmt.is(StmtKind::kAssert) && terms().IsInt(analyzer_.Simplify(parts.exprs[0]), 1);
    return holds ? parts.stmts[0] : Rewriter::Leave(stmt, parts);
  }

 private:
  arith::Analyzer analyzer_;
};

struct StorageFlattenPass {
  using Options = StorageFlattenOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (func.IntAttr("from_legacy_te_schedule") == 0) return std::optional<PrimFunc>();
    RELAYOPT_TRY(std::optional<PrimFunc> realized, LegalizeRealizedBuffers(func));
    const PrimFunc& before = realized ? *realized : func;
    RELAYOPT_TRY(std::optional<PrimFunc> made, StorageFlattener(before, options).RunOrFail());
    if (std::optional<PrimFunc> simple = AssertSimplifier(made ? *made : before).Run()) return simple;
    return made ? std::move(made) : std::move(realized);
  }
};

}  // namespace

constinit const PassDef kStorageFlattenPass = DescribePass<StorageFlattenPass>({
    .name = "tir.StorageFlatten",
    .summary = "Access buffers of programs made from schedules through flat ones",
    .details = R"(  A[i, j] = x    ->    A_1 = T.Buffer((128,), data=A.data)
                       A_1[i * 8 + j] = x

For functions with the attribute from_legacy_te_schedule; the others are for tir.FlattenBuffer. Prefetches of regions become loops
over cache lines, assertions that are always true go. A buffer of T.realize is allocated, in the memory of the threads around it if it
names none; indices count from the beginning of its bounds. The binding of buffers to parts of others is not supported.)",
    .aliases = "tir.transform.StorageFlatten",
});

}  // namespace relayopt::tir
