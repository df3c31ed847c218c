// VectorizeLoop: vectorized loops become statements on vectors.
//
// The body of a vectorized loop over i of L iterations is walked with i standing for the vector 0, 1, ..., L - 1, a
// ramp. Expressions of it become vectors: sums with scalars and products with positive literals stay ramps, everything
// else works lane by lane on operands that are broadcast to one length:
//
//   for i in T.vectorized(4):         A[j * 4:j * 4 + 4] = T.Broadcast(x, 4) + B[0:4]
//       A[j * 4 + i] = x + B[i]  ->
//
// What cannot be a vector - a condition, a call that has no vector form, the extent of a loop - makes the smallest
// statement around it a serial loop over the lanes, `for i_s in range(4)`, made from the statement as it was. So does a
// Select, And or Or that keeps a lane from a load outside of its buffer or from a division by zero: on vectors it would
// compute all lanes.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/eager_values.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/arith/walk.h"
#include "relayopt/pass/growth.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNotVectorizable{"vectorized-loop", Severity::kError,
                                          "a vectorized loop must begin at 0 and have a positive literal extent"};

class Vectorizer : public Rewriter {
 public:
  // `limit`: how many lanes may be written out one by one.
  Vectorizer(const PrimFunc& func, int64_t limit)
      : Rewriter(func), limit_(limit), plain_(terms()), eager_(func), widen_(terms(), [this](PrimExpr, PrimExpr made) {
          return WidenedLoad(made);
        }) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    const auto loop = stmt.As<For>();
    if (!lane_var_) {
      if (loop && loop->for_kind() == ForKind::kVectorized && MayRewrite(stmt.range(), "a loop", "vectors")) {
        BeginLoop(*loop);
      }
      return Descent::Into();
    }
    // Inside: the head is tried first, since a statement that cannot be a vector is copied as it was.
    scalarize_ = false;
    Heads heads;
    const std::vector<PrimExpr> exprs = Widened(stmt);
    for (const PrimExpr expr : exprs) heads.exprs.push_back(Vector(expr));
    if (const auto realize = stmt.As<BlockRealize>()) {
      for (const PrimExpr expr : Widened(realize->block())) Vector(expr);
    }
    if (scalarize_ || NeedsScalars(stmt, heads.exprs)) return Descent::Done(Scalarized(stmt));
    if (const auto let = stmt.As<LetStmt>()) BindLet(let->var(), exprs[0], heads.exprs[0]);
    if (const auto alloc = stmt.As<Allocate>()) {
      allocated_.insert(alloc->buffer_var());
      widen_.Forget();
    }
    heads_.push_back(std::move(heads));
    next_expr_ = 0;
    return Descent::Into();
  }

  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    if (!lane_var_ || stmt.id() == loop_) return expr;
    return heads_.back().exprs[next_expr_++];
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (stmt.id() == loop_ && lane_var_) {
      lane_var_ = {};
      loop_ = {};
      return parts.stmts[0];
    }
    if (!lane_var_) return Rewriter::Leave(stmt, parts);
    heads_.pop_back();
    switch (stmt.kind()) {
      case StmtKind::kStore: return VectorStore(BufferStore(stmt), parts);
      case StmtKind::kLet: {
        const LetStmt let(stmt);
        const auto found = lets_.find(let.var());
        return builder().Let(found != lets_.end() ? found->second.made : let.var(), parts.exprs[0], parts.stmts[0]);
      }
      case StmtKind::kAllocate: {
        // One element for each lane.
        const size_t last = parts.exprs.size() - 2;
        const DataType type = terms().dtype(parts.exprs[last]);
        parts.exprs[last] = arith::Mul(terms(), parts.exprs[last], terms().IntImm(type, lanes_));
        return Rewriter::Leave(stmt, parts);
      }
      default: return Rewriter::Leave(stmt, parts);
    }
  }

  auto RewriteBuffer(BufferId buffer) -> BufferId override { return buffer; }

 private:
  struct Heads {
    std::vector<PrimExpr> exprs;
  };
  // A variable that became a vector, and the value that it had.
  struct LetInfo {
    PrimExpr made;
    PrimExpr value;
  };

  void BeginLoop(For loop) {
    const auto extent = terms().AsInt(loop.extent());
    if (!terms().IsInt(loop.min(), 0) || !extent || *extent < 1 || *extent > UINT16_MAX) {
      Fail(MakeDiagnostic(kNotVectorizable, loop.range()));
      return;
    }
    loop_ = loop.id();
    lane_var_ = loop.loop_var();
    lanes_ = static_cast<int>(*extent);
    known_.clear();
    lets_.clear();
    allocated_.clear();
    widened_.clear();
    widen_.Forget();
    const DataType type = terms().dtype(lane_var_);
    const PrimExpr zero = terms().IntImm(type, 0);
    known_[lane_var_] = lanes_ == 1 ? zero : terms().Ramp(zero, terms().IntImm(type, 1), lanes_);
  }

  // Whether a statement whose head became these has no vector form.
  auto NeedsScalars(Stmt stmt, std::span<const PrimExpr> exprs) const -> bool {
    // An effect happens for each lane, even if it does not depend on the lane.
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (exprs[i] == stmt.exprs()[i] && terms().effect(exprs[i]) > arith::CallEffect::kReadState) return true;
    }
    switch (stmt.kind()) {
      case StmtKind::kFor:
      case StmtKind::kIf:
      case StmtKind::kWhile:
      case StmtKind::kAssert:
      case StmtKind::kAllocate:
        return std::any_of(exprs.begin(), exprs.end(), [&](PrimExpr e) { return terms().lanes(e) > 1; });
      // A block and its realization, which binds the values, are rewritten together.
      case StmtKind::kBlockRealize: return terms().lanes(exprs.back()) > 1;
      default: return false;
    }
  }

  void BindLet(PrimExpr var, PrimExpr value, PrimExpr made) {
    if (terms().lanes(made) == terms().lanes(var)) return;
    const PrimExpr fresh = terms().Var(context().text(terms().var(var).name), terms().dtype(made));
    lets_[var] = {fresh, value};
    known_.clear();
    BindKnown();
  }

  // Resets what is known, because older facts may refer to variables that have been replaced.
  void BindKnown() {
    const DataType type = terms().dtype(lane_var_);
    const PrimExpr zero = terms().IntImm(type, 0);
    known_[lane_var_] = lanes_ == 1 ? zero : terms().Ramp(zero, terms().IntImm(type, 1), lanes_);
    for (const auto& [var, info] : lets_) known_[var] = info.made;
  }

  // `for i_s in range(L): stmt`, with variables that became vectors bound to what they are in that lane.
  auto Scalarized(Stmt stmt) -> StmtId {
    const DataType type = terms().dtype(lane_var_);
    const PrimExpr lane = terms().Var(std::string(context().text(terms().var(lane_var_).name)) + ".s", type);
    const VarMap map = {{lane_var_, lane}};
    StmtId body = allocated_.empty() ? Substitute(builder(), stmt, map) : InLane(stmt, map);
    for (const auto& [var, info] : lets_) {
      const PrimExpr bound = var;
      if (!UsesVar(stmt, [&](PrimExpr used) { return used == bound; })) continue;
      body = builder().Let(bound, Substitute(terms(), info.value, map), body);
    }
    scalarize_ = false;
    return builder().For(lane, terms().IntImm(type, 0), terms().IntImm(type, lanes_), ForKind::kSerial, body);
  }

  // Returns the statement in one lane: it accesses that lane's elements of the memory that the loop allocates.
  auto InLane(Stmt root, const VarMap& map) -> StmtId {
    const auto buffer = [this](BufferId id) { return WideBuffer(id); };
    const auto same = [](PrimExpr expr) { return expr; };
    std::vector<StmtId> done;
    Walk(
        root, [](Stmt) { return true; },
        [&](Stmt old) {
          const std::span parts = std::span(done).last(old.num_parts());
          const StmtId made = old.is(StmtKind::kDeclBuffer)
                                  ? builder().DeclBuffer(DeclBuffer(old).buffer(), parts[0])
                                  : Remake(builder(), old, parts, Widened(old), buffer, same, same);
          done.resize(done.size() - old.num_parts());
          done.push_back(made);
        });
    return Substitute(builder(), builder().stmt(done.back()), map);
  }

  auto VectorStore(BufferStore store, Parts parts) -> StmtId {
    const std::span<PrimExpr> indices = parts.exprs.subspan(1);
    PrimExpr value = parts.exprs[0];
    const bool same = value == store.value() && std::ranges::equal(indices, store.indices());
    if (same) return Rewriter::Leave(store, parts);
    const BufferId buffer = WideBuffer(store.buffer());
    int other = tables().buffer(buffer).dtype.lanes;
    for (size_t i = 0; i + 1 < indices.size(); ++i) other *= terms().lanes(indices[i]);
    const int last = indices.empty() ? 1 : terms().lanes(indices.back());
    const int total = std::max(other * last, terms().lanes(value));
    if (!indices.empty()) indices.back() = BroadcastTo(indices.back(), total / other);
    const StmtId made = builder().Store(buffer, BroadcastTo(value, total), indices);
    if (store.range().valid()) builder().SetRange(made, store.range());
    return made;
  }

  // Memory that is allocated in the loop has an element for each lane, beside each other: A[i] becomes A[i * L + lane].

  auto IsWide(BufferId id) const -> bool {
    const Buffer& buffer = tables().buffer(id);
    return allocated_.contains(buffer.data) && buffer.ndim() != 0;
  }

  auto WideBuffer(BufferId id) -> BufferId {
    if (!IsWide(id)) return id;
    BufferId& made = widened_[id];
    if (made) return made;
    Buffer wide = tables().buffer(id);
    const DataType extent = terms().dtype(wide.shape.back());
    wide.shape.back() = plain_.Simplify(arith::Mul(terms(), wide.shape.back(), terms().IntImm(extent, lanes_)));
    wide.strides.clear();
    return made = tables().Add(std::move(wide));
  }

  auto WideIndex(PrimExpr index) -> PrimExpr {
    const DataType type = terms().dtype(index);
    const PrimExpr lane = arith::CastTo(terms(), arith::ElementOf(type), lane_var_);
    const PrimExpr first = arith::Mul(terms(), index, arith::MakeConst(terms(), type, lanes_));
    const PrimExpr lanes = type.lanes == 1 ? lane : terms().Broadcast(lane, type.lanes);
    return plain_.Simplify(arith::Add(terms(), first, lanes));
  }

  auto WidenedLoad(PrimExpr made) -> PrimExpr {
    if (terms().kind(made) != PrimKind::kBufferLoad || !IsWide(terms().buffer(made))) return made;
    std::vector<PrimExpr> indices(terms().operands(made).begin(), terms().operands(made).end());
    indices.back() = WideIndex(indices.back());
    return terms().BufferLoad(WideBuffer(terms().buffer(made)), indices, terms().dtype(made));
  }

  // Returns the expressions of a statement, still with the variable of the loop.
  auto Widened(Stmt stmt) -> std::vector<PrimExpr> {
    std::vector<PrimExpr> exprs(stmt.exprs().begin(), stmt.exprs().end());
    if (allocated_.empty()) return exprs;
    for (PrimExpr& expr : exprs) expr = widen_(expr);
    if (const auto store = stmt.As<BufferStore>(); store && IsWide(store->buffer())) {
      exprs.back() = WideIndex(exprs.back());
    }
    return exprs;
  }

  // Expressions.

  auto BroadcastTo(PrimExpr e, int lanes) -> PrimExpr {
    const int own = terms().lanes(e);
    if (own == lanes) return e;
    if (terms().kind(e) == PrimKind::kBroadcast && lanes % own == 0)
      return terms().Broadcast(terms().operand(e, 0), lanes);
    if (own != 1) {
      scalarize_ = true;
      return e;
    }
    return terms().Broadcast(e, lanes);
  }

  // Returns the expression with the lanes of the loop; remembered as long as the loop is open.
  auto Vector(PrimExpr root) -> PrimExpr {
    std::vector<PrimExpr> stack = {root};
    std::vector<PrimExpr> parts;
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      if (known_.contains(top)) {
        stack.pop_back();
        continue;
      }
      const auto operands = terms().operands(top);
      if (operands.empty()) {
        known_[top] = top;
        continue;
      }
      const size_t before = stack.size();
      // A Let binds its variable before its body is looked at.
      const bool let = terms().kind(top) == PrimKind::kLet;
      if (let && !known_.contains(operands[1])) {
        stack.push_back(operands[1]);
        continue;
      }
      if (let && !known_.contains(operands[0])) BindLetExpr(operands[0], known_[operands[1]]);
      for (size_t i = operands.size(); i-- > 0;) {
        if (!known_.contains(operands[i])) stack.push_back(operands[i]);
      }
      if (stack.size() != before) continue;
      stack.pop_back();
      parts.clear();
      for (const PrimExpr operand : operands) parts.push_back(known_[operand]);
      const PrimExpr made = Node(top, operands, parts);
      known_[top] = made;
    }
    return known_[root];
  }

  void BindLetExpr(PrimExpr var, PrimExpr value) {
    const bool same = terms().lanes(value) == terms().lanes(var);
    known_[var] = same ? var : terms().Var(context().text(terms().var(var).name), terms().dtype(value));
  }

  auto Node(PrimExpr old, std::span<const PrimExpr> operands, std::span<PrimExpr> made) -> PrimExpr {
    const PrimKind kind = terms().kind(old);
    int lanes = 1;
    for (const PrimExpr e : made) lanes = std::max(lanes, terms().lanes(e));
    if (std::ranges::equal(operands, made)) {
      // As TVM: also a vector that is none of the loop's lanes keeps such a call from being one for all of them.
      if (kind == PrimKind::kCall && lanes > 1 && !IsVectorizable(old)) return Scalar(old);
      return old;
    }
    switch (kind) {
      case PrimKind::kAdd:
      case PrimKind::kSub: return Sum(kind, made[0], made[1], lanes);
      case PrimKind::kMul:
        if (lanes > 1) return Product(made[0], made[1], lanes);
        break;
      case PrimKind::kNot: return arith::Not(terms(), made[0]);
      case PrimKind::kAnd:
      case PrimKind::kOr:
        if (terms().lanes(made[0]) > 1 && !eager_.IsSafe(operands[1])) return Scalar(old);
        break;
      case PrimKind::kSelect:
        if (terms().lanes(made[0]) > 1 && !(eager_.IsSafe(operands[1]) && eager_.IsSafe(operands[2]))) {
          return Scalar(old);
        }
        return terms().Select(made[0], BroadcastTo(made[1], lanes), BroadcastTo(made[2], lanes));
      case PrimKind::kCast: return terms().Cast(arith::WithLanes(terms().dtype(old), terms().lanes(made[0])), made[0]);
      case PrimKind::kRamp: return RampOf(old, made[0], made[1]);
      case PrimKind::kBroadcast:
        if (terms().lanes(made[0]) == 1) return terms().Broadcast(made[0], terms().lanes(old));
        return Scalar(old);
      case PrimKind::kLet: return terms().Let(made[0], made[1], made[2]);
      case PrimKind::kBufferLoad: return Load(old, made);
      case PrimKind::kCall: return CallOf(old, made, lanes);
      default: break;
    }
    if (!arith::IsBinary(kind)) return Scalar(old);
    const PrimExpr a = BroadcastTo(made[0], lanes);
    const PrimExpr b = BroadcastTo(made[1], lanes);
    return scalarize_ ? old : terms().Binary(kind, a, b);
  }

  // Something that has no vector form.
  auto Scalar(PrimExpr old) -> PrimExpr {
    scalarize_ = true;
    return old;
  }

  auto IsRamp(PrimExpr e) const -> bool { return terms().kind(e) == PrimKind::kRamp; }

  auto Sum(PrimKind kind, PrimExpr a, PrimExpr b, int lanes) -> PrimExpr {
    if (lanes > 1 && terms().lanes(a) == 1 && IsRamp(b)) {
      const PrimExpr zero = terms().IntImm(terms().dtype(terms().operand(b, 1)), 0);
      return terms().Ramp(arith::Operate(terms(), kind, a, terms().operand(b, 0)),
                          arith::Operate(terms(), kind, zero, terms().operand(b, 1)), terms().lanes(b));
    }
    if (lanes > 1 && terms().lanes(b) == 1 && IsRamp(a)) {
      return terms().Ramp(arith::Operate(terms(), kind, terms().operand(a, 0), b), terms().operand(a, 1),
                          terms().lanes(a));
    }
    const PrimExpr x = BroadcastTo(a, lanes);
    const PrimExpr y = BroadcastTo(b, lanes);
    return scalarize_ ? a : arith::Operate(terms(), kind, x, y);
  }

  auto Product(PrimExpr a, PrimExpr b, int lanes) -> PrimExpr {
    for (const auto& [ramp, scalar] : {std::pair(a, b), std::pair(b, a)}) {
      if (!IsRamp(ramp) || terms().lanes(scalar) != 1 || !plain_.CanProveGreaterEqual(scalar, 1)) continue;
      return terms().Ramp(arith::Mul(terms(), terms().operand(ramp, 0), scalar),
                          arith::Mul(terms(), terms().operand(ramp, 1), scalar), terms().lanes(ramp));
    }
    const PrimExpr x = BroadcastTo(a, lanes);
    const PrimExpr y = BroadcastTo(b, lanes);
    return scalarize_ ? a : terms().Binary(PrimKind::kMul, x, y);
  }

  auto RampOf(PrimExpr old, PrimExpr base, PrimExpr stride) -> PrimExpr {
    const int inner = terms().lanes(old);
    if (int64_t{inner} * std::max(terms().lanes(base), terms().lanes(stride)) > UINT16_MAX) return Scalar(old);
    if (IsRamp(base) && terms().lanes(stride) == 1) {
      const DataType type = terms().dtype(stride);
      const PrimExpr whole = arith::Mul(terms(), stride, terms().IntImm(type, inner));
      if (plain_.CanProve(arith::Eq(terms(), terms().operand(base, 1), whole))) {
        return terms().Ramp(terms().operand(base, 0), stride, inner * terms().lanes(base));
      }
    }
    const int lanes = std::max(terms().lanes(base), terms().lanes(stride));
    if (lanes == 1) return terms().Ramp(base, stride, inner);
    written_out_ += int64_t{lanes} * inner;
    if (written_out_ > limit_) return Scalar(old);
    base = BroadcastTo(base, lanes);
    stride = BroadcastTo(stride, lanes);
    std::vector<PrimExpr> ramps, indices;
    for (int i = 0; i < lanes; ++i) {
      const PrimExpr lane = terms().Int32(i);
      ramps.push_back(
          terms().Ramp(terms().Shuffle({&base, 1}, {&lane, 1}), terms().Shuffle({&stride, 1}, {&lane, 1}), inner));
    }
    for (int i = 0; i < lanes * inner; ++i) indices.push_back(terms().Int32(i));
    return terms().Shuffle(ramps, indices);
  }

  auto Load(PrimExpr old, std::span<PrimExpr> made) -> PrimExpr {
    const BufferId buffer = terms().buffer(old);
    for (size_t i = 0; i + 1 < made.size(); ++i) {
      if (terms().lanes(made[i]) > 1) return Scalar(old);
    }
    const DataType element = tables().buffer(buffer).dtype;
    const int lanes = made.empty() ? 1 : terms().lanes(made.back());
    return terms().BufferLoad(buffer, made, arith::WithLanes(element, element.lanes * lanes));
  }

  auto CallOf(PrimExpr old, std::span<PrimExpr> made, int lanes) -> PrimExpr {
    const arith::CallOpId op = terms().call_op(old);
    const DataType type = arith::WithLanes(terms().dtype(old), lanes);
    if (op == terms().ops().if_then_else) {
      if (terms().lanes(made[0]) > 1) return Scalar(old);
      const PrimExpr args[] = {made[0], BroadcastTo(made[1], lanes), BroadcastTo(made[2], lanes)};
      return terms().Call(type, op, args);
    }
    const std::string_view name = context().text(terms().op(op).name);
    if (name == "tir.texture2d_load"_intrin || name == "tir.texture2d_store"_intrin) return TextureAccess(old, made);
    if (!IsVectorizable(old)) return lanes > 1 ? Scalar(old) : terms().Call(terms().dtype(old), op, made);
    for (PrimExpr& arg : made) arg = BroadcastTo(arg, lanes);
    return terms().Call(type, op, made);
  }

  auto IsVectorizable(PrimExpr call) const -> bool {
    const arith::IntrinsicRow* row = arith::FindIntrinsic(context().text(terms().op(terms().call_op(call)).name));
    return row != nullptr && row->vectorizable;
  }

  // Returns the four channels of one pixel: only the last argument is a vector.
  auto TextureAccess(PrimExpr old, std::span<PrimExpr> made) -> PrimExpr {
    constexpr int kChannels = 4;
    const auto operands = terms().operands(old);
    const int lanes = terms().lanes(made.back());
    for (size_t i = 0; i + 1 < made.size(); ++i) {
      if (made[i] != operands[i]) return Scalar(old);
    }
    if (lanes != kChannels) return Scalar(old);
    return terms().Call(arith::WithLanes(terms().dtype(old), lanes), terms().call_op(old), made);
  }

  int64_t limit_;
  int64_t written_out_ = 0;
  // Knows nothing of the program.
  arith::Analyzer plain_;
  EagerValues eager_;
  ExprRewriter widen_;
  // The vectorized loop that is open.
  StmtId loop_;
  PrimExpr lane_var_;
  int lanes_ = 1;
  // The replacements of terms in it.
  absl::flat_hash_map<PrimExpr, PrimExpr> known_;
  absl::flat_hash_map<PrimExpr, LetInfo> lets_;
  absl::flat_hash_set<PrimExpr> allocated_;
  absl::flat_hash_map<BufferId, BufferId> widened_;
  bool scalarize_ = false;
  // The heads of the open statements in it, and the next of the innermost that is asked for.
  std::vector<Heads> heads_;
  size_t next_expr_ = 0;
};

// Vectorized loops as serial ones.
class Serializer : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto loop = stmt.As<For>();
    if (!loop || loop->for_kind() != ForKind::kVectorized) return Rewriter::Leave(stmt, parts);
    return builder().For(loop->loop_var(), parts.exprs[0], parts.exprs[1], ForKind::kSerial, parts.stmts[0]);
  }
};

struct VectorizeOptions {
  bool enable_vectorize = true;
  static constexpr auto Fields() {
    return std::array{Option<&VectorizeOptions::enable_vectorize>("otherwise vectorized loops become serial ones")};
  }
};

struct VectorizeLoopPass {
  using Options = VectorizeOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    if (!options.enable_vectorize) return Serializer(func).Run();
    const std::optional<PrimFunc> separate = SeparateScopes(func);
    return Vectorizer(separate ? *separate : func, GrowthLimit(context)).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kVectorizeLoopPass = DescribePass<VectorizeLoopPass>({
    .name = "tir.VectorizeLoop",
    .summary = "Turn vectorized loops into statements on vectors",
    .details = R"(  for i in T.vectorized(4):         A[j * 4:j * 4 + 4] = T.Broadcast(x, 4) + B[0:4]
      A[j * 4 + i] = x + B[i]  ->

The loop begins at 0 and has a literal extent. A statement with a condition, a call or a loop that has no vector form becomes
a serial loop over the lanes.)",
    .aliases = "tir.transform.VectorizeLoop",
});

}  // namespace relayopt::tir
