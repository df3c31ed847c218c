// One import: from the graphs of a model to one Relay function.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "alike.h"
#include "emitter.h"
#include "lib/convert/onnx_out/single_node.h"
#include "model_proto.h"
#include "node.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/support/text_tables.h"
#include "tensor_data.h"

namespace relayopt::onnx {

// How often an operator occurs in a model, graphs inside of nodes and functions that are called included, and the name
// of the first node or of its output. By domain, empty for ai.onnx, and name.
struct OperatorCount {
  size_t count = 0;
  std::string_view first;
};
using OperatorCounts = std::map<std::pair<std::string_view, std::string_view>, OperatorCount>;
auto CountOperators(const ModelProto& model) -> OperatorCounts;

// The names of one graph. Graphs inside of others see the names around them, bodies of functions do not.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  void Set(std::string_view name, Value value) { values_[name] = std::move(value); }
  // Sets a name that the graph does not have yet; returns false if it has it.
  auto Add(std::string_view name, Value&& value) -> bool { return values_.try_emplace(name, std::move(value)).second; }
  void Reserve(size_t names) { values_.reserve(names); }
  auto Find(std::string_view name) const -> const Value*;
  auto is_own(std::string_view name) const -> bool { return values_.contains(name); }

 private:
  const Scope* outer_;
  TextViewMap<Value> values_;
};

// What options give by name.
class NamedOptions {
 public:
  explicit NamedOptions(const OnnxOptions& options);

  // Each returns null if there is none.
  auto Shape(std::string_view input) const -> const std::vector<std::optional<int64_t>>*;
  auto Extent(std::string_view symbol) const -> const int64_t*;
  auto Type(std::string_view input) const -> const DataType*;
  // The first array for an input: by its name, or `arr_0`, `arr_1`, ... by its position.
  auto Bound(std::string_view input, size_t position) const -> const Tensor*;

 private:
  const OnnxOptions& options_;
  // Positions in the lists of the options.
  absl::flat_hash_map<std::string_view, size_t> shapes_;
  absl::flat_hash_map<std::string_view, size_t> extents_;
  absl::flat_hash_map<std::string_view, size_t> types_;
  absl::flat_hash_map<std::string_view, size_t> bound_;
};

// Interns the text of a span, which is printed in a comment and must not contain line breaks.
auto InternSpanText(Context& context, std::string_view text) -> StringId;

class Importer {
 public:
  Importer(const ModelProto& model, const std::shared_ptr<const SourceText>& source, const OnnxOptions& options,
           DiagnosticSink& sink);
  // For the expansion of single nodes into `to`; with `keep` those of their graphs are kept.
  Importer(const ModelProto& model, const ModelProto* called, FunctionBuilder& to, DiagnosticSink& sink,
           bool keep = false);

  auto Run() -> std::optional<OnnxModule>;
  // Returns the outputs of a node; absent ones are those without a name. Returns nothing after an error.
  auto Expand(const NodeProto& node, Scope& scope) -> std::optional<std::vector<Value>>;
  // Returns a value as one expression, sequences as tuples, or none for what has no value.
  auto AsExpr(const Value& value) -> ExprId;
  auto needs_values() const -> bool { return needs_values_; }

  // For converters.
  auto options() const -> const OnnxOptions& { return options_; }
  // Does not fold calls with more elements from now on.
  void LimitFolding(int64_t elements) { em_.LimitFolding(elements); }
  auto context() -> Context& { return *context_; }
  // Reads a tensor of an attribute or of a graph. Its elements are those of the message, or a copy where the message is
  // gone after the expansion of a node.
  template <typename T>
  auto ConstantOf(const T& tensor) -> Result<Constant> {
    auto constant = ToConstant(tensor, files_, *context_);
    if (source_ != nullptr || options_.keep || !constant || !constant->Elements().is_view()) return constant;
    return Constant(constant->dtype(), {constant->shape().begin(), constant->shape().end()}, constant->Bytes());
  }
  // Returns the outputs of a graph inside of a node, with its inputs bound to `inputs`, or nothing after an error.
  auto ImportBody(Node& node, const GraphProto& graph, const std::vector<Value>& inputs)
      -> std::optional<std::vector<Value>>;
  // Returns the numbers of a weight that stays a parameter, as a constant, or none for everything else.
  auto ValueOfWeight(ExprId var) -> ExprId;
  // Returns the options that make the unknown extents of inputs known from which a value is computed; if there are
  // none, the one that gives inputs values.
  auto RemedyOfExtents(ExprId id) const -> std::string;
  // Returns a variable of a loop.
  auto Variable(std::string_view name, TypeId type) -> ExprId;
  // Returns the row's converter on other inputs, for activations of recurrent networks.
  auto ConvertAs(Node& node, std::string_view op, std::vector<Value> inputs, std::vector<AttributeProto> attributes,
                 int64_t opset) -> Results;
  void Warn(std::string_view where, std::string text);
  // Returns a seed for a random operator without one; each call returns a different seed.
  auto NextSeed() -> int64_t { return next_seed_++; }
  // The type that the model or the user gives an input; nothing, with an error, when there is none that Relay has.
  auto TypeOfInput(const ValueInfo& input, bool is_outermost) -> std::optional<TypeId>;
  auto module() -> Module& { return module_; }
  auto Sanitized(std::string_view name) -> std::string;

 private:
  // The state of converting a list of nodes.
  struct Frame {
    Scope& scope;
    const FunctionFrame* function;
  };

  auto CheckOptions() -> bool;
  auto CheckOperators() -> bool;
  auto AddInitializers(const GraphProto& graph, Scope& scope, bool is_outermost) -> bool;
  auto AddInitializer(std::string_view name, Result<Constant> constant, int32_t element_type, Scope& scope,
                      bool is_outermost) -> bool;
  // Whether an array has the shape of the input that it is bound to; an error when not.
  auto CheckShape(const ValueInfo& input, const Tensor& tensor) -> bool;
  // Returns an array that is bound to an input; nothing, with an error, if it does not fit.
  auto BoundTensor(const ValueInfo& input, const Tensor& bound) -> std::optional<Tensor>;
  auto AddInputs(const GraphProto& graph, Scope& scope) -> bool;
  // An input with a weight as its default: a value that the user gives takes the place of it. Without freezing the
  // weight keeps its place among the inputs. Returns false after an error.
  auto AddDefault(const ValueInfo& input, size_t num_inputs, Scope& scope) -> bool;
  auto IsShapeless(const ValueInfo& input) const -> bool;
  auto ConvertNodes(const std::vector<NodeProto>& nodes, Frame frame) -> bool;
  auto ConvertNode(const NodeProto& proto, Frame frame) -> bool;
  // Converts a node by its row.
  auto ExpandNode(const NodeProto& proto, Frame frame, std::vector<Value> inputs) -> bool;

  // Keeping nodes (keep.cpp).
  auto KeepNode(const NodeProto& proto, StringId source, Frame frame, std::vector<Value> inputs) -> bool;
  // Keeps a node that is like one that was kept.
  auto KeepAlike(const NodeProto& proto, StringId source, const Emission& like, Scope& scope,
                 const std::vector<Value>& inputs) -> bool;
  // Returns the results of the row's converter; nothing if it fails, without an error.
  auto TryExpansion(const NodeProto& proto, const OpRow& row, Frame frame, const std::vector<Value>& inputs)
      -> std::optional<std::vector<Value>>;
  // Whether a node on sequences becomes a call: an expansion into tensors would have more nodes than the model.
  auto KeepsSequences(const NodeProto& proto, const OpRow& row, const std::vector<Value>& inputs) const -> bool;
  // Whether an output of the model that is not a tensor is one of the node.
  auto GivesSequenceOutput(const NodeProto& proto) const -> bool;
  // Returns a value as one expression, a sequence as the call of a foreign operator.
  auto AsOne(const Value& value) -> ExprId;
  auto TryTwin(const NodeProto& proto, const OpRow& row, Frame frame, const std::vector<Value>& inputs)
      -> std::optional<std::vector<Value>>;
  auto IsTwin(const NodeProto& proto, const std::vector<Value>& results, ExprId first) -> bool;
  auto IsGiven(ExprId id, ExprId first) const -> bool;
  auto CallForeign(const NodeProto& of_file, const OpRow* row, Frame frame, std::vector<Value> inputs)
      -> std::optional<std::vector<Value>>;
  auto RaiseToVersion7(const OpRow& row, NodeProto& proto, std::vector<Value>& inputs) -> bool;
  // Returns the type that the model declares for a value; a handle when it declares none that Relay has.
  auto DeclaredType(std::string_view name) -> TypeId;
  auto KeepTensor(const TensorProto& tensor, Scope& scope) -> bool;
  auto ConstantCall(const TensorProto& tensor) -> ExprId;
  void NoteDeclared(const GraphProto& graph);
  void NoteNode(const NodeProto& proto, StringId source);
  auto InputsOf(const NodeProto& proto, Frame frame) -> std::optional<std::vector<Value>>;
  auto CallFunction(const NodeProto& proto, const FunctionProto& function, Frame frame, std::vector<Value> inputs)
      -> bool;
  auto StoreResults(const NodeProto& proto, std::vector<Value> results, Scope& scope) -> bool;
  void NameConstant(ExprId id, std::string_view name, bool is_own);
  auto OutputsOf(const GraphProto& graph, const Scope& scope, std::string_view where)
      -> std::optional<std::vector<Value>>;
  auto FindFunction(const NodeProto& proto) const -> const FunctionProto*;
  auto OpsetOf(std::string_view domain, const FunctionFrame* frame) const -> int64_t;
  // The name of a node, which is given one if it has none or shares it, and its span source.
  struct Source {
    std::string_view name;
    StringId id;
  };
  auto SourceOf(const NodeProto& proto) -> Source;
  auto NewSource(const NodeProto& proto) -> Source;
  // Returns how diagnostics name a node.
  auto Where(const NodeProto& proto) -> std::string;
  // Sets the span of the expressions from `first` on that have none.
  void MarkSpans(size_t first, StringId source);
  auto Finish(std::vector<Value> outputs) -> std::optional<OnnxModule>;
  auto Settle(Module& module) -> bool;
  // Records the names that users know, for writing the module as a model again.
  void RememberNames();

  const ModelProto& model_;
  std::shared_ptr<const SourceText> source_;
  const OnnxOptions& options_;
  const NamedOptions named_options_;
  DiagnosticSink& sink_;
  Module module_;
  Context* context_;
  // Empty if the caller supplies the builder.
  std::optional<FunctionBuilder> own_builder_;
  FunctionBuilder& builder_;
  Emitter em_;
  ExternalFiles files_;
  OnnxModule result_;
  // Parameters of @main in order: inputs, then weights that are not frozen.
  std::vector<ExprId> params_;
  // Weights that are not frozen, in order and by name; none in place of those that are inputs too.
  std::vector<ExprId> weights_;
  TextViewMap<size_t> weight_of_;
  absl::flat_hash_map<ExprId, size_t> value_of_weight_;
  // The model whose functions nodes may call; null for none.
  const ModelProto* called_;
  absl::flat_hash_map<const NodeProto*, Source> node_sources_;
  // The names that no node of the model has.
  std::deque<std::string> made_names_;
  TextViewMap<size_t> unnamed_;
  TextSet warned_;
  TextSet names_;
  // The next number to try after a name that is readable.
  TextMap<size_t> next_numbers_;
  // Defaults of inputs that stay inputs.
  TextViewMap<std::shared_ptr<const Constant>> defaults_;
  // The outputs of the model that are not tensors, where nodes are kept.
  TextViewSet other_outputs_;
  // By name of a value, where nodes are kept.
  TextViewMap<const ValueInfo*> declared_;
  // Whether sequences of the model stay sequences, where nodes are kept.
  bool keeps_sequences_ = false;
  // The nodes that made sequences, by their items.
  absl::flat_hash_map<const std::vector<Value>*, const NodeProto*> makers_;
  absl::flat_hash_set<StringId> sources_;
  // Whether the context may have nodes that this import did not note: of other models, or of expansions of nodes.
  bool shares_context_ = false;
  // The last number that was appended to a name that several nodes share, so that each does not try all numbers.
  TextMap<size_t> copies_;
  // Whether warnings are dropped, while a conversion is only tried.
  bool is_quiet_ = false;
  out::SingleNodes single_nodes_;
  AlikeNodes alike_;
  // Whether the model was asked what type it declares since this was set to false.
  bool knows_declared_ = false;
  size_t depth_ = 0;
  // How many nodes may still be converted.
  size_t budget_ = 0;
  bool needs_values_ = false;
  // The inputs of the model by their variables.
  absl::flat_hash_map<ExprId, const ValueInfo*> inputs_;
  int64_t next_seed_ = 0;
};

}  // namespace relayopt::onnx
