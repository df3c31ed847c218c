// BindTarget: attaches to functions the target for which they are compiled.
//
// A function that has a target keeps it; an exposed one (with a global symbol) whose target has no host gets that of
// the pass. A function for the host gets the host, an exposed one the target with its host, a private one the target
// alone.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/pass/option_checks.h"
#include "relayopt/tir/script/target_object.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToBind{"bind-target-none", Severity::kError,
                                         "BindTarget: which target? Give the option target, or --target"};

constexpr std::string_view kAutomatic = "auto";

auto CheckHost(const OptionValue& value) -> std::optional<OptionFault> {
  return std::get<std::string>(value) == kAutomatic ? std::nullopt : CheckTarget(value);
}

struct BindTargetOptions {
  std::string target;
  std::string host;
  bool bind_host = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&BindTargetOptions::target>("the target, such as cuda; that of --target where it is empty",
                                           {.check = CheckTarget}),
        Option<&BindTargetOptions::host>("the target of the host, which may be a part of the target as well; auto: the "
                                         "target's own, the target itself if it is a CPU, else llvm",
                                         {.check = CheckHost}),
        Option<&BindTargetOptions::bind_host>("bind the host instead of the target"),
    };
  }
};

struct BindTarget {
  using Options = BindTargetOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& pass_context) const
      -> Result<std::optional<PrimFunc>> {
    Context& context = func.context();
    const std::string& text = options.target.empty() ? pass_context.target() : options.target;
    if (text.empty()) return MakeDiagnostic(kNoTargetToBind, {});
    RELAYOPT_TRY(const Target target, Wanted(text));
    const ObjectId id = AddTarget(context, target);
    PrimFunc made = func;
    made.SetAttr("target", Bound(func, *TargetView::Of(context, id)));
    made.SetAttr("tir.is_host_func", {});
    return Same(made, func) ? std::nullopt : std::optional(std::move(made));
  }

 private:
  auto Wanted(const std::string& text) const -> Result<Target> {
    RELAYOPT_TRY(Target target, Target::Parse(text));
    if (options.host == kAutomatic && target.host() == nullptr) {
      RELAYOPT_TRY(const Target llvm, Target::Parse("llvm"));
      target = target.WithHost(std::make_shared<const Target>(target.device_type() == kCpuDevice ? target : llvm));
    } else if (!options.host.empty() && options.host != kAutomatic) {
      RELAYOPT_TRY(Target host, Target::Parse(options.host));
      target = target.WithHost(std::make_shared<const Target>(std::move(host)));
    }
    if (!options.bind_host || target.host() == nullptr) return target;
    return Target(*target.host());
  }

  static auto Bound(const PrimFunc& func, const TargetView& target) -> ObjectId {
    const bool exposed = static_cast<bool>(func.StringAttr("global_symbol"));
    if (const std::optional<TargetView> own = TargetView::Of(func)) {
      return exposed && !own->host() && target.host() ? own->WithHost(target.host()) : own->id();
    }
    if (func.IntAttr("tir.is_host_func") != 0) return HostWithHost(func.context(), target);
    return exposed ? target.id() : target.WithHost({});
  }

  static auto HostWithHost(Context& context, const TargetView& target) -> ObjectId {
    ObjectId host = target.host();
    if (!host) host = AddTarget(context, *Target::Parse("llvm"));
    return TargetView::Of(context, host)->WithHost(host);
  }
};

}  // namespace

constinit const PassDef kBindTargetPass = DescribePass<BindTarget>({
    .name = "tir.BindTarget",
    .summary = "Attach to functions the target that they are compiled for",
    .details = R"(  def main(n: T.int32):    ->    def main(n: T.int32):
      T.evaluate(n)                  T.func_attr({"target": T.target({"kind": "cuda", "host": {"kind": "llvm", ...}, ...})})
                                     T.evaluate(n)

tir.BindTarget<target="cuda";host="llvm">. A function keeps the target it has; an exposed one gets the host if it has none.
The attribute tir.is_host_func, for which the host is the target, goes.)",
    .aliases = "tir.transform.BindTarget",
    .idempotent = true,
});

}  // namespace relayopt::tir
