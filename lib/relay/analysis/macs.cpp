// Counts multiply-accumulate operations of convolutions and matrix products, and bounds the work of all operators.
#include "relayopt/relay/analysis/macs.h"

#include <algorithm>
#include <array>

#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

using Extents = std::vector<uint64_t>;

auto Times(uint64_t a, uint64_t b) -> uint64_t {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

auto Plus(uint64_t a, uint64_t b) -> uint64_t { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// Returns the shape when all of it is known.
auto ShapeOf(const TypedCall& call, TypeId id) -> std::optional<Extents> {
  if (!id) return std::nullopt;
  const Type& type = call.context.type(id);
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
auto FieldOf(const TypedCall& call, std::string_view name) -> const T* {
  if (!call.attrs) return nullptr;
  const AttrsRecord& record = call.context.attrs(call.attrs);
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

auto ConvMacs(const TypedCall& call, ConvKind kind) -> std::optional<uint64_t> {
  const auto data = ShapeOf(call, call.operands[0]);
  const auto result = ShapeOf(call, call.result);
  if (!data || !result) return std::nullopt;
  if (kind == ConvKind::kTransformed) {
    const auto* window = FieldOf<DimList>(call, "kernel_size");
    const auto* layout = FieldOf<std::string>(call, "data_layout");
    const auto* groups = FieldOf<int64_t>(call, "groups");
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
  const auto kernel = ShapeOf(call, call.operands[1]);
  const auto* layout = FieldOf<std::string>(call, "kernel_layout");
  if (!kernel || layout == nullptr) return std::nullopt;
  // In the weight layout of a transposed convolution, O stands for the output channels of one group.
  if (kind == ConvKind::kWindows) {
    const auto* groups = FieldOf<int64_t>(call, "groups");
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
auto ProductMacs(const TypedCall& call) -> std::optional<uint64_t> {
  const auto result = ShapeOf(call, call.result);
  const auto a = ShapeOf(call, call.operands[0]);
  const auto* transposed = FieldOf<bool>(call, "transpose_a");
  const size_t from_end = transposed != nullptr && *transposed ? 2 : 1;
  if (!result || !a || a->size() < from_end) return std::nullopt;
  return Times(Product(*result), (*a)[a->size() - from_end]);
}

// The types of the operands of a call.
class OperandTypes {
 public:
  OperandTypes(const Function& function, ExprId call) {
    for (const ExprId operand : function.operands(call)) types_.push_back(function.type(operand));
  }
  auto Call(const Function& function, ExprId call) const -> TypedCall {
    return {function.context(), *function.op(call), function.attrs(call), types_, function.type(call)};
  }

 private:
  std::vector<TypeId> types_;
};

}  // namespace

auto MacsOf(const TypedCall& call) -> std::optional<uint64_t> {
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
  const auto is_one_of = [&](const auto& list) { return std::ranges::find(list, &call.op) != std::end(list); };
  if (is_one_of(kConvolutions)) return ConvMacs(call, ConvKind::kForward);
  if (is_one_of(kTransposed)) return ConvMacs(call, ConvKind::kTranspose);
  if (is_one_of(kTransformed)) return ConvMacs(call, ConvKind::kTransformed);
  if (is_one_of(kProducts)) return ProductMacs(call);
  return 0;
}

auto CallMacs(const Function& function, ExprId call) -> std::optional<uint64_t> {
  const OperandTypes types(function, call);
  return MacsOf(types.Call(function, call));
}

namespace {

// How the work of an operator exceeds the elements that it reads and writes.
enum class WorkKind : uint8_t {
  kWindows,         // each element of the result, for each place of the window that an attribute gives
  kOperandWindows,  // each element of the first operand likewise
  kSize,            // each element of the result, `size` times
  kSamples,         // each element of the result, for each of sample_ratio * sample_ratio samples
  kPatches,         // each element of the result, for each place of a patch and each channel
  kProduct,         // each element of the result is a sum over the last axis of the first operand
  kWeights,         // each element of the result, for each element of the second operand
  kResultRows,      // each element of the result, for each element of the last axis of the first operand
  kPairs,           // all pairs along the second axis of the first operand
  kPairsOfClasses,  // and for each class of the second operand
  kLabels,          // einsum: all values of all labels
};

struct WorkRow {
  const OpDef* op;
  WorkKind kind;
  std::string_view field = {};
};

constexpr WorkRow kWork[] = {
    {"dft"_op, WorkKind::kResultRows},
    {"einsum"_op, WorkKind::kLabels},
    {"image.dilation2d"_op, WorkKind::kWeights},
    {"nn.avg_pool1d"_op, WorkKind::kWindows, "pool_size"},
    {"nn.avg_pool2d"_op, WorkKind::kWindows, "pool_size"},
    {"nn.avg_pool2d_grad"_op, WorkKind::kOperandWindows, "pool_size"},
    {"nn.avg_pool3d"_op, WorkKind::kWindows, "pool_size"},
    {"nn.bitserial_conv2d"_op, WorkKind::kWeights},
    {"nn.bitserial_dense"_op, WorkKind::kProduct},
    {"nn.conv2d_backward_weight"_op, WorkKind::kOperandWindows, "kernel_size"},
    {"nn.correlation"_op, WorkKind::kPatches, "kernel_size"},
    {"nn.deformable_conv2d"_op, WorkKind::kWeights},
    {"nn.internal.sparse_dense_padded"_op, WorkKind::kProduct},
    {"nn.lrn"_op, WorkKind::kSize, "size"},
    {"nn.max_pool1d"_op, WorkKind::kWindows, "pool_size"},
    {"nn.max_pool2d"_op, WorkKind::kWindows, "pool_size"},
    {"nn.max_pool2d_grad"_op, WorkKind::kOperandWindows, "pool_size"},
    {"nn.max_pool3d"_op, WorkKind::kWindows, "pool_size"},
    {"nn.sparse_conv2d"_op, WorkKind::kWeights},
    {"nn.sparse_dense"_op, WorkKind::kProduct},
    {"qnn.avg_pool2d"_op, WorkKind::kWindows, "pool_size"},
    {"stft"_op, WorkKind::kSize, "n_fft"},
    {"vision.all_class_non_max_suppression"_op, WorkKind::kPairsOfClasses},
    {"vision.non_max_suppression"_op, WorkKind::kPairs},
    {"vision.proposal"_op, WorkKind::kPairs},
    {"vision.regular_non_max_suppression"_op, WorkKind::kPairsOfClasses},
    {"vision.roi_align"_op, WorkKind::kSamples, "sample_ratio"},
};

// Adds up the elements of a tensor or of the fields of a tuple.
auto ElementsOf(const Context& context, TypeId id) -> uint64_t {
  if (!id) return 0;
  const Type& type = context.type(id);
  uint64_t sum = 0;
  if (type.is_tensor()) {
    sum = 1;
    for (const Dim& extent : type.shape) {
      if (extent.is_int()) sum = Times(sum, static_cast<uint64_t>(std::max<int64_t>(extent.value(), 0)));
    }
  } else if (type.kind == TypeKind::kTuple) {
    for (const TypeId field : type.args) {
      if (context.type(field).is_tensor()) sum = Plus(sum, ElementsOf(context, field));
    }
  }
  return sum;
}

// Returns the extent of an axis of an operand, from the end if it is negative; 1 if it is unknown.
auto ExtentOf(const TypedCall& call, size_t operand, int axis) -> uint64_t {
  if (operand >= call.operands.size()) return 1;
  const auto shape = ShapeOf(call, call.operands[operand]);
  const int at = shape && axis < 0 ? axis + static_cast<int>(shape->size()) : axis;
  return shape && at >= 0 && at < static_cast<int>(shape->size()) ? (*shape)[static_cast<size_t>(at)] : 1;
}

auto WindowOf(const TypedCall& call, std::string_view field) -> uint64_t {
  const auto* window = FieldOf<DimList>(call, field);
  uint64_t places = 1;
  for (size_t i = 0; window != nullptr && !window->null && i < window->size(); ++i) {
    const Dim& extent = (*window)[i];
    if (extent.is_int()) places = Times(places, static_cast<uint64_t>(std::max<int64_t>(extent.value(), 1)));
  }
  return places;
}

auto NumberOf(const TypedCall& call, std::string_view field) -> uint64_t {
  const auto* number = FieldOf<int64_t>(call, field);
  return number == nullptr ? 1 : static_cast<uint64_t>(std::max<int64_t>(*number, 1));
}

// Returns the product of the extents of all labels. What `...` stands for counts once for the result.
auto LabelsWork(const TypedCall& call) -> uint64_t {
  const auto* equation = FieldOf<std::string>(call, "equation");
  const Type* operands = call.operands.empty() || !call.operands[0] ? nullptr : &call.context.type(call.operands[0]);
  if (equation == nullptr || operands == nullptr || operands->kind != TypeKind::kTuple) return 1;
  std::array<uint64_t, 128> extents{};
  size_t operand = 0;
  size_t axis = 0;
  for (const char c : equation->substr(0, equation->find("->"))) {
    if (c == ',') {
      ++operand;
      axis = 0;
    }
    if (!IsLetter(c) || operand >= operands->args.size()) continue;
    const auto shape = ShapeOf(call, operands->args[operand]);
    // Behind `...` axes are not where their label is: any extent may be meant.
    const bool is_plain = shape && equation->find("...") == std::string::npos && axis < shape->size();
    const uint64_t extent = is_plain ? (*shape)[axis] : shape ? *std::ranges::max_element(*shape) : 1;
    uint64_t& known = extents[static_cast<unsigned char>(c)];
    known = std::max(known, extent);
    ++axis;
  }
  uint64_t work = equation->find("...") == std::string::npos ? 1 : ElementsOf(call.context, call.result);
  for (const uint64_t extent : extents) work = Times(work, std::max<uint64_t>(extent, 1));
  return work;
}

auto WorkOf(const TypedCall& call, const WorkRow& row) -> uint64_t {
  const auto elements = [&](size_t i) {
    return i < call.operands.size() ? ElementsOf(call.context, call.operands[i]) : 1;
  };
  const uint64_t result = ElementsOf(call.context, call.result);
  switch (row.kind) {
    case WorkKind::kWindows: return Times(result, WindowOf(call, row.field));
    case WorkKind::kOperandWindows: return Times(elements(0), WindowOf(call, row.field));
    case WorkKind::kSize: return Times(result, NumberOf(call, row.field));
    case WorkKind::kSamples: {
      const uint64_t samples = NumberOf(call, row.field);
      return Times(result, Times(samples, samples));
    }
    case WorkKind::kPatches: {
      const uint64_t extent = NumberOf(call, row.field);
      return Times(result, Times(Times(extent, extent), ExtentOf(call, 0, 1)));
    }
    case WorkKind::kProduct:
    case WorkKind::kResultRows: return Times(result, ExtentOf(call, 0, -1));
    case WorkKind::kWeights: return Times(result, elements(1));
    case WorkKind::kPairs: return Times(elements(0), ExtentOf(call, 0, 1));
    case WorkKind::kPairsOfClasses: return Times(elements(1), ExtentOf(call, 0, 1));
    case WorkKind::kLabels: return LabelsWork(call);
  }
  return result;
}

}  // namespace

auto WorkOf(const TypedCall& call) -> uint64_t {
  uint64_t work = Plus(ElementsOf(call.context, call.result), MacsOf(call).value_or(0));
  for (const TypeId operand : call.operands) work = Plus(work, ElementsOf(call.context, operand));
  const auto* row = std::ranges::find(kWork, &call.op, &WorkRow::op);
  return row == std::end(kWork) ? work : Plus(work, WorkOf(call, *row));
}

// As TVM: counts only these four operators, and computes a transposed convolution as if every element of the result had
// a complete window.
auto CountMacs(const Function& function) -> uint64_t {
  constexpr const OpDef* kCounted[] = {"nn.conv2d"_op, "nn.conv2d_transpose"_op, "nn.dense"_op, "nn.batch_matmul"_op};
  uint64_t total = 0;
  for (const ExprId id : function.ids()) {
    if (function.kind(id) != ExprKind::kOpCall) continue;
    if (std::ranges::find(kCounted, function.op(id)) == std::end(kCounted)) continue;
    const OperandTypes types(function, id);
    const bool is_transposed = function.op(id) == "nn.conv2d_transpose"_op;
    const uint64_t macs =
        (is_transposed ? ConvMacs(types.Call(function, id), ConvKind::kWindows) : CallMacs(function, id)).value_or(0);
    total = Plus(total, macs);
  }
  return total;
}

}  // namespace relayopt
