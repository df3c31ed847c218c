// Matrix products.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `nn.dense` and `qnn.dense`.
struct DenseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DenseAttrs";
  Dim units;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&DenseAttrs::units>("number of columns of the result; None: from the weight"),
        Field<&DenseAttrs::out_dtype>("element type of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.matmul`.
struct MatmulAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MatmulAttrs";
  Dim units;
  DataType out_dtype;
  bool transpose_a = false;
  bool transpose_b = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&MatmulAttrs::units>("number of columns of the result; None: from the weight"),
        Field<&MatmulAttrs::out_dtype>("element type of the result; empty: that of the data"),
        Field<&MatmulAttrs::transpose_a>("the first operand is given transposed"),
        Field<&MatmulAttrs::transpose_b>("the second operand is given transposed"),
    };
  }
};

// The attributes of `nn.contrib_dense_pack` and `qnn.contrib_dense_pack`.
struct DensePackAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DensePackAttrs";
  Dim units;
  DataType out_dtype;
  std::string weight_layout = "NC";
  static constexpr auto Fields() {
    return std::array{
        Required<&DensePackAttrs::units>("number of columns of the result; None: from the weight"),
        Field<&DensePackAttrs::out_dtype>("element type of the result; empty: that of the data"),
        Field<&DensePackAttrs::weight_layout>("layout of the packed weight"),
    };
  }
};

// The attributes of `nn.batch_matmul` and `qnn.batch_matmul`.
struct BatchMatmulAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BatchMatmulAttrs";
  DataType out_dtype;
  bool transpose_a = false;
  bool transpose_b = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&BatchMatmulAttrs::out_dtype>("element type of the result; empty: that of the data"),
        Field<&BatchMatmulAttrs::transpose_a>("the first operand is given transposed"),
        Field<&BatchMatmulAttrs::transpose_b>("the second operand is given transposed"),
    };
  }
};

// The type rule of the matrix product of inputs 0 and 1. When `units` is given, it determines the type of input 1.
auto DenseRule(RuleContext& rule) -> RuleStatus;
auto BatchMatmulRule(RuleContext& rule) -> RuleStatus;

}  // namespace relayopt
