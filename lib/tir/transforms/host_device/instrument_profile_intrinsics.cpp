// InstrumentProfileIntrinsics: calls mark the beginning and end of functions and loops.
//
//   for i in range(4):          T.start_profile_intrinsic(0)
//       A[i] = B[i]       ->    for i in range(4):
//                                   A[i] = B[i]
//                               T.end_profile_intrinsic(0)
//
// Numbers are given in the order of the text: to each function, then to its loops. A loop is instrumented if it is next
// to others, or is not too deep, and holds enough loops inside of each other. As TVM: what is in a loop is only visited
// through loops, branches, lets, attributes, allocations and sequences, and of a sequence only its loops count: loops
// elsewhere have no number.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/module/functions.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

struct ProfileConfig {
  bool has_functions;
  bool only_siblings;
  int64_t max_depth;
  int64_t min_height;

  explicit ProfileConfig(const PassContext& context)
      : has_functions(!context.ConfigBool("tir.lwp_disable_func_prof")),
        only_siblings(context.ConfigBool("tir.instr_siblings")),
        max_depth(context.ConfigInt("tir.lwp_max_depth")),
        min_height(context.ConfigInt("tir.lwp_min_height")) {}
};

// Numbers the loops and selects those to instrument.
class LoopNumbering {
 public:
  LoopNumbering(const PrimFunc& func, const ProfileConfig& config, int64_t& next_id) : config_(config), next_(next_id) {
    Walk(
        func.body(), [this](Stmt stmt) { return Enter(stmt), true; }, [this](Stmt) { Leave(); });
  }

  // Returns the number of a loop that is instrumented.
  auto IdOf(StmtId loop) const -> std::optional<int64_t> {
    const auto found = told_.find(loop);
    return found == told_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  enum class Place : uint8_t { kOutside, kInLoop, kUnseen };
  struct Loop {
    StmtId stmt;
    int64_t id;
    int64_t depth;
    bool in_parallel;
    int64_t height = 0;
  };
  // An open statement.
  struct Frame {
    StmtKind kind;
    // The context of its parts: the number of enclosing loops, and whether one of them is parallel.
    Place place;
    int64_t depth = 0;
    bool in_parallel = false;
    std::optional<Loop> loop = std::nullopt;
    // The largest of the parts.
    int64_t height = 0;
    // For a sequence in a loop.
    std::vector<Loop> loops = {};
  };

  void Enter(Stmt stmt) {
    const auto loop = stmt.As<For>();
    Frame frame{stmt.kind(), Place::kOutside};
    if (!frames_.empty()) {
      const Frame& outer = frames_.back();
      frame.place = outer.place;
      frame.depth = outer.depth;
      frame.in_parallel = outer.in_parallel;
      if (outer.place == Place::kInLoop && outer.kind == StmtKind::kSeq && !loop) frame.place = Place::kUnseen;
    }
    if (loop && frame.place != Place::kUnseen) {
      const bool is_outermost = frame.place == Place::kOutside;
      if (!is_outermost) ++frame.depth;
      frame.loop = Loop{stmt.id(), next_++, frame.depth, frame.in_parallel};
      // As TVM: loops inside an outermost parallel loop are instrumented.
      frame.in_parallel = frame.in_parallel || (!is_outermost && loop->for_kind() == ForKind::kParallel);
      frame.place = Place::kInLoop;
    }
    if (frame.place == Place::kInLoop && !IsSeenThrough(stmt.kind())) frame.place = Place::kUnseen;
    frames_.push_back(std::move(frame));
  }

  void Leave() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Frame* const outer = frames_.empty() ? nullptr : &frames_.back();
    int64_t height = frame.height;
    if (frame.loops.size() > 1) {
      for (const Loop& loop : frame.loops) Tell(loop, true);
    } else if (!frame.loops.empty()) {
      Tell(frame.loops[0], false);
    }
    if (!frame.loops.empty()) ++height;
    if (frame.loop) {
      Loop loop = *frame.loop;
      const bool in_sequence = outer != nullptr && outer->place == Place::kInLoop && outer->kind == StmtKind::kSeq;
      // As TVM: the loops before it count as well.
      loop.height = in_sequence ? std::max(outer->height, height) : height;
      if (in_sequence) {
        outer->loops.push_back(loop);
      } else {
        Tell(loop, false);
        ++height;
      }
    }
    if (outer != nullptr) outer->height = std::max(outer->height, height);
  }

  static auto IsSeenThrough(StmtKind kind) -> bool {
    return kind == StmtKind::kFor || kind == StmtKind::kSeq || kind == StmtKind::kIf || kind == StmtKind::kLet ||
           kind == StmtKind::kAttr || kind == StmtKind::kAllocate;
  }

  void Tell(const Loop& loop, bool has_siblings) {
    if (loop.in_parallel || loop.height < config_.min_height) return;
    if (config_.only_siblings ? has_siblings : loop.depth <= config_.max_depth) told_.emplace(loop.stmt, loop.id);
  }

  const ProfileConfig& config_;
  int64_t& next_;
  std::vector<Frame> frames_;
  absl::flat_hash_map<StmtId, int64_t> told_;
};

class ProfileInserter : public Rewriter {
 public:
  // `own` is the number of the function; none if it is not instrumented.
  ProfileInserter(const PrimFunc& func, const LoopNumbering& loops, std::optional<int64_t> own)
      : Rewriter(func), loops_(loops), own_(own) {}

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    StmtId made = Rewriter::Leave(stmt, parts);
    if (const auto id = loops_.IdOf(stmt.id())) made = Around(made, *id);
    return own_ && stmt.id() == func().body().id() ? Around(made, *own_) : made;
  }

 private:
  auto Around(StmtId stmt, int64_t id) -> StmtId {
    const auto call = [&](std::string_view name) {
      return builder().Evaluate(
          terms().Call(arith::kHandleType, terms().Intrinsic(name), {terms().IntImm(DataType::Int(32), id)}));
    };
    return builder().Seq({call("tir.start_profile_intrinsic"_intrin), stmt, call("tir.end_profile_intrinsic"_intrin)});
  }

  const LoopNumbering& loops_;
  std::optional<int64_t> own_;
};

struct InstrumentProfileIntrinsics {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    const ProfileConfig config(context);
    int64_t next_id = 0;
    return RewriteFunctions<PrimFunc>(module, [&](GlobalId, const PrimFunc& func) {
      const int64_t own = next_id++;
      const LoopNumbering loops(func, config, next_id);
      return ProfileInserter(func, loops, config.has_functions ? std::optional(own) : std::nullopt).Run();
    });
  }
};

}  // namespace

constinit const PassDef kInstrumentProfileIntrinsicsPass = DescribePass<InstrumentProfileIntrinsics>({
    .name = "tir.InstrumentProfileIntrinsics",
    .summary = "Report the beginning and end of functions and loops to a profiler",
    .details = R"(  for i in range(4):          T.start_profile_intrinsic(0)
      A[i] = B[i]       ->    for i in range(4):
                                  A[i] = B[i]
                              T.end_profile_intrinsic(0)

Functions do (but for tir.lwp_disable_func_prof), and loops that stand beside others in a loop; with
tir.instr_siblings=false all up to the depth tir.lwp_max_depth. Loops with fewer than tir.lwp_min_height loops inside of
each other do not, and none inside of parallel ones. Numbers begin at 0 in each module.)",
    .aliases = "tir.transform.InstrumentProfileIntrinsics",
});

}  // namespace relayopt::tir
