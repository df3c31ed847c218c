// Scans, products over named axes, Fourier transforms and other operators on whole tensors.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `cumprod` and `cumsum`.
struct ScanopAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ScanopAttrs";
  Dim axis = {};
  DataType dtype = {};
  // A boolean as a one-bit integer; null stands for false.
  Dim exclusive = Dim(0, 1);
  static constexpr auto Fields() {
    return std::array{
        Field<&ScanopAttrs::axis>("axis along which to accumulate; None: the flattened data"),
        Field<&ScanopAttrs::dtype>("element type of the result; none: that of the data"),
        Field<&ScanopAttrs::exclusive>("whether an element itself is left out of its total"),
    };
  }
};

// The attributes of `unique`.
struct UniqueAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.UniqueAttrs";
  bool sorted = true;
  bool return_counts = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&UniqueAttrs::sorted>("ascending, instead of the order of first occurrence"),
        Field<&UniqueAttrs::return_counts>("whether the result has the number of occurrences"),
    };
  }
};

// The attributes of `trilu`.
struct TriluAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.TriluAttrs";
  bool upper = true;
  static constexpr auto Fields() {
    return std::array{Field<&TriluAttrs::upper>("keeps the upper triangle, else the lower one")};
  }
};

// The attributes of `matrix_set_diag`.
struct MatrixSetDiagAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MatrixSetDiagAttrs";
  int64_t k1 = 0;
  int64_t k2 = 0;
  bool super_diag_right_align = true;
  bool sub_diag_right_align = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&MatrixSetDiagAttrs::k1>("lowest diagonal; 0 is the main one, negative ones lie below it"),
        Field<&MatrixSetDiagAttrs::k2>("highest diagonal"),
        Field<&MatrixSetDiagAttrs::super_diag_right_align>("whether diagonals from the main one up end at the right"),
        Field<&MatrixSetDiagAttrs::sub_diag_right_align>("whether diagonals below the main one end at the right"),
    };
  }
};

// The attributes of `meshgrid`.
struct MeshgridAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MeshgridAttrs";
  std::string indexing = "ij";
  static constexpr auto Fields() {
    return std::array{Field<&MeshgridAttrs::indexing>("ij, or xy: the first two axes change places")};
  }
};

// The attributes of `einsum`.
struct EinsumAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EinsumAttrs";
  std::string equation;
  static constexpr auto Fields() {
    return std::array{
        Required<&EinsumAttrs::equation>("letters for the axes of each operand and, behind ->, the result"),
    };
  }
};

// The attributes of `fixed_point_multiply_per_axis`.
struct FixedPointMultiplyPerAxisAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.FixedPointMultiplyPerAxisAttrs";
  bool is_lshift_required = false;
  bool is_rshift_required = false;
  DimList axes = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Field<&FixedPointMultiplyPerAxisAttrs::is_lshift_required>("whether to shift left first"),
        Field<&FixedPointMultiplyPerAxisAttrs::is_rshift_required>("whether to shift right last"),
        Required<&FixedPointMultiplyPerAxisAttrs::axes>("axes along which multiplier and shifts differ"),
    };
  }
};

// The attributes of `stft`.
struct StftAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.StftAttrs";
  int64_t n_fft = -1;
  int64_t hop_length = -1;
  int64_t win_length = -1;
  bool normalized = false;
  bool onesided = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&StftAttrs::n_fft>("size of a transform"),
        Field<&StftAttrs::hop_length>("distance of neighbouring frames"),
        Field<&StftAttrs::win_length>("length of the window"),
        Field<&StftAttrs::normalized>("divides by the square root of n_fft"),
        Field<&StftAttrs::onesided>("leaves out the half that follows from symmetry"),
    };
  }
};

// The attributes of `dft`.
struct DFTAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DFTAttrs";
  // A boolean as a one-bit integer.
  Dim inverse = Dim(0, 1);
  static constexpr auto Fields() { return std::array{Field<&DFTAttrs::inverse>("whether to transform back")}; }
};

}  // namespace relayopt
