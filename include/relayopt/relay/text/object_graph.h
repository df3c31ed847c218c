// Object graphs in JSON, TVM's format for metadata sections and for whole modules. It is a list of nodes with
// a type key and with fields, keys and items that refer to other nodes by number, plus tensors as base64 records.
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

// The nodes of such a text. Attribute values, types, attribute records and constants become objects of the context on
// demand and once each, so that sharing is preserved. Tensors stay views of the source: they are checked (magic number,
// device, sizes, alphabet) but not decoded. Expressions are up to the caller, which walks the nodes itself.
class ObjectGraph {
 public:
  // Parses the JSON in source.text()[range], and checks its syntax and that all referenced nodes exist. Null, with
  // diagnostics, when it is faulty. `source` must outlive the constants of the context; `context` and `sink` must
  // outlive the graph. `external` supplies the tensors that the text leaves to a file.
  static auto Parse(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                    const ExternalConstants& external = {}) -> std::unique_ptr<ObjectGraph>;

  ObjectGraph(const ObjectGraph&) = delete;
  auto operator=(const ObjectGraph&) -> ObjectGraph& = delete;
  ~ObjectGraph();

  auto size() const -> uint32_t;
  auto root() const -> uint32_t;
  // Returns the type key of a node, or empty for the null object.
  auto type_key(uint32_t node) const -> std::string_view;
  auto is_null(uint32_t node) const -> bool { return type_key(node).empty(); }
  // Returns the range of the node in the source.
  auto range(uint32_t node) const -> SourceRange;
  // Returns the elements of an array. For a map: keys and values alternating, or only the values when keys are strings.
  auto items(uint32_t node) const -> std::span<const uint32_t>;
  // Returns the node in a field, or nothing if there is no such field, or it holds a literal.
  auto child(uint32_t node, std::string_view field) const -> std::optional<uint32_t>;
  // Returns the text of the literal in a field, or nothing if there is no such field, or it holds a node.
  auto literal(uint32_t node, std::string_view field) const -> std::optional<std::string_view>;
  // Returns the number of references to each node.
  auto CountUses() const -> std::vector<uint32_t>;
  // Returns the object of a node, which is created after those that it refers to; an invalid id for the null object.
  // Returns nothing, with a diagnostic, if one of these nodes is faulty.
  auto Object(uint32_t node) -> std::optional<ObjectId>;
  // Makes the objects of all nodes. False, with at most a screen of diagnostics, when some are faulty.
  auto MakeAll() -> bool;

 private:
  class Impl;

  explicit ObjectGraph(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// Returns the type that an object stands for: a type, or the name of an algebraic data type without parameters. Returns
// nothing for other objects.
auto TypeOfObject(Context& context, ObjectId object) -> std::optional<TypeId>;

}  // namespace relayopt
