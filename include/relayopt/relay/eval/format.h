// Values as text.
#pragma once

#include <string>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// `[[1, 2], [3, 4]]`, `(1, 2.5)`, `Cons(1, Nil)`, `ref(1)`; functions are `<function>`. Floats have the digits that
// bring them back. Of a tensor above `max_elements` elements the first few are shown, of a value with more parts than
// that the first ones.
auto FormatValue(const Module& module, const Value& value, int64_t max_elements = 1000) -> std::string;

// Element `i` of a tensor.
auto FormatElement(const Tensor& tensor, int64_t i) -> std::string;

}  // namespace relayopt
