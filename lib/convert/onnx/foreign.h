// ONNX's operators as operators of a module: `onnx.LSTM`, `com.microsoft.Gelu`, `ai.onnx.ml.Normalizer`.
//
// A node of a model becomes a call with an operand for each of its inputs, `onnx.none()` for those that are left out,
// and with the attributes of the node. A node with several outputs has a tuple as its result.
//
//   y, y_h = LSTM<hidden_size=4>(x, w, r, "", "", h)    opset 14
//   %0 = onnx.LSTM(%x, %w, %r, onnx.none(), onnx.none(), %h, hidden_size=4, version=14, results="11")
//
// An operator that has no row, or a node with attributes that its row lacks, is a call of `onnx.call`, which carries
// everything as it is in the file. Besides the attributes of the node, calls have these:
//
//   version   a version of the operator set in which the node has its meaning
//   results   for several outputs: for each, `1` when the node gives it a name, else `0`
//   captures  the names of the values that graphs in attributes take from outside; they are the last operands
//   types     the types of the results as the model declares them, where they cannot be computed
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_proto.h"
#include "op_row.h"
#include "relayopt/core/context.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_instance.h"

namespace relayopt::onnx {

// The element type of values that Relay has no type for: texts, maps, sequences, 8-bit floats, and results of unknown
// operators. One without axes represents an unknown value.
inline constexpr DataType kHandle = {TypeCode::kHandle, 64, 1};

// Returns the operator of a row, which is registered when it is first requested.
auto ForeignOpOf(const OpRow& row) -> const OpDef*;
// onnx.call, a node without a row, and onnx.none, an input that is left out.
auto OpaqueOp() -> const OpDef*;
auto NoneOp() -> const OpDef*;
// Returns the row of a foreign operator, or null for onnx.call, onnx.none and operators that are not ONNX's.
auto RowOfOp(const OpDef* op) -> const OpRow*;
// Whether calls of the operator are nodes: an operator of a row, or onnx.call.
auto IsNodeOp(const OpDef* op) -> bool;
// Whether the operator is of a family whose nodes may be single calls of Relay; others become many calls, some of which
// take long to emit.
auto MayHaveTwin(const OpRow& row) -> bool;
// Registers foreign operators with FindOp.
void RegisterForeignOps();

// The data of a node in the call of its foreign operator. Texts are views of the context or of `storage`.
struct ForeignNode {
  // The default domain is empty.
  std::string_view domain;
  std::string_view op_type;
  std::string_view overload;
  // Null for onnx.call.
  const OpRow* row = nullptr;
  int64_t version = 0;
  // For each output, whether it is given; `1` for a single one.
  std::string_view results = "1";
  std::vector<std::string_view> captures;
  std::vector<std::string_view> types;
  std::vector<AttributeProto> attributes;

  std::deque<std::string> texts;
  std::vector<std::unique_ptr<LoneAttribute>> storage;
  // Why an attribute could not be read; empty if all were.
  std::string error;
};
auto ReadForeign(const Context& context, const OpInstance& call) -> ForeignNode;

// The operator and the attributes of a node.
struct ForeignParts {
  const OpRow* row = nullptr;
  int64_t version = 0;
  std::string results = "1";
  std::vector<std::string> captures = {};
  std::vector<std::string> types = {};
};
auto MakeForeign(Context& context, const NodeProto& node, const ForeignParts& parts) -> OpInstance;

// Returns the operator and the attributes of a call as those of a node, without inputs and outputs. It has views of the
// texts of `node`.
auto ProtoOf(const ForeignNode& node) -> NodeProto;
// Returns the parts of a call, without captures.
auto PartsOf(const ForeignNode& node) -> ForeignParts;

// Types as calls declare them: "float32(3, ?)".
auto DeclaredTypeText(const Context& context, TypeId type) -> std::string;
auto ParseDeclaredType(Context& context, std::string_view text) -> TypeId;

// The results of a call, in Relay's operators.
struct Expansion {
  // One for each output; none for an absent output. Empty after an error.
  std::vector<ExprId> values;
  // For each, whether its element type is missing in Relay and represented by a wider one.
  std::vector<bool> is_foreign;
  std::string error;
};
// Emits the expansion of a call. `from` is the context of the call, `model` is the model whose functions it may call
// (or null). Operands that are none are inputs that are left out. Only what has at most `most_folded` elements is
// folded, if that is given.
auto ExpandForeign(FunctionBuilder& to, const Context& from, const ModelProto* model, const OpInstance& call,
                   std::span<const ExprId> operands, std::string_view name,
                   std::optional<int64_t> most_folded = std::nullopt) -> Expansion;
// The same for an If whose condition is constant: emits the nodes of its branch, kept as calls.
auto ExpandBranch(FunctionBuilder& to, const ModelProto* model, const OpInstance& call,
                  std::span<const ExprId> operands, std::string_view name) -> Expansion;

// Returns the names that graphs in the attributes of a node take from around it, in the order of their first use, where
// outer graphs come first. The names view the node.
auto CapturesOf(const NodeProto& node, const std::function<bool(std::string_view)>& is_around)
    -> std::vector<std::string_view>;

// Expands calls of a function that `wants` selects; those without an expansion stay. Returns nothing if there are none.
// Only what has at most `most_folded` elements is folded, if that is given.
auto ExpandCalls(const Function& function, const std::function<bool(ExprId)>& wants,
                 std::optional<int64_t> most_folded = std::nullopt) -> std::optional<Function>;

// Whether values that are new (from `first` on) are constants larger than a few kilobytes and than `given` returns,
// which is what there was before: an EyeLike is not better as a matrix. `given` is asked only of large ones.
auto AreLargeConstants(const Function& function, ExprId first, std::span<const ExprId> values,
                       const std::function<size_t()>& given) -> bool;
// Returns what constants may take that are made of these operands and attributes, in bytes.
auto BytesGiven(const Function& function, std::span<const ExprId> operands, std::span<const AttributeProto> attributes)
    -> size_t;

// The calls of a module that have no expansion, and why, in the order of the module.
struct Refusal {
  std::string domain;
  std::string op_type;
  std::string why;
};
auto FindRefusals(const Module& module) -> std::vector<Refusal>;

// Returns the first call of a node, which only relayopt knows; nothing if there is none.
struct NodeCall {
  std::string_view op;
  SourceRange range;
};
auto FirstNodeCall(const Module& module) -> std::optional<NodeCall>;

// Returns the type of a call. A null constant is an operand that is not constant. An invalid type, and a message, when
// there is none.
auto TypeOfForeign(Context& context, const OpInstance& call, std::span<const TypeId> inputs,
                   std::span<const Constant* const> constants, std::string& error) -> TypeId;

}  // namespace relayopt::onnx
