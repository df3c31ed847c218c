// How much work, memory and how many parameters a model has: layer by layer and in total.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/support/source.h"

namespace relayopt {

// What is counted. Everything is counted as it stands in the program, each expression once, however often it is
// evaluated. Sums saturate.
struct SummaryCounts {
  // What is launched: calls of kernels (functions with the attribute Primitive), calls of functions for an outside
  // compiler, and calls of operators outside of both.
  uint64_t kernels = 0;
  // Calls of operators, those inside of kernels included.
  uint64_t operators = 0;
  // Multiplications with accumulation; see CallMacs.
  uint64_t macs = 0;
  // Elements and bytes of the weights: constants of rank 1 and more, and parameters of @main that operators take for
  // weights (FindWeights). In totals each counts once.
  uint64_t parameters = 0;
  uint64_t weight_bytes = 0;
  // Bytes of results: of layers.
  uint64_t activation_bytes = 0;
};

// Something that is launched.
struct SummaryLayer : SummaryCounts {
  // The operators, `nn.conv2d+add+nn.relu`, or `@name` of a function for an outside compiler.
  std::string name;
  // The layers of the original model, `stem/conv+stem/relu`, as far as spans say them.
  std::string source;
  // The global function that it stands in, and where.
  std::string function;
  SourceRange range;
  // The type of its result, as text.
  std::string output;
};

struct ModelSummary {
  // In execution order, those of @main first.
  std::vector<SummaryLayer> layers;
  SummaryCounts total;
  // The most bytes of activations of @main that live at one time: parameters that are no weights, and results, each
  // from where it is computed to its last use, in execution order. What kernels and other functions need inside is not
  // counted; a reshape needs nothing.
  uint64_t peak_bytes = 0;
  // Layers with extents that are not known, which count nothing where they matter.
  uint64_t unknown = 0;
  // How often each operator is called.
  std::map<std::string, uint64_t> operators;
};

// Of a module whose types are inferred. Linear.
auto Summarize(const Module& module) -> ModelSummary;

// A table with a row for each layer, and the totals below.
auto ToTable(const ModelSummary& summary) -> std::string;
// The totals of two models side by side.
auto ToTable(const ModelSummary& before, const ModelSummary& after) -> std::string;

// {"version": 1, "total": {...}, "operators": {...}, "layers": [...]}; and with two models
// {"version": 1, "before": {...}, "after": {...}}. A line feed ends it.
auto ToJson(const ModelSummary& summary) -> std::string;
auto ToJson(const ModelSummary& before, const ModelSummary& after) -> std::string;

// `118.0 M` and `9.4 MiB`.
auto CountText(uint64_t count) -> std::string;
auto BytesText(uint64_t bytes) -> std::string;

}  // namespace relayopt
