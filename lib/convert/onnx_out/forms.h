// The table of ONNX forms: how each Relay operator is written as ONNX nodes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/convert/onnx/kernel_types.h"
#include "model.h"
#include "relayopt/core/constant.h"
#include "relayopt/core/tensor_table.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

// The names of the values of an expression: one for a tensor; for a tuple, those of all its leaves in order.
using Values = Names;

// The type of shapes, axes and most indices. (kInt64 is ONNX's number for it here.)
inline constexpr DataType kIndexType = DataType::Int(64);

auto SetOf(DataType dtype) -> Types;

// Returns a tensor with the elements of a constant, without a name.
auto ToTensorData(const Constant& constant) -> TensorData;

// The state that is shared by all graphs of a model being written.
class ModelBuilder {
 public:
  // Forms are written in version `opset`; the model becomes one of version `target`, which may be older.
  ModelBuilder(NameTable& names, int64_t opset) : ModelBuilder(names, opset, opset) {}
  ModelBuilder(NameTable& names, int64_t opset, int64_t target) : names_(names), opset_(opset), target_(target) {}

  auto names() -> NameTable& { return names_; }
  // Returns a unique name for a value: the requested one, or a similar one.
  auto Unique(std::string_view name) -> Name;
  // Returns a name for a value that has none.
  auto NewName() -> Name;
  // Reserves a name for the initializer that has it, so that NewName does not return it.
  void KeepForInitializer(std::string_view name) {
    // NewName never returns other names.
    if (!name.starts_with('v')) return;
    const Name kept = names_.Intern(name);
    if (!IsGenerated(kept)) reserved_.insert(kept);
  }
  void Reserve(std::string_view name) { used_.insert(names_.Intern(name)); }

  // Adds a node, with names of its own for its outputs.
  auto AddNode(Graph& graph, std::string_view op_type, Names inputs, Attributes attributes, size_t outputs) -> Values;

  // Adds the node of a call. Inputs that are left out at the end are dropped, and attributes sorted.
  auto AddCall(Graph& graph, std::string_view op_type, Names inputs, Attributes attributes, size_t outputs) -> Values;

  // Returns the initializer with these elements. Equal initializers are created once.
  auto Initializer(const Constant& constant, std::string_view name = {}) -> Name;
  auto initializers() -> std::vector<TensorData>& { return initializers_; }
  // Records that an initializer without a name comes from this constant, unless an equal one was first.
  void NoteOrigin(Name initializer, const Function& function, ExprId constant);

  // Records a cast that loses no information, so that casting back gives the original value.
  void NoteCast(Name result, Name source, int32_t source_type) { casts_[result] = {source, source_type}; }
  // Returns the value that `value` was cast from without loss, if it had this type.
  auto SourceOfCast(Name value, int32_t type) const -> std::optional<Name> {
    const auto found = casts_.find(value);
    if (found == casts_.end() || found->second.second != type) return std::nullopt;
    return found->second.first;
  }
  // Records the operand and the axes of a transpose.
  void NoteTranspose(Name result, Name source, std::vector<int64_t> axes) {
    transposes_[result] = {source, std::move(axes)};
  }
  auto SourceOfTranspose(Name value) const -> const std::pair<Name, std::vector<int64_t>>* {
    const auto found = transposes_.find(value);
    return found == transposes_.end() ? nullptr : &found->second;
  }
  // Records that a value of int64 contains positions or extents, which fit into 32 bits.
  void NoteIndex(Name value) { indices_.insert(value); }
  auto IsIndex(Name value) const -> bool { return indices_.contains(value); }

  auto opset() const -> int64_t { return opset_; }
  auto target() const -> int64_t { return target_; }
  // States that an operator needs this version of the operator set. Used only when the user requested no version.
  void Raise(int64_t opset) { opset_ = std::max(opset_, opset); }

 private:
  // Whether NewName may have returned the name.
  auto IsGenerated(Name name) const -> bool;

  NameTable& names_;
  int64_t opset_;
  int64_t target_;
  size_t next_ = 0;
  // Names in use, except those that NewName has returned.
  NameSet used_;
  NameSet reserved_;
  // What they hold, by the same numbers.
  TensorTable contents_;
  std::vector<TensorData> initializers_;
  absl::flat_hash_map<Name, std::pair<Name, int32_t>> casts_;
  NameSet indices_;
  absl::flat_hash_map<Name, std::pair<Name, std::vector<int64_t>>> transposes_;
};

// A call that is being written, and the graph that its nodes go to.
class OnnxCall : public CallView {
 public:
  OnnxCall(ModelBuilder& model, Graph& graph, const Function& function, ExprId id, std::vector<Values> args)
      : CallView(function, id), args(std::move(args)), model_(model), graph_(graph) {}

  // Returns the name of the i-th argument.
  auto arg(size_t i) const -> Name { return args[i][0]; }
  auto num_args() const -> size_t { return args.size(); }
  // Returns the i-th argument, a constant if need be, as int64.
  auto AsLong(size_t i) -> Name { return As(i, kIndexType); }
  // Returns the type to compute with: that of the first argument, or a wider one for which the operator has a kernel.
  auto dtype() const -> DataType { return dtype_; }
  void set_dtype(DataType dtype) { dtype_ = dtype; }
  // The operator in the row by which the call is written.
  auto name() const -> std::string_view { return name_; }
  void set_name(std::string_view name) { name_ = name; }
  auto model() -> ModelBuilder& { return model_; }
  auto opset() const -> int64_t { return model_.opset(); }

  auto Add(std::string_view op_type, Names inputs, Attributes attributes = {}) -> Name;
  auto AddMany(std::string_view op_type, Names inputs, Attributes attributes, size_t outputs) -> Values;
  // Initializers: a list of int64, one int64 without axes, a number of a type without axes.
  auto List(std::span<const int64_t> values) -> Name;
  auto List(std::initializer_list<int64_t> values) -> Name { return List(std::span(values.begin(), values.size())); }
  auto Index(int64_t value) -> Name;
  auto Number(double value, DataType dtype) -> Name;
  auto Number(double value) -> Name { return Number(value, dtype_); }

  auto Cast(Name value, DataType dtype) -> Name;
  // Returns the i-th argument, cast if it has another type.
  auto As(size_t i, DataType dtype) -> Name;
  auto CastTo(Name value, int32_t element_type) -> Name;
  auto Transpose(Name value, std::span<const int64_t> axes) -> Name;
  auto Reshape(Name value, std::span<const int64_t> shape) -> Name;
  // The extents of the axes from `begin` to before `end`.
  auto Extents(Name value, int64_t begin, int64_t end) -> Name;
  auto Unsqueeze(Name value, std::span<const int64_t> axes) -> Name;
  // Returns a vector with `count` axes of extent 1 appended.
  auto AsColumn(Name vector, size_t count) -> Name;

  std::vector<Values> args;

 private:
  ModelBuilder& model_;
  Graph& graph_;
  DataType dtype_;
  std::string_view name_;
};

// The outputs of a call, or nothing if this call cannot be written.
using CallOutputs = std::optional<Values>;
inline auto One(Name value) -> CallOutputs { return Values{value}; }

// Returns the elements of a constant of integers, or nothing for others.
auto NumbersOf(const Constant* constant) -> std::optional<std::vector<int64_t>>;

// Adds the nodes of a call and names its values.
using OnnxWriter = auto(*)(OnnxCall& call) -> CallOutputs;

struct OnnxForm {
  // For help texts: the operator, or the operators that the writer emits.
  std::string_view op_type;
  // The types of the first argument for which onnxruntime has a kernel. Others are cast to a wider type and back.
  Types types = kAll;
  // For calls that are not a single node with the same operands and no attributes: those that are stand in the table of
  // ONNX operators (OpRow::kernels).
  OnnxWriter write = nullptr;
};

// Returns null if the operator has none.
auto FindOnnxForm(const OpDef* op) -> const OnnxForm*;

// Writes a call of tensors that is one node with the same operands, without a view of it; nothing if it is not as
// plain.
auto WritePlainCall(ModelBuilder& model, Graph& graph, const Function& function, ExprId id, const OnnxForm& form,
                    std::span<const Name> inputs) -> CallOutputs;

// Writes a call by the row of its operator. Operands of a type that onnxruntime has no kernel for are cast to a wider
// one, and the result back.
auto WriteForm(OnnxCall& call, const OnnxForm& form) -> CallOutputs;

// Returns the rows of each family.
auto ElementwiseForms() -> std::span<const OpRule<OnnxForm>>;
auto ShapeForms() -> std::span<const OpRule<OnnxForm>>;
auto IndexForms() -> std::span<const OpRule<OnnxForm>>;
auto ConvolutionForms() -> std::span<const OpRule<OnnxForm>>;
auto ProductForms() -> std::span<const OpRule<OnnxForm>>;
auto PoolForms() -> std::span<const OpRule<OnnxForm>>;
auto NormalizationForms() -> std::span<const OpRule<OnnxForm>>;
auto MovementForms() -> std::span<const OpRule<OnnxForm>>;
auto ImageForms() -> std::span<const OpRule<OnnxForm>>;
auto DynamicForms() -> std::span<const OpRule<OnnxForm>>;

// Several operators of Relay that correspond to one of ONNX.
struct OnnxPattern {
  // The attribute Composite of the functions that they become.
  std::string_view name;
  // As ParsePattern reads it.
  std::string_view pattern;
  auto(*check)(const Function& function, ExprId root) -> bool = nullptr;
  // Writes the body of such a function; `value` gives the names of parameters and constants.
  auto(*write)(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
               const std::function<Values(ExprId)>& value) -> CallOutputs = nullptr;
  // Used instead of `check` if more must be known about extents than types contain.
  auto(*check_extents)(const Function& function, ExprId root, const SymbolicShapes& shapes) -> bool = nullptr;
};
auto OnnxPatterns() -> std::span<const OnnxPattern>;

}  // namespace relayopt::onnx::out
