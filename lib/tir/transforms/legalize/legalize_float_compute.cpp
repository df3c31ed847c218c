// BF16ComputeLegalize, FP8ComputeLegalize: computing with small floats in a type that the target knows.
//
// Values are promoted where something is computed with them, and converted back where they are stored. Conversions work
// on bits (small_floats.h). Memory of a literal size that is used only by loads and stores has the promoted type
// itself, so nothing is converted there; parameters keep their types.
//
//   C = T.decl_buffer((100,), "bfloat16")       C = T.decl_buffer((100,))
//   C[i] = A[i] + B[i]                     ->   C[i] = T.reinterpret("float32", T.shift_left(T.Cast("uint32",
//   D[i] = T.exp(C[i])                                   T.reinterpret("uint16", A[i])), T.uint32(16))) + ...
//                                               D[i] = T.reinterpret("bfloat16", T.Cast("uint16", T.shift_right(
//                                                        T.reinterpret("uint32", T.exp(C[i])) + ..., T.uint32(16))))
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/small_floats.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kBadPromotion{"legalize-promotion", Severity::kError,
                                       "{} is not a type to compute in: float16, float32 or float64"};

class ComputeLegalizer : public Rewriter {
 public:
  ComputeLegalizer(const PrimFunc& func, IsSmallFloat is_small, DataType promoted)
      : Rewriter(func), is_small_(is_small), promoted_(promoted) {
    Plan();
  }

 protected:
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    const PrimExpr made = Legalize(expr);
    return stmt.is(StmtKind::kLet) ? Promote(made) : made;
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto let = stmt.As<LetStmt>()) return builder().Let(Legalize(let->var()), parts.exprs[0], parts.stmts[0]);
    if (const auto store = stmt.As<BufferStore>()) {
      const BufferId buffer = RewriteBuffer(store->buffer());
      parts.exprs[0] = Stored(parts.exprs[0], tables().buffer(buffer).dtype);
      return builder().Store(buffer, parts.exprs[0], parts.exprs.subspan(1));
    }
    const auto alloc = stmt.As<Allocate>();
    if (alloc && vars_.contains(alloc->buffer_var())) {
      return builder().Allocate(vars_.at(alloc->buffer_var()), Promoted(alloc->dtype()),
                                parts.exprs.first(parts.exprs.size() - 1), parts.exprs.back(), parts.stmts[0],
                                alloc->annotations());
    }
    if (const auto attr = stmt.As<AttrStmt>()) {
      return builder().Attr(Node(attr->node()), attr->key(), parts.exprs[0], parts.stmts[0]);
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    const Buffer& old = tables().buffer(id);
    const auto found = vars_.find(old.data);
    if (found == vars_.end()) return id;
    BufferId& made = buffers_[id];
    if (made) return made;
    Buffer buffer = old;
    buffer.data = found->second;
    buffer.dtype = Promoted(old.dtype);
    return made = tables().Add(std::move(buffer));
  }

 private:
  auto Promoted(DataType type) const -> DataType { return arith::WithLanes(promoted_, type.lanes); }
  auto NameOf(PrimExpr var) const -> std::string_view { return context().text(terms().var(var).name); }

  // New variables for memory that changes its type and for what lets bind.
  void Plan() {
    absl::flat_hash_set<PrimExpr> opaque;
    TermVisitor visitor(terms());
    const auto see_buffer = [&](BufferId id) {
      const Buffer& buffer = tables().buffer(id);
      if (!is_small_(buffer.dtype)) opaque.insert(buffer.data);
    };
    const auto define = [&](PrimExpr var) {
      if (is_small_(terms().dtype(var))) vars_[var] = terms().Var(NameOf(var), Promoted(terms().dtype(var)));
    };
    const auto see = [&](PrimExpr e) {
      if (terms().is_var(e) && arith::IsHandle(terms().dtype(e))) opaque.insert(e);
      if (terms().kind(e) == PrimKind::kBufferLoad) see_buffer(terms().buffer(e));
      if (terms().kind(e) == PrimKind::kLet) define(terms().operand(e, 0));
    };
    std::vector<Allocate> allocs;
    for (StmtId id(0U); id.value() < func().size(); ++id) {
      const Stmt stmt = func().stmt(id);
      for (const PrimExpr expr : stmt.exprs()) visitor.Visit(expr, see);
      if (const auto store = stmt.As<BufferStore>()) see_buffer(store->buffer());
      if (const auto decl = stmt.As<DeclBuffer>()) see_buffer(decl->buffer());
      if (const auto let = stmt.As<LetStmt>()) define(let->var());
      if (const auto alloc = stmt.As<Allocate>(); alloc && is_small_(alloc->dtype())) allocs.push_back(*alloc);
    }
    for (const Allocate& alloc : allocs) {
      const PrimExpr var = alloc.buffer_var();
      const bool literal =
          std::ranges::all_of(alloc.extents(), [&](PrimExpr e) { return terms().AsInt(e).value_or(0) != 0; });
      if (!literal || opaque.contains(var)) continue;
      const VarType& type = terms().var(var).type;
      vars_[var] = terms().Var(NameOf(var), VarType::Pointer(Promoted(alloc.dtype()), type.scope));
    }
  }

  auto Node(AttrNode node) -> AttrNode {
    if (const BufferId buffer = node.buffer()) return RewriteBuffer(buffer);
    if (const PrimExpr expr = node.expr(); expr && vars_.contains(expr)) return vars_.at(expr);
    const ReducerId id = node.reducer();
    if (!id) return node;
    const CommReducer old = tables().reducer(id);
    for (const auto* vars : {&old.lhs, &old.rhs}) {
      for (const PrimExpr var : *vars) {
        if (is_small_(terms().dtype(var)))
          vars_.try_emplace(var, terms().Var(NameOf(var), Promoted(terms().dtype(var))));
      }
    }
    CommReducer made;
    for (const PrimExpr e : old.lhs) made.lhs.push_back(Legalize(e));
    for (const PrimExpr e : old.rhs) made.rhs.push_back(Legalize(e));
    for (const PrimExpr e : old.result) made.result.push_back(Promote(Legalize(e)));
    for (const PrimExpr e : old.identity) made.identity.push_back(Promote(Legalize(e)));
    const bool same =
        made.lhs == old.lhs && made.rhs == old.rhs && made.result == old.result && made.identity == old.identity;
    return same ? node : AttrNode(tables().Add(std::move(made)));
  }

  auto Promote(PrimExpr value) const -> PrimExpr {
    const DataType type = terms().dtype(value);
    if (!is_small_(type)) return value;
    const DataType to = Promoted(type);
    if (terms().kind(value) == PrimKind::kCast && terms().dtype(terms().operand(value, 0)) == to) {
      return terms().operand(value, 0);
    }
    return ConvertBits(terms(), to, value);
  }

  // Returns the value as the buffer holds it.
  auto Stored(PrimExpr value, DataType element) const -> PrimExpr {
    const DataType type = terms().dtype(value);
    const DataType to = arith::WithLanes(element, type.lanes);
    const bool converts = type != to && (is_small_(to) || is_small_(type));
    return converts ? ConvertBits(terms(), to, value) : value;
  }

  auto Legalize(PrimExpr root) -> PrimExpr {
    return MakeFromParts(terms(), root, made_, [this](PrimExpr part) { return LegalizeNode(part); });
  }

  auto LegalizeNode(PrimExpr e) -> PrimExpr {
    const PrimKind kind = terms().kind(e);
    const DataType type = terms().dtype(e);
    if (terms().is_var(e)) {
      const auto found = vars_.find(e);
      return found == vars_.end() ? e : found->second;
    }
    if (kind == PrimKind::kFloatImm) return is_small_(type) ? terms().FloatImm(promoted_, terms().float_value(e)) : e;
    auto operands = MapToVector<PrimExpr>(terms().operands(e), [&](PrimExpr operand) { return made_.at(operand); });
    if (operands.empty()) return e;
    if (kind == PrimKind::kBufferLoad) {
      const BufferId buffer = RewriteBuffer(terms().buffer(e));
      const DataType element = arith::WithLanes(tables().buffer(buffer).dtype, type.lanes);
      return terms().BufferLoad(buffer, operands, element);
    }
    if (terms().IsCall(e, reinterpret_)) return terms().WithOperands(e, operands);
    for (PrimExpr& operand : operands) operand = Promote(operand);
    const bool same = std::ranges::equal(operands, terms().operands(e));
    if (kind == PrimKind::kCast) {
      if (is_small_(type)) return arith::CastTo(terms(), Promoted(type), operands[0]);
      return same ? e : arith::CastTo(terms(), type, operands[0]);
    }
    if (kind == PrimKind::kCall) {
      return terms().WithOperands(e, operands, is_small_(type) ? Promoted(type) : type);
    }
    if (same) return e;
    if (kind == PrimKind::kMin) return arith::Min(terms(), operands[0], operands[1]);
    if (kind == PrimKind::kMax) return arith::Max(terms(), operands[0], operands[1]);
    if (arith::IsBinary(kind)) return arith::Operate(terms(), kind, operands[0], operands[1]);
    return terms().WithOperands(e, operands);
  }

  IsSmallFloat is_small_;
  DataType promoted_;
  arith::CallOpId reinterpret_ = terms().Intrinsic("tir.reinterpret"_intrin);
  VarMap vars_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  VarMap made_;
};

struct BF16ComputeLegalizePass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return ComputeLegalizer(func, IsBFloat16, DataType::Float(32)).Run();
  }
};

struct FP8ComputeLegalizeOptions {
  std::string promote_dtype_str = "float32";
  static constexpr auto Fields() {
    return std::array{Option<&FP8ComputeLegalizeOptions::promote_dtype_str>(
        "the type to compute in; the default pipelines take float16")};
  }
};

struct FP8ComputeLegalizePass {
  using Options = FP8ComputeLegalizeOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const std::optional<DataType> type = ParseDataType(options.promote_dtype_str);
    if (!type || !arith::IsFloat(*type) || type->lanes != 1) {
      return MakeDiagnostic(kBadPromotion, {}, options.promote_dtype_str);
    }
    return ComputeLegalizer(func, IsFloat8, *type).Run();
  }
};

}  // namespace

constinit const PassDef kBF16ComputeLegalizePass = DescribePass<BF16ComputeLegalizePass>({
    .name = "tir.BF16ComputeLegalize",
    .summary = "Replace computations in bfloat16 by ones in float32",
    .details = R"(  C[i] = A[i] + B[i]    ->    C[i] = T.reinterpret("float32", T.shift_left(T.Cast("uint32",
                                       T.reinterpret("uint16", A[i])), T.uint32(16))) + ...

Memory of bfloat16 that is allocated with a literal size becomes one of float32 where only loads and stores use it.
Conversions work on bits and round to nearest even; NaN stays NaN.)",
    .aliases = "tir.transform.BF16ComputeLegalize",
    .exactness = Exactness::kNarrows,
    .idempotent = true,
});

constinit const PassDef kFP8ComputeLegalizePass = DescribePass<FP8ComputeLegalizePass>({
    .name = "tir.FP8ComputeLegalize",
    .summary = "Replace computations in 8-bit floats by ones in a larger type",
    .details = R"(  C[i] = A[i] + B[i]    ->    C[i] = T.reinterpret("float16", T.shift_left(T.Cast("uint16",
                                       T.reinterpret("uint8", A[i])), T.uint16(8))) + ...

As tir.BF16ComputeLegalize, for e4m3_float8 and e5m2_float8. Infinities, NaNs, zeros and numbers below the smallest
normal one stay what they are. What is too large becomes infinity, or NaN in e4m3_float8, which has no infinity.)",
    .aliases = "tir.transform.FP8ComputeLegalize",
    .exactness = Exactness::kNarrows,
    .idempotent = true,
});

}  // namespace relayopt::tir
