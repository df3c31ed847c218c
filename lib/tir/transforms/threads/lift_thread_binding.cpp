// LiftThreadBinding: loops over the same threads become one loop around all of them.
//
// A kernel is the body of an outermost loop over threads. For each thread tag in it the innermost loop that holds all
// loops of the tag is found; there one loop is put around the body, and the others go:
//
//   for bx in T.thread_binding(4, thread="blockIdx.x"):           for bx in ...:
//       for i in range(8):                                            for tx in T.thread_binding(16, ...):
//           for t in T.thread_binding(16, thread="threadIdx.x"):  ->      for i in range(8):
//               A[t] = 1                                                      A[tx] = 1
//       for u in T.thread_binding(16, thread="threadIdx.x"):              B[tx] = 2
//           B[u] = 2
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kLiftExtents{"thread-extents", Severity::kError,
                                      "the loops over {} of one kernel have different ranges"};

class BindingLifter : public Rewriter {
 public:
  explicit BindingLifter(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()) { FindKernels(); }

 protected:
  auto Enter(Stmt) -> Descent override { return failed() ? Descent::Done({}) : Descent::Into(); }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto loop = stmt.As<For>();
    if (!loop) return Rewriter::Leave(stmt, parts);
    if (const auto found = lifted_.find(stmt.id()); found != lifted_.end()) {
      for (const Binding& binding : found->second) parts.stmts[0] = Around(binding, parts.stmts[0]);
    }
    return IsThread(*loop) ? parts.stmts[0] : Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const auto found = vars_.find(old);
    return found != vars_.end() ? found->second : Rewriter::RewriteNode(old, made);
  }

 private:
  // All loops of one tag in a kernel.
  struct Binding {
    StringId tag;
    PrimExpr var;
    Range range;
    std::vector<ObjectId> annotations;
    // The innermost loop with all of them.
    StmtId common;
  };

  static auto IsThread(const For& loop) -> bool { return loop.for_kind() == ForKind::kThreadBinding; }

  void FindKernels() {
    // The loop around each loop.
    std::vector<StmtId> outer(func().size());
    std::vector<StmtId> open;
    StmtId kernel;
    std::vector<Binding> bindings;
    Walk(
        func().body(),
        [&](Stmt stmt) {
          const auto loop = stmt.As<For>();
          if (!loop) return true;
          outer[stmt.id().value()] = open.empty() ? StmtId() : open.back();
          open.push_back(stmt.id());
          if (IsThread(*loop) && !kernel) kernel = stmt.id();
          return true;
        },
        [&](Stmt stmt) {
          const auto loop = stmt.As<For>();
          if (!loop) return;
          open.pop_back();
          if (IsThread(*loop)) Note(*loop, outer, bindings);
          if (stmt.id() != kernel) return;
          kernel = {};
          Lift(bindings);
          bindings.clear();
        });
  }

  void Note(const For& loop, const std::vector<StmtId>& outer, std::vector<Binding>& bindings) {
    const StringId tag = tables().iter_var(loop.thread_binding()).thread_tag;
    const Range range = {loop.min(), loop.extent()};
    auto binding = std::ranges::find(bindings, tag, &Binding::tag);
    if (binding == bindings.end()) {
      const PrimExpr var = terms().CopyVar(loop.loop_var(), context().text(tag));
      binding = bindings.insert(bindings.end(), {tag, var, range, {}, loop.id()});
    } else if (!analyzer_.CanProveEqual(binding->range.min, range.min) ||
               !analyzer_.CanProveEqual(binding->range.extent, range.extent)) {
      Fail(MakeDiagnostic(kLiftExtents, loop.range(), context().text(tag)));
    }
    vars_[loop.loop_var()] = arith::CastTo(terms(), terms().dtype(loop.loop_var()), binding->var);
    while (!func().stmts().Contains(binding->common, loop.id())) binding->common = outer[binding->common.value()];
    if (!loop.annotations()) return;
    const std::span<const ObjectId> items = context().object(loop.annotations()).items;
    binding->annotations.insert(binding->annotations.end(), items.begin(), items.end());
  }

  // The longest tag ends innermost: threads inside of blocks.
  void Lift(std::vector<Binding>& bindings) {
    std::ranges::stable_sort(bindings, std::greater(), [&](const Binding& b) { return context().text(b.tag).size(); });
    for (Binding& binding : bindings) lifted_[binding.common].push_back(std::move(binding));
  }

  auto Around(const Binding& binding, StmtId body) -> StmtId {
    const PrimExpr name = terms().Var(context().text(binding.tag), terms().dtype(binding.var));
    const IterVarId iter = tables().Add(IterVar{name, {}, IterType::kThreadIndex, binding.tag});
    return builder().For(binding.var, binding.range.min, binding.range.extent, ForKind::kThreadBinding, body, iter,
                         MergedAnnotations(binding.annotations));
  }

  // Returns the last value of each key.
  auto MergedAnnotations(const std::vector<ObjectId>& items) const -> ObjectId {
    std::vector<ObjectId> merged;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      size_t at = 0;
      while (at < merged.size() && context().object(merged[at]).text != context().object(items[i]).text) at += 2;
      if (at == merged.size()) merged.insert(merged.end(), {items[i], items[i + 1]});
      merged[at + 1] = items[i + 1];
    }
    return merged.empty() ? ObjectId() : context().AddMap(merged);
  }

  arith::Analyzer analyzer_;
  VarMap vars_;
  absl::flat_hash_map<StmtId, std::vector<Binding>> lifted_;
};

}  // namespace

constinit const PassDef kLiftThreadBindingPass = DescribePass<RewriterPass<BindingLifter, OlderSchedules::kStay>>({
    .name = "tir.LiftThreadBinding",
    .summary = "Merge the thread bindings of a kernel into one loop for each kind of threads",
    .details = R"(  for bx in T.thread_binding(4, thread="blockIdx.x"):           for bx ...:
      for i in range(8):                                            for tx in T.thread_binding(16, thread="threadIdx.x"):
          for t in T.thread_binding(16, thread="threadIdx.x"):  ->      for i in range(8):
              A[t] = 1                                                      A[tx] = 1
      for u in T.thread_binding(16, thread="threadIdx.x"):              B[tx] = 2
          B[u] = 2

Loops over one kind of threads have one range.)",
    .aliases = "tir.transform.LiftThreadBinding",
});

}  // namespace relayopt::tir
