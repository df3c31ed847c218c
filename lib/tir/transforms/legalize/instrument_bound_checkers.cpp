// InstrumentBoundCheckers: a store is guarded by a check that it, and what it loads, stays inside of its buffers.
//
// The number of elements is what attributes buffer_bound say (StorageFlatten<create_bound_attribute>) or what is
// allocated:
//
//   A[i] = B[i]   ->   if 0 <= i < bound of B and 0 <= i < bound of A:
//                          A[i] = B[i]
//                      else: assert ..., "OUT OF THE BOUNDS"
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

class BoundInstrumenter : public Rewriter {
 public:
  explicit BoundInstrumenter(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()) {
    for (StmtId id(0U); id.value() < func.size(); ++id) {
      const auto attr = func.stmt(id).As<AttrStmt>();
      if (!attr || attr->key_text() != "buffer_bound" || !attr->node().expr()) continue;
      if (terms().kind(attr->value()) != PrimKind::kCall) continue;
      const auto extents = terms().operands(attr->value());
      bounds_[attr->node().expr()].assign(extents.begin(), extents.end());
    }
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    const auto alloc = stmt.As<Allocate>();
    if (!alloc) return Descent::Into();
    const auto found = bounds_.find(alloc->buffer_var());
    if (found == bounds_.end()) return Descent::Into();
    found->second.clear();
    const PrimExpr lanes = arith::MakeUInt(terms(), DataType::UInt(64), alloc->dtype().lanes);
    for (const PrimExpr extent : alloc->extents()) found->second.push_back(arith::Mul(terms(), lanes, extent));
    return Descent::Into();
  }
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const StmtId made = Rewriter::Leave(stmt, parts);
    const auto store = stmt.As<BufferStore>();
    const PrimExpr condition = store ? ConditionOf(*store) : PrimExpr();
    if (!condition) return made;
    const StmtId nothing = builder().Evaluate(terms().Int32(1));
    const StmtId fault = builder().Assert(condition, terms().StringImm("OUT OF THE BOUNDS"), nothing);
    return builder().If(condition, made, fault);
  }

 private:
  // Returns invalid if nothing is known, and when a conditional decides which elements are loaded.
  auto ConditionOf(const BufferStore& store) -> PrimExpr {
    PrimExpr condition;
    std::vector<PrimExpr> stack(store.exprs().rbegin(), store.exprs().rend());
    while (!stack.empty()) {
      const PrimExpr e = stack.back();
      stack.pop_back();
      if (terms().IsCall(e, terms().ops().if_then_else)) return {};
      const auto operands = terms().operands(e);
      if (terms().kind(e) == PrimKind::kBufferLoad) AddChecks(terms().buffer(e), operands, condition);
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
    }
    AddChecks(store.buffer(), store.indices(), condition);
    return condition;
  }

  void AddChecks(BufferId buffer, std::span<const PrimExpr> indices, PrimExpr& condition) {
    const auto found = bounds_.find(tables().buffer(buffer).data);
    if (found == bounds_.end() || found->second.size() != indices.size()) return;
    for (size_t i = 0; i < indices.size(); ++i) {
      const PrimExpr check = Check(indices[i], found->second[i]);
      condition = condition ? terms().Binary(PrimKind::kAnd, condition, check) : check;
    }
  }

  auto Check(PrimExpr index, PrimExpr bound) -> PrimExpr {
    if (terms().kind(index) == PrimKind::kRamp) {
      // The last lane.
      const PrimExpr stride = terms().operand(index, 1);
      const PrimExpr last = arith::MakeConst(terms(), terms().dtype(stride), terms().lanes(index) - 1);
      index = terms().Binary(PrimKind::kAdd, terms().operand(index, 0), terms().Binary(PrimKind::kMul, stride, last));
    }
    const PrimExpr at = terms().Cast(DataType::Int(64), analyzer_.Simplify(index));
    const PrimExpr end = terms().Cast(DataType::Int(64), analyzer_.Simplify(bound));
    const PrimExpr zero = terms().IntImm(DataType::Int(64), 0);
    return terms().Binary(PrimKind::kAnd, terms().Binary(PrimKind::kGE, at, zero),
                          terms().Binary(PrimKind::kLT, at, end));
  }

  arith::Analyzer analyzer_;
  // Numbers of elements by data variable.
  absl::flat_hash_map<PrimExpr, std::vector<PrimExpr>> bounds_;
};

}  // namespace

constinit const PassDef kInstrumentBoundCheckersPass = DescribePass<RewriterPass<BoundInstrumenter>>({
    .name = "tir.InstrumentBoundCheckers",
    .summary = "Guard stores by bounds checks",
    .details = R"(  A[i] = B[i]   ->   if 0 <= i < bound of B and 0 <= i < bound of A:
                         A[i] = B[i]
                     else: assert ..., "OUT OF THE BOUNDS"

The number of elements is what attributes buffer_bound say, see tir.StorageFlatten<create_bound_attribute>. A store with a
conditional in it is not guarded.)",
    .aliases = "tir.transform.InstrumentBoundCheckers",
});

}  // namespace relayopt::tir
