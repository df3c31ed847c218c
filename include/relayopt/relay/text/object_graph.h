// Graphs of objects as JSON, the reference's form for metadata sections and for whole modules: a list of nodes with a
// type key, fields, keys and items that name each other by number, and tensors as base64 records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/relay/text/metadata.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

// The nodes of a text. Attribute values, types, attribute records and constants become objects of the context, each
// when somebody asks for it and once, so sharing survives; tensors stay views into the source, checked (magic, device,
// sizes, alphabet) but not decoded. Expressions are up to the caller, who walks over the nodes.
class ObjectGraph {
 public:
  // Reads the JSON in source.text()[range]: its syntax, and that every node that is named exists. Null, with
  // diagnostics, when that fails. `source` must outlive the context's constants, `context` and `sink` the graph.
  // `external` gives the tensors that the text leaves to a file.
  static auto Parse(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                    const ExternalConstants& external = {}) -> std::unique_ptr<ObjectGraph>;

  ObjectGraph(const ObjectGraph&) = delete;
  auto operator=(const ObjectGraph&) -> ObjectGraph& = delete;
  ~ObjectGraph();

  auto size() const -> uint32_t;
  auto root() const -> uint32_t;
  // Empty for the null object.
  auto type_key(uint32_t node) const -> std::string_view;
  auto is_null(uint32_t node) const -> bool { return type_key(node).empty(); }
  // Where the node begins in the source.
  auto range(uint32_t node) const -> SourceRange;
  // The elements of an array; keys and values of a map, which alternate, or the values alone where keys are strings.
  auto items(uint32_t node) const -> std::span<const uint32_t>;
  // The node that a field holds; nothing when there is no such field or when it holds a literal.
  auto child(uint32_t node, std::string_view field) const -> std::optional<uint32_t>;
  // The literal that a field holds, as it is written; nothing when there is no such field.
  auto literal(uint32_t node, std::string_view field) const -> std::optional<std::string_view>;
  // How often each node is named by others.
  auto CountUses() const -> std::vector<uint32_t>;
  // Makes the object of a node, after those it refers to; none for the null object. Nothing, with a diagnostic, when
  // something is wrong with one of them.
  auto Object(uint32_t node) -> std::optional<ObjectId>;
  // Makes the objects of all nodes; false, with at most a screen of diagnostics, when something is wrong.
  auto MakeAll() -> bool;

 private:
  class Impl;

  explicit ObjectGraph(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// The type that an object is: a type, or the name of an algebraic data type without parameters. Nothing when it is
// none.
auto TypeOfObject(Context& context, ObjectId object) -> std::optional<TypeId>;

}  // namespace relayopt
