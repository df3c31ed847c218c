// The verifier: one scan over the statements, each term once in its context.
#include "relayopt/tir/analysis/verifier.h"

#include <span>
#include <vector>

#include <fmt/core.h>

#include "relayopt/arith/intrinsics.h"

namespace relayopt::tir {

namespace {

class Verifier {
 public:
  explicit Verifier(const PrimFunc& func) : func_(func), terms_(func.terms()), tables_(func.tables()) {}

  auto Run() -> std::optional<VerifierError> {
    const absl::flat_hash_set<PrimExpr> params(func_.params().begin(), func_.params().end());
    for (const BufferBinding& binding : func_.buffer_map()) {
      if (!params.contains(binding.param)) {
        return VerifierError{func_.body().id(), "a buffer is bound to something that is not a parameter"};
      }
    }
    for (StmtId id(0U); id.value() < func_.size() && !error_; ++id) {
      at_ = id;
      const Stmt stmt = func_.stmt(id);
      Layout(stmt);
      for (const PrimExpr expr : stmt.exprs()) Expr(expr);
      Statement(stmt);
    }
    return std::move(error_);
  }

 private:
  void Broken(std::string text) {
    if (!error_) error_ = VerifierError{at_, std::move(text)};
  }
  auto Type(PrimExpr e) const -> std::string { return ToString(terms_.dtype(e)); }

  // The parts come one after the other, directly before the statement.
  void Layout(Stmt stmt) {
    uint32_t next = stmt.id().value();
    const auto parts = stmt.parts();
    for (size_t i = parts.size(); i-- > 0;) {
      if (parts[i].value() + 1 != next) return Broken("the table is not laid out");
      next = func_.stmts().first(parts[i]).value();
    }
    if (func_.stmts().first(stmt.id()).value() != next) Broken("the interval of a statement is wrong");
  }

  void Indices(BufferId id, std::span<const PrimExpr> indices) {
    const Buffer& buffer = tables_.buffer(id);
    const auto name = [&] { return func_.context().text(buffer.name); };
    if (indices.size() != buffer.ndim()) {
      return Broken(
          fmt::format("buffer {} has {} dimensions, and is indexed with {}", name(), buffer.ndim(), indices.size()));
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      if (!arith::IsInteger(terms_.dtype(indices[i])))
        Broken(fmt::format("an index of buffer {} is {}", name(), Type(indices[i])));
      if (i + 1 < indices.size() && terms_.lanes(indices[i]) != 1) {
        Broken(fmt::format("an index of buffer {} before the last one is a vector", name()));
      }
    }
  }

  // Returns the type of a value loaded from, or stored to, these indices.
  auto Accessed(BufferId id, std::span<const PrimExpr> indices) const -> DataType {
    const DataType element = tables_.buffer(id).dtype;
    const int lanes = indices.empty() ? 1 : terms_.lanes(indices.back());
    return arith::WithLanes(element, element.lanes * lanes);
  }

  void Call(PrimExpr call) {
    const arith::CallOp& op = terms_.op(terms_.call_op(call));
    const std::string_view name = func_.context().text(op.name);
    const arith::IntrinsicRow* row = op.kind == arith::CallOpKind::kIntrinsic ? arith::FindIntrinsic(name) : nullptr;
    const size_t count = terms_.num_operands(call);
    if (row != nullptr && !row->arity().Accepts(count))
      Broken(fmt::format("a call of {} has {} operands instead of {}", name, count, row->arity().text()));
  }

  // Looks at the terms in it that are not verified yet, operands first.
  void Expr(PrimExpr expr) {
    if (terms_.is_verified(expr)) return;
    stack_.push_back({expr, terms_.operands(expr)});
    while (!stack_.empty() && !error_) {
      Step& top = stack_.back();
      while (!top.operands.empty() && terms_.is_verified(top.operands.front())) top.operands = top.operands.subspan(1);
      if (!top.operands.empty()) {
        const PrimExpr next = top.operands.front();
        stack_.push_back({next, terms_.operands(next)});
        continue;
      }
      const PrimExpr done = top.expr;
      stack_.pop_back();
      Term(done);
      if (!error_) terms_.MarkVerified(done);
    }
  }

  void Term(PrimExpr term) {
    if (terms_.kind(term) == PrimKind::kCall) return Call(term);
    if (terms_.kind(term) != PrimKind::kBufferLoad) return;
    const auto indices = terms_.operands(term);
    Indices(terms_.buffer(term), indices);
    if (error_) return;
    const DataType wanted = Accessed(terms_.buffer(term), indices);
    if (terms_.dtype(term) != wanted) Broken(fmt::format("a load of {} has the type {}", ToString(wanted), Type(term)));
  }

  void Condition(PrimExpr e, const char* what) {
    if (!arith::IsBool(terms_.dtype(e))) Broken(fmt::format("{} is {}, not bool", what, Type(e)));
  }

  void Let(PrimExpr var, PrimExpr value) {
    const bool handles = arith::IsHandle(terms_.dtype(var)) && arith::IsHandle(terms_.dtype(value));
    if (!handles && terms_.dtype(var) != terms_.dtype(value)) {
      Broken(fmt::format("a variable of type {} is bound to {}", Type(var), Type(value)));
    }
  }

  void Statement(Stmt stmt) {
    switch (stmt.kind()) {
      case StmtKind::kLet: return Let(LetStmt(stmt).var(), LetStmt(stmt).value());
      case StmtKind::kAssert: return Condition(AssertStmt(stmt).condition(), "the condition of an assertion");
      case StmtKind::kStore: {
        const BufferStore store(stmt);
        Indices(store.buffer(), store.indices());
        if (error_) return;
        const DataType wanted = Accessed(store.buffer(), store.indices());
        if (terms_.dtype(store.value()) != wanted) {
          Broken(fmt::format("{} is stored where {} belongs", Type(store.value()), ToString(wanted)));
        }
        return;
      }
      case StmtKind::kAllocate: return Condition(Allocate(stmt).condition(), "the condition of an allocation");
      case StmtKind::kSeq:
        if (stmt.num_parts() < 2) Broken("a sequence has fewer than two statements");
        for (const StmtId part : stmt.parts()) {
          if (func_.stmts().kind(part) == StmtKind::kSeq) Broken("a sequence stands in a sequence");
        }
        return;
      case StmtKind::kFor: {
        const For loop(stmt);
        const DataType type = terms_.dtype(loop.loop_var());
        if (terms_.dtype(loop.min()) != type || terms_.dtype(loop.extent()) != type) {
          Broken(fmt::format("a loop over {} begins at {} and has an extent of {}", ToString(type), Type(loop.min()),
                             Type(loop.extent())));
        }
        return;
      }
      case StmtKind::kBlockRealize: {
        const BlockRealize realize(stmt);
        Condition(realize.predicate(), "the predicate of a block");
        if (realize.values().size() != realize.block().axes().size()) {
          Broken(fmt::format("a block has {} axes and {} values for them", realize.block().axes().size(),
                             realize.values().size()));
        }
        return;
      }
      default: return;
    }
  }

  const PrimFunc& func_;
  const Terms& terms_;
  const Tables& tables_;
  struct Step {
    PrimExpr expr;
    // Those that are left.
    std::span<const PrimExpr> operands;
  };
  std::vector<Step> stack_;
  StmtId at_;
  std::optional<VerifierError> error_;
};

}  // namespace

auto Verify(const PrimFunc& func) -> std::optional<VerifierError> { return Verifier(func).Run(); }

}  // namespace relayopt::tir
