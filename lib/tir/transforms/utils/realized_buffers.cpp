#include "lib/tir/transforms/utils/realized_buffers.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/analysis/storage_scope.h"
#include "relayopt/tir/ir/rewrite.h"
#include "relayopt/tir/script/script.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kRealizeBounds{"storage-flatten-bounds", Severity::kError, "tir.StorageFlatten: {}"};
constexpr DiagnosticKind kRealizeAgain{"storage-flatten-realized-twice", Severity::kError,
                                       "tir.StorageFlatten: buffer {} is realized by another T.realize, too"};
constexpr DiagnosticKind kRealizeScope{"storage-flatten-out-of-scope", Severity::kError,
                                       "tir.StorageFlatten: buffer {} is accessed outside of its T.realize"};
constexpr DiagnosticKind kRealizeAlign{"storage-flatten-align", Severity::kError,
                                       "tir.StorageFlatten: buffer_dim_align needs T.tvm_tuple(dimension, factor, "
                                       "offset) of literals, with a dimension of the buffer and a factor above 0"};
constexpr DiagnosticKind kRealizeSize{"storage-flatten-memory", Severity::kError,
                                      "tir.StorageFlatten: buffer {} is larger than the memory {}"};

// A rewrite that gives realized buffers another form, and their accesses other indices.
class RealizeRewriter : public Rewriter {
 public:
  explicit RealizeRewriter(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()) {
    for (const BufferBinding& binding : func.buffer_map()) external_.insert(binding.buffer);
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    place_ = stmt.range();
    if (const auto loop = stmt.As<For>()) analyzer_.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    return Descent::Into();
  }

  auto NameOf(BufferId id) const -> std::string_view { return context().text(tables().buffer(id).name); }
  auto IsExternal(BufferId id) const -> bool { return external_.contains(id); }

  absl::flat_hash_set<BufferId> external_;
  arith::Analyzer analyzer_;
  SourceRange place_;

 private:
};

// Shapes become the extents of the bounds, which begin at 0.
class ShapeLegalizer : public RealizeRewriter {
 public:
  using RealizeRewriter::RealizeRewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    const auto realize = stmt.As<BufferRealize>();
    if (realize && !IsExternal(realize->buffer())) {
      const size_t ndim = tables().buffer(realize->buffer()).ndim();
      if (ndim != 0 && ndim != realize->bounds().size() / 2) {
        Fail(MakeDiagnostic(kRealizeBounds, stmt.range(), "the rank of T.realize differs from that of its buffer"));
      }
      if (made_.contains(realize->buffer())) {
        Fail(MakeDiagnostic(kRealizeAgain, stmt.range(), NameOf(realize->buffer())));
      }
    }
    return RealizeRewriter::Enter(stmt);
  }

  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    const auto realize = stmt.As<BufferRealize>();
    if (!realize || IsExternal(realize->buffer())) return;
    Buffer buffer = tables().buffer(realize->buffer());
    Form form;
    buffer.shape.clear();
    for (size_t i = 0; i + 1 < exprs.size(); i += 2) {
      form.offsets.push_back(exprs[i]);
      buffer.shape.push_back(exprs[i + 1]);
    }
    form.buffer = tables().Add(std::move(buffer));
    made_[realize->buffer()] = std::move(form);
    ForgetExprs();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kRealize: return LeaveRealize(BufferRealize(stmt), parts);
      case StmtKind::kStore: {
        const BufferStore store(stmt);
        const Form* form = FormOf(store.buffer());
        if (form == nullptr) break;
        return builder().Store(form->buffer, parts.exprs[0], Shifted(*form, parts.exprs.subspan(1)));
      }
      case StmtKind::kPrefetch: {
        const Form* form = FormOf(Prefetch(stmt).buffer());
        if (form == nullptr || form->offsets.size() * 2 != parts.exprs.size()) break;
        for (size_t i = 0; i < form->offsets.size(); ++i) {
          parts.exprs[2 * i] = arith::Sub(terms(), parts.exprs[2 * i], form->offsets[i]);
        }
        return builder().Prefetch(form->buffer, parts.exprs);
      }
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) == PrimKind::kBufferLoad) {
      const Form* form = FormOf(terms().buffer(made));
      if (form != nullptr) {
        return terms().BufferLoad(form->buffer, Shifted(*form, terms().operands(made)), terms().dtype(made));
      }
    }
    return Rewriter::RewriteNode(old, made);
  }

  // For attributes around the realization.
  auto RewriteBuffer(BufferId id) -> BufferId override {
    const auto found = made_.find(id);
    return found != made_.end() ? found->second.buffer : Rewriter::RewriteBuffer(id);
  }

 private:
  // The replacement of a buffer.
  struct Form {
    BufferId buffer;
    // Where its bounds begin.
    std::vector<PrimExpr> offsets;
    bool is_open = true;
  };

  auto FormOf(BufferId id) -> const Form* {
    const auto found = made_.find(id);
    if (found == made_.end()) return nullptr;
    if (!found->second.is_open) Fail(MakeDiagnostic(kRealizeScope, place_, NameOf(id)));
    return &found->second;
  }

  // Missing indices are leading zeros.
  auto Shifted(const Form& form, std::span<const PrimExpr> indices) -> std::vector<PrimExpr> {
    std::vector<PrimExpr> made(std::max(form.offsets.size(), indices.size()) - indices.size(), terms().Int32(0));
    for (const PrimExpr index : indices) {
      const size_t i = made.size();
      made.push_back(i < form.offsets.size() ? arith::Sub(terms(), index, form.offsets[i]) : index);
    }
    return made;
  }

  auto LeaveRealize(BufferRealize realize, Parts parts) -> StmtId {
    if (IsExternal(realize.buffer())) return CheckExternal(realize, parts);
    Form& form = made_.at(realize.buffer());
    form.is_open = false;
    ForgetExprs();
    std::vector<PrimExpr> bounds;
    for (size_t i = 0; i + 1 < parts.exprs.size(); i += 2) {
      bounds.insert(bounds.end(), {arith::MakeZero(terms(), terms().dtype(parts.exprs[i + 1])), parts.exprs[i + 1]});
    }
    const StmtId made = builder().Realize(form.buffer, bounds, parts.exprs.back(), parts.stmts[0]);
    builder().SetRange(made, realize.range());
    return made;
  }

  // Asserts that a parameter is realized as a whole.
  auto CheckExternal(BufferRealize realize, Parts parts) -> StmtId {
    const Buffer& buffer = tables().buffer(realize.buffer());
    StmtId made = parts.stmts[0];
    if (buffer.ndim() * 2 != realize.bounds().size()) {
      Fail(MakeDiagnostic(kRealizeBounds, realize.range(), "the rank of T.realize differs from that of its buffer"));
      return made;
    }
    for (size_t i = 0; i < buffer.ndim(); ++i) {
      const PrimExpr extent = parts.exprs[2 * i + 1];
      const PrimExpr holds = analyzer_.Simplify(arith::Eq(terms(), buffer.shape[i], extent));
      if (terms().IsInt(holds, 1)) continue;
      const std::string message =
          fmt::format("Dim {} of external buffer {} has shape {}, but is only realized for extent {}", i,
                      NameOf(realize.buffer()), PrintExpr(context(), buffer.shape[i]), PrintExpr(context(), extent));
      if (terms().IsInt(holds, 0)) {
        Fail(MakeDiagnostic(kRealizeBounds, realize.range(), message));
      } else {
        made = builder().Assert(holds, terms().StringImm(message), made);
      }
    }
    return made;
  }

  absl::flat_hash_map<BufferId, Form> made_;
};

// Strides, the memory of threads, and alignments.
class MemoryLegalizer : public RealizeRewriter {
 public:
  using RealizeRewriter::RealizeRewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto attr = stmt.As<AttrStmt>()) {
      if (attr->key_text() == "thread_extent" && attr->node().iter_var()) threads_.push_back(attr->node().iter_var());
      if (attr->key_text() == "buffer_dim_align" && attr->node().buffer()) AddAlignment(*attr);
    }
    if (const auto realize = stmt.As<BufferRealize>()) Open(*realize);
    return RealizeRewriter::Enter(stmt);
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr) return Rewriter::Leave(stmt, parts);
    if (attr->key_text() == "thread_extent" && attr->node().iter_var()) threads_.pop_back();
    const BufferId buffer = attr->node().buffer();
    if (!buffer) return Rewriter::Leave(stmt, parts);
    if (attr->key_text() == "buffer_dim_align") return parts.stmts[0];
    // As TVM: other attributes refer to the original buffer, except for double buffers.
    const BufferId node = attr->key_text() == "double_buffer_scope" ? RewriteBuffer(buffer) : buffer;
    return builder().Attr(node, attr->key(), parts.exprs[0], parts.stmts[0]);
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    if (const auto found = made_.find(id); found != made_.end()) return found->second;
    const auto by_data = by_data_.find(tables().buffer(id).data);
    return by_data != by_data_.end() ? by_data->second : Rewriter::RewriteBuffer(id);
  }

 private:
  struct Alignment {
    int64_t factor = 0;
    int64_t offset = 0;
  };

  void AddAlignment(AttrStmt attr) {
    const PrimExpr tuple = attr.value();
    const auto args = terms().operands(tuple);
    const bool is_tuple = terms().IsCall(tuple, terms().Intrinsic("tir.tvm_tuple"_intrin)) && args.size() == 3;
    const auto literal = [&](size_t i) { return is_tuple ? terms().AsInt(args[i]) : std::nullopt; };
    const auto dim = literal(0), factor = literal(1), offset = literal(2);
    const BufferId buffer = attr.node().buffer();
    if (!dim || !factor || !offset || *dim < 0 || *dim >= static_cast<int64_t>(tables().buffer(buffer).ndim()) ||
        *factor <= 0) {
      Fail(MakeDiagnostic(kRealizeAlign, attr.range()));
      return;
    }
    std::vector<Alignment>& all = alignments_[buffer];
    all.resize(std::max(all.size(), static_cast<size_t>(*dim) + 1));
    all[static_cast<size_t>(*dim)] = {*factor, *offset};
  }

  void Open(BufferRealize realize) {
    const BufferId id = realize.buffer();
    if (IsExternal(id) || made_.contains(id)) return;
    Buffer buffer = tables().buffer(id);
    if (buffer.strides.empty()) AlignStrides(buffer, alignments_[id]);
    buffer.type = BufferType::kDefault;
    buffer.elem_offset = {};
    buffer.offset_factor = 1;
    const PrimExpr data = buffer.data;
    const VarType& type = terms().var(data).type;
    const bool names_memory = type.scope && !context().text(type.scope).empty();
    if (!names_memory) {
      buffer.data = terms().Var(context().text(terms().var(data).name),
                                VarType::Pointer(type.dtype, context().Intern(MemoryOfThreads())));
      Replace(data, buffer.data);
    }
    Align(buffer, realize);
    made_[id] = tables().Add(std::move(buffer));
    if (!names_memory) by_data_[data] = made_[id];
    ForgetExprs();
  }

  // The strides of a compact buffer whose dimensions are aligned; none if no dimension is.
  void AlignStrides(Buffer& buffer, const std::vector<Alignment>& alignments) {
    if (alignments.empty()) return;
    PrimExpr stride = arith::MakeConst(terms(), terms().dtype(buffer.shape[0]), 1);
    for (size_t i = buffer.ndim(); i-- > 0;) {
      if (i < alignments.size() && alignments[i].factor != 0) {
        const PrimExpr factor = arith::MakeConst(terms(), terms().dtype(stride), alignments[i].factor);
        const PrimExpr offset = arith::MakeConst(terms(), terms().dtype(stride), alignments[i].offset);
        const PrimExpr missing =
            arith::Sub(terms(), arith::Add(terms(), factor, offset), arith::FloorMod(terms(), stride, factor));
        stride = analyzer_.Simplify(arith::Add(terms(), stride, arith::FloorMod(terms(), missing, factor)));
      }
      buffer.strides.insert(buffer.strides.begin(), stride);
      stride = arith::Mul(terms(), stride, buffer.shape[i]);
    }
  }

  // Returns the memory of a buffer that names none: what the innermost threads around it share.
  auto MemoryOfThreads() const -> std::string_view {
    if (threads_.empty()) return "global";
    const auto scope = ParseThreadScope(context().text(tables().iter_var(threads_.back()).thread_tag));
    return scope && scope->rank == 0 ? "shared" : "local";
  }

  // Small buffers have a small alignment, those in memory with a tag that of the memory.
  void Align(Buffer& buffer, BufferRealize realize) {
    int64_t elements = 1;
    for (const PrimExpr extent : buffer.shape) {
      const auto count = terms().AsInt(extent);
      if (!count || *count < 0 || __builtin_mul_overflow(elements, *count, &elements)) elements = 0;
      if (elements == 0) break;
    }
    const int64_t bits = int64_t{buffer.dtype.bits} * buffer.dtype.lanes;
    buffer.data_alignment = 64;
    while (elements > 0 && buffer.data_alignment > 1 && buffer.data_alignment > elements * bits / 8) {
      buffer.data_alignment /= 2;
    }
    const std::string_view scope = ScopeOf(terms(), context(), buffer.data);
    const auto parsed = ParseStorageScope(scope);
    const MemoryInfo* memory = parsed && !parsed->tag.empty() ? FindMemoryInfo(scope) : nullptr;
    if (memory == nullptr) return;
    buffer.data_alignment = static_cast<int32_t>((memory->simd_bits + buffer.dtype.bits - 1) / buffer.dtype.bits);
    if (elements > 0 && static_cast<uint64_t>(elements) > memory->max_bits / buffer.dtype.bits) {
      Fail(MakeDiagnostic(kRealizeSize, realize.range(), NameOf(realize.buffer()), scope));
    }
  }

  absl::flat_hash_map<BufferId, BufferId> made_;
  absl::flat_hash_map<PrimExpr, BufferId> by_data_;
  absl::flat_hash_map<BufferId, std::vector<Alignment>> alignments_;
  std::vector<IterVarId> threads_;
};

}  // namespace

auto LegalizeRealizedBuffers(const PrimFunc& func) -> Result<std::optional<PrimFunc>> {
  bool found = false;
  for (StmtId id(0U); id.value() < func.size(); ++id) found = found || func.stmt(id).is(StmtKind::kRealize);
  if (!found) return std::optional<PrimFunc>();
  RELAYOPT_TRY(std::optional<PrimFunc> shaped, ShapeLegalizer(func).RunOrFail());
  RELAYOPT_TRY(std::optional<PrimFunc> made, MemoryLegalizer(shaped ? *shaped : func).RunOrFail());
  return made ? std::move(made) : std::move(shaped);
}

}  // namespace relayopt::tir
