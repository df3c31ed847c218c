// Tensors that programs compute on.
#include "relayopt/core/tensor.h"

#include "relayopt/core/context.h"

namespace relayopt {

namespace {

auto SizeOf(std::span<const int64_t> shape) -> int64_t {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

}  // namespace

Tensor::Tensor(DataType dtype, std::vector<int64_t> shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(SizeOf(shape_)),
      buffer_(std::make_shared<std::vector<std::byte>>(static_cast<size_t>(size_) * dtype.bytes())) {}

Tensor::Tensor(const Constant& constant)
    : dtype_(constant.dtype()),
      shape_(constant.shape().begin(), constant.shape().end()),
      size_(SizeOf(shape_)),
      buffer_(constant.Bytes()) {}

auto Tensor::MutableBytes() -> std::byte* {
  RELAYOPT_CHECK(buffer_.use_count() == 1, "elements are written before they are shared");
  // Elements with one owner were made by the constructor above, which made them writable.
  return const_cast<std::byte*>(buffer_->data());
}

auto Tensor::Reshaped(std::vector<int64_t> shape) const -> Tensor {
  Tensor tensor = *this;
  tensor.shape_ = std::move(shape);
  RELAYOPT_CHECK(SizeOf(tensor.shape_) == size_, "another shape has as many elements");
  return tensor;
}

auto Tensor::Reinterpreted(DataType dtype) const -> Tensor {
  RELAYOPT_CHECK(dtype.bytes() == dtype_.bytes(), "another element type has the same width");
  Tensor tensor = *this;
  tensor.dtype_ = dtype;
  return tensor;
}

auto Tensor::ToConstant() const -> Constant {
  return {dtype_, shape_, is_shared() ? std::make_shared<const std::vector<std::byte>>(*buffer_) : buffer_};
}

auto TypeOf(Context& context, const Tensor& tensor) -> TypeId {
  const std::vector<Dim> dims(tensor.shape().begin(), tensor.shape().end());
  return context.Tensor(dims, tensor.dtype());
}

}  // namespace relayopt
