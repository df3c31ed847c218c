// Compares the results of two programs and reports how far they agree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/relay/eval/value.h"

namespace relayopt {

// The criteria of agreement. Elements agree when they are equal (NaN with NaN, infinities with the same sign), or when
// they are within one of the given bounds. Without given bounds, floats may differ by atol + rtol * |expected| with
// 1e-5 and 1e-4 (float16: 1e-2 for both, bfloat16: 1e-1 for both, float64: 1e-10 for both), and other elements must be
// equal.
struct AgreementOptions {
  // Relative and absolute tolerance, for all element types.
  std::optional<double> rtol;
  std::optional<double> atol;
  // For floats: how many representable numbers of the expected element's type may lie between two elements.
  std::optional<uint64_t> ulps;
  // For tensors whose last axis has more than one element, and instead of the other criteria: the fraction of rows in
  // which both tensors must have their largest element at the same place.
  std::optional<double> top1;
};

// The agreement of one output tensor, over all sets of arguments that were added.
struct OutputAgreement {
  // Says how the two differ in form (shape, element type); empty if they do not.
  std::string form;
  // The type of the expected tensor, as text.
  std::string type;
  uint64_t elements = 0;
  // The number of elements that do not agree.
  uint64_t apart = 0;
  double max_absolute = 0;
  double max_relative = 0;
  uint64_t max_ulps = 0;
  // The number of rows with the largest element at the same place, and of all rows; not set when there are no rows.
  uint64_t top1_same = 0;
  uint64_t top1_rows = 0;
  // The worst element for messages: its index and both values; empty if all agree.
  std::string worst;
  double worst_badness = 0;
};

// Collects how far outputs agree over several sets of arguments.
class Agreement {
 public:
  explicit Agreement(AgreementOptions options) : options_(options) {}

  // Adds the results (tensors or tuples of tensors) for one set of arguments.
  void Add(const Value& expected, const Value& got);

  auto outputs() const -> const std::vector<OutputAgreement>& { return outputs_; }
  auto agrees() const -> bool;
  // Returns one line for each output: what agrees and how far, or the worst element. Outputs have the given names, or
  // their numbers if there are not as many names.
  auto ToText(std::span<const std::string> names = {}) const -> std::string;

 private:
  auto Agrees(const OutputAgreement& output) const -> bool;
  void AddTensor(const Tensor& expected, const Tensor& got, OutputAgreement& output);

  AgreementOptions options_;
  std::vector<OutputAgreement> outputs_;
};

}  // namespace relayopt
