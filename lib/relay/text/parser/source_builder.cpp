// Shares the nodes that a function has only once, however often its text mentions them.
#include "source_builder.h"

#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// Returns the span of a constant in the metadata section, or invalid if it has none, or it is not a span.
auto SpanOf(Context& context, const Object& constant) -> SpanId {
  if (constant.fields.empty()) return {};
  const Object& node = context.object(constant.fields.front().object);
  if (node.kind != ObjectKind::kNode || context.text(node.type_key) != "Span") return {};
  // The fields in the order of the class: source, line, column, end line, end column.
  const ObjectId source = node.fields[0].object;
  if (!source || context.object(source).kind != ObjectKind::kBytes) return {};
  Span span;
  span.source = context.object(source).text;
  int32_t* const numbers[] = {&span.line, &span.column, &span.end_line, &span.end_column};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    const std::string_view text = context.text(node.fields[i + 1].literal);
    const auto number = ParseNumber<int32_t>(text);
    if (!number) return {};
    *numbers[i] = *number;
  }
  return context.Intern(span);
}

}  // namespace

auto SourceBuilder::Leaf(ExprKind kind, uint32_t id, uint32_t begin) -> ExprId {
  const auto [entry, is_new] = leaves_.try_emplace(std::pair(kind, id));
  if (!is_new) return entry->second;
  switch (kind) {
    case ExprKind::kGlobal: entry->second = builder_->Global(GlobalId(id)); break;
    case ExprKind::kConstructor: entry->second = builder_->Constructor(CtorId(id)); break;
    case ExprKind::kOp: entry->second = builder_->Op(OpInstanceId(id)); break;
    default: {
      const Object& constant = parsing_.context().object(ObjectId(id));
      entry->second = builder_->Constant(constant.constant);
      if (const SpanId span = SpanOf(parsing_.context(), constant)) builder_->SetSpan(entry->second, span);
    }
  }
  builder_->SetRange(entry->second, {begin, parsing_.lexer.last_end()});
  return entry->second;
}

}  // namespace relayopt
