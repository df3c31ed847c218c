// Forms of operators that take elements by position, and that order them.
#include <algorithm>
#include <numeric>

#include "forms.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/sort.h"

namespace relayopt::onnx::out {

namespace {

// Returns the indices in a type that ONNX accepts.
auto AsIndices(OnnxCall& call, size_t i) -> Name {
  const DataType dtype = call.input(i)->dtype;
  const bool is_index = dtype == kIndexType || dtype == DataType::Int(32);
  return is_index ? call.arg(i) : call.Cast(call.arg(i), kIndexType);
}

// Places outside of the axis are moved to its ends (clip) or counted around (wrap); onnxruntime refuses them, and
// counts negative ones from the end.
auto WriteTake(OnnxCall& call, const TakeAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  const Type* indices = call.input(1);
  if (type == nullptr || indices == nullptr || !attrs.batch_dims.is(0)) return std::nullopt;
  Name data = call.arg(0);
  int64_t axis = 0;
  Dim extent;
  if (attrs.axis.is_int()) {
    axis = NormalizedAxis(attrs.axis.value(), type->rank());
    extent = type->shape[static_cast<size_t>(axis)];
  } else {
    data = type->rank() == 1 ? data : call.Reshape(data, std::vector<int64_t>{-1});
    int64_t count = 1;
    bool is_known = true;
    for (const Dim& dim : type->shape) {
      is_known &= dim.is_int();
      if (dim.is_int()) count *= dim.value();
    }
    if (is_known) extent = count;
  }
  Name places = AsIndices(call, 1);
  const DataType dtype = indices->dtype == DataType::Int(32) ? indices->dtype : kIndexType;
  const auto numbers = NumbersOf(call.constant(1));
  // An axis of extent 0 has no element to take.
  const auto is_inside = [&](int64_t place) {
    return place == 0 || (place > 0 && extent.is_int() && place < extent.value());
  };
  if (!extent.is(0) && (!numbers || !std::ranges::all_of(*numbers, is_inside))) {
    Name size;
    if (extent.is_int()) {
      size = call.Number(static_cast<double>(extent.value()), dtype);
    } else {
      size = call.Add("Gather", {call.Add("Shape", {data}), call.Index(axis)});
      if (dtype != kIndexType) size = call.Cast(size, dtype);
    }
    if (attrs.mode == "wrap") {
      places = call.Add("Mod", {places, size});
    } else {
      const Name last = extent.is_int() ? call.Number(static_cast<double>(extent.value() - 1), dtype)
                                        : call.Add("Sub", {size, call.Number(1, dtype)});
      places = call.Add("Clip", {places, call.Number(0, dtype), last});
    }
  }
  return One(call.Add("Gather", {data, places}, {Int("axis", axis)}));
}

auto WriteGather(OnnxCall& call, const GatherAttrs& attrs) -> CallOutputs {
  if (!attrs.axis.is_int()) return std::nullopt;
  return One(call.Add("GatherElements", {call.arg(0), AsIndices(call, 1)},
                      {Int("axis", NormalizedAxis(attrs.axis.value(), call.input(0)->rank()))}));
}

// The indices of one element are along the first axis in Relay, and along the last in ONNX, which requires int64.
auto IndicesBehind(OnnxCall& call) -> std::optional<Name> {
  const Type* type = call.input(1);
  if (type == nullptr || type->rank() == 0) return std::nullopt;
  std::vector<int64_t> order(type->rank());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>((i + 1) % order.size());
  const Name indices = call.AsLong(1);
  return order.size() == 1 ? indices : call.Transpose(indices, order);
}

auto WriteGatherNd(OnnxCall& call, const GatherNDAttrs& attrs) -> CallOutputs {
  const auto indices = IndicesBehind(call);
  if (!indices || !attrs.batch_dims.is_int()) return std::nullopt;
  const int64_t batch = attrs.batch_dims.value();
  return One(
      call.Add("GatherND", {call.arg(0), *indices}, batch == 0 ? Attributes() : Attributes{Int("batch_dims", batch)}));
}

auto ReductionOf(OnnxCall& call, std::string_view mode) -> std::optional<std::string_view> {
  if (mode == "update") return "none";
  const bool is_extremum = mode == "min" || mode == "max";
  if (is_extremum) call.model().Raise(18);
  return is_extremum || mode == "add" || mode == "mul" ? std::optional(mode) : std::nullopt;
}

auto WriteScatterNd(OnnxCall& call, const ScatterNDAttrs& attrs) -> CallOutputs {
  const auto indices = IndicesBehind(call);
  if (!indices) return std::nullopt;
  const auto reduction = ReductionOf(call, attrs.mode);
  if (!reduction) return std::nullopt;
  return One(call.Add("ScatterND", {call.arg(0), *indices, call.arg(2)}, {String("reduction", *reduction)}));
}

auto WriteScatterElements(OnnxCall& call, const ScatterElementsAttrs& attrs) -> CallOutputs {
  if (!attrs.axis.is_int()) return std::nullopt;
  const auto reduction = ReductionOf(call, attrs.reduction);
  if (!reduction) return std::nullopt;
  return One(call.Add(
      "ScatterElements", {call.arg(0), AsIndices(call, 1), call.arg(2)},
      {Int("axis", NormalizedAxis(attrs.axis.value(), call.input(0)->rank())), String("reduction", *reduction)}));
}

auto WriteAdvIndex(OnnxCall& call) -> CallOutputs {
  const Type& tuple = call.context().type(call.function().type(call.function().operand(call.id(), 0)));
  // The first value is the data, all others are indices.
  if (call.args[0].size() < 2) return std::nullopt;
  const Type& result = call.context().type(call.function().type(call.id()));
  Names indices;
  for (size_t i = 1; i < call.args[0].size(); ++i) {
    const Type& type = call.context().type(tuple.args[i]);
    indices.push_back(type.dtype == kIndexType ? call.args[0][i] : call.Cast(call.args[0][i], kIndexType));
  }
  if (indices.size() == 1) return One(call.Add("Gather", {call.args[0][0], indices[0]}, {Int("axis", 0)}));
  // The indices broadcast against each other, and become one tensor.
  const Type& data = call.context().type(tuple.args[0]);
  const size_t rank = result.rank() + indices.size() - data.rank();
  std::vector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    if (!result.shape[i].is_int()) return std::nullopt;
    shape.push_back(result.shape[i].value());
  }
  const Name extents = call.List(shape);
  const std::vector<int64_t> last = {static_cast<int64_t>(rank)};
  for (Name& index : indices) index = call.Unsqueeze(call.Add("Expand", {index, extents}), last);
  const Name joined = call.Add("Concat", std::move(indices), {Int("axis", static_cast<int64_t>(rank))});
  return One(call.Add("GatherND", {call.args[0][0], joined}));
}

auto WriteArgwhere(OnnxCall& call) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* result = call.result();
  // NonZero takes a scalar for a vector.
  if (result == nullptr || data == nullptr || data->rank() == 0) return std::nullopt;
  const Name places = call.Transpose(call.Add("NonZero", {call.arg(0)}), std::vector<int64_t>{1, 0});
  return One(result->dtype == kIndexType ? places : call.Cast(places, result->dtype));
}

// -- order --

// Returns values and positions of the first k elements; `extent` is the number of all elements.
auto AddTopK(OnnxCall& call, Name k, int64_t axis, bool ascending) -> Values {
  return call.AddMany("TopK", {call.arg(0), k},
                      {Int("axis", axis), Int("largest", ascending ? 0 : 1), Int("sorted", 1)}, 2);
}

auto WholeAxis(OnnxCall& call, int64_t axis) -> Name {
  const Dim extent = call.input(0)->shape[static_cast<size_t>(axis)];
  if (extent.is_int()) return call.List({extent.value()});
  return call.Add("Gather", {call.Add("Shape", {call.arg(0)}), call.List({axis})});
}

auto WriteSort(OnnxCall& call, const ArgsortAttrs& attrs) -> CallOutputs {
  const int64_t axis = NormalizedAxis(attrs.axis, call.input(0)->rank());
  return One(AddTopK(call, WholeAxis(call, axis), axis, attrs.is_ascend)[0]);
}

auto WriteArgsort(OnnxCall& call, const ArgsortAttrs& attrs) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis, call.input(0)->rank());
  const Name places = AddTopK(call, WholeAxis(call, axis), axis, attrs.is_ascend)[1];
  return One(result->dtype == kIndexType ? places : call.Cast(places, result->dtype));
}

// Returns the values, the positions, or both, as `ret_type` requests.
auto Chosen(OnnxCall& call, const TopkAttrs& attrs, Values found) -> CallOutputs {
  const DataType dtype = attrs.dtype.is_void() ? DataType::Int(32) : attrs.dtype;
  if (dtype != kIndexType) found[1] = call.Cast(found[1], dtype);
  if (attrs.ret_type == "values") return One(found[0]);
  if (attrs.ret_type == "indices") return One(found[1]);
  return found;
}

auto WriteTopk(OnnxCall& call, const TopkAttrs& attrs) -> CallOutputs {
  if (!attrs.k.is_int()) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis, call.input(0)->rank());
  const Dim extent = call.input(0)->shape[static_cast<size_t>(axis)];
  int64_t k = attrs.k.value();
  if (k >= 1 && extent.is_int()) k = std::min(k, extent.value());
  const Name count = k < 1 ? WholeAxis(call, axis) : call.List({k});
  return Chosen(call, attrs, AddTopK(call, count, axis, attrs.is_ascend));
}

auto WriteDynTopk(OnnxCall& call, const TopkAttrs& attrs) -> CallOutputs {
  const int64_t axis = NormalizedAxis(attrs.axis, call.input(0)->rank());
  Name k = call.Reshape(call.AsLong(1), std::vector<int64_t>{1});
  // A k below 1 means all elements.
  const Name extent = call.Extents(call.arg(0), axis, axis + 1);
  k = call.Add("Where", {call.Add("Less", {k, call.List({1})}), extent, k});
  return Chosen(call, attrs, AddTopK(call, k, axis, attrs.is_ascend));
}

// Returns the number of elements in the sorted rows before each value.
auto WriteSearchsorted(OnnxCall& call, const SearchSortedAttrs& attrs) -> CallOutputs {
  const Type* sorted = call.input(0);
  const Type* values = call.input(1);
  const Type* result = call.result();
  if (sorted == nullptr || values == nullptr || result == nullptr || values->rank() == 0) return std::nullopt;
  const auto rank = static_cast<int64_t>(values->rank());
  Name rows = call.arg(0);
  if (sorted->rank() > 1) rows = call.Unsqueeze(rows, std::vector<int64_t>{rank - 1});
  const Name wanted = call.Unsqueeze(call.arg(1), std::vector<int64_t>{rank});
  const Name before = call.Add(attrs.right ? "LessOrEqual" : "Less", {rows, wanted});
  const Name count = call.Add("ReduceSum", {call.Cast(before, kIndexType), call.List({rank})}, {Int("keepdims", 0)});
  return One(result->dtype == kIndexType ? count : call.Cast(count, result->dtype));
}

auto WriteUnravelIndex(OnnxCall& call) -> CallOutputs {
  const Type* indices = call.input(0);
  const Type* result = call.result();
  const auto shape = NumbersOf(call.constant(1));
  if (indices == nullptr || result == nullptr || !shape || indices->rank() > 1) return std::nullopt;
  const Name places = call.AsLong(0);
  Names rows;
  int64_t stride = 1;
  for (size_t i = shape->size(); i-- > 0;) {
    Name row = stride == 1 ? places : call.Add("Div", {places, call.Index(stride)});
    row = call.Add("Mod", {row, call.Index((*shape)[i])});
    rows.insert(rows.begin(), indices->rank() == 0 ? call.Reshape(row, std::vector<int64_t>{1})
                                                   : call.Unsqueeze(row, std::vector<int64_t>{0}));
    stride *= (*shape)[i];
  }
  const Name joined = rows.size() == 1 ? rows[0] : call.Add("Concat", std::move(rows), {Int("axis", 0)});
  return One(result->dtype == kIndexType ? joined : call.Cast(joined, result->dtype));
}

auto WriteInvertPermutation(OnnxCall& call) -> CallOutputs {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() != 1 || !type->shape[0].is_int()) return std::nullopt;
  std::vector<int64_t> places(static_cast<size_t>(type->shape[0].value()));
  std::iota(places.begin(), places.end(), 0);
  const Name inverse = call.Add("ScatterElements", {call.List(places), AsIndices(call, 0), call.List(places)});
  return One(type->dtype == kIndexType ? inverse : call.Cast(inverse, type->dtype));
}

// Returns the distinct elements, their first places, where each element went, and how many they are; as many as there
// are elements, the rest is filled with zeros.
auto WriteUnique(OnnxCall& call, const UniqueAttrs& attrs) -> CallOutputs {
  const Type& result = call.context().type(call.function().type(call.id()));
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() != 1) return std::nullopt;
  const Values found = call.AddMany("Unique", {call.arg(0)}, {Int("sorted", attrs.sorted ? 1 : 0)}, 4);
  const Name count = call.Add("Shape", {found[0]});
  const Name all = call.Add("Shape", {call.arg(0)});
  const Name pads = call.Add("Concat", {call.List({0}), call.Add("Sub", {all, count})}, {Int("axis", 0)});
  const auto as = [&](Name value, size_t i, DataType from) {
    const DataType dtype = call.context().type(result.args[i]).dtype;
    return dtype == from ? value : call.Cast(value, dtype);
  };
  const auto filled = [&](Name value, Name filler = {}) {
    return call.Add("Pad", {value, pads, filler}, {String("mode", "constant")});
  };
  // The number of all elements follows the last position.
  const Name end = call.Reshape(all, {});
  Values values = {filled(found[0]), as(filled(found[1], end), 1, kIndexType), as(found[2], 2, kIndexType),
                   as(count, 3, kIndexType)};
  if (result.args.size() > 4) values.push_back(as(filled(found[3]), 4, kIndexType));
  return values;
}

constexpr Types kOrdered = kF16 | kF32 | kF64 | kI32 | kI64;

constexpr OpRule<OnnxForm> kIndexForms[] = {
    {"adv_index"_op, {"Gather or GatherND", kAll, WriteAdvIndex}},
    {"argsort"_op, {"TopK", kOrdered, WithAttrs<WriteArgsort>}},
    {"argwhere"_op, {"NonZero, Transpose", kF32 | kB | kI32 | kI64 | kU8, WriteArgwhere}},
    {"dyn.topk"_op, {"TopK", kOrdered, WithAttrs<WriteDynTopk>}},
    {"gather"_op, {"GatherElements", kAll, WithAttrs<WriteGather>}},
    {"gather_nd"_op, {"GatherND", kAll, WithAttrs<WriteGatherNd>}},
    {"invert_permutation"_op, {"ScatterElements", kAll, WriteInvertPermutation}},
    {"scatter_elements"_op, {"ScatterElements", kAll, WithAttrs<WriteScatterElements>}},
    {"scatter_nd"_op, {"ScatterND", kAll, WithAttrs<WriteScatterNd>}},
    {"searchsorted"_op, {"Less, ReduceSum", kF16 | kF32 | kF64 | kI32 | kI64, WithAttrs<WriteSearchsorted>}},
    {"sort"_op, {"TopK", kOrdered, WithAttrs<WriteSort>}},
    {"take"_op, {"Gather", kAll, WithAttrs<WriteTake>}},
    {"topk"_op, {"TopK", kOrdered, WithAttrs<WriteTopk>}},
    {"unique"_op, {"Unique, Pad", kF32 | kF64 | kI64, WithAttrs<WriteUnique>}},
    {"unravel_index"_op, {"Div, Mod, Concat", kAll, WriteUnravelIndex}},
};

}  // namespace

auto IndexForms() -> std::span<const OpRule<OnnxForm>> { return kIndexForms; }

}  // namespace relayopt::onnx::out
