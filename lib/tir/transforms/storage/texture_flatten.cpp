// TextureFlatten: buffers in texture memory become images of two dimensions.
//
// The leading dimensions are the rows of the image, the others its columns; the last one, of extent 1 or 4, is the
// channels of a pixel. Where columns begin is a matter of the scope: before the last dimension (global.texture), after
// the first one (global.texture-weight), or after two (global.texture-nhwc; one of three dimensions).
//
//   T.realize(A[0:8, 0:16, 0:4], "global.texture")      A: T.handle(...) = T.nd_mem_alloc_with_scope("global.texture",
//                                                ->         T.int64(2), T.tvm_stack_make_shape(16, 8))
//   B[i, j, k] = A[i, j, k]                             B[i, j, k] = T.texture2d_load(A, j, i, k)
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kTextureRank{"texture-rank", Severity::kError, "Only 2d RGBA texture is currently supported"};
constexpr DiagnosticKind kTextureVector{"texture-vector", Severity::kError,
                                        "FCD of texture must be vector of length 1 or 4 (RGBA)"};
constexpr DiagnosticKind kTextureScope{"texture-scope", Severity::kError, "{} is not a texture memory"};

// Returns the dimension with which columns begin, or nothing for an unknown scope.
auto FirstColumn(std::string_view scope, size_t rank) -> std::optional<size_t> {
  if (scope == "global.texture") return rank - 2;
  if (scope == "global.texture-weight") return 1;
  if (scope == "global.texture-nhwc") return rank == 3 ? 1 : 2;
  return std::nullopt;
}

class TextureFlattener : public Rewriter {
 public:
  explicit TextureFlattener(const PrimFunc& func) : Rewriter(func), analyzer_(terms()) {
    for (const BufferBinding& binding : func.buffer_map()) bound_.insert(binding.buffer);
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    at_ = stmt.range();
    const auto realize = stmt.As<BufferRealize>();
    if (failed()) return Descent::Done({});
    // As TVM: what the caller provides is not realized.
    if (realize && bound_.contains(realize->buffer())) return Descent::Instead(realize->body());
    if (realize && IsTexture(realize->buffer())) CheckTexture(*realize);
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto realize = stmt.As<BufferRealize>();
    if (realize && IsTexture(realize->buffer()) && !failed()) return Image(*realize, parts);
    const auto store = stmt.As<BufferStore>();
    if (!store || !IsTexture(store->buffer()) || failed()) return Rewriter::Leave(stmt, parts);
    std::vector<PrimExpr> args = Position(store->buffer(), parts.exprs.subspan(1));
    args.push_back(parts.exprs[0]);
    return builder().Evaluate(terms().Call(arith::kHandleType, terms().Intrinsic("tir.texture2d_store"_intrin), args));
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (terms().kind(made) != PrimKind::kBufferLoad || !IsTexture(terms().buffer(made)) || failed()) return made;
    const BufferId buffer = terms().buffer(made);
    std::vector<PrimExpr> args = Position(buffer, terms().operands(made));
    args.push_back(terms().operands(made).back());
    return terms().Call(tables().buffer(buffer).dtype, terms().Intrinsic("tir.texture2d_load"_intrin), args);
  }

 private:
  auto IsTexture(BufferId buffer) const -> bool {
    return tables().Scope(buffer).find("texture") != std::string_view::npos;
  }

  void CheckTexture(const BufferRealize& realize) {
    const size_t rank = realize.bounds().size() / 2;
    if (rank < 3) return Fail(MakeDiagnostic(kTextureRank, at_));
    const int64_t channels = terms().AsInt(realize.bounds().back()).value_or(0);
    if (channels != 1 && channels != 4) return Fail(MakeDiagnostic(kTextureVector, at_));
  }

  auto Column(BufferId buffer, size_t rank) -> size_t {
    const std::optional<size_t> column = rank < 3 ? std::nullopt : FirstColumn(tables().Scope(buffer), rank);
    if (!column) Fail(MakeDiagnostic(kTextureScope, at_, tables().Scope(buffer)));
    return column.value_or(0);
  }

  auto Image(const BufferRealize& realize, Parts parts) -> StmtId {
    const size_t rank = realize.bounds().size() / 2;
    const size_t column = Column(realize.buffer(), rank);
    const auto product = [&](size_t begin, size_t end) {
      PrimExpr all = terms().Int32(1);
      for (size_t i = begin; i < end; ++i) all = arith::Mul(terms(), all, parts.exprs[2 * i + 1]);
      return all;
    };
    const PrimExpr shape = terms().Call(arith::kHandleType, terms().Intrinsic("tir.tvm_stack_make_shape"_intrin),
                                        {product(column, rank - 1), product(0, column)});
    const PrimExpr image = terms().Call(
        arith::kHandleType, terms().Intrinsic("tir.nd_mem_alloc_with_scope"_intrin),
        {terms().StringImm(tables().Scope(realize.buffer())), terms().IntImm(DataType::Int(64), 2), shape});
    return builder().Let(tables().buffer(realize.buffer()).data, image, parts.stmts[0]);
  }

  // Returns the image, and column and row of a pixel.
  auto Position(BufferId id, std::span<const PrimExpr> indices) -> std::vector<PrimExpr> {
    const Buffer& buffer = tables().buffer(id);
    if (indices.size() != buffer.ndim()) return {};
    const size_t column = Column(id, buffer.ndim());
    if (failed()) return {};
    const auto offset = [&](size_t begin, size_t end) {
      Buffer group{.data = buffer.data, .dtype = buffer.dtype, .elem_offset = terms().Int32(0)};
      for (size_t i = begin; i < end; ++i) group.shape.push_back(buffer.shape[i]);
      return ElemOffset(analyzer_, group, indices.subspan(begin, end - begin))[0];
    };
    return {buffer.data, offset(column, buffer.ndim() - 1), offset(0, column)};
  }

  arith::Analyzer analyzer_;
  absl::flat_hash_set<BufferId> bound_;
  SourceRange at_;
};

}  // namespace

constinit const PassDef kTextureFlattenPass = DescribePass<RewriterPass<TextureFlattener>>({
    .name = "tir.TextureFlatten",
    .summary = "Flatten buffers in texture memory to two-dimensional images",
    .details =
        R"(  T.realize(A[0:8, 0:16, 0:4], "global.texture")      A = T.nd_mem_alloc_with_scope("global.texture", T.int64(2),
  B[i, j, k] = A[i, j, k]                        ->       T.tvm_stack_make_shape(16, 8))
                                                      B[i, j, k] = T.texture2d_load(A, j, i, k)

The last dimension, of extent 1 or 4, is the channels of a pixel.)",
    .aliases = "tir.transform.TextureFlatten",
    .idempotent = true,
});

}  // namespace relayopt::tir
