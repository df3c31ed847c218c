// Forms of products of matrices and of more axes.
#include "layers.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::onnx::out {

namespace {

// Computes in the type of the result if a kernel has that type.
auto WriteProduct(OnnxCall& call) -> CallOutputs {
  const Type* a = call.input(0);
  const Type* b = call.input(1);
  const Type* result = call.result();
  if (a == nullptr || b == nullptr || result == nullptr) return std::nullopt;
  if (IsByte(a->dtype) && IsByte(b->dtype) && !result->dtype.is_float() && result->dtype.bits >= 32) {
    const std::string sums = call.Add("MatMulInteger", {call.arg(0), call.arg(1)});
    return One(result->dtype == DataType::Int(32) ? sums : call.Cast(sums, result->dtype));
  }
  constexpr Types kKernels = kF16 | kF32 | kF64 | kI32 | kI64 | kU32 | kU64;
  DataType dtype = result->dtype;
  if ((SetOf(dtype) & kKernels) == 0) dtype = dtype.is_float() ? DataType::Float(32) : DataType::Int(32);
  const std::string x = call.As(0, dtype);
  const std::string y = call.As(1, dtype);
  const std::string product = call.Add("MatMul", {x, y});
  return One(dtype == result->dtype ? product : call.Cast(product, result->dtype));
}

auto WriteMatmul(OnnxCall& call, const MatmulAttrs& attrs) -> CallOutputs {
  return attrs.transpose_a || attrs.transpose_b ? std::nullopt : WriteProduct(call);
}
auto WriteBatchMatmul(OnnxCall& call, const BatchMatmulAttrs& attrs) -> CallOutputs {
  return attrs.transpose_a || attrs.transpose_b ? std::nullopt : WriteProduct(call);
}

// With the second matrix transposed; LowerFor leaves only those of rank 2 on floats.
auto WriteDense(OnnxCall& call) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (data == nullptr || weight == nullptr || result == nullptr || data->rank() != 2) return std::nullopt;
  if (!data->dtype.is_float() || data->dtype != result->dtype || weight->dtype != data->dtype) return std::nullopt;
  return One(call.Add("Gemm", {call.arg(0), call.arg(1)}, {Int("transB", 1)}));
}

auto WriteEinsum(OnnxCall& call, const EinsumAttrs& attrs) -> CallOutputs {
  return One(call.Add("Einsum", call.args[0], {String("equation", attrs.equation)}));
}

// Real and imaginary parts are two tensors in Relay, and the last axis of one tensor in ONNX.
auto WriteDft(OnnxCall& call, const DFTAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() == 0) return std::nullopt;
  const auto rank = static_cast<int64_t>(data->rank());
  const std::vector<int64_t> behind = {rank};
  const std::string pairs = call.Add(
      "Concat", {call.Unsqueeze(call.arg(0), behind), call.Unsqueeze(call.arg(1), behind)}, {Int("axis", rank)});
  Attributes attributes;
  if (attrs.inverse.is_int() && attrs.inverse.value() != 0) attributes.push_back(Int("inverse", 1));
  std::string moved;
  // onnxruntime requires an axis for the batch.
  const bool is_row = rank == 1;
  const std::string rows = is_row ? call.Unsqueeze(pairs, std::vector<int64_t>{0}) : pairs;
  const int64_t axis = is_row ? 1 : rank - 1;
  if (call.opset() >= 20) {
    moved = call.Add("DFT", {rows, "", call.Index(axis)}, attributes);
  } else {
    attributes.push_back(Int("axis", axis));
    moved = call.Add("DFT", {rows}, attributes);
  }
  if (is_row) moved = call.Add("Squeeze", {moved, call.List({0})});
  Values parts;
  for (const int64_t part : {0, 1}) {
    parts.push_back(call.Add("Gather", {moved, call.Index(part)}, {Int("axis", rank)}));
  }
  return parts;
}

constexpr OpRule<OnnxForm> kProductForms[] = {
    {"dft"_op, {"DFT", kF32 | kF64, WithAttrs<WriteDft>}},
    {"einsum"_op, {"Einsum", kAll, WithAttrs<WriteEinsum>}},
    {"nn.batch_matmul"_op, {"MatMul", kAll, WithAttrs<WriteBatchMatmul>}},
    {"nn.dense"_op, {"Gemm", kReals, WriteDense}},
    {"nn.matmul"_op, {"MatMul", kAll, WithAttrs<WriteMatmul>}},
};

}  // namespace

auto ProductForms() -> std::span<const OpRule<OnnxForm>> { return kProductForms; }

auto WriteDenseWithBias(OnnxCall& call, std::string bias) -> CallOutputs {
  return One(call.Add("Gemm", {call.arg(0), call.arg(1), std::move(bias)}, {Int("transB", 1)}));
}

}  // namespace relayopt::onnx::out
