// Counts multiply-accumulate operations of convolutions and matrix products.
#include <algorithm>

#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

using Extents = std::vector<uint64_t>;

auto Times(uint64_t a, uint64_t b) -> uint64_t {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// Returns the shape when all of it is known.
auto ShapeOf(const Function& function, ExprId id) -> std::optional<Extents> {
  if (!function.type(id)) return std::nullopt;
  const Type& type = function.context().type(function.type(id));
  if (!type.is_tensor()) return std::nullopt;
  Extents shape;
  for (const Dim& extent : type.shape) {
    if (!extent.is_int() || extent.value() < 0) return std::nullopt;
    shape.push_back(static_cast<uint64_t>(extent.value()));
  }
  return shape;
}

auto Product(const Extents& shape) -> uint64_t {
  uint64_t product = 1;
  for (const uint64_t extent : shape) product = Times(product, extent);
  return product;
}

// Returns the extents of an axis and its packed parts, multiplied.
auto Extent(const Extents& shape, std::string_view layout_text, char axis) -> std::optional<uint64_t> {
  const auto layout = Layout::Parse(layout_text);
  if (!layout || layout->rank() != shape.size() || !layout->Contains(axis)) return std::nullopt;
  uint64_t extent = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (layout->axes()[i].primal() == axis) extent = Times(extent, shape[i]);
  }
  return extent;
}

// Returns a field of the attributes of a call, whatever their class, or null if there is none of this name and type.
template <typename T>
auto FieldOf(const Function& function, ExprId call, std::string_view name) -> const T* {
  const AttrsId attrs = function.attrs(call);
  if (!attrs) return nullptr;
  const AttrsRecord& record = function.context().attrs(attrs);
  const FieldInfo* field = record.schema == nullptr ? nullptr : record.schema->Find(name);
  return field == nullptr || field->kind != FieldKindOf<T>() ? nullptr : &field->Get<T>(record.data);
}

// How the work of a convolution is determined.
enum class ConvKind : uint8_t {
  // Every element of the result sums over the window and the input channels of its group.
  kForward,
  // Every element of the data is spread over the window and the output channels of its group.
  kTranspose,
  // As kForward, but the weight's channels are in the order of kTranspose.
  kWindows,
  // As kForward, where the weight has been transformed: the attributes give the window.
  kTransformed,
};

auto ConvMacs(const Function& function, ExprId call, ConvKind kind) -> std::optional<uint64_t> {
  const auto data = ShapeOf(function, function.operand(call, 0));
  const auto result = ShapeOf(function, call);
  if (!data || !result) return std::nullopt;
  if (kind == ConvKind::kTransformed) {
    const auto* window = FieldOf<DimList>(function, call, "kernel_size");
    const auto* layout = FieldOf<std::string>(function, call, "data_layout");
    const auto* groups = FieldOf<int64_t>(function, call, "groups");
    if (window == nullptr || window->null || layout == nullptr || groups == nullptr || *groups < 1) return std::nullopt;
    const auto channels = Extent(*data, *layout, 'C');
    if (!channels) return std::nullopt;
    uint64_t macs = Times(Product(*result), *channels / static_cast<uint64_t>(*groups));
    for (const Dim& extent : *window) {
      if (!extent.is_int() || extent.value() < 0) return std::nullopt;
      macs = Times(macs, static_cast<uint64_t>(extent.value()));
    }
    return macs;
  }
  const bool is_transpose = kind == ConvKind::kTranspose;
  const auto kernel = ShapeOf(function, function.operand(call, 1));
  const auto* layout = FieldOf<std::string>(function, call, "kernel_layout");
  if (!kernel || layout == nullptr) return std::nullopt;
  // In the weight layout of a transposed convolution, O stands for the output channels of one group.
  if (kind == ConvKind::kWindows) {
    const auto* groups = FieldOf<int64_t>(function, call, "groups");
    const auto outputs = Extent(*kernel, *layout, 'O');
    if (groups == nullptr || *groups < 1 || !outputs) return std::nullopt;
    const uint64_t channels = Times(*outputs, static_cast<uint64_t>(*groups));
    return channels == 0 ? 0 : Times(Product(*result), Product(*kernel) / channels);
  }
  const auto channels = Extent(*kernel, *layout, is_transpose ? 'I' : 'O');
  if (!channels) return std::nullopt;
  return *channels == 0 ? 0 : Times(Product(is_transpose ? *data : *result), Product(*kernel) / *channels);
}

// Every element of the result is a sum over the last axis of the first factor, or the one before it.
auto ProductMacs(const Function& function, ExprId call) -> std::optional<uint64_t> {
  const auto result = ShapeOf(function, call);
  const auto a = ShapeOf(function, function.operand(call, 0));
  const auto* transposed = FieldOf<bool>(function, call, "transpose_a");
  const size_t from_end = transposed != nullptr && *transposed ? 2 : 1;
  if (!result || !a || a->size() < from_end) return std::nullopt;
  return Times(Product(*result), (*a)[a->size() - from_end]);
}

}  // namespace

auto CallMacs(const Function& function, ExprId call) -> std::optional<uint64_t> {
  constexpr const OpDef* kConvolutions[] = {"nn.conv1d"_op,
                                            "nn.conv2d"_op,
                                            "nn.conv3d"_op,
                                            "nn.contrib_conv2d_NCHWc"_op,
                                            "nn.contrib_depthwise_conv2d_NCHWc"_op,
                                            "qnn.conv2d"_op};
  constexpr const OpDef* kTransposed[] = {"nn.conv1d_transpose"_op, "nn.conv2d_transpose"_op, "nn.conv3d_transpose"_op,
                                          "qnn.conv2d_transpose"_op};
  constexpr const OpDef* kTransformed[] = {"nn.contrib_conv2d_winograd_without_weight_transform"_op,
                                           "nn.contrib_conv3d_winograd_without_weight_transform"_op,
                                           "nn.contrib_conv2d_gemm_without_weight_transform"_op};
  constexpr const OpDef* kProducts[] = {"nn.dense"_op,        "nn.matmul"_op, "nn.contrib_dense_pack"_op,
                                        "nn.batch_matmul"_op, "qnn.dense"_op, "qnn.contrib_dense_pack"_op,
                                        "qnn.batch_matmul"_op};
  const OpDef* op = function.op(call);
  const auto is_one_of = [op](const auto& list) { return std::ranges::find(list, op) != std::end(list); };
  if (is_one_of(kConvolutions)) return ConvMacs(function, call, ConvKind::kForward);
  if (is_one_of(kTransposed)) return ConvMacs(function, call, ConvKind::kTranspose);
  if (is_one_of(kTransformed)) return ConvMacs(function, call, ConvKind::kTransformed);
  if (is_one_of(kProducts)) return ProductMacs(function, call);
  return 0;
}

// As TVM: counts only these four operators, and computes a transposed convolution as if every element of the result had
// a complete window.
auto CountMacs(const Function& function) -> uint64_t {
  constexpr const OpDef* kCounted[] = {"nn.conv2d"_op, "nn.conv2d_transpose"_op, "nn.dense"_op, "nn.batch_matmul"_op};
  uint64_t total = 0;
  for (const ExprId id : function.ids()) {
    if (function.kind(id) != ExprKind::kOpCall) continue;
    if (std::ranges::find(kCounted, function.op(id)) == std::end(kCounted)) continue;
    const bool is_transposed = function.op(id) == "nn.conv2d_transpose"_op;
    const uint64_t macs =
        (is_transposed ? ConvMacs(function, id, ConvKind::kWindows) : CallMacs(function, id)).value_or(0);
    total = total > UINT64_MAX - macs ? UINT64_MAX : total + macs;
  }
  return total;
}

}  // namespace relayopt
