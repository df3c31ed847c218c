// Extents that are not known, as sums of products of unknowns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/ids.h"

namespace relayopt {

struct ExtentTag;
// An integer in an ExtentTable. Equal ids are equal integers, whatever the unknowns are; different ids may be too.
using ExtentId = Id<ExtentTag>;

// Interned polynomials with integer coefficients: b * s + 2 and 2 + s * b have one id. What is not a polynomial (a
// quotient that leaves a rest, a maximum) is an unknown of its own, the same one for the same operands.
class ExtentTable {
 public:
  auto Number(int64_t value) -> ExtentId;
  // Returns an unknown extent; it is not negative.
  auto Unknown() -> ExtentId;
  // Returns the extent with this name.
  auto Named(std::string_view name) -> ExtentId;
  // The result of a function of these operands; `key` identifies the function.
  auto ResultOf(std::string_view key, std::span<const ExtentId> operands, bool may_be_negative = false) -> ExtentId;

  auto Sum(ExtentId a, ExtentId b) -> ExtentId;
  auto Difference(ExtentId a, ExtentId b) -> ExtentId { return Sum(a, Product(Number(-1), b)); }
  auto Product(ExtentId a, ExtentId b) -> ExtentId;
  // Rounded down. Takes a factor that occurs in the dividend for one that is not 0.
  auto Quotient(ExtentId a, ExtentId b) -> ExtentId;
  // Returns the quotient of a by one of its factors, or nothing if b is none.
  auto Without(ExtentId a, ExtentId b) -> std::optional<ExtentId>;
  auto Minimum(ExtentId a, ExtentId b) -> ExtentId;
  // Of an extent and 1 it is the extent, which is not taken for 0.
  auto Maximum(ExtentId a, ExtentId b) -> ExtentId;
  // Of an axis along which extents a and b are broadcast.
  auto Broadcast(ExtentId a, ExtentId b) -> ExtentId;

  auto NumberOf(ExtentId id) const -> std::optional<int64_t>;
  // Returns false if it is not known.
  auto IsNeverNegative(ExtentId id) const -> bool;
  // Whether it is what some function gives, and not an extent, a number, or what these add up to.
  auto IsResult(ExtentId id) const -> bool;

 private:
  struct Term {
    // Unknowns in ascending order, none for a number.
    std::vector<uint32_t> factors;
    int64_t coefficient = 0;
    friend auto operator==(const Term&, const Term&) -> bool = default;
    template <typename H>
    friend auto AbslHashValue(H h, const Term& term) -> H {
      return H::combine(static_cast<H&&>(h), term.factors, term.coefficient);
    }
  };
  // Ordered by factors; no coefficient is 0.
  using Terms = std::vector<Term>;

  auto NewFactor(bool may_be_negative) -> ExtentId;
  auto Intern(Terms terms) -> ExtentId;
  auto Extreme(bool is_maximum, ExtentId a, ExtentId b) -> ExtentId;

  std::vector<Terms> extents_;
  absl::flat_hash_map<Terms, ExtentId> ids_;
  absl::flat_hash_map<std::string, ExtentId> named_;
  absl::flat_hash_map<std::pair<std::string, std::vector<ExtentId>>, ExtentId> results_;
  // By unknown.
  std::vector<bool> may_be_negative_;
  std::vector<bool> is_result_;
  // What Minimum made, and of what.
  absl::flat_hash_map<ExtentId, std::pair<ExtentId, ExtentId>> minima_;
};

}  // namespace relayopt
