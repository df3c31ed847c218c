// Kernels of the operators on sparse tensors and matrices.
#include <algorithm>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/nn_packed.h"

namespace relayopt {

namespace {

auto ToDense(KernelContext& kernel, const std::vector<int64_t>& shape) -> KernelStatus {
  const Tensor& indices = kernel.input(0);
  const Tensor& values = kernel.input(1);
  if (!kernel.Fits(shape, values.dtype())) return kernel.Failed();
  // The default need not have the type of the values: it is 0 of int32 where none was given.
  const auto fill = Converted(kernel, kernel.input(2), values.dtype());
  if (!fill) return kernel.Failed();
  if (fill->size() != 1) return kernel.Error("the default must be a scalar");
  Tensor result(values.dtype(), shape);
  for (int64_t i = 0; i < result.size(); ++i) CopyElements(*fill, 0, result, i, 1);
  // Rows of coordinates; a vector of indices has one coordinate each, a scalar is one of them.
  const std::vector<int64_t> numbers = Integers(indices);
  const auto columns = static_cast<size_t>(indices.rank() < 2 ? 1 : indices.extent(indices.rank() - 1));
  const size_t rows = columns == 0 ? 0 : numbers.size() / columns;
  if (columns != shape.size() || (values.size() != 1 && values.size() != static_cast<int64_t>(rows))) {
    return kernel.Error("the coordinates do not match the shape");
  }
  for (size_t row = 0; row < rows; ++row) {
    int64_t at = 0;
    bool inside = true;
    for (size_t k = 0; k < columns; ++k) {
      const int64_t index = numbers[row * columns + k];
      inside &= index >= 0 && index < shape[k];
      at = inside ? at * shape[k] + index : 0;
    }
    // Elements with coordinates outside of the shape are ignored; other systems count negative ones from the end.
    if (!inside) kernel.MarkUndefined("coordinates are outside of a sparse tensor");
    if (inside) CopyElements(values, values.size() == 1 ? 0 : static_cast<int64_t>(row), result, at, 1);
  }
  return kernel.Return(std::move(result));
}

// A matrix of blocks given by rows: the blocks' elements, their columns, and where each row of blocks starts.
struct BlockMatrix {
  int64_t block_rows = 1;
  int64_t block_columns = 1;
  std::vector<int64_t> columns;
  std::vector<int64_t> starts;
};

// Reports and returns nothing if the parts do not fit together, or when the matrix has more than `width` columns.
auto MatrixOf(KernelContext& kernel, const Tensor& data, const Tensor& indices, const Tensor& indptr, int64_t width)
    -> std::optional<BlockMatrix> {
  BlockMatrix matrix;
  if (data.rank() == 3) {
    matrix.block_rows = data.extent(1);
    matrix.block_columns = data.extent(2);
  } else if (data.rank() == 2) {
    matrix.block_columns = data.extent(1);
  }
  matrix.columns = Integers(indices);
  matrix.starts = Integers(indptr);
  const auto blocks = static_cast<int64_t>(matrix.columns.size());
  bool fits = !matrix.starts.empty() && matrix.block_rows > 0 && matrix.block_columns > 0 &&
              blocks <= data.size() / (matrix.block_rows * matrix.block_columns) && matrix.starts.front() >= 0 &&
              matrix.starts.back() <= blocks && std::is_sorted(matrix.starts.begin(), matrix.starts.end());
  for (const int64_t column : matrix.columns) fits = fits && column >= 0 && column < width / matrix.block_columns;
  if (fits) return matrix;
  kernel.Error("the parts of the sparse matrix do not fit together");
  return std::nullopt;
}

// visit(row, column, element) for the elements of the matrix, in the order in which they are stored.
template <typename T, typename Visit>
void ForEachEntry(const BlockMatrix& matrix, const T* data, Visit visit) {
  for (size_t row = 0; row + 1 < matrix.starts.size(); ++row) {
    for (int64_t block = matrix.starts[row]; block < matrix.starts[row + 1]; ++block) {
      for (int64_t y = 0; y < matrix.block_rows; ++y) {
        for (int64_t x = 0; x < matrix.block_columns; ++x) {
          visit(static_cast<int64_t>(row) * matrix.block_rows + y,
                matrix.columns[static_cast<size_t>(block)] * matrix.block_columns + x,
                data[(block * matrix.block_rows + y) * matrix.block_columns + x]);
        }
      }
    }
  }
}

// result[i, r] = sum over c of dense[i, c] * sparse[r, c], or its transpose, with `inner` positions after the columns.
auto SparseProduct(KernelContext& kernel, const Tensor& dense, const Tensor& data, const Tensor& indices,
                   const Tensor& indptr, int64_t width, int64_t inner, bool transposed) -> KernelStatus {
  const auto matrix = MatrixOf(kernel, data, indices, indptr, width);
  if (!matrix) return kernel.Failed();
  Tensor result = kernel.NewResult();
  const int64_t rows = (static_cast<int64_t>(matrix->starts.size()) - 1) * matrix->block_rows;
  const int64_t outer = width == 0 ? 0 : dense.size() / width / inner;
  if (data.dtype() != dense.dtype() || result.dtype() != dense.dtype() || result.size() != outer * rows * inner) {
    return kernel.Error("the sparse matrix does not match the data");
  }
  const KernelStatus status = VisitNumbers(kernel, dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = dense.data<T>();
    T* to = result.mutable_data<T>();
    ForEachEntry(*matrix, data.data<T>(), [&](int64_t row, int64_t column, T element) {
      for (int64_t i = 0; i < outer; ++i) {
        for (int64_t k = 0; k < inner; ++k) {
          T& sum = to[transposed ? row * outer + i : (i * rows + row) * inner + k];
          sum = Plus(sum, Times(from[(i * width + column) * inner + k], element));
        }
      }
    });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace

auto SparseToDenseKernel(KernelContext& kernel) -> KernelStatus {
  return ToDense(kernel, KernelContext::Extents(kernel.result_type()));
}
auto DynSparseToDenseKernel(KernelContext& kernel) -> KernelStatus {
  return ToDense(kernel, Integers(kernel.input(3)));
}

auto SparseReshapeKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& indices = kernel.input(0);
  const std::vector<int64_t> old_shape = Integers(kernel.input(1));
  std::vector<int64_t> shape = Integers(kernel.input(2));
  int64_t total = 1;
  for (const int64_t extent : old_shape) {
    if (extent < 0 || __builtin_mul_overflow(total, extent, &total)) return kernel.Error("an extent of {}", extent);
  }
  int64_t known = 1;
  for (const int64_t extent : shape) {
    if (extent < -1 || (extent != -1 && __builtin_mul_overflow(known, extent, &known))) {
      return kernel.Error("an extent of {}", extent);
    }
  }
  for (int64_t& extent : shape) {
    if (extent == -1) extent = known == 0 ? 0 : total / known;
  }
  // As TVM: where the shape stays, coordinates do too, also those outside of it.
  if (shape == old_shape) {
    Tensor same(DataType::Int(64), {static_cast<int64_t>(shape.size())});
    std::copy(shape.begin(), shape.end(), same.mutable_data<int64_t>());
    auto extents = Converted(kernel, same, kernel.input(2).dtype());
    return extents ? kernel.ReturnTuple({indices, std::move(*extents)}) : kernel.Failed();
  }
  // The flat position that one step along each axis of the new shape makes.
  std::vector<int64_t> steps(shape.size(), 1);
  for (size_t k = shape.size(); k-- > 1;) {
    if (__builtin_mul_overflow(steps[k], shape[k], &steps[k - 1])) return kernel.Error("an extent of {}", shape[k]);
    if (steps[k - 1] == 0 && indices.extent(0) != 0) return kernel.Error("an extent of 0");
  }
  if (indices.extent(1) != static_cast<int64_t>(old_shape.size()))
    return kernel.Error("the coordinates do not match the shape");
  const std::vector<int64_t> numbers = Integers(indices);
  const int64_t rows = indices.extent(0);
  Tensor wide(DataType::Int(64), {rows, static_cast<int64_t>(shape.size())});
  auto* to = wide.mutable_data<int64_t>();
  for (int64_t row = 0; row < rows; ++row) {
    int64_t flat = 0;
    for (size_t k = 0; k < old_shape.size(); ++k) {
      flat = WrapAdd(WrapMultiply(flat, old_shape[k]), numbers[static_cast<size_t>(row) * old_shape.size() + k]);
    }
    // The first coordinate is the remaining quotient, even if it is outside of the shape.
    for (size_t k = 0; k < shape.size(); ++k) {
      to[row * static_cast<int64_t>(shape.size()) + static_cast<int64_t>(k)] = FloorDivide(flat, steps[k]);
      flat = FloorMod(flat, steps[k]);
    }
  }
  Tensor new_shape(DataType::Int(64), {static_cast<int64_t>(shape.size())});
  std::copy(shape.begin(), shape.end(), new_shape.mutable_data<int64_t>());
  auto moved = Converted(kernel, wide, indices.dtype());
  auto extents = Converted(kernel, new_shape, kernel.input(2).dtype());
  if (!moved || !extents) return kernel.Failed();
  return kernel.ReturnTuple({std::move(*moved), std::move(*extents)});
}

auto SparseFillEmptyRowsKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& indices = kernel.input(0);
  if (indices.rank() != 2) return kernel.Error("the entries do not match the shape");
  const std::vector<int64_t> numbers = Integers(indices);
  const std::vector<int64_t> values = Integers(kernel.input(1));
  const std::vector<int64_t> shape = Integers(kernel.input(2));
  const std::vector<int64_t> fill = Integers(kernel.input(3));
  const auto columns = static_cast<size_t>(indices.extent(1));
  const auto entries = static_cast<size_t>(indices.extent(0));
  if (shape.empty() || fill.size() != 1 || columns == 0 || values.size() != entries || shape[0] < 0) {
    return kernel.Error("the entries do not match the shape");
  }
  if (!kernel.Fits(std::vector<int64_t>{shape[0], indices.extent(1)}, DataType::Int(64))) return kernel.Failed();
  std::vector<int64_t> out_indices;
  std::vector<int64_t> out_values;
  std::vector<int64_t> empty(static_cast<size_t>(shape[0]), 1);
  size_t next = 0;
  for (int64_t row = 0; row < shape[0]; ++row) {
    const size_t first = next;
    for (; next < entries && numbers[next * columns] == row; ++next) {
      out_indices.insert(out_indices.end(), numbers.begin() + static_cast<ptrdiff_t>(next * columns),
                         numbers.begin() + static_cast<ptrdiff_t>((next + 1) * columns));
      out_values.push_back(values[next]);
    }
    if (next != first) {
      empty[static_cast<size_t>(row)] = 0;
      continue;
    }
    out_indices.push_back(row);
    out_indices.insert(out_indices.end(), columns - 1, 0);
    out_values.push_back(fill[0]);
  }
  if (next != entries) return kernel.Error("the rows of the entries do not ascend, or lie outside of the shape");
  const auto vector = [](const std::vector<int64_t>& from, std::vector<int64_t> extents) {
    Tensor tensor(DataType::Int(64), std::move(extents));
    std::copy(from.begin(), from.end(), tensor.mutable_data<int64_t>());
    return tensor;
  };
  const auto count = static_cast<int64_t>(out_values.size());
  return kernel.ReturnTuple(
      {vector(out_indices, {count, indices.extent(1)}), vector(out_values, {count}), vector(empty, {shape[0]})});
}

auto SparseDenseKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SparseDenseAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& dense = kernel.input(0);
  if (dense.rank() != 2) return kernel.Error("data must have two axes, found {}", dense.rank());
  return SparseProduct(kernel, dense, kernel.input(1), kernel.input(2), kernel.input(3), dense.extent(1), 1,
                       attrs->sparse_lhs);
}

auto SparseConv2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SparseConv2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> window = Numbers(attrs->kernel_size);
  if (Product(window) != 1) return kernel.Error("there is no kernel for windows of more than one element");
  const bool channels_last = attrs->layout == "NHWC";
  const int64_t inner = channels_last ? 1 : data.extent(2) * data.extent(3);
  return SparseProduct(kernel, data, kernel.input(1), kernel.input(2), kernel.input(3),
                       data.extent(channels_last ? 3 : 1), std::max<int64_t>(inner, 1), false);
}

auto SparseAddKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& dense = kernel.input(0);
  const Tensor& data = kernel.input(1);
  if (dense.rank() != 2 || data.dtype() != dense.dtype())
    return kernel.Error("data must have two axes and the element type of the sparse matrix");
  const auto matrix = MatrixOf(kernel, data, kernel.input(2), kernel.input(3), dense.extent(1));
  if (!matrix) return kernel.Failed();
  if (static_cast<int64_t>(matrix->starts.size()) - 1 > dense.extent(0)) return kernel.Error("there are too many rows");
  Tensor result(dense.dtype(), ShapeOf(dense));
  if (dense.size() != 0) CopyElements(dense, 0, result, 0, dense.size());
  const KernelStatus status = VisitNumbers(kernel, dense.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    ForEachEntry(*matrix, data.data<T>(), [&](int64_t row, int64_t column, T element) {
      T& sum = to[row * dense.extent(1) + column];
      sum = Plus(sum, element);
    });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

auto SparseTransposeKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  const auto rows = kernel.input(2).size() - 1;
  const auto matrix = MatrixOf(kernel, data, kernel.input(1), kernel.input(2), rows);
  if (!matrix) return kernel.Failed();
  // The entries by column, those of a column by row.
  std::vector<int64_t> order;
  std::vector<int64_t> row_of(matrix->columns.size(), 0);
  for (size_t row = 0; row + 1 < matrix->starts.size(); ++row) {
    for (int64_t i = matrix->starts[row]; i < matrix->starts[row + 1]; ++i) {
      row_of[static_cast<size_t>(i)] = static_cast<int64_t>(row);
      order.push_back(i);
    }
  }
  const auto column = [&](int64_t i) { return matrix->columns[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return column(a) < column(b); });
  Tensor values(data.dtype(), ShapeOf(data));
  Tensor columns(DataType::Int(64), ShapeOf(kernel.input(1)));
  Tensor starts(DataType::Int(64), ShapeOf(kernel.input(2)));
  auto* column_to = columns.mutable_data<int64_t>();
  auto* start_to = starts.mutable_data<int64_t>();
  for (size_t i = 0; i < order.size(); ++i) {
    CopyElements(data, order[i], values, static_cast<int64_t>(i), 1);
    column_to[i] = row_of[static_cast<size_t>(order[i])];
    ++start_to[column(order[i]) + 1];
  }
  for (int64_t i = 0; i < rows; ++i) start_to[i + 1] += start_to[i];
  auto out_columns = Converted(kernel, columns, kernel.input(1).dtype());
  auto out_starts = Converted(kernel, starts, kernel.input(2).dtype());
  if (!out_columns || !out_starts) return kernel.Failed();
  return kernel.ReturnTuple({std::move(values), std::move(*out_columns), std::move(*out_starts)});
}

}  // namespace relayopt
