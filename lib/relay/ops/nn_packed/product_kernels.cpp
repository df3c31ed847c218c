// Kernels of convolutions and dense layers with weights in tiles or bit planes. The weight is converted back to its
// usual form, and the usual product is computed.

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/products.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "lib/relay/ops/nn_conv/convolve.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_packed.h"

namespace relayopt {

namespace {

// Locates elements of a weight's matrix (kernel positions and input channels, by output channels) in its tiles. The
// weight is a tensor of tiles (columns, rows); elements of a tile are stored by columns when they have 8 bits,
// otherwise by rows.
class Tiles {
 public:
  explicit Tiles(const Tensor& tiled)
      : by_columns_(tiled.dtype().bits == 8),
        row_tiles_(tiled.extent(1)),
        rows_(tiled.extent(by_columns_ ? 3 : 2)),
        columns_(tiled.extent(by_columns_ ? 2 : 3)),
        hold_rows_(row_tiles_ * rows_),
        hold_columns_(tiled.extent(0) * columns_) {}

  // Returns the size of the matrix with its padding.
  auto rows() const -> int64_t { return hold_rows_; }
  auto columns() const -> int64_t { return hold_columns_; }

  auto OffsetOf(int64_t row, int64_t column) const -> int64_t {
    const int64_t tile = column / columns_ * row_tiles_ + row / rows_;
    const int64_t in_tile =
        by_columns_ ? column % columns_ * rows_ + row % rows_ : row % rows_ * columns_ + column % columns_;
    return tile * rows_ * columns_ + in_tile;
  }

 private:
  bool by_columns_;
  int64_t row_tiles_;
  int64_t rows_;
  int64_t columns_;
  int64_t hold_rows_;
  int64_t hold_columns_;
};

}  // namespace

auto ConvGemmWeightTransformKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& weight = kernel.input(0);
  const int64_t columns = weight.extent(3);
  Tensor result = kernel.NewResult();
  const Tiles tiles(result);
  if (weight.size() == 0) return kernel.Return(std::move(result));
  if (tiles.columns() < columns || tiles.rows() < weight.size() / columns) {
    return kernel.Error("the tiles do not hold the weight");
  }
  for (int64_t i = 0; i < weight.size(); ++i) {
    CopyElements(weight, i, result, tiles.OffsetOf(i / columns, i % columns), 1);
  }
  return kernel.Return(std::move(result));
}

auto Conv2DGemmKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv2DAttrs>(kernel);
  const auto data = attrs == nullptr ? std::nullopt : Relaid(kernel, kernel.input(0), attrs->data_layout, "NHWC");
  if (!data) return kernel.Failed();
  const Tensor& tiled = kernel.input(1);
  const std::vector<int64_t> window = Numbers(attrs->kernel_size);
  if (tiled.rank() != 4 || tiled.size() == 0 || window.size() != 2 || !attrs->channels.is_int() || attrs->groups != 1) {
    return kernel.Error("needs a weight in tiles, its kernel_size and channels, and one group");
  }
  std::vector<int64_t> shape = {window[0], window[1], data->extent(3), attrs->channels.value()};
  if (!kernel.Fits(shape, tiled.dtype())) return kernel.Failed();
  Tensor weight(tiled.dtype(), std::move(shape));
  const int64_t columns = attrs->channels.value();
  const Tiles tiles(tiled);
  if (weight.size() == 0 || tiles.columns() < columns || tiles.rows() < weight.size() / columns) {
    return kernel.Error("the tiles do not hold the weight");
  }
  for (int64_t i = 0; i < weight.size(); ++i) {
    CopyElements(tiled, tiles.OffsetOf(i / columns, i % columns), weight, i, 1);
  }
  ConvSpec spec = SpecOf(*attrs, 2);
  spec.data_layout = "NHWC";
  spec.kernel_layout = "HWIO";
  return ReturnIt(kernel, Convolved(kernel, spec, *data, weight));
}

namespace {

// Returns the lowest `bits` bits of every element, as numbers, or nothing, with the error reported, for other elements
// than integers.
auto LowBits(KernelContext& kernel, const Tensor& data, int64_t bits) -> std::optional<Tensor> {
  const DataType dtype = data.dtype();
  if ((!dtype.is_int() && !dtype.is_uint()) || bits < 1 || bits > 8) {
    kernel.Error("needs integers of 1 to 8 bits");
    return std::nullopt;
  }
  auto numbers = Converted(kernel, data, DataType::Int(64));
  if (!numbers) return std::nullopt;
  Tensor low(DataType::Int(64), ShapeOf(data));
  const int64_t mask = (int64_t{1} << bits) - 1;
  for (int64_t i = 0; i < data.size(); ++i) low.mutable_data<int64_t>()[i] = numbers->data<int64_t>()[i] & mask;
  return low;
}

// Returns the numbers whose bit planes are packed into words along `pack_axis` of `packed`, as nn.bitpack packs them:
// the first of a word in its highest bit. The planes are along `bit_axis`, which the result does not have.
auto Unpacked(const Tensor& packed, size_t pack_axis, size_t bit_axis) -> Tensor {
  const int64_t width = packed.dtype().bits;
  std::vector<size_t> order;
  for (size_t axis = 0; axis < packed.rank(); ++axis) {
    if (axis != bit_axis) order.push_back(axis);
  }
  order.push_back(bit_axis);
  const Tensor planes_last = Permuted(packed, order);
  const std::vector<int64_t> words = Integers(planes_last);
  const int64_t planes = packed.extent(bit_axis);
  std::vector<int64_t> shape = ShapeOf(planes_last);
  shape.pop_back();
  const size_t axis = pack_axis - (bit_axis < pack_axis ? 1 : 0);
  const AxisView view = ViewAxis(shape, axis);
  shape[axis] *= width;
  Tensor numbers(DataType::Int(64), std::move(shape));
  auto* to = numbers.mutable_data<int64_t>();
  for (int64_t i = 0; i < numbers.size(); ++i) {
    const int64_t along = i / view.inner % (view.extent * width);
    const int64_t outer = i / view.inner / (view.extent * width);
    const int64_t word = (outer * view.extent + along / width) * view.inner + i % view.inner;
    for (int64_t plane = 0; plane < planes; ++plane) {
      const auto bits = static_cast<uint64_t>(words[static_cast<size_t>(word * planes + plane)]);
      to[i] |= static_cast<int64_t>(bits >> (width - 1 - along % width) & 1) << plane;
    }
  }
  return numbers;
}

// The numbers that the bits of a weight with `bits` planes represent: the bits themselves, or 1 and -1 in each plane.
auto DecodeWeight(Tensor weight, int64_t bits, bool unipolar) -> Tensor {
  if (!unipolar) return weight;
  Tensor decoded(DataType::Int(64), ShapeOf(weight));
  const int64_t all = (int64_t{1} << bits) - 1;
  for (int64_t i = 0; i < weight.size(); ++i) {
    decoded.mutable_data<int64_t>()[i] = 2 * weight.data<int64_t>()[i] - all;
  }
  return decoded;
}

// Reports an error unless the result has integers and the weight, if it is packed, has as many planes as bits.
auto AreIntegers(KernelContext& kernel, bool packed, size_t bit_axis, int64_t bits) -> bool {
  const DataType dtype = kernel.result_type().dtype;
  const DataType word = kernel.input(1).dtype();
  if (!dtype.is_int() && !dtype.is_uint()) {
    kernel.Error("needs integers, not {}", ToString(dtype));
    return false;
  }
  if (packed && (!word.is_uint() || bits < 1 || bits > 8 || kernel.input(1).extent(bit_axis) != bits)) {
    kernel.Error("the weight does not have {} planes of packed bits", bits);
    return false;
  }
  return true;
}

}  // namespace

auto BitserialConv2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BinaryConv2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& given = kernel.input(1);
  const bool packed = given.rank() == 5;
  // This is the only form of packed weights that is the same on all machines.
  if (packed && (attrs->data_layout != "NCHW" || attrs->kernel_layout != "OIHW")) {
    return kernel.Error("there is no kernel for a packed weight of layout {}", attrs->kernel_layout);
  }
  if (!AreIntegers(kernel, packed, 4, attrs->weight_bits)) return kernel.Failed();
  const auto data = LowBits(kernel, kernel.input(0), attrs->activation_bits);
  const auto weight = !data    ? std::nullopt
                      : packed ? std::optional(Unpacked(given, 1, 4))
                               : LowBits(kernel, given, attrs->weight_bits);
  if (!weight) return kernel.Failed();
  const DimList dilation = {1, 1};
  return ReturnIt(kernel, Convolved(kernel,
                                    {.spatial = 2,
                                     .strides = attrs->strides,
                                     .padding = attrs->padding,
                                     .dilation = dilation,
                                     .groups = 1,
                                     .channels = attrs->channels,
                                     .kernel_size = attrs->kernel_size,
                                     .data_layout = attrs->data_layout,
                                     .kernel_layout = attrs->kernel_layout,
                                     .out_layout = attrs->data_layout,
                                     .out_dtype = attrs->out_dtype},
                                    *data, DecodeWeight(*weight, attrs->weight_bits, attrs->unipolar)));
}

auto BitserialDenseKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BinaryDenseAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& given = kernel.input(1);
  const bool packed = given.rank() == 3;
  if (!AreIntegers(kernel, packed, 1, attrs->weight_bits)) return kernel.Failed();
  const auto data = LowBits(kernel, kernel.input(0), attrs->data_bits);
  const auto weight = !data    ? std::nullopt
                      : packed ? std::optional(Unpacked(given, 2, 1))
                               : LowBits(kernel, given, attrs->weight_bits);
  if (!weight) return kernel.Failed();
  return ReturnIt(kernel,
                  Product2D(kernel, *data, DecodeWeight(*weight, attrs->weight_bits, attrs->unipolar), false, true));
}

}  // namespace relayopt
