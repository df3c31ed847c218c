// Tensors that programs compute on.
#include "relayopt/core/tensor.h"

#include <algorithm>

#include "relayopt/core/context.h"
#include "relayopt/core/extents.h"

namespace relayopt {

Tensor::Tensor(DataType dtype, std::vector<int64_t> shape) : Tensor(Unset(dtype, std::move(shape))) {
  std::fill_n(MutableBytes(), num_bytes(), std::byte{});
}

auto Tensor::Unset(DataType dtype, std::vector<int64_t> shape) -> Tensor {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = Product(tensor.shape_);
  tensor.buffer_ = std::make_shared<ElementBuffer>(static_cast<size_t>(tensor.size_) * dtype.bytes());
  tensor.bytes_ = {tensor.buffer_->data(), tensor.buffer_->size()};
  return tensor;
}

Tensor::Tensor(const Constant& constant)
    : dtype_(constant.dtype()),
      shape_(constant.shape().begin(), constant.shape().end()),
      size_(Product(shape_)),
      buffer_(constant.Bytes()) {
  bytes_ = {buffer_->data(), buffer_->size()};
}

auto Tensor::View(const Constant& constant) -> Tensor {
  // The elements of a file may lie anywhere.
  constexpr size_t kAlignment = alignof(int64_t);
  const ElementBytes elements = constant.Elements();
  if (!elements.is_view() || reinterpret_cast<uintptr_t>(elements.data()) % kAlignment != 0) return Tensor(constant);
  Tensor view;
  view.dtype_ = constant.dtype();
  view.shape_.assign(constant.shape().begin(), constant.shape().end());
  view.size_ = Product(view.shape_);
  view.bytes_ = {elements.begin(), elements.end()};
  return view;
}

auto Tensor::MutableBytes() -> std::byte* {
  RELAYOPT_CHECK(buffer_.use_count() == 1, "elements are written before they are shared");
  // Elements with one owner come from the constructor above, which allocated writable memory.
  return const_cast<std::byte*>(buffer_->data());
}

auto Tensor::Reshaped(std::vector<int64_t> shape) const -> Tensor {
  Tensor tensor = *this;
  tensor.shape_ = std::move(shape);
  RELAYOPT_CHECK(Product(tensor.shape_) == size_, "another shape has as many elements");
  return tensor;
}

auto Tensor::Reinterpreted(DataType dtype) const -> Tensor {
  RELAYOPT_CHECK(dtype.bytes() == dtype_.bytes(), "another element type has the same width");
  Tensor tensor = *this;
  tensor.dtype_ = dtype;
  return tensor;
}

auto Tensor::ToConstant() const -> Constant {
  if (!is_shared()) return {dtype_, shape_, buffer_};
  auto copy = std::make_shared<ElementBuffer>(bytes_.size());
  std::copy_n(bytes_.data(), bytes_.size(), copy->data());
  return {dtype_, shape_, std::move(copy)};
}

auto TypeOf(Context& context, const Tensor& tensor) -> TypeId {
  const std::vector<Dim> dims(tensor.shape().begin(), tensor.shape().end());
  return context.Tensor(dims, tensor.dtype());
}

}  // namespace relayopt
