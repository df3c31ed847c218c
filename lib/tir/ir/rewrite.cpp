// The frame of a rewrite of a tensor program.
#include "relayopt/tir/ir/rewrite.h"

#include <algorithm>
#include <array>

#include "relayopt/pass/rewrite_gate.h"

namespace relayopt::tir {

auto ExprRewriter::Known(PrimExpr expr) const -> PrimExpr {
  const auto found = memo_.find(expr);
  return found != memo_.end() && found->second.stamp == stamp_ ? found->second.made : PrimExpr();
}

auto ExprRewriter::operator()(PrimExpr expr) -> PrimExpr {
  if (const PrimExpr known = Known(expr)) return known;
  // A rule may rewrite further expressions while it works: what lies below `bottom` is theirs.
  const size_t bottom = stack_.size();
  stack_.push_back(expr);
  while (stack_.size() > bottom) {
    const PrimExpr top = stack_.back();
    if (Known(top)) {
      stack_.pop_back();
      continue;
    }
    const auto operands = terms_.operands(top);
    const size_t before = stack_.size();
    for (size_t i = operands.size(); i-- > 0;) {
      if (!Known(operands[i])) stack_.push_back(operands[i]);
    }
    if (stack_.size() != before) continue;
    const size_t first = operands_.size();
    for (const PrimExpr operand : operands) operands_.push_back(Known(operand));
    const PrimExpr made = terms_.WithOperands(top, std::span(operands_).subspan(first));
    operands_.resize(first);
    stack_.pop_back();
    const PrimExpr result = rule_(top, made);
    memo_[top] = {result, stamp_};
  }
  return Known(expr);
}

auto MayRewrite(SourceRange range, std::string_view before, std::string_view after) -> bool {
  RewriteGate* const gate = RewriteGate::Current();
  if (gate == nullptr) return true;
  if (!gate->Allows()) return false;
  if (gate->wants_remarks()) gate->ReportRewrite(before, after, range);
  return true;
}

auto MayRewrite(Stmt stmt, PrimExpr before, PrimExpr after) -> bool {
  if (before == after || RewriteGate::Current() == nullptr) return true;
  const Terms& terms = stmt.table().context().Part<Terms>();
  const auto word = [&](PrimExpr e) {
    if (terms.kind(e) != PrimKind::kCall) return arith::KindName(terms.kind(e));
    return terms.context().text(terms.op(terms.call_op(e)).name);
  };
  return MayRewrite(stmt.range(), word(before), word(after));
}

// A statement whose parts are being rewritten.
struct Rewriter::Frame {
  StmtId stmt;
  uint32_t next_part = 0;
  // The first of its new expressions and parts on the stacks.
  uint32_t first_expr = 0;
  uint32_t first_part = 0;
  // Set for a sequence inside of a sequence: its new parts become parts of the outer one. Flattening each level
  // separately would copy the innermost parts once for each level.
  bool joins_parent = false;
};

Rewriter::Rewriter(const PrimFunc& func)
    : func_(func),
      terms_(func.terms()),
      tables_(func.tables()),
      builder_(func.context()),
      buffers_(tables_),
      exprs_(terms_, [this](PrimExpr old, PrimExpr made) { return RewriteNode(old, made); }) {}

Rewriter::~Rewriter() = default;

auto Rewriter::RunOrFail() -> Result<std::optional<PrimFunc>> {
  if (fault_) return *std::move(fault_);
  std::optional<PrimFunc> made = Run();
  if (fault_) return *std::move(fault_);
  return made;
}

auto Rewriter::Run() -> std::optional<PrimFunc> {
  builder_.Reserve(func_.size());
  const auto start = [this](Stmt stmt) {
    Descent descent = Enter(stmt);
    bool is_instead = false;
    for (; descent.kind == Descent::Kind::kInstead; is_instead = true) {
      stmt = func_.stmt(descent.stmt);
      descent = Enter(stmt);
    }
    if (descent.kind == Descent::Kind::kDone) {
      done_.push_back(descent.stmt ? descent.stmt : builder_.NoOp());
      return;
    }
    Frame frame{stmt.id(), 0, static_cast<uint32_t>(done_exprs_.size()), static_cast<uint32_t>(done_.size())};
    for (const PrimExpr expr : stmt.exprs()) done_exprs_.push_back(RewriteExpr(stmt, expr));
    frame.joins_parent = is_instead && stmt.kind() == StmtKind::kSeq && !frames_.empty() &&
                         func_.stmt(frames_.back().stmt).kind() == StmtKind::kSeq;
    frames_.push_back(frame);
  };
  start(func_.body());
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const Stmt stmt = func_.stmt(frame.stmt);
    if (frame.next_part < stmt.num_parts()) {
      const size_t part = frame.next_part++;
      EnterPart(stmt, part, std::span(done_exprs_).subspan(frame.first_expr));
      start(stmt.part(part));
      continue;
    }
    if (frame.joins_parent) {
      frames_.pop_back();
      continue;
    }
    const uint32_t first_part = frame.first_part;
    const uint32_t first_expr = frame.first_expr;
    const StmtId made = Leave(stmt, {std::span(done_).subspan(first_part), std::span(done_exprs_).subspan(first_expr)});
    frames_.pop_back();
    done_.resize(first_part);
    done_exprs_.resize(first_expr);
    done_.push_back(made ? made : builder_.NoOp());
  }
  const StmtId body = done_.back();
  done_.clear();
  PrimFuncInfo info = func_.info();
  Finish(info);
  PrimFunc result(std::move(info), builder_.Finish(body));
  if (Same(result, func_)) return std::nullopt;
  return result;
}

auto Rewriter::Enter(Stmt) -> Descent { return Descent::Into(); }

void Rewriter::EnterPart(Stmt, size_t, Exprs) {}

auto Rewriter::RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr { return exprs_(expr); }

auto Rewriter::RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr {
  if (terms_.is_var(old)) {
    const auto found = replaced_.find(old);
    return found != replaced_.end() ? found->second : made;
  }
  if (terms_.kind(made) == PrimKind::kBufferLoad) {
    const BufferId buffer = RewriteBuffer(terms_.buffer(made));
    if (buffer != terms_.buffer(made)) return terms_.BufferLoad(buffer, terms_.operands(made), terms_.dtype(made));
  }
  return made;
}

auto Rewriter::RewriteBuffer(BufferId buffer) -> BufferId {
  if (replaced_.empty()) return buffer;
  return buffers_(buffer, exprs_);
}

auto Rewriter::Leave(Stmt stmt, Parts parts) -> StmtId {
  return Remake(
      builder_, stmt, parts.stmts, parts.exprs, [this](BufferId buffer) { return RewriteBuffer(buffer); },
      [this](PrimExpr var) {
        const auto found = replaced_.find(var);
        return found != replaced_.end() && terms_.is_var(found->second) ? found->second : var;
      },
      [this](PrimExpr node) { return replaced_.empty() ? node : exprs_(node); });
}

void Rewriter::Finish(PrimFuncInfo&) {}

auto Rewriter::Replace(PrimExpr var, PrimExpr value) -> PrimExpr {
  ForgetExprs();
  buffers_.Forget();
  PrimExpr& slot = replaced_[var];
  const PrimExpr before = std::exchange(slot, value);
  if (!value) replaced_.erase(var);
  return before;
}

auto BufferRewriter::operator()(BufferId id, ExprRewriter& exprs) -> BufferId {
  if (const auto found = memo_.find(id); found != memo_.end() && found->second.stamp == stamp_) {
    return found->second.made;
  }
  Buffer made = tables_.buffer(id);
  const Buffer old = made;
  made.data = exprs(made.data);
  for (PrimExpr& extent : made.shape) extent = exprs(extent);
  for (PrimExpr& stride : made.strides) stride = exprs(stride);
  made.elem_offset = exprs(made.elem_offset);
  Entry& entry = memo_[id];
  const auto same = [&](BufferId other) {
    const Buffer& b = tables_.buffer(other);
    return b.data == made.data && b.shape == made.shape && b.strides == made.strides &&
           b.elem_offset == made.elem_offset;
  };
  // The earlier result may be right again.
  BufferId result = id;
  if (!same(id)) result = entry.made && same(entry.made) ? entry.made : tables_.Add(std::move(made));
  entry = {result, stamp_};
  return result;
}

namespace {

// Returns the iteration variable with its variable renamed.
auto RemakeIterVar(Tables& tables, IterVarId id, const std::function<PrimExpr(PrimExpr)>& definition) -> IterVarId {
  IterVar iter = tables.iter_var(id);
  const PrimExpr var = definition(iter.var);
  if (var == iter.var) return id;
  iter.var = var;
  return tables.Add(iter);
}

}  // namespace

auto Remake(StmtBuilder& builder, Stmt stmt, std::span<const StmtId> parts, std::span<const PrimExpr> exprs,
            const std::function<BufferId(BufferId)>& buffer, const std::function<PrimExpr(PrimExpr)>& definition,
            const std::function<PrimExpr(PrimExpr)>& node) -> StmtId {
  const auto words = stmt.table().fixed(stmt.id());
  std::array<uint32_t, 8> fixed{};
  std::copy(words.begin(), words.end(), fixed.begin());
  switch (stmt.kind()) {
    case StmtKind::kStore:
    case StmtKind::kRealize:
    case StmtKind::kDeclBuffer:
    case StmtKind::kPrefetch: fixed[0] = buffer(BufferId(fixed[0])).value(); break;
    case StmtKind::kLet:
    case StmtKind::kAllocate:
    case StmtKind::kAllocateConst:
    case StmtKind::kFor: fixed[0] = definition(PrimExpr(fixed[0])).value(); break;
    case StmtKind::kAttr: {
      const AttrNode old = AttrStmt(stmt).node();
      if (const PrimExpr expr = old.expr()) fixed[2] = node(expr).value();
      if (const BufferId id = old.buffer()) fixed[2] = buffer(id).value();
      if (const IterVarId id = old.iter_var()) fixed[2] = RemakeIterVar(builder.tables(), id, definition).value();
      break;
    }
    case StmtKind::kBlock: {
      BlockInfo info = Block(stmt).info();
      for (BlockAxis& axis : info.axes) axis.var = definition(axis.var);
      for (BlockRegion& region : info.reads) region.buffer = buffer(region.buffer);
      for (BlockRegion& region : info.writes) region.buffer = buffer(region.buffer);
      for (BufferId& id : info.alloc_buffers) id = buffer(id);
      for (BlockMatch& match : info.match_buffers) {
        match.buffer = buffer(match.buffer);
        match.source.buffer = buffer(match.source.buffer);
      }
      const StmtId made = builder.Block(std::move(info), exprs, parts.back(), parts.size() == 2 ? parts[0] : StmtId());
      if (stmt.range().valid()) builder.SetRange(made, stmt.range());
      return made;
    }
    default: break;
  }
  return builder.Copy(stmt, std::span(fixed).first(words.size()), parts, exprs);
}

auto Substitute(Terms& terms, PrimExpr expr, const VarMap& map) -> PrimExpr {
  ExprRewriter exprs(terms, [&](PrimExpr old, PrimExpr made) {
    const auto found = map.find(old);
    return found != map.end() ? found->second : made;
  });
  return exprs(expr);
}

namespace {

// Substitute over statements, with buffers.
class Substituter {
 public:
  Substituter(StmtBuilder& builder, const VarMap& map)
      : builder_(builder),
        map_(map),
        buffers_(builder.tables()),
        exprs_(builder.terms(), [this](PrimExpr old, PrimExpr made) { return Node(old, made); }) {}

  auto Run(Stmt root) -> StmtId {
    const auto buffer = [this](BufferId id) { return buffers_(id, exprs_); };
    const auto definition = [](PrimExpr var) { return var; };
    const auto node = [this](PrimExpr expr) { return exprs_(expr); };
    std::vector<StmtId> done;
    std::vector<PrimExpr> exprs;
    Walk(
        root, [](Stmt) { return true; },
        [&](Stmt old) {
          exprs.clear();
          for (const PrimExpr expr : old.exprs()) exprs.push_back(exprs_(expr));
          const std::span parts = std::span(done).last(old.num_parts());
          const StmtId made = Remake(builder_, old, parts, exprs, buffer, definition, node);
          done.resize(done.size() - old.num_parts());
          done.push_back(made);
        });
    return done.back();
  }

 private:
  auto Node(PrimExpr old, PrimExpr made) -> PrimExpr {
    Terms& terms = builder_.terms();
    if (const auto found = map_.find(old); found != map_.end()) return found->second;
    if (terms.kind(made) != PrimKind::kBufferLoad) return made;
    const BufferId buffer = buffers_(terms.buffer(made), exprs_);
    if (buffer == terms.buffer(made)) return made;
    return terms.BufferLoad(buffer, terms.operands(made), terms.dtype(made));
  }

  StmtBuilder& builder_;
  const VarMap& map_;
  BufferRewriter buffers_;
  ExprRewriter exprs_;
};

}  // namespace

auto Substitute(StmtBuilder& builder, Stmt stmt, const VarMap& map) -> StmtId {
  return Substituter(builder, map).Run(stmt);
}

}  // namespace relayopt::tir
