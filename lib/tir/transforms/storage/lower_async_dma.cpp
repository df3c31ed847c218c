// LowerAsyncDMA: loops that copy asynchronously become transfers of a DMA engine, and waiting for them a call.
//
//   with T.attr(0, "async_commit_queue_scope", 0):
//       for i in range(128):                           ->    T.dma_copy(0, T.address_of(B[0]), T.address_of(A[0]), 512,
//       ...)
//           B[i] = A[i]
//   with T.attr(0, "async_wait_queue_scope", 0):
//       with T.attr(0, "async_wait_inflight_count", 1):  ->    T.dma_wait(0, 1)
//           ...                                                ...
//
// A loop nest is a copy of one region to another where its only statement stores what it loads, both along all loops
// with the same strides, so that the whole is continuous. Several copies of one commit are a group. A wait for a queue
// into which nothing was copied keeps the attribute.

#include "absl/container/flat_hash_set.h"
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoRegionCopied{"async-dma-copy", Severity::kError,
                                         "LowerAsyncDMA: this loop copies no continuous region"};
constexpr DiagnosticKind kUnknownQueue{"async-dma-queue", Severity::kError,
                                       "LowerAsyncDMA: the number of the queue is not a literal"};
constexpr std::string_view kCommit = "async_commit_queue_scope";
constexpr std::string_view kWait = "async_wait_queue_scope";
constexpr std::string_view kInFlight = "async_wait_inflight_count";

class AsyncDmaLowerer : public Rewriter {
 public:
  AsyncDmaLowerer(const PrimFunc& func, bool bypass) : Rewriter(func), bypass_(bypass), analyzer_(func.terms()) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Enter(Stmt stmt) -> Descent override {
    if (const auto loop = stmt.As<For>(); loop && queue_) return Descent::Done(Copy(*loop));
    if (const auto attr = KeyedAttr(stmt, kCommit)) {
      queue_ = QueueOf(*attr);
      num_copies_ = 0;
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto attr = KeyedAttr(stmt, kCommit)) {
      const int64_t queue = *queue_;
      queue_.reset();
      const StmtId made = Rewriter::Leave(stmt, parts);
      if (num_copies_ < 2) return made;
      return builder().Seq({Call("tir.dma_start_group"_intrin, {Number(queue)}), made,
                            Call("tir.dma_end_group"_intrin, {Number(queue)})});
    }
    const auto wait = KeyedAttr(stmt, kWait);
    if (!wait) return Rewriter::Leave(stmt, parts);
    const int64_t queue = QueueOf(*wait);
    const Stmt inner = builder().stmt(parts.stmts[0]);
    const auto count = KeyedAttr(inner, kInFlight);
    if (!count || !seen_.contains(queue)) return Rewriter::Leave(stmt, parts);
    return builder().Seq({Call("tir.dma_wait"_intrin, {Number(queue), count->value()}), count->body().id()});
  }

 private:
  static auto KeyedAttr(Stmt stmt, std::string_view key) -> std::optional<AttrStmt> {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == key ? attr : std::nullopt;
  }

  auto QueueOf(AttrStmt attr) -> int64_t {
    const auto queue = terms().AsInt(attr.value());
    if (!queue) Fail(MakeDiagnostic(kUnknownQueue, attr.range()));
    return queue.value_or(0);
  }

  auto Number(int64_t value) -> PrimExpr { return terms().Int32(value); }
  auto Call(std::string_view name, std::vector<PrimExpr> args) -> StmtId {
    return builder().Evaluate(terms().Call(DataType::Int(32), terms().Intrinsic(name), args));
  }

  auto Copy(For loop) -> StmtId {
    std::vector<PrimExpr> vars;
    std::vector<PrimExpr> extents;
    Stmt body = loop;
    for (auto inner = body.As<For>(); inner; inner = body.As<For>()) {
      vars.push_back(inner->loop_var());
      extents.push_back(inner->extent());
      analyzer_.Bind(inner->loop_var(), Range{inner->min(), inner->extent()});
      mins_[inner->loop_var()] = inner->min();
      body = inner->body();
    }
    const auto store = body.As<BufferStore>();
    const bool is_copy = store && store->indices().size() == 1 &&
                         terms().kind(store->value()) == PrimKind::kBufferLoad &&
                         terms().num_operands(store->value()) == 1;
    const PrimExpr to = is_copy ? BeginOf(store->indices()[0], vars, extents) : PrimExpr();
    const PrimExpr from = to ? BeginOf(terms().operand(store->value(), 0), vars, extents) : PrimExpr();
    if (!from) {
      Fail(MakeDiagnostic(kNoRegionCopied, loop.range()));
      return builder().NoOp();
    }
    seen_.insert(*queue_);
    ++num_copies_;
    const BufferId source = terms().buffer(store->value());
    const DataType type = tables().buffer(source).dtype;
    PrimExpr bytes = extents[0];
    for (size_t i = 1; i < extents.size(); ++i) bytes = arith::Mul(terms(), bytes, extents[i]);
    bytes =
        arith::Mul(terms(), bytes, arith::MakeConst(terms(), terms().dtype(bytes), static_cast<int64_t>(type.bytes())));
    return Call("tir.dma_copy"_intrin, {Number(*queue_), AddressOf(store->buffer(), to), AddressOf(source, from),
                                        analyzer_.Simplify(bytes), terms().Bool(bypass_)});
  }

  auto AddressOf(BufferId buffer, PrimExpr index) -> PrimExpr {
    const PrimExpr element = terms().BufferLoad(buffer, {&index, 1}, tables().buffer(buffer).dtype);
    return terms().Call(arith::kHandleType, terms().Intrinsic("tir.address_of"_intrin), {element});
  }

  // The smallest index, where the loops, the innermost one fastest, go through a continuous region; none otherwise.
  auto BeginOf(PrimExpr index, std::span<const PrimExpr> vars, std::span<const PrimExpr> extents) -> PrimExpr {
    if (terms().lanes(index) != 1) return {};
    const auto linear = arith::DetectLinearEquation(terms(), index, vars);
    if (!linear) return {};
    PrimExpr begin = linear->back();
    PrimExpr stride = arith::MakeConst(terms(), terms().dtype(index), 1);
    for (size_t i = vars.size(); i-- > 0;) {
      if (terms().IsInt(extents[i], 1)) continue;
      if (!analyzer_.CanProve(
              arith::Eq(terms(), (*linear)[i], arith::CastTo(terms(), terms().dtype((*linear)[i]), stride))))
        return {};
      stride = arith::Mul(terms(), stride, arith::CastTo(terms(), terms().dtype(stride), extents[i]));
    }
    for (size_t i = 0; i < vars.size(); ++i)
      begin = arith::Add(terms(), begin, arith::Mul(terms(), (*linear)[i], mins_.at(vars[i])));
    return analyzer_.Simplify(begin);
  }

  bool bypass_;
  arith::Analyzer analyzer_;
  // The queue of the enclosing commit, and the number of copies in it so far.
  std::optional<int64_t> queue_;
  int num_copies_ = 0;
  absl::flat_hash_set<int64_t> seen_;
  VarMap mins_;
};

struct LowerAsyncDmaPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    return AsyncDmaLowerer(func, context.ConfigBool("tir.experimental_dma_bypass_cache")).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLowerAsyncDMAPass = DescribePass<LowerAsyncDmaPass>({
    .name = "tir.LowerAsyncDMA",
    .summary = "Replace asynchronous copies by calls of a DMA engine",
    .details = R"(  with T.attr(0, "async_commit_queue_scope", 0):
      for i in range(128):                           ->    T.dma_copy(0, T.address_of(B[0]), T.address_of(A[0]), 512, ...)
          B[i] = A[i]

A loop in such a scope that copies no continuous region is an error. Waiting for a queue becomes T.dma_wait.)",
    .aliases = "tir.transform.LowerAsyncDMA",
});

}  // namespace relayopt::tir
