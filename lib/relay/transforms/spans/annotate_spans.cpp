// AnnotateSpans: gives every expression its place in the printed text.
#include <memory>
#include <optional>

#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// The position of a range of `text` as a span.
auto SpanOf(Context& context, const SourceText& text, StringId name, SourceRange range) -> SpanId {
  const LineColumn begin = text.Position(range.begin);
  const LineColumn end = text.Position(range.end);
  return context.Intern(Span{name, static_cast<int32_t>(begin.line), static_cast<int32_t>(begin.column),
                             static_cast<int32_t>(end.line), static_cast<int32_t>(end.column)});
}

struct AnnotateSpans {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    const auto text = SourceText::FromString("GeneratedSource", PrintRelay(module));
    auto parsed = ReadModule(text, module.shared_context(), context.diagnostics());
    if (!parsed) return std::nullopt;
    const StringId name = module.context().Intern(text->name());
    for (const GlobalId id : parsed->SortedFunctions<Function>()) {
      const Function& old = *parsed->function<Function>(id);
      FunctionBuilder builder(module.context());
      for (ExprId e(0U); e.value() < old.size(); ++e) {
        // Operands of a laid-out table keep their ids.
        const ExprId made = builder.Copy(old, e, old.operands(e));
        if (old.range(e).valid()) builder.SetSpan(made, SpanOf(module.context(), *text, name, old.range(e)));
      }
      parsed->SetFunction(id, std::make_shared<Function>(builder.Finish(old.root())));
    }
    // What a text of Relay does not hold.
    for (const DictAttr& attr : module.attrs()) parsed->SetAttr(module.context().text(attr.key), attr.value);
    for (const GlobalId id : module.SortedFunctions()) {
      if (module.function<Function>(id) != nullptr) continue;
      parsed->SetFunction(parsed->NameGlobal(module.name(id)), module.function(id));
    }
    return parsed;
  }
};

}  // namespace

constinit const PassDef kAnnotateSpansPass = DescribePass<AnnotateSpans>({
    .name = "AnnotateSpans",
    .opt_level = 0,
    .summary = "prints the module, reads it back and notes where everything stands",
    .details =
        R"(Prints the module with types and metadata, reads the text under the name GeneratedSource, and gives
every expression its place in that text as its span, instead of the span that it had. --print-spans shows spans.

  %0 = add(%x, 1f);      =>    %0 = add(%x, 1f) /* span=GeneratedSource:3:8 */;

Only spans change: the text says everything else.)",
    .idempotent = false,
});

}  // namespace relayopt
