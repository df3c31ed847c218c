// Forms of products of matrices and of more axes.
#include <algorithm>

#include "layers.h"
#include "lib/convert/onnx/model_proto.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::onnx::out {

namespace {

// Computes in the type of the result if a kernel has that type.
auto WriteProduct(OnnxCall& call) -> CallOutputs {
  const Type* a = call.input(0);
  const Type* b = call.input(1);
  const Type* result = call.result();
  if (a == nullptr || b == nullptr || result == nullptr) return std::nullopt;
  if (IsByte(a->dtype) && IsByte(b->dtype) && !result->dtype.is_float() && result->dtype.bits >= 32) {
    const Name sums = call.Add("MatMulInteger", {call.arg(0), call.arg(1)});
    return One(result->dtype == DataType::Int(32) ? sums : call.Cast(sums, result->dtype));
  }
  constexpr Types kKernels = kF16 | kF32 | kF64 | kI32 | kI64 | kU32 | kU64;
  DataType dtype = result->dtype;
  if ((SetOf(dtype) & kKernels) == 0) dtype = dtype.is_float() ? DataType::Float(32) : DataType::Int(32);
  const Name x = call.As(0, dtype);
  const Name y = call.As(1, dtype);
  const Name product = call.Add("MatMul", {x, y});
  return One(dtype == result->dtype ? product : call.Cast(product, result->dtype));
}

auto WriteMatmul(OnnxCall& call, const MatmulAttrs& attrs) -> CallOutputs {
  return attrs.transpose_a || attrs.transpose_b ? std::nullopt : WriteProduct(call);
}
auto WriteBatchMatmul(OnnxCall& call, const BatchMatmulAttrs& attrs) -> CallOutputs {
  return attrs.transpose_a || attrs.transpose_b ? std::nullopt : WriteProduct(call);
}

// Whether the product is to be MatMul: it was read as such, and onnxruntime fuses only MatMul with what follows; or
// Gemm needs a bias in the version that is written.
auto IsPlainProduct(OnnxCall& call) -> bool {
  constexpr int64_t kGemmWithoutBias = 11;
  if (call.model().target() < kGemmWithoutBias) return true;
  const SpanId span = call.function().span(call.id());
  if (!span) return false;
  const NodeProto* node = call.context().Part<OnnxInterface>().FindNode(call.context().span(span).source);
  return node != nullptr && node->op_type == "MatMul";
}

// Returns the initializer with the transpose of the constant matrix that operand `i` is, or nothing if it is not one.
auto TransposedMatrix(OnnxCall& call, size_t i) -> std::optional<Name> {
  const Constant* matrix = call.constant(i);
  if (matrix == nullptr || matrix->shape().size() != 2) return std::nullopt;
  const Tensor tensor(*matrix);
  const KernelInput input{std::span(&tensor, 1)};
  const OpInstance transpose{"transpose"_op, call.context().InternAttrs(TransposeAttrs{})};
  const auto turned = RunKernel(call.context(), transpose, std::span(&input, 1), {});
  if (!turned || turned->tensors.size() != 1) return std::nullopt;
  const auto bytes = turned->tensors[0].bytes();
  std::vector<int64_t> shape = {matrix->shape()[1], matrix->shape()[0]};
  Name name =
      call.model().Initializer({matrix->dtype(), std::move(shape), std::vector<std::byte>(bytes.begin(), bytes.end())});
  call.model().NoteOrigin(name, call.function(), call.operand(i));
  return name;
}

// With the second matrix transposed; LowerFor leaves only those of rank 2 on floats.
auto WriteDense(OnnxCall& call) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (data == nullptr || weight == nullptr || result == nullptr || data->rank() != 2) return std::nullopt;
  if (!data->dtype.is_float() || data->dtype != result->dtype || weight->dtype != data->dtype) return std::nullopt;
  if (IsPlainProduct(call)) {
    if (const auto matrix = TransposedMatrix(call, 1)) return One(call.Add("MatMul", {call.arg(0), *matrix}));
  }
  return One(call.Add("Gemm", {call.arg(0), call.arg(1)}, {Int("transB", 1)}));
}

auto WriteEinsum(OnnxCall& call, const EinsumAttrs& attrs) -> CallOutputs {
  return One(call.Add("Einsum", call.args[0], {String("equation", attrs.equation)}));
}

// Real and imaginary parts are two tensors in Relay, and the last axis of one tensor in ONNX.
auto WriteDft(OnnxCall& call, const DFTAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || data->rank() == 0) return std::nullopt;
  // Relay gives each part of the result the type of one operand, also where these differ.
  if (call.input(1) == nullptr || !std::ranges::equal(call.input(1)->shape, data->shape)) return std::nullopt;
  const auto rank = static_cast<int64_t>(data->rank());
  const std::vector<int64_t> behind = {rank};
  const Name pairs = call.Add("Concat", {call.Unsqueeze(call.arg(0), behind), call.Unsqueeze(call.arg(1), behind)},
                              {Int("axis", rank)});
  Attributes attributes;
  if (attrs.inverse.is_int() && attrs.inverse.value() != 0) attributes.push_back(Int("inverse", 1));
  Name moved;
  // onnxruntime requires an axis for the batch.
  const bool is_row = rank == 1;
  const Name rows = is_row ? call.Unsqueeze(pairs, std::vector<int64_t>{0}) : pairs;
  const int64_t axis = is_row ? 1 : rank - 1;
  if (call.opset() >= 20) {
    moved = call.Add("DFT", {rows, {}, call.Index(axis)}, attributes);
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

auto WriteDenseWithBias(OnnxCall& call, Name bias) -> CallOutputs {
  return One(call.Add("Gemm", {call.arg(0), call.arg(1), bias}, {Int("transB", 1)}));
}

}  // namespace relayopt::onnx::out
