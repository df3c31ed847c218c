// InjectPTXAsyncCopy: copies from global to shared memory that need not be waited for become cp.async.
//
//   with T.attr(0, "async_scope", 1):
//       A_shared[tx] = A[tx]            ->    T.ptx_cp_async("float32", A_shared, tx, A, tx, 4)
//
// Each access has 4, 8 or 16 bytes; vectors are continuous. Where the value is guarded and 0 otherwise, the guard is
// passed along. Anything else stays a store; the attribute is always removed.
#include <cmath>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNestedAsync{"async-nested", Severity::kError, "Nested async scopes not supported"};

class AsyncCopyInjector : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Enter(Stmt stmt) -> Descent override {
    if (IsAsync(stmt)) {
      if (in_async_) Fail(MakeDiagnostic(kNestedAsync, stmt.range()));
      in_async_ = true;
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (IsAsync(stmt)) {
      in_async_ = false;
      return parts.stmts[0];
    }
    const auto store = stmt.As<BufferStore>();
    const StmtId copy = store && in_async_ ? Copy(*store) : StmtId();
    return copy ? copy : Rewriter::Leave(stmt, parts);
  }

 private:
  static auto IsAsync(Stmt stmt) -> bool {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "async_scope";
  }

  // Returns invalid if it is not such a copy.
  auto Copy(const BufferStore& store) -> StmtId {
    const std::string_view to = tables().Scope(store.buffer());
    if (to != "shared" && to != "shared.dyn") return {};
    const PrimExpr value = store.value();
    if (terms().kind(value) == PrimKind::kBufferLoad) return Copy(store, value, {});
    if (!terms().IsCall(value, terms().ops().if_then_else)) return {};
    const auto args = terms().operands(value);
    if (terms().kind(args[1]) != PrimKind::kBufferLoad || !IsZero(args[2])) return {};
    return Copy(store, args[1], args[0]);
  }

  // cp.async fills the elements that it does not copy with zeros, not with negative ones.
  auto IsZero(PrimExpr e) const -> bool {
    if (terms().kind(e) == PrimKind::kBroadcast) e = terms().operand(e, 0);
    if (terms().kind(e) != PrimKind::kFloatImm) return false;
    const double value = terms().float_value(e);
    return value == 0.0 && !std::signbit(value);
  }

  auto Copy(const BufferStore& store, PrimExpr load, PrimExpr guard) -> StmtId {
    const Buffer& from = tables().buffer(terms().buffer(load));
    const Buffer& to = tables().buffer(store.buffer());
    if (tables().Scope(terms().buffer(load)) != "global") return {};
    if (terms().num_operands(load) != 1 || store.indices().size() != 1) return {};
    const PrimExpr source = Offset(terms().operand(load, 0), false);
    const PrimExpr target = Offset(store.indices()[0], true);
    const int lanes = terms().lanes(terms().operand(load, 0));
    const size_t bytes = static_cast<size_t>(lanes) * from.dtype.bytes();
    if (!source || !target || lanes != terms().lanes(store.indices()[0])) return {};
    if (bytes != 4 && bytes != 8 && bytes != 16) return {};
    // Memory of bytes is the result of merging allocations: offsets in it count bytes.
    const DataType from_element = terms().var(from.data).type.dtype;
    const DataType to_element = terms().var(to.data).type.dtype;
    int64_t factor = 1;
    if (from_element != to_element) {
      if (to_element != DataType::UInt(8)) return {};
      factor = static_cast<int64_t>(from_element.bytes());
    }
    const PrimExpr offset = arith::Mul(terms(), target, terms().IntImm(terms().dtype(target), factor));
    std::vector<PrimExpr> args = {to.data, offset, from.data, source, terms().Int32(static_cast<int64_t>(bytes))};
    if (guard) args.push_back(guard);
    return builder().Evaluate(terms().Call(to.dtype, terms().Intrinsic("tir.ptx_cp_async"_intrin), args));
  }

  // Returns the index of the first lane, or invalid if lanes are not contiguous.
  auto Offset(PrimExpr index, bool is_target) const -> PrimExpr {
    if (terms().lanes(index) == 1) return index;
    const auto ramp = [&](PrimExpr e) {
      return terms().kind(e) == PrimKind::kRamp && terms().IsInt(terms().operand(e, 1), 1) ? terms().operand(e, 0)
                                                                                           : PrimExpr();
    };
    if (const PrimExpr base = ramp(index)) return base;
    // Moves a ramp to its position in merged memory.
    if (!is_target || terms().kind(index) != PrimKind::kAdd) return {};
    const PrimExpr base = ramp(terms().operand(index, 0));
    const PrimExpr moved = terms().operand(index, 1);
    if (!base || terms().kind(moved) != PrimKind::kBroadcast) return {};
    return terms().Binary(PrimKind::kAdd, base, terms().operand(moved, 0));
  }

  bool in_async_ = false;
};

}  // namespace

constinit const PassDef kInjectPTXAsyncCopyPass = DescribePass<RewriterPass<AsyncCopyInjector>>({
    .name = "tir.InjectPTXAsyncCopy",
    .summary = "Copy to shared memory asynchronously where the program allows it",
    .details = R"(  with T.attr(0, "async_scope", 1):
      A_shared[tx] = A[tx]            ->    T.ptx_cp_async("float32", A_shared, tx, A, tx, 4)

For copies of 4, 8 or 16 bytes from global to shared memory.)",
    .aliases = "tir.transform.InjectPTXAsyncCopy",
    .idempotent = true,
});

}  // namespace relayopt::tir
