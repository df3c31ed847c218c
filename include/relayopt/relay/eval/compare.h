// Compares results of programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "relayopt/relay/eval/value.h"

namespace relayopt {

// The additional differences to allow in one tensor, because rounding decides about them.
struct RoundingTolerance {
  // By how much elements that are numbers, including integers, may differ. Infinity allows anything in the tensor.
  double distance = 0;
  // The elements that are not compared, because rounding decides whether they are numbers at all; empty if there are
  // none.
  std::vector<bool> undecided = {};
};

// How much results may differ. Integers, shapes, element types and the structure of tuples must always be equal. With
// `exact`, floats must be equal bit by bit, except for the payload of NaN. Otherwise numbers must satisfy |a - b| <=
// atol + rtol * |a|, and NaN and infinities must be the same on both sides.
struct Tolerance {
  bool exact = true;
  // For float32; scaled to the precision of other float types. Negative: the default.
  double rtol = -1;
  double atol = -1;
  // Whether floats may have been narrowed to 16 bits, and are then compared with that precision.
  bool narrows = false;
  // Additional tolerance for each tensor; tensors beyond the end have none.
  std::vector<RoundingTolerance> slack = {};
};

// Element `i` as a number. Integers above 2^53 lose digits.
auto NumberAt(const Tensor& tensor, int64_t i) -> double;
// |a - b| of two elements, exact for integers. The tensors have the same element type, or are both of floats.
auto ElementDistance(const Tensor& a, const Tensor& b, int64_t i) -> double;

// Returns the default relative tolerance for floats of this type.
auto RelativeBound(DataType dtype) -> double;

// Widens the slack of each tensor such that it covers the difference between `a` and `b`, with the distance of numbers
// multiplied by `margin`.
void Widen(std::vector<RoundingTolerance>& slack, const Value& a, const Value& b, double margin);

// Leaves out the elements in which `a` and `b` differ at all, and tensors that differ in form.
void LeaveOutDifferent(std::vector<RoundingTolerance>& slack, const Value& a, const Value& b);

// The largest difference between two results.
struct Mismatch {
  // The tensor (tuples are counted through from left to right) and the element in it.
  size_t output = 0;
  std::vector<int64_t> index;
  std::string expected;
  std::string got;
  double absolute = 0;
  double relative = 0;
  // The difference, when it is not in an element: the shape, the element type or the number of tensors.
  std::string form;
};

// One line, such as `output 0 [1, 2]  expected 1.25  got 0.62  abs 6.3e-01  rel 5.0e-01`.
auto ToString(const Mismatch& mismatch) -> std::string;

// Compares two results, which must be tensors or tuples of tensors. Returns nothing if they agree.
auto Compare(const Value& expected, const Value& got, const Tolerance& tolerance) -> std::optional<Mismatch>;

}  // namespace relayopt
