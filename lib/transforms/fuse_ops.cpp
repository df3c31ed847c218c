// FuseOps: operators that one kernel can compute become one function.
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fusion_groups.h"
#include "relayopt/ir/rebuild.h"
#include "relayopt/ops/op_table.h"
#include "relayopt/transforms/all_passes.h"

namespace relayopt {

namespace {

// What makes up the function of a group.
struct Kernel {
  std::vector<ExprId> params;
  std::vector<ExprId> args;
  std::vector<TypeId> param_types;
  bool has_call = false;
  bool reshapes_only = true;
};

class Fuser {
 public:
  Fuser(const Function& function, const FusionLimits& limits, bool link_params)
      : function_(function),
        link_params_(link_params),
        rebuild_(function),
        groups_(FindFusionGroups(function, limits)),
        open_(function.size()),
        in_kernel_(function.size()),
        kernel_of_(function.size(), kNoKernel) {}

  auto Run() -> std::optional<Function> {
    FindPlaces();
    for (ExprId id(0U); id.value() < function_.size(); ++id) {
      if (in_kernel_[id]) plain_[id] = CopyPlain(id);
      if (open_[id]) rebuild_.Set(id, IsOneForAll(id) && in_kernel_[id] ? plain_[id] : Visit(id));
    }
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  static constexpr uint32_t kNoKernel = UINT32_MAX;

  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto made() -> const Function& { return to().function(); }

  // What kernels contain stays as it is, also where the rest of the program uses it too.
  void FindPlaces() {
    open_[function_.root()] = true;
    for (uint32_t i = function_.root().value() + 1; i-- > 0;) {
      const ExprId id(i);
      if (!open_[id] && !in_kernel_[id]) continue;
      const bool kernel = function_.kind(id) == ExprKind::kFunction && IsKernel(function_, id);
      for (const ExprId operand : function_.operands(id)) {
        if (kernel || in_kernel_[id]) in_kernel_[operand] = true;
        if (!kernel && open_[id]) open_[operand] = true;
      }
      if (kernel) in_kernel_[id] = true;
      if (in_kernel_[id] && plain_.empty()) plain_.resize(function_.size());
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

  auto Visit(ExprId id) -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kOpCall: return VisitOpCall(id);
      case ExprKind::kTuple: return IsLast(id) ? rebuild_.Copy(id) : CopyInside(id);
      case ExprKind::kTupleGetItem:
        if (!IsLast(id)) return CopyInside(id);
        // A field of what some other function returns needs no kernel.
        return groups_[function_.operand(id, 0)] == id ? Wrap(id, CopyInside(id)) : rebuild_.Copy(id);
      default: return rebuild_.Copy(id);
    }
  }

  auto VisitOpCall(ExprId id) -> ExprId {
    const OpDef* op = function_.op(id);
    if (op == "annotation.stop_fusion"_op) {
      changed_ = true;
      return rebuild_.New(function_.operand(id, 0));
    }
    // It is for the runtime, not for a kernel. Quantized operators are kernels as soon as they are lowered.
    if (op->non_computational && op->fusion == Fusion::kOpaque) return rebuild_.Copy(id);
    Kernel& kernel = KernelOf(groups_[id]);
    kernel.has_call = true;
    kernel.reshapes_only = kernel.reshapes_only && op->reshape_only;
    const ExprId call = CopyInside(id);
    return IsLast(id) ? Wrap(id, call) : call;
  }

  auto IsLast(ExprId id) const -> bool { return groups_[id] == id; }

  auto KernelOf(ExprId group) -> Kernel& {
    if (kernel_of_[group] == kNoKernel) {
      kernel_of_[group] = static_cast<uint32_t>(kernels_.size());
      kernels_.emplace_back();
    }
    return kernels_[kernel_of_[group]];
  }

  // Copies a member of a group: what other groups compute comes in by parameters.
  auto CopyInside(ExprId id) -> ExprId {
    operands_.clear();
    const ExprId group = groups_[id];
    for (const ExprId operand : function_.operands(id)) {
      const ExprId arg = rebuild_.New(operand);
      const bool inside = groups_[operand] == group || (link_params_ && made().kind(arg) == ExprKind::kConstant);
      operands_.push_back(inside ? arg : Param(group, arg, function_.type(operand)));
    }
    return to().Copy(function_, id, operands_);
  }

  // The parameter that stands for `arg` in the kernel of `group`.
  auto Param(ExprId group, ExprId arg, TypeId type) -> ExprId {
    ExprId& param = params_[{group, arg}];
    if (param) return param;
    Kernel& kernel = KernelOf(group);
    param = to().Var({.name = ParamName(kernel.params.size()), .annotation = type, .virtual_device = {}});
    to().SetType(param, type);
    kernel.params.push_back(param);
    kernel.args.push_back(arg);
    kernel.param_types.push_back(type);
    kernel.reshapes_only = kernel.reshapes_only && type && function_.context().type(type).is_tensor();
    return param;
  }

  auto ParamName(size_t number) -> StringId {
    while (names_.size() <= number) names_.push_back(function_.context().Intern("p" + std::to_string(names_.size())));
    return names_[number];
  }

  // The call of a function with the body of a group.
  auto Wrap(ExprId id, ExprId body) -> ExprId {
    changed_ = true;
    Context& context = function_.context();
    Kernel& kernel = KernelOf(id);
    const TypeId result = function_.type(id);
    FunctionInfo info{.result = result, .type_params = {}, .attrs = {}, .virtual_device = {}};
    info.attrs.push_back({primitive_, context.AddInt(kernel.has_call ? 1 : 0)});
    if (kernel.has_call && kernel.reshapes_only) info.attrs.push_back({reshape_only_, context.AddInt(1)});
    const ExprId function = to().Lambda(std::move(info), kernel.params, body);
    to().SetType(function, context.FunctionType(kernel.param_types, result));
    const ExprId call = to().Call(function, kernel.args);
    to().SetType(call, result);
    kernel = {};
    return call;
  }

  const Function& function_;
  const bool link_params_;
  Rebuild rebuild_;
  // The last expression of the group of each expression.
  const SideTable<ExprId, ExprId> groups_;
  // Where an expression is used: outside of kernels that were there before, and inside.
  SideTable<ExprId, bool> open_;
  SideTable<ExprId, bool> in_kernel_;
  // What expressions became inside kernels that were there before; empty when there are none.
  SideTable<ExprId, ExprId> plain_;
  // Indices into kernels_.
  SideTable<ExprId, uint32_t> kernel_of_;
  std::vector<Kernel> kernels_;
  // By group and (new) argument.
  absl::flat_hash_map<std::pair<ExprId, ExprId>, ExprId> params_;
  std::vector<StringId> names_;
  std::vector<ExprId> operands_;
  const StringId primitive_ = function_.context().Intern("Primitive");
  const StringId reshape_only_ = function_.context().Intern("relay.reshape_only");
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
