// LowerThreadAllreduce: reductions over the threads of a block as exchanges between them.
//
// `tvm_thread_allreduce(n, values..., condition, results..., threads...)`, in an attribute that names the combiner,
// lets every thread have the reduced values. The reduction is over the named threads of the block; the others form
// groups.
//
//   Within a warp, by shuffles:              red_buf0[0] = value
//                                            mask[0] = T.tvm_warp_activemask()
//     32 threads, 1 group                    t0[0] = T.tvm_warp_shuffle_down(mask[0], red_buf0[0], 16, 32, 32)
//                                            red_buf0[0] = red_buf0[0] + t0[0]
//                                            ... 8, 4, 2, 1
//                                            red_buf0[0] = T.tvm_warp_shuffle(mask[0], red_buf0[0], 0, 32, 32)
//   Over several warps: each warp by itself, the results through shared memory to the first warp, which reduces them,
//   and back through shared memory.
//   Otherwise: through shared memory, halving the number of values between barriers.
//
// Loads of the results after the reduction become loads of its result buffers.
#include <fmt/core.h>

#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoReduceTarget{"allreduce-target", Severity::kError,
                                         "LowerThreadAllreduce: the function @{} has no attribute target"};
constexpr DiagnosticKind kNoCombiner{"allreduce-combiner", Severity::kError,
                                     "T.tvm_thread_allreduce needs an attribute reduce_scope around it with a combiner "
                                     "of as many values"};
constexpr DiagnosticKind kReduceForm{"allreduce-form", Severity::kError,
                                     "T.tvm_thread_allreduce needs the number of values, values, a condition, elements "
                                     "of buffers for the results, and threads"};
constexpr DiagnosticKind kReduceExtent{"allreduce-extent", Severity::kError,
                                       "the extent of {} has to be a literal for a reduction over threads"};
constexpr DiagnosticKind kReduceVirtual{"allreduce-vthread", Severity::kError,
                                        "vthread do not work with cross thread reduction"};
constexpr DiagnosticKind kReduceMissing{"allreduce-threads", Severity::kError,
                                        "Not all reduce index are presented in the context"};
constexpr DiagnosticKind kReduceTwice{"allreduce-twice", Severity::kError, "{} is the result of two reductions"};
constexpr DiagnosticKind kReduceIndex{"allreduce-index", Severity::kError,
                                      "the result {} of a reduction over threads has one element only"};

// A thread of the block.
struct BlockThread {
  int dimension = 0;
  PrimExpr var;
  int64_t extent = 1;
  bool is_reduced = false;
};

class AllreduceLowerer : public Rewriter {
 public:
  AllreduceLowerer(const PrimFunc& func, const TargetView& target)
      : Rewriter(func),
        kind_(target.kind()),
        warp_size_(target.Int("thread_warp_size", 1)),
        max_threads_(target.Int("max_num_threads", -1)),
        analyzer_(terms()) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    at_ = stmt.range();
    if (IsThread(stmt)) threads_.push_back(stmt);
    if (const ReducerId reducer = ReducerOf(stmt)) reducers_.push_back(reducer);
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    at_ = stmt.range();
    if (IsThread(stmt)) threads_.pop_back();
    if (ReducerOf(stmt)) reducers_.pop_back();
    const auto alloc = stmt.As<Allocate>();
    const auto memory = alloc ? memories_.find(alloc->buffer_var()) : memories_.end();
    if (memory != memories_.end()) return Reallocate(*alloc, memory->second, parts.stmts[0]);
    if (stmt.is(StmtKind::kEvaluate) && terms().IsCall(parts.exprs[0], allreduce_)) {
      const StmtId made = Reduce(parts.exprs[0]);
      // Loads of the results are replaced from here on.
      ForgetExprs();
      return made;
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) != PrimKind::kBufferLoad) return made;
    const PrimExpr data = tables().buffer(terms().buffer(made)).data;
    const auto found = results_.find(data);
    if (found == results_.end()) return Rewriter::RewriteNode(old, made);
    for (const PrimExpr index : terms().operands(old)) {
      if (!terms().IsInt(index, 0)) Fail(MakeDiagnostic(kReduceIndex, at_, NameOf(data)));
    }
    return found->second;
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    const auto memory = memories_.find(tables().buffer(id).data);
    if (memory == memories_.end()) return id;
    const auto [at, is_new] = buffers_.try_emplace(id, id);
    if (is_new) at->second = tables().WithData(id, tables().buffer(memory->second).data);
    return at->second;
  }

 private:
  using Buffers = std::vector<BufferId>;
  using Values = std::vector<PrimExpr>;

  // A reduction that is being lowered.
  struct Reduction {
    const CommReducer& combiner;
    Values values;
    std::vector<DataType> types;
    // The buffers in which the program expects the results.
    Buffers buffers;
    // The position of a thread among those that are reduced over, and of its group.
    PrimExpr index;
    PrimExpr group;
    int64_t extent = 1;
    int64_t groups = 1;
    // The extent of the leading dimensions that are all reduced over.
    int64_t contiguous = 1;
    std::vector<StmtId> steps;
    // To be allocated around the steps, the last one outermost.
    Buffers locals;
  };

  auto NameOf(PrimExpr var) const -> std::string_view { return context().text(terms().var(var).name); }
  static auto IsThread(Stmt stmt) -> bool {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "thread_extent" && attr->node().iter_var();
  }
  static auto ReducerOf(Stmt stmt) -> ReducerId {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "reduce_scope" ? attr->node().reducer() : ReducerId();
  }

  // The allocation of a result becomes that of the memory in which the reduction leaves it.
  auto Reallocate(const Allocate& alloc, BufferId id, StmtId body) -> StmtId {
    const Buffer& buffer = tables().buffer(id);
    // Threads see what others wrote.
    if (tables().Scope(id) == "shared") body = builder().Attr(buffer.data, "volatile_scope", terms().Int32(1), body);
    return builder().Allocate(buffer.data, buffer.dtype, buffer.shape, Always(buffer.dtype), body, alloc.annotations());
  }
  auto Always(DataType type) const -> PrimExpr {
    return arith::MakeConst(terms(), arith::WithLanes(DataType::Bool(), type.lanes), 1);
  }

  auto Reduce(PrimExpr call) -> StmtId {
    const auto args = terms().operands(call);
    const auto size = args.empty() ? std::nullopt : terms().AsInt(args[0]);
    if (!size || *size < 1 || args.size() < 2 + 2 * static_cast<size_t>(*size)) {
      Fail(MakeDiagnostic(kReduceForm, at_));
      return {};
    }
    const auto count = static_cast<size_t>(*size);
    if (reducers_.empty() || tables().reducer(reducers_.back()).result.size() != count) {
      Fail(MakeDiagnostic(kNoCombiner, at_));
      return {};
    }
    Reduction reduction{.combiner = tables().reducer(reducers_.back())};
    const PrimExpr condition = args[count + 1];
    for (size_t i = 0; i < count; ++i) {
      const PrimExpr value = args[1 + i];
      const bool always = terms().IsInt(condition, 1);
      reduction.values.push_back(always ? value : terms().Select(condition, value, reduction.combiner.identity[i]));
      reduction.types.push_back(terms().dtype(value));
      PrimExpr result = args[2 + count + i];
      if (terms().kind(result) == PrimKind::kCast) result = terms().operand(result, 0);
      if (terms().kind(result) != PrimKind::kBufferLoad) {
        Fail(MakeDiagnostic(kReduceForm, at_));
        return {};
      }
      reduction.buffers.push_back(terms().buffer(result));
    }
    if (!FindThreads(reduction, args.subspan(2 + 2 * count))) return {};
    if (IsInWarps(reduction)) {
      ReduceInWarps(reduction);
    } else if (reduction.extent == 1) {
      const PrimExpr zero = terms().Int32(0);
      for (size_t i = 0; i < count; ++i) {
        reduction.steps.push_back(builder().Store(reduction.buffers[i], reduction.values[i], {&zero, 1}));
      }
    } else {
      ReduceInMemory(reduction);
    }
    StmtId body = builder().Seq(reduction.steps);
    for (const BufferId id : reduction.locals) {
      const Buffer& buffer = tables().buffer(id);
      body = builder().Allocate(buffer.data, buffer.dtype, buffer.shape, Always(buffer.dtype),
                                builder().DeclBuffer(id, body));
    }
    return body;
  }

  auto FindThreads(Reduction& reduction, std::span<const PrimExpr> names) -> bool {
    absl::flat_hash_set<PrimExpr> wanted;
    for (const PrimExpr name : names) {
      if (terms().is_var(name)) {
        wanted.insert(name);
      } else if (!terms().IsInt(name, 0)) {
        Fail(MakeDiagnostic(kReduceForm, at_));
      }
    }
    std::vector<BlockThread> all;
    for (const Stmt thread : threads_) {
      const AttrStmt attr(thread);
      const IterVar& iter = tables().iter_var(attr.node().iter_var());
      const auto scope = ParseThreadScope(context().text(iter.thread_tag));
      if (!scope || scope->dimension < 0) Fail(MakeDiagnostic(kReduceVirtual, at_));
      if (!scope || scope->rank != 1) continue;
      const auto extent = terms().AsInt(attr.value());
      if (!extent) Fail(MakeDiagnostic(kReduceExtent, at_, context().text(iter.thread_tag)));
      const bool is_reduced = wanted.erase(iter.var) != 0;
      if (extent && *extent != 1) all.push_back({scope->dimension, iter.var, *extent, is_reduced});
    }
    if (!wanted.empty()) Fail(MakeDiagnostic(kReduceMissing, at_));
    std::ranges::stable_sort(all, {}, &BlockThread::dimension);
    reduction.index = reduction.group = terms().Int32(0);
    bool leading = true;
    for (const BlockThread& thread : all) {
      PrimExpr& index = thread.is_reduced ? reduction.index : reduction.group;
      int64_t& extent = thread.is_reduced ? reduction.extent : reduction.groups;
      index = extent == 1 ? thread.var
                          : arith::Add(terms(), index, arith::Mul(terms(), thread.var, Like(thread.var, extent)));
      extent *= thread.extent;
      leading = leading && thread.is_reduced;
      if (leading) reduction.contiguous *= thread.extent;
    }
    return !failed();
  }

  auto Like(PrimExpr e, int64_t value) const -> PrimExpr { return terms().IntImm(terms().dtype(e), value); }

  // Whether shuffles can be used.
  auto IsInWarps(const Reduction& reduction) const -> bool {
    if (kind_ != "cuda" && kind_ != "rocm" && kind_ != "metal") return false;
    const auto fits = [&](DataType type) {
      if (kind_ == "rocm" && type != DataType::Int(32)) return false;
      if (type == arith::WithLanes(DataType::Float(16), type.lanes)) return type.lanes <= 2;
      return type.lanes == 1 && type.bytes() >= 4 && type.bytes() <= 8;
    };
    if (!std::ranges::all_of(reduction.types, fits) || threads_.empty()) return false;
    const int64_t extent = reduction.extent;
    if (reduction.contiguous != extent) return false;
    if (kind_ == "rocm") return extent == warp_size_;
    if (extent == 1) return false;
    const bool several = max_threads_ != -1 && max_threads_ <= warp_size_ * warp_size_ && extent % warp_size_ == 0;
    return warp_size_ % extent == 0 || several || (reduction.groups == 1 && extent <= warp_size_);
  }

  auto Declare(std::string_view name, DataType type, std::string_view scope, PrimExpr extent) -> BufferId {
    const DataType stored = arith::IsBool(type) ? arith::WithLanes(DataType::Int(8), type.lanes) : type;
    return tables().Add(Buffer{.data = terms().Var(name, VarType::Pointer(stored, context().Intern(scope))),
                               .dtype = type,
                               .name = context().Intern(name),
                               .shape = {extent}});
  }
  auto Load(BufferId buffer, PrimExpr index) const -> PrimExpr {
    return terms().BufferLoad(buffer, {&index, 1}, tables().buffer(buffer).dtype);
  }
  auto Store(BufferId buffer, PrimExpr value, PrimExpr index) -> StmtId {
    return builder().Store(buffer, value, {&index, 1});
  }
  auto Sync(std::string_view scope) -> StmtId {
    return builder().Evaluate(
        terms().Call(DataType::Int(32), terms().Intrinsic("tir.tvm_storage_sync"_intrin), {terms().StringImm(scope)}));
  }
  auto Combine(const CommReducer& combiner, const Values& a, const Values& b) const -> Values {
    VarMap map;
    for (size_t i = 0; i < a.size(); ++i) {
      map[combiner.lhs[i]] = a[i];
      map[combiner.rhs[i]] = b[i];
    }
    Values made;
    for (const PrimExpr result : combiner.result) made.push_back(Substitute(terms(), result, map));
    return made;
  }

  // The results are in `made`, loads of buffers that replace those of the program.
  void Finish(const Reduction& reduction, const Values& made) {
    for (size_t i = 0; i < made.size(); ++i) {
      const PrimExpr data = tables().buffer(reduction.buffers[i]).data;
      if (!results_.emplace(data, made[i]).second) Fail(MakeDiagnostic(kReduceTwice, at_, NameOf(data)));
      memories_[data] = terms().buffer(made[i]);
      buffers_[reduction.buffers[i]] = terms().buffer(made[i]);
    }
  }

  // Shuffles.

  void ReduceInWarps(Reduction& reduction) {
    PrimExpr mask = terms().Call(DataType::UInt(32), terms().Intrinsic("tir.tvm_warp_activemask"_intrin), {});
    const Values made = reduction.extent <= warp_size_ ? InOneWarp(reduction, mask) : InSeveralWarps(reduction, mask);
    Finish(reduction, made);
  }

  static auto Ones(int64_t count) -> int64_t { return (int64_t{1} << count) - 1; }

  auto InOneWarp(Reduction& reduction, PrimExpr mask) -> Values {
    const int64_t extent = reduction.extent;
    if (reduction.groups > 1 && extent < warp_size_) {
      // Only the groups of the thread's own warp matter.
      PrimExpr number = reduction.group;
      if (reduction.groups * extent > warp_size_) {
        number = arith::FloorMod(terms(), number, Like(number, warp_size_ / extent));
      }
      const PrimExpr group = arith::CastTo(terms(), DataType::UInt(32), number);
      const PrimExpr shift = arith::Mul(terms(), Like(group, extent), group);
      mask = arith::BitwiseAnd(terms(), mask, arith::ShiftLeft(terms(), Like(group, Ones(extent)), shift));
    }
    const Values made = Shuffles(reduction, extent, mask, {});
    for (const PrimExpr result : made) {
      // As TVM: takes the last buffer, even when it is not a mask.
      const PrimExpr from = arith::Mul(terms(), Like(reduction.group, extent), reduction.group);
      const PrimExpr splat =
          Shuffle("tir.tvm_warp_shuffle"_intrin, Load(reduction.locals.back(), terms().Int32(0)), result, from);
      reduction.steps.push_back(Store(terms().buffer(result), splat, Like(reduction.index, 0)));
    }
    return made;
  }

  auto InSeveralWarps(Reduction& reduction, PrimExpr mask) -> Values {
    const PrimExpr index = reduction.index;
    const PrimExpr group = reduction.group;
    const int64_t warps = reduction.extent / warp_size_;
    const size_t count = reduction.values.size();
    const PrimExpr base = arith::Mul(terms(), group, Like(group, warps));
    Buffers staging;
    for (size_t i = 0; i < count; ++i) {
      staging.push_back(Declare("red_buf_staging", tables().buffer(reduction.buffers[i]).dtype, "shared",
                                Like(index, warps * reduction.groups)));
      reduction.locals.push_back(staging.back());
    }
    Values made = Shuffles(reduction, warp_size_, mask, {});
    std::vector<StmtId> stores;
    for (size_t i = 0; i < count; ++i) {
      reduction.locals.push_back(terms().buffer(made[i]));
      const PrimExpr warp = arith::FloorDiv(terms(), index, Like(index, warp_size_));
      stores.push_back(Store(staging[i], made[i], arith::Add(terms(), base, warp)));
    }
    const PrimExpr lane = arith::FloorMod(terms(), index, Like(index, warp_size_));
    const auto is_first = [&](PrimExpr e) { return arith::Eq(terms(), e, Like(e, 0)); };
    reduction.steps.push_back(builder().If(is_first(lane), builder().Seq(stores)));
    reduction.steps.push_back(Sync("shared"));
    for (size_t i = 0; i < count; ++i) reduction.values[i] = Load(staging[i], arith::Add(terms(), base, index));
    if (warps < warp_size_) {
      mask = arith::BitwiseAnd(terms(), mask, arith::ShiftLeft(terms(), Like(base, Ones(warps)), base));
    }
    made = Shuffles(reduction, warps, mask, arith::Lt(terms(), index, Like(index, warps)));
    stores.clear();
    for (size_t i = 0; i < count; ++i) {
      reduction.locals.push_back(terms().buffer(made[i]));
      const BufferId result =
          Declare("red_result", tables().buffer(reduction.buffers[i]).dtype, "shared", Like(index, reduction.groups));
      stores.push_back(Store(result, made[i], group));
      made[i] = Load(result, group);
    }
    reduction.steps.push_back(builder().If(is_first(index), builder().Seq(stores)));
    reduction.steps.push_back(Sync("shared"));
    return made;
  }

  auto Shuffle(std::string_view op, PrimExpr mask, PrimExpr value, PrimExpr lane) const -> PrimExpr {
    const PrimExpr width = terms().Int32(warp_size_);
    return terms().Call(terms().dtype(value), terms().Intrinsic(op), {mask, value, lane, width, width});
  }

  // Reduces the first `extent` threads of each warp; the results of a group are in its first thread.
  auto Shuffles(Reduction& reduction, int64_t extent, PrimExpr mask, PrimExpr predicate) -> Values {
    const PrimExpr zero = terms().Int32(0);
    const size_t count = reduction.values.size();
    Buffers sums;
    Buffers shuffled;
    std::vector<StmtId> loads;
    for (size_t i = 0; i < count; ++i) {
      sums.push_back(Declare(fmt::format("red_buf{}", i), reduction.types[i], "local", terms().Int32(1)));
      loads.push_back(Store(sums[i], reduction.values[i], zero));
      shuffled.push_back(Declare(fmt::format("t{}", i), reduction.types[i], "local", terms().Int32(1)));
    }
    if (predicate) loads = {builder().If(predicate, builder().Seq(loads))};
    std::vector<StmtId>& steps = reduction.steps;
    steps.insert(steps.end(), loads.begin(), loads.end());
    reduction.locals.insert(reduction.locals.end(), shuffled.begin(), shuffled.end());
    PrimExpr mask_now = zero;
    if (kind_ != "metal") {
      const BufferId buffer = Declare("mask", terms().dtype(mask), "local", terms().Int32(1));
      steps.push_back(Store(buffer, mask, zero));
      reduction.locals.push_back(buffer);
      mask_now = Load(buffer, zero);
    }
    int64_t start = 1;
    while (start * 2 < extent) start *= 2;
    for (int64_t offset = start; offset > 0; offset /= 2) {
      Values a;
      Values b;
      for (size_t i = 0; i < count; ++i) {
        a.push_back(Load(sums[i], zero));
        b.push_back(Load(shuffled[i], zero));
        steps.push_back(Store(
            shuffled[i], Shuffle("tir.tvm_warp_shuffle_down"_intrin, mask_now, a[i], terms().Int32(offset)), zero));
      }
      const Values both = Combine(reduction.combiner, a, b);
      std::vector<StmtId> stores;
      stores.reserve(count);
      for (size_t i = 0; i < count; ++i) stores.push_back(Store(sums[i], both[i], zero));
      StmtId step = builder().Seq(stores);
      // Values of threads beyond the last one do not count.
      if (offset * 2 > extent) {
        const PrimExpr other = arith::Add(terms(), reduction.index, Like(reduction.index, offset));
        step = builder().If(arith::Lt(terms(), other, Like(other, extent)), step);
      }
      steps.push_back(step);
    }
    Values made;
    for (const BufferId sum : sums) made.push_back(Load(sum, zero));
    return made;
  }

  // Shared memory.

  auto SharedIndex(const Reduction& reduction, PrimExpr index) -> PrimExpr {
    const PrimExpr group = reduction.group;
    if (terms().IsInt(group, 0)) return index;
    const PrimExpr base = arith::Mul(terms(), group, Like(group, reduction.extent));
    return analyzer_.Simplify(arith::Add(terms(), base, index));
  }

  void ReduceInMemory(Reduction& reduction) {
    std::vector<StmtId>& steps = reduction.steps;
    const PrimExpr own = SharedIndex(reduction, reduction.index);
    Buffers shared;
    // Other threads may still read results of a previous iteration.
    steps.push_back(Sync("shared"));
    for (size_t i = 0; i < reduction.values.size(); ++i) {
      shared.push_back(Declare(fmt::format("red_buf{}", i), reduction.types[i], "shared",
                               Like(reduction.group, reduction.groups * reduction.extent)));
      steps.push_back(Store(shared[i], reduction.values[i], own));
    }
    steps.push_back(Sync("shared"));
    Halve(reduction, shared);
    Values made;
    const PrimExpr first = SharedIndex(reduction, Like(reduction.index, 0));
    for (const BufferId buffer : shared) made.push_back(Load(buffer, first));
    Finish(reduction, made);
  }

  // Combines the values of a thread and of the thread `offset` after it.
  auto Both(const Reduction& reduction, const Buffers& shared, int64_t offset) -> Values {
    const PrimExpr own = SharedIndex(reduction, reduction.index);
    const PrimExpr other = SharedIndex(reduction, arith::Add(terms(), reduction.index, Like(reduction.index, offset)));
    Values a;
    Values b;
    for (const BufferId buffer : shared) {
      a.push_back(Load(buffer, own));
      b.push_back(Load(buffer, other));
    }
    return Combine(reduction.combiner, a, b);
  }
  auto StoreAll(const Reduction& reduction, const Buffers& shared, const Values& values) -> StmtId {
    const PrimExpr own = SharedIndex(reduction, reduction.index);
    std::vector<StmtId> stores;
    stores.reserve(shared.size());
    for (size_t i = 0; i < shared.size(); ++i) stores.push_back(Store(shared[i], values[i], own));
    return builder().Seq(stores);
  }

  void Halve(Reduction& reduction, const Buffers& shared) {
    std::vector<StmtId>& steps = reduction.steps;
    const PrimExpr index = reduction.index;
    const auto step = [&](int64_t threads, int64_t offset) {
      const PrimExpr takes_part = arith::Lt(terms(), index, Like(index, threads));
      steps.push_back(builder().If(takes_part, StoreAll(reduction, shared, Both(reduction, shared, offset))));
      steps.push_back(Sync("shared"));
    };
    int64_t width = 1;
    while (width < reduction.extent) width *= 2;
    if (width > reduction.extent) {
      width /= 2;
      step(reduction.extent - width, width);
    }
    const bool aligned = reduction.groups == 1 || reduction.contiguous % warp_size_ == 0;
    while (width > 1 && (width > reduction.contiguous || width > warp_size_ || !aligned)) {
      width /= 2;
      step(width, width);
    }
    if (width <= 1) return;
    // The rest is done within a warp.
    const PrimExpr takes_part = arith::Lt(terms(), index, Like(index, width / 2));
    std::vector<StmtId> in_warp;
    while (width > 1) {
      width /= 2;
      in_warp.push_back(WarpStep(reduction, shared, width));
    }
    steps.push_back(builder().If(takes_part, builder().Seq(in_warp)));
    steps.push_back(Sync("shared"));
  }

  // All threads read before one writes.
  auto WarpStep(const Reduction& reduction, const Buffers& shared, int64_t offset) -> StmtId {
    const Values loads = Both(reduction, shared, offset);
    Values vars;
    for (size_t i = 0; i < loads.size(); ++i) {
      vars.push_back(terms().Var(fmt::format("w_{}_{}", offset, i), terms().dtype(loads[i])));
    }
    StmtId body = builder().Seq({Sync("warp"), StoreAll(reduction, shared, vars), Sync("warp")});
    for (size_t i = 0; i < loads.size(); ++i) body = builder().Let(vars[i], loads[i], body);
    return body;
  }

  std::string_view kind_;
  int64_t warp_size_;
  int64_t max_threads_;
  arith::Analyzer analyzer_;
  arith::CallOpId allreduce_ = terms().Intrinsic("tir.tvm_thread_allreduce"_intrin);
  std::vector<Stmt> threads_;
  std::vector<ReducerId> reducers_;
  // Keyed by the program's pointer: the load of the result, and its buffer.
  VarMap results_;
  absl::flat_hash_map<PrimExpr, BufferId> memories_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  SourceRange at_;
};

struct LowerThreadAllreducePass {
  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    const std::optional<TargetView> target = TargetView::Of(func);
    if (!target) return MakeDiagnostic(kNoReduceTarget, module.global(id).range, module.name(id));
    return AllreduceLowerer(func, *target).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLowerThreadAllreducePass = DescribePass<LowerThreadAllreducePass>({
    .name = "tir.LowerThreadAllreduce",
    .summary = "Reduce over threads by shuffles or through shared memory",
    .details = R"(  T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), B[0], tx)
  ->
  red_buf0[0] = A[tx]
  mask[0] = T.tvm_warp_activemask()
  t0[0] = T.tvm_warp_shuffle_down(mask[0], red_buf0[0], 16, 32, 32)
  red_buf0[0] = red_buf0[0] + t0[0]
  ...

By shuffles on cuda, rocm and metal where the threads are whole warps or parts of one; reads the target's thread_warp_size
and max_num_threads. The combiner is that of the attribute reduce_scope around.)",
    .aliases = "tir.transform.LowerThreadAllreduce",
    .exactness = Exactness::kReorders,
    .idempotent = true,
});

}  // namespace relayopt::tir
