// Filter: keeps only functions with a given calling convention.
#include "lib/tir/transforms/passes.h"
#include "relayopt/module/functions.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoFilter{"filter-none", Severity::kError,
                                   "Filter: which functions? Give calling_conv=2 or calling_conv!=2"};

// The option is not set.
constexpr int64_t kNone = -1;

struct FilterOptions {
  int64_t calling_conv = kNone;
  int64_t other_calling_conv = kNone;
  static constexpr auto Fields() {
    return std::array{
        Option<&FilterOptions::calling_conv>("keep functions with this convention; -1: not asked"),
        Option<&FilterOptions::other_calling_conv>("calling_conv!", "keep functions with another; -1: not asked"),
    };
  }
};

struct Filter {
  using Options = FilterOptions;
  Options options;

  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    if (options.calling_conv == kNone && options.other_calling_conv == kNone) return MakeDiagnostic(kNoFilter, {});
    std::optional<Module> kept;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      if (Stays(func)) continue;
      if (!kept) kept = module;
      kept->SetFunction(id, nullptr);
    }
    return kept;
  }

 private:
  auto Stays(const PrimFunc& func) const -> bool {
    const int64_t convention = func.IntAttr("calling_conv");
    return (options.calling_conv == kNone || convention == options.calling_conv) &&
           (options.other_calling_conv == kNone || convention != options.other_calling_conv);
  }
};

}  // namespace

constinit const PassDef kFilterPass = DescribePass<Filter>({
    .name = "tir.Filter",
    .summary = "Keep only the functions with a given calling convention",
    .details =
        R"(tir.Filter<calling_conv=2> keeps kernels, which other functions launch; tir.Filter<calling_conv!=2> all others. The
attribute calling_conv is 0 where it is missing. Functions of Relay stay.)",
    .aliases = "tir.transform.Filter",
    .exactness = Exactness::kChanges,
    .idempotent = true,
});

}  // namespace relayopt::tir
