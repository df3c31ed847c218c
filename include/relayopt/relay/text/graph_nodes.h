// The interfaces for writing object graphs as JSON.
#pragma once

#include <memory>
#include <string_view>

#include "relayopt/core/context.h"
#include "relayopt/module/print.h"
#include "relayopt/support/text_sink.h"

namespace relayopt {

// A reference to a node of the object graph. Many nodes exist only in the text, such as the array object for the shape
// of a type.
struct NodeRef {
  enum class Kind : uint8_t {
    kNull,
    kRoot,    // of a metadata section
    kList,    // of a metadata section, the objects of one type key: its number
    kObject,  // ObjectId
    kText,    // a string object: StringId
    kEmptyText,
    kConstant,    // ConstantId
    kOwnTensor,   // TypeId of a tensor: a type that belongs to one constant
    kOwnShape,    // TypeId
    kOwnDim,      // TypeId, axis
    kType,        // TypeId
    kTypeArgs,    // TypeId
    kTypeParams,  // TypeId
    kTypeHead,    // TypeId of a kCall: the name it applies
    kEmptyArray,
    kAttrs,       // AttrsId
    kAttrsText,   // AttrsId, field
    kAttrsList,   // AttrsId, field, and 1 + the inner list or 0
    kAttrsDim,    // AttrsId, field, and 1 + the inner list or 0, position
    kAttrsFloat,  // AttrsId, field, 0, position in an array of numbers
    kDevice,      // the unconstrained device
    kSpan,        // SpanId
    kSource,      // StringId
    kOwn,         // whatever the source of the graph says; has as many spans as references
    kOwnShared,   // the same, with one span
  };
  Kind kind = Kind::kNull;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;

  // Whether the node is written once, however often it is referred to.
  auto is_shared() const -> bool {
    return kind == Kind::kObject || kind == Kind::kConstant || kind == Kind::kType || kind == Kind::kDevice ||
           kind == Kind::kSpan || kind == Kind::kSource || kind == Kind::kOwnShared;
  }
  friend auto operator==(const NodeRef&, const NodeRef&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const NodeRef& ref) -> H {
    return H::combine(static_cast<H&&>(h), ref.kind, ref.a, ref.b, ref.c, ref.d);
  }
};

// Receives the parts of a node. Children come in the order in which TVM visits them.
class NodeVisitor {
 public:
  virtual void TypeKey(std::string_view key) = 0;
  // The byte form, for classes that have one.
  virtual void Bytes(std::string_view bytes) = 0;
  // A field whose value is not an object.
  virtual void Literal(std::string_view field, std::string_view value) = 0;
  // A field whose value is an object.
  virtual void Child(std::string_view field, const NodeRef& child) = 0;
  // An element of an array or a map. The key of a map entry comes before its value.
  virtual void Item(const NodeRef& child) = 0;
  virtual void Key(std::string_view key) = 0;
  // The field that holds the tensor of a constant.
  virtual void Tensor(std::string_view field, ConstantId constant) = 0;

 protected:
  ~NodeVisitor() = default;
};

// Describes the nodes for data of the context: attribute values, attribute records, types, spans, constants.
class ValueNodes {
 public:
  explicit ValueNodes(const Context& context);
  ValueNodes(const ValueNodes&) = delete;
  auto operator=(const ValueNodes&) -> ValueNodes& = delete;
  ~ValueNodes();

  // Returns the node of an attribute value, which may stand for a constant or a type.
  auto NodeOf(ObjectId object) -> NodeRef;
  // Describes a node of any kind but kNull, kRoot, kList, kOwn and kOwnShared.
  void Describe(const NodeRef& ref, NodeVisitor& visitor);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// An object graph to write.
class GraphSource {
 public:
  // Passes the parts of `ref`, which is never kNull, to `visitor`. It is called twice for each node, and both calls
  // must give the same.
  virtual void Describe(const NodeRef& ref, NodeVisitor& visitor) = 0;

 protected:
  ~GraphSource() = default;
};

// Writes the graph below `root` in TVM's layout, without a final line feed. Nodes are numbered depth first, a
// node before its children. Returns how many tensors were left out, because of the options.
auto WriteObjectGraph(const Context& context, GraphSource& source, const NodeRef& root, const PrintOptions& options,
                      TextSink& sink) -> size_t;

}  // namespace relayopt
