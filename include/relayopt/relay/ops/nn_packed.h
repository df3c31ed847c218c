// Operators on sparse matrices and on elements of few bits.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `nn.internal.sparse_dense_padded` and `nn.sparse_dense`.
struct SparseDenseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SparseDenseAttrs";
  bool sparse_lhs = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&SparseDenseAttrs::sparse_lhs>("the sparse operand is the left one"),
    };
  }
};

// The attributes of `nn.sparse_transpose`.
struct SparseTransposeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SparseTransposeAttrs";
  static constexpr auto Fields() { return std::array<FieldInfo, 0>{}; }
};

// The attributes of `nn.sparse_conv2d`.
struct SparseConv2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SparseConv2DAttrs";
  std::string layout = "NHWC";
  DimList kernel_size = {1, 1};
  static constexpr auto Fields() {
    return std::array{
        Field<&SparseConv2DAttrs::layout>("layout of the data"),
        Field<&SparseConv2DAttrs::kernel_size>("spatial extents of the kernel"),
    };
  }
};

// The attributes of `nn.bitpack`.
struct BitPackAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BitPackAttrs";
  int64_t bits = 1;
  int64_t pack_axis = 1;
  int64_t bit_axis = -1;
  DataType pack_type;
  std::string name = "BitPack";
  static constexpr auto Fields() {
    return std::array{
        Field<&BitPackAttrs::bits>("bits of an element"),
        Field<&BitPackAttrs::pack_axis>("axis along which elements are packed"),
        Field<&BitPackAttrs::bit_axis>("where the axis of bit planes is put"),
        Field<&BitPackAttrs::pack_type>("element type into which bits are packed"),
        Field<&BitPackAttrs::name>("name of the computation"),
    };
  }
};

// The attributes of `nn.bitserial_conv2d`.
struct BinaryConv2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BinaryConv2DAttrs";
  DimList strides = {1, 1};
  DimList padding = {0, 0};
  DimList kernel_size = {3, 3};
  Dim channels;
  int64_t activation_bits = 1;
  int64_t weight_bits = 1;
  std::string data_layout = "NCHW";
  std::string kernel_layout = "OIHW";
  DataType pack_dtype;
  DataType out_dtype;
  bool unipolar = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&BinaryConv2DAttrs::strides>("step of the window along each spatial axis"),
        Field<&BinaryConv2DAttrs::padding>("zeros added before and after each spatial axis"),
        Field<&BinaryConv2DAttrs::kernel_size>("spatial extents of the kernel"),
        Field<&BinaryConv2DAttrs::channels>("number of output channels; None: from the weight"),
        Field<&BinaryConv2DAttrs::activation_bits>("bits of an element of the data"),
        Field<&BinaryConv2DAttrs::weight_bits>("bits of an element of the weight"),
        Field<&BinaryConv2DAttrs::data_layout>("layout of the data"),
        Field<&BinaryConv2DAttrs::kernel_layout>("layout of the weight"),
        Field<&BinaryConv2DAttrs::pack_dtype>("element type into which bits are packed"),
        Field<&BinaryConv2DAttrs::out_dtype>("element type of the result; empty: that of the data"),
        Field<&BinaryConv2DAttrs::unipolar>("weights of 0 and 1 stand for -1 and 1"),
    };
  }
};

// The attributes of `nn.bitserial_dense`.
struct BinaryDenseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BinaryDenseAttrs";
  Dim units;
  int64_t data_bits = 1;
  int64_t weight_bits = 1;
  DataType pack_dtype;
  DataType out_dtype;
  bool unipolar = true;
  static constexpr auto Fields() {
    return std::array{
        Required<&BinaryDenseAttrs::units>("number of columns of the result; None: from the weight"),
        Field<&BinaryDenseAttrs::data_bits>("bits of an element of the data"),
        Field<&BinaryDenseAttrs::weight_bits>("bits of an element of the weight"),
        Field<&BinaryDenseAttrs::pack_dtype>("element type into which bits are packed"),
        Field<&BinaryDenseAttrs::out_dtype>("element type of the result; empty: that of the data"),
        Field<&BinaryDenseAttrs::unipolar>("weights of 0 and 1 stand for -1 and 1"),
    };
  }
};

}  // namespace relayopt
