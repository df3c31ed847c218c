// BF16StorageLegalize, FP8StorageLegalize: memory of small floats as memory of unsigned integers.
//
// After the passes that legalize computing (legalize_float_compute.cpp) small floats are only loaded, stored and taken
// for their bits. So pointers and buffers of them become ones of unsigned integers of as many bits:
//
//   A: T.handle("bfloat16")                              A: T.handle("uint16")
//   D[i] = T.reinterpret("bfloat16", T.uint16(1))   ->   D[i] = T.uint16(1)
//   T.reinterpret("uint16", A[i])                        A[i]
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/small_floats.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kBuffersAreBound{"storage-bound", Severity::kError,
                                          "This pass must be called after MakePackedAPI: @{} binds buffers of such "
                                          "floats to its parameters"};
constexpr DiagnosticKind kStillComputes{"storage-computes", Severity::kError,
                                        "the program computes with {}: run tir.BF16ComputeLegalize or "
                                        "tir.FP8ComputeLegalize first"};
constexpr DiagnosticKind kUntypedPointer{"storage-untyped", Severity::kError,
                                         "Cannot find var remap for {}: its pointer has another type of elements"};

class StorageLegalizer : public Rewriter {
 public:
  StorageLegalizer(const PrimFunc& func, IsSmallFloat is_small) : Rewriter(func), is_small_(is_small) {
    for (const PrimExpr param : func.params()) Define(param);
    for (StmtId id(0U); id.value() < func.size(); ++id) {
      const Stmt stmt = func.stmt(id);
      if (const auto let = stmt.As<LetStmt>()) Define(let->var());
      if (const auto alloc = stmt.As<Allocate>()) DefineMemory(*alloc);
    }
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    at_ = stmt.range();
    return failed() ? Descent::Done({}) : Descent::Into();
  }

  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    const PrimExpr made = Legalize(expr);
    // The stored value itself may be such a float.
    const bool is_stored = stmt.is(StmtKind::kStore) && stmt.expr(0) == expr;
    if (is_small_(terms().dtype(made)) && !is_stored) Computes(terms().dtype(made));
    return made;
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto alloc = stmt.As<Allocate>();
    if (alloc && is_small_(alloc->dtype())) {
      return builder().Allocate(VarOf(alloc->buffer_var()), BitsOf(alloc->dtype()),
                                parts.exprs.first(parts.exprs.size() - 1), parts.exprs.back(), parts.stmts[0],
                                alloc->annotations());
    }
    const auto store = stmt.As<BufferStore>();
    if (store && is_small_(terms().dtype(parts.exprs[0]))) Computes(terms().dtype(parts.exprs[0]));
    if (const auto let = stmt.As<LetStmt>()) return builder().Let(VarOf(let->var()), parts.exprs[0], parts.stmts[0]);
    const auto attr = stmt.As<AttrStmt>();
    if (attr && attr->node().expr()) {
      return builder().Attr(VarOf(attr->node().expr()), attr->key(), parts.exprs[0], parts.stmts[0]);
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    const Buffer& old = tables().buffer(id);
    const PrimExpr data = VarOf(old.data);
    if (data == old.data) {
      if (is_small_(old.dtype)) Fail(MakeDiagnostic(kUntypedPointer, at_, context().text(old.name)));
      return id;
    }
    BufferId& made = buffers_[id];
    if (made) return made;
    Buffer buffer = old;
    buffer.data = data;
    if (is_small_(old.dtype)) buffer.dtype = BitsOf(old.dtype);
    return made = tables().Add(std::move(buffer));
  }

  void Finish(PrimFuncInfo& info) override {
    for (PrimExpr& param : info.params) param = VarOf(param);
  }

 private:
  void Computes(DataType type) { Fail(MakeDiagnostic(kStillComputes, at_, ToString(type))); }
  auto VarOf(PrimExpr var) const -> PrimExpr {
    const auto found = vars_.find(var);
    return found == vars_.end() ? var : found->second;
  }

  void Define(PrimExpr var) {
    const VarType& type = terms().var(var).type;
    if (type.kind == VarType::Kind::kPointer && is_small_(type.dtype)) Remap(var, type.dtype);
  }
  void DefineMemory(const Allocate& alloc) {
    if (is_small_(alloc.dtype())) Remap(alloc.buffer_var(), alloc.dtype());
  }
  void Remap(PrimExpr var, DataType element) {
    const VarType type = VarType::Pointer(BitsOf(element), terms().var(var).type.scope);
    vars_[var] = terms().Var(context().text(terms().var(var).name), type);
  }

  auto Legalize(PrimExpr root) -> PrimExpr {
    return MakeFromParts(terms(), root, made_, [this](PrimExpr part) { return LegalizeNode(part); });
  }

  auto LegalizeNode(PrimExpr e) -> PrimExpr {
    if (terms().is_var(e)) return VarOf(e);
    const auto operands =
        MapToVector<PrimExpr>(terms().operands(e), [&](PrimExpr operand) { return made_.at(operand); });
    const DataType type = terms().dtype(e);
    if (terms().kind(e) == PrimKind::kBufferLoad) {
      const BufferId buffer = RewriteBuffer(terms().buffer(e));
      return terms().BufferLoad(buffer, operands, arith::WithLanes(tables().buffer(buffer).dtype, type.lanes));
    }
    if (terms().IsCall(e, reinterpret_)) {
      const DataType to = is_small_(type) ? BitsOf(type) : type;
      return Reinterpret(terms(), to, operands[0]);
    }
    // Other terms must not see that the type of their operands has changed.
    for (size_t i = 0; i < operands.size(); ++i) {
      if (terms().dtype(operands[i]) == terms().dtype(terms().operand(e, i))) continue;
      if (terms().IsCall(e, address_of_)) continue;
      Computes(terms().dtype(terms().operand(e, i)));
      return e;
    }
    if (is_small_(type)) Computes(type);
    return operands.empty() ? e : terms().WithOperands(e, operands);
  }

  IsSmallFloat is_small_;
  arith::CallOpId reinterpret_ = terms().Intrinsic("tir.reinterpret"_intrin);
  arith::CallOpId address_of_ = terms().Intrinsic("tir.address_of"_intrin);
  VarMap vars_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  VarMap made_;
  SourceRange at_;
};

auto LegalizeStorage(const Module& module, GlobalId id, const PrimFunc& func, IsSmallFloat is_small)
    -> Result<std::optional<PrimFunc>> {
  const auto is_bound = [&](const BufferBinding& binding) {
    return is_small(func.tables().buffer(binding.buffer).dtype);
  };
  if (std::ranges::any_of(func.buffer_map(), is_bound)) {
    return MakeDiagnostic(kBuffersAreBound, module.global(id).range, module.name(id));
  }
  return StorageLegalizer(func, is_small).RunOrFail();
}

struct BF16StorageLegalizePass {
  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    return LegalizeStorage(module, id, func, IsBFloat16);
  }
};

struct FP8StorageLegalizePass {
  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    return LegalizeStorage(module, id, func, IsFloat8);
  }
};

}  // namespace

constinit const PassDef kBF16StorageLegalizePass = DescribePass<BF16StorageLegalizePass>({
    .name = "tir.BF16StorageLegalize",
    .summary = "Replace memory of bfloat16 by memory of uint16",
    .details = R"(  A: T.handle("bfloat16")                              A: T.handle("uint16")
  D[i] = T.reinterpret("bfloat16", T.uint16(1))   ->   D[i] = T.uint16(1)

After tir.BF16ComputeLegalize and tir.MakePackedAPI: nothing may compute with bfloat16 any more, and no buffers of it are
bound to parameters.)",
    .aliases = "tir.transform.BF16StorageLegalize",
    .idempotent = true,
});

constinit const PassDef kFP8StorageLegalizePass = DescribePass<FP8StorageLegalizePass>({
    .name = "tir.FP8StorageLegalize",
    .summary = "Replace memory of 8-bit floats by memory of uint8",
    .details = R"(  A: T.handle("e4m3_float8")                              A: T.handle("uint8")
  D[i] = T.reinterpret("e4m3_float8", T.uint8(1))    ->   D[i] = T.uint8(1)

After tir.FP8ComputeLegalize and tir.MakePackedAPI, as tir.BF16StorageLegalize.)",
    .aliases = "tir.transform.FP8StorageLegalize",
    .idempotent = true,
});

}  // namespace relayopt::tir
