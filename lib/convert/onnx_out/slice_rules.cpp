// Slices, as they were before a model was read.
//
// Relay slices all axes from positions within the data; ONNX slices some, from positions that may be outside or count
// from the end. Reading a model spreads its places over all axes and brings them into the data:
//
//   Slice(x, [b, e), axes)   =>   begin = ScatterElements(zeros, axes, b), end = ScatterElements(Shape(x), axes, e)
#include <algorithm>
#include <numeric>

#include "known_values.h"
#include "lib/convert/onnx/tensor_data.h"

namespace relayopt::onnx::out {

namespace {

// A slice along one axis with known positions and without steps.
struct OneCut {
  int64_t axis;
  int64_t begin;
  int64_t end;
};

auto ReadOneCut(const Node& node, const KnownValues& known) -> std::optional<OneCut> {
  if (node.inputs.size() != 5 || !known.IsAll(node.inputs[4], 1)) return std::nullopt;
  const auto begin = known.NumbersOf(node.inputs[1]);
  const auto end = known.NumbersOf(node.inputs[2]);
  const auto axis = known.NumbersOf(node.inputs[3]);
  if (!begin || !end || !axis || begin->size() != 1 || end->size() != 1 || axis->size() != 1) return std::nullopt;
  if ((*begin)[0] < 0 || (*end)[0] < (*begin)[0] || (*axis)[0] < 0) return std::nullopt;
  return OneCut{(*axis)[0], (*begin)[0], (*end)[0]};
}

// A slice of a Shape becomes a Shape of some axes.
auto BecomesShape(Node& node, const KnownValues& known, const OneCut& cut) -> bool {
  // The first version of Shape that gives a part.
  constexpr int64_t kParts = 15;
  const Node* shape = known.opset() < kParts ? nullptr : known.Maker(node.inputs[0], "Shape");
  if (shape == nullptr || !shape->attributes.empty()) return false;
  const auto rank = known.ShapeOf(node.inputs[0]);
  if (!rank || cut.end > rank->front()) return false;
  node.op_type = "Shape";
  node.inputs = {shape->inputs[0]};
  node.attributes.clear();
  if (cut.end != rank->front()) node.attributes.push_back(Int("end", cut.end));
  if (cut.begin != 0) node.attributes.push_back(Int("start", cut.begin));
  return true;
}

// A slice of a Concat becomes a Concat of some of its operands.
auto BecomesParts(Node& node, const KnownValues& known, const OneCut& cut) -> bool {
  const Node* joined = known.Maker(node.inputs[0], "Concat");
  // Limits the work for many slices of many parts.
  constexpr size_t kMostParts = 256;
  if (joined == nullptr || joined->inputs.size() > kMostParts || IntOf(*joined, "axis", 0) != cut.axis) return false;
  Names parts;
  int64_t at = 0;
  for (const Name part : joined->inputs) {
    if (at >= cut.end) break;
    const auto* extents = known.ExtentsOf(part);
    if (extents == nullptr || cut.axis >= static_cast<int64_t>(extents->size())) return false;
    const auto extent = (*extents)[static_cast<size_t>(cut.axis)];
    if (!extent) return false;
    // Each part must be completely inside or outside of the slice.
    if (at < cut.begin ? at + *extent > cut.begin : at + *extent > cut.end) return false;
    if (at >= cut.begin && *extent > 0) parts.push_back(part);
    at += *extent;
  }
  if (at != cut.end || parts.empty() || parts.size() == joined->inputs.size()) return false;
  node.op_type = "Concat";
  node.inputs = std::move(parts);
  node.attributes = {Int("axis", cut.axis)};
  return true;
}

// For a slice whose ends are beyond all extents except in one axis: the end there.
auto EndOf(const Node& node, const KnownValues& known, size_t axis, size_t rank) -> std::optional<Name> {
  const Node* ends = known.Maker(node.inputs[2], "Concat");
  if (ends == nullptr) return std::nullopt;
  std::optional<Name> end;
  size_t at = 0;
  for (const Name part : ends->inputs) {
    const auto length = known.ShapeOf(part);
    if (!length || length->size() != 1) return std::nullopt;
    if (at == axis && (*length)[0] == 1) {
      end = part;
    } else if (!known.IsAll(part, INT64_MAX)) {
      return std::nullopt;
    }
    at += static_cast<size_t>((*length)[0]);
  }
  return at == rank ? end : std::nullopt;
}

// The first elements of a complete sort become a TopK.
auto BecomesTopK(Node& node, KnownValues& known) -> bool {
  const Node* sorted = known.Maker(node.inputs[0], "TopK");
  if (sorted == nullptr || node.inputs.size() != 5 || !known.IsAll(node.inputs[1], 0) ||
      !known.IsAll(node.inputs[4], 1)) {
    return false;
  }
  const auto shape = known.ExtentsOf(sorted->inputs[0]);
  const auto axes = known.NumbersOf(node.inputs[3]);
  const int64_t axis = IntOf(*sorted, "axis", -1);
  const auto whole = known.NumbersOf(sorted->inputs[1]);
  if (shape == nullptr || !axes || axis < 0 || !whole || (*shape)[static_cast<size_t>(axis)] != whole->front())
    return false;
  Name count = node.inputs[2];
  if (const auto number = known.NumbersOf(count)) {
    const bool is_one_axis = axes->size() == 1 && axes->front() == axis;
    if (!is_one_axis || (*number)[0] < 0 || (*number)[0] > whole->front()) return false;
  } else {
    const auto end = EndOf(node, known, static_cast<size_t>(axis), axes->size());
    if (!end || axes->size() != shape->size()) return false;
    count = *end;
  }
  const bool is_values = sorted->outputs[0] == node.inputs[0];
  node.op_type = "TopK";
  node.inputs = {sorted->inputs[0], count};
  node.attributes = sorted->attributes;
  node.outputs.insert(is_values ? node.outputs.end() : node.outputs.begin(), known.NewName());
  return true;
}

// -- positions on some axes --

// A position for each axis: known numbers, or a value whose numbers are assigned to some axes.
struct Spread {
  std::optional<std::vector<int64_t>> numbers;
  const Node* scatter = nullptr;
};

auto ReadSpread(const KnownValues& known, Name value, size_t rank) -> std::optional<Spread> {
  Spread spread{known.NumbersOf(value), nullptr};
  if (spread.numbers) return spread.numbers->size() == rank ? std::optional(spread) : std::nullopt;
  spread.scatter = known.Maker(value, "ScatterElements");
  const bool is_plain = spread.scatter != nullptr && AttributeOf(*spread.scatter, "reduction") != nullptr &&
                        AttributeOf(*spread.scatter, "reduction")->s == "none";
  return is_plain ? std::optional(spread) : std::nullopt;
}

// Returns the begin before it was clamped to the data.
auto PlainBegin(const KnownValues& known, Name value, Name data, size_t rank) -> Name {
  Name begin = value;
  const auto is_shape = [&](Name extents) { return IsShapeOf(known, extents, data, rank); };
  if (const Node* choice = known.Maker(begin, "Where"); choice != nullptr) {
    const Node* beyond = known.Maker(choice->inputs[0], "GreaterOrEqual");
    const bool is_limit = beyond != nullptr && beyond->inputs[0] == choice->inputs[2] &&
                          beyond->inputs[1] == choice->inputs[1] && is_shape(choice->inputs[1]) &&
                          known.ShapeOf(choice->inputs[2]) == known.ShapeOf(begin) && known.ShapeOf(begin);
    if (is_limit) begin = choice->inputs[2];
  }
  const auto counted = ReadFromEnd(known, begin);
  return counted && is_shape(counted->extent) ? counted->place : begin;
}

// Whether the numbers for all axes leave the axes that are not among these unchanged.
auto LeavesOthers(const std::vector<int64_t>& numbers, const std::vector<int64_t>& axes,
                  const KnownValues::Extents& neutral) -> bool {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (std::ranges::find(axes, static_cast<int64_t>(i)) == axes.end() && numbers[i] != neutral[i]) return false;
  }
  return true;
}

auto AreAxes(std::vector<int64_t> axes, size_t rank) -> bool {
  std::ranges::sort(axes);
  return std::ranges::adjacent_find(axes) == axes.end() &&
         (axes.empty() || (axes.front() >= 0 && axes.back() < static_cast<int64_t>(rank)));
}

// Returns the operands of a slice of only these axes.
void GatherAxes(Node& node, KnownValues& known) {
  const auto rank = known.RankOf(node.inputs[0]);
  constexpr size_t kOperands[] = {1, 2, 4};
  std::vector<Spread> spreads;
  const Node* first = nullptr;
  for (const size_t operand : kOperands) {
    const auto spread = ReadSpread(known, node.inputs[operand], *rank);
    if (!spread) return;
    spreads.push_back(*spread);
    if (first == nullptr) first = spread->scatter;
    if (first != nullptr && spread->scatter != nullptr && first->inputs[1] != spread->scatter->inputs[1]) return;
  }
  if (first == nullptr) return;
  const auto axes = known.NumbersOf(first->inputs[1]);
  if (!axes || !AreAxes(*axes, *rank)) return;
  const auto fill = [&](int64_t number) { return KnownValues::Extents(*rank, number); };
  const KnownValues::Extents neutral[] = {fill(0), *known.ExtentsOf(node.inputs[0]), fill(1)};
  for (size_t i = 0; i < spreads.size(); ++i) {
    const Name base = spreads[i].scatter == nullptr ? Name() : spreads[i].scatter->inputs[0];
    const bool is_neutral = spreads[i].numbers ? LeavesOthers(*spreads[i].numbers, *axes, neutral[i])
                            : i == 1           ? IsShapeOf(known, base, node.inputs[0])
                                               : known.IsAll(base, i == 0 ? 0 : 1);
    if (!is_neutral) return;
  }
  for (size_t i = 0; i < spreads.size(); ++i) {
    std::vector<int64_t> picked;
    for (const int64_t axis : *axes) {
      if (spreads[i].numbers) picked.push_back((*spreads[i].numbers)[static_cast<size_t>(axis)]);
    }
    node.inputs[kOperands[i]] = spreads[i].numbers ? known.AddList(picked) : spreads[i].scatter->inputs[2];
  }
  node.inputs[3] = first->inputs[1];
}

// -- rows that were added and are cut off --

// Whether two values have as many rows: values that Unique found, their places and their counts have.
auto HaveSameRows(Name a, Name b, const KnownValues& known) -> bool {
  const Node* unique = known.Maker(a, "Unique");
  constexpr size_t kPlaces = 2;  // for each element its index among the unique values
  return a == b || (unique != nullptr && unique == known.Maker(b, "Unique") && a != unique->outputs[kPlaces] &&
                    b != unique->outputs[kPlaces]);
}

// Whether rows were added after `count` rows, up to a number that is known: pads are [0, ..., n - count, 0, ...].
auto IsPaddedUp(const Node& pad, Name count, const KnownValues& known) -> bool {
  const Node* pads = known.Maker(pad.inputs[1], "Concat");
  const Node* shape = known.Maker(count, "Shape");
  if (pads == nullptr || shape == nullptr || pads->inputs.size() < 2 || IntOf(*shape, "start", 0) != 0) return false;
  const Node* missing = known.Maker(pads->inputs[1], "Sub");
  if (missing == nullptr || missing->inputs[1] != count || !HaveSameRows(shape->inputs[0], pad.inputs[0], known)) {
    return false;
  }
  const auto rank = known.ShapeOf(pads->inputs[0]);
  const bool has_rest = pads->inputs.size() == 3;
  const auto rest = has_rest ? known.ShapeOf(pads->inputs[2]) : std::vector<int64_t>{0};
  return pads->inputs.size() <= 3 && rank && rest && rank->front() == rest->front() + 1 &&
         known.IsAll(pads->inputs[0], 0) && (!has_rest || known.IsAll(pads->inputs[2], 0));
}

auto IsFirstRows(const Node& node, const KnownValues& known) -> bool {
  return node.inputs.size() == 5 && known.IsAll(node.inputs[1], 0) && known.IsAll(node.inputs[4], 1) &&
         known.NumbersOf(node.inputs[3]) == std::vector<int64_t>{0};
}

// The same with a cast in between.
auto BecomesCast(Node& node, const KnownValues& known) -> bool {
  const Node* cast = known.Maker(node.inputs[0], "Cast");
  const Node* pad = cast == nullptr ? nullptr : known.Maker(cast->inputs[0], "Pad");
  if (pad == nullptr || !IsFirstRows(node, known) || !IsPaddedUp(*pad, node.inputs[2], known)) return false;
  node.op_type = "Cast";
  node.inputs = {pad->inputs[0]};
  node.attributes = cast->attributes;
  return true;
}

}  // namespace

void SimplifySlice(Node& node, KnownValues& known) {
  // An extent in a list, as exporters take it out of a shape.
  if (node.op_type == "Gather" && IntOf(node, "axis", 0) == 0) {
    const auto at = known.NumbersOf(node.inputs[1]);
    const auto rank = known.ShapeOf(node.inputs[0]);
    if (!at || at->size() != 1 || known.RankOf(node.inputs[1]) != 1 || !rank || rank->size() != 1) return;
    const int64_t begin = at->front() < 0 ? at->front() + rank->front() : at->front();
    if (begin >= 0 && BecomesShape(node, known, {0, begin, begin + 1})) node.is_foreign = false;
    return;
  }
  if (node.op_type != "Slice" || node.inputs.size() != 5) return;
  const auto cut = ReadOneCut(node, known);
  if (cut && (BecomesShape(node, known, *cut) || BecomesParts(node, known, *cut))) return;
  if (BecomesTopK(node, known) || BecomesCast(node, known)) return;
  // The rest applies to positions for all axes in order.
  const auto rank = known.RankOf(node.inputs[0]);
  std::vector<int64_t> all(rank.value_or(0));
  std::iota(all.begin(), all.end(), 0);
  if (!rank || known.NumbersOf(node.inputs[3]) != all) return;
  node.inputs[1] = PlainBegin(known, node.inputs[1], node.inputs[0], *rank);
  GatherAxes(node, known);
}

// As many rows as there were before rows were added to have a number that is known:
// slice(pad(x, [0, n - count]), [0], count) with count = shape(x)
auto SameAsSlice(const Node& node, const KnownValues& known) -> std::optional<Name> {
  const Node* pad = known.Maker(node.inputs[0], "Pad");
  if (pad == nullptr || !IsFirstRows(node, known) || !IsPaddedUp(*pad, node.inputs[2], known)) return std::nullopt;
  return pad->inputs[0];
}

}  // namespace relayopt::onnx::out
