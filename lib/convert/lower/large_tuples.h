// Tuples with more tensors than can be written one by one.
#pragma once

#include <optional>
#include <string>

#include "relayopt/module/module.h"

namespace relayopt {

// Why a value is not written whose type has more tensors than `FindLargeTuple` allows.
auto TooManyTensors() -> std::string;

// Returns the range of an expression whose type has too many tensors, counted as often as they occur: types share
// parts, so that a few expressions may have any number of them.
auto FindLargeTuple(const Module& module) -> std::optional<SourceRange>;

}  // namespace relayopt
