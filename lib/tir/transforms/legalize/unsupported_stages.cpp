// Stages of the lowering pipeline that are not implemented: each reports an error for a program that needs it, and
// leaves other programs unchanged.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/annotations.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kStageUnsupported{"tir-stage-unsupported", Severity::kError, "tir.{} is not supported: {}"};

// Returns why a statement is not supported at a stage; empty if the stage does not affect it.
using Sign = std::string_view (*)(const PrimFunc& func, Stmt stmt);

auto FindSign(const PrimFunc& func, std::string_view pass, Sign sign) -> std::optional<Diagnostic> {
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const std::string_view found = sign(func, func.stmt(id));
    if (!found.empty()) return MakeDiagnostic(kStageUnsupported, func.stmts().range(id), pass, found);
  }
  return std::nullopt;
}

auto MmaLayout(const PrimFunc& func, Stmt stmt) -> std::string_view {
  const auto block = stmt.As<Block>();
  if (!block) return {};
  for (const BufferId buffer : block->alloc_buffers()) {
    if (func.tables().Scope(buffer).starts_with("m16n8k8.matrix")) return "a buffer lies in m16n8k8.matrix memory";
  }
  return {};
}

auto Coprocessor(const PrimFunc&, Stmt stmt) -> std::string_view {
  const auto attr = stmt.As<AttrStmt>();
  const bool found = attr && attr->key_text() == "coproc_scope";
  return found ? "a statement runs on a coprocessor, whose operators are not registered" : "";
}

auto LayoutRewrite(const PrimFunc& func, Stmt stmt) -> std::string_view {
  const auto block = stmt.As<Block>();
  const bool found =
      block && HasAnnotation(func.context(), block->annotations(), "meta_schedule.layout_rewrite_preproc");
  return found ? "a block rewrites the layout of weights" : "";
}

}  // namespace

#define RELAYOPT_UNSUPPORTED_STAGE(Name, sign, text, more)                                                           \
  namespace {                                                                                                        \
  struct Name##Stage {                                                                                               \
    auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> { \
      if (std::optional<Diagnostic> fault = FindSign(func, #Name, sign)) return *std::move(fault);                   \
      return std::optional<PrimFunc>();                                                                              \
    }                                                                                                                \
  };                                                                                                                 \
  }                                                                                                                  \
  constinit const PassDef k##Name##Pass = DescribePass<Name##Stage>({                                                \
      .name = "tir." #Name,                                                                                          \
      .summary = text,                                                                                               \
      .details = more,                                                                                               \
      .aliases = "tir.transform." #Name,                                                                             \
      .idempotent = true,                                                                                            \
  });

RELAYOPT_UNSUPPORTED_STAGE(TransformMmaBufferLayout, MmaLayout,
                           "Layouts of matrix fragments: an error where there is one",
                           "  Not supported yet: programs without memory of a scope m16n8k8.matrix* stay as they are.")

RELAYOPT_UNSUPPORTED_STAGE(CoProcSync, Coprocessor, "Waiting for a coprocessor: an error where there is one",
                           "  Not supported: programs without the attribute coproc_scope stay as they are.")
RELAYOPT_UNSUPPORTED_STAGE(RemoveWeightLayoutRewriteBlock, LayoutRewrite,
                           "Blocks that rewrite the layout of weights: an error where there is one",
                           "  Not supported yet: programs without the annotation meta_schedule.layout_rewrite_preproc\n"
                           "  stay as they are.")

#undef RELAYOPT_UNSUPPORTED_STAGE

namespace {

struct ApplyLayoutTransformsStage {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (!func.FindAttr("layout_transform_map")) return std::optional<PrimFunc>();
    return MakeDiagnostic(kStageUnsupported, func.body().range(), "ApplyLayoutTransforms",
                          "the function maps the indices of buffers");
  }
};

}  // namespace

constinit const PassDef kApplyLayoutTransformsPass = DescribePass<ApplyLayoutTransformsStage>({
    .name = "tir.ApplyLayoutTransforms",
    .summary = "Maps of the indices of buffers: an error where there is one",
    .details = "  Not supported: functions without the attribute layout_transform_map, which text cannot express, stay "
               "as they\n"
               "  are.",
    .aliases = "tir.transform.ApplyLayoutTransforms",
    .idempotent = true,
});

}  // namespace relayopt::tir
