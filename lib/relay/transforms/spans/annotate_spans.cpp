// AnnotateSpans: sets the span of every expression to its position in the printed text.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/indentation_sink.h"

namespace relayopt {

namespace {

// The text of a module without its indentation, which is beside it: code n levels deep is indented by n * n spaces.
class FlatText final : public IndentationSink {
 public:
  void Write(std::string_view text) override {
    text_ += text;
    lines_ += static_cast<size_t>(std::ranges::count(text, '\n'));
  }
  void Indent(size_t blanks) override {
    indents_.resize(lines_);
    indents_.push_back(blanks);
  }

  auto TakeText() -> std::string { return std::move(text_); }

  // The position of a range of `source`, the text without its indentation, as a span of the text.
  auto SpanOf(Context& context, const SourceText& source, StringId name, SourceRange range) const -> SpanId {
    const LineColumn begin = source.Position(range.begin);
    const LineColumn end = source.Position(range.end);
    return context.Intern(
        Span{name, static_cast<int32_t>(begin.line), Column(begin), static_cast<int32_t>(end.line), Column(end)});
  }

 private:
  auto Column(LineColumn at) const -> int32_t {
    const size_t indent = at.line <= indents_.size() ? indents_[at.line - 1] : 0;
    return static_cast<int32_t>(indent + at.column);
  }

  std::string text_;
  // By line.
  std::vector<size_t> indents_;
  // The lines that have ended.
  size_t lines_ = 0;
};

struct AnnotateSpans {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    FlatText flat;
    PrintRelay(module, PrintOptions(), flat);
    const auto text = SourceText::FromString("GeneratedSource", flat.TakeText());
    auto parsed = ReadModule(text, module.shared_context(), context.diagnostics());
    if (!parsed) return std::nullopt;
    const StringId name = module.context().Intern(text->name());
    for (const GlobalId id : parsed->SortedFunctions<Function>()) {
      const Function& old = *parsed->function<Function>(id);
      FunctionBuilder builder(module.context());
      for (const ExprId e : old.ids()) {
        // Operands of a laid-out table keep their ids.
        const ExprId made = builder.Copy(old, e, old.operands(e));
        if (old.range(e).valid()) builder.SetSpan(made, flat.SpanOf(module.context(), *text, name, old.range(e)));
      }
      parsed->SetFunction(id, std::make_shared<Function>(builder.Finish(old.root())));
    }
    // Attributes of the module that are not part of the Relay text.
    parsed->SetAttrs(module.attrs());
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
    .summary = "sets the spans of expressions to their places in the printed module",
    .details =
        R"(Prints the module with types and metadata, reads the text under the name GeneratedSource, and gives
every expression its place in that text as its span, instead of the span that it had. --print-spans shows spans.

  %0 = add(%x, 1f);      =>    %0 = add(%x, 1f) /* span=GeneratedSource:3:8 */;

Only spans change: the text says everything else.)",
    .idempotent = false,
});

}  // namespace relayopt
