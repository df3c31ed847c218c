// FuseOps: operators that one kernel can compute become one function.
//
// 1. FindFusionGroups (fusion_groups.cpp) says for every expression which one is the last of its group. Values of the
//    others are used inside the group only.
// 2. LinkMembers links the members of each group, so that the members of one are walked without looking at the others.
// 3. The program is made afresh from its root downwards (Run), with frames on a stack of our own: an expression that a
//    kernel computes is replaced by a call. EmitKernel makes the function of the group and finds its parameters in the
//    order of their first use; VisitArgs then makes the arguments, which may be kernels of other groups, and the call.
//
// Each expression is made once for each place that it can be in (CopyOf): outside of kernels, inside one that is made,
// or inside a function that was a kernel before and stays as it is. annotation.stop_fusion is no member of any group
// and is replaced by its operand (Substitute), so that it keeps its two sides apart and disappears.
//
//   %0 = nn.conv2d(%x, %w)   last: %1      EmitKernel(%1): parameters p0=%x, p1=%w, p2=%b; body nn.relu(add(...))
//   %1 = nn.relu(add(%0, %b))              VisitArgs: %x, %w and %b are variables
//   exp(sum(%1))             last: itself  kernels of sum and of exp, each called with what came before
#include <algorithm>
#include <optional>
#include <vector>

#include "fusion_groups.h"
#include "fusion_remarks.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Walks the program from its root in the order of the result, so that each expression is made once, in its place: the
// function of a group, then what it is called with.
class Fuser {
 public:
  Fuser(const Function& function, const FusionLimits& limits, bool link_params)
      : function_(function),
        link_params_(link_params),
        to_(function.context()),
        groups_(FindFusionGroups(function, limits)),
        made_(function.size()),
        inner_(function.size()),
        next_(function.size()),
        param_of_(function.size()) {}

  auto Run() -> std::optional<Function> {
    LinkMembers();
    FindSubstitutes();
    to_.ReserveLike(function_);
    Open(function_.root(), Place::kOpen);
    while (!stack_.empty()) {
      if (stack_.back().kernel)
        VisitArgs();
      else
        VisitOperands();
    }
    if (!changed_) return std::nullopt;
    Function made = to_.Finish(made_[function_.root()]);
    // Chains of lets that only a stop_fusion kept apart are joined.
    return substitutes_.empty() ? std::move(made) : Relayout(made);
  }

 private:
  // Where an expression is used: outside of kernels that were there before, or inside. What these contain stays as it
  // is, also where the rest of the program uses it too.
  enum class Place : uint8_t { kOpen, kInKernel };

  // An expression whose operands are being made; or, with a kernel, the last one of a group whose function is made.
  struct Frame {
    ExprId id;
    Place place;
    uint32_t next = 0;
    ExprId kernel;
    uint32_t first_arg = 0;
  };

  auto IsLast(ExprId id) const -> bool { return groups_[id] == id; }

  // Whether a function computes the expression. All expressions of a group of several do, and constants may be part of
  // it.
  auto IsMember(ExprId id) const -> bool {
    switch (function_.kind(id)) {
      case ExprKind::kOpCall: {
        const OpDef* op = function_.op(id);
        if (op == "annotation.stop_fusion"_op) return false;
        // It is for the runtime, not for a kernel. Quantized operators are kernels as soon as they are lowered.
        return !op->non_computational || op->fusion != Fusion::kOpaque;
      }
      case ExprKind::kTuple: return !IsLast(id);
      // A field of what some other function returns needs no kernel.
      case ExprKind::kTupleGetItem: return !IsLast(id) || groups_[function_.operand(id, 0)] == id;
      default: return false;
    }
  }

  // Links the members of each group upwards, from what `next_` holds for its last one.
  void LinkMembers() {
    for (const ExprId id : function_.ids().reversed()) {
      const ExprId last = groups_[id];
      if (last == id || !IsMember(id)) continue;
      next_[id] = next_[last];
      next_[last] = id;
    }
  }

  void FindSubstitutes() {
    for (const ExprId id : function_.ids()) {
      const bool stops = function_.kind(id) == ExprKind::kOpCall && function_.op(id) == "annotation.stop_fusion"_op;
      if (stops && substitutes_.empty()) {
        substitutes_.resize(function_.size());
        for (ExprId before(0U); before < id; ++before) substitutes_[before] = before;
      }
      if (!substitutes_.empty()) substitutes_[id] = stops ? substitutes_[function_.operand(id, 0)] : id;
    }
  }

  // What stands for the expression outside of kernels.
  auto Substitute(ExprId id) const -> ExprId { return substitutes_.empty() ? id : substitutes_[id]; }

  // What the expression became; none when nothing yet. Kernels and the rest of the program share what has no operands,
  // and kernels.
  auto CopyOf(ExprId id, Place place) -> ExprId& {
    if (place == Place::kOpen || function_.operands(id).empty() || IsKernel(function_, id)) return made_[id];
    if (in_kernel_.empty()) in_kernel_.resize(function_.size());
    return in_kernel_[id];
  }

  // Makes the expression, or puts it on the stack.
  void Open(ExprId id, Place place) {
    if (place == Place::kOpen && IsMember(id)) return EmitKernel(id);
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
    const auto value = [&](ExprId operand) { return inside == Place::kOpen ? Substitute(operand) : operand; };
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

  // Whether a member of the group uses the operand as it is; else it comes in by a parameter.
  auto IsInside(ExprId operand, ExprId last) const -> bool {
    return groups_[operand] == last || (link_params_ && function_.kind(Substitute(operand)) == ExprKind::kConstant);
  }

  // The function of a group. Its arguments come next.
  void EmitKernel(ExprId last) {
    changed_ = true;
    params_.clear();
    param_types_.clear();
    bool has_call = false;
    bool reshapes_only = true;
    const auto first_arg = static_cast<uint32_t>(args_.size());
    for (ExprId id = next_[last] ? next_[last] : last; id; id = id == last ? ExprId() : next_[id] ? next_[id] : last) {
      if (function_.kind(id) == ExprKind::kOpCall) {
        has_call = true;
        reshapes_only = reshapes_only && function_.op(id)->reshape_only;
      }
      for (const ExprId operand : function_.operands(id)) {
        if (!IsInside(operand, last)) AddParam(last, Substitute(operand), function_.type(operand));
      }
    }
    for (const TypeId type : param_types_) {
      reshapes_only = reshapes_only && type && function_.context().type(type).is_tensor();
    }
    EmitBody(last);
    const TypeId result = function_.type(last);
    FunctionInfo info{.result = result, .type_params = {}, .attrs = {}, .virtual_device = {}};
    info.attrs.reserve(2);
    info.attrs.push_back({primitive_, has_call ? one_ : zero_});
    if (has_call && reshapes_only) info.attrs.push_back({reshape_only_, one_});
    const ExprId kernel = to_.Lambda(std::move(info), params_, inner_[last]);
    to_.SetType(kernel, function_.context().FunctionType(param_types_, result));
    stack_.push_back({last, Place::kOpen, 0, kernel, first_arg});
  }

  void AddParam(ExprId last, ExprId arg, TypeId type) {
    Param& known = param_of_[arg];
    if (known.group == last) return;
    const ExprId param = to_.Var({.name = ParamName(params_.size()), .annotation = type, .virtual_device = {}});
    to_.SetType(param, type);
    known = {last, param};
    params_.push_back(param);
    param_types_.push_back(type);
    args_.push_back(arg);
  }

  auto ParamName(size_t number) -> StringId {
    while (names_.size() <= number) names_.push_back(function_.context().Intern("p" + std::to_string(names_.size())));
    return names_[number];
  }

  // Copies the members of a group; their parameters are there.
  void EmitBody(ExprId last) {
    body_.assign({{last, 0}});
    while (!body_.empty()) {
      const ExprId id = body_.back().id;
      const auto operands = function_.operands(id);
      size_t i = body_.back().next;
      for (; i < operands.size(); ++i) {
        if (!IsInside(operands[i], last)) continue;
        const ExprId operand = Substitute(operands[i]);
        if (function_.kind(operand) != ExprKind::kConstant) {
          if (!inner_[operand]) break;
        } else if (!made_[operand]) {
          made_[operand] = to_.Copy(function_, operand, {});
        }
      }
      if (i != operands.size()) {
        body_.back().next = static_cast<uint32_t>(i + 1);
        body_.push_back({operands[i], 0});
        continue;
      }
      operands_.clear();
      for (const ExprId old : operands) {
        const ExprId operand = Substitute(old);
        const bool is_constant = function_.kind(operand) == ExprKind::kConstant;
        operands_.push_back(!IsInside(old, last) ? param_of_[operand].param
                            : is_constant        ? made_[operand]
                                                 : inner_[operand]);
      }
      inner_[id] = to_.Copy(function_, id, operands_);
      body_.pop_back();
    }
  }

  // Makes what a kernel is called with, then the call.
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
    made_[last] = to_.Call(frame.kernel, std::span<const ExprId>(args_).subspan(first));
    to_.SetType(made_[last], function_.type(last));
    args_.resize(first);
    stack_.pop_back();
  }

  // A parameter and the group whose kernel it belongs to.
  struct Param {
    ExprId group;
    ExprId param;
  };
  struct BodyFrame {
    ExprId id;
    uint32_t next;
  };

  const Function& function_;
  const bool link_params_;
  FunctionBuilder to_;
  // The last expression of the group of each expression.
  const SideTable<ExprId, ExprId> groups_;
  // What expressions became: outside of kernels; inside those of groups; inside those that were there before (empty
  // when there are none).
  SideTable<ExprId, ExprId> made_;
  SideTable<ExprId, ExprId> inner_;
  SideTable<ExprId, ExprId> in_kernel_;
  // The member of the group that follows; of its last one the first.
  SideTable<ExprId, ExprId> next_;
  // Without stop_fusion; empty when there is none.
  SideTable<ExprId, ExprId> substitutes_;
  SideTable<ExprId, Param> param_of_;
  std::vector<Frame> stack_;
  std::vector<BodyFrame> body_;

  // The kernel being made; the arguments of those that wait for theirs lie one after the other.
  std::vector<ExprId> params_;
  std::vector<TypeId> param_types_;
  std::vector<ExprId> args_;

  std::vector<StringId> names_;
  std::vector<ExprId> operands_;
  const StringId primitive_ = function_.context().Intern(attr::kPrimitive);
  const StringId reshape_only_ = function_.context().Intern(attr::kReshapeOnly);
  const ObjectId zero_ = function_.context().AddInt(0);
  const ObjectId one_ = function_.context().AddInt(1);
  bool changed_ = false;
};

struct FuseOps {
  struct Options {
    int64_t fuse_opt_level = -1;
    static constexpr auto Fields() {
      return std::array{Option<&Options::fuse_opt_level>(
          "fuse_opt_level", "0: a kernel for each operator; -1: the level of the context", {.min = -1})};
    }
  } options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    if (IsKernel(function, function.root())) return std::nullopt;
    const int64_t level = options.fuse_opt_level == -1 ? context.opt_level() : options.fuse_opt_level;
    const FusionLimits limits{.fuse = level != 0,
                              .max_size = static_cast<size_t>(context.ConfigInt("relay.FuseOps.max_depth"))};
    if (context.wants_remarks()) ReportFusion(module, id, function, limits, context);
    return Fuser(function, limits, context.ConfigBool("relay.FuseOps.link_params")).Run();
  }
};

}  // namespace

constinit const PassDef kFuseOpsPass = DescribePass<FuseOps>({
    .name = "FuseOps",
    .opt_level = 0,
    .required = "InferType",
    .summary = "gathers operators into functions that one kernel computes",
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
relay.FuseOps.link_params is on. relay.FuseOps.max_depth limits the size of groups. A function of which all calls only
reshape gets relay.reshape_only=1. With fuse_opt_level=0 every operator has a function of its own.

Values, their number and their order are the same. Left alone: lets, branches, references and calls of functions (no
group crosses them), operators for the runtime (memory.*, vm.*, on_device), functions that are kernels already, and
functions for external compilers. Operators without a pattern get functions of their own. annotation.stop_fusion
keeps the two sides of it apart and disappears.)",
    .idempotent = false,
});

}  // namespace relayopt
