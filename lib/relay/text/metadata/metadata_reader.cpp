// Reads the `#[metadata]` section.
#include "metadata_diagnostics.h"
#include "relayopt/relay/text/metadata.h"
#include "relayopt/relay/text/object_graph.h"

namespace relayopt {

auto ReadMetadata(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                  const ExternalConstants& external) -> std::optional<MetaTable> {
  const auto graph = ObjectGraph::Parse(context, source, range, sink, external);
  if (graph == nullptr || !graph->MakeAll()) return std::nullopt;
  const auto fail = [&]() -> std::optional<MetaTable> {
    sink.Report(diag::kMetaRoot, graph->range(graph->root()));
    return std::nullopt;
  };
  const ObjectId map = *graph->Object(graph->root());
  if (!map || context.object(map).kind != ObjectKind::kMap) return fail();
  MetaTable table;
  const auto items = context.object(map).items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!items[i] || !items[i + 1]) return fail();
    const Object& key = context.object(items[i]);
    const Object& list = context.object(items[i + 1]);
    if (key.kind != ObjectKind::kString || list.kind != ObjectKind::kArray) return fail();
    table.emplace(context.text(key.text), std::vector<ObjectId>(list.items.begin(), list.items.end()));
  }
  return table;
}

}  // namespace relayopt
