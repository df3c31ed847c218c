// The row of an ONNX operator: all that its import needs.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt::onnx {

class Node;
struct Results;

using Converter = auto(*)(Node& node) -> Results;

struct OpRow {
  // Empty for ai.onnx.
  std::string_view domain = "";
  std::string_view name;
  // The versions of the operator set in which it was changed, "1 6 13".
  std::string_view versions;
  // Names as ONNX gives them; `?` behind one that may be left out, `...` behind one that may be repeated.
  std::string_view inputs = "";
  // "int axis = 1; ints perm; string mode = constant": types int, float, string, ints, floats, strings, tensor, graph,
  // any; with the default, where there is one.
  std::string_view attributes = "";
  Converter convert = nullptr;
  // For converters that serve several operators: the Relay operator.
  const OpDef* relay = nullptr;
};

// One attribute of a row.
struct AttributeRow {
  std::string_view type;
  std::string_view name;
  // Empty when there is none.
  std::string_view default_text;
};

// The attribute of this name; nothing when the row has none.
auto FindAttribute(const OpRow& row, std::string_view name) -> std::optional<AttributeRow>;
// The name of the i-th input.
auto InputNameOf(const OpRow& row, size_t i) -> std::string_view;
// How many inputs there may be: least and most.
struct InputRange {
  size_t least = 0;
  size_t most = 0;
};
auto InputRangeOf(const OpRow& row) -> InputRange;

// The row; null when the operator is not known.
auto FindOpRow(std::string_view domain, std::string_view name) -> const OpRow*;
// All rows, family by family.
auto AllOpFamilies() -> std::span<const std::span<const OpRow>>;

}  // namespace relayopt::onnx
