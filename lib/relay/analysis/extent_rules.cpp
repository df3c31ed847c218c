// Extents of results: one rule for each operator that types say too little about.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"
#include "shape_rules.h"

namespace relayopt {

namespace {

using Numbers = ShapeCall::Numbers;
using Result = ShapeCall::Result;

// A product and a divisor, without their common factors, which need not be numbers.
struct Fraction {
  ExtentId dividend;
  ExtentId divisor;
};
auto Shortened(ExtentTable& table, std::vector<ExtentId> dividend, std::span<const ExtentId> divisor) -> Fraction {
  std::vector<ExtentId> rest;
  for (const ExtentId factor : divisor) {
    const auto same = std::ranges::find(dividend, factor);
    if (same == dividend.end()) {
      rest.push_back(factor);
    } else {
      dividend.erase(same);
    }
  }
  return {ProductOf(table, dividend), ProductOf(table, rest)};
}

// A reshape: the number of elements stays, so an unknown extent follows from the others.
void SettleResult(ExtentTable& table, std::span<const ExtentId> data, Numbers& extents) {
  const auto is_result = [&](ExtentId extent) { return table.IsResult(extent); };
  const auto first = std::ranges::find_if(extents, is_result);
  if (first == extents.end() || std::find_if(first + 1, extents.end(), is_result) != extents.end()) return;
  Numbers others = extents;
  others.erase(others.begin() + (first - extents.begin()));
  const Fraction rest = Shortened(table, {data.begin(), data.end()}, others);
  if (const auto known = table.Without(rest.dividend, rest.divisor)) *first = *known;
}

auto Broadcast(ExtentTable& table, const Numbers& a, const Numbers& b) -> Numbers {
  const Numbers& longer = a.size() < b.size() ? b : a;
  const Numbers& shorter = a.size() < b.size() ? a : b;
  Numbers result = longer;
  const size_t front = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) result[front + i] = table.Broadcast(longer[front + i], shorter[i]);
  return result;
}

// Broadcasts all operands against each other.
auto AgainstEachOther(const ShapeCall& call) -> Result {
  Numbers result;
  for (size_t i = 0; i < call.num_operands(); ++i) {
    const Numbers* extents = call.extents(i);
    if (extents == nullptr) return std::nullopt;
    result = i == 0 ? *extents : Broadcast(call.table(), result, *extents);
  }
  return result;
}

template <size_t kOperand>
auto LikeRule(const ShapeCall& call) -> Result {
  const Numbers* extents = call.extents(kOperand);
  return extents == nullptr ? std::nullopt : Result(*extents);
}

// Returns the contents of an operand.
template <size_t kOperand>
auto ShapeOperandRule(const ShapeCall& call) -> Result {
  const Numbers* numbers = call.numbers(kOperand);
  return numbers == nullptr ? std::nullopt : Result(*numbers);
}

// -- other shapes of the same elements --

auto ReshapeRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<ReshapeAttrs>();
  const Numbers* data = call.extents(0);
  const auto codes = attrs == nullptr ? std::nullopt : KnownExtents(attrs->newshape);
  if (data == nullptr || !codes) return std::nullopt;
  Numbers numbers;
  for (const int64_t code : *codes) numbers.push_back(call.table().Number(code));
  return ReshapedExtents(call.table(), *data, numbers, attrs->allowzero);
}

auto DynReshapeRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<ReshapeAttrs>();
  const Numbers* data = call.extents(0);
  const Numbers* shape = call.numbers(1);
  if (data == nullptr || shape == nullptr) return std::nullopt;
  return ReshapedExtents(call.table(), *data, *shape, attrs != nullptr && attrs->allowzero);
}

auto TransposeRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<TransposeAttrs>();
  const Numbers* data = call.extents(0);
  if (attrs == nullptr || data == nullptr) return std::nullopt;
  if (attrs->axes.null || attrs->axes.empty()) return Numbers(data->rbegin(), data->rend());
  const auto axes = KnownExtents(attrs->axes);
  if (!axes) return std::nullopt;
  Numbers result;
  for (const int64_t axis : *axes) {
    const auto place = NormalizeAxis(axis, data->size());
    if (!place) return std::nullopt;
    result.push_back((*data)[*place]);
  }
  return result;
}

auto ExpandDimsRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<ExpandDimsAttrs>();
  const Numbers* data = call.extents(0);
  if (attrs == nullptr || data == nullptr || attrs->num_newaxis < 0) return std::nullopt;
  const auto axis = NormalizeAxis(attrs->axis, data->size() + 1);
  if (!axis) return std::nullopt;
  Numbers result = *data;
  result.insert(result.begin() + static_cast<int64_t>(*axis), static_cast<size_t>(attrs->num_newaxis),
                call.table().Number(1));
  return result;
}

auto SqueezeRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<SqueezeAttrs>();
  const Numbers* data = call.extents(0);
  const auto axes = attrs == nullptr ? std::nullopt : KnownExtents(attrs->axis);
  if (data == nullptr || !axes) return std::nullopt;
  std::vector<bool> is_dropped(data->size());
  for (const int64_t axis : *axes) {
    const auto place = NormalizeAxis(axis, data->size());
    if (!place) return std::nullopt;
    is_dropped[*place] = true;
  }
  Numbers result;
  for (size_t i = 0; i < data->size(); ++i) {
    if (!is_dropped[i]) result.push_back((*data)[i]);
  }
  return result;
}

// -- slices and concatenation --

auto ConcatenateRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<ConcatenateAttrs>();
  const auto fields = call.fields(0);
  if (attrs == nullptr || fields.empty()) return std::nullopt;
  Numbers result;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Numbers* part = call.extents_of(fields[i]);
    if (part == nullptr) return std::nullopt;
    const auto axis = NormalizeAxis(attrs->axis, part->size());
    if (!axis || (i > 0 && part->size() != result.size())) return std::nullopt;
    if (i == 0) {
      result = *part;
      continue;
    }
    result[*axis] = call.table().Sum(result[*axis], (*part)[*axis]);
    // The other extents are equal; one of them may be a number.
    for (size_t k = 0; k < result.size(); ++k) {
      if (k != *axis && call.table().NumberOf((*part)[k])) result[k] = (*part)[k];
    }
  }
  return result;
}

auto StackRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<StackAttrs>();
  const auto fields = call.fields(0);
  if (attrs == nullptr || fields.empty() || !attrs->axis.is_int()) return std::nullopt;
  const Numbers* first = call.extents_of(fields[0]);
  const auto axis = first == nullptr ? std::nullopt : NormalizeAxis(attrs->axis.value(), first->size() + 1);
  if (!axis) return std::nullopt;
  Numbers result = *first;
  result.insert(result.begin() + static_cast<int64_t>(*axis), call.table().Number(static_cast<int64_t>(fields.size())));
  return result;
}

auto TakeRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<TakeAttrs>();
  const Numbers* data = call.extents(0);
  const Numbers* places = call.extents(1);
  if (attrs == nullptr || data == nullptr || places == nullptr || !attrs->batch_dims.is(0)) return std::nullopt;
  if (!attrs->axis.is_int()) return *places;
  const auto axis = NormalizeAxis(attrs->axis.value(), data->size());
  if (!axis) return std::nullopt;
  Numbers result(data->begin(), data->begin() + static_cast<int64_t>(*axis));
  result.insert(result.end(), places->begin(), places->end());
  result.insert(result.end(), data->begin() + static_cast<int64_t>(*axis) + 1, data->end());
  return result;
}

// The extent of one axis from `begin` to `end`, neither of which counts from the end.
auto SlicedExtent(ExtentTable& table, ExtentId extent, ExtentId begin, ExtentId end, int64_t stride) -> ExtentId {
  if (stride == 1 && begin == table.Number(0)) {
    if (end == extent) return extent;
    const auto last = table.NumberOf(end);
    if (last && *last >= INT32_MAX) return extent;
  }
  const auto whole = table.NumberOf(extent);
  const auto first = table.NumberOf(begin);
  const auto last = table.NumberOf(end);
  if (whole && first && last && *first >= 0 && *last >= 0 && stride > 0) {
    const int64_t length = std::min(*last, *whole) - std::min(*first, *whole);
    // Rounds up; strides may be as large as the greatest integer.
    return table.Number(length <= 0 ? 0 : (length - 1) / stride + 1);
  }
  const bool is_front = stride == 1 && begin == table.Number(0) && table.IsNeverNegative(end);
  if (is_front) return table.Minimum(extent, end);
  const std::array operands = {extent, begin, end, table.Number(stride)};
  return table.ResultOf("slice", operands);
}

auto StridedSliceRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<StridedSliceAttrs>();
  const Numbers* data = call.extents(0);
  if (attrs == nullptr || data == nullptr || attrs->slice_mode != "end") return std::nullopt;
  const auto slices = SlicesOf(*attrs, data->size());
  if (!slices) return std::nullopt;
  ExtentTable& table = call.table();
  Numbers result = *data;
  for (const AxisSlice& slice : *slices) {
    const ExtentId begin = table.Number(slice.begin);
    result[slice.axis] = SlicedExtent(table, (*data)[slice.axis], begin, table.Number(slice.end), slice.stride);
  }
  return result;
}

auto DynStridedSliceRule(const ShapeCall& call) -> Result {
  const Numbers* data = call.extents(0);
  const Numbers* begin = call.numbers(1);
  const Numbers* end = call.numbers(2);
  const auto strides = call.integers(3);
  const auto* attrs = call.attrs<StridedSliceAttrs>();
  if (data == nullptr || begin == nullptr || end == nullptr || !strides || attrs == nullptr) return std::nullopt;
  if (attrs->slice_mode != "end" || begin->size() != end->size() || begin->size() > data->size()) return std::nullopt;
  Numbers result = *data;
  for (size_t i = 0; i < begin->size(); ++i) {
    const int64_t stride = i < strides->size() ? (*strides)[i] : 1;
    result[i] = SlicedExtent(call.table(), (*data)[i], (*begin)[i], (*end)[i], stride);
  }
  return result;
}

// The last extents of the data, each as often as `reps` says.
auto Repeated(ExtentTable& table, const Numbers* data, std::span<const ExtentId> reps) -> Result {
  if (data == nullptr || reps.size() > data->size()) return std::nullopt;
  Numbers result = *data;
  const size_t front = data->size() - reps.size();
  for (size_t i = 0; i < reps.size(); ++i) result[front + i] = table.Product(result[front + i], reps[i]);
  return result;
}

auto TileRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<TileAttrs>();
  const auto reps = attrs == nullptr ? std::nullopt : KnownExtents(attrs->reps);
  if (!reps) return std::nullopt;
  const auto numbers = MapToVector<ExtentId>(*reps, [&](int64_t number) { return call.table().Number(number); });
  return Repeated(call.table(), call.extents(0), numbers);
}

auto BatchFlattenRule(const ShapeCall& call) -> Result {
  const Numbers* data = call.extents(0);
  if (data == nullptr || data->empty()) return std::nullopt;
  return Numbers{data->front(), ProductOf(call.table(), std::span(*data).subspan(1))};
}

auto ArangeRule(const ShapeCall& call) -> Result {
  const Numbers* begin = call.numbers(0);
  const Numbers* end = call.numbers(1);
  const auto step = call.integers(2);
  if (begin == nullptr || end == nullptr || !step || step->size() != 1 || (*step)[0] != 1) return std::nullopt;
  if (begin->size() != 1 || end->size() != 1) return std::nullopt;
  const ExtentId length = call.table().Difference((*end)[0], (*begin)[0]);
  return call.table().IsNeverNegative(length) ? Result({length}) : std::nullopt;
}

// -- reductions and products --

auto Reduced(const ShapeCall& call, const DimList& list, bool keeps, bool excludes) -> Result {
  const Numbers* data = call.extents(0);
  const auto axes = KnownExtents(list);
  if (data == nullptr || (!axes && !list.null)) return std::nullopt;
  const bool is_all = !axes || axes->empty();
  std::vector<bool> is_reduced(data->size(), is_all != excludes);
  if (!is_all) {
    for (const int64_t axis : *axes) {
      const auto place = NormalizeAxis(axis, data->size());
      if (!place) return std::nullopt;
      is_reduced[*place] = !excludes;
    }
  }
  Numbers result;
  for (size_t i = 0; i < data->size(); ++i) {
    if (!is_reduced[i]) result.push_back((*data)[i]);
    if (is_reduced[i] && keeps) result.push_back(call.table().Number(1));
  }
  return result;
}

template <typename A>
auto ReduceRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<A>();
  return attrs == nullptr ? std::nullopt : Reduced(call, attrs->axis, attrs->keepdims, attrs->exclude);
}

auto DenseRule(const ShapeCall& call) -> Result {
  const Numbers* data = call.extents(0);
  const Numbers* weight = call.extents(1);
  if (data == nullptr || weight == nullptr || data->empty() || weight->size() != 2) return std::nullopt;
  Numbers result = *data;
  result.back() = (*weight)[0];
  return result;
}

auto MatmulRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<MatmulAttrs>();
  const Numbers* a = call.extents(0);
  const Numbers* b = call.extents(1);
  if (attrs == nullptr || a == nullptr || b == nullptr || a->size() < 2 || b->size() != 2) return std::nullopt;
  Numbers result = *a;
  if (attrs->transpose_a) result[a->size() - 2] = a->back();
  result.back() = (*b)[attrs->transpose_b ? 0 : 1];
  return result;
}

auto BatchMatmulRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<BatchMatmulAttrs>();
  const Numbers* a = call.extents(0);
  const Numbers* b = call.extents(1);
  if (attrs == nullptr || a == nullptr || b == nullptr || a->size() != 3 || b->size() != 3) return std::nullopt;
  return Numbers{call.table().Broadcast((*a)[0], (*b)[0]), (*a)[attrs->transpose_a ? 2 : 1],
                 (*b)[attrs->transpose_b ? 1 : 2]};
}

template <typename Attrs>
auto PadRule(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<Attrs>();
  const Numbers* data = call.extents(0);
  if (attrs == nullptr || data == nullptr || attrs->pad_width.values.size() != data->size()) return std::nullopt;
  Numbers result;
  for (size_t i = 0; i < data->size(); ++i) {
    ExtentId extent = (*data)[i];
    for (const Dim& width : attrs->pad_width.values[i]) {
      if (!width.is_int()) return std::nullopt;
      extent = call.table().Sum(extent, call.table().Number(width.value()));
    }
    result.push_back(extent);
  }
  return result;
}

// The batch of a convolution and of what samples images is that of the data. Other extents are those of the type.
auto BatchRule(const ShapeCall& call) -> Result {
  const Numbers* data = call.extents(0);
  const Type* type = call.result();
  const AttrsId attrs = call.function().attrs(call.id());
  if (data == nullptr || data->empty() || type == nullptr || type->rank() == 0 || !attrs) return std::nullopt;
  const AttrsRecord& record = call.context().attrs(attrs);
  for (const std::string_view name : {"layout", "data_layout", "out_layout"}) {
    const FieldInfo* field = record.schema == nullptr ? nullptr : record.schema->Find(name);
    if (field == nullptr || field->kind != FieldKindOf<std::string>()) continue;
    const auto& layout = field->Get<std::string>(record.data);
    if (!layout.empty() && layout.front() != 'N') return std::nullopt;
  }
  return BatchExtents(call.table(), data->front(), type->rank());
}

constexpr OpRule<ShapeRule> kExtentRules[] = {
    {"all"_op, ReduceRule<ReduceAttrs>},
    {"any"_op, ReduceRule<ReduceAttrs>},
    {"arange"_op, ArangeRule},
    {"argmax"_op, ReduceRule<ArgReduceAttrs>},
    {"argmin"_op, ReduceRule<ArgReduceAttrs>},
    {"argsort"_op, LikeRule<0>},
    {"broadcast_to_like"_op, LikeRule<1>},
    {"cast"_op, LikeRule<0>},
    {"cast_like"_op, LikeRule<0>},
    {"concatenate"_op, ConcatenateRule},
    {"cumprod"_op, LikeRule<0>},
    {"cumsum"_op, LikeRule<0>},
    {"dyn.broadcast_to"_op, ShapeOperandRule<1>},
    {"dyn.full"_op, ShapeOperandRule<1>},
    {"dyn.ones"_op, ShapeOperandRule<0>},
    {"dyn.reshape"_op, DynReshapeRule},
    {"dyn.strided_slice"_op, DynStridedSliceRule},
    {"dyn.tile"_op, TiledExtents},
    {"dyn.zeros"_op, ShapeOperandRule<0>},
    {"expand_dims"_op, ExpandDimsRule},
    {"full_like"_op, LikeRule<0>},
    {"gather"_op, LikeRule<1>},
    {"image.resize1d"_op, BatchRule},
    {"image.resize2d"_op, BatchRule},
    {"image.resize3d"_op, BatchRule},
    {"max"_op, ReduceRule<ReduceAttrs>},
    {"mean"_op, ReduceRule<ReduceAttrs>},
    {"min"_op, ReduceRule<ReduceAttrs>},
    {"nn.adaptive_avg_pool1d"_op, BatchRule},
    {"nn.adaptive_avg_pool2d"_op, BatchRule},
    {"nn.adaptive_avg_pool3d"_op, BatchRule},
    {"nn.adaptive_max_pool1d"_op, BatchRule},
    {"nn.adaptive_max_pool2d"_op, BatchRule},
    {"nn.adaptive_max_pool3d"_op, BatchRule},
    {"nn.avg_pool1d"_op, BatchRule},
    {"nn.avg_pool2d"_op, BatchRule},
    {"nn.avg_pool3d"_op, BatchRule},
    {"nn.batch_flatten"_op, BatchFlattenRule},
    {"nn.batch_matmul"_op, BatchMatmulRule},
    {"nn.bias_add"_op, LikeRule<0>},
    {"nn.conv1d"_op, BatchRule},
    {"nn.conv1d_transpose"_op, BatchRule},
    {"nn.conv2d"_op, BatchRule},
    {"nn.conv2d_transpose"_op, BatchRule},
    {"nn.conv3d"_op, BatchRule},
    {"nn.conv3d_transpose"_op, BatchRule},
    {"nn.depth_to_space"_op, BatchRule},
    {"nn.dense"_op, DenseRule},
    {"nn.fast_softmax"_op, LikeRule<0>},
    {"nn.global_avg_pool2d"_op, BatchRule},
    {"nn.global_max_pool2d"_op, BatchRule},
    {"nn.group_norm"_op, LikeRule<0>},
    {"nn.instance_norm"_op, LikeRule<0>},
    {"nn.layer_norm"_op, LikeRule<0>},
    {"nn.lrn"_op, LikeRule<0>},
    {"nn.log_softmax"_op, LikeRule<0>},
    {"nn.matmul"_op, MatmulRule},
    {"nn.max_pool1d"_op, BatchRule},
    {"nn.max_pool2d"_op, BatchRule},
    {"nn.max_pool3d"_op, BatchRule},
    {"nn.mirror_pad"_op, PadRule<MirrorPadAttrs>},
    {"nn.pad"_op, PadRule<PadAttrs>},
    {"nn.prelu"_op, LikeRule<0>},
    {"nn.softmax"_op, LikeRule<0>},
    {"nn.space_to_depth"_op, BatchRule},
    {"nn.upsampling"_op, BatchRule},
    {"nn.upsampling3d"_op, BatchRule},
    {"ones_like"_op, LikeRule<0>},
    {"prod"_op, ReduceRule<ReduceAttrs>},
    {"qnn.conv2d"_op, BatchRule},
    {"reshape"_op, ReshapeRule},
    {"reverse"_op, LikeRule<0>},
    {"scatter_elements"_op, LikeRule<0>},
    {"scatter_nd"_op, LikeRule<0>},
    {"sort"_op, LikeRule<0>},
    {"squeeze"_op, SqueezeRule},
    {"stack"_op, StackRule},
    {"strided_slice"_op, StridedSliceRule},
    {"sum"_op, ReduceRule<ReduceAttrs>},
    {"take"_op, TakeRule},
    {"tile"_op, TileRule},
    {"transpose"_op, TransposeRule},
    {"trilu"_op, LikeRule<0>},
    {"variance"_op, ReduceRule<VarianceAttrs>},
    {"where"_op, AgainstEachOther},
    {"zeros_like"_op, LikeRule<0>},
};

}  // namespace

namespace {

std::atomic<ShapeRule> foreign_extents = nullptr;
std::atomic<PartsRule> foreign_parts = nullptr;

}  // namespace

void SetForeignExtents(ShapeRule rule) { foreign_extents.store(rule, std::memory_order_release); }
auto ForeignExtents() -> ShapeRule { return foreign_extents.load(std::memory_order_acquire); }
void SetForeignParts(PartsRule rule) { foreign_parts.store(rule, std::memory_order_release); }
auto ForeignParts() -> PartsRule { return foreign_parts.load(std::memory_order_acquire); }

auto ProductOf(ExtentTable& table, std::span<const ExtentId> extents) -> ExtentId {
  return std::accumulate(extents.begin(), extents.end(), table.Number(1),
                         [&](ExtentId product, ExtentId extent) { return table.Product(product, extent); });
}

auto TiledExtents(const ShapeCall& call) -> Result {
  const Numbers* reps = call.numbers(1);
  return reps == nullptr ? std::nullopt : Repeated(call.table(), call.extents(0), *reps);
}

auto BatchExtents(ExtentTable& table, ExtentId batch, size_t rank) -> Numbers {
  Numbers result = {batch};
  while (result.size() < rank) result.push_back(table.Unknown());
  return result;
}

auto BroadcastExtents(ExtentTable& table, const Numbers& a, const Numbers& b) -> Numbers {
  return Broadcast(table, a, b);
}

auto ReshapedExtents(ExtentTable& table, std::span<const ExtentId> data, std::span<const ExtentId> codes,
                     bool allows_zero) -> ShapeCall::Result {
  Numbers result;
  std::optional<size_t> inferred;
  size_t source = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const int64_t code = table.NumberOf(codes[i]).value_or(1);
    const auto has = [&](size_t count) { return source + count <= data.size(); };
    if (code == 0 && !allows_zero) {
      if (!has(1)) return std::nullopt;
      result.push_back(data[source++]);
    } else if (code == -1) {
      if (inferred) return std::nullopt;
      inferred = result.size();
      result.push_back(table.Number(1));
      ++source;
    } else if (code == -2) {
      while (has(1)) result.push_back(data[source++]);
    } else if (code == -3) {
      if (!has(2)) return std::nullopt;
      result.push_back(table.Product(data[source], data[source + 1]));
      source += 2;
    } else if (code == -4) {
      if (!has(1) || i + 2 >= codes.size()) return std::nullopt;
      ExtentId first = codes[i + 1];
      ExtentId second = codes[i + 2];
      const ExtentId unknown = table.Number(-1);
      if (first == unknown) first = table.Quotient(data[source], second);
      if (second == unknown) second = table.Quotient(data[source], first);
      result.insert(result.end(), {first, second});
      ++source;
      i += 2;
    } else if (code < 0) {
      return std::nullopt;
    } else {
      result.push_back(codes[i]);
      ++source;
    }
  }
  if (inferred) {
    std::vector<ExtentId> others = result;
    others.erase(others.begin() + static_cast<int64_t>(*inferred));
    const Fraction rest = Shortened(table, {data.begin(), data.end()}, others);
    result[*inferred] = table.Quotient(rest.dividend, rest.divisor);
  } else {
    SettleResult(table, data, result);
  }
  return result;
}

auto ExtentRules() -> const OpRules<ShapeRule>& {
  static const OpRules<ShapeRule> rules = [] {
    OpRules<ShapeRule> made;
    for (const OpDef* op : AllOps()) {
      if (op->number == OpDef::kNoNumber) continue;
      if (op->type == IdentityRule || op->type == IdentityCompareRule) made.Add(op, LikeRule<0>);
      if (op->type == BroadcastRule || op->type == BroadcastCompareRule) made.Add(op, AgainstEachOther);
    }
    for (const auto& row : kExtentRules) made.Add(row.op, row.rule);
    return made;
  }();
  return rules;
}

}  // namespace relayopt
