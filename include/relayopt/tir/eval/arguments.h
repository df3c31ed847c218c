// Arguments for running a tensor program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/tir/eval/evaluator.h"

namespace relayopt::tir {

struct ArgumentOptions {
  // The same seed gives the same values, everywhere.
  uint64_t seed = 0;
  // What variables in shapes become that nothing else binds.
  int64_t unknown_extent = 2;
  // What variables become, by name.
  std::vector<std::pair<std::string, int64_t>> bound = {};
  // Zeros of both signs, infinities, NaN, largest and smallest numbers among the values.
  bool edge_values = false;
};

// A tensor for the input of this name.
struct GivenTensor {
  std::string name;
  Tensor tensor;
};

// A value for each input of the function: `given` by name, then variables in shapes from the extents of what was given,
// then made ones: floats in [-1, 1), integers from 0 to 7. Strides are those of compact memory and offsets 0 where they
// are variables. An error where a tensor fits no input, or an extent has no value.
auto MakeArguments(Evaluator& evaluator, GlobalId id, std::span<const GivenTensor> given,
                   const ArgumentOptions& options) -> Result<std::vector<Argument>>;

// The elements as numbers of another type where that has the same bits: a small float and the integer that holds it.
auto WithBitsAs(const Tensor& tensor, DataType type) -> Tensor;

// Tensors for inputs of the function, made for another one, in the shapes that it wants; an input of which nothing is
// known stays without. An error where the elements are not as many, or of another type.
auto FitArguments(Evaluator& evaluator, GlobalId id, std::vector<Argument> arguments) -> Result<std::vector<Argument>>;

}  // namespace relayopt::tir
