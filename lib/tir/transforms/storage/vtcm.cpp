// VerifyVTCMLimit, LowerVtcmAlloc: the vector memory of Hexagon (scope global.vtcm).
//
//   A = T.allocate([64], "int8", "global.vtcm")
//   ->
//   A: T.handle("int8", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", T.int64(1),
//   T.tvm_stack_make_shape(64))
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/pass/option_checks.h"
#include "relayopt/tir/script/target_object.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kVtcmLimit{
    "vtcm-limit", Severity::kError,
    "RuntimeError: The global.vtcm memory allocation limit has been exceeded (allocated: {}, limit: {})."};

constexpr std::string_view kVtcm = "global.vtcm";

// Returns the most bytes that are allocated at one time; an allocation without a literal size counts as 0.
auto VtcmBytes(const PrimFunc& func) -> int64_t {
  int64_t most = 0;
  int64_t now = 0;
  const auto bytes = [&](Stmt stmt) -> int64_t {
    const auto alloc = stmt.As<Allocate>();
    if (!alloc || ScopeOf(func.terms(), func.context(), alloc->buffer_var()) != kVtcm) return 0;
    auto size = static_cast<int64_t>(alloc->dtype().bytes());
    for (const PrimExpr extent : alloc->extents()) {
      if (__builtin_mul_overflow(size, func.terms().AsInt(extent).value_or(0), &size)) return INT64_MAX / 4;
    }
    return size;
  };
  Walk(
      func.body(),
      [&](Stmt stmt) {
        now += bytes(stmt);
        most = std::max(most, now);
        return true;
      },
      [&](Stmt stmt) { now -= bytes(stmt); });
  return most;
}

struct VtcmOptions {
  std::string target;
  int64_t vtcm_capacity = 0;
  static constexpr auto Fields() {
    return std::array{
        Option<&VtcmOptions::target>("the target of functions that have none", {.check = CheckTarget}),
        Option<&VtcmOptions::vtcm_capacity>("bytes for functions whose target does not say; 0: what the config key "
                                            "tir.vtcm_capacity says, which is 0 for any number",
                                            {.min = 0}),
    };
  }
};

struct VerifyVTCMLimitPass {
  using Options = VtcmOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& pass_context) const
      -> Result<std::optional<PrimFunc>> {
    int64_t limit = options.vtcm_capacity != 0 ? options.vtcm_capacity : pass_context.ConfigInt("tir.vtcm_capacity");
    std::optional<TargetView> target = TargetView::Of(func);
    if (!target && !options.target.empty()) {
      RELAYOPT_TRY(const Target given, Target::Parse(options.target));
      target = TargetView::Of(func.context(), AddTarget(func.context(), given));
    }
    const int64_t own = target && target->kind() == "hexagon" ? target->Int("vtcm-capacity", 0) : 0;
    if (own > 0) limit = own;
    const int64_t used = limit > 0 ? VtcmBytes(func) : 0;
    if (used > limit) return MakeDiagnostic(kVtcmLimit, func.body().range(), used, limit);
    return std::optional<PrimFunc>();
  }
};

class VtcmLowerer : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto alloc = stmt.As<Allocate>();
    const std::string_view scope = alloc ? ScopeOf(terms(), context(), alloc->buffer_var()) : std::string_view();
    if (scope.find(kVtcm) == std::string_view::npos) return Rewriter::Leave(stmt, parts);
    const auto extents = parts.exprs.first(parts.exprs.size() - 1);
    const PrimExpr shape =
        terms().Call(arith::kHandleType, terms().Intrinsic("tir.tvm_stack_make_shape"_intrin), extents);
    const PrimExpr rank = terms().IntImm(DataType::Int(64), static_cast<int64_t>(extents.size()));
    const PrimExpr memory = terms().Call(arith::kHandleType, terms().Intrinsic("tir.nd_mem_alloc_with_scope"_intrin),
                                         {terms().StringImm(scope), rank, shape});
    return builder().Let(alloc->buffer_var(), memory, parts.stmts[0]);
  }
};

}  // namespace

constinit const PassDef kVerifyVTCMLimitPass = DescribePass<VerifyVTCMLimitPass>({
    .name = "tir.VerifyVTCMLimit",
    .summary = "Check that allocations in global.vtcm fit",
    .details =
        R"(The limit is the vtcm-capacity of the function's target (of the option, where it has none) if that is a hexagon, else the
option vtcm_capacity or the config key tir.vtcm_capacity. What is allocated at one time counts.)",
    .aliases = "tir.transform.VerifyVTCMLimit, tir.calculate_allocated_bytes",
    .idempotent = true,
});

constinit const PassDef kLowerVtcmAllocPass = DescribePass<RewriterPass<VtcmLowerer>>({
    .name = "tir.LowerVtcmAlloc",
    .summary = "Replace allocations in global.vtcm by calls of the runtime",
    .details = R"(  A = T.allocate([64], "int8", "global.vtcm")
  ->
  A: T.handle("int8", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", T.int64(1), T.tvm_stack_make_shape(64)))",
    .aliases = "tir.transform.LowerVtcmAlloc",
    .idempotent = true,
});

}  // namespace relayopt::tir
