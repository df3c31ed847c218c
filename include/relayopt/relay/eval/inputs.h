// Makes arguments for running a program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/result.h"

namespace relayopt {

// The extent to use for an unknown one in a parameter.
struct BoundExtent {
  // The name of the parameter, without `%`.
  std::string parameter;
  // The axis; not set for all axes that are not bound individually.
  std::optional<uint32_t> axis;
  int64_t extent = 0;
};

// The edge values of which one in four made-up numbers is one.
enum class EdgeValues : uint8_t {
  kNone = 0,
  kNaN,       // zeros of both signs and NaN; of integers 0 and 1
  kInfinite,  // infinities and zero; of integers 0 and 1
  kExtreme,   // denormals, largest and smallest numbers
};

// How arguments are generated.
struct InputOptions {
  // The same seed gives the same values on every machine.
  uint64_t seed = 0;
  // The extent to use for unknown ones.
  int64_t unknown_extent = 2;
  // Extents that have precedence over unknown_extent. Each must belong to a parameter with an unknown extent.
  std::vector<BoundExtent> bound_extents = {};
  // Extents known from elsewhere, with less precedence than bound_extents and used only where needed; see
  // ForgottenExtents.
  std::vector<BoundExtent> known_extents = {};
  EdgeValues edges = EdgeValues::kNone;
  // Whether floats are between 0.5 and 1.5.
  bool positive = false;
  // The module whose algebraic data types values may have; null: no values of such types are generated.
  const Module* module = nullptr;
};

// Returns the extents that the annotations of parameters (`declared`, in order) state, but the inferred types lack. (As
// TVM: unification with a `?` elsewhere makes a known extent unknown.)
auto ForgottenExtents(std::span<const TypeId> declared, const Function& typed) -> std::vector<BoundExtent>;

// Makes a value of the type. Floats are in [-1, 1), and in matrices so small that sums of rows stay near 1; integers
// are from 0 to 7. Makes tuples, references, functions (which return their first argument), a float for a type
// parameter, and values of algebraic data types from constructors with few arguments. Nothing for types that contain
// anything else, and for tensors above 1 GiB. `stream` distinguishes values made from the same seed.
auto MakeValue(Context& context, TypeId type, const InputOptions& options, uint64_t stream) -> std::optional<Value>;

// Why a tensor does not fit a type, as a clause; returns nothing if it fits. `?` fits every extent.
auto Misfit(const Context& context, TypeId type, const Tensor& tensor) -> std::optional<std::string>;

// Returns why a value does not fit a type, as a clause, or nullopt if it fits. Looks into tuples; functions, references
// and algebraic data are not compared with their types. An unknown type (or a type parameter) fits everything.
auto Misfit(const Context& context, TypeId type, const Value& value) -> std::optional<std::string>;

// Returns an error if there are not as many arguments as parameters, or if one does not fit its parameter.
auto CheckArguments(const Function& function, std::string_view name, std::span<const Value> arguments)
    -> std::optional<Diagnostic>;

// The type of a parameter: the inferred one, before type inference the annotation.
auto ParameterType(const Function& function, ExprId param) -> TypeId;

// Makes the arguments of a function. Tensors in `given` are used by the name of their parameter; those named arr_0,
// arr_1, ... are used for the remaining parameters in order; further values are made up. An error when a tensor does
// not fit its parameter or has no parameter, when a known extent is bound, or when no value can be made.
auto MakeArguments(const Function& function, std::span<const NamedTensor> given, const InputOptions& options)
    -> Result<std::vector<Value>>;

}  // namespace relayopt
