// Comparing results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "relayopt/relay/eval/value.h"

namespace relayopt {

// How much results may differ. Integers, shapes, element types and the form of tuples never may. Exact: floats are
// equal bit for bit, up to the bits of NaN. Else |a - b| <= atol + rtol * |a| wherever the expected a is finite.
struct Tolerance {
  bool exact = true;
  // Of float32; other floats are measured by what their precision allows. Negative: the default.
  double rtol = -1;
  double atol = -1;
  // Floats may have become floats of 16 bits, and may be as far off.
  bool narrows = false;
  // By how much the elements of each tensor may differ besides, integers too; nothing where it ends.
  std::vector<double> slack = {};
};

// How much floats of this type may differ, as a part of their value.
auto RelativeBound(DataType dtype) -> double;

// For each tensor the largest difference of two elements; infinity where the forms differ or one is no number.
auto Distances(const Value& a, const Value& b) -> std::vector<double>;

// The worst difference between two results.
struct Mismatch {
  // Which tensor, counted through tuples from left to right, and which element.
  size_t output = 0;
  std::vector<int64_t> index;
  std::string expected;
  std::string got;
  double absolute = 0;
  double relative = 0;
  // What differs when it is no element: the shape, the element type, the number of tensors.
  std::string form;
};

// `output 0 [1, 2]  expected 1.25  got 0.62  abs 6.3e-01  rel 5.0e-01`.
auto ToString(const Mismatch& mismatch) -> std::string;

// Nothing when the results agree. Both must be tensors or tuples of tensors.
auto Compare(const Value& expected, const Value& got, const Tolerance& tolerance) -> std::optional<Mismatch>;

}  // namespace relayopt
