// NarrowDataType: index arithmetic in the narrowest type that holds it.
//
// First all expressions are walked from the outside with a width, `target_bits` to begin with. Where the constant
// bounds of a signed integer (ranges of loops are known) do not fit into the target's width, everything below is wide,
// 64 bits. A variable of a loop, a block or a thread needs the largest width of its uses, at most that of its extent.
//
// Then indices, extents and what is compared in conditions are rewritten: literals and casts have the width of their
// place, variables that of all their uses; where that makes the two sides of an operation differ, the narrower is cast:
//
//   for i in range(T.int64(16)):             for i in range(16):
//       A[i * T.int64(4)] = T.float32(0)  ->     A[i * 4] = T.float32(0)
//
// What a term becomes depends on the width of its context and on whether literals are rewritten there: both are a part
// of the key under which it is remembered.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kBits{"narrow-bits", Severity::kError, "NarrowDataType: target_bits must be 8, 16, 32 or 64"};

struct NarrowOptions {
  int64_t target_bits = 32;
  static constexpr auto Fields() {
    return std::array{Option<&NarrowOptions::target_bits>("the width that indices should have", {.min = 1, .max = 64})};
  }
};

constexpr int kWideBits = 64;

// The context of a term.
struct Place {
  // Something around it does not fit into the narrow type.
  bool wide = false;
  // Literals and casts are rewritten.
  bool enabled = false;
  // Whether it is in a condition, in which the operands of comparisons are rewritten.
  bool condition = false;
  // Whether it is in a field of a buffer, where literals stay as they are.
  bool in_buffer = false;
  friend auto operator==(const Place&, const Place&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const Place& p) -> H {
    return H::combine(static_cast<H&&>(h), p.wide, p.enabled, p.condition, p.in_buffer);
  }
};

// Determines the widths that are needed.
class WidthFinder {
 public:
  WidthFinder(const PrimFunc& func, int bits)
      : func_(func), terms_(func.terms()), tables_(func.tables()), analyzer_(func.terms()), bits_(bits) {}

  void Run() {
    Walk(
        func_.body(), [this](Stmt stmt) { return Enter(stmt), true; }, [](Stmt) {});
  }

  // Whether values of this width or range are narrow; not meaningful for terms that are not signed integers.
  auto Fits(PrimExpr e) const -> bool {
    const auto found = fits_.find(e);
    return found == fits_.end() || found->second;
  }
  // Returns the width of a variable's new type, or nothing if it has none.
  auto BitsOf(PrimExpr var) const -> std::optional<int> {
    const auto found = needed_.find(var);
    return found != needed_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  void Enter(Stmt stmt) {
    if (const auto loop = stmt.As<For>()) Define(loop->loop_var(), {loop->min(), loop->extent()});
    if (const auto block = stmt.As<Block>()) {
      for (size_t i = 0; i < block->axes().size(); ++i) {
        Define(block->axes()[i].var, {block->axis_min(i), block->axis_extent(i)});
      }
    }
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->launched_thread()) {
      const PrimExpr zero = terms_.IntImm(arith::ElementOf(terms_.dtype(attr->value())), 0);
      Define(tables_.iter_var(attr->launched_thread()).var, {zero, attr->value()});
    }
    for (const PrimExpr expr : stmt.exprs()) Visit(expr);
  }

  void Define(PrimExpr var, const Range& range) {
    analyzer_.Bind(var, range);
    extent_bits_[var] = terms_.dtype(range.extent).bits;
  }

  void Visit(PrimExpr root) {
    std::vector<std::pair<PrimExpr, bool>> stack = {{root, false}};
    while (!stack.empty()) {
      auto [expr, wide] = stack.back();
      stack.pop_back();
      if (terms_.dtype(expr).is_int() && !FitsNow(expr)) wide = true;
      if (!seen_.insert({expr, wide}).second) continue;
      if (terms_.is_var(expr)) Use(expr, wide);
      const auto operands = terms_.operands(expr);
      const size_t first = terms_.kind(expr) == PrimKind::kLet ? 1 : 0;
      for (size_t i = first; i < operands.size(); ++i) stack.emplace_back(operands[i], wide);
    }
  }

  auto FitsNow(PrimExpr e) -> bool {
    const auto [found, added] = fits_.try_emplace(e, true);
    if (!added) return found->second;
    if (terms_.dtype(e).bits > bits_ && bits_ < kWideBits) {
      const arith::ConstBound bound = analyzer_.Bound(e);
      const int64_t limit = int64_t{1} << (bits_ - 1);
      fits_[e] = bound.min >= -limit && bound.max <= limit - 1;
    }
    return fits_[e];
  }

  void Use(PrimExpr var, bool wide) {
    const auto extent = extent_bits_.find(var);
    if (extent == extent_bits_.end()) return;
    int& needed = needed_[var];
    needed = std::max(needed, std::min(extent->second, wide ? kWideBits : bits_));
  }

  const PrimFunc& func_;
  Terms& terms_;
  const Tables& tables_;
  arith::Analyzer analyzer_;
  int bits_;
  absl::flat_hash_map<PrimExpr, bool> fits_;
  absl::flat_hash_set<std::pair<PrimExpr, bool>> seen_;
  absl::flat_hash_map<PrimExpr, int> extent_bits_;
  absl::flat_hash_map<PrimExpr, int> needed_;
};

// Rewrites expressions according to the analysis.
class ExprNarrower {
 public:
  ExprNarrower(const PrimFunc& func, const WidthFinder& widths, int bits)
      : context_(func.context()), terms_(func.terms()), widths_(widths), bits_(bits) {}

  auto operator()(PrimExpr root, Place place) -> PrimExpr;
  // Returns the replacement of a variable.
  auto Var(PrimExpr var) -> PrimExpr;
  // A let: its variable gets the type of its value.
  void Let(PrimExpr var, PrimExpr value) {
    if (terms_.dtype(value) != terms_.dtype(var)) vars_.try_emplace(var, NewVar(var, terms_.dtype(value)));
  }
  // Returns the replacement of a declared buffer.
  auto Buffer(BufferId id) const -> BufferId {
    const auto found = buffers_.find(id);
    return found != buffers_.end() ? found->second : id;
  }
  void MapBuffer(BufferId from, BufferId to) { buffers_[from] = to; }

 private:
  using Key = std::pair<PrimExpr, Place>;

  auto NewVar(PrimExpr var, DataType type) -> PrimExpr {
    const std::string_view name = context_.text(terms_.var(var).name);
    return terms_.kind(var) == PrimKind::kSizeVar ? terms_.SizeVar(name, type) : terms_.Var(name, type);
  }
  // Returns the rewritten operand; invalid, and requested, when it is not known yet.
  auto Need(PrimExpr e, Place place) -> PrimExpr {
    const auto found = memo_.find({e, place});
    if (found != memo_.end()) return found->second;
    missing_.emplace_back(e, place);
    return {};
  }
  auto Try(PrimExpr e, Place place) -> PrimExpr;
  auto TryBinary(PrimExpr e, Place place) -> PrimExpr;
  auto TryCall(PrimExpr e, Place place) -> PrimExpr;
  auto Widest(PrimExpr& a, PrimExpr& b) -> void;

  Context& context_;
  Terms& terms_;
  const WidthFinder& widths_;
  int bits_;
  absl::flat_hash_map<PrimExpr, PrimExpr> vars_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  absl::flat_hash_map<Key, PrimExpr> memo_;
  std::vector<Key> missing_;
};

auto ExprNarrower::operator()(PrimExpr root, Place place) -> PrimExpr {
  std::vector<Key> stack = {{root, place}};
  while (!stack.empty()) {
    const Key top = stack.back();
    if (memo_.contains(top)) {
      stack.pop_back();
      continue;
    }
    missing_.clear();
    Place inside = top.second;
    if (terms_.dtype(top.first).is_int() && !widths_.Fits(top.first)) inside.wide = true;
    const PrimExpr made = Try(top.first, inside);
    if (missing_.empty()) {
      memo_[top] = made;
      stack.pop_back();
    } else {
      stack.insert(stack.end(), missing_.rbegin(), missing_.rend());
    }
  }
  return memo_.at({root, place});
}

auto ExprNarrower::Var(PrimExpr var) -> PrimExpr {
  if (const auto found = vars_.find(var); found != vars_.end()) return found->second;
  DataType type = terms_.dtype(var);
  const std::optional<int> bits = widths_.BitsOf(var);
  if (!bits || *bits == type.bits) return var;
  type.bits = static_cast<uint8_t>(*bits);
  return vars_[var] = NewVar(var, type);
}

auto ExprNarrower::Try(PrimExpr e, Place place) -> PrimExpr {
  const PrimKind kind = terms_.kind(e);
  const auto operands = terms_.operands(e);
  DataType narrow = terms_.dtype(e);
  narrow.bits = static_cast<uint8_t>(std::min<int>(narrow.bits, place.wide ? kWideBits : bits_));
  const bool narrows = place.enabled && !place.in_buffer && narrow.is_int() && narrow != terms_.dtype(e);
  switch (kind) {
    case PrimKind::kVar:
    case PrimKind::kSizeVar: return Var(e);
    case PrimKind::kIntImm: return narrows ? terms_.IntImm(narrow, terms_.int_value(e)) : e;
    case PrimKind::kCast: {
      const PrimExpr value = Need(operands[0], place);
      return value ? terms_.Cast(narrows ? narrow : terms_.dtype(e), value) : value;
    }
    case PrimKind::kLet: {
      const PrimExpr value = Need(operands[1], place);
      if (!value) return value;
      Let(operands[0], value);
      const PrimExpr body = Need(operands[2], place);
      return body ? terms_.Let(Var(operands[0]), value, body) : body;
    }
    case PrimKind::kBufferLoad: {
      Place inside = place;
      inside.enabled = true;
      const auto indices = MapToVector<PrimExpr>(operands, [&](PrimExpr index) { return Need(index, inside); });
      if (!missing_.empty()) return {};
      return terms_.BufferLoad(Buffer(terms_.buffer(e)), indices, terms_.dtype(e));
    }
    case PrimKind::kCall: return TryCall(e, place);
    default: break;
  }
  if (arith::IsArithmetic(kind) || arith::IsComparison(kind)) return TryBinary(e, place);
  auto made = MapToVector<PrimExpr>(operands, [&](PrimExpr operand) { return Need(operand, place); });
  if (!missing_.empty()) return {};
  if (std::ranges::equal(made, operands)) return e;
  if (kind == PrimKind::kSelect) Widest(made[1], made[2]);
  if (kind == PrimKind::kRamp) {
    Widest(made[0], made[1]);
    return terms_.Ramp(made[0], made[1], terms_.lanes(e) / terms_.lanes(operands[0]));
  }
  return terms_.WithOperands(e, made);
}

auto ExprNarrower::TryBinary(PrimExpr e, Place place) -> PrimExpr {
  const PrimKind kind = terms_.kind(e);
  const auto operands = terms_.operands(e);
  if (arith::IsComparison(kind)) place.enabled = place.condition && terms_.dtype(operands[0]).is_int();
  PrimExpr a = Need(operands[0], place);
  PrimExpr b = Need(operands[1], place);
  if (!a || !b) return {};
  if (a == operands[0] && b == operands[1]) return e;
  if (terms_.dtype(a) != terms_.dtype(b)) {
    place.enabled = true;
    a = Need(operands[0], place);
    b = Need(operands[1], place);
    if (!a || !b) return {};
  }
  return arith::Operate(terms_, kind, a, b);
}

auto ExprNarrower::TryCall(PrimExpr e, Place place) -> PrimExpr {
  const arith::CallOpId op = terms_.call_op(e);
  const auto operands = terms_.operands(e);
  const Terms::KnownOps& ops = terms_.ops();
  std::vector<PrimExpr> made;
  for (size_t i = 0; i < operands.size(); ++i) {
    Place inside = place;
    if (op == ops.if_then_else && i == 0) inside.condition = true;
    made.push_back(Need(operands[i], inside));
  }
  if (!missing_.empty()) return {};
  if (std::ranges::equal(made, operands)) return e;
  if (op == ops.if_then_else) return arith::IfThenElse(terms_, made[0], made[1], made[2]);
  if (op == ops.shift_left) return arith::ShiftLeft(terms_, made[0], made[1]);
  if (op == ops.shift_right) return arith::ShiftRight(terms_, made[0], made[1]);
  if (op == ops.bitwise_and) return arith::BitwiseAnd(terms_, made[0], made[1]);
  if (op == ops.bitwise_or) return arith::BitwiseOr(terms_, made[0], made[1]);
  if (op == ops.bitwise_xor) return arith::BitwiseXor(terms_, made[0], made[1]);
  return terms_.WithOperands(e, made);
}

auto ExprNarrower::Widest(PrimExpr& a, PrimExpr& b) -> void {
  DataType type = terms_.dtype(a);
  type.bits = std::max(type.bits, terms_.dtype(b).bits);
  a = arith::CastTo(terms_, arith::WithLanes(type, terms_.lanes(a)), a);
  b = arith::CastTo(terms_, arith::WithLanes(type, terms_.lanes(b)), b);
}

class Narrower : public Rewriter {
 public:
  Narrower(const PrimFunc& func, const WidthFinder& widths, int bits) : Rewriter(func), exprs_(func, widths, bits) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    next_expr_ = 0;
    if (const auto decl = stmt.As<DeclBuffer>()) VisitBuffer(decl->buffer());
    if (const auto block = stmt.As<Block>()) {
      for (const BufferId buffer : block->alloc_buffers()) VisitBuffer(buffer);
      for (const BlockMatch& match : block->match_buffers()) VisitBuffer(match.buffer);
    }
    return Descent::Into();
  }
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override { return exprs_(expr, PlaceOf(stmt, next_expr_++)); }
  auto RewriteBuffer(BufferId buffer) -> BufferId override { return exprs_.Buffer(buffer); }
  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    if (const auto let = stmt.As<LetStmt>()) exprs_.Let(let->var(), exprs[0]);
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kFor: return LeaveLoop(For(stmt), parts);
      case StmtKind::kLet: return builder().Let(exprs_.Var(LetStmt(stmt).var()), parts.exprs[0], parts.stmts[0]);
      case StmtKind::kStore: {
        const DataType type = tables().buffer(BufferStore(stmt).buffer()).dtype;
        const DataType made = terms().dtype(parts.exprs[0]);
        if (made != type && made.lanes == 1) parts.exprs[0] = arith::CastTo(terms(), type, parts.exprs[0]);
        break;
      }
      case StmtKind::kAttr: return LeaveAttr(AttrStmt(stmt), parts);
      case StmtKind::kBlock: return LeaveBlock(Block(stmt), parts);
      case StmtKind::kBlockRealize: {
        const Block block = BlockRealize(stmt).block();
        for (size_t i = 0; i < block.axes().size(); ++i) CastToVar(parts.exprs[i], exprs_.Var(block.axes()[i].var));
        break;
      }
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

 private:
  static auto PlaceOf(Stmt stmt, size_t i) -> Place {
    switch (stmt.kind()) {
      case StmtKind::kStore: return {.enabled = i > 0};
      case StmtKind::kFor:
      case StmtKind::kAllocate:
      case StmtKind::kBlock: return {.enabled = true};
      case StmtKind::kIf: return {.condition = true};
      case StmtKind::kBlockRealize: {
        const bool predicate = i + 1 == stmt.exprs().size();
        return {.enabled = !predicate, .condition = predicate};
      }
      default: return {};
    }
  }

  void VisitBuffer(BufferId id) {
    Buffer made = tables().buffer(id);
    const Buffer old = made;
    constexpr Place kPlace = {.enabled = true, .in_buffer = true};
    for (PrimExpr& extent : made.shape) extent = exprs_(extent, kPlace);
    for (PrimExpr& stride : made.strides) stride = exprs_(stride, kPlace);
    made.elem_offset = exprs_(made.elem_offset, kPlace);
    if (made.shape == old.shape && made.strides == old.strides && made.elem_offset == old.elem_offset) return;
    exprs_.MapBuffer(id, tables().Add(std::move(made)));
  }

  void CastToVar(PrimExpr& value, PrimExpr var) { value = arith::CastTo(terms(), terms().dtype(var), value); }

  auto LeaveLoop(For loop, Parts parts) -> StmtId {
    const PrimExpr var = exprs_.Var(loop.loop_var());
    CastToVar(parts.exprs[0], var);
    CastToVar(parts.exprs[1], var);
    if (var == loop.loop_var()) return Rewriter::Leave(loop, parts);
    IterVarId thread = loop.thread_binding();
    if (thread) thread = Remade(thread, terms().CopyVar(var, context().text(terms().var(var).name)));
    return builder().For(var, parts.exprs[0], parts.exprs[1], loop.for_kind(), parts.stmts[0], thread,
                         loop.annotations());
  }

  // Returns the iteration variable with another variable, and a domain of its type.
  auto Remade(IterVarId id, PrimExpr var) -> IterVarId {
    IterVar iter = tables().iter_var(id);
    iter.var = var;
    if (iter.domain.min) {
      CastToVar(iter.domain.min, var);
      CastToVar(iter.domain.extent, var);
    }
    return tables().Add(iter);
  }

  auto LeaveAttr(AttrStmt attr, Parts parts) -> StmtId {
    const IterVarId id = attr.launched_thread();
    if (!id) return Rewriter::Leave(attr, parts);
    const PrimExpr old = tables().iter_var(id).var;
    const PrimExpr var = exprs_.Var(old);
    CastToVar(parts.exprs[0], var);
    if (var == old) return Rewriter::Leave(attr, parts);
    IterVarId& made = iter_vars_[id];
    if (!made) made = Remade(id, var);
    return builder().Attr(made, attr.key(), parts.exprs[0], parts.stmts[0]);
  }

  auto LeaveBlock(Block block, Parts parts) -> StmtId {
    BlockInfo info = block.info();
    for (size_t i = 0; i < info.axes.size(); ++i) {
      info.axes[i].var = exprs_.Var(info.axes[i].var);
      CastToVar(parts.exprs[2 * i], info.axes[i].var);
      CastToVar(parts.exprs[2 * i + 1], info.axes[i].var);
    }
    for (auto* regions : {&info.reads, &info.writes}) {
      for (BlockRegion& region : *regions) region.buffer = exprs_.Buffer(region.buffer);
    }
    for (BufferId& buffer : info.alloc_buffers) buffer = exprs_.Buffer(buffer);
    for (BlockMatch& match : info.match_buffers) {
      match.buffer = exprs_.Buffer(match.buffer);
      match.source.buffer = exprs_.Buffer(match.source.buffer);
    }
    const StmtId init = block.has_init() ? parts.stmts[0] : StmtId();
    return builder().Block(std::move(info), parts.exprs, parts.stmts.back(), init);
  }

  ExprNarrower exprs_;
  size_t next_expr_ = 0;
  absl::flat_hash_map<IterVarId, IterVarId> iter_vars_;
};

struct NarrowDataType {
  using Options = NarrowOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const auto bits = static_cast<int>(options.target_bits);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return MakeDiagnostic(kBits, {});
    WidthFinder widths(func, bits);
    widths.Run();
    return Narrower(func, widths, bits).Run();
  }
};

}  // namespace

constinit const PassDef kNarrowDataTypePass = DescribePass<NarrowDataType>({
    .name = "tir.NarrowDataType",
    .summary = "Compute indices in a narrower type where their bounds fit",
    .details = R"(  for i in range(T.int64(16)):             for i in range(16):
      A[i * T.int64(4)] = T.float32(0)  ->     A[i * 4] = T.float32(0)

Variables of loops, blocks and threads, literals and casts in indices, extents and conditions, where nothing around them
needs more bits. Parameters and the extents of buffers keep their types.)",
    .aliases = "tir.transform.NarrowDataType",
});

}  // namespace relayopt::tir
