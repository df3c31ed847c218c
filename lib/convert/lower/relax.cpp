// Lowering to operators on tensors: of what Relax alone lacks, and of what both systems do.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/vision.h"
#include "relayopt/support/map_to_vector.h"
#include "rules.h"

namespace relayopt {

namespace {

// More numbers than this are not worth a constant.
constexpr int64_t kMostNumbers = 1 << 20;

// where(column - row >= k, x, 0), or <= for the lower triangle; a constant k is Relax's own.
auto LowerTrilu(LowerCall& call, const TriluAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() < 2 || call.constant(1) != nullptr) return {};
  const Dim rows = type->shape[type->rank() - 2];
  const Dim columns = type->shape[type->rank() - 1];
  if (!rows.is_int() || !columns.is_int() || rows.value() * columns.value() > kMostNumbers) return {};
  std::vector<int64_t> distances;
  for (int64_t i = 0; i < rows.value(); ++i) {
    for (int64_t j = 0; j < columns.value(); ++j) distances.push_back(j - i);
  }
  const ExprId k = call.Reshape(call.Cast(call.args[1], kInt64), std::vector<int64_t>{});
  const ExprId distance = call.Indices(distances, {rows.value(), columns.value()});
  const ExprId is_kept = call.Call(attrs.upper ? "greater_equal"_op : "less_equal"_op, {distance, k});
  return call.Where(is_kept, call.args[0], call.Real(0, type->dtype));
}

// Equal elements are adjacent when they are sorted; the first of each run gives it its number.
//
//   x = [7 2 7 2]   order = [1 3 0 2]   sorted = [2 2 7 7]   run = [0 0 1 1]
//   values[run] = sorted, first[run] = min order, inverse[order] = run, counts[run] += 1
//
// In the order of first occurrence runs are numbered by sorting `first`.
//
// The order is made stable by sorting positions of equal elements apart: argsort is.
auto LowerUnique(LowerCall& call, const UniqueAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() != 1 || !type->shape[0].is_int()) return {};
  // NaN is not ordered.
  const int64_t n = type->shape[0].value();
  if (n == 0 || n > INT32_MAX || type->dtype.is_bool()) return {};
  const ExprId data = call.args[0];
  const auto filled = [&](int64_t value, DataType dtype) {
    return call.CallWith("full"_op, InitOpAttrs{.shape = {n}, .dtype = dtype}, {EmitScalar(call.to(), dtype, value)});
  };
  const auto scatter = [&](ExprId into, ExprId places, ExprId values, const char* reduction) {
    return call.CallWith("scatter_elements"_op, ScatterElementsAttrs{.axis = 0, .reduction = reduction},
                         {into, places, values});
  };
  const ExprId order = call.CallWith("argsort"_op, ArgsortAttrs{.axis = 0, .dtype = kInt64}, {data});
  const ExprId sorted = call.Take(data, order);
  const ExprId zero = call.Indices(std::vector<int64_t>{0});
  ExprId run = zero;
  if (n > 1) {
    const ExprId differs = call.Call("not_equal"_op, {call.Slice(sorted, 0, 1, n), call.Slice(sorted, 0, 0, n - 1)});
    const ExprId parts[] = {zero, call.Cast(differs, kInt64)};
    run = call.CallWith("cumsum"_op, ScanopAttrs{.axis = 0, .dtype = kInt64}, {call.Concatenate(parts, 0)});
  }
  const ExprId count = call.Add(call.Slice(run, 0, n - 1, n), call.Int(1, kInt64));
  ExprId values = scatter(filled(0, type->dtype), run, sorted, "update");
  ExprId first = scatter(filled(n, kInt64), run, order, "min");
  ExprId inverse = scatter(filled(0, kInt64), order, run, "update");
  ExprId counts = scatter(filled(0, kInt64), run, filled(1, kInt64), "add");
  if (!attrs.sorted) {
    const ExprId by_first = call.CallWith("argsort"_op, ArgsortAttrs{.axis = 0, .dtype = kInt64}, {first});
    values = call.Take(values, by_first);
    first = call.Take(first, by_first);
    counts = call.Take(counts, by_first);
    std::vector<int64_t> places(static_cast<size_t>(n));
    std::iota(places.begin(), places.end(), int64_t{0});
    inverse = call.Take(scatter(filled(0, kInt64), by_first, call.Indices(places), "update"), inverse);
  }
  std::vector<ExprId> fields = {values, call.Cast(first, kInt32), call.Cast(inverse, kInt32), call.Cast(count, kInt32)};
  if (attrs.return_counts) fields.push_back(call.Cast(counts, kInt32));
  return EmitTuple(call.to(), fields);
}

// Returns a tensor full of the default, with values at their positions.
auto LowerSparseToDense(LowerCall& call) -> ExprId {
  const Type* indices = call.input(0);
  const Type* result = call.result();
  if (indices == nullptr || result == nullptr || indices->rank() > 2) return {};
  const auto shape = KnownExtents(indices->shape);
  const auto into = KnownExtents(result->shape);
  if (!shape || !into) return {};
  const int64_t count = shape->empty() ? 1 : (*shape)[0];
  const int64_t rank = shape->size() == 2 ? (*shape)[1] : 1;
  const ExprId value =
      call.args.size() > 2 ? call.Reshape(call.args[2], std::vector<int64_t>{}) : call.Real(0, result->dtype);
  const DimList extents(std::vector<Dim>(into->begin(), into->end()));
  const ExprId full = call.CallWith("full"_op, InitOpAttrs{.shape = extents, .dtype = result->dtype}, {value});
  const ExprId rows = call.Reshape(call.args[0], std::vector<int64_t>{count, rank});
  const ExprId places = call.Transpose(rows, std::vector<int64_t>{1, 0});
  const ExprId values = call.CallWith("broadcast_to"_op, InitOpAttrs{.shape = {count}}, {call.args[1]});
  return call.CallWith("scatter_nd"_op, ScatterNDAttrs{.mode = "update"}, {full, places, values});
}

// Each coordinate is a quotient and a remainder; the first one is a remainder, too.
auto LowerUnravelIndex(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  const Constant* extents = call.constant(1);
  if (type == nullptr || result == nullptr || extents == nullptr || type->rank() > 1) return {};
  const std::vector<int64_t> shape = Integers(Tensor(*extents));
  if (shape.empty()) return {};
  std::vector<ExprId> rows;
  int64_t stride = Product(shape);
  for (const int64_t extent : shape) {
    if (extent <= 0) return {};
    stride /= extent;
    const ExprId quotient = call.Call("floor_divide"_op, {call.args[0], EmitScalar(call.to(), type->dtype, stride)});
    const ExprId place = call.Call("floor_mod"_op, {quotient, EmitScalar(call.to(), type->dtype, extent)});
    rows.push_back(call.CallWith("expand_dims"_op, ExpandDimsAttrs{.axis = 0, .num_newaxis = 1}, {place}));
  }
  const ExprId joined = rows.size() == 1 ? rows[0] : call.Concatenate(rows, 0);
  return call.Reshape(joined, result->shape);
}

// Which elements of the first argument become which of the second is found by moving numbers: the first argument is -1
// everywhere, the second counts.
auto LowerToMerge(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const Type* values = call.input(1);
  if (type == nullptr || values == nullptr) return {};
  const auto shape = KnownExtents(type->shape);
  const auto source = KnownExtents(values->shape);
  if (!shape || !source || Product(*shape) > kMostNumbers || Product(*source) > kMostNumbers) return {};
  const int64_t size = Product(*shape);
  std::vector<Tensor> tensors;
  tensors.emplace_back(kInt64, *shape);
  std::fill_n(tensors[0].mutable_data<int64_t>(), size, int64_t{-1});
  tensors.emplace_back(kInt64, *source);
  std::iota(tensors[1].mutable_data<int64_t>(), tensors[1].mutable_data<int64_t>() + Product(*source), int64_t{0});
  for (size_t i = 2; i < call.args.size(); ++i) {
    const Constant* constant = call.constant(i);
    if (constant == nullptr) return {};
    tensors.emplace_back(*constant);
  }
  const auto inputs =
      MapToVector<KernelInput>(tensors, [&](const Tensor& tensor) { return KernelInput{std::span(&tensor, 1)}; });
  const auto moved = RunKernel(call.context(), call.instance(), inputs, {});
  if (!moved || moved->is_tuple || moved->tensors.size() != 1 || moved->tensors[0].dtype() != kInt64) return {};
  const auto counted = moved->tensors[0].elements<int64_t>();
  std::vector<int64_t> places(counted.begin(), counted.end());
  const bool has_any = std::any_of(places.begin(), places.end(), [](int64_t place) { return place >= 0; });
  if (!has_any) return call.args[0];
  std::vector<int64_t> is_set;
  for (int64_t& place : places) {
    is_set.push_back(place < 0 ? 0 : 1);
    place = std::max<int64_t>(place, 0);
  }
  const ExprId flat = call.Reshape(call.args[1], std::vector<int64_t>{Product(*source)});
  const ExprId taken = call.Reshape(call.Take(flat, places, 0), *shape);
  return call.Where(call.Cast(call.Indices(is_set, *shape), kBool), taken, call.args[0]);
}

// Joins the batch axes with the axis that is taken from: each batch has its own part of the joined axis.
auto LowerBatchedTake(LowerCall& call, const TakeAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* indices = call.input(1);
  const Type* result = call.result();
  if (type == nullptr || indices == nullptr || result == nullptr) return {};
  if (!attrs.batch_dims.is_int() || !attrs.axis.is_int()) return {};
  const auto shape = KnownExtents(type->shape);
  const auto where = KnownExtents(indices->shape);
  if (!shape || !where) return {};
  const int64_t given = attrs.batch_dims.value();
  const auto batches = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(where->size()) : given);
  const auto axis = static_cast<size_t>(NormalizedAxis(attrs.axis.value(), shape->size()));
  if (batches == 0 || batches > axis || axis >= shape->size() || batches > where->size()) return {};
  const auto product = [](const std::vector<int64_t>& extents, size_t begin, size_t end) {
    return Product(std::span(extents).subspan(begin, end - begin));
  };
  const int64_t batch = product(*shape, 0, batches);
  const int64_t middle = product(*shape, batches, axis);
  const int64_t extent = (*shape)[axis];
  const int64_t rest = product(*shape, axis + 1, shape->size());
  const int64_t taken = product(*where, batches, where->size());
  if (extent == 0 || batch > kMostNumbers) return {};
  const ExprId front = call.Transpose(call.Reshape(call.args[0], std::vector<int64_t>{batch, middle, extent, rest}),
                                      std::vector<int64_t>{0, 2, 1, 3});
  const ExprId rows = call.Reshape(front, std::vector<int64_t>{batch * extent, middle, rest});
  ExprId places = call.Reshape(call.Cast(call.args[1], kInt64), std::vector<int64_t>{batch, taken});
  const auto number = [&](int64_t value) { return call.Int(value, kInt64); };
  if (attrs.mode == "wrap") {
    places = call.Call("floor_mod"_op, {places, number(extent)});
  } else {
    places = call.Call("minimum"_op, {call.Call("maximum"_op, {places, number(0)}), number(extent - 1)});
  }
  std::vector<int64_t> begins;
  begins.reserve(static_cast<size_t>(batch));
  for (int64_t i = 0; i < batch; ++i) begins.push_back(i * extent);
  places = call.Call("add"_op, {places, call.Indices(begins, {batch, 1})});
  const ExprId found = call.Take(rows, places);
  return call.Reshape(call.Transpose(found, std::vector<int64_t>{0, 2, 1, 3}), result->shape);
}

// Elements outside the data are never read by "clip", and Relay leaves undefined what "fast" does there.
auto LowerTakeForRelax(LowerCall& call, const TakeAttrs& attrs) -> ExprId {
  if (!attrs.batch_dims.is(0)) return LowerBatchedTake(call, attrs);
  if (attrs.mode != "fast") return {};
  TakeAttrs written = attrs;
  written.mode = "clip";
  return call.With(written);
}

// Padding after each element, the last one's cut off.
auto LowerDilate(LowerCall& call, const DilateAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || attrs.strides.size() != type->rank()) return {};
  const auto shape = KnownExtents(type->shape);
  if (!shape || Product(*shape) == 0) return {};
  std::vector<int64_t> split;
  std::vector<int64_t> joined;
  PadAttrs pad;
  for (size_t i = 0; i < shape->size(); ++i) {
    if (!attrs.strides[i].is_int() || attrs.strides[i].value() < 1) return {};
    const int64_t stride = attrs.strides[i].value();
    split.insert(split.end(), {(*shape)[i], 1});
    joined.push_back((*shape)[i] * stride);
    pad.pad_width.values.push_back({0, 0});
    pad.pad_width.values.push_back({0, stride - 1});
  }
  const ExprId value = call.Real(attrs.dilation_value, type->dtype);
  ExprId data = call.Reshape(call.CallWith("nn.pad"_op, pad, {call.Reshape(call.args[0], split), value}), joined);
  for (size_t i = 0; i < joined.size(); ++i) {
    const int64_t stride = attrs.strides[i].value();
    if (stride > 1) data = call.Slice(data, static_cast<int64_t>(i), 0, joined[i] - stride + 1);
  }
  return data;
}

// cos or sin of 2 pi k n / period as a matrix of n and k.
auto Waves(LowerCall& call, int64_t rows, int64_t columns, int64_t period, bool is_sine, double factor, DataType dtype)
    -> ExprId {
  std::vector<double> matrix;
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t k = 0; k < columns; ++k) {
      // Whole periods are subtracted while the product is exact.
      const double turn = static_cast<double>(n * k % period) / static_cast<double>(period);
      const double angle = 2 * std::numbers::pi * turn;
      matrix.push_back(factor * (is_sine ? std::sin(angle) : std::cos(angle)));
    }
  }
  return call.Cast(call.Numbers(matrix, {rows, columns}), dtype);
}

// Returns the last axis times the matrices of cosines and sines.
auto LowerDft(LowerCall& call, const DFTAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || type->rank() == 0 || !type->dtype.is_float()) return {};
  const auto shape = KnownExtents(type->shape);
  if (!shape || Product(*shape) == 0) return {};
  const int64_t n = shape->back();
  if (n * n > kMostNumbers) return {};
  const bool is_inverse = attrs.inverse.is_int() && attrs.inverse.value() != 0;
  const double factor = is_inverse ? 1.0 / static_cast<double>(n) : 1.0;
  const ExprId cosines = Waves(call, n, n, n, false, factor, type->dtype);
  const ExprId sines = Waves(call, n, n, n, true, is_inverse ? factor : -factor, type->dtype);
  const std::vector<int64_t> rows = {Product(*shape) / n, n};
  const ExprId re = call.Reshape(call.args[0], rows);
  const ExprId im = call.Reshape(call.args[1], rows);
  const auto product = [&](ExprId a, ExprId b) { return call.CallWith("nn.matmul"_op, MatmulAttrs(), {a, b}); };
  const ExprId fields[] = {call.Reshape(call.Subtract(product(re, cosines), product(im, sines)), *shape),
                           call.Reshape(call.Add(product(re, sines), product(im, cosines)), *shape)};
  return EmitTuple(call.to(), fields);
}

// Frames of the signal times the window, times the matrices of cosines and sines.
auto LowerStft(LowerCall& call, const StftAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* window = call.input(1);
  const Type* result = call.result();
  if (type == nullptr || window == nullptr || result == nullptr || result->rank() < 3) return {};
  const auto shape = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  if (!shape || shape->empty() || !into || !type->dtype.is_float() || window->rank() != 1) return {};
  const int64_t frames = (*into)[into->size() - 2];
  const int64_t frequencies = (*into)[into->size() - 3];
  const int64_t size = attrs.win_length;
  const int64_t length = shape->back();
  if (size < 1 || attrs.hop_length < 1 || frames < 1 || !window->shape[0].is_int()) return {};
  if (window->shape[0].value() < size || (frames - 1) * attrs.hop_length + size > length) return {};
  if (frames * size > kMostNumbers || size * frequencies > kMostNumbers) return {};
  std::vector<int64_t> places;
  for (int64_t frame = 0; frame < frames; ++frame) {
    for (int64_t i = 0; i < size; ++i) places.push_back(frame * attrs.hop_length + i);
  }
  const int64_t batch = Product(*shape) / length;
  const ExprId rows = call.Reshape(call.args[0], std::vector<int64_t>{batch, length});
  const ExprId framed = call.Reshape(call.Take(rows, places, 1), std::vector<int64_t>{batch * frames, size});
  const ExprId weights = call.Cast(call.Slice(call.args[1], 0, 0, size), type->dtype);
  const ExprId weighted = call.Multiply(framed, weights);
  const double factor = attrs.normalized ? 1 / std::sqrt(static_cast<double>(attrs.n_fft)) : 1;
  std::vector<ExprId> parts;
  for (const bool is_sine : {false, true}) {
    const ExprId waves = Waves(call, size, frequencies, size, is_sine, is_sine ? -factor : factor, type->dtype);
    const ExprId product = call.CallWith("nn.matmul"_op, MatmulAttrs(), {weighted, waves});
    const ExprId split = call.Reshape(product, std::vector<int64_t>{batch, frames, frequencies, 1});
    parts.push_back(call.Transpose(split, std::vector<int64_t>{0, 2, 1, 3}));
  }
  return call.Reshape(call.Concatenate(parts, 3), *into);
}

// A computed limit of boxes has no effect in TVM 0.27, and one that is known makes the result shorter than its type
// says. Without one the boxes of a class are adjacent, best first: of those the first ones are moved to the front.
//
//   class = [0 0 0 1 1 -]   limit = 2   begin = [0 3]   rank = [0 1 2 0 1 -]   kept = [1 1 0 1 1 0]
auto LowerLimitOfBoxes(LowerCall& call, const AllClassNonMaximumSuppressionAttrs& attrs) -> ExprId {
  const Type* scores = call.input(1);
  const Type* limit = call.input(2);
  if (scores == nullptr || limit == nullptr || attrs.output_format != "onnx") return {};
  const auto shape = KnownExtents(scores->shape);
  if (!shape || shape->size() != 3 || Product(*shape) == 0 || Product(*shape) > kMostNumbers) return {};
  const bool takes_all = call.constant(2) != nullptr && call.constant(2)->ScalarAsInt().value_or(0) >= (*shape)[2];
  if (takes_all) return {};
  const int64_t rows = Product(*shape);
  const int64_t classes = (*shape)[0] * (*shape)[1];
  const auto number = [&](int64_t value) { return call.Int(value, kInt64); };
  const ExprId operands[] = {call.args[0], call.args[1], number((*shape)[2]), call.args[3], call.args[4]};
  const ExprId found = call.On(operands);
  const ExprId boxes = EmitTupleGetItem(call.to(), found, 0);
  const auto column = [&](int64_t i) { return call.Reshape(call.Slice(boxes, 1, i, i + 1), std::vector{rows}); };
  const ExprId id = call.Add(call.Multiply(column(0), number((*shape)[1])), column(1));
  std::vector<int64_t> counted(static_cast<size_t>(rows));
  std::iota(counted.begin(), counted.end(), int64_t{0});
  const ExprId place = call.Indices(counted);
  const ExprId is_found = call.Call("less"_op, {place, EmitTupleGetItem(call.to(), found, 1)});
  const ExprId sizes = call.CallWith(
      "scatter_elements"_op, ScatterElementsAttrs{.axis = 0, .reduction = "add"},
      {call.Indices(std::vector<int64_t>(static_cast<size_t>(classes), 0)), id, call.Cast(is_found, kInt64)});
  const ExprId begin =
      call.CallWith("cumsum"_op, ScanopAttrs{.axis = 0, .dtype = kInt64, .exclusive = Dim(1, 1)}, {sizes});
  const ExprId rank = call.Subtract(place, call.Take(begin, id));
  const ExprId most = call.Cast(call.Reshape(call.args[2], std::vector<int64_t>{}), kInt64);
  const ExprId kept = call.Call("logical_and"_op, {is_found, call.Call("less"_op, {rank, most})});
  const ExprId count = call.CallWith("sum"_op, ReduceAttrs{.axis = {0}, .keepdims = true}, {call.Cast(kept, kInt64)});
  const ExprId last = call.Add(place, number(rows));
  const ExprId order =
      call.CallWith("argsort"_op, ArgsortAttrs{.axis = 0, .dtype = kInt64}, {call.Where(kept, place, last)});
  const ExprId moved = call.Take(boxes, order);
  const ExprId is_row = call.Reshape(call.Call("less"_op, {place, count}), std::vector<int64_t>{rows, 1});
  const ExprId fields[] = {call.Where(is_row, moved, number(0)), count};
  return EmitTuple(call.to(), fields);
}

constexpr OpRule<LowerRule> kRelaxRules[] = {
    // Comparisons of truth values, which TVM 0.27 does not compile: false is less than true.
    {"equal"_op, {{.bools = "logical_not(logical_xor(x, y))"_formula}}},
    {"greater"_op, {{.bools = "logical_and(x, logical_not(y))"_formula}}},
    {"greater_equal"_op, {{.bools = "logical_or(x, logical_not(y))"_formula}}},
    {"less"_op, {{.bools = "logical_and(logical_not(x), y)"_formula}}},
    {"less_equal"_op, {{.bools = "logical_or(logical_not(x), y)"_formula}}},
    {"not_equal"_op, {{.bools = "logical_xor(x, y)"_formula}}},
    // Whether truth values are finite, which it does not compile either.
    {"isfinite"_op, {{.bools = "logical_not(logical_xor(x, x))"_formula}}},
    {"isinf"_op, {{.bools = "logical_xor(x, x)"_formula}}},
    {"isnan"_op, {{.bools = "logical_xor(x, x)"_formula}}},
    // What it makes of unsigned numbers has -1 in it, and it takes 0 - x for 0.
    {"negative"_op, {{.unsigneds = "bitwise_not(x) + 1"_formula}}},
    {"sign"_op, {{.unsigneds = "minimum(x, 1)"_formula}}},
    {"dft"_op, WithAttrs<LowerDft>},
    {"nn.deformable_conv2d"_op, WithAttrs<LowerDeformableToWindows>},
    {"nn.dilate"_op, WithAttrs<LowerDilate>},
    {"take"_op, WithAttrs<LowerTakeForRelax>},
    {"trilu"_op, WithAttrs<LowerTrilu>},
    {"unique"_op, WithAttrs<LowerUnique>},
    {"unravel_index"_op, LowerUnravelIndex},
    {"vision.all_class_non_max_suppression"_op, WithAttrs<LowerLimitOfBoxes>},
};

constexpr OpRule<LowerRule> kTensorRules[] = {
    {"matrix_set_diag"_op, LowerToMerge}, {"sparse_to_dense"_op, LowerSparseToDense}, {"stft"_op, WithAttrs<LowerStft>},
    {"strided_set"_op, LowerToMerge},     {"take"_op, WithAttrs<LowerBatchedTake>},
};

}  // namespace

auto LowerRelaxRules() -> std::span<const OpRule<LowerRule>> { return kRelaxRules; }

auto LowerTensorRules() -> std::span<const OpRule<LowerRule>> { return kTensorRules; }

}  // namespace relayopt
