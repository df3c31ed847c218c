// Scans, products over named axes, Fourier transforms and other operators on whole tensors.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct ScanopAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ScanopAttrs";
  Dim axis = {};
  DataType dtype = {};
  // A boxed boolean of one bit; None means false.
  Dim exclusive = Dim(0, 1);
  static constexpr auto Fields() {
    return std::array{
        Field<&ScanopAttrs::axis>("axis", "axis along which to accumulate; None: the flattened data"),
        Field<&ScanopAttrs::dtype>("dtype", "element type of the result; none: that of the data"),
        Field<&ScanopAttrs::exclusive>("exclusive", "whether an element itself is left out of its total"),
    };
  }
};

struct UniqueAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.UniqueAttrs";
  bool sorted = true;
  bool return_counts = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&UniqueAttrs::sorted>("sorted", "ascending, instead of the order of first occurrence"),
        Field<&UniqueAttrs::return_counts>("return_counts", "whether the result has the number of occurrences"),
    };
  }
};

struct TriluAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TriluAttrs";
  bool upper = true;
  static constexpr auto Fields() {
    return std::array{Field<&TriluAttrs::upper>("upper", "keeps the upper triangle, else the lower one")};
  }
};

struct MatrixSetDiagAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MatrixSetDiagAttrs";
  int64_t k1 = 0;
  int64_t k2 = 0;
  bool super_diag_right_align = true;
  bool sub_diag_right_align = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&MatrixSetDiagAttrs::k1>("k1", "lowest diagonal; 0 is the main one, negative ones lie below it"),
        Field<&MatrixSetDiagAttrs::k2>("k2", "highest diagonal"),
        Field<&MatrixSetDiagAttrs::super_diag_right_align>("super_diag_right_align",
                                                           "whether diagonals from the main one up end at the right"),
        Field<&MatrixSetDiagAttrs::sub_diag_right_align>("sub_diag_right_align",
                                                         "whether diagonals below the main one end at the right"),
    };
  }
};

struct MeshgridAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MeshgridAttrs";
  std::string indexing = "ij";
  static constexpr auto Fields() {
    return std::array{Field<&MeshgridAttrs::indexing>("indexing", "ij, or xy: the first two axes change places")};
  }
};

struct EinsumAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EinsumAttrs";
  std::string equation;
  static constexpr auto Fields() {
    return std::array{
        Required<&EinsumAttrs::equation>("equation", "letters for the axes of each operand and, behind ->, the result"),
    };
  }
};

struct FixedPointMultiplyPerAxisAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.FixedPointMultiplyPerAxisAttrs";
  bool is_lshift_required = false;
  bool is_rshift_required = false;
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Field<&FixedPointMultiplyPerAxisAttrs::is_lshift_required>("is_lshift_required", "whether to shift left first"),
        Field<&FixedPointMultiplyPerAxisAttrs::is_rshift_required>("is_rshift_required", "whether to shift right last"),
        Required<&FixedPointMultiplyPerAxisAttrs::axes>("axes", "axes along which multiplier and shifts differ"),
    };
  }
};

struct StftAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.StftAttrs";
  int64_t n_fft = -1;
  int64_t hop_length = -1;
  int64_t win_length = -1;
  bool normalized = false;
  bool onesided = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&StftAttrs::n_fft>("n_fft", "size of a transform"),
        Field<&StftAttrs::hop_length>("hop_length", "distance of neighbouring frames"),
        Field<&StftAttrs::win_length>("win_length", "length of the window"),
        Field<&StftAttrs::normalized>("normalized", "divides by the square root of n_fft"),
        Field<&StftAttrs::onesided>("onesided", "leaves out the half that follows from symmetry"),
    };
  }
};

struct DFTAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DFTAttrs";
  // A boxed boolean of one bit.
  Dim inverse = Dim(0, 1);
  static constexpr auto Fields() {
    return std::array{Field<&DFTAttrs::inverse>("inverse", "whether to transform back")};
  }
};

auto DFTRule(RuleContext& rule) -> RuleStatus;
auto EinsumRule(RuleContext& rule) -> RuleStatus;
auto FixedPointMultiplyPerAxisRule(RuleContext& rule) -> RuleStatus;
auto MatrixSetDiagRule(RuleContext& rule) -> RuleStatus;
auto MeshgridRule(RuleContext& rule) -> RuleStatus;
auto ScanRule(RuleContext& rule) -> RuleStatus;
auto StftRule(RuleContext& rule) -> RuleStatus;
auto TriluRule(RuleContext& rule) -> RuleStatus;
auto UniqueRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kMiscTensorOps[] = {
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
     .layout = FixedPointMultiplyPerAxisLayout,
     .doc = "multiplies integers with factors given as fixed-point numbers, one per position on some axes"},
    {.name = "invert_permutation",
     .inputs = "data",
     .type = IdentityRule,
     .kernel = InvertPermutationKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
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
};

}  // namespace relayopt
