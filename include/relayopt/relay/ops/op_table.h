// All operators: their names when compiling, their rows when running.
//
// A pass that names operators pays for this header only: what it sees is the list of names (ops.def) and where the
// families' rows are. Their contents are in lib/relay/ops/<family>/rows.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The folder in lib/relay/ops that contains an operator's row.
enum class OpFamily : uint8_t {
#define RELAYOPT_OP_FAMILY(Name) k##Name,
#include "relayopt/relay/ops/ops.def"
  kNone,  // not one that comes with relayopt
};

// The name of an operator and the family whose rows contain it.
struct OpName {
  std::string_view name;
  OpFamily family;
};

// The names of the operators that come with relayopt, sorted. An operator's number is its index here.
inline constexpr OpName kOpNames[] = {
#define RELAYOPT_OP(name, Family) {name, OpFamily::k##Family},
#include "relayopt/relay/ops/ops.def"
};
inline constexpr size_t kNumOps = std::size(kOpNames);

// The number of operators in each family, and the position of each operator among the rows of its family.
struct OpPlaces {
  std::array<size_t, static_cast<size_t>(OpFamily::kNone)> sizes{};
  std::array<uint16_t, kNumOps> places{};
};
inline constexpr OpPlaces kOpPlaces = [] {
  OpPlaces made;
  for (size_t i = 0; i < kNumOps; ++i) {
    made.places[i] = static_cast<uint16_t>(made.sizes[static_cast<size_t>(kOpNames[i].family)]++);
  }
  return made;
}();

// The rows of a family, sorted by name.
template <OpFamily kFamily>
using OpRows = std::array<OpDef, kOpPlaces.sizes[static_cast<size_t>(kFamily)]>;
#define RELAYOPT_OP_FAMILY(Name) extern const OpRows<OpFamily::k##Name> k##Name##Ops;
#include "relayopt/relay/ops/ops.def"

// Numbers the rows of a family, which must be exactly those that ops.def lists for it; otherwise this does not compile.
template <OpFamily kFamily>
consteval auto NumberedRows(const OpDef (&rows)[std::tuple_size_v<OpRows<kFamily>>]) -> OpRows<kFamily> {
  OpRows<kFamily> numbered{};
  for (size_t number = 0; number < kNumOps; ++number) {
    if (kOpNames[number].family != kFamily) continue;
    OpDef& row = numbered[kOpPlaces.places[number]];
    row = rows[kOpPlaces.places[number]];
    if (row.name != kOpNames[number].name) throw "the rows of this family are not those that ops.def lists";
    row.number = static_cast<uint16_t>(number);
  }
  return numbered;
}

// Returns the family of an operator; kNone when it did not come with relayopt.
inline auto FamilyOf(const OpDef& op) -> OpFamily {
  return op.number < kNumOps ? kOpNames[op.number].family : OpFamily::kNone;
}

// Returns the operator with this name, or null.
auto FindOp(std::string_view name) -> const OpDef*;

// Returns every operator, sorted by name.
auto AllOps() -> std::vector<const OpDef*>;

// Registers an operator for the rest of the process, as plugins do when they are loaded; thread-safe. The row is
// copied, but the texts and schemas it refers to must stay. Returns null if the row has no name or no type rule, when
// the number of its element types is neither one nor that of the inputs, or when the name is taken.
auto RegisterOp(const OpDef& row) -> const OpDef*;

// Returns the registered operators, in the order of registration.
auto RegisteredOps() -> std::vector<const OpDef*>;

namespace op_internal {
inline constexpr const OpDef* kFirstRows[] = {
#define RELAYOPT_OP_FAMILY(Name) k##Name##Ops.data(),
#include "relayopt/relay/ops/ops.def"
};

consteval auto Lookup(std::string_view name) -> const OpDef* {
  size_t begin = 0;
  size_t end = kNumOps;
  while (begin != end) {
    const size_t middle = (begin + end) / 2;
    const int order = kOpNames[middle].name.compare(name);
    if (order == 0) return kFirstRows[static_cast<size_t>(kOpNames[middle].family)] + kOpPlaces.places[middle];
    if (order < 0) begin = middle + 1;
    if (order > 0) end = middle;
  }
  // A throw is not a constant expression, so that a misspelt operator does not compile.
  throw "no operator of this name: see relayopt/relay/ops/ops.def";
}
}  // namespace op_internal

// `"nn.relu"_op` is the row of nn.relu, looked up at compile time.
consteval auto operator""_op(const char* name, size_t size) -> const OpDef* {
  return op_internal::Lookup({name, size});
}

}  // namespace relayopt
