// Making tensor programs smaller.
//
//   for i in range(8):                 if T.Max(0, 3) < n:            a loop runs once
//       if T.Max(i, 3) < n:                B[0] = A[0]
//           B[i] = A[i] + C[i]
//
// Statements are removed, or replaced by their bodies; a term is replaced by one of its operands, or a number. Programs
// that leave their buffers or read what was never written fail when they run, and are rejected.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/check/reduce/shrinks.h"
#include "relayopt/module/functions.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt {

namespace {

using arith::PrimExpr;
using arith::PrimKind;
using tir::PrimFunc;
using tir::Stmt;
using tir::StmtId;
using tir::StmtKind;

// Leaves statements out.
class FewerStatements final : public tir::Rewriter {
 public:
  FewerStatements(const PrimFunc& func, Places& places) : Rewriter(func), places_(places) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    // A block is in its realization.
    if (stmt.is(StmtKind::kBlock) || stmt.id() == func().body().id()) return Descent::Into();
    return places_.Next() ? Descent::Done({}) : Descent::Into();
  }

 private:
  Places& places_;
};

// Replaces a statement by its first or second part.
class Unwrapped final : public tir::Rewriter {
 public:
  Unwrapped(const PrimFunc& func, Places& places) : Rewriter(func), places_(places) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    constexpr StmtKind kLeaves[] = {StmtKind::kSeq, StmtKind::kBlock};
    const bool is_choice = std::ranges::find(kLeaves, stmt.kind()) == std::end(kLeaves);
    for (size_t part = 0; is_choice && part < stmt.num_parts(); ++part) {
      if (places_.Next()) chosen_.try_emplace(stmt.id(), part);
    }
    return Descent::Into();
  }

  // A loop runs once, a block once: their variables have one value.
  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    if (!chosen_.contains(stmt.id())) return;
    if (const auto loop = stmt.As<tir::For>()) Replace(loop->loop_var(), exprs[0]);
    if (const auto let = stmt.As<tir::LetStmt>()) Replace(let->var(), exprs[0]);
    if (!stmt.is(StmtKind::kBlockRealize)) return;
    const Stmt block = stmt.part(0);
    const auto& axes = block.As<tir::Block>()->info().axes;
    for (size_t i = 0; i < axes.size() && i + 1 < exprs.size(); ++i) Replace(axes[i].var, exprs[i]);
    unwrapped_block_ = block.id();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (stmt.id() == unwrapped_block_) return parts.stmts.back();
    const auto chosen = chosen_.find(stmt.id());
    return chosen == chosen_.end() ? Rewriter::Leave(stmt, parts) : parts.stmts[chosen->second];
  }

 private:
  Places& places_;
  absl::flat_hash_map<StmtId, size_t> chosen_;
  StmtId unwrapped_block_;
};

// A term becomes one of its operands, 0 or 1. Buffers and variables stay.
class SmallerTerms final : public tir::Rewriter {
 public:
  SmallerTerms(const PrimFunc& func, Places& places) : Rewriter(func), places_(places) {}

 protected:
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const PrimExpr expr = Rewriter::RewriteNode(old, made);
    const PrimKind kind = terms().kind(expr);
    if (arith::IsVarKind(kind) || terms().operands(expr).empty()) return expr;
    PrimExpr chosen;
    for (const PrimExpr operand : terms().operands(expr)) {
      const bool fits = terms().dtype(operand) == terms().dtype(expr);
      if (fits && places_.Next() && !chosen) chosen = operand;
    }
    for (const int64_t number : {0, 1}) {
      if (places_.Next() && !chosen) chosen = Number(terms().dtype(expr), number);
    }
    return chosen ? chosen : expr;
  }

 private:
  auto Number(DataType dtype, int64_t number) const -> PrimExpr {
    if (dtype.lanes != 1) return {};
    if (dtype.is_float()) return terms().FloatImm(dtype, static_cast<double>(number));
    if (dtype.is_bool()) return terms().Bool(number != 0);
    return dtype.is_int() || dtype.is_uint() ? terms().IntImm(dtype, number) : PrimExpr();
  }

  Places& places_;
};

auto WithFewerStatements(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<PrimFunc>(
      module, [&](GlobalId, const PrimFunc& func) { return FewerStatements(func, places).Run(); });
}
auto WithUnwrapped(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<PrimFunc>(module,
                                    [&](GlobalId, const PrimFunc& func) { return Unwrapped(func, places).Run(); });
}
auto WithSmallerTerms(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<PrimFunc>(module,
                                    [&](GlobalId, const PrimFunc& func) { return SmallerTerms(func, places).Run(); });
}

auto WithFewerParameters(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<PrimFunc>(module, [&](GlobalId, const PrimFunc& func) -> std::optional<PrimFunc> {
    PrimFunc made = func;
    std::vector<PrimExpr>& params = made.mutable_info().params;
    std::erase_if(params, [&](PrimExpr) { return places.Next(); });
    if (params.size() == func.params().size()) return std::nullopt;
    std::erase_if(made.mutable_info().buffer_map, [&](const tir::BufferBinding& binding) {
      return std::ranges::find(params, binding.param) == params.end();
    });
    return made;
  });
}

auto ByTirPasses(const Module& module, Places& places) -> std::optional<Module> {
  constexpr std::string_view kPasses[] = {"tir.RemoveNoOp", "tir.Simplify"};
  return ByPasses(module, places, kPasses);
}

constexpr ModuleShrink kPrimFuncShrinks[] = {WithFewerStatements, WithUnwrapped, WithSmallerTerms, WithFewerParameters,
                                             ByTirPasses};

auto Shortened(std::string_view name) -> std::string_view {
  while (name.size() > 2 && name.ends_with("_1")) name.remove_suffix(2);
  return name;
}

// The buffers that a function accesses, declares or allocates.
auto BuffersOf(const PrimFunc& func) -> absl::flat_hash_set<tir::BufferId> {
  absl::flat_hash_set<tir::BufferId> buffers;
  for (PrimExpr expr(0U); expr.value() < func.terms().size(); expr = PrimExpr(expr.value() + 1)) {
    if (func.terms().kind(expr) == PrimKind::kBufferLoad) buffers.insert(func.terms().buffer(expr));
  }
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    if (const auto store = stmt.As<tir::BufferStore>()) buffers.insert(store->buffer());
    if (const auto decl = stmt.As<tir::DeclBuffer>()) buffers.insert(decl->buffer());
    if (const auto block = stmt.As<tir::Block>()) {
      for (const tir::BufferId buffer : block->alloc_buffers()) buffers.insert(buffer);
      for (const tir::BlockMatch& match : block->match_buffers()) buffers.insert(match.buffer);
    }
  }
  return buffers;
}

}  // namespace

void ShortenNames(const Module& module) {
  Context& context = module.context();
  auto& terms = context.Part<arith::Terms>();
  auto& tables = context.Part<tir::Tables>();
  absl::flat_hash_set<PrimExpr> kept;
  absl::flat_hash_set<tir::BufferId> buffers;
  for (const GlobalId id : module.SortedFunctions<PrimFunc>()) {
    const PrimFunc& func = *module.function<PrimFunc>(id);
    kept.insert(func.params().begin(), func.params().end());
    buffers.merge(BuffersOf(func));
    for (const tir::BufferBinding& binding : func.buffer_map()) {
      kept.insert(tables.buffer(binding.buffer).data);
      buffers.erase(binding.buffer);
    }
  }
  const auto rename = [&](StringId name, auto&& assign) {
    const std::string_view text = context.text(name);
    if (Shortened(text) != text) assign(context.Intern(Shortened(text)));
  };
  for (const tir::BufferId buffer : buffers)
    rename(tables.buffer(buffer).name, [&](StringId name) { tables.Rename(buffer, name); });
  for (PrimExpr var(0U); var.value() < terms.size(); var = PrimExpr(var.value() + 1)) {
    if (terms.is_var(var) && !kept.contains(var))
      rename(terms.var(var).name, [&](StringId name) { terms.Rename(var, name); });
  }
}

auto PrimFuncShrinks() -> std::span<const ModuleShrink> { return kPrimFuncShrinks; }

}  // namespace relayopt
