// InjectCopyIntrin: loops that copy, marked by a pragma, are replaced by what a function of the compiler's user
// returns. A text cannot name such a function, so a program with the pragma is an error.
#include <fmt/core.h>

#include "lib/tir/transforms/passes.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoPragma{"copy-intrin-key", Severity::kError,
                                   "tir.InjectCopyIntrin needs the option pragma_key"};
constexpr DiagnosticKind kNoFunction{"copy-intrin-function", Severity::kError,
                                     "tir.InjectCopyIntrin is not supported: the function that makes the copy for "
                                     "pragma_{} is none that a text can name"};

struct CopyIntrinOptions {
  std::string pragma_key;
  static constexpr auto Fields() {
    return std::array{Option<&CopyIntrinOptions::pragma_key>("pragma_key", "the pragma, without pragma_")};
  }
};

struct InjectCopyIntrinPass {
  using Options = CopyIntrinOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (options.pragma_key.empty()) return MakeDiagnostic(kNoPragma, {});
    const std::string key = fmt::format("pragma_{}", options.pragma_key);
    for (StmtId id(0U); id.value() < func.size(); ++id) {
      const auto attr = func.stmt(id).As<AttrStmt>();
      if (attr && attr->key_text() == key) return MakeDiagnostic(kNoFunction, attr->range(), options.pragma_key);
    }
    return std::optional<PrimFunc>();
  }
};

}  // namespace

constinit const PassDef kInjectCopyIntrinPass = DescribePass<InjectCopyIntrinPass>({
    .name = "tir.InjectCopyIntrin",
    .summary = "Report marked copies, whose replacement by an intrinsic is not supported",
    .details =
        R"(What a copy becomes is a function of the compiler's user, which no text can name: a program with the pragma is an error,
others stay as they are.)",
    .aliases = "tir.transform.InjectCopyIntrin",
    .idempotent = true,
});

}  // namespace relayopt::tir
