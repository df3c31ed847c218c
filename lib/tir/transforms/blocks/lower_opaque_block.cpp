// LowerOpaqueBlock: blocks become the statements that they represent.
//
// What a block says of its accesses goes; its condition becomes an `if`, its buffers become allocations, pragmas become
// attributes. Loops bound to threads become attributes that launch them, and loops of one iteration become their body.
//
//   for tx in T.thread_binding(16, thread="threadIdx.x"):        tx = T.launch_thread("threadIdx.x", 16)
//       with T.block(""):                                        B = T.decl_buffer((4,), scope="local")
//           T.reads(A[tx])                                  ->   B[0] = A[tx]
//           T.writes()
//           B = T.alloc_buffer((4,), scope="local")
//           B[0] = A[tx]
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/storage_align.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kLowerNotOpaque{"lower-opaque-block-bound", Severity::kError,
                                         "tir.LowerOpaqueBlock: a block still has {}: run {} first"};
constexpr DiagnosticKind kMatchLost{"lower-opaque-block-match", Severity::kWarning,
                                    "tir.LowerOpaqueBlock: the match_buffers of this block are lost, and their buffers "
                                    "stay undeclared: run tir.LowerMatchBuffer first"};
constexpr DiagnosticKind kPragma{
    "lower-opaque-block-pragma", Severity::kError,
    "tir.LowerOpaqueBlock: the value of the annotation {} is neither an expression nor a string"};

// The variables that are the offsets of allocated buffers, and that nothing defines (`offset_factor` makes them).
// In the order of the buffers.
auto OwnOffsets(const PrimFunc& func) -> std::vector<PrimExpr> {
  const Terms& terms = func.terms();
  const Tables& tables = func.tables();
  std::vector<PrimExpr> offsets;
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const auto block = func.stmt(id).As<Block>();
    if (!block) continue;
    for (const BufferId buffer : block->alloc_buffers()) {
      if (terms.is_var(tables.buffer(buffer).elem_offset)) offsets.push_back(tables.buffer(buffer).elem_offset);
    }
  }
  if (offsets.empty()) return offsets;
  absl::flat_hash_set<PrimExpr> own(offsets.begin(), offsets.end());
  const auto define = [&](PrimExpr var) { own.erase(var); };
  const auto define_buffer = [&](BufferId id) {
    const Buffer& buffer = tables.buffer(id);
    define(buffer.elem_offset);
    std::ranges::for_each(buffer.shape, define);
    std::ranges::for_each(buffer.strides, define);
  };
  std::ranges::for_each(func.params(), define);
  for (const BufferBinding& binding : func.buffer_map()) define_buffer(binding.buffer);
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    if (const auto loop = stmt.As<For>()) define(loop->loop_var());
    if (const auto let = stmt.As<LetStmt>()) define(let->var());
    const auto attr = stmt.As<AttrStmt>();
    if (attr && attr->launched_thread()) define(tables.iter_var(attr->launched_thread()).var);
    const auto block = stmt.As<Block>();
    if (!block) continue;
    for (const BlockAxis& axis : block->axes()) define(axis.var);
    for (const BlockMatch& match : block->match_buffers()) define_buffer(match.buffer);
  }
  std::erase_if(offsets, [&](PrimExpr offset) { return !own.contains(offset); });
  return offsets;
}

class BlockLowerer : public Rewriter {
 public:
  BlockLowerer(const PrimFunc& func, DiagnosticSink& sink)
      : Rewriter(func), aligns_(CollectStorageAligns(func)), sink_(sink) {
    // Memory that is allocated for a buffer begins with it.
    for (const PrimExpr offset : OwnOffsets(func)) Replace(offset, terms().IntImm(terms().dtype(offset), 0));
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto realize = stmt.As<BlockRealize>()) {
      const Block block = realize->block();
      if (!realize->values().empty()) Fault(block, "iteration variables", "tir.ConvertBlocksToOpaque");
      // As TVM: they are dropped.
      if (!block.match_buffers().empty()) sink_.Report(MakeDiagnostic(kMatchLost, block.range()));
      if (block.has_init()) Fault(block, "an initialisation", "tir.LowerInitBlock");
    }
    return Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    const auto loop = stmt.As<For>();
    if (!loop || !IsUnit(*loop, exprs[1])) return;
    units_[loop->loop_var()] = arith::CastTo(terms(), terms().dtype(loop->loop_var()), exprs[0]);
    ForgetExprs();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kBlock: return parts.stmts.back();
      case StmtKind::kBlockRealize: return LeaveRealize(BlockRealize(stmt), parts);
      case StmtKind::kFor: return LeaveLoop(For(stmt), parts);
      default: return Rewriter::Leave(stmt, parts);
    }
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const auto found = units_.find(old);
    return found != units_.end() ? found->second : Rewriter::RewriteNode(old, made);
  }

 private:
  struct Pragma {
    std::string_view key;
    PrimExpr value;
  };

  void Fault(Stmt stmt, std::string_view what, std::string_view pass) {
    Fail(MakeDiagnostic(kLowerNotOpaque, stmt.range(), what, pass));
  }

  auto IsEmpty(ObjectId annotations) const -> bool {
    return !annotations || context().object(annotations).items.empty();
  }

  auto IsUnit(const For& loop, PrimExpr extent) const -> bool {
    return terms().IsInt(extent, 1) && IsEmpty(loop.annotations());
  }

  // Returns the annotations that become attributes, sorted by key; `others`, when not null, gets the rest.
  auto Pragmas(Stmt stmt, ObjectId annotations, std::vector<ObjectId>* others) -> std::vector<Pragma> {
    std::vector<Pragma> pragmas;
    if (!annotations) return pragmas;
    const std::span<const ObjectId> items = context().object(annotations).items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      const std::string_view key = context().text(context().object(items[i]).text);
      if (key.starts_with("pragma_")) {
        // None says nothing, and an attribute has to have a value.
        if (items[i + 1]) pragmas.push_back({key, PragmaValue(stmt, key, items[i + 1])});
      } else if (others != nullptr) {
        others->insert(others->end(), {items[i], items[i + 1]});
      }
    }
    std::ranges::sort(pragmas, {}, &Pragma::key);
    return pragmas;
  }

  auto PragmaValue(Stmt stmt, std::string_view key, ObjectId id) -> PrimExpr {
    const Object& value = context().object(id);
    switch (value.kind) {
      case ObjectKind::kInt: return terms().IntImm(value.dtype, value.integer);
      case ObjectKind::kFloat: return terms().FloatImm(value.dtype, value.real);
      case ObjectKind::kString:
      case ObjectKind::kStringImm: return terms().StringImm(context().text(value.text));
      default: break;
    }
    if (RefKindOf(context(), value) == RefKind::kPrimExpr) return PrimExpr(static_cast<uint32_t>(value.integer));
    Fail(MakeDiagnostic(kPragma, stmt.range(), key));
    return terms().Int32(0);
  }

  auto WithPragmas(AttrNode node, const std::vector<Pragma>& pragmas, StmtId body) -> StmtId {
    for (size_t i = pragmas.size(); i-- > 0;) body = builder().Attr(node, pragmas[i].key, pragmas[i].value, body);
    return body;
  }

  auto LeaveRealize(BlockRealize realize, Parts parts) -> StmtId {
    const Block block = realize.block();
    const PrimExpr predicate = parts.exprs.back();
    StmtId body = parts.stmts[0];
    if (!terms().IsInt(predicate, 1)) body = builder().If(predicate, body);
    const std::span<const BufferId> allocs = block.alloc_buffers();
    for (size_t i = allocs.size(); i-- > 0;) {
      const BufferId id = RewriteBuffer(allocs[i]);
      const Buffer& buffer = tables().buffer(id);
      body = builder().DeclBuffer(id, body);
      body = builder().Allocate(buffer.data, buffer.dtype, Extents(buffer), terms().Bool(true), body,
                                AlignAnnotation(buffer.data));
    }
    return WithPragmas(terms().Int32(0), Pragmas(block, block.annotations(), nullptr), body);
  }

  // The extents to allocate, with as many rows more as the elements in front of the buffer take.
  auto Extents(const Buffer& buffer) -> std::vector<PrimExpr> {
    std::vector<PrimExpr> shape = AllocationShape(terms(), buffer);
    if (shape.empty() || terms().IsInt(buffer.elem_offset, 0)) return shape;
    PrimExpr row = terms().IntImm(terms().dtype(shape[0]), 1);
    for (size_t i = 1; i < shape.size(); ++i)
      row = arith::Mul(terms(), row, arith::CastTo(terms(), terms().dtype(row), shape[i]));
    const PrimExpr offset = arith::CastTo(terms(), terms().dtype(row), buffer.elem_offset);
    shape[0] = arith::Add(terms(), shape[0], arith::CeilDiv(terms(), offset, row));
    return shape;
  }

  auto AlignAnnotation(PrimExpr data) -> ObjectId {
    const auto found = aligns_.find(data);
    if (found == aligns_.end()) return {};
    std::vector<ObjectId> entries;
    for (const StorageAlign& align : found->second) {
      const ObjectId items[] = {context().AddInt(-1), context().AddInt(align.dimension), context().AddInt(align.factor),
                                context().AddInt(align.offset)};
      entries.push_back(context().AddArray(items));
    }
    const ObjectId map[] = {context().AddString(kBufferDimAlign), context().AddArray(entries)};
    return context().AddMap(map);
  }

  auto LeaveLoop(For loop, Parts parts) -> StmtId {
    const PrimExpr min = parts.exprs[0];
    const PrimExpr extent = parts.exprs[1];
    StmtId body = parts.stmts[0];
    std::vector<ObjectId> kept;
    const std::vector<Pragma> pragmas = Pragmas(loop, loop.annotations(), &kept);
    if (loop.for_kind() == ForKind::kThreadBinding) {
      body = Launch(loop, {min, extent}, body);
    } else if (IsUnit(loop, extent)) {
      return body;
    } else {
      const bool keeps_all = !loop.annotations() || kept.size() == context().object(loop.annotations()).items.size();
      const ObjectId annotations = keeps_all ? loop.annotations() : kept.empty() ? ObjectId() : context().AddMap(kept);
      body = builder().For(loop.loop_var(), min, extent, loop.for_kind(), body, {}, annotations);
    }
    return WithPragmas(loop.loop_var(), pragmas, body);
  }

  auto Launch(const For& loop, const Range& range, StmtId body) -> StmtId {
    const StringId tag = tables().iter_var(loop.thread_binding()).thread_tag;
    const std::string_view text = context().text(tag);
    const bool is_virtual = text == "vthread" || text == "vthread.x" || text == "vthread.y" || text == "vthread.z";
    const IterVarId iter = tables().Add(IterVar{loop.loop_var(), range, IterType::kThreadIndex, tag});
    return builder().Attr(iter, is_virtual ? "virtual_thread" : "thread_extent", range.extent, body);
  }

  StorageAligns aligns_;
  DiagnosticSink& sink_;
  // The variables of loops with one iteration, and their values.
  VarMap units_;
};

struct LowerOpaqueBlockPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    if (func.IntAttr("from_legacy_te_schedule") != 0) return std::optional<PrimFunc>();
    return BlockLowerer(func, context.diagnostics()).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLowerOpaqueBlockPass = DescribePass<LowerOpaqueBlockPass>({
    .name = "tir.LowerOpaqueBlock",
    .summary = "Replace blocks by conditions, allocations and their body",
    .details = R"(  for tx in T.thread_binding(16, thread="threadIdx.x"):        tx = T.launch_thread("threadIdx.x", 16)
      with T.block(""):                                        B = T.decl_buffer((4,), scope="local")
          T.reads(A[tx])                                  ->   B[0] = A[tx]
          T.writes()
          B = T.alloc_buffer((4,), scope="local")
          B[0] = A[tx]

Loops bound to threads become attributes, loops of one iteration without annotations their body, annotations whose key begins
with pragma_ attributes. Blocks have neither iteration variables nor an initialisation any more; match_buffers should be gone.)",
    .aliases = "tir.transform.LowerOpaqueBlock",
});

}  // namespace relayopt::tir
