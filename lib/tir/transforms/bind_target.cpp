// BindTarget: functions get the target that they are to be compiled for.
//
// A function that has a target keeps it; an exposed one (with a global symbol) whose target has no host gets that of
// the pass. A function for the host gets the host, an exposed one the target with its host, a private one the target
// alone.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/targets.h"
#include "relayopt/pass/option_checks.h"
#include "relayopt/target/target.h"
#include "relayopt/tir/script/target_object.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToBind{"bind-target-none", Severity::kError,
                                         "BindTarget: which target? Give the option target, or --target"};
constexpr DiagnosticKind kBadTargetToBind{"bind-target-fault", Severity::kError, "BindTarget: the target is {}"};

struct BindTargetOptions {
  std::string target;
  std::string host;
  static constexpr auto Fields() {
    return std::array{
        Option<&BindTargetOptions::target>("target", "the target, such as cuda; that of --target where it is empty",
                                           {.check = CheckTarget}),
        Option<&BindTargetOptions::host>("host", "the target of the host, which may be a part of the target as well",
                                         {.check = CheckTarget}),
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
    RELAYOPT_TRY(const ObjectId host, Parsed(context, options.host, {}));
    RELAYOPT_TRY(const ObjectId id, Parsed(context, text, host));
    const TargetView target = *TargetView::Of(context, id);
    PrimFunc made = func;
    made.SetAttr("target", Bound(func, target));
    made.SetAttr("tir.is_host_func", {});
    return Same(made, func) ? std::nullopt : std::optional(std::move(made));
  }

 private:
  // None where there is no text.
  static auto Parsed(Context& context, const std::string& text, ObjectId host) -> Result<ObjectId> {
    if (text.empty()) return ObjectId();
    RELAYOPT_TRY(const Target checked, Target::Parse(text));
    static_cast<void>(checked);
    std::string fault;
    const ObjectId target = MakeTarget(context, context.AddString(text), host, fault);
    if (!target) return MakeDiagnostic(kBadTargetToBind, {}, fault);
    return target;
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
    std::string fault;
    if (!host) host = MakeTarget(context, context.AddString("llvm"), {}, fault);
    return TargetView::Of(context, host)->WithHost(host);
  }
};

}  // namespace

constinit const PassDef kBindTargetPass = DescribePass<BindTarget>({
    .name = "tir.BindTarget",
    .summary = "Give functions the target that they are compiled for",
    .details = R"(  def main(n: T.int32):    ->    def main(n: T.int32):
      T.evaluate(n)                  T.func_attr({"target": T.target({"kind": "cuda", "host": {"kind": "llvm", ...}, ...})})
                                     T.evaluate(n)

tir.BindTarget<target="cuda";host="llvm">. A function keeps the target it has; an exposed one gets the host if it has none.
The attribute tir.is_host_func, for which the host is the target, goes.)",
    .aliases = "tir.transform.BindTarget",
    .idempotent = true,
});

}  // namespace relayopt::tir
