// Access to the nodes of a graph, with diagnostics for invalid ones.
#pragma once

#include <string_view>
#include <vector>

#include "diagnostics.h"
#include "relayopt/core/context.h"
#include "relayopt/relay/text/object_graph.h"

namespace relayopt {

// The kind of thing that a name denotes.
enum class NameOf : uint8_t { kGlobal, kTypeOrConstructor };

class JsonNodes {
 public:
  JsonNodes(Context& context, ObjectGraph& graph, DiagnosticSink& sink) : context(context), graph(graph), sink(sink) {}

  // "null" or the class of a node, for messages.
  auto What(uint32_t node) const -> std::string {
    return graph.is_null(node) ? "null" : Printable(graph.type_key(node));
  }
  auto Wrong(uint32_t node, std::string_view field, std::string_view what) -> bool {
    sink.Report(diag::kTvmJsonField, graph.range(node), field, What(node), what);
    return false;
  }
  // Each reports an error and returns false if the field does not have the required kind of value.
  auto Child(uint32_t node, std::string_view field, uint32_t& out) -> bool {
    const auto child = graph.child(node, field);
    if (!child) return Wrong(node, field, "the number of a node");
    out = *child;
    return true;
  }
  // The elements of an array.
  auto List(uint32_t node, std::string_view field, std::span<const uint32_t>& out) -> bool {
    uint32_t list = 0;
    if (!Child(node, field, list)) return false;
    if (graph.type_key(list) != "Array" && !graph.is_null(list)) return Wrong(node, field, "an array");
    out = graph.items(list);
    return true;
  }
  auto Integer(uint32_t node, std::string_view field, int64_t& out) -> bool;
  // The object in a field; returns invalid if it is null or missing.
  auto Object(uint32_t node, std::string_view field, ObjectId& out) -> bool;
  auto Text(uint32_t node, std::string_view field, StringId& out) -> bool;
  // The name of a global, type or constructor, as text can contain it.
  auto Name(uint32_t node, NameOf what, StringId& out) -> bool;
  // The type in a field; returns invalid if it is null or missing.
  auto Type(uint32_t node, std::string_view field, TypeId& out) -> bool;
  auto TypeOf(uint32_t node, TypeId& out) -> bool;
  auto Types(uint32_t node, std::string_view field, std::vector<TypeId>& out) -> bool;
  // The entries of a field that holds a DictAttrs.
  auto Dictionary(uint32_t node, std::string_view field, std::vector<DictAttr>& out) -> bool;
  // The virtual device in a field; returns invalid if it is unconstrained.
  auto Device(uint32_t node, ObjectId& out) -> bool;
  // Returns the span in the model; of several, the first. Returns none if there is none.
  auto Span(uint32_t node) -> SpanId;

  Context& context;
  ObjectGraph& graph;
  DiagnosticSink& sink;
};

}  // namespace relayopt
