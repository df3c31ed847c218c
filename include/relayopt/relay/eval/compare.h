// Comparing results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "relayopt/relay/eval/value.h"

namespace relayopt {

// What may differ in one tensor besides, because rounding decides it.
struct RoundingTolerance {
  // By how much elements that are numbers may differ, integers too; infinity: the tensor may be anything.
  double distance = 0;
  // Elements for which rounding decides whether they are numbers; none where it is empty.
  std::vector<bool> undecided = {};
};

// How much results may differ. Integers, shapes, element types and the form of tuples never may. Exact: floats are
// equal bit for bit, up to the bits of NaN. Else |a - b| <= atol + rtol * |a| for numbers, while NaN is NaN and an
// infinity the same infinity on both sides.
struct Tolerance {
  bool exact = true;
  // Of float32; other floats are measured by what their precision allows. Negative: the default.
  double rtol = -1;
  double atol = -1;
  // Floats may have become floats of 16 bits, and may be as far off.
  bool narrows = false;
  // Of each tensor; nothing where it ends.
  std::vector<RoundingTolerance> slack = {};
};

// Element `i` as a number; integers above 2^53 lose digits.
auto NumberAt(const Tensor& tensor, int64_t i) -> double;
// |a - b| of two elements, of integers exactly; the tensors have the same element type or are both of floats.
auto ElementDistance(const Tensor& a, const Tensor& b, int64_t i) -> double;

// How much floats of this type may differ, as a part of their value.
auto RelativeBound(DataType dtype) -> double;

// Widens the slack of each tensor by what distinguishes `a` from `b`, `margin` times the distance of numbers.
void Widen(std::vector<RoundingTolerance>& slack, const Value& a, const Value& b, double margin);

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
