// Uses without a definition.
//
// One walk over the statements with counts of the definitions that are open; the terms of a statement are walked in the
// order of evaluation, each distinct one once for each scope that a Let opens.
#include "relayopt/tir/analysis/undefined.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

class UndefinedFinder {
 public:
  UndefinedFinder(Stmt root, std::span<const PrimExpr> params, const UndefinedOptions& options)
      : root_(root), terms_(root.context().Part<Terms>()), tables_(root.context().Part<Tables>()), options_(options) {
    for (const PrimExpr param : params) ++defined_[param];
  }

  auto Run() && -> Undefined {
    Walk(
        root_, [this](Stmt stmt) { return Enter(stmt), true; }, [this](Stmt stmt) { Leave(stmt); });
    return std::move(result_);
  }

 private:
  void Enter(Stmt stmt) {
    if (const PrimExpr var = DefinedVar(stmt)) ++defined_[var];
    if (const auto decl = stmt.As<DeclBuffer>()) {
      ++declared_[decl->buffer()];
      UseFields(decl->buffer());
    }
    if (const auto block = stmt.As<Block>()) {
      for (const BlockAxis& axis : block->axes()) ++defined_[axis.var];
      for (const BufferId buffer : block->alloc_buffers()) Allocate(buffer, 1);
      for (const BlockMatch& match : block->match_buffers()) Allocate(match.buffer, 1);
    }
    if (const auto store = stmt.As<BufferStore>()) UseBuffer(store->buffer());
    const auto attr = stmt.As<AttrStmt>();
    const IterVarId thread = attr ? attr->launched_thread() : IterVarId();
    if (thread) defined_.try_emplace(tables_.iter_var(thread).var, 1);
    if (thread && !options_.visit_thread_extent) return;
    for (const PrimExpr expr : stmt.exprs()) VisitExpr(expr);
  }

  void Leave(Stmt stmt) {
    if (const PrimExpr var = DefinedVar(stmt)) --defined_[var];
    if (const auto decl = stmt.As<DeclBuffer>()) --declared_[decl->buffer()];
    if (const auto block = stmt.As<Block>()) {
      for (const BlockAxis& axis : block->axes()) --defined_[axis.var];
      for (const BufferId buffer : block->alloc_buffers()) Allocate(buffer, -1);
      for (const BlockMatch& match : block->match_buffers()) Allocate(match.buffer, -1);
    }
  }

  static auto DefinedVar(Stmt stmt) -> PrimExpr {
    if (const auto let = stmt.As<LetStmt>()) return let->var();
    if (const auto loop = stmt.As<For>()) return loop->loop_var();
    if (const auto alloc = stmt.As<tir::Allocate>()) return alloc->buffer_var();
    if (const auto alloc = stmt.As<AllocateConst>()) return alloc->buffer_var();
    return {};
  }

  // A buffer of a block comes with its memory.
  void Allocate(BufferId buffer, int by) {
    declared_[buffer] += by;
    defined_[tables_.buffer(buffer).data] += by;
  }

  void UseBuffer(BufferId id) {
    ReportBuffer(id);
    UseFields(id);
  }
  void ReportBuffer(BufferId id) {
    if (declared_[id] <= 0 && buffers_.insert(id).second) result_.buffers.push_back(id);
  }
  void UseFields(BufferId id) {
    for (const PrimExpr field : FieldsOf(id)) VisitExpr(field);
  }
  auto FieldsOf(BufferId id) const -> std::vector<PrimExpr> {
    const Buffer& buffer = tables_.buffer(id);
    std::vector<PrimExpr> fields = {buffer.data};
    fields.insert(fields.end(), buffer.shape.begin(), buffer.shape.end());
    fields.insert(fields.end(), buffer.strides.begin(), buffer.strides.end());
    return fields;
  }

  void UseVar(PrimExpr var) {
    const auto found = defined_.find(var);
    const bool defined = found != defined_.end() && found->second > 0;
    if (!defined && vars_.insert(var).second) result_.vars.push_back(var);
  }

  void VisitExpr(PrimExpr root) {
    struct Step {
      PrimExpr expr;
      uint32_t next = 0;
      bool entered = false;
    };
    std::vector<Step> stack = {{root}};
    std::vector<absl::flat_hash_set<PrimExpr>> seen(1);
    while (!stack.empty()) {
      Step& top = stack.back();
      const auto operands = terms_.operands(top.expr);
      const PrimKind kind = terms_.kind(top.expr);
      const bool let = kind == PrimKind::kLet;
      if (!std::exchange(top.entered, true)) {
        if (arith::IsVarKind(kind)) UseVar(top.expr);
        if (let) top.next = 1;
        if (kind == PrimKind::kBufferLoad) {
          ReportBuffer(terms_.buffer(top.expr));
          const std::vector<PrimExpr> fields = FieldsOf(terms_.buffer(top.expr));
          for (size_t i = fields.size(); i-- > 0;) {
            if (seen.back().insert(fields[i]).second) stack.push_back({fields[i]});
          }
          continue;
        }
      }
      if (let && top.next == 2) {
        ++defined_[operands[0]];
        seen.emplace_back();
      }
      if (top.next < operands.size()) {
        const PrimExpr operand = operands[top.next++];
        if (seen.back().insert(operand).second) stack.push_back({operand});
        continue;
      }
      if (let) {
        --defined_[operands[0]];
        seen.pop_back();
      }
      stack.pop_back();
    }
  }

  Stmt root_;
  const Terms& terms_;
  const Tables& tables_;
  UndefinedOptions options_;
  Undefined result_;
  // How many definitions of each are open.
  absl::flat_hash_map<PrimExpr, int> defined_;
  absl::flat_hash_map<BufferId, int> declared_;
  absl::flat_hash_set<PrimExpr> vars_;
  absl::flat_hash_set<BufferId> buffers_;
};

}  // namespace

auto FindUndefined(Stmt root, std::span<const PrimExpr> params, const UndefinedOptions& options) -> Undefined {
  return UndefinedFinder(root, params, options).Run();
}

}  // namespace relayopt::tir
