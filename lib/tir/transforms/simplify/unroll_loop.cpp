// UnrollLoop: loops of few iterations become their bodies one after the other.
//
// A loop is looked at when its body is done. What the body costs is counted on the way: one step for each store and
// evaluation, times the iterations of automatically unrolled loops in it; the depth of loops that were unrolled, and of
// those that stayed. The elements of a sequence are counted apart and then added.
//
//   for j in T.unroll(2):        A[T.Add(0, 1)] = 0
//       A[j + 1] = 0        ->   A[T.Add(1, 1)] = 0
//
// As TVM: nothing folds where the variable is replaced. Copies of one body share their variables:
// ConvertSSA ends the pass.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/pass/growth.h"
#include "relayopt/pass/remarks.h"

namespace relayopt::tir {

namespace {

struct UnrollOptions {
  int64_t auto_max_step = 0;
  int64_t auto_max_depth = 8;
  int64_t auto_max_extent = 0;
  bool explicit_unroll = true;
  bool unroll_local_access = false;
  static constexpr std::string_view kConfigKey = "tir.UnrollLoop";
  static constexpr auto Fields() {
    return std::array{
        Option<&UnrollOptions::auto_max_step>("unroll serial loops whose steps times iterations are at most this"),
        Option<&UnrollOptions::auto_max_depth>("unroll by itself only where so many loops inside were unrolled"),
        Option<&UnrollOptions::auto_max_extent>("unroll serial loops of at most so many iterations"),
        Option<&UnrollOptions::explicit_unroll>("write the copies; otherwise loops are only marked as unrolled"),
        Option<&UnrollOptions::unroll_local_access>("unroll loops whose variable indexes local memory"),
    };
  }
};

// The number of iterations of a loop that was not unrolled.
struct LeftLoop {
  SourceRange range;
  int64_t extent;
};

class Unroller : public Rewriter {
 public:
  Unroller(const PrimFunc& func, const UnrollOptions& options, int64_t limit)
      : Rewriter(func), options_(options), room_(limit) {}

  // Returns the loops that stayed because their copies would have been too many.
  auto left() const -> std::span<const LeftLoop> { return left_; }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto attr = stmt.As<AttrStmt>(); attr && Pragma(*attr) != nullptr) {
      saved_.push_back(*Pragma(*attr));
      *Pragma(*attr) = *terms().AsInt(attr->value());
    }
    if (stmt.is(StmtKind::kEvaluate) || stmt.is(StmtKind::kStore)) ++counts_.steps;
    if (options_.unroll_local_access) MarkLocalAccess(stmt);
    return Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t part, Exprs) override {
    if (!stmt.is(StmtKind::kSeq)) return;
    if (part == 0)
      sums_.emplace_back();
    else
      sums_.back().Add(counts_);
    // The counts before the sequence are added after it.
    if (part == 0) std::swap(sums_.back(), counts_);
    counts_ = {};
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (stmt.is(StmtKind::kSeq)) {
      sums_.back().Add(counts_);
      counts_ = sums_.back();
      sums_.pop_back();
    }
    if (const auto attr = stmt.As<AttrStmt>(); attr && Pragma(*attr) != nullptr) {
      *Pragma(*attr) = saved_.back();
      saved_.pop_back();
      return parts.stmts[0];
    }
    if (const auto loop = stmt.As<For>()) return LeaveLoop(*loop, parts);
    return Rewriter::Leave(stmt, parts);
  }

 private:
  struct Counts {
    int64_t steps = 0;
    int64_t unrolled = 0;
    int64_t normal = 0;
    void Add(const Counts& other) {
      steps = steps + other.steps;
      unrolled = std::max(unrolled, other.unrolled);
      normal = std::max(normal, other.normal);
    }
  };

  // Returns the setting that an attribute replaces for its body, or null for other attributes.
  auto Pragma(AttrStmt attr) -> int64_t* {
    if (!terms().AsInt(attr.value())) return nullptr;
    if (attr.key_text() == "pragma_auto_unroll_max_step") return &options_.auto_max_step;
    if (attr.key_text() == "pragma_unroll_explicit") return &explicit_;
    return nullptr;
  }

  // Notes the variables in the indices of local and warp memory.
  void MarkLocalAccess(Stmt stmt) {
    const auto mark = [&](BufferId buffer, std::span<const PrimExpr> indices) {
      const std::string_view scope = tables().Scope(buffer);
      if (!scope.starts_with("local") && !scope.starts_with("warp")) return;
      for (const PrimExpr term : arith::PostOrder(terms(), indices)) {
        if (terms().is_var(term)) local_vars_.insert(term);
      }
    };
    if (const auto store = stmt.As<BufferStore>()) mark(store->buffer(), store->indices());
    for (const PrimExpr term : arith::PostOrder(terms(), stmt.exprs())) {
      if (terms().kind(term) == PrimKind::kBufferLoad) mark(terms().buffer(term), terms().operands(term));
    }
  }

  auto LeaveLoop(For loop, Parts parts) -> StmtId {
    const std::optional<int64_t> literal = terms().AsInt(parts.exprs[1]);
    const int64_t extent = literal && *literal >= 0 && *literal <= INT32_MAX ? *literal : -1;
    const int64_t copies = Product(std::max<int64_t>(extent, 0), std::max<int64_t>(counts_.steps, 1));
    bool automatic = loop.for_kind() == ForKind::kSerial && extent >= 0 && counts_.normal == 0 &&
                     counts_.unrolled <= options_.auto_max_depth &&
                     (Product(extent, counts_.steps) <= options_.auto_max_step || extent <= options_.auto_max_extent);
    // A loop to be unrolled whose iterations are not known stays as it is.
    if (loop.for_kind() == ForKind::kUnrolled && extent >= 0) automatic = true;
    if (options_.unroll_local_access && extent > 0 && local_vars_.contains(loop.loop_var())) automatic = true;
    const bool fits = !automatic || explicit_ == 0 || TakeRoom(loop, extent, copies);
    if (automatic && fits) {
      counts_.steps = Product(extent, counts_.steps);
      ++counts_.unrolled;
    } else {
      ++counts_.normal;
    }
    const bool single = extent >= 0 && extent <= options_.auto_max_extent && options_.auto_max_extent == 1;
    const bool is_unrolled = fits && ((automatic && explicit_ != 0) || single);
    if (is_unrolled && MayRewrite(loop.range(), "a loop", "its iterations")) return Unrolled(loop, extent, parts);
    if (!automatic || is_unrolled || !fits) return Rewriter::Leave(loop, parts);
    return builder().For(loop.loop_var(), parts.exprs[0], parts.exprs[1], ForKind::kUnrolled, parts.stmts[0],
                         loop.thread_binding(), loop.annotations());
  }

  auto Unrolled(For loop, int64_t extent, Parts parts) -> StmtId {
    if (extent == 0) return builder().NoOp();
    std::vector<StmtId> copies;
    const DataType type = terms().dtype(loop.loop_var());
    for (int64_t k = 0; k < extent; ++k) {
      const PrimExpr value = arith::Add(terms(), parts.exprs[0], terms().IntImm(type, k));
      copies.push_back(Substitute(builder(), builder().stmt(parts.stmts[0]), {{loop.loop_var(), value}}));
    }
    return builder().Seq(copies);
  }

  // Whether the copies of the body fit into what is left of the limit. Counts them if so, else the loop stays a loop.
  auto TakeRoom(const For& loop, int64_t extent, int64_t copies) -> bool {
    if (copies > room_) {
      left_.push_back({loop.range(), extent});
      return false;
    }
    room_ -= copies;
    return true;
  }

  static auto Product(int64_t a, int64_t b) -> int64_t {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX / 4 : std::min<int64_t>(product, INT64_MAX / 4);
  }

  UnrollOptions options_;
  int64_t explicit_ = options_.explicit_unroll ? 1 : 0;
  Counts counts_;
  std::vector<Counts> sums_;
  std::vector<int64_t> saved_;
  absl::flat_hash_set<PrimExpr> local_vars_;
  // The steps that unrolled loops may still have.
  int64_t room_;
  std::vector<LeftLoop> left_;
};

struct UnrollLoopPass {
  using Options = UnrollOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    const std::optional<PrimFunc> separate = SeparateScopes(func);
    Unroller unroller(separate ? *separate : func, options, GrowthLimit(context));
    std::optional<PrimFunc> made = unroller.Run();
    for (const LeftLoop& loop : unroller.left()) {
      context.Report(Remark(RemarkKind::kMissed, "tir.UnrollLoop", "TooLarge", module.name(id), loop.range)
                         .Text("a loop of ")
                         .Arg("Iterations", std::to_string(loop.extent))
                         .Text(" iterations stays: its copies would be larger than --max-ops allows"));
    }
    if (!made) return made;
    if (std::optional<PrimFunc> single = ConvertSSA(*made)) return single;
    return made;
  }
};

}  // namespace

constinit const PassDef kUnrollLoopPass = DescribePass<UnrollLoopPass>({
    .name = "tir.UnrollLoop",
    .summary = "Unroll loops that are marked, and short serial loops",
    .details = R"(  for j in T.unroll(2):        A[T.Add(0, 1)] = 0
      A[j + 1] = 0        ->   A[T.Add(1, 1)] = 0

Serial loops are written out when their iterations times the steps of their body are at most auto_max_step, and no loop in
the body stayed a loop. A loop without iterations or without any step in its body always is. The attributes
pragma_auto_unroll_max_step and pragma_unroll_explicit change the options for what is in them. Nothing folds where the
variable is replaced. A loop whose copies would be larger than --max-ops allows stays.)",
    .aliases = "tir.transform.UnrollLoop",
});

}  // namespace relayopt::tir
