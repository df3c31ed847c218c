// Kernels of matrix products.
#include "relayopt/relay/ops/nn_dense.h"

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/gemm.h"
#include "lib/relay/ops/kernels/products.h"
#include "lib/relay/ops/layout_transform/layouts.h"

namespace relayopt {

auto Product2D(KernelContext& kernel, const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b)
    -> std::optional<Tensor> {
  const std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  const DataType dtype = kernel.result_type().dtype;
  const auto left = Converted(kernel, a, dtype);
  const auto right = left ? Converted(kernel, b, dtype) : std::nullopt;
  if (!right) return std::nullopt;
  const size_t rank = a.rank();
  // Leading axes are a batch, which is part of the rows unless the matrices are transposed.
  const int64_t batches = transpose_a && rank > 2 ? Product(a.shape().first(rank - 2)) : 1;
  const int64_t depth = rank < 2 || !transpose_a ? a.extent(rank - 1) : a.extent(rank - 2);
  const int64_t columns = shape.back();
  // The number of rows, each of `depth` elements; the type rule has derived the result's shape from the data's.
  const bool fits = b.rank() == 2 && b.extent(transpose_b ? 1 : 0) == depth && b.extent(transpose_b ? 0 : 1) == columns;
  if (!fits) {
    kernel.Error("the inner extents of the matrices differ");
    return std::nullopt;
  }
  if (depth == 0) return Tensor(dtype, shape);
  Tensor result = Tensor::Unset(dtype, shape);
  if (result.size() == 0) return result;
  const int64_t rows = result.size() / batches / columns;
  const KernelStatus status = VisitNumbers(kernel, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < batches; ++i) {
      MultiplyParallel<T>(
          {left->template data<T>() + i * rows * depth, rows, depth, transpose_a ? rows : depth, transpose_a},
          {right->template data<T>(), depth, columns, transpose_b ? depth : columns, transpose_b},
          {result.mutable_data<T>() + i * rows * columns, rows, columns, columns});
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return result;
}

auto BatchProduct(KernelContext& kernel, const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b)
    -> std::optional<Tensor> {
  const std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  const DataType dtype = kernel.result_type().dtype;
  const auto left = Converted(kernel, a, dtype);
  const auto right = left ? Converted(kernel, b, dtype) : std::nullopt;
  if (!right) return std::nullopt;
  const int64_t depth = a.extent(transpose_a ? 1 : 2);
  const bool fits = (a.extent(0) == shape[0] || a.extent(0) == 1) && (b.extent(0) == shape[0] || b.extent(0) == 1) &&
                    b.extent(transpose_b ? 2 : 1) == depth && a.extent(transpose_a ? 2 : 1) == shape[1] &&
                    b.extent(transpose_b ? 1 : 2) == shape[2];
  if (!fits) {
    kernel.Error("the batches or the inner extents of the matrices differ");
    return std::nullopt;
  }
  if (depth == 0) return Tensor(dtype, shape);
  Tensor result = Tensor::Unset(dtype, shape);
  if (result.size() == 0) return result;
  const KernelStatus status = VisitNumbers(kernel, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < shape[0]; ++i) {
      const T* first = left->template data<T>() + (a.extent(0) == 1 ? 0 : i * shape[1] * depth);
      const T* second = right->template data<T>() + (b.extent(0) == 1 ? 0 : i * depth * shape[2]);
      MultiplyParallel<T>({first, shape[1], depth, transpose_a ? shape[1] : depth, transpose_a},
                          {second, depth, shape[2], transpose_b ? depth : shape[2], transpose_b},
                          {result.mutable_data<T>() + i * shape[1] * shape[2], shape[1], shape[2], shape[2]});
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return result;
}

auto DenseKernel(KernelContext& kernel) -> KernelStatus {
  return ReturnIt(kernel, Product2D(kernel, kernel.input(0), kernel.input(1), false, true));
}

auto MatmulKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MatmulAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return ReturnIt(kernel, Product2D(kernel, kernel.input(0), kernel.input(1), attrs->transpose_a, attrs->transpose_b));
}

auto DensePackKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DensePackAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto weight = Relaid(kernel, kernel.input(1), attrs->weight_layout, "NC");
  if (!weight) return kernel.Failed();
  return ReturnIt(kernel, Product2D(kernel, kernel.input(0), *weight, false, true));
}

auto BatchMatmulKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BatchMatmulAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return ReturnIt(kernel,
                  BatchProduct(kernel, kernel.input(0), kernel.input(1), attrs->transpose_a, attrs->transpose_b));
}

}  // namespace relayopt
