// LowerMatchBuffer: accesses to a view of a region become accesses to what it is a view of.
//
// A view may have variables for its pointer, offset, strides and extents: they are set by the region. What is not a
// variable must be equal to the region's value.
//
//   B = T.match_buffer(A[i, 0:8], (8,), offset_factor=1)    ->    A[i, 2] = 0
//   B[2] = 0
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kMismatch{"match-buffer-mismatch", Severity::kError,
                                   "the {} of match_buffer {} differs from that of {}"};
constexpr DiagnosticKind kMatchUnmet{"match-buffer-unmet", Severity::kError,
                                     "match_buffer {}: its {} cannot be proved equal to that of the region of {}"};
constexpr DiagnosticKind kAlignment{"match-buffer-alignment", Severity::kWarning,
                                    "match_buffer {} is aligned to {} bytes, and {} to {}"};

class MatchLowerer : public Rewriter {
 public:
  MatchLowerer(const PrimFunc& func, DiagnosticSink& sink) : Rewriter(func), analyzer_(func.terms()), sink_(sink) {
    for (const PrimExpr param : func.params()) {
      if (!arith::IsHandle(terms().dtype(param))) known_[param] = param;
    }
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto loop = stmt.As<For>()) analyzer_.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    if (const auto block = stmt.As<Block>()) {
      for (const BlockMatch& match : block->match_buffers()) Match(*block, match);
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto store = stmt.As<BufferStore>()) {
      const auto found = views_.find(store->buffer());
      if (found == views_.end()) return Rewriter::Leave(stmt, parts);
      const View& view = found->second;
      return builder().Store(view.source, parts.exprs[0], Indices(view, parts.exprs.subspan(1)));
    }
    if (const auto block = stmt.As<Block>()) return LeaveBlock(*block, parts);
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (const auto found = known_.find(old); found != known_.end()) return found->second;
    if (terms().kind(made) == PrimKind::kBufferLoad) {
      const auto found = views_.find(terms().buffer(made));
      if (found != views_.end()) {
        const View& view = found->second;
        return terms().BufferLoad(view.source, Indices(view, terms().operands(made)), terms().dtype(made));
      }
    }
    return Rewriter::RewriteNode(old, made);
  }

 private:
  // The buffer that a buffer is a view of; it is not a view itself.
  struct View {
    BufferId source;
    std::vector<Range> region;
  };

  void Match(const Block& block, const BlockMatch& match) {
    View view = RegionOf(block, match.source);
    const Buffer& target = tables().buffer(match.buffer);
    const Buffer& source = tables().buffer(view.source);
    const auto mismatch = [&](std::string_view what) {
      if (failed()) return;
      Fail(MakeDiagnostic(kMismatch, block.range(), what, context().text(target.name), context().text(source.name)));
    };
    if (tables().Scope(match.buffer) != tables().Scope(view.source)) mismatch("storage scope");
    if (target.dtype != source.dtype) mismatch("data type");
    if (terms().IsInt(target.elem_offset, 0) && !terms().IsInt(source.elem_offset, 0)) mismatch("element offset");
    if (target.data_alignment != 0 && source.data_alignment % target.data_alignment != 0) {
      sink_.Report(MakeDiagnostic(kAlignment, block.range(), context().text(target.name), target.data_alignment,
                                  context().text(source.name), source.data_alignment));
    }
    if (view.region.size() < target.ndim()) mismatch("number of dimensions");
    if (failed()) return;
    place_ = block.range();
    target_ = target.name;
    source_ = source.name;
    views_[match.buffer] = view;
    ForgetExprs();
    BindAll(target, source, view);
  }

  void BindAll(const Buffer& target, const Buffer& source, const View& view) {
    Bind(target.data, source.data, "pointer");
    const auto mins = MapToVector<PrimExpr>(view.region, &Range::min);
    const std::vector<PrimExpr> start = ElemOffset(analyzer_, source, mins);
    // Memory of several dimensions has no offset.
    const bool flat = start.size() == 1;
    Bind(target.elem_offset, flat ? start[0] : arith::MakeZero(terms(), terms().dtype(target.elem_offset)),
         "element offset");
    if (flat) {
      const DataType type = terms().dtype(target.elem_offset);
      const PrimExpr factor = arith::MakeConst(terms(), type, target.offset_factor);
      const PrimExpr rest = arith::TruncMod(terms(), target.elem_offset, factor);
      if (!analyzer_.CanProve(arith::Eq(terms(), rest, arith::MakeZero(terms(), type)))) Unmet("offset factor");
    }
    const size_t lead = view.region.size() - target.ndim();
    if (!target.strides.empty()) {
      PrimExpr stride = arith::MakeConst(terms(), terms().dtype(target.strides.back()), 1);
      for (size_t i = target.ndim(); i-- > 0;) {
        Bind(target.strides[i], source.strides.empty() ? stride : source.strides[i + lead], "stride");
        stride = arith::Mul(terms(), stride, source.shape[i + lead]);
      }
    }
    for (size_t i = 0; i < target.ndim(); ++i) Bind(target.shape[i], view.region[i + lead].extent, "shape");
  }

  void Unmet(std::string_view what) {
    if (failed()) return;
    Fail(MakeDiagnostic(kMatchUnmet, place_, context().text(target_), what, context().text(source_)));
  }

  // A variable that is new becomes the value; anything else must equal it.
  void Bind(PrimExpr arg, PrimExpr value, std::string_view what) {
    value = Substitute(terms(), value, known_);
    if (terms().is_var(arg)) {
      const auto [at, is_new] = known_.try_emplace(arg, value);
      if (is_new) {
        if (!arith::IsHandle(terms().dtype(arg))) analyzer_.Bind(arg, value);
        return;
      }
      arg = at->second;
    }
    if (arith::IsHandle(terms().dtype(arg))) {
      if (arg != value) Unmet(what);
    } else if (!analyzer_.CanProve(arith::Eq(terms(), arg, value))) {
      Unmet(what);
    }
  }

  // Returns a region in terms of what its buffer is a view of.
  auto RegionOf(const Block& block, const BlockRegion& region) -> View {
    std::vector<Range> ranges;
    const Bounds bounds = block.bounds(region);
    for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
      ranges.push_back({RewriteExpr(block, bounds[i]), RewriteExpr(block, bounds[i + 1])});
    }
    return Through(region.buffer, std::move(ranges));
  }

  auto Through(BufferId buffer, std::vector<Range> ranges) const -> View {
    const auto found = views_.find(buffer);
    if (found == views_.end()) return {buffer, std::move(ranges)};
    View made = found->second;
    const size_t lead = made.region.size() - ranges.size();
    for (size_t i = 0; i < made.region.size(); ++i) {
      if (i < lead) {
        made.region[i].extent = arith::MakeConst(terms(), terms().dtype(made.region[i].min), 1);
      } else {
        made.region[i] = {arith::Add(terms(), made.region[i].min, ranges[i - lead].min), ranges[i - lead].extent};
      }
    }
    return made;
  }

  auto Indices(const View& view, std::span<const PrimExpr> indices) const -> std::vector<PrimExpr> {
    std::vector<PrimExpr> made;
    const size_t lead = view.region.size() - indices.size();
    for (size_t i = 0; i < view.region.size(); ++i) {
      const PrimExpr min = view.region[i].min;
      made.push_back(i < lead ? min : arith::Add(terms(), min, indices[i - lead]));
    }
    return made;
  }

  auto LeaveBlock(const Block& block, Parts parts) -> StmtId {
    BlockInfo info = block.info();
    std::vector<PrimExpr> exprs(parts.exprs.begin(),
                                parts.exprs.begin() + static_cast<ptrdiff_t>(2 * info.axes.size()));
    for (auto* regions : {&info.reads, &info.writes}) {
      for (BlockRegion& region : *regions) {
        std::vector<Range> ranges;
        ranges.reserve(region.ndim);
        for (size_t i = 0; i < region.ndim; ++i) {
          ranges.push_back({parts.exprs[region.first + 2 * i], parts.exprs[region.first + 2 * i + 1]});
        }
        const View view = Through(region.buffer, std::move(ranges));
        region = {view.source, static_cast<uint32_t>(exprs.size()), static_cast<uint32_t>(view.region.size())};
        for (const Range& range : view.region) exprs.insert(exprs.end(), {range.min, range.extent});
      }
    }
    info.match_buffers.clear();
    return builder().Block(std::move(info), exprs, parts.stmts.back(),
                           parts.stmts.size() == 2 ? parts.stmts[0] : StmtId());
  }

  arith::Analyzer analyzer_;
  DiagnosticSink& sink_;
  // The known values of variables: those of views, and parameters, which represent themselves.
  VarMap known_;
  absl::flat_hash_map<BufferId, View> views_;
  SourceRange place_;
  StringId target_;
  StringId source_;
};

struct LowerMatchBufferPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    return MatchLowerer(func, context.diagnostics()).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLowerMatchBufferPass = DescribePass<LowerMatchBufferPass>({
    .name = "tir.LowerMatchBuffer",
    .summary = "Replace accesses to match_buffers by accesses to the buffers that they view",
    .details = R"(  B = T.match_buffer(A[i, 0:8], (8,), offset_factor=1)    ->    A[i, 2] = 0
  B[2] = 0

Variables for the pointer, the offset, the strides and the extents of the view become what the region says; anything else must
provably be it.)",
    .aliases = "tir.transform.LowerMatchBuffer",
    .idempotent = true,
});

}  // namespace relayopt::tir
