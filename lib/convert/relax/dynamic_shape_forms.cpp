// Forms of operators with an operand that is the shape of the result (extents.h).
#include <fmt/format.h>

#include <algorithm>

#include "extents.h"
#include "forms.h"
#include "python.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/dyn.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"

namespace relayopt::relax {

namespace {

// ones, zeros, full: the last argument is the shape, the first one of two the value.
auto WriteDynFilled(const RelaxCall& call) -> Text {
  const auto extents = NamedArgument(call, call.num_inputs() - 1);
  const Type* result = call.result();
  if (!extents || result == nullptr) return std::nullopt;
  const std::string value = call.num_inputs() == 1 ? "" : ", " + call.args[0];
  return Shaped(call,
                fmt::format("R.{}({}{}, dtype={})", call.name(), ShapeText(*extents), value, DtypeText(result->dtype)),
                *extents);
}

auto WriteDynBroadcastTo(const RelaxCall& call) -> Text {
  const auto extents = NamedArgument(call, 1);
  if (!extents) return std::nullopt;
  return BroadcastTo(call, *extents);
}

// 0 copies the extent of the data at this axis, -1 follows from the other extents.
auto WriteDynReshape(const RelaxCall& call) -> Text {
  const auto* attrs = call.attrs<ReshapeAttrs>();
  const Type* codes = call.input(1);
  if (codes == nullptr || codes->rank() != 1 || !codes->shape[0].is_int()) return std::nullopt;
  const auto rank = static_cast<size_t>(codes->shape[0].value());
  const Extents given = call.extents(0);
  RelaxLines& lines = call.lines();
  std::string shape = lines.Bind(Wide(call.args[1]));
  if (attrs == nullptr || !attrs->allowzero) {
    Extents copied = given;
    copied.resize(rank, "1");
    shape = lines.Bind(fmt::format("R.where(R.equal({0}, {1}), {2}, {0})", shape, WideConst(0), AsTensor(copied)));
  }
  const std::string is_open = lines.Bind(fmt::format("R.equal({}, {})", shape, WideConst(-1)));
  const std::string known = fmt::format("R.prod(R.where({}, {}, {}))", is_open, WideConst(1), shape);
  const std::string size = fmt::format("R.prod({})", AsTensor(given.empty() ? Extents{"1"} : given));
  const std::string rest = lines.Bind(fmt::format("R.floor_divide({}, R.maximum({}, {}))", size, known, WideConst(1)));
  shape = lines.Bind(fmt::format("R.where({}, {}, {})", is_open, rest, shape));
  return Reshaped(call, call.args[0], Named(call, shape, rank));
}

// reshape of data with extents that are not known: those that the codes copy keep their names, and one may be left. The
// extents that the codes of reshape say: 0 and -2 keep those of the data, -3 merges two; -1 is one that follows from
// the others, as is one of the two that -4 makes. Returns nothing if codes and extents do not fit.
auto ExtentsOfCodes(const ReshapeAttrs& attrs, const Extents& given) -> std::optional<Extents> {
  Extents extents;
  size_t source = 0;
  for (size_t i = 0; i < attrs.newshape.size(); ++i, ++source) {
    if (!attrs.newshape[i].is_int()) return std::nullopt;
    const int64_t code = attrs.newshape[i].value();
    const size_t count = code == -3 ? 2 : code == 0 && !attrs.allowzero ? 1 : 0;
    if (count > 0 && source + count > given.size()) return std::nullopt;
    if (count == 1) {
      extents.push_back(given[source]);
    } else if (code == -2) {
      for (; source < given.size(); ++source) extents.push_back(given[source]);
    } else if (code == -3) {
      extents.push_back(Times(given[source], given[source + 1]));
      ++source;
    } else if (code == -4) {
      if (i + 2 >= attrs.newshape.size()) return std::nullopt;
      for (const size_t k : {i + 1, i + 2}) {
        if (!attrs.newshape[k].is_int()) return std::nullopt;
        extents.push_back(std::to_string(attrs.newshape[k].value()));
      }
      i += 2;
    } else {
      extents.push_back(std::to_string(code));
    }
  }
  return extents;
}

auto WriteReshape(const RelaxCall& call, const ReshapeAttrs& attrs) -> Text {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  const auto coded = attrs.newshape.null ? std::nullopt : ExtentsOfCodes(attrs, call.extents(0));
  const bool fits = coded && coded->size() == result->rank();
  Extents extents;
  size_t open = 0;
  bool has_zero = false;
  for (size_t i = 0; i < result->rank(); ++i) {
    const Dim& dim = result->shape[i];
    extents.push_back(dim.is_int() ? std::to_string(dim.value()) : fits ? (*coded)[i] : "-1");
    has_zero = has_zero || dim.is(0);
    open += extents.back() == "-1" ? 1 : 0;
  }
  if (open > 1 || (open == 1 && has_zero)) return std::nullopt;
  // In Relax 0 copies an extent. Nothing is lost.
  if (has_zero) {
    return Shaped(call, fmt::format("R.zeros({}, dtype={})", ShapeText(extents), DtypeText(result->dtype)), extents);
  }
  std::string text =
      fmt::format("R.reshape({}, ({}{}))", call.args[0], fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
  return open == 0 ? Shaped(call, std::move(text), extents) : Text(text);
}

auto WriteDynExpandDims(const RelaxCall& call, const DynExpandDimsAttrs& attrs) -> Text {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  const Extents given = call.extents(0);
  const size_t rank = result->rank();
  RelaxLines& lines = call.lines();
  const std::string number = fmt::format("R.reshape({}, ())", Wide(call.args[1]));
  // The axis, counted from the front.
  const std::string axis =
      lines.Bind(fmt::format("R.floor_mod({}, {})", number, WideConst(static_cast<int64_t>(given.size()) + 1)));
  const std::string place = lines.Bind(fmt::format("R.arange(0, {}, 1, dtype=\"int64\")", rank));
  const std::string end = fmt::format("R.add({}, {})", axis, WideConst(attrs.num_newaxis));
  const std::string is_old =
      lines.Bind(fmt::format("R.logical_or(R.less({0}, {1}), R.greater_equal({0}, {2}))", place, axis, end));
  const std::string source =
      fmt::format("R.where(R.less({0}, {1}), {0}, R.subtract({0}, {2}))", place, axis, WideConst(attrs.num_newaxis));
  const std::string copied =
      fmt::format("R.take({}, {}, axis=0, mode=\"clip\")", AsTensor(given.empty() ? Extents{"1"} : given), source);
  const std::string shape = lines.Bind(fmt::format("R.where({}, {}, {})", is_old, copied, WideConst(1)));
  return Reshaped(call, call.args[0], Named(call, shape, rank));
}

// Returns the extents of the axes that are not listed, in order, by sorting them to the front.
auto WriteDynSqueeze(const RelaxCall& call) -> Text {
  const Type* result = call.result();
  const Type* axes = call.input(1);
  if (result == nullptr || axes == nullptr || axes->rank() != 1) return std::nullopt;
  const Extents given = call.extents(0);
  const auto rank = static_cast<int64_t>(given.size());
  if (given.empty()) return Text(call.args[0]);
  RelaxLines& lines = call.lines();
  // A call inside a reshape with -1 would have no type yet.
  const std::string from_front = lines.Bind(fmt::format("R.floor_mod({}, {})", Wide(call.args[1]), WideConst(rank)));
  const std::string named = lines.Bind(fmt::format("R.reshape({}, (-1, 1))", from_front));
  const std::string place = lines.Bind(fmt::format("R.arange(0, {}, 1, dtype=\"int64\")", rank));
  const std::string hits = fmt::format("R.max(R.astype(R.equal({}, {}), \"int64\"), axis=[0])", named, place);
  const std::string key = lines.Bind(fmt::format("R.add(R.multiply({}, {}), {})", hits, WideConst(rank), place));
  const std::string order = fmt::format("R.argsort({}, axis=0, descending=False, dtype=\"int64\")", key);
  const std::string sorted = fmt::format("R.take({}, {}, axis=0, mode=\"clip\")", AsTensor(given), order);
  const std::string shape =
      lines.Bind(fmt::format("R.strided_slice({}, axes=[0], begin=[0], end=[{}])", sorted, result->rank()));
  return Reshaped(call, call.args[0], Named(call, shape, result->rank()));
}

// A new axis is inserted before each axis, and the data is broadcast along it.
auto WriteDynTile(const RelaxCall& call) -> Text {
  auto counts = NamedArgument(call, 1);
  if (!counts) return std::nullopt;
  Extents given = call.extents(0);
  const size_t rank = std::max(given.size(), counts->size());
  given.insert(given.begin(), rank - given.size(), "1");
  counts->insert(counts->begin(), rank - counts->size(), "1");
  Extents split;
  Extents spread;
  Extents joined;
  for (size_t i = 0; i < rank; ++i) {
    split.insert(split.end(), {"1", given[i]});
    spread.insert(spread.end(), {(*counts)[i], given[i]});
    joined.push_back(Times((*counts)[i], given[i]));
  }
  const std::string wide = call.lines().Bind(
      fmt::format("R.broadcast_to(R.reshape({}, {}), {})", call.args[0], ShapeText(split), ShapeText(spread)));
  return Reshaped(call, wide, joined);
}

auto WriteShapeOf(const RelaxCall& call) -> Text {
  const Extents extents = call.extents(0);
  return extents.empty() ? std::nullopt : AsResult(call, AsTensor(extents));
}

auto WriteNdarraySize(const RelaxCall& call) -> Text {
  const Extents extents = call.extents(0);
  return extents.empty() ? std::nullopt : AsResult(call, fmt::format("R.prod({})", AsTensor(extents)));
}

// Fields have the same extents but along the axis, where the result has their sum.
auto WriteConcat(const RelaxCall& call, const ConcatenateAttrs& attrs) -> Text {
  const Type* result = call.result();
  const std::vector<ExprId> fields = call.lines().FieldsOf(call.operand(0));
  if (result == nullptr) return std::nullopt;
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.axis, result->rank()));
  const bool is_known = AllKnown(result->shape);
  if (fields.empty() || is_known) return fmt::format("R.concat({}, axis={})", call.args[0], axis);
  RelaxLines& lines = call.lines();
  Extents extents = lines.ExtentsOf(fields[0]);
  std::string sum;
  for (const ExprId field : fields) {
    Extents wanted = extents;
    wanted[axis] = lines.ExtentsOf(field)[axis];
    lines.Recast(field, wanted);
    sum += (sum.empty() ? "" : " + ") + wanted[axis];
  }
  std::string texts;
  for (const ExprId field : fields) texts += lines.TextOf(field) + ", ";
  extents[axis] = sum;
  return Shaped(call, fmt::format("R.concat(({}), axis={})", texts, axis), extents);
}

// All fields have the same extents; TVM stacks only those that it knows to be equal.
auto WriteStack(const RelaxCall& call, const StackAttrs& attrs) -> Text {
  const Type* result = call.result();
  RelaxLines& lines = call.lines();
  const std::vector<ExprId> fields = lines.FieldsOf(call.operand(0));
  if (result == nullptr || !attrs.axis.is_int()) return std::nullopt;
  const int64_t axis = attrs.axis.value();
  if (fields.empty() || AllKnown(result->shape)) return fmt::format("R.stack({}, axis={})", call.args[0], axis);
  Extents extents = lines.ExtentsOf(fields[0]);
  std::string texts;
  for (const ExprId field : fields) {
    lines.Recast(field, extents);
    texts += lines.TextOf(field) + ", ";
  }
  const int64_t place = NormalizedAxis(axis, result->rank());
  extents.insert(extents.begin() + place, std::to_string(fields.size()));
  return Shaped(call, fmt::format("R.stack(({}), axis={})", texts, place), extents);
}

constexpr OpRule<RelaxForm> kDynamicShapeForms[] = {
    {"concatenate"_op, {"concat", "", WithAttrs<WriteConcat>}},
    {"dyn.broadcast_to"_op, {"broadcast_to", "", WriteDynBroadcastTo}},
    {"dyn.expand_dims"_op, {"reshape", "", WithAttrs<WriteDynExpandDims>}},
    {"dyn.full"_op, {"full", "", WriteDynFilled}},
    {"dyn.ones"_op, {"ones", "", WriteDynFilled}},
    {"dyn.reshape"_op, {"reshape", "", WriteDynReshape}},
    {"dyn.squeeze"_op, {"reshape", "", WriteDynSqueeze}},
    {"dyn.tile"_op, {"broadcast_to", "", WriteDynTile}},
    {"dyn.zeros"_op, {"zeros", "", WriteDynFilled}},
    {"ndarray_size"_op, {"prod", "", WriteNdarraySize}},
    {"reshape"_op, {"reshape", "", WithAttrs<WriteReshape>}},
    {"shape_of"_op, {"shape_of", "", WriteShapeOf}},
    {"stack"_op, {"stack", "", WithAttrs<WriteStack>}},
};

}  // namespace

auto DynamicShapeForms() -> std::span<const OpRule<RelaxForm>> { return kDynamicShapeForms; }

}  // namespace relayopt::relax
