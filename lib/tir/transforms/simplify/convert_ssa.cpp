// ConvertSSA: every definition of a variable gets a variable of its own.
//
// The statements are walked in order with the set of variables that are defined already. A definition of one of them
// gets a new variable, which replaces it in the scope of that definition; the previous replacement is restored after
// it. A variable stays "defined", so of two sibling loops over one variable the second gets another one:
//
//   for i in range(4):          for i in range(4):
//       A[i] = 1                    A[i] = 1
//   for i in range(4):    ->    for i_1 in range(4):
//       B[i] = 2                    B[i_1] = 2
#include "lib/tir/transforms/simplify/convert_ssa.h"

#include <vector>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/scoped_terms.h"
#include "relayopt/arith/walk.h"
#include "relayopt/module/functions.h"
#include "relayopt/pass/pass.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

class SsaConverter : public Rewriter {
 public:
  SsaConverter(const PrimFunc& func, absl::flat_hash_set<PrimExpr>& defined) : Rewriter(func), defined_(defined) {
    DefineInterface();
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    // The variable of a loop or allocation covers the whole statement.
    if (const auto loop = stmt.As<For>()) Open(loop->loop_var());
    if (const auto alloc = stmt.As<Allocate>()) Open(alloc->buffer_var());
    return Descent::Into();
  }
  void EnterPart(Stmt stmt, size_t, Exprs) override {
    if (const auto let = stmt.As<LetStmt>()) Open(let->var());
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const StmtId made = Rewriter::Leave(stmt, parts);
    if (stmt.is(StmtKind::kLet) || stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kAllocate)) Close();
    return made;
  }
  // Definitions are not shared, as terms are: a term with a Let is rewritten wherever it occurs.
  auto RewriteExpr(Stmt stmt, PrimExpr root) -> PrimExpr override {
    const auto plain = [&](PrimExpr expr) -> std::optional<PrimExpr> {
      if (has_let_(expr)) return std::nullopt;
      return Rewriter::RewriteExpr(stmt, expr);
    };
    const auto open = [&](PrimExpr expr, size_t operand, Exprs) -> std::optional<PrimExpr> {
      if (terms().kind(expr) != PrimKind::kLet) return std::nullopt;
      const PrimExpr var = terms().operand(expr, 0);
      // The value of a Let is outside of its scope.
      if (operand == 2) Open(var);
      return operand == 0 ? std::optional(var) : std::nullopt;
    };
    const auto close = [&](PrimExpr expr, Exprs made) {
      std::vector<PrimExpr> parts(made.begin(), made.end());
      if (terms().kind(expr) == PrimKind::kLet) {
        parts[0] = Rewriter::RewriteExpr(stmt, parts[0]);
        Close();
      }
      return RewriteNode(expr, terms().WithOperands(expr, parts));
    };
    return RewriteInScopes(terms(), root, plain, open, close);
  }
  void Finish(PrimFuncInfo& info) override {
    const auto renamed = [&](PrimExpr& var) {
      for (const auto& [from, to] : interface_) {
        if (from == var) var = to;
      }
    };
    for (PrimExpr& param : info.params) renamed(param);
    for (BufferBinding& binding : info.buffer_map) {
      renamed(binding.param);
      binding.buffer = RewriteBuffer(binding.buffer);
    }
  }

 private:
  // A definition that is open: the variable and what replaced it before, or none.
  struct Scope {
    PrimExpr var;
    PrimExpr before;
    bool renamed;
  };

  // Parameters, and the variables that are extents, strides, offsets or data of their buffers. A variable that several
  // buffers of the function mention is one definition.
  void DefineInterface() {
    absl::flat_hash_set<PrimExpr> own;
    const auto define = [&](PrimExpr var) {
      if (!terms().is_var(var) || !own.insert(var).second || defined_.insert(var).second) return;
      const PrimExpr fresh = terms().CopyVar(var, context().text(terms().var(var).name));
      defined_.insert(fresh);
      Replace(var, fresh);
      interface_.emplace_back(var, fresh);
    };
    for (const PrimExpr param : func().params()) define(param);
    for (const BufferBinding& binding : func().buffer_map()) {
      const Buffer& buffer = tables().buffer(binding.buffer);
      for (const PrimExpr extent : buffer.shape) define(extent);
      for (const PrimExpr stride : buffer.strides) define(stride);
      define(buffer.elem_offset);
      define(buffer.data);
    }
  }

  void Open(PrimExpr var) {
    if (defined_.insert(var).second) return scopes_.push_back({var, {}, false});
    const PrimExpr fresh = terms().CopyVar(var, context().text(terms().var(var).name));
    defined_.insert(fresh);
    scopes_.push_back({var, Replace(var, fresh), true});
  }

  void Close() {
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope.renamed) Replace(scope.var, scope.before);
  }

  absl::flat_hash_set<PrimExpr>& defined_;
  std::vector<Scope> scopes_;
  std::vector<std::pair<PrimExpr, PrimExpr>> interface_;
  TermsWith has_let_{terms(), [this](PrimExpr expr) { return terms().kind(expr) == PrimKind::kLet; }};
};

// Finds out whether a variable is defined again in its scope.
class ShadowFinder {
 public:
  explicit ShadowFinder(const PrimFunc& func) : func_(func), terms_(func.terms()) {}

  auto Run() -> bool {
    for (const PrimExpr param : func_.params()) Open(param);
    for (const BufferBinding& binding : func_.buffer_map()) {
      const Buffer& buffer = func_.tables().buffer(binding.buffer);
      for (const auto* list : {&buffer.shape, &buffer.strides}) {
        for (const PrimExpr var : *list) open_.insert(var);
      }
      open_.insert(buffer.elem_offset);
      open_.insert(buffer.data);
    }
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          for (const PrimExpr expr : stmt.exprs()) Lets(expr);
          if (const PrimExpr var = VarOf(stmt)) Open(var);
          return !found_;
        },
        [&](Stmt stmt) {
          if (const PrimExpr var = VarOf(stmt)) open_.erase(var);
        });
    for (const auto& [var, value] : lets_) found_ = found_ || defined_.contains(var);
    return found_;
  }

 private:
  static auto VarOf(Stmt stmt) -> PrimExpr {
    if (const auto loop = stmt.As<For>()) return loop->loop_var();
    if (const auto let = stmt.As<LetStmt>()) return let->var();
    if (const auto alloc = stmt.As<Allocate>()) return alloc->buffer_var();
    return {};
  }
  void Open(PrimExpr var) {
    defined_.insert(var);
    if (!open_.insert(var).second) found_ = true;
  }
  // The same Let may occur several times.
  void Lets(PrimExpr expr) {
    if (!has_let_(expr)) return;
    for (const PrimExpr term : arith::PostOrder(terms_, expr)) {
      if (terms_.kind(term) != PrimKind::kLet) continue;
      const auto [at, is_new] = lets_.try_emplace(terms_.operand(term, 0), terms_.operand(term, 1));
      if (!is_new && at->second != terms_.operand(term, 1)) found_ = true;
    }
  }

  const PrimFunc& func_;
  const Terms& terms_;
  absl::flat_hash_set<PrimExpr> open_;
  absl::flat_hash_set<PrimExpr> defined_;
  // The variables of Lets in expressions, and their values.
  absl::flat_hash_map<PrimExpr, PrimExpr> lets_;
  bool found_ = false;
  TermsWith has_let_{terms_, [this](PrimExpr expr) { return terms_.kind(expr) == PrimKind::kLet; }};
};

struct ConvertSsaPass {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> { return ConvertSSA(module); }
};

}  // namespace

auto ConvertSSA(const PrimFunc& func, absl::flat_hash_set<PrimExpr>& defined) -> std::optional<PrimFunc> {
  return SsaConverter(func, defined).Run();
}

auto ConvertSSA(const PrimFunc& func) -> std::optional<PrimFunc> {
  absl::flat_hash_set<PrimExpr> defined;
  return ConvertSSA(func, defined);
}

auto SeparateScopes(const PrimFunc& func) -> std::optional<PrimFunc> {
  return ShadowFinder(func).Run() ? ConvertSSA(func) : std::nullopt;
}

auto ConvertSSA(const Module& module) -> std::optional<Module> {
  Module result = module;
  bool changed = false;
  absl::flat_hash_set<PrimExpr> defined;
  // The entry function keeps its variables.
  for (const bool entry : {true, false}) {
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      if ((func.IntAttr("tir.is_entry_func") != 0) != entry) continue;
      if (std::optional<PrimFunc> made = ConvertSSA(func, defined)) {
        result.SetFunction(id, std::make_shared<const PrimFunc>(*std::move(made)));
        changed = true;
      }
    }
  }
  return changed ? std::optional(std::move(result)) : std::nullopt;
}

constinit const PassDef kConvertSSAPass = DescribePass<ConvertSsaPass>({
    .name = "tir.ConvertSSA",
    .summary = "Give every variable a single definition",
    .details = R"(  for i in range(4):          for i in range(4):
      A[i] = 1                    A[i] = 1
  for i in range(4):    ->    for i_1 in range(4):
      B[i] = 2                    B[i_1] = 2

Definitions are parameters, variables of the buffers bound to them, loops, lets and allocations, in all functions of the
module: the entry function comes first, then the others in the order of the text. Names are hints and stay.)",
    .aliases = "tir.transform.ConvertSSA",
    .idempotent = true,
});

}  // namespace relayopt::tir
