// Conv2dToSparse2: replaces convolutions with constant weights that have many zero blocks by sparse ones.
#include <cstring>
#include <optional>
#include <vector>

#include "lib/relay/transforms/qnn/emitter.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_packed.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "sparse_weights.h"

namespace relayopt {

namespace {

// A row-major matrix.
struct Matrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<float> elements;
};

// The kernel of a 1x1 convolution as a matrix of output and input channels; returns nothing if it is another constant.
auto KernelMatrix(const Constant& kernel, const std::string& layout) -> std::optional<Matrix> {
  const auto shape = kernel.shape();
  if (kernel.dtype() != DataType::Float(32) || shape.size() != 4) return std::nullopt;
  if (layout != "OIHW" && layout != "HWIO") return std::nullopt;
  const bool outputs_first = layout == "OIHW";
  const size_t height = outputs_first ? 2 : 0;
  if (shape[height] != 1 || shape[height + 1] != 1) return std::nullopt;
  Matrix matrix;
  matrix.rows = static_cast<size_t>(shape[outputs_first ? 0 : 3]);
  matrix.columns = static_cast<size_t>(shape[outputs_first ? 1 : 2]);
  std::vector<float> values(kernel.num_elements());
  std::memcpy(values.data(), kernel.Bytes()->data(), kernel.num_bytes());
  if (outputs_first) {
    matrix.elements = std::move(values);
    return matrix;
  }
  matrix.elements.resize(values.size());
  for (size_t i = 0; i < matrix.columns; ++i) {
    for (size_t o = 0; o < matrix.rows; ++o) matrix.elements[o * matrix.columns + i] = values[i * matrix.rows + o];
  }
  return matrix;
}

// The blocks that are not zero.
struct Blocks {
  std::vector<float> data;
  std::vector<int64_t> indices;
  std::vector<int64_t> starts = {0};
};

auto NonZeroBlocks(const Matrix& matrix, size_t height, size_t width) -> Blocks {
  Blocks blocks;
  std::vector<float> block(height * width);
  for (size_t row = 0; row < matrix.rows; row += height) {
    for (size_t column = 0; column < matrix.columns; column += width) {
      bool is_zero = true;
      for (size_t i = 0; i < height; ++i) {
        for (size_t j = 0; j < width; ++j) {
          const float element = matrix.elements[(row + i) * matrix.columns + column + j];
          block[i * width + j] = element;
          is_zero = is_zero && element == 0;
        }
      }
      if (is_zero) continue;
      blocks.data.insert(blocks.data.end(), block.begin(), block.end());
      blocks.indices.push_back(static_cast<int64_t>(column / width));
    }
    blocks.starts.push_back(static_cast<int64_t>(blocks.indices.size()));
  }
  return blocks;
}

struct Conv2dToSparse2 {
  struct Options {
    std::string layout = "NHWC";
    int64_t kernel_size = 1;
    int64_t block_height = 16;
    int64_t block_width = 1;
    double sparsity_threshold = 0.5;
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::layout>("layout of the data, NHWC or NCHW", {.words = "NHWC NCHW"}),
          Option<&Options::kernel_size>("extent of the kernels; only 1 is known", {.min = 1}),
          Option<&Options::block_height>("output channels of a block", {.min = 1}),
          Option<&Options::block_width>("input channels of a block", {.min = 1}),
          Option<&Options::sparsity_threshold>("smallest share of blocks that are zero", {.min = 0, .max = 1}),
      };
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    if (options.kernel_size != 1 || options.block_height <= 0 || options.block_width <= 0) return std::nullopt;
    Rebuild rebuild(function);
    QnnEmitter emit(rebuild.to());
    return rebuild.Rewrite([&](ExprId id) {
      const auto blocks = BlocksOf(function, id);
      if (!blocks) return ExprId();
      const auto count = static_cast<int64_t>(blocks->indices.size());
      std::vector<std::byte> bytes(blocks->data.size() * sizeof(float));
      std::memcpy(bytes.data(), blocks->data.data(), bytes.size());
      const ExprId data = emit.EmitConstant(
          Constant(DataType::Float(32), {count, options.block_height, options.block_width}, std::move(bytes)));
      const ExprId indices = emit.Vector(std::span<const int64_t>(blocks->indices), DataType::Int(32));
      const ExprId starts = emit.Vector(std::span<const int64_t>(blocks->starts), DataType::Int(32));
      const SparseConv2DAttrs attrs{.layout = options.layout, .kernel_size = {1, 1}};
      return emit.CallWith("nn.sparse_conv2d"_op, attrs, {rebuild.New(function.operand(id, 0)), data, indices, starts});
    });
  }

 private:
  // Returns the weight in blocks, when the call is a convolution that can and should be sparse.
  auto BlocksOf(const Function& function, ExprId id) const -> std::optional<Blocks> {
    if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "nn.conv2d"_op) return std::nullopt;
    const auto* attrs = function.context().As<Conv2DAttrs>(function.attrs(id));
    const ExprId kernel = function.operand(id, 1);
    if (attrs == nullptr || !Fits(*attrs) || function.kind(kernel) != ExprKind::kConstant) return std::nullopt;
    const auto matrix = KernelMatrix(function.constant(kernel), attrs->kernel_layout);
    if (!matrix) return std::nullopt;
    const auto height = static_cast<size_t>(options.block_height);
    const auto width = static_cast<size_t>(options.block_width);
    if (matrix->elements.empty() || matrix->rows % height != 0 || matrix->columns % width != 0) return std::nullopt;
    Blocks blocks = NonZeroBlocks(*matrix, height, width);
    const double all = static_cast<double>(matrix->elements.size()) / static_cast<double>(height * width);
    const double sparsity = 1 - static_cast<double>(blocks.indices.size()) / all;
    if (sparsity < options.sparsity_threshold) return std::nullopt;
    return blocks;
  }

  auto Fits(const Conv2DAttrs& attrs) const -> bool {
    if (attrs.data_layout != options.layout || attrs.groups != 1) return false;
    if (!attrs.out_layout.empty() && attrs.out_layout != options.layout) return false;
    for (const Dim& stride : attrs.strides) {
      if (!stride.is(1)) return false;
    }
    for (const Dim& padding : attrs.padding) {
      if (!padding.is(0)) return false;
    }
    return true;
  }
};

}  // namespace

constinit const PassDef kConv2dToSparse2Pass = DescribePass<Conv2dToSparse2>({
    .name = "Conv2dToSparse2",
    .required = "InferType",
    .summary = "replaces convolutions with constant weights by sparse ones where most blocks are zero",
    .details =
        R"(A 1x1 convolution is a product with a matrix of output and input channels. Where the matrix is a float32 constant
and at least sparsity_threshold of its blocks of block_height x block_width are zero, the others are kept in block-sparse
rows:

  nn.conv2d(%x, WEIGHT)   =>   nn.sparse_conv2d(%x, BLOCKS, COLUMNS, STARTS, layout=..., kernel_size=[1, 1])

A block of zeros does not meet the data any more: where these are NaN or infinite, so that the products with 0 were NaN, the
result is another one. Left alone: other kernels and layouts, strides, padding and groups, and weights that blocks do not
divide.)",
    .exactness = Exactness::kApproximate,
    .idempotent = true,
});

}  // namespace relayopt
