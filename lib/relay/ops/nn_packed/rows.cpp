// Type rules and rows of sparse and bit-serial operators.
#include "relayopt/relay/ops/nn_packed.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction BitPackKernel, BitserialConv2DKernel, BitserialDenseKernel, SparseAddKernel, SparseConv2DKernel,
    SparseDenseKernel, SparseTransposeKernel;

namespace {

// Returns the number of rows of the sparse matrix whose data, indices and row starts are the inputs from `first` on.
// Returns nothing after a diagnostic.
auto SparseRows(RuleContext& rule, size_t first) -> std::optional<Dim> {
  Context& context = rule.context();
  const Type& data = rule.type(first);
  const Type& starts = rule.type(first + 2);
  if (data.rank() != 1 && data.rank() != 3) {
    rule.ErrorAt(first, "{}: {} must have 1 or 3 dimensions, it has shape {}", rule.op().name,
                 InputName(rule.op(), first), ToString(data.shape));
    return std::nullopt;
  }
  if (NeedRank(rule, first + 2, 1)) return std::nullopt;
  const Dim blocks = Sub(context, starts.shape[0], 1);
  return data.rank() == 1 ? blocks : Mul(context, blocks, data.shape[1]);
}

auto SparseDense(RuleContext& rule, const SparseDenseAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 4)) return *status;
  const auto rows = SparseRows(rule, 1);
  if (!rows) return RuleStatus::kFailed;
  if (const auto status = NeedRank(rule, 0, 2)) return *status;
  const Type& dense = rule.type(0);
  const Dim& other = dense.shape[0];
  return DoneShape(rule, attrs.sparse_lhs ? std::array{*rows, other} : std::array{other, *rows}, dense.dtype);
}

auto SparseConv2D(RuleContext& rule, const SparseConv2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 4)) return *status;
  if (const auto status = NeedRank(rule, 0, 4)) return *status;
  if (const auto status = NeedRank(rule, 3, 1)) return *status;
  const Type& dense = rule.type(0);
  const Type& sparse = rule.type(1);
  if (sparse.rank() != 2 && sparse.rank() != 3) {
    return rule.ErrorAt(1, "{}: sparse_data must have 2 or 3 dimensions, it has shape {}", rule.op().name,
                        ToString(sparse.shape));
  }
  Context& context = rule.context();
  const Shape x = dense.shape;
  const Dim rows = Mul(context, Sub(context, rule.type(3).shape[0], 1), sparse.shape[1]);
  if (attrs.layout == "NHWC") return DoneShape(rule, std::array{x[0], x[1], x[2], rows}, dense.dtype);
  if (attrs.layout == "NCHW") return DoneShape(rule, std::array{x[0], rows, x[2], x[3]}, dense.dtype);
  return rule.Error("{}: layout {} is not supported, it must be NHWC or NCHW", rule.op().name, attrs.layout);
}

auto BitPack(RuleContext& rule, const BitPackAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  Context& context = rule.context();
  const Shape data = rule.type(0).shape;
  const auto rank = static_cast<int64_t>(data.size());
  std::vector<Dim> shape;
  for (int64_t i = 0; i < rank; ++i) {
    const Dim& extent = data[static_cast<size_t>(i)];
    if (i == attrs.bit_axis) shape.emplace_back(attrs.bits);
    shape.push_back(i == attrs.pack_axis ? FloorDiv(context, extent, attrs.pack_type.bits) : extent);
  }
  if (attrs.bit_axis == rank) shape.emplace_back(attrs.bits);
  return DoneShape(rule, shape, attrs.pack_type);
}

auto BitserialConv2D(RuleContext& rule, const BinaryConv2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  Context& context = rule.context();
  const auto data = ConvertShape(rule, "data", attrs.data_layout, "NCHW", rule.type(0).shape);
  if (!data || !NeedLength(rule, "kernel_size", attrs.kernel_size, 2) ||
      !NeedSteps(rule, "strides", attrs.strides, 2)) {
    return RuleStatus::kFailed;
  }
  if (attrs.channels.is_null()) return rule.Error("{}: channels is missing", rule.op().name);
  const auto padding = PaddingSums(rule, attrs.padding, 2);
  if (!padding) return RuleStatus::kFailed;
  std::vector<Dim> shape = {(*data)[0], attrs.channels};
  for (size_t i = 0; i < 2; ++i) {
    const Dim room = Sub(context, Add(context, (*data)[2 + i], (*padding)[i]), attrs.kernel_size[i]);
    shape.push_back(Add(context, TruncDiv(context, room, attrs.strides[i]), 1));
  }
  if (const auto status = CheckExtents(rule, shape)) return *status;
  const auto out = ConvertShape(rule, "the result", "NCHW", attrs.data_layout, shape);
  if (!out) return RuleStatus::kFailed;
  return DoneShape(rule, *out, attrs.out_dtype);
}

auto BitserialDense(RuleContext& rule, const BinaryDenseAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (attrs.units.is_null()) return rule.Error("{}: units is missing", rule.op().name);
  const Type& data = rule.type(0);
  if (data.shape.empty()) return rule.ErrorAt(0, "{}: data must not be a scalar", rule.op().name);
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  shape.back() = attrs.units;
  return DoneShape(rule, shape, OutType(attrs.out_dtype, data.dtype));
}

// Operators on a sparse matrix given as data, indices and row starts (CSR), or blocks of data (BSR).
auto SparseDenseRule(RuleContext& rule) -> RuleStatus { return WithAttrs<SparseDenseAttrs>(rule, SparseDense); }

auto SparseTransposeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  for (size_t i = 0; i < 3; ++i) {
    if (const auto status = NeedRank(rule, i, 1)) return *status;
  }
  const std::array fields = {rule.input(0), rule.input(1), rule.input(2)};
  return rule.DoneTuple(fields);
}

auto SparseAddRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 4)) return *status;
  const Type& dense = rule.type(0);
  const Type& sparse = rule.type(1);
  if (dense.dtype != sparse.dtype) {
    return rule.ErrorAt(1, "{}: sparse_data is {} but dense_data is {}", rule.op().name, ToString(sparse.dtype),
                        ToString(dense.dtype));
  }
  for (size_t i = 1; i < 3; ++i) {
    if (const auto status = NeedRank(rule, i, 1)) return *status;
  }
  return rule.Done(rule.input(0));
}

auto SparseConv2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<SparseConv2DAttrs>(rule, SparseConv2D); }

// Operators on elements of few bits, packed into words.
auto BitPackRule(RuleContext& rule) -> RuleStatus { return WithAttrs<BitPackAttrs>(rule, BitPack); }

auto BitserialConv2DRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<BinaryConv2DAttrs>(rule, BitserialConv2D);
}

auto BitserialDenseRule(RuleContext& rule) -> RuleStatus { return WithAttrs<BinaryDenseAttrs>(rule, BitserialDense); }

}  // namespace

constinit const OpRows<OpFamily::kNnPacked> kNnPackedOps = NumberedRows<OpFamily::kNnPacked>({
    {.name = "nn.bitpack",
     .inputs = "data",
     .attrs = &kSchema<BitPackAttrs>,
     .type = BitPackRule,
     .kernel = BitPackKernel,
     .fusion = Fusion::kInjective,
     .doc = "bit planes of the elements, packed into words along an axis"},
    {.name = "nn.bitserial_conv2d",
     .inputs = "data, weight",
     .attrs = &kSchema<BinaryConv2DAttrs>,
     .type = BitserialConv2DRule,
     .kernel = BitserialConv2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = ConvolutionLayout,
     .doc = "conv2d on bit planes"},
    {.name = "nn.bitserial_dense",
     .inputs = "data, weight",
     .attrs = &kSchema<BinaryDenseAttrs>,
     .type = BitserialDenseRule,
     .kernel = BitserialDenseKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "dense on bit planes"},
    {.name = "nn.internal.sparse_dense_padded",
     .inputs = "data, weight_data, weight_indices, weight_indptr",
     .attrs = &kSchema<SparseDenseAttrs>,
     .type = SparseDenseRule,
     .kernel = SparseDenseKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "sparse_dense with rows padded for a device"},
    {.name = "nn.sparse_add",
     .inputs = "dense_data, sparse_data, sparse_indices, sparse_indptr",
     .type = SparseAddRule,
     .kernel = SparseAddKernel,
     .fusion = Fusion::kOpaque,
     .doc = "sum of a dense and a sparse matrix"},
    {.name = "nn.sparse_conv2d",
     .inputs = "dense_data, sparse_data, sparse_indices, sparse_indptr",
     .attrs = &kSchema<SparseConv2DAttrs>,
     .type = SparseConv2DRule,
     .kernel = SparseConv2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "1x1 conv2d with a sparse weight"},
    {.name = "nn.sparse_dense",
     .inputs = "dense_data, sparse_data, sparse_indices, sparse_indptr",
     .attrs = &kSchema<SparseDenseAttrs>,
     .type = SparseDenseRule,
     .kernel = SparseDenseKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "product of a dense and a transposed sparse matrix"},
    {.name = "nn.sparse_transpose",
     .inputs = "sparse_data, sparse_indices, sparse_indptr",
     .attrs = &kSchema<SparseTransposeAttrs>,
     .type = SparseTransposeRule,
     .kernel = SparseTransposeKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "transposes a square sparse matrix"},
});

}  // namespace relayopt
