// VerifySSA: a check that every variable has one definition.
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/walk.h"
#include "relayopt/pass/pass.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNotSsa{"not-ssa", Severity::kError,
                                 "RuntimeError: IR is not in SSA form: variable {} is defined more than once"};

class SsaVerifier {
 public:
  explicit SsaVerifier(const PrimFunc& func) : func_(func), terms_(func.terms()) {}

  // Returns the first repeated definition, or nothing if there is none.
  auto Run() -> std::optional<Diagnostic> {
    for (const PrimExpr param : func_.params()) Define(param, {});
    // Variables of bound buffers may be mentioned again and again.
    for (const BufferBinding& binding : func_.buffer_map()) {
      const Buffer& buffer = func_.tables().buffer(binding.buffer);
      for (const auto* list : {&buffer.shape, &buffer.strides}) {
        for (const PrimExpr e : *list) Mention(e);
      }
      Mention(buffer.data);
      Mention(buffer.elem_offset);
    }
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          for (const PrimExpr expr : stmt.exprs()) Lets(stmt, expr);
          if (const auto let = stmt.As<LetStmt>()) Define(let->var(), stmt.range());
          if (const auto loop = stmt.As<For>()) Define(loop->loop_var(), stmt.range());
          if (const auto alloc = stmt.As<Allocate>()) Define(alloc->buffer_var(), stmt.range());
          return !fault_;
        },
        [](Stmt) {});
    return std::move(fault_);
  }

 private:
  void Mention(PrimExpr e) {
    for (const PrimExpr part : arith::PostOrder(terms_, e)) {
      if (terms_.is_var(part)) defined_.insert(part);
    }
  }
  void Define(PrimExpr var, SourceRange range) {
    if (defined_.insert(var).second || fault_) return;
    fault_ = MakeDiagnostic(kNotSsa, range, func_.context().text(terms_.var(var).name));
  }
  // A Let may define a variable again with the same value.
  void Lets(Stmt stmt, PrimExpr expr) {
    if (terms_.operands(expr).empty()) return;
    for (const PrimExpr term : arith::PostOrder(terms_, expr)) {
      if (terms_.kind(term) != PrimKind::kLet) continue;
      const PrimExpr var = terms_.operand(term, 0);
      const PrimExpr value = terms_.operand(term, 1);
      const auto [found, is_new] = values_.try_emplace(var, value);
      if (is_new)
        Define(var, stmt.range());
      else if (found->second != value && !fault_) {
        fault_ = MakeDiagnostic(kNotSsa, stmt.range(), func_.context().text(terms_.var(var).name));
      }
    }
  }

  const PrimFunc& func_;
  const Terms& terms_;
  absl::flat_hash_set<PrimExpr> defined_;
  absl::flat_hash_map<PrimExpr, PrimExpr> values_;
  std::optional<Diagnostic> fault_;
};

struct VerifySsaPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (std::optional<Diagnostic> fault = SsaVerifier(func).Run()) return *std::move(fault);
    return std::optional<PrimFunc>();
  }
};

}  // namespace

constinit const PassDef kVerifySSAPass = DescribePass<VerifySsaPass>({
    .name = "tir.VerifySSA",
    .summary = "Check that every variable has one definition",
    .details =
        R"(Definitions are parameters, variables in the buffers bound to them, loops, lets and allocations; a Let expression may
define a variable again with the same value. Uses are not looked at: a variable that nobody defines is fine.)",
    .aliases = "tir.transform.VerifySSA",
    .idempotent = true,
});

}  // namespace relayopt::tir
