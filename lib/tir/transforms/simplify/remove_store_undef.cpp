// RemoveStoreUndef: a store of a value that may be anything goes.
//
//   A[0] = T.undef(dtype="int32")        x: T.int32 = T.undef(dtype="int32")
//                                ->      (nothing, if only stores that go use x)
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/pass/registry.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kEffects{"store-undef-effect", Severity::kError,
                                  "this value is undefined, but evaluating it does something"};
constexpr DiagnosticKind kLeft{"undef-left", Severity::kError,
                               "T.undef() is left here: it may only be a part of a value that is stored"};

class UndefRemover : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    const auto store = stmt.As<BufferStore>();
    if (store && IsUndefined(stmt, store->value())) return Descent::Done({});
    if (const auto let = stmt.As<LetStmt>(); let && IsUndefined(stmt, let->value())) undefined_.insert(let->var());
    return Descent::Into();
  }

 private:
  // Whether a part of the value, other than an index, is undefined.
  auto IsUndefined(Stmt stmt, PrimExpr value) -> bool {
    std::vector<PrimExpr> stack = {value};
    absl::flat_hash_set<PrimExpr> seen;
    while (!stack.empty()) {
      const PrimExpr e = stack.back();
      stack.pop_back();
      if (!seen.insert(e).second || terms().kind(e) == PrimKind::kBufferLoad) continue;
      if (terms().IsCall(e, undef_) || undefined_.contains(e)) {
        if (terms().effect(value) > arith::CallEffect::kReadState) {
          Fail(MakeDiagnostic(kEffects, stmt.range()));
        }
        return true;
      }
      for (const PrimExpr operand : terms().operands(e)) stack.push_back(operand);
    }
    return false;
  }

  arith::CallOpId undef_ = terms().Intrinsic("tir.undef"_intrin);
  absl::flat_hash_set<PrimExpr> undefined_;
};

struct RemoveStoreUndefInternal {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return UndefRemover(func).RunOrFail();
  }
};

struct ValidateAllUndefRemoved {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const arith::CallOpId undef = func.terms().Intrinsic("tir.undef"_intrin);
    std::optional<Diagnostic> fault;
    TermVisitor visitor(func.terms());
    for (StmtId id(0U); id.value() < func.size() && !fault; ++id) {
      for (const PrimExpr expr : func.stmt(id).exprs()) {
        visitor.Visit(expr, [&](PrimExpr e) {
          if (func.terms().IsCall(e, undef)) fault = MakeDiagnostic(kLeft, func.stmts().range(id));
        });
      }
    }
    if (fault) return *std::move(fault);
    return std::optional<PrimFunc>();
  }
};

auto CreateRemoveStoreUndef(const PassDef& def, const PassOptions&) -> Result<PassRef> {
  std::vector<PassRef> passes;
  passes.push_back(MakePass(PassInfo{0, "tir.RemoveStoreUndefInternal", {}}, RemoveStoreUndefInternal{}));
  RELAYOPT_TRY(PassRef clean_up, CreatePass(kRemoveNoOpPass));
  passes.push_back(std::move(clean_up));
  passes.push_back(MakePass(PassInfo{0, "tir.ValidateAllUndefRemoved", {}}, ValidateAllUndefRemoved{}));
  return PassRef(std::make_shared<Sequential>(std::move(passes), InfoOf(def)));
}

}  // namespace

constinit const PassDef kRemoveStoreUndefPass = {
    .name = "tir.RemoveStoreUndef",
    .summary = "Remove stores of undefined values",
    .details = R"(  A[0] = T.undef(dtype="int32")    ->    B[0] = 1
  B[0] = 1

Also where a let hands the value on. RemoveNoOp cleans up behind it; T.undef() that is left anywhere is an error.)",
    .aliases = "tir.transform.RemoveStoreUndef",
    .create = CreateRemoveStoreUndef,
};

}  // namespace relayopt::tir
