// InjectRollingBuffer: a buffer of which each iteration realizes the next part keeps what the iterations share.
//
// The attribute rolling_buffer_scope is inside of the T.realize of its buffer, around the statements that fill it. The
// bounds of the realization are multiples of loop variables; the outermost of these loops rolls:
//
//   for i in range(4):                                      with T.realize(B[0:3, 0:8], ""):
//       with T.realize(B[i * 2:i * 2 + 3, 0:8], ""):            for i in range(4):
//           with T.attr(B, "rolling_buffer_scope", True):           for r, c in T.grid(3, 8):
//               for r, c in T.grid(3, 8):                  ->           if T.Or(i < 1, r >= 1):
//                   B[i * 2 + r, c] = A[i * 2 + r, c]                       B[(i * 2 + r) % 3, c] = A[i * 2 + r, c]
//           for c in range(8):                                      for c in range(8):
//               C[i, c] = B[i * 2, c] + B[i * 2 + 2, c]                 C[i, c] = B[i * 2 % 3, c] + B[(i * 2 + 2) % 3,
//               c]
//
// Traced: the bounds of B begin at i * 2 (a step of 2) and at 0. The loop over i is the outermost that they mention, so
// the first dimension rolls: its indices are taken modulo its extent, 3. Consecutive iterations share 3 - 2 = 1 row, so
// that only the first iteration stores to it. The realization moves out of the loop together with the attributes of the
// buffer; other dimensions then have their whole extent.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kRolling{"rolling-buffer", Severity::kError, "tir.InjectRollingBuffer: buffer {} {}"};

// How a buffer rolls.
struct Roll {
  size_t axis = 0;
  int64_t extent = 0;
  // For each dimension: the loop variable that its bounds begin with (invalid if none), and how many elements
  // consecutive iterations share.
  std::vector<PrimExpr> vars;
  // The minimum of the variable.
  std::vector<PrimExpr> begins;
  std::vector<int64_t> overlaps;
};

class RollingBufferInjector : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    open_.push_back(stmt);
    if (const auto loop = stmt.As<For>()) loops_.push_back(*loop);
    if (const auto realize = stmt.As<BufferRealize>()) realizes_.try_emplace(realize->buffer(), *realize);
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().buffer()) {
      attrs_[attr->node().buffer()].push_back(*attr);
      if (IsRequest(*attr)) Plan(*attr);
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    open_.pop_back();
    switch (stmt.kind()) {
      case StmtKind::kFor: {
        loops_.pop_back();
        return Hoist(For(stmt), Rewriter::Leave(stmt, parts));
      }
      case StmtKind::kAttr:
        if (rolls_.contains(AttrStmt(stmt).node().buffer())) return parts.stmts[0];
        break;
      case StmtKind::kRealize:
        if (rolls_.contains(BufferRealize(stmt).buffer())) return parts.stmts[0];
        break;
      case StmtKind::kStore: {
        const BufferStore store(stmt);
        const auto roll = rolls_.find(store.buffer());
        if (roll != rolls_.end()) return StoreOnce(roll->second, store, parts);
        break;
      }
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) == PrimKind::kBufferLoad) {
      const auto roll = rolls_.find(terms().buffer(made));
      if (roll != rolls_.end()) {
        const std::vector<PrimExpr> indices = Rolled(roll->second, terms().operands(made));
        return terms().BufferLoad(terms().buffer(made), indices, terms().dtype(made));
      }
    }
    return Rewriter::RewriteNode(old, made);
  }

 private:
  // The realizations around a loop.
  struct Hoisted {
    BufferRealize realize;
    std::vector<PrimExpr> bounds;
  };

  auto IsRequest(AttrStmt attr) const -> bool {
    if (attr.key_text() != "rolling_buffer_scope") return false;
    const auto value = terms().AsInt(attr.value());
    return value && *value != 0;
  }

  void Fail(AttrStmt attr, std::string_view why) {
    const Buffer& buffer = tables().buffer(attr.node().buffer());
    Rewriter::Fail(MakeDiagnostic(kRolling, attr.range(), context().text(buffer.name), why));
  }

  void Plan(AttrStmt attr) {
    const BufferId id = attr.node().buffer();
    if (rolls_.contains(id)) return;
    const auto realize = realizes_.find(id);
    if (realize == realizes_.end() || !realize->second.Contains(attr)) {
      return Fail(attr, "is not realized around its attribute rolling_buffer_scope");
    }
    const Bounds bounds = realize->second.bounds();
    Roll roll;
    for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
      int64_t step = 0;
      if (!AddDimension(bounds[i], roll, step)) {
        return Fail(attr, "is realized at positions that are neither literals nor multiples of loop variables");
      }
      const auto extent = terms().AsInt(bounds[i + 1]);
      if (roll.vars.back() && !extent) return Fail(attr, "is realized with an extent that is not a number");
      const auto around = std::ranges::find(loops_, roll.vars.back(), &For::loop_var);
      roll.begins.push_back(around != loops_.end() ? around->min() : PrimExpr());
      roll.overlaps.push_back(roll.begins.back() ? *extent - step : 0);
    }
    const auto rolls = [&](For loop) { return std::ranges::find(roll.vars, loop.loop_var()) != roll.vars.end(); };
    const auto loop = std::ranges::find_if(loops_, rolls);
    if (loop == loops_.end()) return Fail(attr, "is realized from positions that no loop around it changes");
    const auto var = std::ranges::find(roll.vars, loop->loop_var());
    roll.axis = static_cast<size_t>(var - roll.vars.begin());
    roll.extent = *terms().AsInt(bounds[2 * roll.axis + 1]);
    if (!loop->Contains(realize->second)) return Fail(attr, "is realized around the loop that it would roll over");
    if (!RunsInOrder(*loop))
      return Fail(attr, "rolls over a loop whose iterations may be left out, or are not in order");
    AddHoisted(*loop, realize->second, roll);
    rolls_.emplace(id, std::move(roll));
    ForgetExprs();
  }

  // Whether the loop and those inside of it run sequentially.
  auto RunsInOrder(For outer) const -> bool {
    return std::ranges::all_of(open_, [&](Stmt stmt) {
      if (!outer.Contains(stmt)) return true;
      if (const auto loop = stmt.As<For>()) {
        return loop->for_kind() == ForKind::kSerial || loop->for_kind() == ForKind::kUnrolled;
      }
      return !stmt.is(StmtKind::kIf) && !stmt.is(StmtKind::kWhile);
    });
  }

  // The variable of a dimension and the step in which it moves. False if its bounds begin with something else.
  auto AddDimension(PrimExpr begin, Roll& roll, int64_t& step) const -> bool {
    if (terms().kind(begin) == PrimKind::kFloorDiv) {
      if (!terms().AsInt(terms().operand(begin, 1))) return false;
      begin = terms().operand(begin, 0);
    }
    if (terms().AsInt(begin)) {
      roll.vars.emplace_back();
      return true;
    }
    step = 1;
    if (terms().kind(begin) == PrimKind::kMul) {
      const auto factor = terms().AsInt(terms().operand(begin, 1));
      if (!factor) return false;
      step = *factor;
      begin = terms().operand(begin, 0);
    }
    roll.vars.push_back(begin);
    return terms().is_var(begin);
  }

  void AddHoisted(For loop, BufferRealize realize, const Roll& roll) {
    const Buffer& buffer = tables().buffer(realize.buffer());
    Hoisted hoisted{realize, {}};
    for (size_t i = 0; i < buffer.ndim(); ++i) {
      const PrimExpr extent = i == roll.axis ? terms().Int32(static_cast<int32_t>(roll.extent)) : buffer.shape[i];
      hoisted.bounds.insert(hoisted.bounds.end(), {terms().Int32(0), extent});
    }
    hoisted_[loop.loop_var()].push_back(std::move(hoisted));
  }

  // Returns the realizations around a loop. As TVM: the attribute that was met first is the innermost one.
  auto Hoist(For loop, StmtId body) -> StmtId {
    const auto found = hoisted_.find(loop.loop_var());
    if (found == hoisted_.end()) return body;
    const std::vector<Hoisted> all = std::move(found->second);
    hoisted_.erase(found);
    for (const Hoisted& hoisted : all) {
      const BufferId buffer = hoisted.realize.buffer();
      body = builder().Realize(buffer, hoisted.bounds, hoisted.realize.condition(), body);
      for (const AttrStmt attr : attrs_[buffer]) {
        if (attr.key_text() == "rolling_buffer_scope") continue;
        body = builder().Attr(attr.node(), attr.key(), attr.value(), body);
      }
    }
    return body;
  }

  auto Rolled(const Roll& roll, std::span<const PrimExpr> old) const -> std::vector<PrimExpr> {
    std::vector<PrimExpr> indices(old.begin(), old.end());
    if (roll.axis < indices.size()) {
      PrimExpr& index = indices[roll.axis];
      index = terms().Binary(PrimKind::kFloorMod, index, terms().IntImm(terms().dtype(index), roll.extent));
    }
    return indices;
  }

  // Returns a store that skips elements which the previous iteration has stored.
  auto StoreOnce(const Roll& roll, BufferStore store, Parts parts) -> StmtId {
    const auto old = parts.exprs.subspan(1);
    StmtId made = builder().Store(store.buffer(), parts.exprs[0], Rolled(roll, old));
    for (size_t i = 0; i < roll.vars.size() && i < old.size(); ++i) {
      const PrimExpr var = roll.vars[i];
      if (!var || roll.overlaps[i] <= 0) continue;
      const PrimExpr zero = terms().IntImm(terms().dtype(var), 0);
      const arith::Analyzer::VarSet at_first[] = {{var, {zero, zero}}};
      const PrimExpr first = arith::Analyzer(terms()).Set(old[i], at_first).min;
      const PrimExpr one = terms().IntImm(terms().dtype(var), 1);
      const PrimExpr is_first = terms().Binary(PrimKind::kLT, var, arith::Add(terms(), roll.begins[i], one));
      const PrimExpr is_new =
          terms().Binary(PrimKind::kGE, first, terms().IntImm(terms().dtype(first), roll.overlaps[i]));
      made = builder().If(terms().Binary(PrimKind::kOr, is_first, is_new), made);
    }
    return made;
  }

  // The statements that are open, and the loops among them.
  std::vector<Stmt> open_;
  std::vector<For> loops_;
  absl::flat_hash_map<BufferId, BufferRealize> realizes_;
  absl::flat_hash_map<BufferId, std::vector<AttrStmt>> attrs_;
  absl::flat_hash_map<BufferId, Roll> rolls_;
  // By the variable of the loop.
  absl::flat_hash_map<PrimExpr, std::vector<Hoisted>> hoisted_;
};

struct InjectRollingBufferPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    RELAYOPT_TRY(std::optional<PrimFunc> made, RollingBufferInjector(func).RunOrFail());
    if (std::optional<PrimFunc> unique = ConvertSSA(made ? *made : func)) return unique;
    return made;
  }
};

}  // namespace

constinit const PassDef kInjectRollingBufferPass = DescribePass<InjectRollingBufferPass>({
    .name = "tir.InjectRollingBuffer",
    .summary = "Keep what iterations share in buffers that roll",
    .details =
        R"(  for i in range(4):                                    with T.realize(B[0:3], ""):
      with T.realize(B[i * 2:i * 2 + 3], ""):               for i in range(4):
          with T.attr(B, "rolling_buffer_scope", True):         for r in range(3):
              for r in range(3):                      ->            if T.Or(i < 1, r >= 1):
                  B[i * 2 + r] = A[i * 2 + r]                           B[(i * 2 + r) % 3] = A[i * 2 + r]
          C[i] = B[i * 2] + B[i * 2 + 2]                        C[i] = B[i * 2 % 3] + B[(i * 2 + 2) % 3]

The outermost loop whose variable the bounds mention rolls: the realization moves out of it, and indices of its dimension are taken
modulo the extent. Elements that the iteration before has stored are not stored again. The bounds have to begin at numbers or at
multiples of loop variables. Afterwards each variable has one definition (tir.ConvertSSA).)",
    .aliases = "tir.transform.InjectRollingBuffer",
});

}  // namespace relayopt::tir
