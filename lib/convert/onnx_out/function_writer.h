// A function as nodes of a graph, expression by expression.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "forms.h"
#include "regions.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/side_table.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

inline constexpr DiagnosticKind kUnsupported = {"onnx-unsupported", Severity::kError,
                                                "{} cannot be expressed in ONNX: {}"};

// Calls of an operator that could not be written.
struct MissingForm {
  size_t calls = 0;
  SourceRange first;
  std::string why;
};

// The state that is shared by all functions of a model being written.
struct WriteState {
  const Module& module;
  DiagnosticSink& sink;
  ModelBuilder builder;
  // Keyed by the name of the operator.
  std::map<std::string_view, MissingForm> missing = {};
  // Global functions that are being written, and how deep calls, branches and loops are nested.
  std::vector<GlobalId> active = {};
  size_t depth = 0;
  // Values whose types are part of graphs.
  NameSet typed = NameSet();
  // The versions of domains other than ai.onnx that foreign nodes were read in.
  std::map<std::string, int64_t> domains = {};
};

// Writes a function, and knows the values of each expression in the graph being written. Called function literals are
// written by the same writer.
class FunctionWriter {
 public:
  FunctionWriter(WriteState& state, GlobalId global, const Function& function)
      : state_(state), global_(global), function_(function), regions_(function, global), values_(function.size()) {}

  // Returns the values of the body, with its nodes in `graph`. Returns nothing after an error.
  auto Write(Graph& graph, const std::vector<Values>& args) -> CallOutputs {
    // Most expressions are a node.
    if (graph.nodes.empty()) {
      graph.nodes.reserve(function_.size());
      graph.values.reserve(function_.size());
    }
    return Apply(graph, function_.root(), args, function_.root());
  }

  auto function() const -> const Function& { return function_; }
  auto regions() const -> const Regions& { return regions_; }
  auto builder() -> ModelBuilder& { return state_.builder; }

  // Returns the values of an expression whose region has been written.
  auto ValuesOf(ExprId id) -> const Values&;
  // Binds the parameters of `callee` to these values.
  void Bind(ExprId callee, const std::vector<Values>& args);
  // Writes the expressions of a region, except those in `skipped`.
  void WriteRegion(Graph& graph, const std::vector<ExprId>& region, std::initializer_list<ExprId> skipped = {});
  // Makes `values` the outputs of a graph inside of another: values of its own, each once.
  void SetOutputs(Graph& graph, const Values& values, std::span<const Type* const> types);
  auto Unsupported(ExprId id, std::string_view what, std::string_view why) -> CallOutputs;

 private:
  auto TakesTensors(ExprId call) const -> bool;
  void WriteExpr(Graph& graph, ExprId id);
  auto FieldsOf(ExprId tuple) -> Values;
  auto FieldOf(ExprId id) -> CallOutputs;
  auto BeginsOf(TypeId tuple) -> const std::vector<size_t>&;
  auto OnlyStatesExtents(ExprId id) -> bool;
  auto WriteOpCall(Graph& graph, ExprId id) -> CallOutputs;
  auto WritePlain(Graph& graph, ExprId id, const OnnxForm& form) -> CallOutputs;
  // Returns a call of a foreign operator: one node.
  auto WriteForeign(Graph& graph, ExprId id) -> CallOutputs;
  // Gives the nodes from `first` on the span of the expression that they implement.
  void NoteSource(Graph& graph, size_t first, ExprId id);
  auto Missing(ExprId call, std::string why) -> CallOutputs;
  void AddTypes(Graph& graph, ExprId id, const Values& values);
  auto WriteIf(Graph& graph, ExprId id) -> CallOutputs;
  auto WriteCall(Graph& graph, ExprId id) -> CallOutputs;
  auto WriteComposite(Graph& graph, ExprId callee, const std::vector<Values>& args) -> CallOutputs;
  // Writes the application of a function to arguments; errors are reported at `at`.
  auto Apply(Graph& graph, ExprId callee, const std::vector<Values>& args, ExprId at) -> CallOutputs;

  WriteState& state_;
  const GlobalId global_;
  const Function& function_;
  const Regions regions_;
  SideTable<ExprId, Values> values_;
  // Keyed by the type of a tuple.
  absl::flat_hash_map<TypeId, std::vector<size_t>> begins_;
  // Made when the first reshape asks.
  std::optional<SymbolicShapes> shapes_;
};

}  // namespace relayopt::onnx::out
