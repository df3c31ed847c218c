// A tensor seen as rows along some of its axes.
#pragma once

#include <vector>

#include "arrange.h"
#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// The data with the given axes moved after the others: each row holds the elements that differ in these axes only, in
// row-major order of them. Without axes every element is a row.
class Rows {
 public:
  Rows(const Tensor& data, std::vector<size_t> axes)
      : order_(AxesLast(data.rank(), axes)), data_(Permuted(data, order_)) {
    for (const size_t axis : axes) length_ *= data.extent(axis);
    count_ = Product(data_.shape().first(data.rank() - axes.size()));
  }

  // Returns the moved tensor.
  auto data() const -> const Tensor& { return data_; }
  auto count() const -> int64_t { return count_; }
  auto length() const -> int64_t { return length_; }
  template <typename T>
  auto row(int64_t i) const -> const T* {
    return data_.data<T>() + i * length_;
  }

  // Returns a tensor of the shape of `data()` with the axes moved back.
  auto Restored(const Tensor& moved) const -> Tensor { return Permuted(moved, InversePermutation(order_)); }

 private:
  std::vector<size_t> order_;
  Tensor data_;
  int64_t count_;
  int64_t length_ = 1;
};

}  // namespace relayopt
