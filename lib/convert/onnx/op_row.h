// The row of an ONNX operator: all that its import needs.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernel_types.h"
#include "relayopt/relay/formula/formula.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt::onnx {

class Node;
struct Results;

using Converter = auto(*)(Node& node) -> Results;

// One line of a table:
//
//   {"Mod", "10 13 28", "A, B", "int fmod = 0", ConvertMod}
//   OpRow("com.microsoft::QuickGelu", "1", "X", "float alpha = 1.702", ConvertFormula).Computing(kSwish)
struct OpRow {
  constexpr OpRow(std::string_view full_name, std::string_view versions, std::string_view inputs,
                  std::string_view attributes, Converter convert)
      : versions(versions), inputs(inputs), attributes(attributes), convert(convert) {
    constexpr std::string_view kBehindDomain = "::";
    const size_t end = full_name.find(kBehindDomain);
    if (end != std::string_view::npos) domain = full_name.substr(0, end);
    name = full_name.substr(end == std::string_view::npos ? 0 : end + kBehindDomain.size());
  }

  // The same row with one of the members below.
  constexpr auto Of(const OpDef* op, Types types = 0) const -> OpRow {
    OpRow row = *this;
    row.relay = op;
    row.kernels = types;
    return row;
  }
  constexpr auto WithShapes(std::string_view text) const -> OpRow {
    OpRow row = *this;
    row.shapes = text;
    return row;
  }
  constexpr auto Computing(Formula computed, Formula computed_exactly = {}) const -> OpRow {
    OpRow row = *this;
    row.formula = computed;
    row.exact = computed_exactly;
    return row;
  }

  constexpr auto ByTypes() const -> OpRow {
    OpRow row = *this;
    row.by_types = true;
    return row;
  }

  // Empty for ai.onnx.
  std::string_view domain;
  std::string_view name;
  // The versions of the operator set in which it was changed, "1 6 13".
  std::string_view versions;
  // Names as ONNX gives them; `?` after one that may be left out, `...` after one that may be repeated.
  std::string_view inputs;
  // "int axis = 1; ints perm; string mode = constant": types int, float, string, ints, floats, strings, tensor, graph,
  // any; with the default, if there is one.
  std::string_view attributes;
  Converter convert = nullptr;
  // For converters that serve several operators: the Relay operator.
  const OpDef* relay = nullptr;
  // Unless empty, a call of `relay` is written as a node of this operator, with the same operands and no attributes;
  // the types of the first operand for which onnxruntime has a kernel.
  Types kernels = 0;
  // The shapes of inputs and outputs, where calls have types that the conversion cannot determine, or only with effort:
  // "X[l b i], W[d 4h i] -> Y[l d b h]". A letter stands for an extent, a digit before it multiplies it; `...` stands
  // for axes that are broadcast to each other, at the front. All outputs have the element type of the first input.
  std::string_view shapes;
  // What the operator computes, by the names of its inputs and of its attributes that are floating-point numbers, for
  // ConvertFormula and for the recognition of models that spell it out.
  Formula formula;
  // The formula for exact imports, which neither overflows nor loses NaN; empty if it is the same.
  Formula exact;
  // Whether the conversion asks for the attributes and for the types of the inputs only, not for the values of
  // constants or for what other inputs are, and so does the writer for the single call that it may be: then nodes that
  // are alike in these become the same (alike.h).
  bool by_types = false;
};

// One attribute of a row.
struct AttributeRow {
  std::string_view type;
  std::string_view name;
  // Empty if there is none.
  std::string_view default_text;
};

// Takes the first attribute off `rest`, which is `attributes` of a row or what is left of it.
auto NextAttribute(std::string_view& rest) -> AttributeRow;
// Returns the attribute of this name, or nothing if the row has none.
auto FindAttribute(const OpRow& row, std::string_view name) -> std::optional<AttributeRow>;
// Returns the names of the attributes that are floating-point numbers.
auto FloatAttributes(const OpRow& row) -> std::vector<std::string_view>;
// Returns the name of the i-th input.
auto InputNameOf(const OpRow& row, size_t i) -> std::string_view;
// How many inputs there may be: least and most.
struct InputRange {
  size_t least = 0;
  size_t most = 0;
};
auto InputRangeOf(const OpRow& row) -> InputRange;

// Returns the largest version of the row up to `opset`; the largest of all when the row has none that old.
auto RowVersion(const OpRow& row, int64_t opset) -> int64_t;
// Returns the version that the operator came with.
auto FirstVersion(const OpRow& row) -> int64_t;

// Returns the row, or null if the operator is not known.
auto FindOpRow(std::string_view domain, std::string_view name) -> const OpRow*;
// Returns all rows, family by family.
auto AllOpFamilies() -> std::span<const std::span<const OpRow>>;

}  // namespace relayopt::onnx
