// How far the results of two programs agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/relay/eval/value.h"

namespace relayopt {

// What counts as agreement. An element agrees when it is equal (NaN with NaN, infinities of one sign), or within one of
// the bounds that are given; without bounds floats may differ by atol + rtol * |expected| with 1e-5 and 1e-4 (float16:
// 1e-2 both, bfloat16: 1e-1 both, float64: 1e-10 both), and everything else must be equal.
struct AgreementOptions {
  // Of all element types.
  std::optional<double> rtol;
  std::optional<double> atol;
  // Representable numbers in between, in the type of the expected element; of floats.
  std::optional<uint64_t> ulps;
  // Instead of all that, of tensors whose last axis has more than one element: the least part of rows whose largest
  // element is at the same place.
  std::optional<double> top1;
};

// Of one tensor of the results, over all sets of arguments that were added.
struct OutputAgreement {
  // What does not even have the same form; empty when it has.
  std::string form;
  // Of the expected tensor, as text.
  std::string type;
  uint64_t elements = 0;
  // Elements that do not agree.
  uint64_t apart = 0;
  double max_absolute = 0;
  double max_relative = 0;
  uint64_t max_ulps = 0;
  // Rows with the largest element at the same place, and all rows; none where there are no rows.
  uint64_t top1_same = 0;
  uint64_t top1_rows = 0;
  // The worst element: its index and both values, for messages; empty when all agree.
  std::string worst;
  double worst_badness = 0;
};

class Agreement {
 public:
  explicit Agreement(AgreementOptions options) : options_(options) {}

  // Adds the results for one set of arguments: tensors and tuples of them.
  void Add(const Value& expected, const Value& got);

  auto outputs() const -> const std::vector<OutputAgreement>& { return outputs_; }
  auto agrees() const -> bool;
  // A line for each output: what agrees and how far, or the worst element.
  auto ToText() const -> std::string;

 private:
  auto Agrees(const OutputAgreement& output) const -> bool;
  void AddTensor(const Tensor& expected, const Tensor& got, OutputAgreement& output);

  AgreementOptions options_;
  std::vector<OutputAgreement> outputs_;
};

}  // namespace relayopt
