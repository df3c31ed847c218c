// Prints values of programs.
#pragma once

#include <string>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Prints a value: `[[1, 2], [3, 4]]`, `(1, 2.5)`, `Cons(1, Nil)`, `ref(1)`; functions as `<function>`. Floats have
// enough digits to be read back exactly. A tensor with more than `max_elements` elements, or a value with more parts
// than that, is abbreviated to the first few.
auto FormatValue(const Module& module, const Value& value, int64_t max_elements = 1000) -> std::string;

// Prints element `i` of a tensor.
auto FormatElement(const Tensor& tensor, int64_t i) -> std::string;

}  // namespace relayopt
