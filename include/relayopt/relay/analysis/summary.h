// Summaries of models: work, memory and parameters, for each layer and in total.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/support/source.h"

namespace relayopt {

// Counts for a part of a program. Each expression is counted once, however often it is evaluated. Sums saturate.
struct SummaryCounts {
  // The number of launches: calls of kernels (functions with the attribute Primitive), calls of functions for an
  // external compiler, and calls of operators outside of both.
  uint64_t kernels = 0;
  // The number of operator calls, including those inside kernels.
  uint64_t operators = 0;
  // The number of multiply-accumulate operations; see CallMacs.
  uint64_t macs = 0;
  // Elements and bytes of the weights: constants with a rank above 0, and parameters of @main that operators use as
  // weights (FindWeights). Totals count each weight once.
  uint64_t parameters = 0;
  uint64_t weight_bytes = 0;
  // The bytes of the results of layers.
  uint64_t activation_bytes = 0;
};

// One layer: something that is launched as a whole.
struct SummaryLayer : SummaryCounts {
  // The operators, such as `nn.conv2d+add+nn.relu`, or `@name` for a function for an external compiler.
  std::string name;
  // The layers of the original model, such as `stem/conv+stem/relu`, as far as spans name them.
  std::string source;
  // The global function that contains it, and the range in it.
  std::string function;
  SourceRange range;
  // The type of its result, as text.
  std::string output;
  // Whether the multiply-accumulates, or the bytes of the result, are not known.
  bool has_unknown_macs = false;
  bool has_unknown_result = false;
};

// The summary of a module.
struct ModelSummary {
  // In the order of execution, those of @main first.
  std::vector<SummaryLayer> layers;
  SummaryCounts total;
  // The largest number of bytes of activations of @main that are alive at the same time: results, and parameters that
  // are not weights, each from its computation to its last use in the order of execution. Does not include what kernels
  // and other functions need internally. Reshapes need no memory.
  uint64_t peak_bytes = 0;
  // The multiply-accumulates as a polynomial in unknown extents, such as `221184*batch`; empty if all are known, or if
  // there is no such polynomial. Only SummarizeWithSymbols sets it.
  std::string symbolic_macs;
  // The number of layers with unknown extents, which are missing from counts that depend on the extents.
  uint64_t unknown = 0;
  // How often each operator is called.
  std::map<std::string, uint64_t> operators;
};

// Summarizes a module whose types are inferred, in linear time.
auto Summarize(const Module& module) -> ModelSummary;

// The same, with the multiply-accumulates of a model with unknown extents as text. Infers types up to 28 times then.
auto SummarizeWithSymbols(const Module& module) -> ModelSummary;

// Returns the multiply-accumulates of a module as a polynomial in unknown extents of the parameters of @main, under the
// names that the model has for them, else as `data.0`. Empty if they are not a polynomial, or depend on other unknowns,
// or on more than three.
auto SymbolicMacs(const Module& module) -> std::string;

// Returns how many calls of each operator were added, negative for removed ones, without those whose number is the
// same.
auto AddedOperators(const ModelSummary& before, const ModelSummary& after) -> std::map<std::string, int64_t>;

// Returns a table with a row for each layer, and the totals.
auto ToTable(const ModelSummary& summary) -> std::string;
// The nodes of a model in the graph format of another system, and the version of its operators.
struct GraphCounts {
  uint64_t nodes = 0;
  int64_t opset = 0;
  // The number of nodes of each kind.
  std::map<std::string, uint64_t> kinds = {};
};
// `before` is empty if the model was not read from such a format.
struct NodeCounts {
  std::optional<GraphCounts> before;
  GraphCounts after;
};
// Returns a table with the totals of two models side by side. With `nodes` it has these in place of what only Relay's
// operators have: kernels, operators, activations.
auto ToTable(const ModelSummary& before, const ModelSummary& after, const NodeCounts* nodes = nullptr) -> std::string;

// JSON: {"version": 1, "total": {...}, "operators": {...}, "layers": [...]}, and for two models {"version": 1,
// "before": {...}, "after": {...}}. Ends with a line feed.
auto ToJson(const ModelSummary& summary) -> std::string;
auto ToJson(const ModelSummary& before, const ModelSummary& after) -> std::string;

// Counts and sizes for people: `118.0 M` and `9.4 MiB`.
auto CountText(uint64_t count) -> std::string;
auto BytesText(uint64_t bytes) -> std::string;

}  // namespace relayopt
