// Tensors that programs compute on.
#include "relayopt/core/tensor.h"

#include "relayopt/core/context.h"
#include "relayopt/core/extents.h"

namespace relayopt {

Tensor::Tensor(DataType dtype, std::vector<int64_t> shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(Product(shape_)),
      buffer_(std::make_shared<std::vector<std::byte>>(static_cast<size_t>(size_) * dtype.bytes())) {
  bytes_ = *buffer_;
}

Tensor::Tensor(const Constant& constant)
    : dtype_(constant.dtype()),
      shape_(constant.shape().begin(), constant.shape().end()),
      size_(Product(shape_)),
      buffer_(constant.Bytes()) {
  bytes_ = *buffer_;
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
  return {dtype_, shape_,
          is_shared() ? std::make_shared<const std::vector<std::byte>>(bytes_.begin(), bytes_.end()) : buffer_};
}

auto TypeOf(Context& context, const Tensor& tensor) -> TypeId {
  const std::vector<Dim> dims(tensor.shape().begin(), tensor.shape().end());
  return context.Tensor(dims, tensor.dtype());
}

}  // namespace relayopt
