// Type rules and rows of scans, transforms and other operators on whole tensors; einsum has a file of its own.
#include "relayopt/relay/ops/misc_tensor.h"

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction CumprodKernel, CumsumKernel, DFTKernel, EinsumKernel, FixedPointMultiplyPerAxisKernel,
    InvertPermutationKernel, MatrixSetDiagKernel, MeshgridKernel, StftKernel, TriluKernel, UniqueKernel;
TypeRuleFunction EinsumRule;
LayoutRuleFunction FixedPointMultiplyPerAxisLayout;

namespace {

auto Scan(RuleContext& rule, const ScanopAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  const DataType dtype = OutType(attrs.dtype, data.dtype);
  if (!attrs.axis.is_null()) {
    const auto axis = IntegerOf(rule, "axis", attrs.axis);
    if (!axis || !AxisOf(rule, "axis", *axis, data.rank())) return RuleStatus::kFailed;
    return rule.Done(data.shape, dtype);
  }
  if (data.shape.empty()) return rule.ErrorAt(0, "{}: data must have an axis, found a scalar", rule.op().name);
  Dim size = data.shape[0];
  for (const Dim& extent : data.shape.subspan(1)) size = Mul(rule.context(), size, extent);
  return DoneShape(rule, std::array{size}, dtype);
}

auto Unique(RuleContext& rule, const UniqueAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (const auto status = NeedRank(rule, 0, 1)) return *status;
  const TypeId positions = rule.context().Tensor(rule.type(0).shape, DataType::Int(32));
  const TypeId count = rule.context().Tensor({1}, DataType::Int(32));
  std::vector<TypeId> fields = {rule.input(0), positions, positions, count};
  if (attrs.return_counts) fields.push_back(positions);
  return rule.DoneTuple(fields);
}

auto Trilu(RuleContext& rule, const TriluAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 1, 0)) return *status;
  return rule.Done(rule.input(0));
}

auto MatrixSetDiag(RuleContext& rule, const MatrixSetDiagAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (attrs.k2 < attrs.k1) {
    return rule.Error("matrix_set_diag: k2 must not be below k1, found k1 {} and k2 {}", attrs.k1, attrs.k2);
  }
  return rule.Done(rule.input(0));
}

auto Meshgrid(RuleContext& rule, const MeshgridAttrs& attrs) -> RuleStatus {
  if (rule.unknown(0)) return rule.Wait();
  const Type& data = rule.type(0);
  if (!data.is_tuple() || data.args.empty()) {
    return rule.ErrorAt(0, "meshgrid: data must be a tuple of at least one tensor");
  }
  std::vector<Dim> grid;
  DataType dtype;
  for (const TypeId field : data.args) {
    const Type& type = rule.context().type(field);
    if (type.is_incomplete()) return rule.Wait();
    if (!type.is_tensor() || type.rank() > 1) {
      return rule.ErrorAt(0, "meshgrid: each field of data must be a tensor with at most one axis");
    }
    if (!grid.empty() && type.dtype != dtype) {
      return rule.ErrorAt(0, "meshgrid: the fields of data must have one element type, found {} and {}",
                          ToString(dtype), ToString(type.dtype));
    }
    dtype = type.dtype;
    grid.push_back(type.shape.empty() ? Dim(1) : type.shape[0]);
  }
  if (attrs.indexing == "xy" && grid.size() >= 2) std::swap(grid[0], grid[1]);
  if (const auto status = CheckExtents(rule, grid)) return *status;
  return rule.DoneTuple(std::vector<TypeId>(grid.size(), rule.context().Tensor(grid, dtype)));
}

auto FixedPointMultiplyPerAxis(RuleContext& rule, const FixedPointMultiplyPerAxisAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 4)) return *status;
  return rule.Done(rule.input(0));
}

auto Stft(RuleContext& rule, const StftAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  if (data.rank() != 1 && data.rank() != 2) {
    return rule.ErrorAt(0, "stft: data must have 1 or 2 axes, found shape {}", ToString(data.shape));
  }
  if (attrs.n_fft <= 0 || attrs.hop_length <= 0) {
    return rule.Error("stft: n_fft and hop_length must be positive, found {} and {}", attrs.n_fft, attrs.hop_length);
  }
  Context& context = rule.context();
  std::vector<Dim> shape;
  if (data.rank() == 2) shape.push_back(data.shape[0]);
  shape.emplace_back(attrs.onesided ? attrs.n_fft / 2 + 1 : attrs.n_fft);
  const Dim& length = data.shape.back();
  const Dim hops = length.is_any() ? length : FloorDiv(context, Sub(context, length, attrs.n_fft), attrs.hop_length);
  shape.push_back(hops.is_any() ? hops : Add(context, hops, 1));
  shape.emplace_back(2);
  return DoneShape(rule, shape, data.dtype);
}

auto DFT(RuleContext& rule, const DFTAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  return rule.DoneTuple(std::array{rule.input(0), rule.input(1)});
}

auto DFTRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, DFT); }
auto FixedPointMultiplyPerAxisRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs(rule, FixedPointMultiplyPerAxis);
}
auto MatrixSetDiagRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, MatrixSetDiag); }
auto MeshgridRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Meshgrid); }
auto ScanRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Scan); }
auto StftRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Stft); }
auto TriluRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Trilu); }
auto UniqueRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Unique); }

}  // namespace

constinit const OpRows<OpFamily::kMiscTensor> kMiscTensorOps = NumberedRows<OpFamily::kMiscTensor>({
    {.name = "cumprod",
     .inputs = "data",
     .attrs = &kSchema<ScanopAttrs>,
     .type = ScanRule,
     .kernel = CumprodKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .doc = "products of all elements so far along an axis"},
    {.name = "cumsum",
     .inputs = "data",
     .attrs = &kSchema<ScanopAttrs>,
     .type = ScanRule,
     .kernel = CumsumKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .doc = "sums of all elements so far along an axis"},
    {.name = "dft",
     .inputs = "re_data, im_data",
     .attrs = &kSchema<DFTAttrs>,
     .type = DFTRule,
     .kernel = DFTKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .element_types = "f",
     .doc = "discrete Fourier transform along the last axis"},
    {.name = "einsum",
     .inputs = "data",
     .attrs = &kSchema<EinsumAttrs>,
     .type = EinsumRule,
     .kernel = EinsumKernel,
     .fusion = Fusion::kInjective,
     .doc = "products summed over named axes"},
    {.name = "fixed_point_multiply_per_axis",
     .inputs = "data, fp_multiplier, left_shift, right_shift",
     .attrs = &kSchema<FixedPointMultiplyPerAxisAttrs>,
     .type = FixedPointMultiplyPerAxisRule,
     .kernel = FixedPointMultiplyPerAxisKernel,
     .fusion = Fusion::kBroadcast,
     .element_types = "i***",
     .layout = FixedPointMultiplyPerAxisLayout,
     .doc = "multiplies integers with factors given as fixed-point numbers, one per position on some axes"},
    {.name = "invert_permutation",
     .inputs = "data",
     .type = IdentityRule,
     .kernel = InvertPermutationKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .element_types = "x",
     .doc = "the inverse of a permutation"},
    {.name = "matrix_set_diag",
     .inputs = "input, diagonal",
     .attrs = &kSchema<MatrixSetDiagAttrs>,
     .type = MatrixSetDiagRule,
     .kernel = MatrixSetDiagKernel,
     .fusion = Fusion::kInjective,
     .doc = "replaces diagonals of matrices"},
    {.name = "meshgrid",
     .inputs = "data",
     .attrs = &kSchema<MeshgridAttrs>,
     .type = MeshgridRule,
     .kernel = MeshgridKernel,
     .fusion = Fusion::kInjective,
     .doc = "coordinate grids from the coordinates along each axis"},
    {.name = "stft",
     .inputs = "data, window",
     .attrs = &kSchema<StftAttrs>,
     .type = StftRule,
     .kernel = StftKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "d",
     .element_types = "f",
     .doc = "Fourier transforms of overlapping windows"},
    {.name = "trilu",
     .inputs = "data, k",
     .attrs = &kSchema<TriluAttrs>,
     .type = TriluRule,
     .kernel = TriluKernel,
     .fusion = Fusion::kElemWise,
     .attrs_undeclared = true,
     .doc = "sets what lies on one side of a diagonal to zero"},
    {.name = "unique",
     .inputs = "data",
     .attrs = &kSchema<UniqueAttrs>,
     .type = UniqueRule,
     .kernel = UniqueKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .doc = "the distinct elements, where they occur first, which of them each element is, and how many there are"},
});

}  // namespace relayopt
