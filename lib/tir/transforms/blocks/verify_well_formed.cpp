// VerifyWellFormed: a check that blocks know loops by their axes only.
//
// In a block with axes no variable of a loop around the block may occur: not in its regions, its initialisation or its
// body. The bindings of the axes and the predicate are outside.
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kLoopOutside{
    "loop-outside-of-blocks", Severity::kError,
    "Well-formedness check failed: Loop iterator var {} is defined outside of any block, but is used inside the "
    "non-opaque current block \"{}\"."};
constexpr DiagnosticKind kLoopOfBlock{
    "loop-of-another-block", Severity::kError,
    "Well-formedness check failed: Loop iterator var {} is defined in block \"{}\", but is used inside the non-opaque "
    "current block \"{}\"."};

class WellFormedVerifier {
 public:
  explicit WellFormedVerifier(const PrimFunc& func) : func_(func), terms_(func.terms()) {}

  auto Run() -> std::optional<Diagnostic> {
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          const auto block = stmt.As<Block>();
          if (block && !block->axes().empty()) blocks_.push_back(block->name());
          // The domains of the axes are outside.
          const size_t first = block ? 2 * block->axes().size() : 0;
          for (const PrimExpr expr : stmt.exprs().subspan(first)) Check(stmt, expr);
          if (const auto loop = stmt.As<For>()) depths_[loop->loop_var()] = blocks_.size();
          return !fault_;
        },
        [&](Stmt stmt) {
          if (const auto loop = stmt.As<For>()) depths_.erase(loop->loop_var());
          const auto block = stmt.As<Block>();
          if (block && !block->axes().empty()) blocks_.pop_back();
        });
    return std::move(fault_);
  }

 private:
  void Check(Stmt stmt, PrimExpr expr) {
    if (blocks_.empty()) return;
    for (const PrimExpr part : arith::PostOrder(terms_, expr)) {
      const auto found = terms_.is_var(part) ? depths_.find(part) : depths_.end();
      if (found == depths_.end() || found->second >= blocks_.size() || fault_) continue;
      const Context& context = func_.context();
      const std::string_view name = context.text(terms_.var(part).name);
      const std::string_view here = context.text(blocks_.back());
      fault_ = found->second == 0
                   ? MakeDiagnostic(kLoopOutside, stmt.range(), name, here)
                   : MakeDiagnostic(kLoopOfBlock, stmt.range(), name, context.text(blocks_[found->second - 1]), here);
    }
  }

  const PrimFunc& func_;
  const Terms& terms_;
  // The blocks with axes that are open.
  std::vector<StringId> blocks_;
  // The number of loops over each variable that are open.
  absl::flat_hash_map<PrimExpr, size_t> depths_;
  std::optional<Diagnostic> fault_;
};

struct VerifyWellFormedPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (std::optional<Diagnostic> fault = WellFormedVerifier(func).Run()) return *std::move(fault);
    return std::optional<PrimFunc>();
  }
};

}  // namespace

constinit const PassDef kVerifyWellFormedPass = DescribePass<VerifyWellFormedPass>({
    .name = "tir.VerifyWellFormed",
    .summary = "Check that blocks use loop variables only through their axes",
    .details =
        R"(In a block with axes no variable of a loop outside of the block may occur; blocks without axes may use any.)",
    .aliases = "tir.analysis.verify_well_formed",
    .idempotent = true,
});

}  // namespace relayopt::tir
