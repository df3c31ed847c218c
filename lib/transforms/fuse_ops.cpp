// FuseOps: operators that one kernel can compute become one function.
#include <algorithm>
#include <optional>
#include <vector>

#include "fusion_groups.h"
#include "relayopt/ir/rebuild.h"
#include "relayopt/ops/op_table.h"
#include "relayopt/transforms/all_passes.h"

namespace relayopt {

namespace {

// Emits a group when it comes to its last expression: all of it is known then, and nothing has to be kept for others.
class Fuser {
 public:
  Fuser(const Function& function, const FusionLimits& limits, bool link_params)
      : function_(function),
        link_params_(link_params),
        rebuild_(function),
        groups_(FindFusionGroups(function, limits)),
        places_(function.size()),
        next_(function.size()) {}

  auto Run() -> std::optional<Function> {
    FindPlaces();
    LinkMembers();
    for (ExprId id(0U); id.value() < function_.size(); ++id) {
      const uint8_t places = places_[id];
      if ((places & kInKernel) != 0) plain_[id] = CopyPlain(id);
      if ((places & kOpen) == 0) continue;
      if ((places & kInKernel) != 0 && IsOneForAll(id)) {
        rebuild_.Set(id, plain_[id]);
      } else if (!IsMember(id)) {
        rebuild_.Set(id, CopyOutside(id));
      } else if (IsLast(id)) {
        EmitGroup(id);
      }
    }
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  // Where an expression is used: outside of kernels that were there before, and inside.
  static constexpr uint8_t kOpen = 1;
  static constexpr uint8_t kInKernel = 2;

  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto made() -> const Function& { return to().function(); }
  auto IsLast(ExprId id) const -> bool { return groups_[id] == id; }

  // What kernels contain stays as it is, also where the rest of the program uses it too.
  void FindPlaces() {
    places_[function_.root()] = kOpen;
    for (uint32_t i = function_.root().value() + 1; i-- > 0;) {
      const ExprId id(i);
      if (places_[id] == 0) continue;
      const bool kernel = function_.kind(id) == ExprKind::kFunction && IsKernel(function_, id);
      if (kernel) places_[id] |= kInKernel;
      const uint8_t inside = kernel ? uint8_t{kInKernel} : places_[id];
      for (const ExprId operand : function_.operands(id)) places_[operand] |= inside;
      if ((places_[id] & kInKernel) != 0 && plain_.empty()) plain_.resize(function_.size());
    }
  }

  // Whether kernels and the rest of the program share the expression in any case.
  auto IsOneForAll(ExprId id) const -> bool {
    switch (function_.kind(id)) {
      case ExprKind::kVar:
      case ExprKind::kGlobal:
      case ExprKind::kConstructor:
      case ExprKind::kOp:
      case ExprKind::kConstant: return true;
      case ExprKind::kFunction: return IsKernel(function_, id);
      default: return false;
    }
  }

  auto CopyPlain(ExprId id) -> ExprId {
    operands_.clear();
    for (const ExprId operand : function_.operands(id)) operands_.push_back(plain_[operand]);
    return to().Copy(function_, id, operands_);
  }

  // Whether a function computes the expression. All expressions of a group of several do, and constants may be part of it.
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
    for (uint32_t i = static_cast<uint32_t>(function_.size()); i-- > 0;) {
      const ExprId id(i);
      const ExprId last = groups_[id];
      if (last == id || (places_[id] & kOpen) == 0 || !IsMember(id)) continue;
      next_[id] = next_[last];
      next_[last] = id;
    }
  }

  auto CopyOutside(ExprId id) -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "annotation.stop_fusion"_op) return rebuild_.Copy(id);
    changed_ = true;
    return rebuild_.New(function_.operand(id, 0));
  }

  void EmitGroup(ExprId last) {
    params_.clear();
    args_.clear();
    param_types_.clear();
    has_call_ = false;
    reshapes_only_ = true;
    for (ExprId id = next_[last]; id; id = next_[id]) rebuild_.Set(id, CopyInside(id, last));
    rebuild_.Set(last, Wrap(last, CopyInside(last, last)));
  }

  // Copies a member of a group: what other groups compute comes in by parameters.
  auto CopyInside(ExprId id, ExprId last) -> ExprId {
    if (function_.kind(id) == ExprKind::kOpCall) {
      has_call_ = true;
      reshapes_only_ = reshapes_only_ && function_.op(id)->reshape_only;
    }
    operands_.clear();
    for (const ExprId operand : function_.operands(id)) {
      const ExprId arg = rebuild_.New(operand);
      const bool inside = groups_[operand] == last || (link_params_ && made().kind(arg) == ExprKind::kConstant);
      operands_.push_back(inside ? arg : Param(last, arg, function_.type(operand)));
    }
    return to().Copy(function_, id, operands_);
  }

  // The parameter that stands for `arg` in the kernel being made.
  auto Param(ExprId last, ExprId arg, TypeId type) -> ExprId {
    if (arg.value() >= stands_.size()) stands_.resize(2 * made().size());
    Stand& stand = stands_[arg.value()];
    if (stand.group == last) return stand.param;
    const ExprId param = to().Var({.name = ParamName(params_.size()), .annotation = type, .virtual_device = {}});
    to().SetType(param, type);
    stand = {last, param};
    params_.push_back(param);
    args_.push_back(arg);
    param_types_.push_back(type);
    reshapes_only_ = reshapes_only_ && type && function_.context().type(type).is_tensor();
    return param;
  }

  auto ParamName(size_t number) -> StringId {
    while (names_.size() <= number) names_.push_back(function_.context().Intern("p" + std::to_string(names_.size())));
    return names_[number];
  }

  // The call of a function with the body of a group.
  auto Wrap(ExprId id, ExprId body) -> ExprId {
    changed_ = true;
    const TypeId result = function_.type(id);
    FunctionInfo info{.result = result, .type_params = {}, .attrs = {}, .virtual_device = {}};
    info.attrs.reserve(2);
    info.attrs.push_back({primitive_, has_call_ ? one_ : zero_});
    if (has_call_ && reshapes_only_) info.attrs.push_back({reshape_only_, one_});
    const ExprId function = to().Lambda(std::move(info), params_, body);
    to().SetType(function, function_.context().FunctionType(param_types_, result));
    const ExprId call = to().Call(function, args_);
    to().SetType(call, result);
    return call;
  }

  // A parameter and the group whose kernel it belongs to.
  struct Stand {
    ExprId group;
    ExprId param;
  };

  const Function& function_;
  const bool link_params_;
  Rebuild rebuild_;
  // The last expression of the group of each expression.
  const SideTable<ExprId, ExprId> groups_;
  SideTable<ExprId, uint8_t> places_;
  // What expressions became inside kernels that were there before; empty when there are none.
  SideTable<ExprId, ExprId> plain_;
  // The member of the group that follows; of its last one the first.
  SideTable<ExprId, ExprId> next_;

  // The kernel being made.
  std::vector<ExprId> params_;
  std::vector<ExprId> args_;
  std::vector<TypeId> param_types_;
  bool has_call_ = false;
  bool reshapes_only_ = true;
  // By (new) argument; the table grows with the function.
  std::vector<Stand> stands_;

  std::vector<StringId> names_;
  std::vector<ExprId> operands_;
  const StringId primitive_ = function_.context().Intern("Primitive");
  const StringId reshape_only_ = function_.context().Intern("relay.reshape_only");
  const ObjectId zero_ = function_.context().AddInt(0);
  const ObjectId one_ = function_.context().AddInt(1);
  bool changed_ = false;
};

struct FuseOps {
  struct Options {
    int64_t fuse_opt_level = -1;
    static constexpr auto Fields() {
      return std::array{Option<&Options::fuse_opt_level>("fuse_opt_level",
                                                         "0: a kernel for each operator; -1: the level of the context")};
    }
  } options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    if (IsKernel(function, function.root())) return std::nullopt;
    const int64_t level = options.fuse_opt_level == -1 ? context.opt_level() : options.fuse_opt_level;
    const FusionLimits limits{.fuse = level != 0,
                              .max_size = static_cast<size_t>(context.ConfigInt("relay.FuseOps.max_depth"))};
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
