// Arguments for running a program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/result.h"

namespace relayopt {

// What unknown extents of one parameter become.
struct BoundExtent {
  // Without the `%`.
  std::string parameter;
  // Of one axis, or of all that are not bound one by one.
  std::optional<uint32_t> axis;
  int64_t extent = 0;
};

// What is among made-up numbers, one in four of them, besides ordinary ones.
enum class EdgeValues : uint8_t {
  kNone = 0,
  kNaN,       // zeros of both signs and NaN; of integers 0 and 1
  kInfinite,  // infinities and zero; of integers 0 and 1
  kExtreme,   // denormals, largest and smallest numbers
};

struct InputOptions {
  // The same seed gives the same values, everywhere.
  uint64_t seed = 0;
  // What unknown extents become.
  int64_t unknown_extent = 2;
  // What comes before that; each must belong to a parameter with such an extent.
  std::vector<BoundExtent> bound_extents = {};
  // What comes in between, where it is needed; see ForgottenExtents.
  std::vector<BoundExtent> known_extents = {};
  EdgeValues edges = EdgeValues::kNone;
  // Floats between 0.5 and 1.5.
  bool positive = false;
  // Whose algebraic data types values can be made of; null: of none.
  const Module* module = nullptr;
};

// The extents of tensors that parameters had in their annotations, `declared` in order, and have no more in the types
// that inference found (As TVM: a `?` elsewhere replaces an extent that is written).
auto ForgottenExtents(std::span<const TypeId> declared, const Function& typed) -> std::vector<BoundExtent>;

// A value of the type: floats in [-1, 1), in matrices and the like so near 0 that the sums of rows stay near 1,
// integers from 0 to 7, fields of tuples one after the other, references to such; a function that returns its first
// argument; a float for a type parameter; constructors of few arguments. Nothing for types that hold anything else, and
// for tensors above 1 GiB. `stream` tells values of one seed apart.
auto MakeValue(Context& context, TypeId type, const InputOptions& options, uint64_t stream) -> std::optional<Value>;

// Nothing when a tensor fits a type, else what does not, as a clause. `?` fits every extent.
auto Misfit(const Context& context, TypeId type, const Tensor& tensor) -> std::optional<std::string>;

// Arguments for the function: tensors of `given` by name of the parameter, those named arr_0, arr_1... for the
// parameters that remain, in order; made values for the rest. An error when a tensor does not fit its parameter,
// belongs to none, an extent is bound that is known, or no value can be made.
auto MakeArguments(const Function& function, std::span<const NamedTensor> given, const InputOptions& options)
    -> Result<std::vector<Value>>;

}  // namespace relayopt
