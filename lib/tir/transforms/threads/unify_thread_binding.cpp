// UnifyThreadBinding: in a kernel each kind of threads has one variable, and its loops surround all of it.
//
// A kernel is the body of the outermost loop over threads, or in the outermost attribute that launches some. All of
// them in it go; they are replaced by one loop for each tag around the kernel, in the order in which they are met:
//
//   for bx in T.thread_binding(4, thread="blockIdx.x"):          for blockIdx_x in T.thread_binding(4, ...):
//       for t in T.thread_binding(16, thread="threadIdx.x"):         for threadIdx_x in T.thread_binding(16, ...):
//           A[t] = 1                                         ->          A[threadIdx_x] = 1
//       for u in T.thread_binding(16, thread="threadIdx.x"):             B[threadIdx_x] = 2
//           B[u] = 2
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kUnifyExtents{"unify-thread-extents", Severity::kError,
                                       "loops bound to {} have different ranges in the same kernel"};
constexpr DiagnosticKind kTooManyTags{"too-many-thread-tags", Severity::kError,
                                      "a kernel has more than {} kinds of threads; no target has as many"};
// Targets have some ten. There is a loop inside of the others for each.
constexpr size_t kMostTags = 64;

class BindingUnifier : public Rewriter {
 public:
  explicit BindingUnifier(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto thread = ThreadOf(stmt)) Open(stmt, *thread);
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (!ThreadOf(stmt)) return Rewriter::Leave(stmt, parts);
    depth_ = depths_.back();
    depths_.pop_back();
    StmtId made = parts.stmts[0];
    if (depth_ == 0) made = Launch(made);
    const auto loop = stmt.As<For>();
    if (!loop || !loop->annotations() || context().object(loop->annotations()).items.empty()) return made;
    return Annotated(*loop, made);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const auto found = vars_.find(old);
    return found != vars_.end() ? found->second : Rewriter::RewriteNode(old, made);
  }

 private:
  // The thread that a statement launches.
  struct Thread {
    PrimExpr var;
    StringId tag;
    Range range;
  };

  auto ThreadOf(Stmt stmt) const -> std::optional<Thread> {
    if (const auto loop = stmt.As<For>(); loop && loop->for_kind() == ForKind::kThreadBinding) {
      const StringId tag = tables().iter_var(loop->thread_binding()).thread_tag;
      return Thread{loop->loop_var(), tag, {loop->min(), loop->extent()}};
    }
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || !attr->launched_thread()) return std::nullopt;
    const IterVar& iter = tables().iter_var(attr->launched_thread());
    Range range = iter.domain;
    if (!range.extent) range = {arith::MakeZero(terms(), terms().dtype(attr->value())), attr->value()};
    return Thread{iter.var, iter.thread_tag, range};
  }

  void Open(Stmt stmt, const Thread& thread) {
    depths_.push_back(depth_);
    const std::string_view tag = context().text(thread.tag);
    if (depth_ == 0) unified_.clear();
    if (depth_ == 0 || tag.starts_with("blockIdx.")) ++depth_;
    auto known = std::ranges::find(unified_, thread.tag, &Thread::tag);
    if (known == unified_.end()) {
      const PrimExpr var = terms().Var(tag, terms().dtype(thread.range.extent));
      known = unified_.insert(unified_.end(), {var, thread.tag, thread.range});
      if (unified_.size() > kMostTags) Fail(MakeDiagnostic(kTooManyTags, stmt.range(), kMostTags));
    } else if (!analyzer_.CanProveEqual(known->range.min, thread.range.min) ||
               !analyzer_.CanProveEqual(known->range.extent, thread.range.extent)) {
      Fail(MakeDiagnostic(kUnifyExtents, stmt.range(), tag));
    }
    vars_[thread.var] = arith::CastTo(terms(), terms().dtype(thread.var), known->var);
    ForgetExprs();
  }

  // Returns the loops of the kernel, the first one outermost.
  auto Launch(StmtId body) -> StmtId {
    for (size_t i = unified_.size(); i-- > 0;) {
      const Thread& thread = unified_[i];
      const PrimExpr unnamed = terms().Var("", terms().dtype(thread.var));
      const IterVarId iter = tables().Add(IterVar{unnamed, {}, IterType::kThreadIndex, thread.tag});
      body = builder().For(thread.var, thread.range.min, thread.range.extent, ForKind::kThreadBinding, body, iter);
    }
    unified_.clear();
    return body;
  }

  // Returns the annotations of a loop that has gone.
  auto Annotated(const For& gone, StmtId made) -> StmtId {
    if (const auto loop = builder().stmt(made).As<For>()) {
      const StmtId body = loop->body().id();
      return builder().For(loop->loop_var(), loop->min(), loop->extent(), loop->for_kind(), body,
                           loop->thread_binding(), gone.annotations());
    }
    const DataType type = terms().dtype(gone.loop_var());
    return builder().For(terms().Var("var", type), terms().IntImm(type, 0), terms().IntImm(type, 1), ForKind::kSerial,
                         made, {}, gone.annotations());
  }

  arith::Analyzer analyzer_;
  // The number of open blocks, and its value before each open statement.
  int depth_ = 0;
  std::vector<int> depths_;
  // The threads of the kernel.
  std::vector<Thread> unified_;
  VarMap vars_;
};

}  // namespace

constinit const PassDef kUnifyThreadBindingPass = DescribePass<RewriterPass<BindingUnifier, OlderSchedules::kStay>>({
    .name = "tir.UnifyThreadBinding",
    .summary = "Use one loop for each kind of threads in a kernel",
    .details =
        R"(  for bx in T.thread_binding(4, thread="blockIdx.x"):          for blockIdx_x in T.thread_binding(4, ...):
      for t in T.thread_binding(16, thread="threadIdx.x"):         for threadIdx_x in T.thread_binding(16, ...):
          A[t] = 1                                         ->          A[threadIdx_x] = 1
      for u in T.thread_binding(16, thread="threadIdx.x"):             B[threadIdx_x] = 2
          B[u] = 2

Attributes that launch threads become loops. What is bound to one kind of threads has one range.)",
    .aliases = "tir.transform.UnifyThreadBinding",
});

}  // namespace relayopt::tir
