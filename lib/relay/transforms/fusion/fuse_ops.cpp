// FuseOps: operators that one kernel can compute become one function.
//
// 1. FindFusionGroups (fusion_groups.cpp) determines for every expression which one is the last of its group. Values
//    of the others are used inside the group only.
// 2. FusionPlan links the members of each group, so that the members of one are walked without looking at the others.
// 3. The program is rebuilt from its root downwards (Fuser::Run), with an explicit stack of frames: an expression
//    that a kernel computes is replaced by a call. KernelBuilder creates the function of the group and finds its
//    parameters in the order of their first use; VisitArgs then creates the arguments, which may be kernels of other
//    groups, and the call.
//
// Each expression is made once for each place that it can be in (CopyOf): outside of kernels, inside one that is made,
// or inside a function that was a kernel before and stays as it is. annotation.stop_fusion does not belong to any group
// and is replaced by its operand (Substitute), so that it keeps its two sides apart and disappears.
//
//   %0 = nn.conv2d(%x, %w)   last: %1      KernelBuilder(%1): parameters p0=%x, p1=%w, p2=%b; body nn.relu(add(...))
//   %1 = nn.relu(add(%0, %b))              VisitArgs: %x, %w and %b are variables
//   exp(sum(%1))             last: itself  kernels of sum and of exp, each called with what came before
#include <algorithm>
#include <optional>
#include <vector>

#include "fusion_plan.h"
#include "fusion_remarks.h"
#include "kernel_builder.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

// Walks the program from its root in the order of the result, so that each expression is created once and in its
// position: first the function of a group, then its arguments.
class Fuser {
 public:
  explicit Fuser(const FusionPlan& plan)
      : plan_(plan),
        function_(plan.function()),
        to_(function_.context()),
        made_(function_.size()),
        kernels_(plan, to_, made_) {}

  // Returns nothing if nothing changes.
  auto Run() -> std::optional<Function> {
    to_.ReserveLike(function_);
    Open(function_.root(), Place::kOpen);
    while (!stack_.empty()) {
      if (stack_.back().kernel)
        VisitArgs();
      else
        VisitOperands();
    }
    if (!changed_) return std::nullopt;
    return to_.Finish(made_[function_.root()]);
  }

 private:
  // Where an expression is used: inside or outside of kernels that existed before. The content of these stays as it is,
  // even when the rest of the program uses it, too.
  enum class Place : uint8_t { kOpen, kInKernel };

  // An expression whose operands are being created; or, with a kernel, the last one of a group whose function exists.
  struct Frame {
    ExprId id;
    Place place;
    uint32_t next = 0;
    ExprId kernel;
    uint32_t first_arg = 0;
  };

  // Returns the new id of an expression; invalid while it has none. Kernels and the rest of the program share kernels,
  // and expressions without operands.
  auto CopyOf(ExprId id, Place place) -> ExprId& {
    if (place == Place::kOpen || function_.operands(id).empty() || IsKernel(function_, id)) return made_[id];
    if (in_kernel_.empty()) in_kernel_.resize(function_.size());
    return in_kernel_[id];
  }

  // Creates the expression, or pushes it onto the stack.
  void Open(ExprId id, Place place) {
    if (place == Place::kOpen && plan_.IsMember(id)) return OpenKernel(id);
    if (function_.operands(id).empty()) {
      CopyOf(id, place) = to_.Copy(function_, id, {});
    } else {
      stack_.push_back({id, place});
    }
  }

  void VisitOperands() {
    Frame& frame = stack_.back();
    const ExprId id = frame.id;
    const Place place = frame.place;
    const Place inside = place == Place::kInKernel || IsKernel(function_, id) ? Place::kInKernel : Place::kOpen;
    const auto operands = function_.operands(id);
    const auto value = [&](ExprId operand) { return inside == Place::kOpen ? plan_.Substitute(operand) : operand; };
    while (frame.next < operands.size()) {
      const ExprId operand = value(operands[frame.next]);
      ++frame.next;
      changed_ = changed_ || operand != operands[frame.next - 1];
      if (CopyOf(operand, inside)) continue;
      const size_t height = stack_.size();
      Open(operand, inside);
      if (stack_.size() != height) return;
    }
    operands_.clear();
    for (const ExprId operand : operands) operands_.push_back(CopyOf(value(operand), inside));
    CopyOf(id, place) = to_.Copy(function_, id, operands_);
    stack_.pop_back();
  }

  // Creates the function of a group. The call follows when its arguments exist.
  void OpenKernel(ExprId last) {
    changed_ = true;
    to_.Replace(function_, last);
    const auto first_arg = static_cast<uint32_t>(args_.size());
    const ExprId kernel = kernels_.Make(last, args_);
    stack_.push_back({last, Place::kOpen, 0, kernel, first_arg});
  }

  // Creates the arguments of a kernel, then the call.
  void VisitArgs() {
    Frame& frame = stack_.back();
    const ExprId last = frame.id;
    const uint32_t first = frame.first_arg;
    const size_t count = args_.size() - first;
    while (frame.next < count) {
      const ExprId arg = args_[first + frame.next];
      ++frame.next;
      if (made_[arg]) continue;
      const size_t height = stack_.size();
      Open(arg, Place::kOpen);
      if (stack_.size() != height) return;
    }
    for (size_t i = first; i < args_.size(); ++i) args_[i] = made_[args_[i]];
    to_.Replace(function_, last);
    made_[last] = to_.Call(frame.kernel, std::span<const ExprId>(args_).subspan(first));
    to_.SetType(made_[last], function_.type(last));
    args_.resize(first);
    stack_.pop_back();
  }

  const FusionPlan& plan_;
  const Function& function_;
  FunctionBuilder to_;
  // New ids of expressions: outside of kernels, and inside kernels that existed before (empty when there are none).
  SideTable<ExprId, ExprId> made_;
  SideTable<ExprId, ExprId> in_kernel_;
  KernelBuilder kernels_;
  std::vector<Frame> stack_;
  // The arguments of waiting kernels, one kernel after the other.
  std::vector<ExprId> args_;
  std::vector<ExprId> operands_;
  bool changed_ = false;
};

struct FuseOps {
  struct Options {
    int64_t fuse_opt_level = -1;
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::fuse_opt_level>("0: a kernel for each operator; -1: the level of the context", {.min = -1})};
    }
  } options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    if (IsKernel(function, function.root())) return std::nullopt;
    const int64_t level = options.fuse_opt_level == -1 ? context.opt_level() : options.fuse_opt_level;
    RELAYOPT_TRY(const size_t max_args, MaxArgs(context));
    const FusionLimits limits{.fuse = level != 0,
                              .max_size = static_cast<size_t>(context.ConfigInt("relay.FuseOps.max_depth")),
                              .max_args = max_args};
    if (context.wants_remarks()) ReportFusion(module, id, function, limits, context);
    const FusionPlan plan(function, limits, context.ConfigBool("relay.FuseOps.link_params"));
    std::optional<Function> made = Fuser(plan).Run();
    // Let chains that were separated only by a stop_fusion are joined.
    if (made && plan.has_substitutes()) made = Relayout(*made);
    return made;
  }

  // Returns the maximum number of arguments of a kernel on the target, 0 if unlimited.
  static auto MaxArgs(const PassContext& context) -> Result<size_t> {
    if (context.target().empty()) return size_t{0};
    RELAYOPT_TRY(const Target target, Target::Parse(context.target()));
    return static_cast<size_t>(std::max(target.GetInt("max_function_args").value_or(0), int64_t{0}));
  }
};

}  // namespace

constinit const PassDef kFuseOpsPass = DescribePass<FuseOps>({
    .name = "FuseOps",
    .opt_level = 0,
    .required = "InferType",
    .summary = "groups operators into functions that one kernel can compute",
    .details =
        R"(Every operator moves into a function literal with Primitive=1, and operators that can be computed in one go share one:

  %0 = nn.conv2d(%x, %w);          %2 = fn (%p0, %p1, %p2, Primitive=1) {
  %1 = add(%0, %b);                  %0 = nn.conv2d(%p0, %p1);
  nn.relu(%1)               =>       %1 = add(%0, %p2);
                                     nn.relu(%1)
                                   };
                                   %2(%x, %w, %b)

A value joins the group of its post-dominator, the first expression that all its uses lead to, with all that lies
between, when the patterns of the operators allow it (--help-op tells them):
  elementwise, broadcast    into what follows, up to a reduction or a convolution's group
  injective                 into injective operators
  convolutions and the like take in what follows elementwise
  reductions                end a group
Fields of tuples join when an injective operator, such as concatenate, has taken the tuple in. A tuple is never the
result of a kernel. Scalar constants are literals inside, other constants are parameters unless
relay.FuseOps.link_params is on. relay.FuseOps.max_depth limits the size of groups, and max_function_args of the
target (opencl: 128, metal: 31) what a group reads: variables and fields of tuples, not constants. A function of which all calls only
reshape gets relay.reshape_only=1. With fuse_opt_level=0 every operator has a function of its own.

Values, their number and their order are the same. Left alone: lets, branches, references and calls of functions (no
group crosses them), operators for the runtime (memory.*, vm.*, on_device), functions that are kernels already, and
functions for external compilers. Operators without a pattern get functions of their own. annotation.stop_fusion
keeps the two sides of it apart and disappears.)",
    .idempotent = false,
});

}  // namespace relayopt
