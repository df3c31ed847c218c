// Operands that are shapes, axes and counts, as they were before a model was read.
//
// ONNX counts from the end if a position is negative, and keeps extents where a shape says 1. Relay's operators do not,
// so reading a model spells that out; ONNX's operator does it anyway, and what it is given here is the operand as it
// was:
//
//   Squeeze(x, Where(Less(axes, 0), Add(axes, rank), axes))   =>   Squeeze(x, axes)
//   Expand(x, Max(Shape(x), shape))                           =>   Expand(x, shape)
#include <algorithm>

#include "known_values.h"
#include "lib/convert/onnx/tensor_data.h"

namespace relayopt::onnx::out {

auto IsShapeOf(const KnownValues& known, Name value, Name data, std::optional<size_t> length) -> bool {
  const auto rank = known.RankOf(data);
  const size_t count = length.value_or(rank.value_or(0));
  if (const Node* shape = known.Maker(value, "Shape"); shape != nullptr) {
    if (shape->inputs[0] != data || IntOf(*shape, "start", 0) != 0) return false;
    if (!rank) return shape->attributes.empty() && !length;
    return IntOf(*shape, "end", static_cast<int64_t>(*rank)) == static_cast<int64_t>(count);
  }
  auto shape = known.ShapeOf(data);
  if (!shape || count > shape->size()) return false;
  shape->resize(count);
  return known.NumbersOf(value) == shape;
}

namespace {

// Whether `value` has no element below `least`. Looks through a few nodes at most.
auto IsAtLeast(const KnownValues& known, Name value, int64_t least) -> bool {
  constexpr size_t kMostNodes = 8;
  const auto reaches = [&](Name constant) {
    const auto numbers = known.NumbersOf(constant);
    return numbers && std::ranges::all_of(*numbers, [&](int64_t number) { return number >= least; });
  };
  for (size_t i = 0; i < kMostNodes; ++i) {
    if (known.ConstantOf(value) != nullptr) return reaches(value);
    if (known.Maker(value, "Shape") != nullptr || known.Maker(value, "Size") != nullptr) return least <= 0;
    if (const Node* clip = known.Maker(value, "Clip"); clip != nullptr) {
      return clip->inputs.size() > 1 && reaches(clip->inputs[1]);
    }
    if (const Node* most = known.Maker(value, "Max"); most != nullptr)
      return std::ranges::any_of(most->inputs, reaches);
    const Node* moved = nullptr;
    for (const std::string_view op : {"Reshape", "Squeeze", "Unsqueeze"}) {
      if (moved == nullptr) moved = known.Maker(value, op);
    }
    if (moved == nullptr) return false;
    value = moved->inputs[0];
  }
  return false;
}

// Returns the truth value of a condition that is the same for all elements, if it is known.
auto TruthOf(const KnownValues& known, Name condition) -> std::optional<bool> {
  if (const auto truths = known.NumbersOf(condition)) {
    if (std::ranges::all_of(*truths, [](int64_t truth) { return truth != 0; })) return true;
    if (std::ranges::all_of(*truths, [](int64_t truth) { return truth == 0; })) return false;
    return std::nullopt;
  }
  for (const bool is_less : {true, false}) {
    const Node* compared = known.Maker(condition, is_less ? "Less" : "GreaterOrEqual");
    const auto bound = compared == nullptr ? std::nullopt : known.NumbersOf(compared->inputs[1]);
    if (!bound || bound->empty()) continue;
    if (IsAtLeast(known, compared->inputs[0], *std::ranges::max_element(*bound))) return !is_less;
  }
  return std::nullopt;
}

// Skips a chain of nodes that do not change a tensor of one element.
auto BehindMoves(const KnownValues& known, Name value) -> Name {
  for (const std::string_view op : {"Reshape", "Squeeze", "Unsqueeze"}) {
    if (const Node* moved = known.Maker(value, op); moved != nullptr) return moved->inputs[0];
  }
  return value;
}

// -- values that exist already --

auto SameAsWhere(const Node& node, const KnownValues& known) -> std::optional<Name> {
  const auto shape = known.ShapeOf(node.outputs[0]);
  // Where(y < c, s, y) whose operand is a Where of this form already.
  const Name kept = node.inputs[2];
  const Node* before = known.Maker(BehindMoves(known, kept), "Where");
  const Node* less = known.Maker(node.inputs[0], "Less");
  const Node* less_before = before == nullptr ? nullptr : known.Maker(before->inputs[0], "Less");
  if (less != nullptr && less_before != nullptr && less->inputs[0] == kept && before->inputs[1] == node.inputs[1] &&
      less->inputs[1] == less_before->inputs[1] && less_before->inputs[0] == before->inputs[2] && shape &&
      known.ShapeOf(kept) == shape) {
    return kept;
  }
  const auto truth = TruthOf(known, node.inputs[0]);
  if (!truth) return std::nullopt;
  const Name chosen = node.inputs[*truth ? 1 : 2];
  return shape && known.ShapeOf(chosen) == shape ? std::optional(chosen) : std::nullopt;
}

// Returns the extents of a value whose shape is known.
auto SameAsShape(const Node& node, KnownValues& known) -> std::optional<Name> {
  const auto shape = known.ShapeOf(node.inputs[0]);
  if (!shape) return std::nullopt;
  const auto rank = static_cast<int64_t>(shape->size());
  const int64_t begin = IntOf(node, "start", 0);
  const int64_t end = IntOf(node, "end", rank);
  if (begin < 0 || begin > end || end > rank) return std::nullopt;
  return known.AddList(std::span(*shape).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

// Positions and extents of 64 bits that were cast to a narrower type and back.
auto SameAsCast(const Node& node, const KnownValues& known) -> std::optional<Name> {
  const Node* narrow = known.Maker(node.inputs[0], "Cast");
  if (narrow == nullptr || IntOf(node, "to", 0) != kInt64 || IntOf(*narrow, "to", 0) != kInt32) return std::nullopt;
  const Name index = narrow->inputs[0];
  for (const std::string_view op : {"Shape", "Size", "NonZero", "ArgMax", "ArgMin"}) {
    if (known.Maker(index, op) != nullptr) return index;
  }
  for (const std::string_view op : {"TopK", "Unique"}) {
    if (const Node* maker = known.Maker(index, op); maker != nullptr && maker->outputs[0] != index) return index;
  }
  return std::nullopt;
}

// -- operands --

// Axes that are counted from the end, perhaps in the shape of a list.
void SimplifyAxes(Node& node, KnownValues& known, int64_t rank) {
  Name axes = node.inputs[1];
  const Node* list = known.Maker(axes, "Reshape");
  if (list != nullptr && known.Maker(list->inputs[0], "Where") != nullptr) axes = list->inputs[0];
  const auto found = ReadFromEnd(known, axes);
  if (!found || !known.IsAll(found->extent, rank)) return;
  if (axes == node.inputs[1]) {
    node.inputs[1] = found->place;
    return;
  }
  // Returns the list that the number was taken from, or the list that contains only the number.
  const Node* number = known.Maker(found->place, "Reshape");
  const Name source = number == nullptr ? found->place : number->inputs[0];
  const auto made =
      known.Find({.op_type = "Reshape", .inputs = {source, list->inputs[1]}, .outputs = {}, .attributes = {}});
  if (known.ShapeOf(source) == std::vector<int64_t>{1}) {
    node.inputs[1] = source;
  } else if (made) {
    node.inputs[1] = *made;
  }
}

// Removes extents of the data from the shape, because an extent of 1 keeps them, and leading ones.
void SimplifyExpand(Node& node, const KnownValues& known) {
  const Node* most = known.Maker(node.inputs[1], "Max");
  if (most == nullptr || most->inputs.size() != 2) return;
  // A single extent for all axes would be a different shape.
  const auto lengths = known.ShapeOf(most->inputs[0]);
  if (!lengths || lengths != known.ShapeOf(most->inputs[1])) return;
  const auto behind_ones = [&](Name value) -> Name {
    const Node* longer = known.Maker(value, "Concat");
    const bool has_ones = longer != nullptr && longer->inputs.size() == 2 && known.IsAll(longer->inputs[0], 1);
    return has_ones ? longer->inputs[1] : value;
  };
  const Name extents = behind_ones(most->inputs[0]);
  const Name data = node.inputs[0];
  bool is_own = IsShapeOf(known, extents, data);
  // Literal shapes have leading ones.
  if (const auto numbers = known.NumbersOf(extents); numbers && !is_own) {
    auto shape = known.ShapeOf(data);
    if (shape && shape->size() < numbers->size()) shape->insert(shape->begin(), numbers->size() - shape->size(), 1);
    is_own = shape == numbers;
  }
  if (is_own) node.inputs[1] = behind_ones(most->inputs[1]);
}

}  // namespace

auto ReadFromEnd(const KnownValues& known, Name value) -> std::optional<CountedFromEnd> {
  const Node* choice = known.Maker(value, "Where");
  if (choice == nullptr) return std::nullopt;
  const Node* sign = known.Maker(choice->inputs[0], "Less");
  const bool is_less = sign != nullptr;
  if (!is_less) sign = known.Maker(choice->inputs[0], "GreaterOrEqual");
  const bool is_first = sign != nullptr && !is_less;
  const Name place = choice->inputs[is_first ? 1 : 2];
  const Node* counted = known.Maker(choice->inputs[is_first ? 2 : 1], "Add");
  if (counted == nullptr || counted->inputs[0] != place) return std::nullopt;
  const auto shape = known.ShapeOf(place);
  if (!shape || shape != known.ShapeOf(value)) return std::nullopt;
  if (sign != nullptr) {
    if (sign->inputs[0] != place || !known.IsAll(sign->inputs[1], 0)) return std::nullopt;
    return CountedFromEnd{place, counted->inputs[1]};
  }
  // The signs of known positions are known.
  const auto places = known.NumbersOf(place);
  auto signs = known.NumbersOf(choice->inputs[0]);
  if (!places || !signs || places->size() != signs->size()) return std::nullopt;
  for (size_t i = 0; i < places->size(); ++i) {
    if (((*signs)[i] != 0) != ((*places)[i] < 0)) return std::nullopt;
  }
  return CountedFromEnd{place, counted->inputs[1]};
}

void SimplifyIndices(Node& node, KnownValues& known) {
  const std::string_view op = node.op_type;
  if ((op == "Squeeze" || op == "Unsqueeze") && node.inputs.size() == 2) {
    const auto rank = known.RankOf(node.inputs[0]);
    const auto count = known.ShapeOf(node.inputs[1]);
    if (!rank || !count || count->size() != 1) return;
    SimplifyAxes(node, known, static_cast<int64_t>(*rank) + (op == "Unsqueeze" ? (*count)[0] : 0));
  } else if (op == "Expand") {
    SimplifyExpand(node, known);
  } else if (op == "Pad" && node.inputs.size() == 3 && known.IsZero(node.inputs[2])) {
    // The input may be omitted: this is its default.
    node.inputs.pop_back();
  }
}

auto SameIndices(const Node& node, KnownValues& known) -> std::optional<Name> {
  const std::string_view op = node.op_type;
  if (op == "Where") return SameAsWhere(node, known);
  if (op == "Shape") return SameAsShape(node, known);
  if (op == "Cast") return SameAsCast(node, known);
  if (op == "Clip") {
    const Node* before = known.Maker(node.inputs[0], "Clip");
    const bool is_same = before != nullptr && before->inputs.size() == node.inputs.size() &&
                         std::equal(node.inputs.begin() + 1, node.inputs.end(), before->inputs.begin() + 1);
    return is_same ? std::optional(node.inputs[0]) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace relayopt::onnx::out
