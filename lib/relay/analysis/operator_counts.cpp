// Operators and the work in them.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

auto Times(uint64_t a, uint64_t b) -> uint64_t {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// The shape when all of it is known.
auto ShapeOf(const Function& function, ExprId id) -> std::optional<std::vector<uint64_t>> {
  if (!function.type(id)) return std::nullopt;
  const Type& type = function.context().type(function.type(id));
  if (!type.is_tensor()) return std::nullopt;
  std::vector<uint64_t> shape;
  for (const Dim& extent : type.shape) {
    if (!extent.is_int() || extent.value() < 0) return std::nullopt;
    shape.push_back(static_cast<uint64_t>(extent.value()));
  }
  return shape;
}

auto Product(const std::vector<uint64_t>& shape) -> uint64_t {
  uint64_t product = 1;
  for (const uint64_t extent : shape) product = Times(product, extent);
  return product;
}

// The extents of an axis and its packed parts, multiplied.
auto Extent(const std::vector<uint64_t>& shape, std::string_view layout_text, char axis) -> std::optional<uint64_t> {
  const auto layout = Layout::Parse(layout_text);
  if (!layout || layout->rank() != shape.size() || !layout->Contains(axis)) return std::nullopt;
  uint64_t extent = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (layout->axes()[i].primal() == axis) extent = Times(extent, shape[i]);
  }
  return extent;
}

// Every element of the result sums over the window and the input channels of its group.
auto ConvMacs(const Function& function, ExprId call) -> uint64_t {
  const auto result = ShapeOf(function, call);
  const auto kernel = ShapeOf(function, function.operand(call, 1));
  if (!result || !kernel) return 0;
  if (const auto* conv = function.context().As<Conv2DAttrs>(function.attrs(call))) {
    const auto outputs = Extent(*kernel, conv->kernel_layout, 'O');
    return outputs && *outputs != 0 ? Times(Product(*result), Product(*kernel) / *outputs) : 0;
  }
  const auto data = ShapeOf(function, function.operand(call, 0));
  const auto* transpose = function.context().As<Conv2DTransposeAttrs>(function.attrs(call));
  if (transpose == nullptr || !data) return 0;
  // Every element of the data is spread over the window and the output channels of its group.
  const auto inputs = Extent(*kernel, transpose->kernel_layout, 'I');
  return inputs && *inputs != 0 ? Times(Product(*data), Product(*kernel) / *inputs) : 0;
}

// Every element of the result sums over the last axis of the first factor.
auto ProductMacs(const Function& function, ExprId call, bool transpose_a) -> uint64_t {
  const auto result = ShapeOf(function, call);
  const auto a = ShapeOf(function, function.operand(call, 0));
  if (!result || !a || a->size() < (transpose_a ? 2U : 1U)) return 0;
  return Times(Product(*result), transpose_a ? (*a)[a->size() - 2] : a->back());
}

auto MacsOf(const Function& function, ExprId call) -> uint64_t {
  const OpDef* op = function.op(call);
  if (op == "nn.conv2d"_op || op == "nn.conv2d_transpose"_op) return ConvMacs(function, call);
  if (op == "nn.dense"_op) return ProductMacs(function, call, false);
  if (op != "nn.batch_matmul"_op) return 0;
  const auto* attrs = function.context().As<BatchMatmulAttrs>(function.attrs(call));
  return ProductMacs(function, call, attrs != nullptr && attrs->transpose_a);
}

}  // namespace

auto CountMacs(const Function& function) -> uint64_t {
  uint64_t total = 0;
  for (ExprId id(0U); id.value() < function.size(); ++id) {
    if (function.kind(id) != ExprKind::kOpCall) continue;
    const uint64_t macs = MacsOf(function, id);
    total = total > UINT64_MAX - macs ? UINT64_MAX : total + macs;
  }
  return total;
}

auto CountOperators(const Module& module) -> std::vector<std::pair<const OpDef*, uint64_t>> {
  absl::flat_hash_map<const OpDef*, uint64_t> counts;
  for (const Global& global : module.globals()) {
    const auto* relay = As<Function>(global.function.get());
    if (relay == nullptr) continue;
    const Function& function = *relay;
    std::vector<bool> hidden(function.size());
    for (uint32_t i = static_cast<uint32_t>(function.size()); i-- > 0;) {
      const ExprId id(i);
      const bool is_kernel = function.kind(id) == ExprKind::kFunction && function.IntAttr(id, "Primitive") != 0;
      if (is_kernel || hidden[i]) {
        for (const ExprId operand : function.operands(id)) hidden[operand.value()] = true;
      } else if (function.kind(id) == ExprKind::kOpCall) {
        ++counts[function.op(id)];
      }
    }
  }
  std::vector<std::pair<const OpDef*, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first->name; });
  return sorted;
}

}  // namespace relayopt
