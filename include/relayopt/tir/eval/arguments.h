// Arguments for running a tensor program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/tir/eval/evaluator.h"

namespace relayopt::tir {

// The value of the variable with this name. If the name is that of a parameter or its buffer: the value of the
// variables that are extents in its shape, for one axis, or for all axes that are not bound individually.
struct BoundNumber {
  std::string name;
  std::optional<uint32_t> axis;
  int64_t value = 0;
};

// How arguments are generated.
struct ArgumentOptions {
  // The same seed gives the same values on every machine.
  uint64_t seed = 0;
  // The value of variables in shapes that nothing else determines.
  int64_t unknown_extent = 2;
  // The most bytes of all buffers together.
  size_t max_bytes = size_t{1} << 30;
  std::vector<BoundNumber> bound = {};
  // Whether values include zeros of both signs, infinities, NaN, and the largest and smallest numbers.
  bool edge_values = false;
};

// A tensor for the input with this name.
struct GivenTensor {
  std::string name;
  Tensor tensor;
};

// Makes a value for each input of the function. Tensors in `given` are used by name; variables in shapes get their
// values from the extents of these; the rest is generated: floats in [-1, 1), integers from 0 to 7. Strides and offsets
// that are variables get the values for compact memory. An error when a tensor fits no input, a bound number no
// variable, or an extent has no value.
auto MakeArguments(Evaluator& evaluator, GlobalId id, std::span<const GivenTensor> given,
                   const ArgumentOptions& options) -> Result<std::vector<Argument>>;

// Whether one type is a float without hardware support and the other an integer of its width: such floats may be stored
// as integers.
auto AreTheSameBits(DataType a, DataType b) -> bool;

// Returns the elements converted to another type with the same bits: a small float, and the integer that stores it.
auto WithBitsAs(const Tensor& tensor, DataType type) -> Tensor;

// Returns the smallest normal number of a float of 8 bits.
auto SmallestNormal(DataType type) -> double;

// Returns floats of 8 bits as float32, and other tensors as they are.
auto WithRealFloats(const Tensor& tensor) -> Tensor;

// Adapts tensors that were generated for another function to the inputs of this one, in the shapes that it needs;
// inputs without a tensor stay without one. An error when the number or the type of elements differs.
auto FitArguments(Evaluator& evaluator, GlobalId id, std::vector<Argument> arguments) -> Result<std::vector<Argument>>;

}  // namespace relayopt::tir
