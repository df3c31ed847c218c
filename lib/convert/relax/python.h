// Values in Python syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "relayopt/core/attrs.h"
#include "relayopt/core/constant.h"
#include "relayopt/core/dim.h"

namespace relayopt::relax {

// Returns the shortest digits that read back as the same double; `float("inf")` and `float("nan")` for these.
auto PythonFloat(double value) -> std::string;
auto PythonString(std::string_view text) -> std::string;
// `[1, 2]`; returns nothing if a number is not known.
auto PythonList(const DimList& list) -> std::optional<std::string>;
// `(2, 3)`, `(2,)`, `()`; returns nothing if an extent is not known.
auto PythonTuple(Shape shape) -> std::optional<std::string>;
// Returns a field of an attribute record, or nothing for a null, an empty string or type, an object, or numbers that
// are not known.
auto PythonField(const FieldInfo& field, const void* record) -> std::optional<std::string>;
// Returns the elements of a constant as nested lists.
auto PythonElements(const Constant& constant) -> std::string;

// Converts a name to an identifier: other characters become `_`.
auto PythonName(std::string_view name) -> std::string;

}  // namespace relayopt::relax
