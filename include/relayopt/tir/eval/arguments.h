// Arguments for running a tensor program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/tir/eval/evaluator.h"

namespace relayopt::tir {

// What the variable of a name is; or, where a parameter or its buffer has the name, the variables that are extents in
// its shape, of one axis or of all that are not bound one by one.
struct BoundNumber {
  std::string name;
  std::optional<uint32_t> axis;
  int64_t value = 0;
};

struct ArgumentOptions {
  // The same seed gives the same values, everywhere.
  uint64_t seed = 0;
  // What variables in shapes become that nothing else binds.
  int64_t unknown_extent = 2;
  std::vector<BoundNumber> bound = {};
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
// are variables. An error where a tensor fits no input, a bound number no variable, or an extent has no value.
auto MakeArguments(Evaluator& evaluator, GlobalId id, std::span<const GivenTensor> given,
                   const ArgumentOptions& options) -> Result<std::vector<Argument>>;

// Whether one is a float that no machine has and the other an integer of its width: such floats may be kept as
// integers.
auto AreTheSameBits(DataType a, DataType b) -> bool;

// The elements as numbers of another type where that has the same bits: a small float and the integer that holds it.
auto WithBitsAs(const Tensor& tensor, DataType type) -> Tensor;

// Tensors for inputs of the function, made for another one, in the shapes that it wants; an input of which nothing is
// known stays without. An error where the elements are not as many, or of another type.
auto FitArguments(Evaluator& evaluator, GlobalId id, std::vector<Argument> arguments) -> Result<std::vector<Argument>>;

}  // namespace relayopt::tir
