// The interface of converters to the model: a node with its inputs, its attributes and the emitter.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emitter.h"
#include "model_proto.h"
#include "op_row.h"

namespace relayopt::onnx {

class Importer;
class Scope;

// A value of the model while it is imported: a tensor, a sequence of values that are known one by one, an optional
// that holds nothing, or absent.
struct Value {
  ExprId expr;
  // The ONNX element type, which is more specific than Relay's for 8-bit floats and 4-bit integers.
  int32_t element_type = kUndefined;
  std::shared_ptr<const std::vector<Value>> items;
  bool is_empty_optional = false;

  Value() = default;
  Value(ExprId e) : expr(e) {}
  static auto Sequence(std::vector<Value> values) -> Value {
    Value value;
    value.items = std::make_shared<const std::vector<Value>>(std::move(values));
    return value;
  }
  auto is_sequence() const -> bool { return items != nullptr; }
  auto is_absent() const -> bool { return !expr && items == nullptr && !is_empty_optional; }
};

// The outputs of a node, in order. A converter may return fewer than the node names, when the remaining ones are not
// used.
struct Results {
  std::vector<Value> values;

  Results() = default;
  Results(ExprId expr) : values{Value(expr)} {}
  Results(Value value) : values{std::move(value)} {}
  Results(std::initializer_list<ExprId> exprs) : values(exprs.begin(), exprs.end()) {}
  Results(const Exprs& exprs) : values(exprs.begin(), exprs.end()) {}
  Results(std::vector<Value> v) : values(std::move(v)) {}
};

// The attributes that references inside of a function body resolve to.
struct FunctionFrame {
  const FunctionProto* function = nullptr;
  std::vector<const AttributeProto*> attributes;
  const FunctionFrame* caller = nullptr;

  auto Find(std::string_view name) const -> const AttributeProto* {
    for (const AttributeProto* attribute : attributes) {
      if (attribute->name == name) return attribute;
    }
    return nullptr;
  }
};

class Node {
 public:
  Node(Importer& importer, Emitter& emitter, const NodeProto& proto, const OpRow& row, const FunctionFrame* frame,
       const Scope& scope, int64_t opset, std::vector<Value> inputs)
      : importer_(importer),
        em_(emitter),
        proto_(proto),
        row_(row),
        frame_(frame),
        scope_(scope),
        opset_(opset),
        inputs_(std::move(inputs)) {}

  auto em() -> Emitter& { return em_; }
  auto importer() -> Importer& { return importer_; }
  auto proto() const -> const NodeProto& { return proto_; }
  auto row() const -> const OpRow& { return row_; }
  auto frame() const -> const FunctionFrame* { return frame_; }
  // Returns the names that graphs inside of the node can use.
  auto scope() const -> const Scope& { return scope_; }
  // Returns the version of the operator set that the node is written in.
  auto opset() const -> int64_t { return opset_; }

  // Whether to compute what ONNX defines where TVM's importer does not; see OnnxOptions.
  auto exact() const -> bool;
  auto keeps_nan(ExprId x) const -> bool;

  // Inputs. An absent input is none.
  auto num_inputs() const -> size_t { return inputs_.size(); }
  auto has(size_t i) const -> bool { return i < inputs_.size() && !inputs_[i].is_absent(); }
  auto in(size_t i) const -> ExprId { return i < inputs_.size() ? inputs_[i].expr : ExprId(); }
  auto value(size_t i) const -> Value { return i < inputs_.size() ? inputs_[i] : Value(); }
  // Returns all of them as tensors.
  auto ins() const -> Exprs;
  // Returns the input as messages name it: its name in the model and in the operator's signature.
  auto InputText(size_t i) const -> std::string;
  auto num_outputs() const -> size_t { return proto_.outputs.size(); }
  // Whether output `k` may be used.
  auto wants(size_t k) const -> bool { return k < proto_.outputs.size() && !proto_.outputs[k].empty(); }

  // Attributes; a missing one has the default of the operator's row. One without default, and one of another type
  // than the row says, is an error.
  auto Has(std::string_view name) const -> bool { return Find(name) != nullptr; }
  auto Int(std::string_view name) -> int64_t;
  auto Flag(std::string_view name) -> bool { return Int(name) != 0; }
  auto Float(std::string_view name) -> double;
  // The same as the decimal number that the exporter wrote (1e-05 and not 9.99999974737875e-06), for attributes of
  // Relay, which are doubles.
  auto Decimal(std::string_view name) -> double;
  auto Text(std::string_view name) -> std::string;
  // Returns nothing if the attribute is missing.
  auto IntList(std::string_view name) -> std::optional<Ints>;
  auto FloatList(std::string_view name) -> std::optional<std::vector<double>>;
  auto TextList(std::string_view name) -> std::optional<std::vector<std::string>>;
  auto Graph(std::string_view name) -> const GraphProto*;
  auto Find(std::string_view name) const -> const AttributeProto*;
  // Returns a constant from a tensor attribute.
  auto TensorConstant(const AttributeProto& attribute) -> Value;
  // One of `choices`, comma-separated; else an error.
  auto Choice(std::string_view name, std::string_view choices) -> std::string;

  // Input `i`, or its value when it is a weight that stays a parameter: shapes and axes have the values in the model.
  auto Known(size_t i) -> ExprId;
  // Returns the elements of input `i`, which must be known while importing; nothing, with an error, when they are not.
  auto NeedInts(size_t i) -> std::optional<Ints>;
  // The same for an input that is a single number.
  auto NeedInt(size_t i) -> std::optional<int64_t>;
  auto NeedDoubles(size_t i) -> std::optional<std::vector<double>>;
  // Returns the static shape of an expression or one extent of it.
  auto NeedShape(ExprId id, std::string_view what) -> std::optional<Ints>;
  auto NeedExtent(ExprId id, int64_t axis, std::string_view what) -> int64_t;
  // Returns the number of elements of a constant of this shape, or nothing, with an error, if it is too large to
  // create.
  auto Elements(std::span<const int64_t> shape) -> std::optional<size_t>;
  auto Elements(std::initializer_list<int64_t> shape) -> std::optional<size_t> {
    return Elements(std::span(shape.begin(), shape.size()));
  }
  auto CheckIterations(int64_t count) -> bool { return em_.CheckIterations(count); }
  // Returns a non-negative axis; an error if it is outside of `rank`.
  auto Axis(int64_t axis, int64_t rank) -> int64_t;

  // Errors. Everything emitted afterwards is none.
  template <typename... Args>
  auto Fail(fmt::format_string<Args...> text, Args&&... args) -> ExprId {
    return em_.Fail(fmt::format(text, std::forward<Args>(args)...));
  }
  // Reports an error that binding inputs would fix.
  auto NeedsValue(std::string_view what) -> ExprId;
  // Warns instead: the result is an approximation, and binding inputs would fix that.
  void WarnNeedsValue(std::string text);
  auto needs_value() const -> bool { return needs_value_; }
  // The options that supply the missing information, for messages.
  auto remedy() const -> const std::string& { return remedy_; }
  auto failed() const -> bool { return em_.failed(); }
  void Warn(std::string text);

 private:
  auto OfType(std::string_view name, AttributeType type) -> const AttributeProto*;

  Importer& importer_;
  Emitter& em_;
  const NodeProto& proto_;
  const OpRow& row_;
  const FunctionFrame* frame_;
  const Scope& scope_;
  int64_t opset_;
  std::vector<Value> inputs_;
  bool needs_value_ = false;
  std::string remedy_ = "--onnx-bind";
};

}  // namespace relayopt::onnx
