// Compiles launches of threads, and operations of all threads of a block.
#include <algorithm>
#include <string>

#include "lib/tir/eval/compiler.h"
#include "lib/tir/eval/memory.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

// A thread that a statement binds. Threads are identified by tag, virtual threads by variable.
struct BoundThread {
  PrimExpr var;
  std::string_view tag;
  PrimExpr extent;
};

auto IsVirtual(std::string_view tag) -> bool { return tag.starts_with("vthread") || tag == "cthread"; }

// Returns the name of a dimension.
auto DimName(const BoundThread& thread) -> std::string {
  if (IsVirtual(thread.tag)) return std::string(thread.tag) + "#" + std::to_string(thread.var.value());
  return std::string(thread.tag);
}

auto IsGrid(std::string_view tag) -> bool { return tag.starts_with("blockIdx"); }

}  // namespace

auto Compiler::VisitThread(StmtStep& step, PrimExpr var, std::string_view tag, PrimExpr min, PrimExpr extent) -> Next {
  if (step.next != 0) {
    if (!step.flag) return {};
    Emit(OpCode::kThreadEnd, DataType::Void(), 0);
    program_->launches[step.begin].end = Here();
    in_launch_ = false;
    return {};
  }
  step.flag = !in_launch_;
  if (step.flag) {
    step.begin = static_cast<uint32_t>(program_->launches.size());
    BeginLaunch(step.stmt);
  }
  const auto& dims = program_->launches.back().dims;
  const std::string name = DimName({var, tag, extent});
  const auto dim = std::find_if(dims.begin(), dims.end(), [&](const ThreadDim& d) { return d.tag == name; });
  const Reg first = min ? Value(min) : ConstInt(0);
  const Reg count = Value(extent);
  const Reg reg = Define(var);
  program_->loop_regs[var] = reg;
  const auto number = static_cast<uint32_t>(dim - dims.begin());
  thread_dims_[var] = number;
  Emit(OpCode::kThreadIndex, terms_.dtype(var), reg, number, first, count);
  return 0;
}

void Compiler::BeginLaunch(Stmt stmt) {
  std::vector<BoundThread> threads;
  const StmtTable& table = stmt.table();
  // From the outermost statement inwards.
  for (uint32_t id = stmt.id().value() + 1; id-- > table.first(stmt.id()).value();) {
    const Stmt inner = table[StmtId(id)];
    if (const auto loop = inner.As<For>(); loop && loop->thread_binding()) {
      const StringId tag = tables_.iter_var(loop->thread_binding()).thread_tag;
      threads.push_back({loop->loop_var(), func_.context().text(tag), loop->extent()});
    }
    if (const auto attr = inner.As<AttrStmt>(); attr && attr->launched_thread()) {
      const IterVar& iter = tables_.iter_var(attr->node().iter_var());
      threads.push_back({iter.var, func_.context().text(iter.thread_tag), attr->value()});
    }
  }
  // Blocks first, then virtual threads, then threads; z before y before x.
  std::stable_sort(threads.begin(), threads.end(), [](const BoundThread& a, const BoundThread& b) {
    const auto rank = [](const BoundThread& t) { return IsGrid(t.tag) ? 0 : IsVirtual(t.tag) ? 1 : 2; };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) != 1 && a.tag > b.tag;
  });
  Launch launch;
  for (const BoundThread& thread : threads) {
    const std::string name = DimName(thread);
    const auto is_same = [&](const ThreadDim& dim) { return dim.tag == name; };
    if (std::any_of(launch.dims.begin(), launch.dims.end(), is_same)) continue;
    const bool depends = arith::UsesVar(terms_, thread.extent, [&](PrimExpr var) {
      return !IsDefined(var) && !program_->input_regs.contains(var) && ever_defined_.contains(var);
    });
    if (depends) Fail("a launch with an extent that is only known to its threads");
    const Reg extent = Kept();
    Emit(OpCode::kMove, DataType::Int(64), extent, depends ? ConstInt(1) : Value(thread.extent));
    launch.dims.push_back({name, extent});
    launch.num_grid_dims += IsGrid(thread.tag) ? 1 : 0;
  }
  const auto number = static_cast<uint32_t>(program_->launches.size());
  Emit(OpCode::kLaunch, DataType::Void(), 0, number);
  launch.begin = Here();
  program_->launches.push_back(std::move(launch));
  in_launch_ = true;
}

auto Compiler::Barrier(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const bool is_text = !args.empty() && terms_.kind(args[0]) == PrimKind::kStringImm;
  const std::string_view scope = is_text ? func_.context().text(terms_.string_value(args[0])) : "";
  BarrierScope barrier = BarrierScope::kBlock;
  if (scope == "warp") barrier = BarrierScope::kWarp;
  if (scope == "global") barrier = BarrierScope::kGlobal;
  Emit(OpCode::kBarrier, DataType::Void(), 0, static_cast<uint32_t>(barrier));
  return ConstInt(0);
}

auto Compiler::ExchangeLanes(PrimExpr call, const arith::IntrinsicRow& row) -> Reg {
  const auto args = terms_.operands(call);
  const size_t at = row.shuffled_operand();
  const Reg value = Known(args[at]);
  int64_t width = kWarpSize;
  if (at + 2 < args.size()) {
    const auto given = terms_.AsInt(args[at + 2]);
    if (!given || *given <= 0 || kWarpSize % *given != 0)
      return Fail("an exchange in a part of a warp of unknown width", terms_.lanes(call));
    width = *given;
  }
  return EmitTo(OpCode::kExchange, terms_.dtype(call), value, Known(args[at + 1]),
                static_cast<uint32_t>(row.shuffle) | static_cast<uint32_t>(width) << kExchangeWidthShift);
}

// tvm_thread_allreduce(n, values..., condition, results..., threads...), within an attribute that names the combiner.
auto Compiler::ReduceThreads(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const auto count = args.empty() ? std::nullopt : terms_.AsInt(args[0]);
  const auto most = static_cast<int64_t>(args.size());
  const bool fits = count && *count >= 1 && *count <= most && 2 + 2 * *count <= most;
  if (!fits || reducers_.empty() || !in_launch_) return Fail("a reduction over threads without a combiner");
  const auto n = static_cast<size_t>(*count);
  const CommReducer& reducer = tables_.reducer(reducers_.back());
  if (reducer.lhs.size() != n) return Fail("a reduction over threads whose values do not match its combiner");
  AllReduce reduce;
  for (size_t i = 0; i < n; ++i) {
    reduce.values.push_back(Known(args[1 + i]));
    reduce.types.push_back(terms_.dtype(args[1 + i]));
    // A result is a pointer, or the load of its first element.
    const PrimExpr result = args[2 + n + i];
    const bool is_load = terms_.kind(result) == PrimKind::kBufferLoad;
    const PrimExpr pointer = is_load ? tables_.buffer(terms_.buffer(result)).data : result;
    if (terms_.dtype(pointer).code != TypeCode::kHandle)
      return Fail("a reduction over threads without a place for its result");
    if (terms_.dtype(args[1 + i]) != terms_.dtype(reducer.lhs[i]))
      return Fail("a reduction over threads whose values do not match its combiner");
    reduce.results.push_back(RegOf(pointer));
  }
  reduce.condition = Known(args[1 + n]);
  const auto& dims = program_->launches.back().dims;
  for (const PrimExpr thread : args.subspan(2 + 2 * n)) {
    const auto at = thread_dims_.find(thread);
    if (at != thread_dims_.end() && at->second < dims.size()) reduce.dims.push_back(at->second);
  }
  // The combiner's code is out of line: the machine runs it up to kThreadEnd for two values at a time.
  const uint32_t jump = Emit(OpCode::kJump, DataType::Void(), 0);
  reduce.begin = Here();
  const size_t mark = defined_.size();
  for (size_t i = 0; i < reducer.lhs.size(); ++i) {
    reduce.lhs.push_back(Define(reducer.lhs[i]));
    reduce.rhs.push_back(Define(reducer.rhs[i]));
  }
  OpenScope();
  const auto results = MapToVector<Reg>(reducer.result, [&](PrimExpr result) { return Value(result); });
  for (size_t i = 0; i < results.size(); ++i) {
    reduce.out.push_back(Kept());
    Emit(OpCode::kMove, reduce.types[i], reduce.out.back(), results[i]);
  }
  CloseScope();
  Emit(OpCode::kThreadEnd, DataType::Void(), 0);
  UndefineTo(mark);
  JumpHere(jump);
  for (const PrimExpr identity : reducer.identity) reduce.identity.push_back(Value(identity));
  program_->reductions.push_back(std::move(reduce));
  Emit(OpCode::kAllReduce, DataType::Void(), 0, static_cast<uint32_t>(program_->reductions.size() - 1));
  return ConstInt(0);
}

}  // namespace relayopt::tir
