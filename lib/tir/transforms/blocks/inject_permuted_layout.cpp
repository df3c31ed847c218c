// InjectPermutedLayout: accesses to shared memory are spread over its banks, by permuting groups of eight columns.
//
// In blocks with the annotation "permuted_layout", column group g of row r (eight elements of 16 bits) lies where group
// g ^ (r % 8) was, or g ^ (r % 8 // 2) if a row is not a multiple of 64 elements long. Then threads that read one
// column of consecutive rows access different banks:
//
//   S: (64, 64) "float16"
//   S[r, c] = A[r, c]                             ->    S[r, (c // 8 ^ r % 8) * 8 + c % 8] = A[r, c]
//   T.ptx_ldmatrix(..., pointer to S at x, y)     ->    the same for the row and column of x + y
//
// The annotation is for all blocks that access the memory; this pass does not check others.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/analyzed_rewriter.h"
#include "lib/tir/transforms/utils/annotations.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/analysis/buffer_accesses.h"

namespace relayopt::tir {

namespace {

constexpr std::string_view kPermutedLayout = "permuted_layout";

constexpr DiagnosticKind kPermutedAnnotation{
    "permuted-layout-annotation", Severity::kError,
    "tir.InjectPermutedLayout: the annotation permuted_layout must be an integer or a string"};
constexpr DiagnosticKind kPermutedRows{
    "permuted-layout-rows", Severity::kError,
    "tir.InjectPermutedLayout: {} must have at least two dimensions, and rows of a multiple of 64 elements, or of 32 "
    "if their number is even"};
constexpr DiagnosticKind kPermutedPointer{
    "permuted-layout-pointer", Severity::kError,
    "tir.InjectPermutedLayout: the pointer to shared memory must be T.tvm_access_ptr of a known buffer"};

// The elements of a group, which one access of a thread reads.
constexpr int64_t kGroup = 8;

class LayoutPermuter : public AnalyzedRewriter {
 public:
  explicit LayoutPermuter(const PrimFunc& func) : AnalyzedRewriter(func) {
    for (const BufferBinding& binding : func.buffer_map()) Note(binding.buffer);
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (stmt.range().valid()) range_ = stmt.range();
    if (const auto block = stmt.As<Block>()) {
      for (const BufferId buffer : block->alloc_buffers()) Note(buffer);
      for (const BlockMatch& match : block->match_buffers()) Note(match.buffer);
      if (IsMarked(*block)) {
        ++open_;
        ForgetExprs();
      }
    }
    return AnalyzedRewriter::Enter(stmt);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = AnalyzedRewriter::RewriteNode(old, made);
    if (open_ == 0 || failed()) return made;
    if (terms().kind(made) == PrimKind::kBufferLoad && IsPermuted(terms().buffer(made))) {
      const auto indices = Permuted(terms().buffer(made), terms().operands(made));
      return terms().BufferLoad(terms().buffer(made), indices, terms().dtype(made));
    }
    return terms().kind(made) == PrimKind::kCall ? Call(made) : made;
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (failed()) return {};
    const auto store = stmt.As<BufferStore>();
    if (store && open_ != 0 && IsPermuted(store->buffer())) {
      const std::vector<PrimExpr> indices = Permuted(store->buffer(), parts.exprs.subspan(1));
      if (!failed()) std::ranges::copy(indices, parts.exprs.begin() + 1);
    }
    const auto block = stmt.As<Block>();
    if (!block || !IsMarked(*block)) return AnalyzedRewriter::Leave(stmt, parts);
    --open_;
    ForgetExprs();
    return WithoutMark(AnalyzedRewriter::Leave(stmt, parts));
  }

 private:
  void Note(BufferId buffer) { known_.try_emplace(tables().buffer(buffer).data, buffer); }

  auto IsMarked(const Block& block) -> bool {
    const ObjectId value = FindAnnotation(context(), block.annotations(), kPermutedLayout);
    if (!value) return false;
    const Object& object = context().object(value);
    switch (object.kind) {
      case ObjectKind::kInt: return object.integer != 0;
      case ObjectKind::kString:
      case ObjectKind::kStringImm: return !context().text(object.text).empty();
      default: break;
    }
    Fail(MakeDiagnostic(kPermutedAnnotation, block.range()));
    return false;
  }

  auto WithoutMark(StmtId id) -> StmtId {
    const Block block(builder().stmt(id));
    BlockInfo info = block.info();
    info.annotations = WithoutAnnotations(context(), info.annotations, {{kPermutedLayout}});
    const std::vector<PrimExpr> exprs(block.exprs().begin(), block.exprs().end());
    const SourceRange range = block.range();
    const StmtId made =
        builder().Block(std::move(info), exprs, block.body().id(), block.has_init() ? block.init().id() : StmtId());
    if (range.valid()) builder().SetRange(made, range);
    return made;
  }

  auto IsPermuted(BufferId id) const -> bool {
    return tables().buffer(id).ndim() >= 2 && tables().Scope(id).starts_with("shared");
  }

  // Returns the number of columns; nullopt, with a fault, if they cannot be permuted.
  auto RowSize(BufferId id) -> std::optional<int64_t> {
    const Buffer& buffer = tables().buffer(id);
    const size_t n = buffer.ndim();
    if (n >= 2) {
      const auto columns = terms().AsInt(buffer.shape[n - 1]);
      const auto rows = terms().AsInt(buffer.shape[n - 2]);
      if (columns && rows && (*columns % 64 == 0 || (*columns % 32 == 0 && *rows % 2 == 0))) return columns;
    }
    Fail(MakeDiagnostic(kPermutedRows, range_, context().text(buffer.name)));
    return std::nullopt;
  }

  auto Column(PrimExpr row, PrimExpr column, int64_t row_size) -> PrimExpr {
    const PrimExpr eight = terms().Int32(kGroup);
    PrimExpr mask = arith::FloorMod(terms(), row, eight);
    if (row_size % 64 != 0) mask = arith::FloorDiv(terms(), mask, terms().Int32(2));
    const PrimExpr group = arith::BitwiseXor(terms(), arith::FloorDiv(terms(), column, eight), mask);
    const PrimExpr inner = arith::FloorMod(terms(), column, eight);
    return analyzer().Simplify(arith::Add(terms(), arith::Mul(terms(), group, eight), inner));
  }

  auto Permuted(BufferId buffer, std::span<const PrimExpr> indices) -> std::vector<PrimExpr> {
    std::vector<PrimExpr> made(indices.begin(), indices.end());
    const auto row_size = RowSize(buffer);
    if (row_size) made.back() = Column(made[made.size() - 2], made.back(), *row_size);
    return made;
  }

  auto Call(PrimExpr call) -> PrimExpr {
    std::vector<PrimExpr> args(terms().operands(call).begin(), terms().operands(call).end());
    if (terms().IsCall(call, load_) && args.size() > 6) {
      args[5] = Pointer(args[5], args[6]);
      args[6] = terms().IntImm(terms().dtype(args[6]), 0);
      return terms().WithOperands(call, args);
    }
    if (!terms().IsCall(call, store_) || args.size() <= 2) return call;
    args[2] = Pointer(args[2], terms().Int32(0));
    return terms().WithOperands(call, args);
  }

  // Returns the pointer with the offset and its own one as the permuted position.
  auto Pointer(PrimExpr pointer, PrimExpr offset) -> PrimExpr {
    const bool is_pointer = terms().IsCall(pointer, access_) && terms().num_operands(pointer) == 5;
    const auto found = is_pointer ? known_.find(terms().operand(pointer, 1)) : known_.end();
    if (found == known_.end()) {
      Fail(MakeDiagnostic(kPermutedPointer, range_));
      return pointer;
    }
    const auto row_size = RowSize(found->second);
    if (!row_size) return pointer;
    std::vector<PrimExpr> args(terms().operands(pointer).begin(), terms().operands(pointer).end());
    const PrimExpr at = arith::Add(terms(), args[2], offset);
    const PrimExpr size = terms().Int32(*row_size);
    const PrimExpr row = arith::FloorDiv(terms(), at, size);
    const PrimExpr column = Column(row, arith::FloorMod(terms(), at, size), *row_size);
    args[2] = analyzer().Simplify(arith::Add(terms(), arith::Mul(terms(), row, size), column));
    return terms().WithOperands(pointer, args);
  }

  arith::CallOpId load_ = terms().Intrinsic("tir.ptx_ldmatrix"_intrin);
  arith::CallOpId store_ = terms().Intrinsic("tir.mma_store"_intrin);
  arith::CallOpId access_ = terms().Intrinsic("tir.tvm_access_ptr"_intrin);
  // As TVM: the first buffer on each memory.
  BuffersByData known_;
  // The number of open blocks with the annotation.
  int open_ = 0;
  SourceRange range_;
};

}  // namespace

constinit const PassDef kInjectPermutedLayoutPass = DescribePass<RewriterPass<LayoutPermuter>>({
    .name = "tir.InjectPermutedLayout",
    .summary = "Permute the columns of shared memory against bank conflicts, where blocks ask for it",
    .details = R"(  S: (64, 64) "float16"
  S[r, c] = A[r, c]                             ->    S[r, (c // 8 ^ r % 8) * 8 + c % 8] = A[r, c]
  T.ptx_ldmatrix(..., pointer to S at x, y)     ->    the same for the row and column of x + y

Acts on stores, loads, T.ptx_ldmatrix and T.mma_store in blocks with the annotation permuted_layout, which all blocks that
access the memory must have. Rows are a multiple of 64 elements long, or an even number of them of 32.)",
    .aliases = "tir.transform.InjectPermutedLayout",
    .idempotent = true,
});

}  // namespace relayopt::tir
